/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all.c - ring, doubling, Bruck and circulant allgather. */
#include "algorithms/engines/exchange/gather_all.h"

#include "algorithms/engines/rooted/packed.h"
#include "algorithms/tree.h"

/* --- ranges of blocks ------------------------------------------------- */

/* A range as one message. staged: buf is scratch with packed bytes. */
struct piece {
    void *buf;
    MPI_Count count;
    MPI_Datatype type;
    int staged;
};

/* 1 if blocks first ... first + k - 1 are contiguous in memory. */
static int range_is_contiguous(const struct chorale_blocks *b, int first, int k)
{
    if (k > b->n - first)
        return 0;
    if (b->displs == NULL)
        return 1;
    for (int i = first; i + 1 < first + k; i++)
        if (b->displs[i] + (MPI_Aint)b->counts[i] != b->displs[i + 1])
            return 0;
    return 1;
}

/* Number of the k blocks from block i on that chorale_block_range() can
 * take. */
static int run_of(const struct chorale_blocks *b, int i, int k)
{
    if (b->displs != NULL)
        return k > 0 ? 1 : 0;
    return k < b->n - i ? k : b->n - i;
}

size_t chorale_range_bytes(const struct chorale_blocks *b, int first, int k)
{
    size_t unit = chorale_type_size(b->type), sum = 0;

    if (b->counts == NULL && !b->split)
        return unit * (size_t)b->count * (size_t)k;
    while (k > 0) {
        int run = run_of(b, first, k);
        MPI_Count count;

        chorale_block_range(b, first, run, &count);
        sum += unit * (size_t)count;
        first = (first + run) % b->n;
        k -= run;
    }
    return sum;
}

int chorale_range_pack(struct chorale_ctx *ctx,
                       const struct chorale_blocks *b, int first, int k,
                       char *bytes)
{
    size_t unit = chorale_type_size(b->type);
    int err = MPI_SUCCESS;

    while (k > 0 && err == MPI_SUCCESS) {
        int run = run_of(b, first, k);
        MPI_Count count;
        void *at = chorale_block_range(b, first, run, &count);

        err = chorale_pack(ctx, at, count, b->type, bytes);
        bytes += unit * (size_t)count;
        first = (first + run) % b->n;
        k -= run;
    }
    return err;
}

int chorale_range_unpack(struct chorale_ctx *ctx,
                         const struct chorale_blocks *b, int first, int k,
                         const char *bytes)
{
    size_t unit = chorale_type_size(b->type);
    int err = MPI_SUCCESS;

    while (k > 0 && err == MPI_SUCCESS) {
        int run = run_of(b, first, k);
        MPI_Count count;
        void *at = chorale_block_range(b, first, run, &count);

        err = chorale_unpack(ctx, bytes, at, count, b->type);
        bytes += unit * (size_t)count;
        first = (first + run) % b->n;
        k -= run;
    }
    return err;
}

void *chorale_range_piece(const struct chorale_blocks *b, int first, int k,
                          MPI_Count *count)
{
    if (!range_is_contiguous(b, first, k))
        return NULL;
    if (b->displs == NULL)
        return chorale_block_range(b, first, k, count);
    *count = 0;
    for (int i = first; i < first + k; i++)
        *count += b->counts[i];
    return chorale_at(b->base, b->extent, k > 0 ? b->displs[first] : 0);
}

