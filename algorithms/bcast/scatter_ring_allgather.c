/* SPDX-License-Identifier: BSD-3-Clause */
/* scatter_ring_allgather.c - broadcast of long vectors: a binomial scatter of
 * P blocks, then a ring in which every rank passes the blocks on.
 *
 * Rounds  L + P - 1, L = ceil(lg P)           P = comm_size, n = bytes
 * Volume  at most 2 (P - 1)/P n bytes from each rank, but for rounding
 * Cost    L alpha + (n - b) beta + (P - 1) (alpha + b beta), b = ceil(n/P):
 *         exact. The root is the last to leave the scatter and holds one of
 *         the largest blocks, which then makes P - 1 hops.
 * Needs   any P, any root, any datatype: the vector is cut by packed bytes,
 *         since ranks may describe it by different types. Blocks of 0 bytes
 *         are sent like others.
 * Source  Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1),
 *         2005
 */
#include "algorithms/catalogue.h"
#include "algorithms/ctx.h"
#include "algorithms/tree.h"

/* One rank's view: virtual ranks count from the root. */
struct state {
    struct chorale_ctx *ctx;
    int root, v;
    char *bytes; /* the packed vector */
    size_t n;
};

static int real_rank(const struct state *st, int v)
{
    return (v + st->root) % st->ctx->size;
}

/* Blocks v ... v + blocks - 1 as a range of bytes. */
static void range(size_t n, int size, int v, int blocks, size_t *offset,
                  size_t *length)
{
    size_t last_offset, last_length;

    chorale_split(n, size, v, offset, length);
    chorale_split(n, size, v + blocks - 1, &last_offset, &last_length);
    *length = last_offset + last_length - *offset;
}

static int scatter_phase(const struct state *st)
{
    int size = st->ctx->size;
    int child[32], parent;
    int nchild = chorale_binomial(st->v, size, &parent, child);
    size_t offset, length;
    int err = MPI_SUCCESS;

    if (parent >= 0) {
        range(st->n, size, st->v, chorale_binomial_subtree(st->v, size),
              &offset, &length);
        err = chorale_recv(st->ctx, st->bytes + offset, (MPI_Count)length,
                           MPI_PACKED, real_rank(st, parent));
    }
    for (int i = 0; i < nchild && err == MPI_SUCCESS; i++) {
        range(st->n, size, child[i], chorale_binomial_subtree(child[i], size),
              &offset, &length);
        err = chorale_send(st->ctx, st->bytes + offset, (MPI_Count)length,
                           MPI_PACKED, real_rank(st, child[i]));
    }
    return err;
}

static int ring_phase(const struct state *st)
{
    int size = st->ctx->size;
    int right = real_rank(st, st->v + 1);
    int left = real_rank(st, st->v + size - 1);
    int block = st->v;
    int err = MPI_SUCCESS;

    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        int next = (block + size - 1) % size;
        size_t out, out_length, in, in_length;

        chorale_split(st->n, size, block, &out, &out_length);
        chorale_split(st->n, size, next, &in, &in_length);
        err = chorale_sendrecv(st->ctx, st->bytes + out,
                               (MPI_Count)out_length, MPI_PACKED, right,
                               st->bytes + in, (MPI_Count)in_length,
                               MPI_PACKED, left);
        block = next;
    }
    return err;
}

static int run(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int staged = !chorale_type_is_packed(call->recvtype);
    struct state st = {
        .ctx = ctx,
        .root = call->root,
        .v = (ctx->rank - call->root + ctx->size) % ctx->size,
        .bytes = call->recvbuf,
        .n = chorale_type_size(call->recvtype) * (size_t)call->recvcount,
    };
    int err = MPI_SUCCESS;

    if (ctx->size == 1)
        return MPI_SUCCESS;
    if (staged) {
        st.bytes = chorale_scratch(ctx, st.n);
        if (st.bytes == NULL)
            return MPI_ERR_NO_MEM;
    }
    if (staged && st.v == 0)
        err = chorale_pack(ctx, call->recvbuf, call->recvcount,
                           call->recvtype, st.bytes);
    if (err == MPI_SUCCESS)
        err = scatter_phase(&st);
    if (err == MPI_SUCCESS)
        err = ring_phase(&st);
    if (err == MPI_SUCCESS && staged && st.v != 0)
        err = chorale_unpack(ctx, st.bytes, call->recvbuf, call->recvcount,
                             call->recvtype);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int size = pt->comm_size;
    int child[32], parent, n;
    size_t offset, length;

    if (size < 2)
        return 0;
    n = chorale_binomial(0, size, &parent, child);
    for (int i = 0; i < n; i++) {
        range(pt->msg_size, size, child[i],
              chorale_binomial_subtree(child[i], size), &offset, &length);
        term[i] = (struct chorale_term){ .messages = 1,
                                         .bytes = (double)length };
    }
    chorale_split(pt->msg_size, size, 0, &offset, &length);
    term[n] = (struct chorale_term){ .messages = size - 1,
                                     .bytes = (double)length };
    return n + 1;
}

const struct chorale_alg chorale_bcast_scatter_ring_allgather = {
    .coll = CHORALE_BCAST,
    .name = "scatter_ring_allgather",
    .summary = "binomial scatter, then a ring allgather",
    .formula = "(ceil(lg P) + P-1) alpha + 2 (P-1)/P n beta",
    .source = "Barnett et al., 1994; Thakur, Rabenseifner, Gropp, IJHPCA "
              "19(1), 2005",
    .run = run,
    .cost = cost,
};
