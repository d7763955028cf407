/* SPDX-License-Identifier: BSD-3-Clause */
/* memcpy_speed.c - time per byte of a copy in memory, on all ranks at once. It
 * distinguishes a slower machine from slower code
 * (tuner/compare/compare_cells.c), since no MPI library is involved. */
#include "runners/measure/runner.h"

#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)4 << 20) /* more than most ranks' share of the caches */
#define TIMES 9              /* the shortest counts: other load delays some */

#ifndef CHORALE_SIM
/* Seconds of the fastest copy; 0: the clock took no step. */
static double quickest(const struct chorale_bench *bench, char *to,
                       const char *from)
{
    double best = 0;

    for (int i = 0; i < TIMES; i++) {
        double start = chorale_now_common(bench), took;

        memcpy(to, from, BYTES);
        __asm__ volatile("" : : "r"(to) : "memory"); /* keep the copy */
        took = chorale_now_common(bench) - start;
        if (took > 0 && (best <= 0 || took < best))
            best = took;
    }
    return best;
}
#endif

int chorale_copying_measure(struct chorale_bench *bench)
{
    double took = 0;
    int rc = MPI_SUCCESS;

#ifndef CHORALE_SIM
    char *from = malloc(BYTES), *to = malloc(BYTES);
    int lacks = from == NULL || to == NULL;

    rc = chorale_p2p_max(bench, &lacks);
    if (rc == MPI_SUCCESS && !lacks) {
        memset(from, 1, BYTES);
        memset(to, 0, BYTES);
        rc = chorale_p2p_barrier(bench->sync);
        took = quickest(bench, to, from);
        bench->copy_own = took / (double)BYTES;
        if (rc == MPI_SUCCESS)
            rc = chorale_p2p_allreduce(bench, &took, 1, 0);
    }
    free(from);
    free(to);
#endif
    bench->copy_beta = took / (double)BYTES;
    return rc;
}
