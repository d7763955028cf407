/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h - a network with parameters, and how long a schedule takes on it.
 *
 * Messages between two ranks are of the innermost level that has both. On
 * each level sizes fall into regimes with an alpha and a beta each. Messages
 * that are under way at once share, fairly, the ports of their ranks and,
 * between nodes, those of the nodes and the links on their way (topology.h),
 * while their latencies overlap: k of one port at once take
 * alpha + (k - 1) gap + k beta bytes.
 *
 * Ports: where messages are overlapped (eager), a sender is busy with one for
 * send_overhead only, it travels whether or not it is waited for, and the
 * receiver takes recv_overhead at its end. Elsewhere (one port) it starts when
 * both ends are there and a sender waits until it has arrived. In either case
 * alpha + beta bytes is what a message by itself takes from end to end:
 * overheads and gap are parts of alpha.
 *
 * Times are kept as sums over the parameters, so that a schedule's time comes
 * with its coefficients: as long as the order of events stands, seconds are
 * the sum of column * value.
 */
#ifndef CHORALE_TUNER_MODEL_NETWORK_H
#define CHORALE_TUNER_MODEL_NETWORK_H

#include <stddef.h>

#include "algorithms/alg.h"
#include "tuner/model/topology.h"

#define CHORALE_NET_LEVELS 4
#define CHORALE_NET_REGIMES 32
#define CHORALE_NET_PARTS 3 /* send_overhead, recv_overhead, gap */
#define CHORALE_NET_COLUMNS                                                  \
    (2 * CHORALE_NET_LEVELS * CHORALE_NET_REGIMES + CHORALE_NET_PARTS +      \
     CHORALE_NET_REGIMES)

/* Sizes up to upto[i] [bytes], and above upto[i - 1], are of regime i; the
 * last upto is HUGE_VAL. */
struct chorale_net_regimes {
    int n;
    double upto[CHORALE_NET_REGIMES];
    double alpha[CHORALE_NET_REGIMES]; /* s a message; unused for tau */
    double beta[CHORALE_NET_REGIMES];  /* s a byte */
};

struct chorale_net_level {
    const char *name;        /* "node", "net", or "all" */
    int width;               /* ranks of a group, in blocks; 0: those of a
                              * node; -1: all */
    struct chorale_net_regimes regime;
};

struct chorale_net {
    int nlevel;              /* innermost first; the last has width -1 */
    struct chorale_net_level level[CHORALE_NET_LEVELS];
    double overlap_upto;     /* messages up to this size are overlapped: -1
                              * none (one port), HUGE_VAL all */
    double send_overhead, recv_overhead; /* s, of overlapped messages */
    double gap;              /* s, that a message takes of its ports whatever
                              * its size */
    double ports;            /* how many ranks' worth of bytes a node sends,
                              * and receives, at once: >= 1 */
    int inner_shared;        /* messages inside a node share its ports too */
    struct chorale_net_regimes tau; /* beta: s a reduced byte, by the size of
                                     * what is reduced at once */
    struct chorale_wiring wiring;   /* links that messages between nodes share
                                     * besides; a link further makes them
                                     * later by wiring.hop of their alpha */
};

/* Columns: for each level and regime alpha, beta; send_overhead,
 * recv_overhead, gap; for each regime of tau its value. */
int chorale_net_columns(const struct chorale_net *net);
/* Of send_overhead, of the first of tau, and of a level's regime. */
int chorale_net_column_parts(const struct chorale_net *net);
int chorale_net_column_tau(const struct chorale_net *net);
int chorale_net_column(const struct chorale_net *net, int level, int regime);
void chorale_net_get(const struct chorale_net *net, double *value);
void chorale_net_set(struct chorale_net *net, const double *value);

/* The regime of that many bytes. */
int chorale_net_regime(const struct chorale_net_regimes *r, double bytes);

/* Where the ranks are. */
enum chorale_net_place {
    CHORALE_NET_BLOCK,       /* rank / ppn */
    CHORALE_NET_CYCLIC       /* rank % nodes */
};

/* What all ranks do in one call, written down once and played often. */
struct chorale_score;

/* Write down alg at pt (root pt->root); nodes hold ppn ranks. NULL, and *why,
 * if there is no schedule: see chorale_schedule_walk. */
struct chorale_score *chorale_score_new(const struct chorale_alg *alg,
                                        const struct chorale_point *pt,
                                        int ppn, enum chorale_net_place place,
                                        const char **why);
void chorale_score_free(struct chorale_score *score);

/* How many notes (ends of messages, waits, reductions) it has. */
size_t chorale_score_notes(const struct chorale_score *score);

/* Play. column: [chorale_net_columns()] of the critical path, or NULL.
 * Returns seconds; NAN if there is no memory, or messages share ports in so
 * many ways that it would take too long. */
double chorale_score_play(struct chorale_score *score,
                          const struct chorale_net *net, double *column);

#endif
