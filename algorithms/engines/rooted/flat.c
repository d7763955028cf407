/* SPDX-License-Identifier: BSD-3-Clause */
/* flat.c - flat gathers and scatters. */
#include "algorithms/engines/rooted/flat.h"

#include "algorithms/engines/rooted/rooted.h"

const long chorale_max_reqs[CHORALE_NMAX_REQS] = { 0, 2, 4, 8, 16, 32, 64 };

int chorale_run_sides(const struct chorale_call *call,
                      chorale_side *root_side, chorale_side *other_side)
{
    size_t mark = chorale_scratch_mark(call->ctx);
    int err = call->ctx->rank == call->root ? root_side(call)
                                            : other_side(call);

    chorale_scratch_release(call->ctx, mark);
    return err;
}

int chorale_flat_batch(long max_reqs, int comm_size)
{
    int all = comm_size - 1;

    return max_reqs > 1 && max_reqs < all ? (int)max_reqs : all;
}

/* Number of requests of a scatter, without the blocking sends. */
static int nonblocking(long max_reqs, int comm_size)
{
    int all = comm_size - 1;

    return max_reqs > 1 ? all - (int)(all / max_reqs) : all;
}

/* One collective, at the root or another rank. */
struct flat {
    struct chorale_ctx *ctx;
    int root, sends;         /* sends: the root sends */
    struct chorale_rooted side;
};

/* Start the root's message with another rank, or complete it if req is NULL.
 * Empty given blocks are skipped: *none is set to 1. */
static int one(const struct flat *f, int rank, MPI_Request *req, int *none)
{
    MPI_Datatype type = f->side.all.type;
    MPI_Count count;
    void *block = chorale_block(&f->side.all, rank, &count);

    *none = f->side.all.counts != NULL &&
            (count == 0 || chorale_type_size(type) == 0);
    if (*none)
        return MPI_SUCCESS;
    if (req == NULL)
        return f->sends ? chorale_send(f->ctx, block, count, type, rank)
                        : chorale_recv(f->ctx, block, count, type, rank);
    return f->sends ? chorale_isend(f->ctx, block, count, type, rank, req)
                    : chorale_irecv(f->ctx, block, count, type, rank, req);
}

static int next_rank(int rank, int size)
{
    return rank + 1 < size ? rank + 1 : 0;
}

static int all_in_turn(const struct flat *f)
{
    int size = f->ctx->size, none, err = MPI_SUCCESS;

    for (int r = next_rank(f->root, size); r != f->root && err == MPI_SUCCESS;
         r = next_rank(r, size))
        err = one(f, r, NULL, &none);
    return err;
}

/* Receive in batches; req has room for one. Active receives are completed even
 * after an error, because they use the user's buffer. */
static int receive_batches(const struct flat *f, MPI_Request *req, int batch)
{
    int size = f->ctx->size, under_way = 0, err = MPI_SUCCESS, none, last;

    for (int r = next_rank(f->root, size); r != f->root && err == MPI_SUCCESS;
         r = next_rank(r, size)) {
        err = one(f, r, &req[under_way], &none);
        under_way += err == MPI_SUCCESS && !none;
        if (err == MPI_SUCCESS && under_way == batch) {
            err = chorale_waitall(f->ctx, under_way, req);
            under_way = 0;
        }
    }
    last = chorale_waitall(f->ctx, under_way, req);
    return err == MPI_SUCCESS ? last : err;
}

/* Send all; every max_reqs-th send blocks, req has room for the others. */
static int send_all(const struct flat *f, MPI_Request *req, long max_reqs)
{
    int size = f->ctx->size, under_way = 0, err = MPI_SUCCESS, none, last;
    long sent = 0;

    for (int r = next_rank(f->root, size); r != f->root && err == MPI_SUCCESS;
         r = next_rank(r, size)) {
        int blocks = max_reqs > 1 && (sent + 1) % max_reqs == 0;

        err = one(f, r, blocks ? NULL : &req[under_way], &none);
        sent += !none;
        under_way += err == MPI_SUCCESS && !none && !blocks;
    }
    last = chorale_waitall(f->ctx, under_way, req);
    return err == MPI_SUCCESS ? last : err;
}

static int run_root(const struct flat *f, long max_reqs)
{
    struct chorale_ctx *ctx = f->ctx;
    size_t mark = chorale_scratch_mark(ctx);
    int room = f->sends ? nonblocking(max_reqs, ctx->size)
                        : chorale_flat_batch(max_reqs, ctx->size);
    MPI_Request *req;
    int err;

    if (max_reqs == CHORALE_IN_TURN)
        return all_in_turn(f);
    req = chorale_scratch(ctx, (size_t)room * sizeof(*req));
    if (req == NULL)
        return MPI_ERR_NO_MEM;
    err = f->sends ? send_all(f, req, max_reqs)
                   : receive_batches(f, req, room);
    chorale_scratch_release(ctx, mark);
    return err;
}

