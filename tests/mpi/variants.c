/* SPDX-License-Identifier: BSD-3-Clause */
/* variants.c - every variant of the catalogue against the plain definition of
 * its collective: roots, counts, types, MPI_IN_PLACE, operations. One TAP
 * line per variant and communicator, from rank 0. Compiled against the MPI
 * library and against SimGrid's. */
#include "tests/mpi/fixture.h"
#include "tests/tap.h"

#include <string.h>

static const int unit_counts[] = { 0, 1, 7, 1000 };
enum { NCOUNT = 4, MIXED = NMOVE };

/* One call: the parts of it that all ranks know alike. */
struct problem {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
    int root, units, in_place;
    int layouts;             /* of data movement: a layout, or MIXED */
    const struct kind *kind; /* of a reduction */
};

static void describe(const struct problem *p, char *text, size_t size)
{
    char params[64];

    chorale_alg_params_format(p->alg, p->param, params, sizeof(params));
    snprintf(text, size, "%s%sroot %d, %d units, %s%s", params,
             *params ? ", " : "", p->root, p->units,
             p->kind ? p->kind->name
                     : p->layouts == MIXED ? "mixed types" : "one type",
             p->in_place ? ", in place" : "");
}

static void check_buffer(struct stage *st, const struct problem *p,
                         const struct buffer *b, const char *which)
{
    char text[128];
    long offset;

    if (st->failed || !buffer_wrong(b, &offset))
        return;
    describe(p, text, sizeof(text));
    stage_fail(st, "rank %d: %s: %s wrong at byte %ld", st->ctx->rank, text,
               which, offset);
}

static void run(struct stage *st, const struct problem *p,
                struct chorale_call *call)
{
    char text[128];
    int err;

    call->ctx = st->ctx;
    call->root = p->root;
    call->param = p->param;
    err = p->alg->run(call);
    if (err == MPI_SUCCESS)
        return;
    describe(p, text, sizeof(text));
    stage_fail(st, "rank %d: %s: error %d", st->ctx->rank, text, err);
}

/* --- data movement ---------------------------------------------------- */

static const struct layout *pick(const struct stage *st,
                                 const struct problem *p, int shift)
{
    int i = p->layouts == MIXED ? (st->ctx->rank + shift) % NMOVE
                                : p->layouts;

    return &st->fix->layout[i];
}

static void set_call(struct chorale_call *call, const struct problem *p,
                     const struct buffer *send, const struct buffer *recv)
{
    if (send->layout != NULL) {
        call->sendbuf = send->base;
        call->sendcount = (MPI_Count)p->units * send->layout->per_unit;
        call->sendtype = send->layout->type;
    }
    if (recv->layout != NULL) {
        call->recvbuf = recv->base;
        call->recvcount = (MPI_Count)p->units * recv->layout->per_unit;
        call->recvtype = recv->layout->type;
    }
}

/* Blocks in the send and receive buffers of this rank; 0: not significant. */
static int send_blocks(const struct stage *st, const struct problem *p)
{
    int at_root = st->ctx->rank == p->root;

    switch (p->alg->coll) {
    case CHORALE_SCATTER:
        return at_root ? st->ctx->size : 0;
    case CHORALE_GATHER:
        return p->in_place && at_root ? 0 : 1;
    case CHORALE_ALLGATHER:
        return p->in_place ? 0 : 1;
    default:
        return 0;
    }
}

static int recv_blocks(const struct stage *st, const struct problem *p)
{
    int at_root = st->ctx->rank == p->root;

    switch (p->alg->coll) {
    case CHORALE_SCATTER:
        return p->in_place && at_root ? 0 : 1;
    case CHORALE_GATHER:
        return at_root ? st->ctx->size : 0;
    case CHORALE_ALLGATHER:
        return st->ctx->size;
    default:
        return 1;
    }
}

static void expect_move(const struct stage *st, const struct problem *p,
                        struct buffer *send, struct buffer *recv)
{
    int rank = st->ctx->rank, n = st->ctx->size;

    switch (p->alg->coll) {
    case CHORALE_BCAST:
        buffer_fill(recv, p->units, 0, p->root, 0,
                   rank == p->root ? buffer_put : buffer_want);
        break;
    case CHORALE_SCATTER:
        for (int b = 0; send->layout != NULL && b < n; b++)
            buffer_fill(send, p->units, b, p->root, b, buffer_put);
        if (recv->layout != NULL)
            buffer_fill(recv, p->units, 0, p->root, rank, buffer_want);
        break;
    default: /* gather, allgather */
        if (send->layout != NULL)
            buffer_fill(send, p->units, 0, rank, 0, buffer_put);
        for (int b = 0; recv->layout != NULL && b < n; b++)
            buffer_fill(recv, p->units, b, b, 0,
                       send->layout == NULL && b == rank ? buffer_put
                                                         : buffer_want);
    }
}

