/* SPDX-License-Identifier: BSD-3-Clause */
/* ompi_algs.c - the limits of the rules of Open MPI's component tuned. */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/rules/ompi_algs.h"

/* The component's number of each collective, or -1 if it does not serve it.
 * key: the size that a rule compares, if equal on all ranks. */
static const struct {
    int id;
    enum chorale_ompi_key key;
    const char *why_not;
} colls[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = { 6, CHORALE_OMPI_NONE, NULL },
    [CHORALE_BCAST] = { 7, CHORALE_OMPI_N, NULL },
    [CHORALE_REDUCE] = { 11, CHORALE_OMPI_N, NULL },
    [CHORALE_ALLREDUCE] = { 2, CHORALE_OMPI_N, NULL },
    [CHORALE_REDUCE_SCATTER_BLOCK] = { 13, CHORALE_OMPI_N, NULL },
    [CHORALE_REDUCE_SCATTER] = { 12, CHORALE_OMPI_N, NULL },
    [CHORALE_GATHER] = { 9, CHORALE_OMPI_NONE,
        "the tested size differs on a root that uses MPI_IN_PLACE" },
    [CHORALE_GATHERV] = { -1, CHORALE_OMPI_NONE,
        "the library has only one algorithm" },
    [CHORALE_SCATTER] = { 15, CHORALE_OMPI_NONE,
        "only the root knows the tested size" },
    [CHORALE_SCATTERV] = { -1, CHORALE_OMPI_NONE,
        "the library has only one algorithm" },
    [CHORALE_ALLGATHER] = { 0, CHORALE_OMPI_N, NULL },
    [CHORALE_ALLGATHERV] = { 1, CHORALE_OMPI_MEAN, NULL },
    [CHORALE_ALLTOALL] = { 3, CHORALE_OMPI_N, NULL },
    [CHORALE_ALLTOALLV] = { 4, CHORALE_OMPI_NONE, "its size is not tested" },
    [CHORALE_SCAN] = { 14, CHORALE_OMPI_NONE,
        "the tested size ignores the count" },
    [CHORALE_EXSCAN] = { 8, CHORALE_OMPI_NONE,
        "the tested size ignores the count" },
};

int chorale_ompi_id(enum chorale_coll coll)
{
    return colls[coll].id;
}

enum chorale_ompi_key chorale_ompi_key(enum chorale_coll coll)
{
    return colls[coll].key;
}

int chorale_ompi_unit(enum chorale_coll coll, int comm_size)
{
    return colls[coll].key == CHORALE_OMPI_MEAN ? comm_size : 1;
}

struct chorale_ompi_numbers chorale_ompi_numbers(enum chorale_coll coll,
                                                 const char *name)
{
    const struct chorale_ompi_algorithm *a = chorale_ompi_find(coll, name);
    struct chorale_ompi_numbers numbers = { 0, 0, 0, 0 };
    const char *param = strchr(name, ':');

    if (a == NULL)
        return numbers;
    numbers.algorithm = a->id;
    numbers.fanout = a->fanout;
    if (param != NULL) {
        sscanf(param, ":fanout=%ld", &numbers.fanout);
        sscanf(param, ":segsize=%ld", &numbers.segment);
        sscanf(param, ":maxreq=%ld", &numbers.requests);
    }
    return numbers;
}

int chorale_ompi_is_han(const char *name)
{
    return strncmp(name, "han_", CHORALE_OMPI_HAN) == 0;
}

int chorale_ompi_han_serves(enum chorale_coll coll)
{
    switch (coll) {
    case CHORALE_ALLGATHER:
    case CHORALE_ALLREDUCE:
    case CHORALE_BARRIER:
    case CHORALE_BCAST:
    case CHORALE_GATHER:
    case CHORALE_REDUCE:
    case CHORALE_SCATTER:
        return 1;
    default:
        return 0;
    }
}

unsigned long long chorale_ompi_han_key(enum chorale_coll coll, int comm_size,
                                        unsigned long long n)
{
    const unsigned long long p = (unsigned long long)comm_size;

    return !chorale_coll_info(coll)->blocks ? n : n / p + (n % p > 0);
}

int chorale_ompi_on_nodes(const struct chorale_rule *rule)
{
    return rule->shape != CHORALE_SHAPE_UNKNOWN &&
           rule->shape != CHORALE_SHAPE_SINGLE_NODE;
}

int chorale_ompi_version(const struct chorale_rules *rules)
{
    const char *at = rules->origin.mpi_library + strcspn(
        rules->origin.mpi_library, "0123456789");

    return atoi(at);
}

static int compare_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Write the sorted numbers of ranks within[] that ruled[], sorted, has too, as
 * "2, 4-6". */
