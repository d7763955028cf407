/* SPDX-License-Identifier: BSD-3-Clause */
/* event_log.h - how a schedule is kept, for the files that write, play and read
 * it. A note is a message's end at one rank, a wait or a reduction. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_EVENT_LOG_H
#define CHORALE_ALGORITHMS_SCHEDULE_EVENT_LOG_H

#include <stddef.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"

enum what { SEND, RECV, WAIT, REDUCE };

/* Moments are counted from 1; 0 is the common start. */
struct note {
    enum what what;
    int peer;       /* SEND, RECV: a rank. WAIT: the note it waits for */
    size_t bytes;
    int next;       /* RECV, SEND: the next of the same pair, or -1 */
    double posted;
    int posted_by;  /* the moment that posting waited for */
    double end;     /* of the message, once it is known */
    int moment;     /* of its end; 0: not known yet */
};

struct trace {
    struct note *note;
    int n, room;
    int at;         /* when played: the next note */
    double time;
    int moment;     /* that the rank's time comes from */
    double port[2]; /* until when its ports are busy: out, in */
    int port_by[2];
    int peers;      /* when played: ranks that it has sent to */
    long long copied; /* bytes, inside its memory */
};

/* A moment on some path: what it took, and which moment it follows. */
struct moment {
    int before;
    enum what what;
    size_t bytes;
};

struct chorale_schedule {
    int size;
    struct trace *trace;
    struct chorale_stat *stat;
    int opaque;
    struct chorale_told *told; /* size_exchange.h; NULL: nothing is */
    double alpha, beta, tau;
    int links; /* a port to each other rank, not one in all */
    struct moment *moment; /* filled by chorale_schedule_play() */
    int nmoment;
    int overlaps;
};

/* Records the calls of a context in ctx->schedule. */
extern const struct chorale_recorder chorale_event_recorder;

/* Write down what each rank does in one call of alg at pt, of a schedule that
 * is zeroed; s->opaque: the library does a part. *scratch rises to the bytes
 * of the rank that holds most. Returns 0, or -1 if the variant fails or there
 * is no memory; in any case there is something to release. */
int chorale_schedule_write(struct chorale_schedule *s,
                           const struct chorale_alg *alg,
                           const struct chorale_point *pt, size_t *scratch);
void chorale_schedule_release(struct chorale_schedule *s);

/* Play the notes of all ranks on a full-duplex network with one port a rank,
 * or one a link: sets each rank's time, moment and peers, the moments,
 * overlaps. Returns 0, or -1 if messages
 * do not match or there is no memory. */
int chorale_schedule_play(struct chorale_schedule *s);

#endif
