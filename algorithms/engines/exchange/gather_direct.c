/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_direct.c - allgather with one or two blocks per message.
 *
 * Pairwise exchanges, shifts, sparbit and segmented rings. */
#include "algorithms/engines/exchange/gather_all.h"

/* --- pairwise exchanges --------------------------------------------------- */

/* Send the own block to dest and receive that of source. Given blocks may
 * differ in size. */
static int swap(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                int dest, int source)
{
    MPI_Count out_count, in_count;
    void *out = chorale_block(b, ctx->rank, &out_count);
    void *in = chorale_block(b, source, &in_count);

    if (b->counts != NULL)
        return chorale_sendrecv_matched(ctx, out, out_count, b->type, dest,
                                        in, in_count, b->type, source);
    return chorale_sendrecv(ctx, out, out_count, b->type, dest, in, in_count,
                            b->type, source);
}

int chorale_gather_all_shift(struct chorale_ctx *ctx,
                             const struct chorale_blocks *b)
{
    int size = ctx->size, dest = ctx->rank, source = ctx->rank;
    int err = MPI_SUCCESS;

    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        dest = dest == size - 1 ? 0 : dest + 1;
        source = source == 0 ? size - 1 : source - 1;
        err = swap(ctx, b, dest, source);
    }
    return err;
}

int chorale_gather_all_xor(struct chorale_ctx *ctx,
                           const struct chorale_blocks *b)
{
    int err = MPI_SUCCESS;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++)
        err = swap(ctx, b, ctx->rank ^ i, ctx->rank ^ i);
    return err;
}

/* Pair number pair + step, modulo pairs. */
static int pair_at(int pair, int step, int pairs)
{
    return ((pair + step) % pairs + pairs) % pairs;
}

/* In round i = 1, 2, ... an even rank of pair p receives the blocks of a pair
 * at distance 1, 1, 2, 2, ...: p - 1 from its left neighbour, p + 1 from its
 * right one, then p - 2, p + 2. An odd rank does the mirror image. The blocks
 * received in one round are sent in the next. */
int chorale_gather_all_neighbor(struct chorale_ctx *ctx,
                                const struct chorale_blocks *b)
{
    int rank = ctx->rank, size = ctx->size, pairs = size / 2;
    int odd = rank % 2, pair = rank / 2, last = pair;
    int inner = rank ^ 1;
    int outer = odd ? (rank + 1) % size : (rank + size - 1) % size;
    int err;

    if (size < 2)
        return MPI_SUCCESS;
    err = swap(ctx, b, inner, inner);
    for (int i = 1; i < pairs && err == MPI_SUCCESS; i++) {
        int step = (i + 1) / 2;
        int next = pair_at(pair, (i % 2 == 0) ^ odd ? step : -step, pairs);
        int peer = i % 2 != 0 ? outer : inner;
        struct chorale_range out = { 2 * last, 2, peer };
        struct chorale_range in = { 2 * next, 2, peer };

        err = chorale_exchange_ranges(ctx, b, out, in);
        last = next;
    }
    return err;
}

/* --- several messages in flight ------------------------------------------- */

/* Post the receive or the send of a block; *n requests are active. */
static int post_recv(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                     int block, int source, MPI_Request *req, int *n)
{
    MPI_Count count;
    void *at = chorale_block(b, block, &count);
    int err = chorale_irecv(ctx, at, count, b->type, source, &req[*n]);

    *n += err == MPI_SUCCESS;
    return err;
}

static int post_send(struct chorale_ctx *ctx, const struct chorale_blocks *b,
                     int block, int dest, MPI_Request *req, int *n)
{
    MPI_Count count;
    void *at = chorale_block(b, block, &count);
    int err = chorale_isend(ctx, at, count, b->type, dest, &req[*n]);

    *n += err == MPI_SUCCESS;
    return err;
}

/* Wait for active requests, also after an error. */
static int finish(struct chorale_ctx *ctx, int n, MPI_Request *req, int err)
{
    int last = chorale_waitall(ctx, n, req);

    return err == MPI_SUCCESS ? last : err;
}

