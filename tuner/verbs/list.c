/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - the verb `list`: prints the catalogue from its descriptors. */
#include "algorithms/coll.h"
#include "algorithms/count.inc"
#include "tuner/base/suggest.h"
#include "tuner/base/verb.h"
#include "tuner/plan/catalogue_show.h"

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_list_opts opts = { 0, 0, 0, 0, 0 };
    char text[CHORALE_SUGGEST_SIZE];
    int nword, coll = -1;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 0, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    if (nword == 1) {
        chorale_opts_colls(argv[1]);
        coll = chorale_coll_find(argv[1]);
    }
    if (nword == 1 && coll < 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "unknown collective '%s'; %s", argv[1],
                            chorale_suggest_coll(
                                argv[1], "run `chorale list` for all", text));
    return chorale_catalogue_show(coll, &opts, msg);
}

#define AT(member) offsetof(struct chorale_list_opts, member)

static const struct chorale_opt options[] = {
    { "missing", 0, CHORALE_OPT_FLAG, AT(missing), NULL,
      "list published algorithms that are not in the catalogue, with the "
      "reason", 0,
      0 },
    { "counts", 0, CHORALE_OPT_FLAG, AT(counts), NULL,
      "print only the number of variants of each collective", 0, 0 },
    { "native", 0, CHORALE_OPT_FLAG, AT(native), NULL,
      "list the algorithms inside the MPI library that can be forced", 0, 0 },
    { "simulated", 0, CHORALE_OPT_FLAG, AT(simulated), NULL,
      "list those inside SimGrid, which are native in simulation", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL,
      "print JSON", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_list = {
    .name = "list",
    .args = "[COLLECTIVE]",
    .summary = "show the catalogue of " CHORALE_VARIANTS " variants",
    .detail =
        "Prints for each variant a description, its cost on a one-port "
        "network, its parameters with the values that are measured, its "
        "requirements, the order in which it reduces, patents, and its "
        "publication. [core] marks variants that are measured by default.\n"
        "Symbols in the cost: alpha seconds a message, beta seconds a byte, "
        "tau seconds a reduced byte, P ranks, n bytes of the operation, m "
        "bytes of a block, s bytes of a segment, S segments, M bytes of the "
        "largest block; on nodes p ranks on each of N nodes. It holds for 2 "
        "ranks or more, and for sizes that the ranks and segments divide.",
    .example = "chorale list\nchorale list bcast\nchorale list --missing",
    .opt = options,
    .run = run,
};