static int piece_init(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                      int first, int k, struct piece *p)
{
    p->type = b->type;
    p->buf = chorale_range_piece(b, first, k, &p->count);
    p->staged = p->buf == NULL;
    if (!p->staged)
        return MPI_SUCCESS;
    p->type = MPI_PACKED;
    p->count = (MPI_Count)chorale_range_bytes(b, first, k);
    p->buf = chorale_scratch(ctx, (size_t)p->count);
    return p->buf == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int transfer(struct chorale_ctx *ctx, const struct piece *send,
                    int dest, const struct piece *recv, int source)
{
    if (source < 0)
        return chorale_send(ctx, send->buf, send->count, send->type, dest);
    if (dest < 0)
        return chorale_recv(ctx, recv->buf, recv->count, recv->type, source);
    return chorale_sendrecv(ctx, send->buf, send->count, send->type, dest,
                            recv->buf, recv->count, recv->type, source);
}

int chorale_exchange_ranges(struct chorale_ctx *ctx,
                            const struct chorale_blocks *b,
                            struct chorale_range out, struct chorale_range in)
{
    size_t mark = chorale_scratch_mark(ctx);
    struct piece send = { .staged = 0 }, recv = { .staged = 0 };
    int err = MPI_SUCCESS;

    if (out.peer < 0 && in.peer < 0)
        return MPI_SUCCESS;
    if (out.peer >= 0)
        err = piece_init(ctx, b, out.first, out.k, &send);
    if (err == MPI_SUCCESS && in.peer >= 0)
        err = piece_init(ctx, b, in.first, in.k, &recv);
    if (err == MPI_SUCCESS && send.staged)
        err = chorale_range_pack(ctx, b, out.first, out.k, send.buf);
    if (err == MPI_SUCCESS)
        err = transfer(ctx, &send, out.peer, &recv, in.peer);
    if (err == MPI_SUCCESS && recv.staged)
        err = chorale_range_unpack(ctx, b, in.first, in.k, recv.buf);
    if (send.staged || recv.staged)
        chorale_scratch_release(ctx, mark);
    return err;
}

/* The same, and then send the outgoing range to rank also, while data may still
 * be arriving. */
static int exchange_and_send(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b,
                             struct chorale_range out,
                             struct chorale_range in, int also)
{
    size_t mark = chorale_scratch_mark(ctx);
    struct piece send, recv;
    MPI_Request req;
    int err = piece_init(ctx, b, out.first, out.k, &send), last;

    if (err == MPI_SUCCESS)
        err = piece_init(ctx, b, in.first, in.k, &recv);
    if (err == MPI_SUCCESS && send.staged)
        err = chorale_range_pack(ctx, b, out.first, out.k, send.buf);
    if (err == MPI_SUCCESS)
        err = chorale_irecv(ctx, recv.buf, recv.count, recv.type, in.peer,
                            &req);
    if (err == MPI_SUCCESS) {
        err = chorale_send(ctx, send.buf, send.count, send.type, out.peer);
        if (err == MPI_SUCCESS)
            err = chorale_send(ctx, send.buf, send.count, send.type, also);
        last = chorale_wait(ctx, &req);
        err = err == MPI_SUCCESS ? last : err;
    }
    if (err == MPI_SUCCESS && recv.staged)
        err = chorale_range_unpack(ctx, b, in.first, in.k, recv.buf);
    chorale_scratch_release(ctx, mark);
    return err;
}

/* --- ranks relative to a root ------------------------------------------- */

/* (a + b) mod n, for a and b in 0 ... n - 1. */
static int plus(int a, int b, int n)
{
    return a < n - b ? a + b : a - (n - b);
}

static int minus(int a, int b, int n)
{
    return a < b ? a + (n - b) : a - b;
}

/* --- ring ------------------------------------------------------------- */

int chorale_gather_all_ring_from(struct chorale_ctx *ctx,
                                 const struct chorale_blocks *b, int root)
{
    int size = ctx->size, block = minus(ctx->rank, root, size);
    int right = plus(ctx->rank, 1 % size, size);
    int left = minus(ctx->rank, 1 % size, size);
    MPI_Count out_count, in_count;
    void *out = chorale_block(b, block, &out_count);
    int err = MPI_SUCCESS;

    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        void *in;

        block = minus(block, 1, size);
        in = chorale_block(b, block, &in_count);
        err = b->counts != NULL
                  ? chorale_sendrecv_matched(ctx, out, out_count, b->type,
                                             right, in, in_count, b->type,
                                             left)
                  : chorale_sendrecv(ctx, out, out_count, b->type, right, in,
                                     in_count, b->type, left);
        out = in;
        out_count = in_count;
    }
    return err;
}

/* --- recursive doubling ----------------------------------------------- */

/* Pass the blocks `lacking`, which the first `have` of the w members of the
 * group at base hold, to the other members. The number of holders doubles each
 * round. */
static int pass_on(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                   struct chorale_range lacking, int base, int w, int have,
                   int root)
{
    int i = minus(ctx->rank, root, ctx->size) - base;
    struct chorale_range none = { .peer = -1 };
    int err = MPI_SUCCESS;

    for (; have < w && err == MPI_SUCCESS; have *= 2) {
        if (i < have && i + have < w) {
            lacking.peer = plus(base + i + have, root, ctx->size);
            err = chorale_exchange_ranges(ctx, b, lacking, none);
        } else if (i >= have && i < 2 * have) {
            lacking.peer = plus(base + i - have, root, ctx->size);
            err = chorale_exchange_ranges(ctx, b, none, lacking);
        }
    }
    return err;
}

/* One round between groups of w ranks, this rank's (out) and another (in). Each
 * of the t members of a short group serves one or two ranks of the full group.
 * The second send overlaps the receive from the first. */
