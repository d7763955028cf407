/* SPDX-License-Identifier: BSD-3-Clause */
/* linear_segmented.c - flat scatter in segments, one round after the other.
 *
 * In each round the root sends one segment to every rank, so that all ranks
 * receive all the time. At most max_reqs sends are in flight and are waited for
 * together; 0 or 1: all of a round.
 *
 * Rounds  (P - 1) S, S = ceil(m/s)            P = comm_size, s = segsize
 * Volume  (P - 1) m bytes, all from the root
 * Cost    (P - 1) (S alpha + m beta): exact if a rank sends one message at a
 *         time, an upper bound if sends in flight overlap
 * Needs   any P, any root, any datatype; split as packed bytes: a root whose
 *         type has gaps packs all blocks first
 * Source  the segmented scatter of tutorials on MPI collectives
 */
#include "algorithms/catalogue.h"
#include "algorithms/engines/rooted/flat.h"
#include "algorithms/engines/rooted/packed.h"
#include "algorithms/engines/rooted/pipeline.h"

/* Sends in flight. */
struct flight {
    MPI_Request *req;
    int n, most;
};

/* Send segment number seg of every block; blocks have m bytes. */
static int send_round(const struct chorale_packed *p, size_t m, size_t seg,
                      const struct chorale_call *call, struct flight *f)
{
    struct chorale_ctx *ctx = p->ctx;
    size_t start, length = chorale_segment(m, call->param[0], seg, &start);
    int err = MPI_SUCCESS;

    for (int i = 1; i < ctx->size && err == MPI_SUCCESS; i++) {
        int dest = (int)(((long)call->root + i) % ctx->size);

        err = chorale_isend(ctx, p->bytes + m * (size_t)dest + start,
                            (MPI_Count)length, MPI_PACKED, dest,
                            &f->req[f->n]);
        f->n += err == MPI_SUCCESS;
        if (err == MPI_SUCCESS && f->n == f->most) {
            err = chorale_waitall(ctx, f->n, f->req);
            f->n = 0;
        }
    }
    return err;
}

static int run_root(const struct chorale_call *call)
{
    struct chorale_ctx *ctx = call->ctx;
    struct flight f = {
        .most = chorale_flat_batch(call->param[1], ctx->size),
    };
    size_t m = chorale_type_size(call->sendtype) * (size_t)call->sendcount;
    size_t length, segments = chorale_segments(m, (size_t)call->param[0],
                                               &length);
    struct chorale_packed p;
    int last, err = chorale_packed_init(&p, ctx, call->sendbuf,
                                        call->sendcount * ctx->size,
                                        call->sendtype);

    f.req = chorale_scratch(ctx, (size_t)f.most * sizeof(*f.req));
    if (err == MPI_SUCCESS)
        err = f.req == NULL ? MPI_ERR_NO_MEM : chorale_packed_pack(&p);
    for (size_t i = 0; i < segments && err == MPI_SUCCESS; i++)
        err = send_round(&p, m, i, call, &f);
    last = chorale_waitall(ctx, f.n, f.req);
    err = err == MPI_SUCCESS ? last : err;
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

static int run_other(const struct chorale_call *call)
{
    struct chorale_packed p;
    int err = chorale_packed_init(&p, call->ctx, call->recvbuf,
                                  call->recvcount, call->recvtype);

    if (err == MPI_SUCCESS)
        err = chorale_recv_segments(&p, call->param[0], call->root);
    return err == MPI_SUCCESS ? chorale_packed_unpack(&p) : err;
}

static int run(const struct chorale_call *call)
{
    return chorale_run_sides(call, run_root, run_other);
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    return chorale_cost_segments(pt->msg_size, pt->comm_size - 1,
                                 pt->param[0], term);
}

static size_t scratch(const struct chorale_point *pt)
{
    return sizeof(MPI_Request) *
           (size_t)chorale_flat_batch(pt->param[1], pt->comm_size);
}

const struct chorale_alg chorale_scatter_linear_segmented = {
    .coll = CHORALE_SCATTER,
    .name = "linear_segmented",
    .summary = "the root sends every rank a segment, then the next one",
    .formula = "(P-1) (ceil(m/s) alpha + m beta)",
    .source = "the segmented scatter of tutorials on MPI collectives",
    .fallback = "max_reqs 1 is no limit, as 0",
    .nparam = 2,
    .param = { CHORALE_PARAM_SEGSIZE(8192),
               CHORALE_PARAM_MAX_REQS("sends") },
    .overlaps = 1,
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