static void write_common(FILE *out, const int *within, size_t count,
                         const int *ruled, size_t rules)
{
    int first = 0, last = 0;

    for (size_t i = 0; i <= count; i++) {
        if (i < count && (within[i] == last ||
                          bsearch(&within[i], ruled, rules, sizeof(*ruled),
                                  compare_int) == NULL))
            continue;
        if (i < count && last > 0 && within[i] == last + 1) {
            last = within[i];
            continue;
        }
        if (last > first)
            fprintf(out, "-%d", last);
        if (i == count)
            break;
        fprintf(out, "%s%d", last > 0 ? ", " : "", within[i]);
        first = last = within[i];
    }
}

/* Write the line on the communicators of decided placements, if there are
 * rules for such. ruled has room for rules->count numbers, within for twice as
 * many. */
static void warn_of(FILE *out, const char *prefix,
                    const struct chorale_rules *rules, int *ruled, int *within)
{
    size_t nruled = 0, nwithin = 0, found = 0;

    for (size_t i = 0; i < rules->count; i++) {
        const struct chorale_rule *r = &rules->rule[i];

        if (r->left == NULL && !r->projected &&
            chorale_ompi_find(r->coll, r->name) != NULL)
            ruled[nruled++] = r->comm_size;
        if (!chorale_ompi_on_nodes(r) || r->ppn < 2 || r->ppn >= r->comm_size)
            continue;
        within[nwithin++] = r->ppn;
        within[nwithin++] = (r->comm_size + r->ppn - 1) / r->ppn;
    }
    qsort(ruled, nruled, sizeof(*ruled), compare_int);
    qsort(within, nwithin, sizeof(*within), compare_int);
    for (size_t i = 0; i < nwithin; i++)
        found += bsearch(&within[i], ruled, nruled, sizeof(*ruled),
                         compare_int) != NULL;
    if (found == 0)
        return;
    fprintf(out, "%sIn this file these are the rules for P = ", prefix);
    write_common(out, within, nwithin, ruled, nruled);
    fprintf(out, ".\n");
}

void chorale_ompi_warn(FILE *out, const char *prefix,
                       const struct chorale_rules *rules)
{
    int *numbers = calloc(3 * rules->count + 1, sizeof(*numbers));

    if (chorale_ompi_version(rules) >= 5)
        fprintf(out,
                "%sWhere no rule stands on several nodes, the library's"
                " component han serves\n"
                "%sthe call, but not unchanged: it makes communicators of the"
                " ranks of a node and\n"
                "%sof one rank of each node, to which the rules for as many"
                " ranks apply.\n",
                prefix, prefix, prefix);
    if (chorale_ompi_version(rules) >= 5 && numbers != NULL)
        warn_of(out, prefix, rules, numbers, numbers + rules->count);
    free(numbers);
}

static const char *cannot(const struct chorale_rule *r,
                          const struct chorale_ompi_algorithm *algorithm,
                          const struct chorale_rule_opts *opts, int classic,
                          int version)
{
    const struct chorale_ompi_numbers numbers =
        chorale_ompi_numbers(r->coll, r->name);
    int all = chorale_coll_info(r->coll)->dataless ||
              (r->lo == 0 && r->hi == CHORALE_RULE_NO_END);

    if (colls[r->coll].id < 0)
        return colls[r->coll].why_not;
    if (colls[r->coll].key == CHORALE_OMPI_NONE && !all)
        return colls[r->coll].why_not;
    if (chorale_ompi_is_han(r->name) && strchr(r->name, ':') != NULL)
        return "no rule sets a parameter of the component han";
    if (chorale_ompi_is_han(r->name))
        return classic ? NULL
                       : "the format has no rules for the component han";
    if (algorithm == NULL)
        return "its number in the format is not known";
    if (strstr(r->name, ":radix=") != NULL)
        return "no rule sets the radix of an algorithm";
    if (numbers.requests > 0 && r->coll == CHORALE_SCATTER)
        return "no rule sets the maximum of requests of scatter";
    if (numbers.requests > 0 && classic && version < 5)
        return "the rules of this version have no maximum of requests";
    if (algorithm->reorders && !opts->commutative)
        return "it reorders operands, and rules cannot test whether the"
               " operation commutes (--commutative)";
    return NULL;
}

/* If the mean block is compared, round limits to whole bytes of it. Returns 0
 * if the range has no such n. */
static int round_up(struct chorale_rule *r)
{
    unsigned long long p = (unsigned long long)r->comm_size;

    if (colls[r->coll].key != CHORALE_OMPI_MEAN)
        return 1;
    r->lo = (r->lo + p - 1) / p * p;
    if (r->hi < CHORALE_RULE_NO_END)
        r->hi = (r->hi + p) / p * p - 1;
    return r->lo <= r->hi;
}

/* Round all ranges, and remove those that have no n of a whole mean block. */
static void round_all(struct chorale_rules *rules)
{
    size_t kept = 0;

    for (size_t i = 0; i < rules->count; i++)
        if (round_up(&rules->rule[i]))
            rules->rule[kept++] = rules->rule[i];
    rules->count = kept;
}

