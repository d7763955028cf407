/* SPDX-License-Identifier: BSD-3-Clause */
/* radix.c - see radix.h. */
#include "algorithms/radix.h"

#include <stddef.h>

int chorale_power_below(int p, int k, int *exponent)
{
    int power = 1, e = 0;

    while (power <= p / k) {
        power *= k;
        e++;
    }
    if (exponent != NULL)
        *exponent = e;
    return power;
}

/* Full runs of k members, and how many fold in the shorter one after them. */
static int full_runs(int p, int k, int core, int *rest)
{
    *rest = (p - core) % (k - 1);
    return (p - core) / (k - 1);
}

void chorale_fold_init(struct chorale_fold *fold, int rank, int p, int k)
{
    int core = chorale_power_below(p, k, NULL);
    int rest, full = full_runs(p, k, core, &rest);
    int run = rank / k < full ? rank / k : full;
    int length = run < full ? k : rest + 1;

    fold->core = core;
    fold->first = run * k;
    fold->keeper = fold->first + length - 1;
    fold->place = run;
    if (rank < fold->keeper) {
        fold->place = -1;
    } else if (rank > fold->keeper) {
        fold->place = rank - (p - core);
        fold->first = rank;
        fold->keeper = rank;
    }
}

int chorale_fold_rank(int place, int p, int k)
{
    int core = chorale_power_below(p, k, NULL);
    int rest, full = full_runs(p, k, core, &rest);

    return place < full ? place * k + k - 1 : place + (p - core);
}
