/* SPDX-License-Identifier: BSD-3-Clause */
/* node_outliers.h - find stragglers among the nodes of a launch. One slow node
 * determines the time of every collective, and varies between allocations. */
#ifndef CHORALE_DB_NODE_OUTLIERS_H
#define CHORALE_DB_NODE_OUTLIERS_H

#include <stddef.h>

/* A node is a straggler if one of these holds against the median of all nodes:
 * - its ranks copy on average less than CHORALE_SLOW_COPY of the bytes/s;
 * - its messages take more than CHORALE_SLOW_MESSAGE times as long;
 * - its long messages reach less than CHORALE_SLOW_BANDWIDTH of the bytes/s.
 * A quantity measured on fewer than CHORALE_PREFLIGHT_LEAST nodes marks no
 * node: of two nodes it is unclear which one is slow. */
#define CHORALE_SLOW_COPY 0.8
#define CHORALE_SLOW_MESSAGE 1.5
#define CHORALE_SLOW_BANDWIDTH (1 / CHORALE_SLOW_MESSAGE)
#define CHORALE_PREFLIGHT_LEAST 3

/* Measurements of one node; a value <= 0 is missing. */
struct chorale_node_speed {
    double memory;           /* bytes/s copied by its ranks together */
    int ranks;               /* number of ranks that copied */
    double next;             /* s of a message to the next node; the last
                              * node's next is the first */
    double bandwidth;        /* bytes/s of long messages to the next node */
};

/* Find the stragglers of n nodes and write them to text[size] in node order:
 * "2 (copies 0.61 of the median), 5 (messages 2.3 of the median)". Several
 * reasons are listed as "2 (copies 0.61, messages 2.3, bandwidth 0.1 of the
 * median)". A node is judged by the better of its two neighbouring links, so
 * that a slow node does not make its neighbours look slow. Returns the number
 * of stragglers, or -1 if out of memory. */
int chorale_stragglers_find(const struct chorale_node_speed *node, int n,
                            char *text, size_t size);

#endif
