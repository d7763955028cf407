/* SPDX-License-Identifier: BSD-3-Clause */
/* two_phase_bruck.c - alltoallv by Bruck's algorithm, sizes sent ahead.
 *
 * As in bruck, blocks travel by the bits of their distance. Their sizes are
 * sent ahead in a separate message.
 *
 * Rounds  2 ceil(lg P)                        P = comm_size, M = the largest
 * Volume  each block once for every bit of its distance               block
 * Cost    sum over j of 2 alpha + (8 b(j) + s(j)) beta, b(j) the numbers below
 *         P with bit j, s(j) at most the b(j) largest blocks of the ramp: an
 *         upper bound. A rank whose block for itself is the only large one
 *         still sends 8 bytes for each other block.
 * Needs   any P, any datatype; scratch for all received blocks, and for one
 *         message; works in place
 * Source  Fan et al., HPDC 2022
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/exchange/bruck.h"

#include <stdint.h>

/* The block with i ranks to go is at[i], of size[i] bytes, once received; in
 * place, from the start. Before that it is in the caller's buffer. */
struct state {
    struct chorale_exchange ex;
    int rank, size;
    char **at;
    int64_t *bytes;
    int64_t *sent, *received; /* the sizes in one message */
};

/* The caller's block with i ranks to go. */
static const void *own_block(const struct state *st, int i, MPI_Count *count)
{
    int block = st->rank < st->size - i ? st->rank + i
                                        : st->rank - (st->size - i);

    return chorale_block(&st->ex.out, block, count);
}

static int pack_own(const struct state *st, int i, char *to)
{
    MPI_Count count;
    const void *from = own_block(st, i, &count);

    return chorale_pack(st->ex.ctx, from, count, st->ex.out.type, to);
}

/* In place: save all blocks to be sent before anything is received. */
static int save_all(struct state *st)
{
    size_t all = 0;
    char *mem;
    int err = MPI_SUCCESS;

    for (int i = 1; i < st->size; i++)
        all += (size_t)st->bytes[i];
    mem = chorale_scratch(st->ex.ctx, all);
    if (mem == NULL)
        return MPI_ERR_NO_MEM;
    for (int i = 1; i < st->size && err == MPI_SUCCESS; i++) {
        st->at[i] = mem;
        err = pack_own(st, i, mem);
        mem += st->bytes[i];
    }
    return err;
}

static int init(struct state *st, const struct chorale_call *call)
{
    size_t size = (size_t)call->ctx->size;

    st->ex = chorale_exchange_of(call);
    st->rank = call->ctx->rank;
    st->size = call->ctx->size;
    st->at = chorale_scratch(call->ctx, size * sizeof(*st->at));
    st->bytes = chorale_scratch(call->ctx, size * sizeof(*st->bytes));
    st->sent = chorale_scratch(call->ctx, size * sizeof(*st->sent));
    if (!st->at || !st->bytes || !st->sent)
        return MPI_ERR_NO_MEM;
    st->received = st->sent + size / 2;
    for (int i = 1; i < st->size; i++) {
        MPI_Count count;

        own_block(st, i, &count);
        st->at[i] = NULL;
        st->bytes[i] = (int64_t)chorale_type_size(st->ex.out.type) * count;
    }
    return st->ex.in_place ? save_all(st) : MPI_SUCCESS;
}

/* First block from i on that has the bit, or a value of at least st->size. */
static long next_block(long i, long bit)
{
    return i & bit ? i : (i / bit + 1) * bit;
}

static int fill(const struct state *st, long bit, char *to)
{
    int err = MPI_SUCCESS;

    for (long i = bit; i < st->size && err == MPI_SUCCESS;
         i = next_block(i + 1, bit)) {
        if (st->at[i] == NULL)
            err = pack_own(st, (int)i, to);
        else
            chorale_memmove(st->ex.ctx, to, st->at[i], (size_t)st->bytes[i]);
        to += st->bytes[i];
    }
    return err;
}

/* Received blocks stay in the message until they travel on; blocks at their
 * destination are unpacked. */
