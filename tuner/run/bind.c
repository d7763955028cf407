/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.c - decide whether the ranks of a launch are bound to cores. */
#include "config.h"

#include "tuner/run/bind.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/run/runner_query.h"

/* The fewest processors of a node of the job; INT_MAX outside a job, where srun
 * allocates what it needs. The variable is like "8(x2),4". */
static long slurm_processors(void)
{
    const char *at = getenv("SLURM_JOB_CPUS_PER_NODE");
    long least = INT_MAX;

    while (at != NULL && *at != '\0') {
        long n = strtol(at, NULL, 10);

        if (n > 0 && n < least)
            least = n;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return least;
}

int chorale_bind_wanted(const char *kind, int ppn,
                        char request[CHORALE_BIND_TEXT])
{
    struct chorale_errmsg msg;
    char text[64];
    long cores;

    if (strcmp(kind, "smpirun") == 0) {
        snprintf(request, CHORALE_BIND_TEXT, "none: simulated ranks");
        return 0;
    }
    if (strcmp(kind, "custom") == 0) {
        snprintf(request, CHORALE_BIND_TEXT,
                 "none: --launcher-cmd has its own options");
        return 0;
    }
    if (strcmp(kind, "srun") == 0)
        cores = slurm_processors();
    else if (chorale_runner_query("--cores", NULL, text, sizeof(text), &msg) ==
             CHORALE_OK)
        cores = strtol(text, NULL, 10);
    else
        cores = -1;
    if (cores < 0)
        snprintf(request, CHORALE_BIND_TEXT,
                 "none: the number of cores is unknown");
    else if (cores == 0)
        snprintf(request, CHORALE_BIND_TEXT, "none: chorale itself is bound "
                 "to some processors, as by taskset");
    else if (ppn > cores)
        snprintf(request, CHORALE_BIND_TEXT,
                 "none: %d ranks a node on %ld core%s", ppn, cores,
                 cores == 1 ? "" : "s");
    else
        snprintf(request, CHORALE_BIND_TEXT, "core");
    return cores == 0 ? -1 : strcmp(request, "core") == 0;
}