static int run_other(const struct flat *f)
{
    const struct chorale_rooted *r = &f->side;

    return f->sends ? chorale_recv(f->ctx, r->buf, r->count, r->type, f->root)
                    : chorale_send(f->ctx, r->buf, r->count, r->type, f->root);
}

static int is_empty(const struct flat *f)
{
    return chorale_rooted_bytes(&f->side) == 0;
}

/* --- the four collectives --------------------------------------------- */

static struct flat flat_at(const struct chorale_call *call,
                           enum chorale_coll coll)
{
    return (struct flat){ .ctx = call->ctx,
                          .root = call->root,
                          .sends = coll == CHORALE_SCATTER ||
                                   coll == CHORALE_SCATTERV,
                          .side = chorale_rooted_at(call, coll) };
}

int chorale_flat_gather(const struct chorale_call *call, long max_reqs)
{
    struct flat f = flat_at(call, CHORALE_GATHER);
    int err;

    if (call->ctx->rank != call->root)
        return run_other(&f);
    err = run_root(&f, max_reqs);
    return err == MPI_SUCCESS ? chorale_gather_own(call, call->root) : err;
}

int chorale_flat_gatherv(const struct chorale_call *call, long max_reqs)
{
    struct flat f = flat_at(call, CHORALE_GATHERV);
    int err;

    if (call->ctx->rank != call->root)
        return is_empty(&f) ? MPI_SUCCESS : run_other(&f);
    err = run_root(&f, max_reqs);
    return err == MPI_SUCCESS ? chorale_gatherv_own(call) : err;
}

int chorale_flat_scatter(const struct chorale_call *call, long max_reqs)
{
    struct flat f = flat_at(call, CHORALE_SCATTER);
    int err;

    if (call->ctx->rank != call->root)
        return run_other(&f);
    err = run_root(&f, max_reqs);
    return err == MPI_SUCCESS ? chorale_scatter_own(call) : err;
}

int chorale_flat_scatterv(const struct chorale_call *call, long max_reqs)
{
    struct flat f = flat_at(call, CHORALE_SCATTERV);
    int err;

    if (call->ctx->rank != call->root)
        return is_empty(&f) ? MPI_SUCCESS : run_other(&f);
    err = run_root(&f, max_reqs);
    return err == MPI_SUCCESS ? chorale_scatterv_own(call) : err;
}

int chorale_gatherv_own(const struct chorale_call *call)
{
    if (call->sendbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return chorale_copy(call->ctx, call->sendbuf, call->sendcount,
                        call->sendtype,
                        chorale_at(call->recvbuf,
                                   chorale_type_extent(call->recvtype),
                                   call->rdispls[call->root]),
                        call->recvcounts[call->root], call->recvtype);
}

int chorale_scatterv_own(const struct chorale_call *call)
{
    if (call->recvbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return chorale_copy(call->ctx,
                        chorale_at(call->sendbuf,
                                   chorale_type_extent(call->sendtype),
                                   call->sdispls[call->root]),
                        call->sendcounts[call->root], call->sendtype,
                        call->recvbuf, call->recvcount, call->recvtype);
}

/* --- cost ------------------------------------------------------------- */

static size_t divisor(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Block i has unit * (whole i + floor(rest i / steps)) bytes, i = 0 ...
 * steps. */
double chorale_ramp_total(const struct chorale_point *pt, double *nonempty)
{
    size_t unit = chorale_unit(pt);
    size_t steps = (size_t)pt->comm_size - 1, whole, rest;
    double sum, n = (double)steps;

    if (steps == 0) {
        if (nonempty != NULL)
            *nonempty = pt->msg_size > 0;
        return (double)pt->msg_size;
    }
    whole = 2 * (pt->msg_size / unit) / steps;
    rest = 2 * (pt->msg_size / unit) % steps;
    sum = (double)whole * n * (n + 1) / 2;
    if (rest > 0) /* number of lattice points below a line */
        sum += ((double)(rest - 1) * (n - 1) +
                (double)divisor(rest, steps) - 1) / 2 + (double)rest;
    if (nonempty != NULL)
        *nonempty = whole > 0 ? n
                    : rest > 0
                        ? (double)(steps - (steps + rest - 1) / rest + 1)
                        : 0;
    return (double)unit * sum;
}

int chorale_cost_flat_v(const struct chorale_point *pt,
                        struct chorale_term *term)
{
    size_t unit = chorale_unit(pt), own;
    double messages, bytes = chorale_ramp_total(pt, &messages);

    own = chorale_ramp(pt->msg_size, unit, pt->comm_size, pt->root);
    messages -= own > 0;
    bytes -= (double)own;
    if (messages < 1)
        return 0;
    term[0] = (struct chorale_term){ .messages = messages,
                                     .bytes = bytes / messages };
    return 1;
}

size_t chorale_scratch_flat_receives(const struct chorale_point *pt)
{
    return sizeof(MPI_Request) *
           (size_t)chorale_flat_batch(pt->param[0], pt->comm_size);
}

size_t chorale_scratch_flat_sends(const struct chorale_point *pt)
{
    return sizeof(MPI_Request) *
           (size_t)nonblocking(pt->param[0], pt->comm_size);
}
