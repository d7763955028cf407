/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.c - compares candidates by a part of their schedules, and by the
 * whole schedules only if the parts are equal. */
#include "tuner/decide/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/schedule/digest.h"

enum state { UNKNOWN, KNOWN, MISSING };

struct entry {
    const struct chorale_alg_config *config;
    struct chorale_digest digest[2]; /* by enum chorale_digest_of */
    enum state state[2];
};

/* 1 if the node of each rank is known: on one node, and in blocks. */
static int is_placed(const struct chorale_class_point *at,
                     const struct chorale_alg *alg)
{
    return !chorale_alg_by_node(alg) ||
           strcmp(at->shape, "single-node") == 0 ||
           strcmp(at->shape, "block") == 0;
}

/* 1 if the entry has that digest. */
static int has_digest(const struct chorale_class_point *at,
                      struct entry *e, enum chorale_digest_of of)
{
    struct chorale_point pt = at->pt;
    char policy[16];

    if (e->state[of] != UNKNOWN)
        return e->state[of] == KNOWN;
    e->state[of] = MISSING;
    if (e->config->alg == NULL || !is_placed(at, e->config->alg))
        return 0;
    memcpy(pt.param, e->config->value, sizeof(pt.param));
    snprintf(policy, sizeof(policy), "%.*s", (int)strcspn(at->policy, " "),
             at->policy);
    if (chorale_schedule_digest(e->config->alg, &pt, policy, of,
                                &e->digest[of]) == 0)
        e->state[of] = KNOWN;
    return e->state[of] == KNOWN;
}

/* 1 if the same policies (patents, order of operands) allow both. */
static int same_policies(const struct chorale_class_point *at,
                         const struct chorale_alg_config *a,
                         const struct chorale_alg_config *b)
{
    struct chorale_point pa = at->pt, pb = at->pt;

    for (int patented = 0; patented < 2; patented++)
        if ((chorale_alg_unselectable(a->alg, patented) == NULL) !=
            (chorale_alg_unselectable(b->alg, patented) == NULL))
            return 0;
    memcpy(pa.param, a->value, sizeof(pa.param));
    memcpy(pb.param, b->value, sizeof(pb.param));
    return chorale_alg_order(a->alg, &pa) == chorale_alg_order(b->alg, &pb);
}

static int is_equal(const struct chorale_class_point *at, struct entry *a,
                    struct entry *b)
{
    for (int i = 0; i < 2; i++) {
        enum chorale_digest_of of = i == 0 ? CHORALE_DIGEST_PART
                                           : CHORALE_DIGEST_WHOLE;

        if (!has_digest(at, a, of) || !has_digest(at, b, of) ||
            memcmp(&a->digest[of], &b->digest[of], sizeof(a->digest[of])) != 0)
            return 0;
    }
    return same_policies(at, a->config, b->config);
}

int chorale_classes_find(const struct chorale_class_point *at,
                         const struct chorale_alg_config *config, size_t n,
                         size_t *first)
{
    struct entry *entry = calloc(n + 1, sizeof(*entry));

    if (entry == NULL)
        return -1;
    for (size_t i = 0; i < n; i++) {
        entry[i].config = &config[i];
        first[i] = i;
        for (size_t k = 0; k < i && first[i] == i; k++)
            if (first[k] == k && is_equal(at, &entry[k], &entry[i]))
                first[i] = k;
    }
    free(entry);
    return 0;
}

int chorale_classes_equal(const struct chorale_class_point *at,
                          const struct chorale_alg_config *a,
                          const struct chorale_alg_config *b)
{
    struct entry one = { .config = a }, other = { .config = b };

    return is_equal(at, &one, &other);
}
