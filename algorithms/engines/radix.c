/* SPDX-License-Identifier: BSD-3-Clause */
/* radix.c - folding to a power of k ranks. */
#include "algorithms/engines/radix.h"

#include <stddef.h>

const long chorale_bruck_radix[CHORALE_NBASE] = { 2, 3, 4, 5, 6, 8, 16 };

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

void chorale_fold_init(struct chorale_fold *fold, int rank, int p, int k)
{
    int core = chorale_power_below(p, k, NULL);
    int each = p / core, longer = p % core;
    int edge = longer * (each + 1); /* ranks in the longer runs */
    int in_longer = rank < edge;
    int length = in_longer ? each + 1 : each;
    int run = in_longer ? rank / length : (rank - edge) / length;

    fold->core = core;
    fold->most = each - (longer == 0);
    fold->first = (in_longer ? 0 : edge) + run * length;
    fold->keeper = fold->first + length - 1;
    fold->place = (in_longer ? 0 : longer) + run;
    if (rank != fold->keeper)
        fold->place = -1;
}

int chorale_fold_rank(int place, int p, int k)
{
    int core = chorale_power_below(p, k, NULL);
    int each = p / core, longer = p % core;

    return (place + 1) * each + (place < longer ? place + 1 : longer) - 1;
}