/* Rounds first ... last of a shift, all in flight together. */
static int shift_rounds(struct chorale_ctx *ctx,
                        const struct chorale_blocks *b, int first, int last,
                        MPI_Request *req)
{
    int size = ctx->size, rank = ctx->rank, n = 0, err = MPI_SUCCESS;

    for (int i = first; i <= last && err == MPI_SUCCESS; i++) {
        int source = rank < i ? rank + (size - i) : rank - i;

        err = post_recv(ctx, b, source, source, req, &n);
    }
    for (int i = first; i <= last && err == MPI_SUCCESS; i++) {
        int dest = rank < size - i ? rank + i : rank - (size - i);

        err = post_send(ctx, b, rank, dest, req, &n);
    }
    return finish(ctx, n, req, err);
}

int chorale_gather_all_direct(struct chorale_ctx *ctx,
                              const struct chorale_blocks *b, long max_reqs)
{
    size_t mark = chorale_scratch_mark(ctx);
    int all = ctx->size - 1, err = MPI_SUCCESS;
    int batch = max_reqs > 0 && max_reqs < all ? (int)max_reqs : all;
    MPI_Request *req;

    if (all == 0)
        return MPI_SUCCESS;
    req = chorale_scratch(ctx, 2 * (size_t)batch * sizeof(*req));
    if (req == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 1; i <= all && err == MPI_SUCCESS; i += batch) {
        int last = all - i < batch ? all : i + batch - 1;

        err = shift_rounds(ctx, b, i, last, req);
    }
    chorale_scratch_release(ctx, mark);
    return err;
}

/* Before distance d a rank holds the blocks of the ranks 0, 2d, 4d, ... below
 * it. It receives those of the ranks d, 3d, 5d, ... below, from the rank d
 * below. */
static int sparbit_round(struct chorale_ctx *ctx,
                         const struct chorale_blocks *b, long d,
                         MPI_Request *req)
{
    long size = ctx->size, rank = ctx->rank;
    int dest = (int)((rank + d) % size);
    int source = (int)((rank - d + size) % size);
    int n = 0, err = MPI_SUCCESS;

    for (long at = 0; at + d < size && err == MPI_SUCCESS; at += 2 * d) {
        err = post_recv(ctx, b, (int)((rank - at - d + size) % size), source,
                        req, &n);
        if (err == MPI_SUCCESS)
            err = post_send(ctx, b, (int)((rank - at + size) % size), dest,
                            req, &n);
    }
    return finish(ctx, n, req, err);
}

int chorale_gather_all_sparbit(struct chorale_ctx *ctx,
                               const struct chorale_blocks *b)
{
    size_t mark = chorale_scratch_mark(ctx);
    int err = MPI_SUCCESS;
    long d = 1;
    MPI_Request *req;

    if (ctx->size < 2)
        return MPI_SUCCESS;
    req = chorale_scratch(ctx, (size_t)ctx->size * sizeof(*req));
    if (req == NULL)
        return MPI_ERR_NO_MEM;
    while (2 * d < ctx->size)
        d *= 2;
    for (; d > 0 && err == MPI_SUCCESS; d /= 2)
        err = sparbit_round(ctx, b, d, req);
    chorale_scratch_release(ctx, mark);
    return err;
}

/* --- segments --------------------------------------------------------- */

/* The bytes of blocks block, block - 1, ... (cyclically), one segment at a
 * time. */
struct stream {
    const struct chorale_blocks *b;
    char *staged;  /* not NULL: the bytes are stored there contiguously */
    int block;     /* the current block */
    int blocks;    /* blocks that remain, including the current one */
    size_t at;     /* bytes of the current block already taken */
    size_t length; /* bytes of the current block */
};

static size_t block_bytes(const struct chorale_blocks *b, int i)
{
    MPI_Count count;

    chorale_block(b, i, &count);
    return chorale_type_size(b->type) * (size_t)count;
}

/* Advance to the next non-empty block. */
static void skip_done(struct stream *s)
{
    while (s->blocks > 0 && s->at == s->length) {
        if (s->staged != NULL)
            s->staged += s->length;
        s->block = s->block == 0 ? s->b->n - 1 : s->block - 1;
        s->blocks--;
        s->at = 0;
        s->length = s->blocks > 0 ? block_bytes(s->b, s->block) : 0;
    }
}

