/* SPDX-License-Identifier: BSD-3-Clause */
/* combine.c - gathers by reduction: bitwise OR of bytes to a root. */
#include "algorithms/engines/reduction/combine.h"

#include "algorithms/catalogue.h"
#include "algorithms/engines/library.h"
#include "algorithms/engines/part.h"

/* NULL: the MPI library's reduce. */
static const struct chorale_alg *const part[CHORALE_COMBINE_BASES] = {
    &chorale_reduce_binomial,
    &chorale_reduce_rabenseifner,
    &chorale_reduce_pipeline,
    NULL,
};
const char *const chorale_combine_word[] = { "binomial", "rabenseifner",
                                             "pipeline", "library" };
const long chorale_combine_base[] = { 0, 1, 2, 3 };

int chorale_combine(const struct chorale_call *call, long base,
                    const void *sendbuf, void *recvbuf, size_t bytes)
{
    struct chorale_call own = {
        .ctx = call->ctx,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .recvcount = (MPI_Count)bytes,
        .recvtype = MPI_BYTE,
        .op = MPI_BOR,
        .commutative = 1,
        .root = call->root,
    };

    if (part[base] != NULL)
        return chorale_part_run(part[base], &own);
    return chorale_library_reduce(own.ctx, sendbuf, recvbuf, own.recvcount,
                                  MPI_BYTE, MPI_BOR, own.root);
}

int chorale_combine_cost(const struct chorale_point *pt, long base,
                         size_t bytes, struct chorale_term *term)
{
    return chorale_part_or_cost(part[base], part[0], pt, bytes, term);
}

size_t chorale_combine_scratch(const struct chorale_point *pt, long base,
                               size_t bytes)
{
    return chorale_part_or_scratch(part[base], pt, bytes);
}
