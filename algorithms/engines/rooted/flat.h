/* SPDX-License-Identifier: BSD-3-Clause */
/* flat.h - one rank, the root, and all others: each brings, or gets, its
 * block directly. Behind the linear gathers and scatters and their
 * v-variants. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_FLAT_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_FLAT_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

#include <limits.h>

/* The parameter max_reqs, for use in a descriptor, and how many messages may
 * be in flight then. what: "sends", "receives". */
enum { CHORALE_NMAX_REQS = 7 };
extern const long chorale_max_reqs[CHORALE_NMAX_REQS];

#define CHORALE_PARAM_MAX_REQS(what)                                         \
    {                                                                        \
        .name = "max_reqs", .unit = what " in flight, 0: no limit",          \
        .def = 0, .min = 0, .max = INT_MAX, .candidate = chorale_max_reqs,   \
        .ncandidate = CHORALE_NMAX_REQS                                      \
    }

#define CHORALE_PARAM_SEND_REQS                                              \
    {                                                                        \
        .name = "max_reqs", .unit = "every so many-th send blocks, 0: none", \
        .def = 0, .min = 0, .max = INT_MAX, .candidate = chorale_max_reqs,   \
        .ncandidate = CHORALE_NMAX_REQS                                      \
    }

/* run() of a rooted variant: root_side() at the root, other_side() at all
 * other ranks, between mark and release of scratch. Returns what they do. */
typedef int chorale_side(const struct chorale_call *call);
int chorale_run_sides(const struct chorale_call *call,
                      chorale_side *root_side, chorale_side *other_side);

int chorale_flat_batch(long max_reqs, int comm_size);

/* For max_reqs: blocking messages, one after the other. */
enum { CHORALE_IN_TURN = -1 };

/* The whole collective. The root deals with the ranks in their order from its
 * own on. Gathers: with at most max_reqs receives in flight (0 or 1: all of
 * them); it waits for all after every max_reqs-th and at the end. Scatters:
 * every max_reqs-th send is a blocking one (0 or 1: none), and it waits for
 * the others at the end only. v-variants send no empty blocks, as both ends
 * know them. Return an MPI error code. */
int chorale_flat_gather(const struct chorale_call *call, long max_reqs);
int chorale_flat_gatherv(const struct chorale_call *call, long max_reqs);
int chorale_flat_scatter(const struct chorale_call *call, long max_reqs);
int chorale_flat_scatterv(const struct chorale_call *call, long max_reqs);

/* The root's own block of gatherv into its place; of scatterv out of it.
 * Nothing with MPI_IN_PLACE. */
int chorale_gatherv_own(const struct chorale_call *call);
int chorale_scatterv_own(const struct chorale_call *call);

/* The v-variants' cost: exact with the blocks of chorale_ramp(). That of the
 * regular ones is chorale_cost_in_turn(). */
int chorale_cost_flat_v(const struct chorale_point *pt,
                        struct chorale_term *term);

/* Scratch for the requests of gathers, of scatters; max_reqs is parameter
 * 0. */
size_t chorale_scratch_flat_receives(const struct chorale_point *pt);
size_t chorale_scratch_flat_sends(const struct chorale_point *pt);

/* The blocks of chorale_ramp() at pt: bytes of all of them, and in *nonempty
 * (unless NULL) how many have any. */
double chorale_ramp_total(const struct chorale_point *pt, double *nonempty);


#endif
