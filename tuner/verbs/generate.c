/* SPDX-License-Identifier: BSD-3-Clause */
/* generate.c - the verb `generate`: writes the decision table of a system in a
 * loadable format. */
#include <stdio.h>
#include <string.h>

#include "tuner/base/suggest.h"
#include "tuner/base/verb.h"
#include "tuner/emit/generate.h"
#include "tuner/rules/rules.h"

struct opts {
    const char *format;
    struct chorale_rules_job job;
    int allow_patented;
};

static const struct chorale_rule_format *const formats[] = {
    &chorale_rules_mpich_json,
    &chorale_rules_ompi_classic,
    &chorale_rules_ompi_json,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Find a rules format of an MPI library: job.format, NULL for "c". */
static enum chorale_err find_format(struct opts *opts,
                                    struct chorale_errmsg *msg)
{
    char known[200] = "c";
    size_t used = 1;

    if (strcmp(opts->format, "c") == 0)
        return CHORALE_OK;
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (strcmp(formats[i]->format, opts->format) == 0)
            opts->job.format = formats[i];
        used += (size_t)snprintf(known + used, sizeof(known) - used,
                                 ",%s", formats[i]->format);
    }
    if (opts->job.format != NULL)
        return CHORALE_OK;
    return chorale_word_check("--format", opts->format, known, msg);
}

/* Refuse options that apply only to the other kind of format. */
static enum chorale_err check_options(const struct opts *opts,
                                      struct chorale_errmsg *msg)
{
    const int rules = opts->job.format != NULL;
    const char *name = NULL;

    if (rules && opts->allow_patented)
        name = "allow-patented";
    else if (!rules && opts->job.no_check)
        name = "no-check";
    else if (!rules && opts->job.opts.commutative)
        name = "commutative";
    if (name == NULL)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_USAGE, "--%s does not apply to --format"
                        " %s; leave it out", name, opts->format);
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .format = "c", .job = { .max_ranks = 16 } };
    const struct chorale_rules_job *job = &opts.job;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.job.database = argv[1];
    err = find_format(&opts, msg);
    if (err == CHORALE_OK)
        err = check_options(&opts, msg);
    if (err == CHORALE_OK && job->format != NULL)
        return chorale_rules_generate(job, msg);
    if (err == CHORALE_OK)
        err = chorale_table_generate(
            argv[1],
            &(struct chorale_generate_opts){ job->output, job->system,
                                             opts.allow_patented, job->quiet },
            msg);
    return err;
}

#define AT(member) offsetof(struct opts, member)

static const struct chorale_opt rows[] = {
    { "format", 0, CHORALE_OPT_TEXT, AT(format),
      "c|mpich-json|ompi-rules|ompi-json",
      "c writes one self-contained C99 file and its header beside it; "
      "mpich-json, ompi-rules and ompi-json write rules by which the MPI "
      "library selects among its own algorithms (default: c)", 0,
      0 },
    { "check-ranks", 0, CHORALE_OPT_INT, AT(job.max_ranks), "N",
      "for rules files: start at most this many ranks to check"
      " what the library does with them (default: 16)", 2, 4096 },
    { "no-check", 0, CHORALE_OPT_FLAG, AT(job.no_check), NULL,
      "do not load the rules into the library; the file notes this", 0, 0 },
    { "commutative", 0, CHORALE_OPT_FLAG, AT(job.opts.commutative), NULL,
      "all operations of the programs commute: allow Open MPI's"
      " algorithms that reorder operands", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG, AT(allow_patented), NULL,
      "allow patented variants in the table", 0, 0 },
    { "output", 'o', CHORALE_OPT_TEXT, AT(job.output), "FILE",
      "file to write; replaced atomically", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, AT(job.quiet), NULL,
      "do not print the checks; the files list them", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, AT(job.system), "NAME",
      "system whose table to write, if there are several", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_generate = {
    .name = "generate",
    .args = "results.db",
    .summary = "write the decisions as a dispatch table",
    .detail =
        "Writes the decisions of a system as one C99 file and a header:"
        " constant tables and, for each collective, a function that selects by"
        " n, the bytes of the operation, and the number of ranks. It needs no"
        " MPI, allocates nothing, and answers for any n and any number of"
        " ranks; what was not measured is the library's default. Compiled as"
        " a shared object it is what libchorale_pmpi.so loads.\n"
        "A reduction measured with several types and operations is"
        " represented by double and sum, or else by the first by name."
        " Functions of the unshaped kind answer where the measured shapes of"
        " nodes agree; the others take the shape. Its heading says where it"
        " was measured, what is decided, and what was checked: before it is"
        " put in place it is compiled and loaded, and its answers are compared"
        " with the decisions on both sides of each border, of n and of the"
        " number of ranks, for each shape. If one differs, no file is written."
        " Without a C compiler (CC, cc, gcc, clang) it is not checked.\n"
        "The same database gives the same bytes.\n"
        "The other formats are read by the MPI library, which then selects "
        "among its own algorithms: those that `chorale plan --providers "
        "native` measured and `chorale decide` chose. They are for the "
        "measured library and version. Decisions that a format cannot express "
        "are left to the library and listed. This list, the environment and "
        "instructions for use are in the file, or beside it in FILE.txt. "
        "Before a file replaces an older one it is read back on both sides of "
        "each border and loaded into the library. The messages that the "
        "library sends there are compared with those of the chosen algorithm; "
        "points that could not be run are reported.\n"
        "On several nodes Open MPI's component han serves calls, from version "
        "5 on, and asks no rules of tuned for them. With decisions for several "
        "nodes ompi-rules therefore writes a second file, FILE.han.conf. With "
        "it han calls tuned where a rule stands, and serves all other calls. For "
        "these it makes communicators of the ranks of a node and of one rank "
        "of each node, and asks tuned. So rules for as many ranks change the "
        "default where no rule stands; the heading names such numbers of "
        "ranks. The check needs a mpiexec with as many nodes, as in an "
        "allocation.",
    .example = "chorale generate results.db --format c -o table.c\n"
               "cc -shared -fPIC -o table.so table.c\n"
               "chorale generate results.db --format mpich-json -o sel.json",
    .opt = rows,
    .run = run,
};