static void settle(struct chorale_rules *rules,
                   const struct chorale_rule_opts *opts, int classic)
{
    round_all(rules);
    for (size_t i = 0; i < rules->count; i++) {
        struct chorale_rule *r = &rules->rule[i];

        r->left = r->name[0] == '\0'
                      ? NULL
                      : cannot(r, chorale_ompi_find(r->coll, r->name), opts,
                               classic, chorale_ompi_version(rules));
    }
}

/* --- projection over placements that rules cannot distinguish ------------ */

/* The choice at n that all sets from shape on agree on, among rows of one size.
 * "" if they disagree or one of them lacks a row there. */
static const char *agreed(const struct chorale_rules *rules, size_t first,
                          size_t end, enum chorale_shape shape,
                          unsigned long long n)
{
    const char *all = NULL;

    for (size_t i = first; i < end; i = chorale_rules_same_set(rules, i)) {
        const struct chorale_rule *r = &rules->rule[i];
        const struct chorale_rule_place place = { r->shape, r->ppn };
        const char *name;

        if (r->shape < shape)
            continue;
        name = chorale_rules_at(rules, r->coll, r->comm_size, &place, n);
        if (all != NULL && strcmp(all, name) != 0)
            return "";
        all = name;
    }
    return all != NULL ? all : "";
}

static int compare_n(const void *a, const void *b)
{
    unsigned long long x = *(const unsigned long long *)a;
    unsigned long long y = *(const unsigned long long *)b;

    return (x > y) - (x < y);
}

/* Append the choices that rows [first, end) of one size agree on, as rows of
 * unknown shape, at *count. rules has room for two a row. */
static int project(struct chorale_rules *rules, size_t first, size_t end,
                   enum chorale_shape shape, size_t *count)
{
    unsigned long long *from = calloc(2 * (end - first) + 1, sizeof(*from));
    struct chorale_rule *last = NULL;
    size_t all = 0;

    if (from == NULL)
        return -1;
    for (size_t i = first; i < end; i++) {
        from[all++] = rules->rule[i].lo;
        if (rules->rule[i].hi < CHORALE_RULE_NO_END)
            from[all++] = rules->rule[i].hi + 1;
    }
    qsort(from, all, sizeof(*from), compare_n);
    for (size_t i = 0; i < all; i++) {
        const char *name = agreed(rules, first, end, shape, from[i]);
        unsigned long long hi = i + 1 < all ? from[i + 1] - 1
                                            : CHORALE_RULE_NO_END;

        if (*name == '\0' || (i + 1 < all && from[i + 1] == from[i])) {
            last = *name == '\0' ? NULL : last;
        } else if (last != NULL && strcmp(last->name, name) == 0) {
            last->hi = hi;
        } else {
            last = &rules->rule[(*count)++];
            *last = (struct chorale_rule){
                .coll = rules->rule[first].coll,
                .comm_size = rules->rule[first].comm_size,
                .lo = from[i], .hi = hi,
            };
            strcpy(last->name, name);
        }
    }
    free(from);
    return 0;
}

/* Returns 1 if a row of unknown shape makes the same choice for all n of r. */
static int kept(const struct chorale_rules *rules, size_t begin, size_t end,
                const struct chorale_rule *r)
{
    for (size_t i = begin; i < end; i++) {
        const struct chorale_rule *p = &rules->rule[i];

        if (p->coll == r->coll && p->comm_size == r->comm_size &&
            p->lo <= r->lo && r->hi <= p->hi && strcmp(p->name, r->name) == 0)
            return 1;
    }
    return 0;
}

enum chorale_err chorale_ompi_prepare(struct chorale_rules *rules,
                                      const struct chorale_rule_opts *opts,
                                      enum chorale_shape shape,
                                      struct chorale_errmsg *msg)
{
    size_t were, count;
    struct chorale_rule *more;

    settle(rules, opts, shape == CHORALE_SHAPE_SINGLE_NODE);
    were = count = rules->count;
    more = realloc(rules->rule, (3 * were + 1) * sizeof(*more));
    if (more == NULL)
        return chorale_fail_memory(msg, "generate");
    rules->rule = more;
    for (size_t i = 0, end; i < were; i = end) {
        size_t begin = count;

        end = chorale_rules_same_size(rules, i);
        if (project(rules, i, end, shape, &count) != 0)
            return chorale_fail_memory(msg, "generate");
        for (size_t k = i; k < end; k++) {
            struct chorale_rule *r = &rules->rule[k];

            if (r->shape < shape)
                continue;
            r->projected = 1;
            if (r->left == NULL && r->name[0] != '\0' &&
                !kept(rules, begin, count, r))
                r->left = "other placements of as many ranks choose"
                          " differently";
        }
    }
    rules->count = count;
    chorale_rules_sort(rules);
    return CHORALE_OK;
}
