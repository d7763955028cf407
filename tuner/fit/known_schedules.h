/* SPDX-License-Identifier: BSD-3-Clause */
/* known_schedules.h - which algorithms of MPI libraries and of other programs
 * send the same messages as a variant of the catalogue. */
#ifndef CHORALE_TUNER_FIT_KNOWN_SCHEDULES_H
#define CHORALE_TUNER_FIT_KNOWN_SCHEDULES_H

#include "tuner/model/observations.h"

/* A variant of the catalogue. Its collective may be the regular one of the
 * run's: imported times of allgatherv, alltoallv and reduce_scatter are those
 * of equal blocks. */
struct chorale_known_schedule {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM]; /* in the descriptor's order */
};

/* Set *known to the variant whose schedule run's algorithm has for that size
 * and process count. Native algorithms are those of the library with the
 * parameters that it uses if an algorithm is forced, so trees are not
 * segmented. A library may replace an algorithm where it has fewer elements
 * than ranks. Returns 0, or -1: no known schedule.
 * Source  Open MPI 4.1 to 5, ompi/mca/coll/base and tuned; MPICH 4, src/mpi/coll;
 *         names of the algorithms: tuner/exchange/algorithm_names.h. */
int chorale_known_schedule(const struct chorale_run_point *run,
                           struct chorale_known_schedule *known);

#endif