static int doubling_round(struct chorale_ctx *ctx,
                          const struct chorale_blocks *b,
                          struct chorale_range out, struct chorale_range in,
                          int w, int root)
{
    int size = ctx->size, i = minus(ctx->rank, root, size) - out.first;
    int t = out.k < in.k ? out.k : in.k, err;

    if (i < t) {
        out.peer = in.peer = plus(in.first + i, root, size);
        if (out.k < w && i + t < w)
            return exchange_and_send(ctx, b, out, in,
                                     plus(in.first + i + t, root, size));
    } else if (i < 2 * t) {
        in.peer = plus(in.first + i - t, root, size);
    }
    err = chorale_exchange_ranges(ctx, b, out, in);
    if (err == MPI_SUCCESS && t < out.k)
        err = pass_on(ctx, b, in, out.first, w, 2 * t, root);
    return err;
}

int chorale_gather_all_doubling_from(struct chorale_ctx *ctx,
                                     const struct chorale_blocks *b, int root)
{
    int size = ctx->size, v = minus(ctx->rank, root, size);
    int err = MPI_SUCCESS;

    for (int w = 1; w < size && err == MPI_SUCCESS; w *= 2) {
        int base = v & ~(w - 1), other = base ^ w;
        struct chorale_range out = { base, w, -1 }, in = { other, w, -1 };

        if (other >= size)
            continue; /* that group does not exist */
        if (size - base < w)
            out.k = size - base;
        if (size - other < w)
            in.k = size - other;
        err = doubling_round(ctx, b, out, in, w, root);
        if (w > size / 2)
            break;
    }
    return err;
}

/* --- Bruck ------------------------------------------------------------ */

size_t chorale_scratch_gather_all_bruck(int size, int k)
{
    int most = (k < size ? k : size) - 1;

    return k == 2 ? 0 : 2 * (size_t)most * sizeof(MPI_Request);
}

/* bytes has blocks v, v + 1, ..., w of them. Get up to w more from each of k -
 * 1 ranks. */
static int bruck_phase(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                       int k, long w, int v, char *bytes, MPI_Request *req)
{
    int size = ctx->size, n = 0, err = MPI_SUCCESS, last;
    char *at = bytes + chorale_range_bytes(b, v, (int)w);

    for (long d = w, end = k * w;
         d < end && d < size && err == MPI_SUCCESS; d += w) {
        int blocks = (int)(w < size - d ? w : size - d);
        size_t in = chorale_range_bytes(b, plus(v, (int)d, size), blocks);

        err = chorale_irecv(ctx, at, (MPI_Count)in, MPI_PACKED,
                            plus(ctx->rank, (int)d, size), &req[n]);
        n += err == MPI_SUCCESS;
        at += in;
    }
    for (long d = w, end = k * w;
         d < end && d < size && err == MPI_SUCCESS; d += w) {
        int blocks = (int)(w < size - d ? w : size - d);
        size_t out = chorale_range_bytes(b, v, blocks);

        err = chorale_isend(ctx, bytes, (MPI_Count)out, MPI_PACKED,
                            minus(ctx->rank, (int)d, size), &req[n]);
        n += err == MPI_SUCCESS;
    }
    last = chorale_waitall(ctx, n, req);
    return err == MPI_SUCCESS ? last : err;
}

/* The same with k = 2: one exchange, without requests. */
static int bruck_exchange(struct chorale_ctx *ctx,
                          const struct chorale_blocks *b, int w, int v,
                          char *bytes)
{
    int size = ctx->size, blocks = w < size - w ? w : size - w;
    size_t held = chorale_range_bytes(b, v, w);
    size_t out = blocks == w ? held : chorale_range_bytes(b, v, blocks);
    size_t in = b->counts == NULL && !b->split
                    ? out
                    : chorale_range_bytes(b, plus(v, w, size), blocks);

    return chorale_sendrecv(ctx, bytes, (MPI_Count)out, MPI_PACKED,
                            minus(ctx->rank, w, size), bytes + held,
                            (MPI_Count)in, MPI_PACKED,
                            plus(ctx->rank, w, size));
}

static int bruck_phases(struct chorale_ctx *ctx,
                        const struct chorale_blocks *b, int k, int v,
                        char *bytes)
{
    MPI_Request *req;
    int err = MPI_SUCCESS;

    if (k == 2) {
        for (long w = 1; w < ctx->size && err == MPI_SUCCESS; w *= 2)
            err = bruck_exchange(ctx, b, (int)w, v, bytes);
        return err;
    }
    req = chorale_scratch(ctx,
                          chorale_scratch_gather_all_bruck(ctx->size, k));
    err = req == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    for (long w = 1; w < ctx->size && err == MPI_SUCCESS; w *= k)
        err = bruck_phase(ctx, b, k, w, v, bytes, req);
    return err;
}

