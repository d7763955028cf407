/* SPDX-License-Identifier: BSD-3-Clause */
/* combine_all.c - bitwise OR of all ranks' bytes on all ranks. */
#include "algorithms/engines/reduction/combine_all.h"

#include "algorithms/catalogue.h"
#include "algorithms/engines/library.h"
#include "algorithms/engines/part.h"

/* NULL: the MPI library's allreduce. */
static const struct chorale_alg *const part[] = {
    &chorale_allreduce_recursive_doubling, &chorale_allreduce_rabenseifner,
    &chorale_allreduce_ring, &chorale_allreduce_circulant, NULL
};
const char *const chorale_combine_all_word[] = {
    "recursive_doubling", "rabenseifner", "ring", "circulant", "library"
};
const long chorale_combine_all_base[] = { 0, 1, 2, 3, 4 };

int chorale_combine_all(struct chorale_ctx *ctx, long base, void *bytes,
                        size_t n)
{
    struct chorale_call call = {
        .ctx = ctx,
        .sendbuf = MPI_IN_PLACE,
        .recvbuf = bytes,
        .recvcount = (MPI_Count)n,
        .recvtype = MPI_BYTE,
        .op = MPI_BOR,
        .commutative = 1,
    };

    if (part[base] != NULL)
        return chorale_part_run(part[base], &call);
    return chorale_library_allreduce(ctx, MPI_IN_PLACE, bytes, call.recvcount,
                                     MPI_BYTE, MPI_BOR);
}

int chorale_combine_all_cost(const struct chorale_point *pt, long base,
                             size_t n, struct chorale_term *term)
{
    return chorale_part_or_cost(part[base], part[0], pt, n, term);
}

size_t chorale_combine_all_scratch(const struct chorale_point *pt, long base,
                                   size_t n)
{
    return chorale_part_or_scratch(part[base], pt, n);
}
