/* SPDX-License-Identifier: BSD-3-Clause */
/* node_outliers.h - are the nodes of a launch alike? A slow one decides how long
 * every collective takes, and another allocation has another one. */
#ifndef CHORALE_DB_NODE_OUTLIERS_H
#define CHORALE_DB_NODE_OUTLIERS_H

#include <stddef.h>

/* A node is a straggler if each of its ranks copies fewer bytes a second than
 * this part of the nodes' median, if its messages take this many times the
 * median, or if long ones bring fewer bytes a second than this part of it. Of
 * less than three nodes none is: two do not tell which is slow. */
#define CHORALE_SLOW_COPY 0.8
#define CHORALE_SLOW_MESSAGE 1.5
#define CHORALE_SLOW_BANDWIDTH (1 / CHORALE_SLOW_MESSAGE)
#define CHORALE_PREFLIGHT_LEAST 3

/* What was measured on a node; 0 or less: nothing. */
struct chorale_node_speed {
    double memory;           /* bytes/s that its ranks copy together */
    int ranks;               /* that did so */
    double next;             /* s of a message to the next node, whose next
                              * is that after it; the last one's is the first */
    double bandwidth;        /* bytes/s of long ones to that node */
};

/* Which of n nodes are stragglers: text[size] gets, in their order,
 * "2 (copies 0.61 of the median), 5 (messages 2.3 of the median)", or "";
 * one that is slow in more ways "2 (copies 0.61, messages 2.3, bandwidth 0.1 of
 * the median)". A node's messages are those of the quicker of its two ways, so
 * that a slow node does not make its neighbours slow, and its bandwidth is the
 * larger one. Returns how many there are, -1: out
 * of memory. */
int chorale_preflight_judge(const struct chorale_node_speed *node, int n,
                            char *text, size_t size);

#endif
