/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_state.h - the dispatcher's state of one communicator, and the agreement
 * by which its ranks create it. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_COMM_STATE_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_COMM_STATE_H

#include "algorithms/context.h"
#include "algorithms/dispatch/comm/fast_path.h"
#include "algorithms/dispatch/comm/scratch_pool.h"
#include "algorithms/dispatch/table/table_config.h"

/* The last choice of one collective. */
struct chorale_memo {
    int always;                 /* valid for all arguments with this in_place */
    size_t n, type_size;        /* the last point that was looked up */
    int in_place;
    struct chorale_chosen last; /* and the choice there */
};

/* Summary of one rank's call, compared with CHORALE_CHECK=1 (check_args.h). */
struct chorale_check_record {
    int coll, root, op;      /* op: 0 unset, 1 user-defined */
    int pad;
    long long sends, takes;  /* bytes of a block; -1: not significant here, -2:
                              * invalid */
    unsigned long long counts; /* digest of all counts, where every rank passes
                                * all of them */
    char type[40];           /* its only basic type; "" if unknown */
};

struct chorale_state {
    struct chorale_state *before, *after; /* list of this process's states, in
                                           * order of creation */
    int listed;              /* it is in that list */
    const struct chorale_tuning *tuning;
    MPI_Comm parent;         /* the application's communicator */
    struct chorale_ctx *ctx; /* holds the private communicator */
    int truncated;           /* ctx->truncated points here (context.h) */
    MPI_Comm comm;           /* the private communicator */
    int unfinished;          /* a variant failed on this rank: messages to it
                              * may wait in the library for ever */
    struct chorale_reserve *reserve; /* ctx->reserve: scratch_pool.h */
    struct chorale_share share; /* share of the process's scratch memory */
    int rank, size;
    unsigned pass;           /* bit per collective: left to the library for all
                              * arguments */
    enum chorale_shape shape;
    int ppn;                 /* ranks per node if the shape is block; else 0 */
    struct chorale_cache recall; /* cache of resolved calls */
    struct chorale_memo memo[CHORALE_NCOLL];
    unsigned char *seen;     /* choices printed; NULL unless verbose */
    struct chorale_check_record *check; /* [size + 1]; */
    long long *check_bytes;  /* [2][size]: buffers of chorale_check_call(); both
                              * NULL without CHORALE_CHECK */
    int64_t *room;           /* [4][size]: a call's int arrays, widened; NULL
                              * if not needed */
};

/* Make comm the current communicator of this thread (fast_path.h). st NULL:
 * comm is left to the library. */
void chorale_last_comm_set(MPI_Comm comm, unsigned long long epoch,
                           struct chorale_state *st) CHORALE_HIDDEN;

/* GPUs. Variants access buffers with the processor. If any rank of a
 * communicator has a GPU runtime loaded, all its ranks leave the communicator
 * to the library. One rank cannot do so alone, as the others would wait for
 * its messages.
 *
 * Ranks can agree on this only when a communicator is set up. A runtime that
 * is loaded later is noticed at the next set-up, by all ranks of that
 * communicator. If these are all ranks of MPI_COMM_WORLD, and the thread level
 * is below MPI_THREAD_MULTIPLE, all earlier communicators are left to the
 * library in the same call. Until then buffers on earlier communicators must
 * be host buffers.
 *
 * A program that loads a runtime late has three ways:
 * - duplicate MPI_COMM_WORLD after loading, and call collectives on the
 *   duplicate until it is set up;
 * - load the runtime before the first set-up;
 * - delay the first set-up by CHORALE_AFTER.
 *
 * None of this is checked in calls on a communicator that is set up. */

/* Compare tables, catalogue and settings of all ranks of comm and make the
 * private communicator. Collective over comm.
 *
 * Returns a state on all ranks, or NULL on all ranks: comm is then left to the
 * library for good.
 * why    out: the reason, a static string; NULL if there is nothing to print,
 *        and on all ranks but the first of comm in MPI_COMM_WORLD's order
 * gpu_p  out: 1 if comm has all ranks of MPI_COMM_WORLD and one of them has a
 *        GPU runtime loaded */
struct chorale_state *chorale_state_new(const struct chorale_tuning *tuning,
                                        MPI_Comm comm, const char **why,
                                        int *gpu_p);

/* Number of states of this process now, and the largest number so far. */
int chorale_state_count(void);
int chorale_state_peak(void);

/* The application has made or freed one communicator. */
void chorale_context_made(void);
void chorale_context_freed(void);

/* Number of communicators of this rank, the application's and private ones.
 * Communicators of a program linked with libchorale are not counted. */
int chorale_context_count(void);

/* If all ranks have fewer, one more can be made: an eighth of the library's
 * contexts. A new context must be free on all ranks, so more may be in use than
 * any one rank has taken. */
#ifdef OPEN_MPI
enum { CHORALE_CONTEXT_FAR = 8192 };
#else
enum { CHORALE_CONTEXT_FAR = 256 }; /* MPICH has the fewest of all libraries */
#endif

/* Free the state and its private communicator. NULL is ignored. */
void chorale_state_free(struct chorale_state *st);

/* The application's communicator of the newest state; MPI_COMM_NULL without
 * states. Used at the end of the process to free them in the same order on all
 * ranks. */
MPI_Comm chorale_state_newest(void);

/* 1 if all ranks of group are in this process's MPI_COMM_WORLD. */
int chorale_group_in_world(MPI_Group group);

/* For all states, the newest first, call leave with the application's
 * communicator; leave frees the state. If group is not MPI_GROUP_NULL, only
 * for states whose ranks are all in group. Other threads must not create or
 * free states meanwhile. Returns the number of states freed. */
int chorale_state_free_all(MPI_Group group, void (*leave)(MPI_Comm comm));

#endif
