/* SPDX-License-Identifier: BSD-3-Clause */
/* submit_nodes.c - chooses the nodes that elements exclude, so that launches of
 * a cell run on different nodes (node_sets.h). A step of submit.c. */
#include "config.h"

#include "tuner/slurm/submit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/slurm/node_sets.h"

/* The option that selects nodes, or resources that only some nodes have; the
 * excluded nodes of other sets would then be wrong. NULL without one. */
static const char *named(const struct chorale_site *site)
{
    static const char *const word[] = {
        "--nodelist", "--nodefile", "--exclude", "--prefer", "--contiguous",
        "--cluster-constraint", "--clusters", "--gres", "--gpus",
        "--gpus-per-node", "--gpus-per-task", "--gpus-per-socket", "--mem",
        "--mem-per-cpu", "--mem-per-gpu", "--mincpus", "--tmp", "--batch",
        "--extra-node-info", "--sockets-per-node", "--cores-per-socket",
        "--threads-per-core", "--tres-per-node", "--tres-per-task",
    };

    if (site->constraint[0] != '\0')
        return "--constraint";
    if (site->reservation[0] != '\0')
        return "--reservation";
    if (site->switches[0] != '\0')
        return "--switches";
    for (int i = 0; i < site->noption; i++) {
        size_t length = strcspn(site->option[i], "=");

        /* sbatch accepts prefixes. */
        for (size_t k = 0; k < sizeof(word) / sizeof(word[0]); k++)
            if (strncmp(word[k], site->option[i], length) == 0)
                return word[k];
    }
    return NULL;
}

static int by_number(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;

    return (a > b) - (a < b);
}

/* The distinct ordinals of the launches, ascending. */
static int *ordinals(const struct chorale_submit *s, size_t *count_p)
{
    int *list = malloc((s->nlaunch + 1) * sizeof(*list));
    size_t count = 0;

    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < s->nlaunch; i++)
        list[i] = s->launch[i].p.ordinal;
    qsort(list, s->nlaunch, sizeof(*list), by_number);
    for (size_t i = 0; i < s->nlaunch; i++)
        if (count == 0 || list[i] != list[count - 1])
            list[count++] = list[i];
    *count_p = count;
    return list;
}

/* Divide the ordinals into nset sets of consecutive ones. */
static void assign(struct chorale_submit *s, const int *ordinal, size_t count,
                   size_t nset)
{
    for (size_t i = 0; i < s->nlaunch; i++) {
        struct chorale_pack_launch *l = &s->launch[i];
        const int *at = bsearch(&l->p.ordinal, ordinal, count,
                                sizeof(*ordinal), by_number);
        size_t set = (size_t)(at - ordinal) * nset / count;
        size_t pair = set & ~(size_t)1;

        l->set = l->set_from = 0;
        if (chorale_nodeset_excludable(s->nodes.count, (size_t)l->nodes) == 0)
            continue;
        l->set = (int)set;
        l->set_from = ordinal[(pair * count + nset - 1) / nset];
    }
}

static long count_arrays(const struct chorale_submit *s)
{
    long count = 0;

    for (size_t from = 0; from < s->nlaunch;
         from = chorale_submit_array(s, from))
        count++;
    return count;
}

/* Make the sets; if possible not in more arrays than the last job can wait
 * for. */
static enum chorale_err make_sets(struct chorale_submit *s, size_t *nset_p)
{
    size_t count = 0, nset;
    int *ordinal = ordinals(s, &count);

    if (ordinal == NULL)
        return chorale_fail_memory(s->msg, NULL);
    nset = count < CHORALE_NODE_SETS_MAX ? count : CHORALE_NODE_SETS_MAX;
    assign(s, ordinal, count, nset);
    while (nset > 1 && count_arrays(s) >= CHORALE_MAX_ARGS)
        assign(s, ordinal, count, --nset);
    free(ordinal);
    *nset_p = nset;
    return CHORALE_OK;
}

/* The most nodes that any element excludes: those of the smallest. */
static size_t most_spared(const struct chorale_submit *s)
{
    size_t most = 0;

    for (size_t i = 0; i < s->nlaunch; i++) {
        size_t spared = chorale_nodeset_excludable(s->nodes.count,
                                                   (size_t)s->launch[i].nodes);

        most = spared > most ? spared : most;
    }
    return most;
}

static int most_ranks(const struct chorale_submit *s)
{
    int most = 0;

    for (size_t i = 0; i < s->nlaunch; i++)
        most = s->launch[i].ppn > most ? s->launch[i].ppn : most;
    return most;
}

enum chorale_err chorale_submit_sets(struct chorale_submit *s)
{
    const char *partition = s->site.partition, *by = named(&s->site);
    struct chorale_errmsg why;
    size_t nset = 0;
    enum chorale_err err;

    if (strcmp(s->site.spread, "no") == 0 || !s->answers)
        return CHORALE_OK;
    if (by != NULL) {
        if (!s->opts->quiet)
            printf("%s selects the nodes, so elements exclude none\n",
                   by);
        return CHORALE_OK;
    }
    if (chorale_slurm_usable(partition[0] != '\0' ? partition : NULL,
                             most_ranks(s), &s->nodes, &why) != CHORALE_OK) {
        fprintf(stderr, "chorale: %s: the nodes of all elements are "
                        "chosen by Slurm\n", why.text);
        return CHORALE_OK;
    }
    err = make_sets(s, &nset);
    if (err == CHORALE_OK && nset > 1 && most_spared(s) > 0 &&
        !s->opts->quiet)
        printf("%zu sets of elements exclude up to %zu of %zu nodes: "
               "launches of a cell see different nodes\n", nset,
               most_spared(s), s->nodes.count);
    return err;
}

enum chorale_err
chorale_submit_excluded_nodes(const struct chorale_submit *s,
                              const struct chorale_pack_launch *l,
                              char **names_p)
{
    size_t n = s->nodes.count;
    size_t spared = chorale_nodeset_excludable(n, (size_t)l->nodes);
    uint64_t seed = (uint64_t)s->opts->plan.seed +
                    ((uint64_t)l->set_from << 32);
    char *mark;
    enum chorale_err err = CHORALE_OK;

    *names_p = NULL;
    if (spared == 0)
        return CHORALE_OK;
    mark = malloc(n);
    if (mark != NULL &&
        chorale_nodeset_mark(mark, n, spared, seed, l->set & 1) == 0)
        *names_p = chorale_nodeset_names(s->nodes.name, n, mark);
    if (*names_p == NULL)
        err = chorale_fail_memory(s->msg, NULL);
    free(mark);
    return err;
}
