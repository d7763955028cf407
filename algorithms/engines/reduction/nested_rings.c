/* SPDX-License-Identifier: BSD-3-Clause */
/* nested_rings.c - allreduce of long vectors by rings on a torus. */
#include "algorithms/engines/reduction/nested_rings.h"

#include <limits.h>

#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/reduction/halves.h"
#include "algorithms/tree.h"

enum { MAX_LANES = 2 * CHORALE_MAX_DIM };

/* One ring, and the blocks that it reduces. */
struct ring {
    int length, stride, place;
    struct chorale_blocks own, acc; /* operands and sums; may be the same */
};

/* One part of the vector, in one direction. */
struct lane {
    struct chorale_ctx *ctx;
    MPI_Op op;
    int ndim, step;     /* sends to the rank step places further on */
    struct ring ring[CHORALE_MAX_DIM];
    void *spare;        /* receive buffer if acc is own */
    const void *add;    /* to be added to sum after arrival, or NULL */
    void *sum;
    MPI_Count count;
    MPI_Request req[2];
    int under_way;
};

static int lanes_of(const struct chorale_torus *torus)
{
    return (torus->turn ? torus->ndim : 1) * (torus->both ? 2 : 1);
}

/* Dimension of a ring of a lane. */
static int dim_of(const struct chorale_torus *torus, int lane, int ring)
{
    return ((torus->both ? lane / 2 : lane) + ring) % torus->ndim;
}

/* --- one lane --------------------------------------------------------- */