static void try_move(struct stage *st, const struct problem *p)
{
    struct chorale_call call = {
        .sendtype = MPI_DATATYPE_NULL,
        .recvtype = MPI_DATATYPE_NULL,
        .commutative = 1,
    };
    struct buffer send = { 0 }, recv = { 0 };
    int out = send_blocks(st, p), in = recv_blocks(st, p);

    if (out > 0)
        buffer_init(&send, pick(st, p, 0), out * p->units);
    if (in > 0)
        buffer_init(&recv, pick(st, p, 1), in * p->units);
    expect_move(st, p, &send, &recv);
    set_call(&call, p, &send, &recv);
    if (p->in_place && p->alg->coll == CHORALE_SCATTER && in == 0)
        call.recvbuf = MPI_IN_PLACE;
    if (p->in_place && p->alg->coll != CHORALE_SCATTER && out == 0)
        call.sendbuf = MPI_IN_PLACE;
    run(st, p, &call);
    check_buffer(st, p, &send, "send buffer");
    check_buffer(st, p, &recv, "receive buffer");
    buffer_release(&send);
    buffer_release(&recv);
}

/* --- reductions ------------------------------------------------------- */

/* The operands of this rank, and the result it should get. from: the first
 * unit of the result in the operand. */
static void expect_reduce(const struct stage *st, const struct problem *p,
                          struct buffer *in, int blocks, struct buffer *out,
                          int from)
{
    const struct kind *kind = p->kind;
    int ints = in->layout->ints;

    for (int u = 0; u < blocks * p->units; u++)
        for (int k = 0; k < ints; k++)
            buffer_put(in, u, k, kind->value(st->ctx->rank, u, k));
    for (int u = 0; out != NULL && u < p->units; u++) {
        int left[4] = { 0 }, right[4] = { 0 };

        for (int r = 0; r < st->ctx->size; r++) {
            for (int k = 0; k < ints; k++)
                (r ? right : left)[k] = kind->value(r, from + u, k);
            if (r > 0)
                kind->combine(left, right);
        }
        for (int k = 0; k < ints; k++)
            buffer_want(out, u, k, left[k]);
    }
}

static void try_reduce(struct stage *st, const struct problem *p)
{
    const struct layout *layout = &st->fix->layout[p->kind->layout];
    int scatters = p->alg->coll == CHORALE_REDUCE_SCATTER_BLOCK;
    int at_root = p->alg->coll != CHORALE_REDUCE ||
                  st->ctx->rank == p->root;
    int in_place = p->in_place && at_root;
    int blocks = scatters ? st->ctx->size : 1;
    struct chorale_call call = {
        .recvcount = (MPI_Count)p->units * layout->per_unit,
        .recvtype = layout->type,
        .op = p->kind->op,
        .commutative = p->kind->commutative,
    };
    struct buffer send = { 0 }, recv = { 0 };

    if (!in_place)
        buffer_init(&send, layout, blocks * p->units);
    if (at_root)
        buffer_init(&recv, layout, (in_place ? blocks : 1) * p->units);
    expect_reduce(st, p, in_place ? &recv : &send, blocks,
                  at_root ? &recv : NULL,
                  scatters ? st->ctx->rank * p->units : 0);
    call.sendbuf = in_place ? MPI_IN_PLACE : send.base;
    call.recvbuf = recv.base;
    run(st, p, &call);
    check_buffer(st, p, &send, "send buffer");
    check_buffer(st, p, &recv, "receive buffer");
    buffer_release(&send);
    buffer_release(&recv);
}

/* --- the matrix ------------------------------------------------------- */

/* Every type at small counts; the large one in order, and mixed. */
static void all_moves(struct stage *st, struct problem *p)
{
    int places = p->alg->coll == CHORALE_BCAST ? 1 : 2;

    for (int c = 0; c < NCOUNT; c++)
        for (p->layouts = 0; p->layouts <= MIXED; p->layouts++)
            for (p->in_place = 0; p->in_place < places; p->in_place++) {
                p->units = unit_counts[c];
                if (p->units < 1000 || p->layouts == MIXED ||
                    p->layouts == PLAIN)
                    try_move(st, p);
            }
}

