/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_recexch.c - allgather by recursive exchange with a radix.
 *
 * The core's places exchange in groups of 1, k, k^2, ... places. With far, the
 * place at position x is x with its base-k digits reversed, so that close
 * positions are distant places. The blocks are then stored in scratch in order
 * of positions, so that the blocks of a group are contiguous there as well. */
#include "algorithms/engines/exchange/gather_all.h"

#include "algorithms/engines/radix.h"

struct state {
    struct chorale_ctx *ctx;
    const struct chorale_blocks *b;
    int k, far, root;
    struct chorale_fold fold;
    struct chorale_blocks image; /* far: one block of packed bytes per
                                  * position */
};

static int reversed(int x, int core, int k)
{
    int y = 0;

    for (int w = 1; w < core; w *= k) {
        y = y * k + x % k;
        x /= k;
    }
    return y;
}

static int place_at(const struct state *st, int position)
{
    return st->far ? reversed(position, st->fold.core, st->k) : position;
}

/* The rank at a place, relative to the root. */
static int keeper_of(const struct state *st, int place)
{
    return chorale_fold_rank(place, st->ctx->size, st->k);
}

static int first_of(const struct state *st, int place)
{
    return place == 0 ? 0 : keeper_of(st, place - 1) + 1;
}

static int real_rank(const struct state *st, int v)
{
    return (int)(((long)v + st->root) % st->ctx->size);
}

/* The blocks of positions position ... position + w - 1, to be exchanged with
 * the rank at position peer. */
static struct chorale_range held(const struct state *st, int position, int w,
                                 int peer)
{
    struct chorale_range range = { position, w, 0 };

    range.peer = real_rank(st, keeper_of(st, place_at(st, peer)));
    if (!st->far) {
        range.first = first_of(st, position);
        range.k = keeper_of(st, position + w - 1) + 1 - range.first;
    }
    return range;
}

static int exchange(const struct state *st)
{
    const struct chorale_blocks *b = st->far ? &st->image : st->b;
    int core = st->fold.core, k = st->k;
    int me = st->far ? reversed(st->fold.place, core, k) : st->fold.place;
    int err = MPI_SUCCESS;

    for (long w = 1; w < core; w *= k) {
        int width = (int)w, digit = me / width % k, inner = me % width;
        int all = me - inner - digit * width; /* the first of the k w
                                               * positions */

        for (int d = 1; d < k && err == MPI_SUCCESS; d++) {
            int to = all + (digit + d) % k * width;
            int from = all + (digit + k - d) % k * width;

            err = chorale_exchange_ranges(
                st->ctx, b, held(st, me - inner, width, to + inner),
                held(st, from, width, from + inner));
        }
    }
    return err;
}

/* Set up scratch with the offset of each position's bytes. */
static int image_init(struct state *st)
{
    size_t core = (size_t)st->fold.core, at = 0;
    char *bytes = chorale_scratch(
        st->ctx, chorale_range_bytes(st->b, 0, st->ctx->size));
    MPI_Count *counts = chorale_scratch(st->ctx, core * sizeof(*counts));
    MPI_Aint *displs = chorale_scratch(st->ctx, core * sizeof(*displs));

    if (bytes == NULL || counts == NULL || displs == NULL)
        return MPI_ERR_NO_MEM;
    for (int x = 0; x < st->fold.core; x++) {
        int place = place_at(st, x), first = first_of(st, place);

        displs[x] = (MPI_Aint)at;
        counts[x] = (MPI_Count)chorale_range_bytes(
            st->b, first, keeper_of(st, place) + 1 - first);
        at += (size_t)counts[x];
    }
    st->image = chorale_blocks_given(bytes, counts, displs, MPI_PACKED,
                                     st->fold.core);
    return MPI_SUCCESS;
}

static int unpack_image(const struct state *st)
{
    int err = MPI_SUCCESS;

    for (int x = 0; x < st->fold.core && err == MPI_SUCCESS; x++) {
        int place = place_at(st, x), first = first_of(st, place);

        if (place != st->fold.place)
            err = chorale_range_unpack(st->ctx, st->b, first,
                                       keeper_of(st, place) + 1 - first,
                                       st->image.base + st->image.displs[x]);
    }
    return err;
}

static int exchange_far(struct state *st)
{
    size_t mark = chorale_scratch_mark(st->ctx);
    int me = reversed(st->fold.place, st->fold.core, st->k);
    int err = image_init(st);

    if (err == MPI_SUCCESS)
        err = chorale_range_pack(st->ctx, st->b, st->fold.first,
                                 st->fold.keeper + 1 - st->fold.first,
                                 st->image.base + st->image.displs[me]);
    if (err == MPI_SUCCESS)
        err = exchange(st);
    if (err == MPI_SUCCESS)
        err = unpack_image(st);
    chorale_scratch_release(st->ctx, mark);
    return err;
}

/* Send the own block to the keeper, receive all blocks at the end. */
static int run_folded(const struct state *st, int v)
{
    int keeper = real_rank(st, st->fold.keeper);
    struct chorale_range own = { v, 1, keeper }, none = { .peer = -1 };
    struct chorale_range all = { 0, st->ctx->size, keeper };
    int err = chorale_exchange_ranges(st->ctx, st->b, own, none);

    if (err == MPI_SUCCESS)
        err = chorale_exchange_ranges(st->ctx, st->b, none, all);
    return err;
}

static int run_core(struct state *st)
{
    struct chorale_range none = { .peer = -1 };
    int err = MPI_SUCCESS;

    for (int v = st->fold.first; v < st->fold.keeper && !err; v++) {
        struct chorale_range in = { v, 1, real_rank(st, v) };

        err = chorale_exchange_ranges(st->ctx, st->b, none, in);
    }
    if (err == MPI_SUCCESS)
        err = st->far ? exchange_far(st) : exchange(st);
    for (int v = st->fold.first; v < st->fold.keeper && !err; v++) {
        struct chorale_range out = { 0, st->ctx->size, real_rank(st, v) };

        err = chorale_exchange_ranges(st->ctx, st->b, out, none);
    }
    return err;
}

int chorale_gather_all_recexch_from(struct chorale_ctx *ctx,
                                    const struct chorale_blocks *b, int k,
                                    int far, int root)
{
    struct state st = { .ctx = ctx, .b = b, .k = k, .far = far,
                        .root = root };
    int v = (ctx->rank - root + ctx->size) % ctx->size;

    if (ctx->size < 2)
        return MPI_SUCCESS;
    if (k > ctx->size)
        st.k = ctx->size;
    chorale_fold_init(&st.fold, v, ctx->size, st.k);
    return st.fold.place < 0 ? run_folded(&st, v) : run_core(&st);
}
