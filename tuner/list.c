/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - the verb `list`: the catalogue, from its descriptors. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/alg.h"
#include "tuner/verb.h"

struct opts {
    int json;
};

static const struct {
    unsigned flag;
    const char *text;
} needs[] = {
    { CHORALE_NEEDS_COMMUTE, "a commutative operation" },
    { CHORALE_NEEDS_POW2, "P a power of two" },
    { CHORALE_NEEDS_EVEN, "P even" },
};

#define NNEEDS (sizeof(needs) / sizeof(needs[0]))

static void print_alg(const struct chorale_alg *alg)
{
    int count = 0;

    printf("  %-24s %s\n", alg->name, alg->summary);
    printf("  %-24s   cost    %s\n", "", alg->formula);
    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *p = &alg->param[i];

        printf("  %-24s   param   %s [%s], %ld to %ld, default %ld; measured:",
               "", p->name, p->unit, p->min, p->max, p->def);
        for (int k = 0; k < p->ncandidate; k++)
            printf(" %ld", p->candidate[k]);
        printf("\n");
    }
    for (size_t i = 0; i < NNEEDS; i++)
        if (alg->needs & needs[i].flag)
            printf(count++ == 0 ? "  %24s   needs   %s" : "%s, %s", "",
                   needs[i].text);
    printf("%s", count > 0 ? "\n" : "");
    printf("  %-24s   source  %s\n", "", alg->source);
}

static json_t *alg_json(const struct chorale_alg *alg)
{
    json_t *params = json_array(), *want = json_array();

    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *p = &alg->param[i];
        json_t *values = json_array();

        for (int k = 0; k < p->ncandidate; k++)
            json_array_append_new(values, json_integer(p->candidate[k]));
        json_array_append_new(
            params, json_pack("{s:s, s:s, s:I, s:I, s:I, s:o}", "name",
                              p->name, "unit", p->unit, "default",
                              (json_int_t)p->def, "min", (json_int_t)p->min,
                              "max", (json_int_t)p->max, "candidates",
                              values));
    }
    for (size_t i = 0; i < NNEEDS; i++)
        if (alg->needs & needs[i].flag)
            json_array_append_new(want, json_string(needs[i].text));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "coll",
                     chorale_coll_info(alg->coll)->name, "variant", alg->name,
                     "summary", alg->summary, "cost", alg->formula, "source",
                     alg->source, "needs", want, "params", params);
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { 0 };
    enum chorale_err err;
    json_t *list;
    int nword, count = 0, coll = -1;

    err = chorale_opts_parse(verb, argc, argv, &opts, 0, 1, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    if (nword == 1 && (coll = chorale_coll_find(argv[1])) < 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "unknown collective '%s'; `chorale list` without "
                            "a word names all", argv[1]);
    list = json_array();
    for (int i = 0, last = -1; chorale_algs[i] != NULL; i++) {
        const struct chorale_alg *alg = chorale_algs[i];

        if (coll >= 0 && (int)alg->coll != coll)
            continue;
        count++;
        if (opts.json) {
            json_array_append_new(list, alg_json(alg));
            continue;
        }
        if ((int)alg->coll != last)
            printf("%s%s\n", last >= 0 ? "\n" : "",
                   chorale_coll_info(alg->coll)->name);
        last = (int)alg->coll;
        print_alg(alg);
    }
    if (opts.json)
        json_dumpf(list, stdout, JSON_INDENT(2));
    else
        printf("\n%d variants, and provider library: what the MPI library "
               "does by itself.", count);
    printf("\n");
    json_decref(list);
    return CHORALE_OK;
}

static const struct chorale_opt options[] = {
    { "json", 0, CHORALE_OPT_FLAG, offsetof(struct opts, json), NULL,
      "print JSON", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_list = {
    .name = "list",
    .args = "[COLLECTIVE]",
    .summary = "show the catalogue of variants",
    .detail =
        "Each variant with what it does, its cost on a one-port network "
        "(alpha seconds a message, beta seconds a byte, tau seconds a reduced "
        "byte, P ranks, n bytes of the operation, m bytes of a block), its "
        "parameters with the values that are measured, what it needs, and "
        "where it is published.",
    .example = "chorale list\nchorale list bcast",
    .opt = options,
    .run = run,
};