static int take(struct state *st, long bit, char *from)
{
    int k = 0, err = MPI_SUCCESS;

    for (long i = bit; i < st->size && err == MPI_SUCCESS;
         i = next_block(i + 1, bit)) {
        st->at[i] = from;
        st->bytes[i] = st->received[k++];
        from += st->bytes[i];
        if (i < 2 * bit) {
            int block = st->rank < i ? st->rank - (int)i + st->size
                                     : st->rank - (int)i;
            MPI_Count count;
            void *to = chorale_block(&st->ex.in, block, &count);

            err = chorale_unpack(st->ex.ctx, st->at[i], to, count,
                                 st->ex.in.type);
        }
    }
    return err;
}

/* Exchange the sizes, then the blocks, of one bit. */
static int hop(struct state *st, long bit)
{
    struct chorale_ctx *ctx = st->ex.ctx;
    int dest = (int)((st->rank + bit) % st->size);
    int source = (int)((st->rank - bit + st->size) % st->size);
    int64_t out_bytes = 0, in_bytes = 0;
    char *out = NULL, *in;
    size_t mark;
    int n = 0, err;

    for (long i = bit; i < st->size; i = next_block(i + 1, bit)) {
        out_bytes += st->bytes[i];
        st->sent[n++] = st->bytes[i];
    }
    err = chorale_sendrecv(ctx, st->sent, n, MPI_INT64_T, dest, st->received,
                           n, MPI_INT64_T, source);
    if (err != MPI_SUCCESS)
        return err;
    for (int i = 0; i < n; i++)
        in_bytes += st->received[i];
    in = chorale_scratch(ctx, (size_t)in_bytes);
    mark = chorale_scratch_mark(ctx);
    out = chorale_scratch(ctx, (size_t)out_bytes);
    err = in && out ? fill(st, bit, out) : MPI_ERR_NO_MEM;
    if (err == MPI_SUCCESS)
        err = chorale_sendrecv(ctx, out, (MPI_Count)out_bytes, MPI_PACKED,
                               dest, in, (MPI_Count)in_bytes, MPI_PACKED,
                               source);
    chorale_scratch_release(ctx, mark);
    return err == MPI_SUCCESS ? take(st, bit, in) : err;
}

static int run(const struct chorale_call *call)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    struct state st;
    int err = init(&st, call);

    if (err == MPI_SUCCESS)
        err = chorale_exchange_own(&st.ex);
    for (long bit = 1; bit < st.size && err == MPI_SUCCESS; bit *= 2)
        err = hop(&st, bit);
    chorale_scratch_release(call->ctx, mark);
    return err;
}

/* Upper bound on the bytes in the message of one bit: its blocks are different
 * ones of the ramp. */
static double largest_blocks(const struct chorale_point *pt, int blocks)
{
    double sum = 0;

    for (int i = 1; i <= blocks; i++)
        sum += (double)chorale_ramp(pt->msg_size, pt->type_size,
                                    pt->comm_size, pt->comm_size - i);
    return sum;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    int n = 0;

    for (long bit = 1; bit < pt->comm_size; bit *= 2) {
        int blocks = chorale_bruck_blocks(pt->comm_size, 2, bit, 1);

        term[n++] = (struct chorale_term){ .messages = 1,
                                           .bytes = 8.0 * blocks };
        term[n++] = (struct chorale_term){
            .messages = 1, .bytes = largest_blocks(pt, blocks)
        };
    }
    return n;
}

static size_t scratch(const struct chorale_point *pt)
{
    size_t p = (size_t)pt->comm_size;
    double most = 0, sum = pt->in_place && p > 1 ? (double)pt->n : 0;

    for (long bit = 1; bit < pt->comm_size; bit *= 2) {
        double bytes = largest_blocks(
            pt, chorale_bruck_blocks(pt->comm_size, 2, bit, 1));

        sum += bytes;
        most = bytes > most ? bytes : most;
    }
    return 3 * p * sizeof(int64_t) + (size_t)(sum + most);
}

const struct chorale_alg chorale_alltoallv_two_phase_bruck = {
    .coll = CHORALE_ALLTOALLV,
    .name = "two_phase_bruck",
    .summary = "bruck with blocks of their own sizes, which are sent ahead",
    .formula = "<= 2 ceil(lg P) alpha + W (8 + M) beta, W the ones of the "
               "binary numbers below P, M the largest block",
    .source = "Fan et al., HPDC 2022",
    .cost_is = CHORALE_COST_BOUND,
    .within = 1.5, /* the largest half of a ramp over its mean */
    .tells = 1,
    .copies = { 3, 0 }, /* lays each round's blocks together */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
