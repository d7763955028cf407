/* SPDX-License-Identifier: BSD-3-Clause */
/* copies.c - packing, unpacking and copying between all pairs of layouts. */
#include "tests/mpi/problem.h"

enum { UNITS = 52 };

/* Elements too large for one MPI_Pack, in builds with a low limit on counts.
 * Not in simulation: SimGrid 3.32 does not pack contiguous runs of them. */
#ifndef CHORALE_SIM
static void check_large_elements(struct stage *st)
{
    const struct layout *gap = &st->fix->layout[GAP];
    struct buffer from, to;
    char bytes[UNITS * 2 * sizeof(int)];
    MPI_Datatype four;
    long offset;

    MPI_Type_contiguous(4, gap->type, &four);
    MPI_Type_commit(&four);
    buffer_init(&from, gap, UNITS, st->ctx->rank, 0);
    buffer_init(&to, gap, UNITS, st->ctx->rank, 1);
    buffer_fill(&from, 0, UNITS, 1, 2, IS | WANT);
    buffer_fill(&to, 0, UNITS, 1, 2, WANT);
    if (chorale_pack(st->ctx, from.base, UNITS / 4, four, bytes) !=
            MPI_SUCCESS ||
        chorale_unpack(st->ctx, bytes, to.base, UNITS / 4, four) !=
            MPI_SUCCESS ||
        buffer_wrong(&from, &offset) || buffer_wrong(&to, &offset))
        stage_fail(st, "large elements");
    buffer_release(&from);
    buffer_release(&to);
    MPI_Type_free(&four);
}
#else
static void check_large_elements(struct stage *st)
{
    (void)st;
}
#endif

/* Pack, copy and unpack between all pairs of layouts. */
void check_copies(struct stage *st)
{
    for (int i = 0; i < NMOVE; i++)
        for (int j = 0; j < NMOVE; j++) {
            const struct layout *l[2] = { &st->fix->layout[i],
                                          &st->fix->layout[j] };
            struct buffer from, to;
            long offset;

            buffer_init(&from, l[0], UNITS, st->ctx->rank, 0);
            buffer_init(&to, l[1], UNITS, st->ctx->rank, 1);
            buffer_fill(&from, 0, UNITS, 1, 2, IS | WANT);
            buffer_fill(&to, 0, UNITS, 1, 2, WANT);
            if (chorale_copy(st->ctx, from.base, UNITS * l[0]->per_unit,
                             l[0]->type, to.base, UNITS * l[1]->per_unit,
                             l[1]->type) != MPI_SUCCESS ||
                buffer_wrong(&from, &offset) || buffer_wrong(&to, &offset))
                stage_fail(st, "from %s to %s", l[0]->name, l[1]->name);
            buffer_release(&from);
            buffer_release(&to);
        }
    if (!chorale_type_is_packed(MPI_INT) ||
        !chorale_type_is_packed(st->fix->layout[DUP].type) ||
        chorale_type_is_packed(st->fix->layout[GAP].type) ||
        chorale_type_is_packed(st->fix->layout[LOW].type) ||
        chorale_type_is_packed(MPI_SHORT_INT) !=
            ((size_t)chorale_type_extent(MPI_SHORT_INT) ==
             chorale_type_size(MPI_SHORT_INT)))
        stage_fail(st, "chorale_type_is_packed is wrong");
    check_large_elements(st);
}
