/* SPDX-License-Identifier: BSD-3-Clause */
/* flat.h - flat gathers and scatters: every rank exchanges data with the root.
 *
 * Used by the linear gathers and scatters and their v-variants. */
#ifndef CHORALE_ALGORITHMS_ENGINES_ROOTED_FLAT_H
#define CHORALE_ALGORITHMS_ENGINES_ROOTED_FLAT_H

#include "algorithms/alg.h"
#include "algorithms/blocks.h"
#include "algorithms/context.h"

#include <limits.h>

/* The parameter max_reqs, for use in a descriptor. what: "sends",
 * "receives". */
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

/* run() of a rooted variant: calls root_side() at the root and other_side() on
 * the other ranks, bracketed by mark and release of scratch. Returns their
 * result. */
typedef int chorale_side(const struct chorale_call *call);
int chorale_run_sides(const struct chorale_call *call,
                      chorale_side *root_side, chorale_side *other_side);

/* Most messages in flight for a value of max_reqs. */
int chorale_flat_batch(long max_reqs, int comm_size);

/* Value for max_reqs: blocking messages, one after the other. */
enum { CHORALE_IN_TURN = -1 };

/* The whole collective. The root serves the ranks in order, starting after
 * itself. Gathers have at most max_reqs receives in flight (0 or 1: no limit);
 * the root waits for all after every max_reqs-th and at the end. Scatters block
 * in every max_reqs-th send (0 or 1: never), and the root waits for the others
 * at the end only. v-variants do not send empty blocks, because both ends know
 * the sizes. Return an MPI error code. */
int chorale_flat_gather(const struct chorale_call *call, long max_reqs);
int chorale_flat_gatherv(const struct chorale_call *call, long max_reqs);
int chorale_flat_scatter(const struct chorale_call *call, long max_reqs);
int chorale_flat_scatterv(const struct chorale_call *call, long max_reqs);

/* Copy the root's own block of gatherv into its place, or of scatterv from its
 * place; no effect with MPI_IN_PLACE. */
int chorale_gatherv_own(const struct chorale_call *call);
int chorale_scatterv_own(const struct chorale_call *call);

/* Cost of the v-variants, exact for the blocks of chorale_ramp(). Regular
 * variants use chorale_cost_in_turn(). */
int chorale_cost_flat_v(const struct chorale_point *pt,
                        struct chorale_term *term);

/* Bytes of scratch for the requests of gathers, and of scatters; max_reqs is
 * parameter 0. */
size_t chorale_scratch_flat_receives(const struct chorale_point *pt);
size_t chorale_scratch_flat_sends(const struct chorale_point *pt);

/* Total bytes of the blocks of chorale_ramp() at pt; *nonempty, unless NULL, is
 * the number of non-empty blocks. */
double chorale_ramp_total(const struct chorale_point *pt, double *nonempty);


#endif
