/* SPDX-License-Identifier: BSD-3-Clause */
/* replay.h - replays a recorded schedule on any network.
 *
 * Each rank advances through its events until it waits for a message. The ends
 * of messages are matched first in, first out for each pair of ranks, as MPI
 * does for one tag. When no rank can advance, the network processes its next
 * event. The network alone knows time. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_REPLAY_H
#define CHORALE_ALGORITHMS_SCHEDULE_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/schedule/event_log.h"

struct chorale_message {
    int src, dst;
    size_t bytes;            /* of the send; until it is posted, of the
                              * receive */
    int nend;                /* number of ends posted */
    int next;                /* next open message of the pair, or -1 */
    int queued;              /* 1 + position of its event in the queue; 0: no
                              * event */
};

/* The next event of a message. Equal times are ordered by order. */
struct chorale_event {
    double seconds;
    uint64_t order;
    int message;
};

/* A network. Messages are given by their index in chorale_replay.message;
 * state is the argument of chorale_replay_run(). */
struct chorale_replay_network {
    /* The rank posts the send (sends = 1) or receive of a message. The event is
     * number trace[rank].at. Returns 0, or -1 to stop the replay. */
    int (*post)(void *state, int rank, int message, int sends);
    /* Returns 1 if the rank's wait for its end of the message is over, 0 if the
     * rank must wait until chorale_replay_end(). */
    int (*waited)(void *state, int rank, int message, int sends);
    /* reduce: the rank reduces note->bytes. copy: it copies bytes inside its
     * memory; `cold` of them are read or written for the first time
     * (event_log.h). copy may be NULL. */
    void (*reduce)(void *state, int rank, const struct note *note);
    void (*copy)(void *state, int rank, size_t bytes, size_t cold);
    /* Process the first event, or several. Returns 0, or -1 to stop. */
    int (*step)(void *state);
};

struct chorale_replay {
    struct chorale_schedule *s;
    const struct chorale_replay_network *network;
    void *state;
    struct chorale_message *message; /* [s->sends] at most */
    int nmessage, nopen;     /* nopen: messages of which one end is posted */
    struct chorale_event *queue; /* heap: the first event is queue[0] */
    int nevent;
    struct chorale_pair *pair; /* open hash by (src, dst) */
    size_t npair;
    int *ready, nready;      /* ranks that may advance */
    unsigned char *is_ready;
};

/* Prepare a replay of s from its start. Returns 0, or -1 if memory is
 * exhausted; call chorale_replay_release() in either case. */
int chorale_replay_init(struct chorale_replay *r, struct chorale_schedule *s);
void chorale_replay_release(struct chorale_replay *r);

/* Replay all events; sets trace.peers. Returns 0, or -1 if the network stops,
 * sizes do not match, a rank waits for ever, or a message lacks one end. */
int chorale_replay_run(struct chorale_replay *r,
                       const struct chorale_replay_network *network,
                       void *state);

/* For networks: queue the event of a message, or move it; remove the first
 * event and return its message; end the waits for a message. */
void chorale_replay_queue(struct chorale_replay *r, int message,
                          double seconds, uint64_t order);
int chorale_replay_pop(struct chorale_replay *r);
void chorale_replay_end(struct chorale_replay *r, int message);

#endif