/* A variant must refuse the kinds that its needs exclude; what it accepts has
 * to be right. */
static void all_reductions(struct stage *st, struct problem *p)
{
    struct chorale_point pt = { .comm_size = st->ctx->size };
    int needs_commute = (p->alg->needs & CHORALE_NEEDS_COMMUTE) != 0;

    for (int i = 0; i < NKIND; i++) {
        p->kind = &st->fix->kind[i];
        pt.commutative = p->kind->commutative;
        if (chorale_alg_refuses(p->alg, &pt) != NULL)
            continue;
        if (needs_commute && !pt.commutative)
            stage_fail(st, "does not refuse %s", p->kind->name);
        for (int c = 0; c < NCOUNT; c++)
            for (p->in_place = 0; p->in_place < 2; p->in_place++) {
                p->units = unit_counts[c];
                try_reduce(st, p);
            }
    }
}

static void all_roots(struct stage *st, struct problem *p)
{
    const struct chorale_coll_info *info = chorale_coll_info(p->alg->coll);
    int size = st->ctx->size;
    int root[4] = { 0, 1, size / 2, size - 1 };

    for (int i = 0; i < (info->rooted ? 4 : 1); i++) {
        if (i > 0 && root[i] <= root[i - 1])
            continue;
        if (root[i] >= size)
            break;
        p->root = root[i];
        if (info->reduces)
            all_reductions(st, p);
        else
            all_moves(st, p);
    }
}

/* Other values of each parameter, one at a time, on one problem. */
static void other_params(struct stage *st, struct problem *p)
{
    for (int i = 0; i < p->alg->nparam; i++) {
        const struct chorale_param *param = &p->alg->param[i];

        for (int k = 0; k < param->ncandidate + 4; k++) {
            long odd[4] = { param->min, 1, 3, param->max };

            p->param[i] = k < 4 ? odd[k] : param->candidate[k - 4];
            if (p->param[i] < param->min || p->param[i] > param->max)
                continue;
            p->root = st->ctx->size - 1;
            p->units = 7;
            p->in_place = 0;
            p->layouts = MIXED;
            if (p->kind != NULL)
                try_reduce(st, p);
            else
                try_move(st, p);
        }
        p->param[i] = param->def;
    }
}

static void test_variant(struct stage *st, const struct chorale_alg *alg)
{
    struct problem p = { .alg = alg };
    struct chorale_point pt = { .comm_size = st->ctx->size, .commutative = 1 };

    for (int i = 0; i < alg->nparam; i++)
        p.param[i] = alg->param[i].def;
    if (chorale_alg_refuses(alg, &pt) != NULL)
        return; /* this number of processes */
    all_roots(st, &p);
    p.kind = chorale_coll_info(alg->coll)->reduces ? &st->fix->kind[SUM] : NULL;
    other_params(st, &p);
    check_schedule(st, alg);
}

/* Agree on the outcome; rank 0 prints it with the first failing rank's text. */
static void report(struct stage *st, const char *name, const char *comm)
{
    int first = st->failed ? st->ctx->rank : st->ctx->size;
    int lowest;

    MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, st->ctx->comm);
    if (lowest < st->ctx->size)
        MPI_Bcast(st->text, sizeof(st->text), MPI_CHAR, lowest,
                  st->ctx->comm);
    MPI_Comm_rank(MPI_COMM_WORLD, &first);
    if (first == 0) {
        tap_ok(lowest == st->ctx->size, "%s, %s communicator", name, comm);
        if (lowest < st->ctx->size)
            tap_diag("%s", st->text);
    }
    st->failed = 0;
}

/* comm is freed. */
static void test_comm(struct fixture *fix, MPI_Comm comm, const char *which)
{
    struct stage st = { .fix = fix };
    char name[80];

    if (chorale_ctx_new(comm, &st.ctx) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check_copies(&st);
    report(&st, "copies", which);
    for (int i = 0; chorale_algs[i] != NULL; i++) {
        test_variant(&st, chorale_algs[i]);
        snprintf(name, sizeof(name), "%s %s",
                 chorale_coll_info(chorale_algs[i]->coll)->name,
                 chorale_algs[i]->name);
        report(&st, name, which);
    }
    chorale_ctx_free(st.ctx);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    struct fixture fix;
    MPI_Comm comm;
    int rank, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fixture_init(&fix);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_comm(&fix, comm, "world's");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    test_comm(&fix, comm, "reversed");
    fixture_release(&fix);
    if (rank == 0)
        status = tap_done();
    MPI_Finalize();
    return status;
}
