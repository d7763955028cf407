/* SPDX-License-Identifier: BSD-3-Clause */
/* resilient.c - flat scatter of blocks with checksum and acknowledgement.
 *
 * The receiver verifies a checksum and replies; the root resends a rejected
 * block, up to retries times. After that both return an error. The variant
 * shows the overhead of such protection on top of the MPI library's. It does
 * not survive failed ranks, nor corrupted replies, which have no checksum.
 *
 * Rounds  2 (P - 1), two more per retransmission
 * Volume  (P - 1) (m + 8) bytes from the root, P - 1 to it
 * Cost    2 (P - 1) alpha + (P - 1) (m + 9) beta without retransmissions, plus
 *         two checksums of m bytes
 * Needs   any P, any root, any datatype; m + 8 bytes at every rank
 * Source  stop and wait; a study of overhead
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/checked.h"
#include "algorithms/engines/rooted/flat.h"

enum { REFUSED, ACCEPTED };

/* A recorded schedule has no data, so every packet is valid. */
static void seal(struct chorale_ctx *ctx, char *packet, size_t m, int dest)
{
    if (ctx->schedule == NULL)
        chorale_checked_seal(packet, m, (uint64_t)dest);
}

static int is_good(struct chorale_ctx *ctx, const char *packet, size_t m)
{
    return ctx->schedule != NULL ||
           chorale_checked_good(packet, m, (uint64_t)ctx->rank);
}

/* Send the packet until it is accepted; *accepted is set to 1 then. */
static int deliver(struct chorale_ctx *ctx, const char *packet, size_t bytes,
                   int dest, long retries, int *accepted)
{
    int err = MPI_SUCCESS;

    *accepted = 0;
    for (long i = 0; i <= retries && err == MPI_SUCCESS && !*accepted; i++) {
        char answer = ACCEPTED;

        err = chorale_send(ctx, packet, (MPI_Count)bytes, MPI_PACKED, dest);
        if (err == MPI_SUCCESS)
            err = chorale_recv(ctx, &answer, 1, MPI_BYTE, dest);
        *accepted = err == MPI_SUCCESS && answer == ACCEPTED;
    }
    return err;
}

/* All ranks are served, even if one of them has rejected its block. */
static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_equal(
        call->sendbuf, call->sendcount, call->sendtype, ctx->size);
    size_t m = chorale_type_size(call->sendtype) * (size_t)call->sendcount;
    char *packet = ctx->size > 1
                       ? chorale_scratch(ctx, m + CHORALE_CHECKED_EXTRA)
                       : NULL;
    int err = ctx->size > 1 && packet == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    int refused = 0;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int dest = (int)(((long)call->root + i) % ctx->size), accepted = 0;
        MPI_Count count;
        void *block = chorale_block(&b, dest, &count);

        err = chorale_pack(ctx, block, count, call->sendtype, packet);
        if (err == MPI_SUCCESS) {
            seal(ctx, packet, m, dest);
            err = deliver(ctx, packet, m + CHORALE_CHECKED_EXTRA, dest,
                          call->param[0], &accepted);
        }
        refused |= !accepted;
    }
    if (err == MPI_SUCCESS)
        err = chorale_scatter_own(call);
    return err == MPI_SUCCESS && refused ? MPI_ERR_OTHER : err;
}

static int run_other(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    size_t m = chorale_type_size(call->recvtype) * (size_t)call->recvcount;
    char *packet = chorale_scratch(ctx, m + CHORALE_CHECKED_EXTRA);
    char answer = REFUSED;
    int err = packet == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;

    for (long i = 0; i <= call->param[0] && err == MPI_SUCCESS &&
                     answer == REFUSED; i++) {
        err = chorale_recv(ctx, packet,
                           (MPI_Count)(m + CHORALE_CHECKED_EXTRA),
                           MPI_PACKED, call->root);
        if (err == MPI_SUCCESS) {
            answer = is_good(ctx, packet, m) ? ACCEPTED : REFUSED;
            err = chorale_send(ctx, &answer, 1, MPI_BYTE, call->root);
        }
    }
    if (err != MPI_SUCCESS)
        return err;
    return answer == REFUSED
               ? MPI_ERR_OTHER
               : chorale_unpack(ctx, packet, call->recvbuf, call->recvcount,
                                call->recvtype);
}

static int run(const struct chorale_call *call)
{
    return chorale_run_sides(call, run_root, run_other);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    double others = pt->comm_size - 1;

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = others,
        .bytes = (double)pt->msg_size + CHORALE_CHECKED_EXTRA,
    };
    term[1] = (struct chorale_term){ .messages = others, .bytes = 1 };
    return 2;
}

static size_t scratch(const struct chorale_point *pt)
{
    return pt->comm_size > 1 ? pt->msg_size + CHORALE_CHECKED_EXTRA : 0;
}

static const long retries[] = { 3 };

const struct chorale_alg chorale_scatter_resilient = {
    .coll = CHORALE_SCATTER,
    .name = "resilient",
    .summary = "the root sends blocks with checksums, again if rejected",
    .formula = "2 (P-1) alpha + (P-1) (m + 9) beta",
    .source = "stop and wait",
    .unselectable = "a study of overhead: checked and acknowledged blocks",
    .nparam = 1,
    .param = { {
        .name = "retries",
        .unit = "retransmissions of a block",
        .def = 3,
        .min = 0,
        .max = 1000,
        .candidate = retries,
        .ncandidate = 1,
    } },
    .copies = { 1, 0 }, /* the checksum lies behind the block */
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