static int lane_init(struct lane *l, const struct chorale_call *call,
                     const struct chorale_torus *torus, int lane)
{
    struct chorale_ctx *ctx = call->ctx;
    int in_place = call->sendbuf == MPI_IN_PLACE;
    struct chorale_blocks parts = chorale_blocks_split(
        call->recvbuf, call->recvcount, call->recvtype, lanes_of(torus));
    struct ring *first = &l->ring[0];
    MPI_Count count, most;
    void *part;

    *l = (struct lane){ .ctx = ctx, .op = call->op, .ndim = torus->ndim };
    l->step = torus->both && lane % 2 != 0 ? -1 : 1;
    for (int i = 0; i < l->ndim; i++) {
        int dim = dim_of(torus, lane, i), stride = 1;

        for (int d = 0; d < dim; d++)
            stride *= torus->length[d];
        l->ring[i].length = torus->length[dim];
        l->ring[i].stride = stride;
        l->ring[i].place = ctx->rank / stride % torus->length[dim];
    }
    part = chorale_block(&parts, lane, &count);
    first->acc = chorale_blocks_split(part, count, call->recvtype,
                                      first->length);
    first->own = first->acc;
    if (!in_place) {
        parts = chorale_blocks_at(&parts, call->sendbuf);
        first->own = chorale_blocks_at(&first->acc,
                                       chorale_block(&parts, lane, &count));
    }
    most = chorale_blocks_largest(&first->acc);
    if (!in_place)
        most = l->ndim > 1 ? most / l->ring[1].length + 1 : 0;
    l->spare = chorale_scratch_typed(ctx, most, call->recvtype);
    return l->spare == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

/* Ring of step i of the lane; *i becomes the step within that ring. */
static int find_ring(const struct lane *l, int *i, int *gathers)
{
    int t = 0;

    *gathers = 0;
    for (; t < l->ndim && *i >= l->ring[t].length - 1; t++)
        *i -= l->ring[t].length - 1;
    if (t < l->ndim)
        return t;
    *gathers = 1;
    for (t = l->ndim - 1; t > 0 && *i >= l->ring[t].length - 1; t--)
        *i -= l->ring[t].length - 1;
    return t;
}

/* Split the previous ring's result for the next ring. */
static void cut(struct ring *ring, const struct ring *before)
{
    MPI_Count count;
    void *block = chorale_block(&before->acc, before->place, &count);

    ring->acc = chorale_blocks_split(block, count, before->acc.type,
                                     ring->length);
    ring->own = ring->acc;
}

static int place_at(const struct ring *ring, int steps)
{
    int place = (ring->place + steps) % ring->length;

    return place < 0 ? place + ring->length : place;
}

/* Start step i. Reduce-scatters send the partial sum of the block received last
 * (at first an operand), allgathers the block received last. */
static int lane_post(struct lane *l, int i)
{
    struct chorale_ctx *ctx = l->ctx;
    int gathers, t = find_ring(l, &i, &gathers), err;
    struct ring *ring = &l->ring[t];
    MPI_Datatype type = l->ring[0].acc.type;
    int lag = gathers ? i : i + 1, to, from, b;
    MPI_Count out_count;
    const void *out;
    void *in;

    if (t > 0 && i == 0 && !gathers)
        cut(ring, ring - 1);
    out = chorale_block(i == 0 && !gathers ? &ring->own : &ring->acc,
                        place_at(ring, -l->step * lag), &out_count);
    b = place_at(ring, -l->step * (lag + 1));
    l->sum = in = chorale_block(&ring->acc, b, &l->count);
    l->add = NULL;
    if (!gathers && ring->own.base == ring->acc.base)
        l->add = in = l->spare;
    else if (!gathers)
        l->add = chorale_block(&ring->own, b, &l->count);
    to = ctx->rank + (place_at(ring, l->step) - ring->place) * ring->stride;
    from = ctx->rank + (place_at(ring, -l->step) - ring->place) * ring->stride;
    err = chorale_irecv(ctx, in, l->count, type, from, &l->req[0]);
    if (err != MPI_SUCCESS)
        return err;
    l->under_way = 1;
    err = chorale_isend(ctx, out, out_count, type, to, &l->req[1]);
    l->under_way += err == MPI_SUCCESS;
    return err;
}

static int lane_finish(struct lane *l)
{
    int pending = l->under_way, err;

    l->under_way = 0;
    err = chorale_waitall(l->ctx, pending, l->req);
    if (err != MPI_SUCCESS || pending < 2 || l->add == NULL)
        return err;
    return chorale_reduce_local(l->ctx, l->add, l->sum, l->count,
                                l->ring[0].acc.type, l->op);
}

/* --- all lanes -------------------------------------------------------- */

int chorale_torus_cubic(struct chorale_torus *torus, int size, int ndim)
{
    *torus = (struct chorale_torus){ .ndim = ndim };
    for (int left = ndim; left > 1; left--) {
        int side = chorale_mesh_side(size, left);

        torus->length[left - 1] = side;
        size /= side;
        if (side < 2)
            return 0;
    }
    torus->length[0] = size;
    return size > 1;
}

static int rounds_of(const struct chorale_torus *torus)
{
    int rounds = 0;

    for (int d = 0; d < torus->ndim; d++)
        rounds += (torus->scatter ? 1 : 2) * (torus->length[d] - 1);
    return rounds;
}

int chorale_nested_rings_parts(const struct chorale_torus *torus)
{
    return lanes_of(torus);
}

MPI_Count chorale_nested_rings_piece(const struct chorale_torus *torus,
                                     MPI_Count count, int rank, int part,
                                     MPI_Count *first)
{
    size_t at, length;

    chorale_split((size_t)count, lanes_of(torus), part, &at, &length);
    *first = (MPI_Count)at;
    for (int i = 0; i < torus->ndim; i++) {
        int dim = dim_of(torus, part, i), stride = 1;

        for (int d = 0; d < dim; d++)
            stride *= torus->length[d];
        chorale_split(length, torus->length[dim],
                      rank / stride % torus->length[dim], &at, &length);
        *first += (MPI_Count)at;
    }
    return (MPI_Count)length;
}

/* Active requests are completed even after an error. */
int chorale_nested_rings(const struct chorale_call *call,
                         const struct chorale_torus *torus)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    struct lane lane[MAX_LANES];
    int n = lanes_of(torus), rounds = rounds_of(torus), err = MPI_SUCCESS;

    if (rounds == 0 && call->sendbuf != MPI_IN_PLACE)
        return chorale_copy(ctx, call->sendbuf, call->recvcount,
                            call->recvtype, call->recvbuf, call->recvcount,
                            call->recvtype);
    for (int i = 0; i < n && err == MPI_SUCCESS; i++)
        err = lane_init(&lane[i], call, torus, i);
    for (int r = 0; r < rounds && err == MPI_SUCCESS; r++) {
        for (int i = 0; i < n && err == MPI_SUCCESS; i++)
            err = lane_post(&lane[i], r);
        for (int i = 0; i < n; i++) {
            int last = lane_finish(&lane[i]);

            err = err == MPI_SUCCESS ? last : err;
        }
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

/* Bytes of the largest message in each ring of a lane. */
static void sizes_of(const struct chorale_point *pt,
                     const struct chorale_torus *torus, int lane,
                     double *bytes)
{
    struct chorale_point part = *pt;

    part.msg_size = chorale_parts_most(pt, lanes_of(torus), 1);
    for (int i = 0; i < torus->ndim; i++) {
        int length = torus->length[dim_of(torus, lane, i)];

        part.msg_size = chorale_parts_most(&part, length, 1);
        bytes[i] = (double)part.msg_size;
    }
}

/* Mean message size of all lanes in a round of the first half; *last is the
 * last round with that mean. */
static double mean_in_round(const struct chorale_torus *torus,
                            double bytes[][CHORALE_MAX_DIM], int round,
                            int *last)
{
    double sum = 0;

    *last = INT_MAX;
    for (int lane = 0; lane < lanes_of(torus); lane++) {
        int end = -1, i = -1;

        while (end < round)
            end += torus->length[dim_of(torus, lane, ++i)] - 1;
        sum += bytes[lane][i];
        *last = end < *last ? end : *last;
    }
    return sum / lanes_of(torus);
}

int chorale_nested_rings_cost(const struct chorale_point *pt,
                              const struct chorale_torus *torus,
                              struct chorale_term *term)
{
    double bytes[MAX_LANES][CHORALE_MAX_DIM];
    int lanes = lanes_of(torus), half = rounds_of(torus) / 2, n = 0, last;
    /* With one port, plus one third for waiting at the other end. */
    double each = lanes > 1 ? 4 * lanes / 3.0 : 1;

    for (int lane = 0; lane < lanes; lane++)
        sizes_of(pt, torus, lane, bytes[lane]);
    for (int round = 0; round < half; round = last + 1) {
        double mean = mean_in_round(torus, bytes, round, &last);
        double rounds = last + 1 - round;

        term[n++] = (struct chorale_term){
            .messages = 2 * rounds * each,
            .bytes = mean,
            .reduced = rounds * lanes * mean,
        };
    }
    return n;
}

/* In place, each lane receives a block of its first ring into scratch. */
size_t chorale_nested_rings_scratch(const struct chorale_point *pt,
                                    const struct chorale_torus *torus)
{
    struct chorale_point part = *pt;
    int lanes = lanes_of(torus);
    size_t sum = 0;

    part.msg_size = chorale_parts_most(pt, lanes, 1);
    for (int lane = 0; lane < lanes; lane++)
        sum += chorale_parts_most(&part,
                                  torus->length[dim_of(torus, lane, 0)], 1);
    return sum;
}
