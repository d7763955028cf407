/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_state.h - what the dispatcher keeps for one communicator, and how its
 * ranks agree to have it. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_COMM_STATE_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_COMM_STATE_H

#include "algorithms/context.h"
#include "algorithms/dispatch/comm/fast_path.h"
#include "algorithms/dispatch/comm/scratch_pool.h"
#include "algorithms/dispatch/table/table_config.h"

/* Of a collective. */
struct chorale_memo {
    int always;                 /* whatever the arguments but in_place */
    size_t n, type_size;        /* the last point that was judged, */
    int in_place;
    struct chorale_chosen last; /* and what was chosen there */
};

struct chorale_state {
    struct chorale_state *before, *after; /* of this process, as made */
    int listed;              /* it is one of those */
    const struct chorale_tuning *tuning;
    MPI_Comm parent;         /* the application's */
    struct chorale_ctx *ctx; /* on a communicator of our own */
    int truncated;           /* of ctx, in a call: context.h */
    MPI_Comm comm;           /* that one */
    struct chorale_reserve *reserve; /* of ctx: scratch_pool.h */
    struct chorale_share share; /* of the process's scratch */
    int rank, size;
    unsigned pass;           /* bit per collective: found to be the library's
                              * whatever the arguments */
    enum chorale_shape shape;
    int ppn;                 /* ranks a node in blocks; 0: no such placement */
    struct chorale_recall recall; /* of calls like those before */
    struct chorale_memo memo[CHORALE_NCOLL];
    unsigned char *seen;     /* choices told of; NULL unless verbose */
    struct chorale_check_record *check; /* [size + 1], and [2 size]: room of */
    long long *check_bytes;  /* chorale_check_call(); NULL without */
    int64_t *room;           /* [4][size]: a call's int arrays as wide ones;
                              * NULL if nothing needs it */
};

/* In this thread, for its next calls: comm has that state, NULL: it is the
 * library's (fast_path.h). */
void chorale_fast_keep(MPI_Comm comm, unsigned long long epoch,
                       struct chorale_state *st) CHORALE_HIDDEN;

/* GPUs. Variants read and write buffers with the processor, so a communicator
 * with a rank that has a GPU's runtime loaded is the library's, for all ranks:
 * one alone cannot stand aside, as the others would wait for it. Ranks can
 * agree on that only where they meet anyway. So a runtime that is loaded later
 * is noticed at the next set-up, by all ranks of that communicator; if these
 * are all of MPI_COMM_WORLD, and threads cannot call MPI at once, everything
 * that was set up before becomes the library's in the same call. Until then
 * what is set up goes on as it is, and buffers on it have to be the host's:
 * programs that load a runtime late either make a communicator of all ranks
 * after it (MPI_Comm_dup) and call collectives on it first, until it is set
 * up, or load it before the first set-up, or put that off (CHORALE_AFTER).
 * Nothing of this is looked at in a
 * call on a communicator that is set up. */

/* Collective over comm: compare tables, catalogue and settings, make the
 * private communicator. All ranks return a state, or all return NULL: then
 * comm is the library's for good, and *why tells why (static; NULL where there
 * is nothing to say, and on all but the rank that comes first in
 * MPI_COMM_WORLD). *gpu_p: comm has all ranks of MPI_COMM_WORLD, and each of
 * them knows now that one is beside a GPU's runtime. */
struct chorale_state *chorale_state_new(const struct chorale_tuning *tuning,
                                        MPI_Comm comm, const char **why,
                                        int *gpu_p);


/* How many states there are, and the most that there were at once. */
int chorale_state_held(void);
int chorale_state_most(void);

/* Free, with the private communicator. NULL does nothing. */
void chorale_state_free(struct chorale_state *st);

/* The application's communicator of the one that was made last; MPI_COMM_NULL
 * if there is none. For the end of the process, to free them all: in an order
 * that all ranks have alike. */
MPI_Comm chorale_state_last(void);

/* 1 if all of group belongs to the MPI_COMM_WORLD that this process started
 * in. */
int chorale_state_inside_world(MPI_Group group);

/* Call leave, which frees the state, with the application's communicator of
 * all states, the last one first, or (group not MPI_GROUP_NULL) of those whose
 * ranks are all in group. Not while other threads make or free any. Returns how
 * many they were. */
int chorale_state_leave(MPI_Group group, void (*leave)(MPI_Comm comm));

#endif