static void stream_init(struct stream *s, const struct chorale_blocks *b,
                        char *staged, int block, int blocks)
{
    *s = (struct stream){ .b = b, .staged = staged, .block = block,
                          .blocks = blocks };
    if (blocks > 0)
        s->length = block_bytes(b, block);
    skip_done(s);
}

/* Take the next segment and advance; returns its bytes, 0 at the end. */
static size_t next_segment(struct stream *s, size_t segsize, char **at)
{
    MPI_Count count;
    size_t left = s->length - s->at;
    size_t bytes = segsize > 0 && segsize < left ? segsize : left;

    if (s->blocks == 0)
        return 0;
    *at = s->staged != NULL ? s->staged
                            : (char *)chorale_block(s->b, s->block, &count);
    *at += s->at;
    s->at += bytes;
    skip_done(s);
    return bytes;
}

/* 1 if the next segment of out is available; all blocks but the own one must be
 * received first. */
static int has_next(const struct stream *out, const struct stream *in,
                    int rank)
{
    if (out->blocks == 0)
        return 0;
    if (out->block == rank || in->blocks <= out->blocks)
        return 1;
    return in->block == out->block && out->at < in->at;
}

static int pass_segments(struct chorale_ctx *ctx, struct stream *out,
                         struct stream *in, size_t segsize)
{
    int right = (ctx->rank + 1) % ctx->size;
    int left = (ctx->rank + ctx->size - 1) % ctx->size;
    int err = MPI_SUCCESS;

    while (err == MPI_SUCCESS && (out->blocks > 0 || in->blocks > 0)) {
        char *from = NULL, *to = NULL;
        int sends = has_next(out, in, ctx->rank);
        size_t out_bytes = sends ? next_segment(out, segsize, &from) : 0;
        size_t in_bytes = next_segment(in, segsize, &to);

        if (in_bytes == 0)
            err = chorale_send_matched(ctx, from, (MPI_Count)out_bytes,
                                       MPI_PACKED, right);
        else if (!sends)
            err = chorale_recv(ctx, to, (MPI_Count)in_bytes, MPI_PACKED,
                               left);
        else
            err = chorale_sendrecv_matched(ctx, from, (MPI_Count)out_bytes,
                                           MPI_PACKED, right, to,
                                           (MPI_Count)in_bytes, MPI_PACKED,
                                           left);
    }
    return err;
}

/* Unpack blocks rank - 1, rank - 2, ... from their bytes. */
static int unpack_others(struct chorale_ctx *ctx,
                         const struct chorale_blocks *b, const char *bytes)
{
    int err = MPI_SUCCESS;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int block = (ctx->rank + ctx->size - i) % ctx->size;
        MPI_Count count;
        void *at = chorale_block(b, block, &count);

        err = chorale_unpack(ctx, bytes, at, count, b->type);
        bytes += block_bytes(b, block);
    }
    return err;
}

int chorale_gather_all_segmented_ring(struct chorale_ctx *ctx,
                                      const struct chorale_blocks *b,
                                      size_t segsize)
{
    size_t mark = chorale_scratch_mark(ctx);
    size_t own = block_bytes(b, ctx->rank);
    char *staged = NULL;
    struct stream out, in;
    int err = MPI_SUCCESS;

    if (ctx->size < 2)
        return MPI_SUCCESS;
    if (!chorale_type_is_packed(b->type)) {
        MPI_Count count;
        void *at = chorale_block(b, ctx->rank, &count);

        staged = chorale_scratch(ctx, chorale_type_size(b->type) *
                                          (size_t)chorale_blocks_total(b));
        err = staged == NULL ? MPI_ERR_NO_MEM
                             : chorale_pack(ctx, at, count, b->type, staged);
    }
    if (err == MPI_SUCCESS) {
        stream_init(&out, b, staged, ctx->rank, ctx->size - 1);
        stream_init(&in, b, staged == NULL ? NULL : staged + own,
                    (ctx->rank + ctx->size - 1) % ctx->size, ctx->size - 1);
        err = pass_segments(ctx, &out, &in, segsize);
    }
    if (err == MPI_SUCCESS && staged != NULL)
        err = unpack_others(ctx, b, staged + own);
    chorale_scratch_release(ctx, mark);
    return err;
}
