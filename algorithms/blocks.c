/* SPDX-License-Identifier: BSD-3-Clause */
/* blocks.c - views of a buffer as blocks. */
#include "algorithms/blocks.h"

#include "algorithms/context.h"

static struct chorale_blocks blocks(const void *buf, MPI_Datatype type, int n)
{
    /* chorale_at() drops const through an integer; buffers that are only read
     * stay unmodified. */
    struct chorale_blocks b = {
        .base = chorale_at(buf, 0, 0),
        .type = type,
        .extent = chorale_type_extent(type),
        .n = n,
    };

    return b;
}

struct chorale_blocks chorale_blocks_equal(const void *buf, MPI_Count count,
                                           MPI_Datatype type, int n)
{
    struct chorale_blocks b = blocks(buf, type, n);

    b.count = b.each = count;
    return b;
}

struct chorale_blocks chorale_blocks_given(const void *buf,
                                           const MPI_Count *counts,
                                           const MPI_Aint *displs,
                                           MPI_Datatype type, int n)
{
    struct chorale_blocks b = blocks(buf, type, n);

    b.counts = counts;
    b.displs = displs;
    return b;
}

struct chorale_blocks chorale_blocks_split(const void *buf, MPI_Count total,
                                           MPI_Datatype type, int n)
{
    struct chorale_blocks b = blocks(buf, type, n);

    b.count = total;
    b.split = 1;
    b.each = total / n;
    b.longer = (int)(total % n);
    return b;
}

struct chorale_blocks chorale_blocks_at(const struct chorale_blocks *b,
                                        const void *buf)
{
    struct chorale_blocks other = *b;

    other.base = chorale_at(buf, 0, 0);
    return other;
}

/* Elements before block i of equal or split blocks. */
static MPI_Count before(const struct chorale_blocks *b, int i)
{
    return b->each * i + (i < b->longer ? i : b->longer);
}

/* Elements before block i of given blocks. */
static MPI_Aint start_of(const struct chorale_blocks *b, int i)
{
    MPI_Aint start = 0;

    if (b->displs != NULL)
        return b->displs[i];
    for (int j = 0; j < i; j++)
        start += (MPI_Aint)b->counts[j];
    return start;
}

void *chorale_block(const struct chorale_blocks *b, int i, MPI_Count *count)
{
    if (b->counts == NULL) {
        *count = b->each + (i < b->longer);
        return chorale_at(b->base, b->extent, (MPI_Aint)before(b, i));
    }
    *count = b->counts[i];
    return chorale_at(b->base, b->extent, start_of(b, i));
}

void *chorale_block_range(const struct chorale_blocks *b, int first, int k,
                          MPI_Count *count)
{
    MPI_Aint start;

    if (b->counts == NULL) {
        MPI_Count at = before(b, first);

        *count = before(b, first + k) - at;
        return chorale_at(b->base, b->extent, (MPI_Aint)at);
    }
    *count = 0;
    if (k == 0)
        return b->base;
    start = start_of(b, first);
    *count = start_of(b, first + k - 1) - start + b->counts[first + k - 1];
    return chorale_at(b->base, b->extent, start);
}

MPI_Count chorale_blocks_total(const struct chorale_blocks *b)
{
    MPI_Count sum = 0;

    if (b->counts == NULL)
        return b->split ? b->count : b->count * b->n;
    for (int i = 0; i < b->n; i++)
        sum += b->counts[i];
    return sum;
}

MPI_Count chorale_blocks_largest(const struct chorale_blocks *b)
{
    MPI_Count most = 0;

    if (b->counts == NULL)
        return b->split ? (b->count + b->n - 1) / b->n : b->count;
    for (int i = 0; i < b->n; i++)
        most = b->counts[i] > most ? b->counts[i] : most;
    return most;
}
