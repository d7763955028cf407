/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_sync.c - flat gather in which the root requests each block.
 *
 * The root sends each rank an empty message, receives the first segment of its
 * block, then the rest. The root is therefore never flooded. While the rest of
 * one block arrives, the next rank is requested.
 *
 * Rounds  2 P - 1                             P = comm_size, n = m P bytes
 * Volume  (P - 1) m bytes, all into the root
 * Cost    (2 P - 1) alpha + (P - 1) m beta, exact: only the first request is
 *         not hidden. Blocks of one segment have no rest that could hide a
 *         request: (2 P - 2) alpha
 * Needs   any P, any root, any datatype; split as packed bytes
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/blocks.h"
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/rooted/packed.h"

#include <limits.h>

/* Bytes of the first segment. */
static size_t first_bytes(size_t m, long first_segsize)
{
    return first_segsize > 0 && (size_t)first_segsize < m
               ? (size_t)first_segsize
               : m;
}

/* Receive of the rest of a block into p, if any. */
struct rest {
    MPI_Request req;
    int comes;
};

static int finish(struct chorale_packed *p, struct rest *rest)
{
    int err;

    if (!rest->comes)
        return MPI_SUCCESS;
    err = chorale_wait(p->ctx, &rest->req);
    rest->comes = 0;
    return err == MPI_SUCCESS ? chorale_packed_unpack(p) : err;
}

static int recv_one(struct chorale_packed *p, struct rest *rest, void *block,
                    int source, size_t first)
{
    int err = chorale_send(p->ctx, NULL, 0, MPI_BYTE, source), last;

    last = finish(p, rest);
    if (err != MPI_SUCCESS || last != MPI_SUCCESS)
        return err != MPI_SUCCESS ? err : last;
    chorale_packed_turn(p, block);
    err = chorale_recv(p->ctx, p->bytes, (MPI_Count)first, MPI_PACKED,
                       source);
    if (err != MPI_SUCCESS || first == p->n)
        return err == MPI_SUCCESS ? chorale_packed_unpack(p) : err;
    err = chorale_irecv(p->ctx, p->bytes + first, (MPI_Count)(p->n - first),
                        MPI_PACKED, source, &rest->req);
    rest->comes = err == MPI_SUCCESS;
    return err;
}

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_blocks b = chorale_blocks_equal(
        call->recvbuf, call->recvcount, call->recvtype, ctx->size);
    struct rest rest = { .comes = 0 };
    struct chorale_packed p;
    MPI_Count count;
    int last, err = chorale_packed_init(&p, ctx, call->recvbuf,
                                        call->recvcount, call->recvtype);
    size_t first = first_bytes(p.n, call->param[0]);

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int source = (int)(((long)call->root + i) % ctx->size);

        err = recv_one(&p, &rest, chorale_block(&b, source, &count), source,
                       first);
    }
    last = finish(&p, &rest);
    err = err == MPI_SUCCESS ? last : err;
    return err == MPI_SUCCESS ? chorale_gather_own(call, call->root) : err;
}

static int run_other(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct chorale_packed p;
    int err = chorale_packed_init(&p, ctx, call->sendbuf, call->sendcount,
                                  call->sendtype);
    size_t first = first_bytes(p.n, call->param[0]);

    if (err == MPI_SUCCESS)
        err = chorale_packed_pack(&p);
    if (err == MPI_SUCCESS)
        err = chorale_recv(ctx, NULL, 0, MPI_BYTE, call->root);
    if (err == MPI_SUCCESS)
        err = chorale_send(ctx, p.bytes, (MPI_Count)first, MPI_PACKED,
                           call->root);
    if (err == MPI_SUCCESS && first < p.n)
        err = chorale_send(ctx, p.bytes + first, (MPI_Count)(p.n - first),
                           MPI_PACKED, call->root);
    return err;
}

static int run(const struct chorale_call *call)
{
    return chorale_run_sides(call, run_root, run_other);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    size_t first = first_bytes(pt->msg_size, pt->param[0]);
    double others = pt->comm_size - 1;
    int rest = first < pt->msg_size;

    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = rest ? 1 : others };
    term[1] = (struct chorale_term){ .messages = others,
                                     .bytes = (double)first };
    term[2] = (struct chorale_term){
        .messages = others,
        .bytes = (double)(pt->msg_size - first),
    };
    return rest ? 3 : 2;
}

static const long first_segsize[] = { 1024, 4096, 32768 };
static const long more[] = { 0, 8192, 16384, 65536, 131072, 524288, 1048576 };

const struct chorale_alg chorale_gather_linear_sync = {
    .coll = CHORALE_GATHER,
    .name = "linear_sync",
    .summary = "the root requests every block, which comes in two messages",
    .formula = "2 (P-1) alpha + (P-1)/P n beta; first_segsize > 0, m > "
               "first_segsize: + alpha",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .nparam = 1,
    .param = { {
        .name = "first_segsize",
        .unit = "bytes, 0: the whole block",
        .def = 1024,
        .min = 0,
        .max = LONG_MAX,
        .candidate = first_segsize,
        .ncandidate = sizeof(first_segsize) / sizeof(*first_segsize),
        .more = more,
        .nmore = sizeof(more) / sizeof(*more),
    } },
    .core = CHORALE_CORE_ANY,
    .run = run,
    .cost = cost,
};
