/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_features.h - a variant's schedule reduced to few numbers, for process
 * counts at which a replay of all messages takes too long.
 *
 * The ranks of one node are recorded, and the busiest of them stands for the
 * critical path: of each message size, how many messages it sends or receives
 * inside the node and between nodes. Messages of the stated critical path
 * beyond those of that rank, as those of a chain of ranks, are spread over both
 * levels as the messages of the whole node. */
#ifndef CHORALE_TUNER_FIT_SCHEDULE_FEATURES_H
#define CHORALE_TUNER_FIT_SCHEDULE_FEATURES_H

#include "algorithms/alg.h"

enum { CHORALE_LEVEL_NODE, CHORALE_LEVEL_NET, CHORALE_LEVELS };

#define CHORALE_FEATURE_SIZES 24

struct chorale_features {
    int nsize;
    struct {
        int level;
        double bytes, count; /* count messages of that many bytes */
    } size[CHORALE_FEATURE_SIZES];
    double port_messages, port_bytes; /* of the node's other ranks, that leave or
                              * enter the node */
    double inner_bytes;      /* of all messages inside the node */
    double reduced, copied;  /* bytes, of the critical path */
    int overlaps;            /* 1: the messages are in flight at once */
};

struct chorale_feature_cache;

struct chorale_feature_cache *chorale_feature_cache_new(void);
void chorale_feature_cache_free(struct chorale_feature_cache *cache);

/* Set *f to the features of alg at pt, with ppn ranks on each node, in blocks.
 * Returns 0, or -1: the variant does not run there, calls the library, or out
 * of memory. */
int chorale_features_of(struct chorale_feature_cache *cache,
                        const struct chorale_alg *alg,
                        const struct chorale_point *pt, int ppn,
                        struct chorale_features *f);

#endif