int chorale_gather_all_bruck_from(struct chorale_ctx *ctx,
                                  const struct chorale_blocks *b, int k,
                                  int root)
{
    size_t mark = chorale_scratch_mark(ctx);
    int size = ctx->size, v = minus(ctx->rank, root, size);
    char *bytes;
    int err;

    if (size == 1)
        return MPI_SUCCESS;
    bytes = chorale_scratch(ctx, chorale_range_bytes(b, v, size));
    if (bytes == NULL)
        return MPI_ERR_NO_MEM;
    err = chorale_range_pack(ctx, b, v, 1, bytes);
    if (err == MPI_SUCCESS)
        err = bruck_phases(ctx, b, k, v, bytes);
    if (err == MPI_SUCCESS)
        err = chorale_range_unpack(ctx, b, plus(v, 1, size), size - 1,
                                   bytes + chorale_range_bytes(b, v, 1));
    chorale_scratch_release(ctx, mark);
    return err;
}

/* --- circulant graph -------------------------------------------------- */

int chorale_gather_all_circulant_from(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      int root)
{
    int size = ctx->size, v = minus(ctx->rank, root, size);
    int err = MPI_SUCCESS, s = 1;

    for (int j = chorale_ceil_log2(size) - 1; j >= 0 && !err; j--) {
        /* s_j = ceil(P / 2^j) */
        int next = (int)(((unsigned)size - 1) >> j) + 1;
        struct chorale_range out = { v, next - s, 0 };
        struct chorale_range in = { plus(v, s, size), next - s, 0 };

        out.peer = minus(ctx->rank, s, size);
        in.peer = plus(ctx->rank, s, size);
        err = chorale_exchange_ranges(ctx, b, out, in);
        s = next;
    }
    return err;
}

/* --- blocks of a call ------------------------------------------------- */

int chorale_allgather_blocks(const struct chorale_call *call,
                             struct chorale_blocks *b)
{
    int size = call->ctx->size;
    MPI_Count count;
    void *own;

    if (call->recvcounts == NULL) {
        *b = chorale_blocks_equal(call->recvbuf, call->recvcount,
                                  call->recvtype, size);
        return chorale_gather_own(call, call->ctx->rank);
    }
    *b = chorale_blocks_given(call->recvbuf, call->recvcounts, call->rdispls,
                              call->recvtype, size);
    if (call->sendbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    own = chorale_block(b, call->ctx->rank, &count);
    return chorale_copy(call->ctx, call->sendbuf, call->sendcount,
                        call->sendtype, own, count, call->recvtype);
}

int chorale_allgather_packed(const struct chorale_call *call,
                             chorale_gather_bytes *exchange)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t mark = chorale_scratch_mark(ctx), m;
    struct chorale_packed p;
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    if (err != MPI_SUCCESS || ctx->size == 1)
        return err;
    err = chorale_packed_init(&p, ctx, call->recvbuf,
                              call->recvcount * ctx->size, call->recvtype);
    if (err != MPI_SUCCESS)
        return err;
    m = p.n / (size_t)ctx->size;
    if (p.staged)
        err = chorale_range_pack(ctx, &b, ctx->rank, 1,
                                 p.bytes + m * (size_t)ctx->rank);
    if (err == MPI_SUCCESS)
        err = exchange(call, p.bytes, m);
    if (err == MPI_SUCCESS)
        err = chorale_packed_unpack(&p);
    chorale_scratch_release(ctx, mark);
    return err;
}

int chorale_allgather_run(const struct chorale_call *call,
                          chorale_gather_all *exchange)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    return err == MPI_SUCCESS ? exchange(call->ctx, &b) : err;
}

const long chorale_recexch_radixes[CHORALE_RECEXCH_NRADIX] = { 2, 3, 4, 8,
                                                               16 };
const long chorale_recexch_orders[] = { 0, 1 };
const char *const chorale_recexch_order_word[] = { "doubling", "halving" };

int chorale_allgather_recexch_run(const struct chorale_call *call)
{
    struct chorale_blocks b;
    int err = chorale_allgather_blocks(call, &b);

    return err == MPI_SUCCESS ? chorale_gather_all_recexch_from(
                                    call->ctx, &b, (int)call->param[0],
                                    call->param[1] != 0, 0)
                              : err;
}

size_t chorale_allgather_recexch_scratch(const struct chorale_point *pt)
{
    size_t places = (size_t)pt->comm_size;

    return pt->param[1] == 0 || pt->comm_size < 2
               ? 0
               : pt->n + places * (sizeof(MPI_Count) + sizeof(MPI_Aint));
}
