/* SPDX-License-Identifier: BSD-3-Clause */
/* halves.c - allreduce by reduce-scatter and allgather.
 *
 * Part 0 is the largest, and rank 0 owns it. The longest path through the
 * reduce-scatter ends at rank 0, and that through the allgather starts there.
 * This makes the costs exact for every vector length. */
#include "algorithms/engines/reduction/halves.h"

#include "algorithms/tree.h"

static int scatter_half(const struct chorale_rs *rs, enum chorale_half way,
                        int k)
{
    if (way == CHORALE_WAY_RING)
        return chorale_rs_ring(rs);
    if (way == CHORALE_WAY_EXCHANGE)
        return chorale_rs_exchange(rs, k);
    if (way == CHORALE_WAY_DIRECT)
        return chorale_rs_direct(rs);
    return chorale_rs_circulant(rs);
}

static int gather_half(struct chorale_ctx *ctx,
                       const struct chorale_blocks *b, enum chorale_half way,
                       int k)
{
    switch (way) {
    case CHORALE_WAY_RING:
        return chorale_gather_all_ring(ctx, b);
    case CHORALE_WAY_EXCHANGE:
        if (k == 2)
            return chorale_gather_all_doubling(ctx, b);
        return chorale_gather_all_recexch_from(ctx, b, k, 0, 0);
    case CHORALE_WAY_CIRCULANT:
        return chorale_gather_all_circulant(ctx, b);
    case CHORALE_WAY_BRUCK:
        return chorale_gather_all_bruck(ctx, b, 2);
    case CHORALE_WAY_NEIGHBOR:
    case CHORALE_WAY_DIRECT:
        break;
    }
    return chorale_gather_all_neighbor(ctx, b);
}

int chorale_halves_run(const struct chorale_call *call, enum chorale_half rs,
                       int rs_k, enum chorale_half ag, int ag_k)
{
    struct chorale_ctx *ctx = call->ctx;
    int in_place = call->sendbuf == MPI_IN_PLACE, err;
    struct chorale_blocks acc = chorale_blocks_split(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct chorale_blocks own =
        chorale_blocks_at(&acc, in_place ? call->recvbuf : call->sendbuf);
    struct chorale_rs half = {
        .ctx = ctx,
        .own = &own,
        .acc = in_place ? &own : &acc,
        .op = call->op,
        .commutative = call->commutative,
    };

    err = scatter_half(&half, rs, rs_k);
    return err == MPI_SUCCESS && ctx->size > 1
               ? gather_half(ctx, &acc, ag, ag_k)
               : err;
}

size_t chorale_parts_most(const struct chorale_point *pt, int parts, int k)
{
    size_t unit = chorale_unit(pt);
    size_t offset, length;

    if (k < 1)
        return 0;
    chorale_split(pt->msg_size / unit, parts, k - 1, &offset, &length);
    return (offset + length) * unit;
}

/* Append a term: messages of the first w parts each. */
static int more(const struct chorale_point *pt, int parts, double messages,
                int w, int reduces, struct chorale_term *term, int n)
{
    double bytes = (double)chorale_parts_most(pt, parts, w);

    term[n] = (struct chorale_term){
        .messages = messages,
        .bytes = bytes,
        .reduced = reduces ? messages * bytes : 0,
    };
    return n + 1;
}

int chorale_half_cost(const struct chorale_point *pt, enum chorale_half way,
                      int k, int parts, int reduces,
                      struct chorale_term *term, int n)
{
    if (parts < 2)
        return n;
    switch (way) {
    case CHORALE_WAY_RING:
    case CHORALE_WAY_DIRECT:
        return more(pt, parts, parts - 1, 1, reduces, term, n);
    case CHORALE_WAY_EXCHANGE:
        for (long w = 1; w < parts; w *= k)
            n = more(pt, parts, k - 1, (int)w, reduces, term, n);
        return n;
    case CHORALE_WAY_CIRCULANT:
        for (int s = parts; s > 1; s -= s / 2)
            n = more(pt, parts, 1, s / 2, reduces, term, n);
        return n;
    case CHORALE_WAY_BRUCK:
        for (long w = 1; w < parts; w *= 2)
            n = more(pt, parts, 1, (int)(w < parts - w ? w : parts - w),
                     reduces, term, n);
        return n;
    case CHORALE_WAY_NEIGHBOR:
        n = more(pt, parts, 1, 1, reduces, term, n);
        return more(pt, parts, parts / 2 - 1, 2, reduces, term, n);
    }
    return n;
}

size_t chorale_halves_scratch(const struct chorale_point *pt,
                              enum chorale_half rs, int rs_k,
                              enum chorale_half ag, int parts)
{
    int kept = (parts + 1) / 2;
    size_t first = 0, second = 0, later;

    if (parts < 2)
        return 0;
    if (rs == CHORALE_WAY_RING)
        first = chorale_parts_most(pt, parts, 1);
    if (rs == CHORALE_WAY_EXCHANGE)
        first = chorale_parts_most(pt, parts, parts / rs_k);
    if (rs == CHORALE_WAY_DIRECT)
        first = (size_t)(parts - 1) * (chorale_parts_most(pt, parts, 1) +
                                       2 * sizeof(MPI_Request));
    /* With four or more parts, sent or received ranges wrap past the last
     * part. */
    if (rs == CHORALE_WAY_CIRCULANT) {
        first = chorale_parts_most(pt, parts, kept);
        later = chorale_parts_most(pt, parts, parts - kept);
        first += parts > 3 ? later : 0;
    }
    if (ag == CHORALE_WAY_CIRCULANT && parts > 3)
        second = chorale_parts_most(pt, parts, parts - kept);
    if (ag == CHORALE_WAY_BRUCK)
        second = pt->msg_size;
    return first > second ? first : second;
}
