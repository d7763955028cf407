/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h - a parametrised network and the time of a schedule on it.
 *
 * A message uses the innermost level that contains both ranks. Each level has
 * size regimes, each with an alpha and a beta. Concurrent messages share the
 * ports of their ranks by max-min fairness; between nodes they also share the
 * ports of the nodes and the links of their route (topology.h). Latencies
 * overlap: k messages of n bytes take alpha + (k - 1) gap + k beta n on a port.
 *
 * Port models:
 *   overlapped (eager): the sender is busy for send_overhead only. The message
 *     travels whether or not the receiver waits. The receiver spends
 *     recv_overhead on arrival.
 *   one port (rendezvous): the message starts when both ends are posted, and
 *     the sender waits until it has arrived. So does a synchronous send,
 *     without overheads, of a size that is overlapped otherwise.
 * In both, a single message of n bytes takes alpha + beta n from end to end:
 * alpha includes overheads and gap.
 *
 * Messages inside a node can instead be copies by its ranks (copied_upto). They
 * keep the processor of the copying rank busy, and use no ports:
 *   copied twice (through a buffer of the library): the sender spends
 *     send_overhead and half of beta n, then continues. The receiver spends
 *     recv_overhead and half of beta n in its next wait, for any message.
 *   copied once (by the kernel): when both ends are posted, the receiver spends
 *     alpha + beta n while it waits. The sender waits until then.
 * To post a receive takes gap. Fresh bytes (schedule/event_log.h) of messages
 * copied once count as cold bytes.
 *
 * Times are kept as linear combinations of the parameters. While the order of
 * events does not change, seconds = sum of column * value.
 */
#ifndef CHORALE_TUNER_MODEL_NETWORK_H
#define CHORALE_TUNER_MODEL_NETWORK_H

#include <stddef.h>

#include "algorithms/alg.h"
#include "tuner/model/topology.h"

#define CHORALE_NET_LEVELS 4
#define CHORALE_NET_REGIMES 32
#define CHORALE_NET_PARTS 6 /* send_overhead, recv_overhead, gap, copy, cold,
                             * local */
#define CHORALE_NET_DELAYS 3 /* the first of these, which alpha includes */
#define CHORALE_NET_PER 3   /* columns of a regime: alpha, beta, cold */
#define CHORALE_NET_COLUMNS                                                  \
    (CHORALE_NET_PER * CHORALE_NET_LEVELS * CHORALE_NET_REGIMES +            \
     CHORALE_NET_PARTS + CHORALE_NET_REGIMES)

/* From this block size on [bytes], calls on real machines are measured and
 * predicted with buffers that are not in the caches, since long buffers of
 * applications seldom are. */
#define CHORALE_NET_COLD_FROM 65536

/* Regime i holds the sizes upto[i - 1] < bytes <= upto[i]; the last upto is
 * HUGE_VAL. */
struct chorale_net_regimes {
    int n;
    double upto[CHORALE_NET_REGIMES];
    double alpha[CHORALE_NET_REGIMES]; /* s per message; unused for tau */
    double beta[CHORALE_NET_REGIMES];  /* s per byte */
    double cold[CHORALE_NET_REGIMES];  /* s per cold byte; unused for tau */
};

struct chorale_net_level {
    const char *name;        /* "node", "net", or "all" */
    int width;               /* consecutive ranks per group; 0: those of a
                              * node; -1: all */
    struct chorale_net_regimes regime;
};

struct chorale_net {
    int nlevel;              /* innermost first; the last has width -1 */
    struct chorale_net_level level[CHORALE_NET_LEVELS];
    double overlap_upto;     /* messages up to this size [bytes] are overlapped;
                              * -1: none (one port); HUGE_VAL: all */
    double send_overhead, recv_overhead; /* s, of overlapped messages */
    double gap;              /* s per message that its ports are busy, for any
                              * size */
    int memory;              /* 0: copies and cold bytes take no time, as if
                              * operations in memory were not measured */
    double copy;             /* s per byte that a rank copies in its memory */
    double cold;             /* s per cold byte of copies and reductions */
    double local;            /* s that a rank spends on the copies between two
                              * events, or on a reduction, of any size */
    double ports;            /* bandwidth of a node's port for sending, and for
                              * receiving, in units of one rank's: >= 1 */
    int inner_shared;        /* messages inside a node share its ports too */
    double copied_upto;      /* > 0: the ranks of a node copy the messages
                              * inside it, those up to this size [bytes] twice,
                              * longer ones once. 0: these messages use ports */
    struct chorale_net_regimes tau; /* beta: s per reduced byte, by the size of
                                     * one reduction */
    struct chorale_wiring wiring;   /* links shared by messages between nodes;
                                     * each further link delays a message by
                                     * wiring.hop times alpha */
};

/* Number of columns: alpha, beta and cold for each level and regime;
 * send_overhead, recv_overhead, gap, copy, cold, local; one tau for each
 * regime. */
int chorale_net_columns(const struct chorale_net *net);
/* Index of send_overhead, of the first tau, and of alpha of a level's
 * regime. */
int chorale_net_column_parts(const struct chorale_net *net);
int chorale_net_column_tau(const struct chorale_net *net);
int chorale_net_column(const struct chorale_net *net, int level, int regime);
void chorale_net_get(const struct chorale_net *net, double *value);
void chorale_net_set(struct chorale_net *net, const double *value);

/* The regime of a size in bytes. */
int chorale_net_regime(const struct chorale_net_regimes *r, double bytes);

/* Placement of ranks on nodes. */
enum chorale_net_place {
    CHORALE_NET_BLOCK,       /* node = rank / ppn */
    CHORALE_NET_CYCLIC       /* node = rank % nodes */
};

/* A recorded schedule: the events of all ranks in one call. It is recorded once
 * and replayed often. */
struct chorale_score;

/* Record alg at pt (root pt->root) with ppn ranks per node. cold: the call's
 * buffers are not in the caches, so that first accesses to them are cold bytes
 * (schedule/first_touch.h). Returns NULL, and the reason in *why, if
 * chorale_schedule_walk() gives no schedule. */
struct chorale_score *chorale_recording_new(const struct chorale_alg *alg,
                                            const struct chorale_point *pt,
                                            int ppn,
                                            enum chorale_net_place place,
                                            int cold, const char **why);
void chorale_recording_free(struct chorale_score *score);

/* Estimate, before recording, the events for the roots of a policy: those of
 * the critical path, times the number of ranks. */
double chorale_recording_estimate(const struct chorale_alg *alg,
                                  const struct chorale_point *pt);

/* Number of recorded events: ends of messages, waits, reductions. */
size_t chorale_recording_events(const struct chorale_score *score);

/* Number of steps that its replays took so far to share ports among concurrent
 * messages: up to hundreds for an event. */
double chorale_recording_shared(const struct chorale_score *score);

/* Replay. column: [chorale_net_columns()] coefficients of the critical path, or
 * NULL. Returns seconds; NAN if out of memory or if port sharing exceeds the
 * work limit. */
double chorale_recording_replay(struct chorale_score *score,
                                const struct chorale_net *net, double *column);

/* The same if rank r enters the call late[r] seconds after the first one. The
 * result counts from the first one, to the end of the last rank. */
double chorale_recording_replay_late(struct chorale_score *score,
                                     const struct chorale_net *net,
                                     const double *late);

#endif
