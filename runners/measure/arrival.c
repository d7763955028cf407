/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.c - arrival patterns: how late each rank enters a collective.
 *
 * Source  Faraj, Patarasuk, Yuan, IJPP 36, 2008 (imbalance changes which
 *         algorithm wins); Proficz, J. Supercomputing 76, 2020. */
#include "runners/measure/point.h"

uint64_t chorale_random_next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

double chorale_arrival_delay(const struct chorale_bench *bench,
                             enum chorale_arrival arrival, double skew,
                             int round)
{
    uint64_t s = (uint64_t)bench->work.seed * 0x2545f4914f6cdd1du +
                 (uint64_t)round * 1000003u + (uint64_t)bench->rank;

    if (bench->size < 2)
        return 0;
    switch (arrival) {
    case CHORALE_ARRIVAL_SYNC:
        return 0;
    case CHORALE_ARRIVAL_FIRST:
        return bench->rank == 0 ? skew : 0;
    case CHORALE_ARRIVAL_LAST:
        return bench->rank == bench->size - 1 ? skew : 0;
    case CHORALE_ARRIVAL_RANDOM:
        chorale_random_next(&s);
        return skew * (double)(chorale_random_next(&s) >> 11) * 0x1p-53;
    case CHORALE_ARRIVAL_ASCENDING:
        return skew * bench->rank / (bench->size - 1);
    }
    return 0;
}
