/* SPDX-License-Identifier: BSD-3-Clause */
/* event_log.h - events of a recorded schedule.
 *
 * An event (struct note) is one end of a message at one rank, a wait, or a
 * reduction. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_EVENT_LOG_H
#define CHORALE_ALGORITHMS_SCHEDULE_EVENT_LOG_H

#include <stddef.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "algorithms/schedule/first_touch.h"

enum what { SEND, RECV, WAIT, REDUCE };

struct note {
    enum what what;
    int peer;       /* SEND, RECV: a rank. WAIT: index of the event waited
                     * for */
    size_t bytes;
    size_t copied;  /* bytes copied in memory since the previous event */
    size_t cold;    /* bytes of the call's buffers, not of scratch, that the
                     * event accesses first at its rank (first_touch.h) */
    size_t cold_copied; /* the same for the copies in `copied` */
    const void *buf; /* SEND, RECV: its data, never dereferenced */
    size_t fresh;   /* SEND: bytes of its data that the rank writes during the
                     * call, before or after. If a receiver reads them from the
                     * sender's memory, each call moves them between caches */
    int message;    /* SEND, RECV: during replay, its message (replay.h) */
    int special;    /* SEND: 1 if it waits for its receiver (MPI_Issend). WAIT:
                     * 1 if for any one of several messages */
};

struct trace {
    struct note *note;
    int n, room;
    int at;         /* during replay: the next event */
    int peers;      /* during replay: number of ranks it has sent to */
    double time;    /* on the one-port network, and the moment that determined
                     * it */
    int moment;
    long long copied; /* bytes copied inside its memory */
    size_t trailing;  /* bytes copied since the last event */
    size_t cold_trailing; /* cold bytes of these copies */
    int copies;       /* during replay: events whose copies are replayed */
    struct chorale_touched touched; /* accesses to the call's buffers */
    struct chorale_touched written; /* bytes written, also of scratch */
};

/* A step of a path: its duration (from what and bytes) and the moment it
 * follows. Moments are numbered from 1; 0 is the common start. */
struct moment {
    int before;
    enum what what;
    size_t bytes;
};

struct chorale_schedule {
    int size;
    int first;      /* record only this many ranks, unless sizes are exchanged;
                     * 0: all */
    int from;       /* of these, skip the ranks below this one */
    struct trace *trace;
    size_t notes, sends; /* recorded events, and how many of them are SEND */
    struct chorale_stat *stat;
    int opaque;
    int lacks; /* 1: memory was exhausted while a copy was recorded */
    const char *mem; /* mem[mem_bytes]: addresses of the call's buffers, which
                      * are never dereferenced */
    size_t mem_bytes;
    struct chorale_mailbox *told; /* size_exchange.h; NULL: without data */
    double alpha, beta, tau;
    int links; /* 1: a port per link; 0: one port per rank */
    struct moment *moment; /* filled by chorale_schedule_play() */
    int nmoment;
    int overlaps;
};

/* Records the calls of a context in ctx->schedule. */
extern const struct chorale_recorder chorale_event_recorder;

/* Record the events of each rank in one call of alg at pt. s must be zeroed,
 * except first, from, and alpha, beta, tau and links, which are not used here;
 * s->opaque is set if the MPI library runs a part. *scratch is raised to the
 * scratch bytes of the busiest rank. Returns 0, or -1 if the variant fails or
 * memory is exhausted; call chorale_schedule_release() in either case. */
int chorale_schedule_write(struct chorale_schedule *s,
                           const struct chorale_alg *alg,
                           const struct chorale_point *pt, size_t *scratch);
void chorale_schedule_release(struct chorale_schedule *s);

/* Replay the events of all ranks once on a full-duplex network with one port
 * per rank, or one per link (one_port.c). Sets each rank's time, moment and
 * peers, and s->moment, s->nmoment and s->overlaps. Returns 0, or -1 if
 * messages do not match or memory is exhausted. */
int chorale_schedule_play(struct chorale_schedule *s);

#endif
