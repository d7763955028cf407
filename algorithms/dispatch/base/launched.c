/* SPDX-License-Identifier: BSD-3-Clause */
/* launched.c - reads the variables of the launchers of Open MPI, MPICH and
 * Slurm. */
#include "config.h"

#include <stdlib.h>

#include "algorithms/dispatch/base/launched.h"

/* The value of an environment variable; -1: unset or not a number. */
static long number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long value = text != NULL ? strtol(text, &end, 10) : -1;

    return text != NULL && *text != '\0' && *end == '\0' ? value : -1;
}

long chorale_launched_rank(void)
{
    static const char *const name[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                                        "PMIX_RANK", "SLURM_PROCID" };
    long rank = -1;

    for (size_t i = 0; rank < 0 && i < sizeof(name) / sizeof(name[0]); i++)
        rank = number(name[i]);
    return rank;
}

long chorale_launched_ranks(int size)
{
    static const char *const name[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                        "SLURM_STEP_NUM_TASKS" };
    long first = -1;

    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        const long value = number(name[i]);

        if (value == size)
            return size;
        if (first < 0)
            first = value;
    }
    return first > 0 ? first : size;
}
