/* SPDX-License-Identifier: BSD-3-Clause */
/* data_movement.c - data movement from bcast to alltoallv: each block arrives
 * where the definition of the collective puts it. */
#include "tests/mpi/problem.h"

/* One side of a call at this rank: its blocks and their positions. */
struct side {
    struct buffer b;
    int n;                               /* blocks; 0: not significant */
    int at[MAX_RANKS], units[MAX_RANKS]; /* of each block [units] */
    MPI_Count count[MAX_RANKS];          /* as MPI takes them */
    MPI_Aint displ[MAX_RANKS];
};

static int from_root(enum chorale_coll coll)
{
    return coll == CHORALE_SCATTER || coll == CHORALE_SCATTERV ||
           coll == CHORALE_BCAST;
}

static int to_root(enum chorale_coll coll)
{
    return coll == CHORALE_GATHER || coll == CHORALE_GATHERV;
}

static int each_to_each(enum chorale_coll coll)
{
    return coll == CHORALE_ALLTOALL || coll == CHORALE_ALLTOALLV;
}

/* Blocks that this rank sends; 0 if the argument is not significant. */
static int send_blocks(const struct stage *st, const struct problem *p)
{
    int at_root = st->ctx->rank == p->root;
    enum chorale_coll coll = p->alg->coll;

    if (coll == CHORALE_BCAST)
        return 0;
    if (from_root(coll))
        return at_root ? st->ctx->size : 0;
    if (to_root(coll))
        return p->in_place && at_root ? 0 : 1;
    if (p->in_place)
        return 0;
    return each_to_each(coll) ? st->ctx->size : 1;
}

static int recv_blocks(const struct stage *st, const struct problem *p)
{
    int at_root = st->ctx->rank == p->root;
    enum chorale_coll coll = p->alg->coll;

    if (coll == CHORALE_BCAST)
        return 1;
    if (from_root(coll))
        return p->in_place && at_root ? 0 : 1;
    if (to_root(coll))
        return at_root ? st->ctx->size : 0;
    return st->ctx->size;
}

/* Source and destination of block i of one side at this rank. */
static int source_of(const struct stage *st, const struct problem *p,
                     int sends, int i)
{
    if (from_root(p->alg->coll))
        return p->root;
    return sends ? st->ctx->rank : i;
}

static int dest_of(const struct stage *st, const struct problem *p, int sends,
                   int i)
{
    if (p->alg->coll == CHORALE_BCAST || to_root(p->alg->coll) ||
        p->alg->coll == CHORALE_ALLGATHER ||
        p->alg->coll == CHORALE_ALLGATHERV)
        return 0;
    return sends ? i : st->ctx->rank;
}

static const struct layout *pick(const struct stage *st,
                                 const struct problem *p, int sends)
{
    int shift = st->ctx->rank + p->seed + !sends, i = p->layouts;

    if (i == HALF_WIDE)
        i = shift % 2 == 0 ? WIDE : PLAIN;
    else if (i == MIXED)
        i = shift % NMOVE;
    else if (i == NOTHING)
        i = shift % 2 == 0 ? EMPTY : HOLLOW;
    else if (i == UNLIKE)
        i = UNEVEN;
    return &st->fix->layout[i];
}

/* The j-th block in memory. */
static int in_memory(const struct problem *p, int n, int j)
{
    int step = n % 3 == 0 ? (n % 5 == 0 ? 7 : 5) : 3;

    return p->placing == PERMUTED ? (j * step + n / 2) % n : j;
}

/* Set the positions of the blocks; returns the units of the buffer. */
static int lay_out(const struct stage *st, const struct problem *p,
                   struct side *s, int sends, const struct layout *l)
{
    int at = 0, irregular = chorale_coll_info(p->alg->coll)->irregular;

    for (int j = 0; j < s->n; j++) {
        int i = irregular && s->n > 1 ? in_memory(p, s->n, j) : j;

        if (irregular && s->n > 1 && p->placing != DENSE)
            at += (j + 1) % 3;
        s->at[i] = at;
        s->units[i] = block_units(p, st->ctx->size,
                                  source_of(st, p, sends, i),
                                  dest_of(st, p, sends, i));
        s->count[i] = (MPI_Count)s->units[i] * l->per_unit;
        s->displ[i] = (MPI_Aint)at * l->per_unit;
        at += s->units[i];
    }
    return at;
}

static void side_init(const struct stage *st, const struct problem *p,
                      struct side *s, int sends)
{
    const struct layout *l = pick(st, p, sends);
    int total;

    s->n = sends ? send_blocks(st, p) : recv_blocks(st, p);
    s->b = (struct buffer){ 0 };
    if (s->n == 0)
        return;
    total = lay_out(st, p, s, sends, l);
    buffer_init(&s->b, l, total, st->ctx->rank, !sends);
}

/* Integer k of a block with a bit pattern. */
static int patterned(int which, int k)
{
    static const unsigned value[NPATTERN][2] = {
        { 0xffffffff, 0xffffffff }, { 0, 0 },
        { 0xdeadbeef, 0xfff80000 }, /* a negative quiet NaN, with payload */
        { 0x7fa00001, 0xffc00001 }, /* a signalling one, a quiet one */
    };

    return (int)value[which % NPATTERN][k % 2];
}

/* Fill block i: the content depends on its source and on this call. */
static void fill(const struct stage *st, const struct problem *p,
                 struct side *s, int sends, int i, int when)
{
    int source = source_of(st, p, sends, i), dest = dest_of(st, p, sends, i);

    buffer_fill(&s->b, s->at[i], s->units[i], source + (p->seed << 8), dest,
                when);
    for (int u = 0; u < s->units[i] && p->pattern > 0; u++)
        for (int k = 0; k < s->b.layout->ints; k++)
            buffer_set(&s->b, s->at[i] + u, k,
                       patterned(source + p->pattern, k), when);
}

static void expect(const struct stage *st, const struct problem *p,
                   struct side *send, struct side *recv)
{
    int rank = st->ctx->rank;
    enum chorale_coll coll = p->alg->coll;

    for (int i = 0; i < send->n; i++)
        fill(st, p, send, 1, i, IS | WANT);
    for (int i = 0; i < recv->n; i++)
        fill(st, p, recv, 0, i, WANT);
    if (coll == CHORALE_BCAST && rank == p->root)
        fill(st, p, recv, 0, 0, IS);
    if (!p->in_place || recv->n == 0 || from_root(coll))
        ; /* the buffer has no data before the call */
    else if (each_to_each(coll)) {
        for (int i = 0; i < recv->n; i++)
            fill(st, p, recv, 1, i, IS);
    } else
        fill(st, p, recv, 0, rank, IS);
}

/* Set the arguments; those that are not significant stay null. */
static void set_call(struct chorale_call *call, const struct problem *p,
                     const struct side *send, const struct side *recv)
{
    int irregular = chorale_coll_info(p->alg->coll)->irregular;
    enum chorale_coll coll = p->alg->coll;

    *call = (struct chorale_call){
        .sendtype = MPI_DATATYPE_NULL,
        .recvtype = MPI_DATATYPE_NULL,
        .op = MPI_OP_NULL,
        .commutative = 1,
    };
    if (send->n > 0) {
        call->sendbuf = send->b.base;
        call->sendtype = send->b.layout->type;
    } else if (p->in_place && !from_root(coll))
        call->sendbuf = MPI_IN_PLACE;
    if (recv->n > 0) {
        call->recvbuf = recv->b.base;
        call->recvtype = recv->b.layout->type;
    } else if (p->in_place && from_root(coll))
        call->recvbuf = MPI_IN_PLACE;
    if (send->n > 0 && irregular &&
        (coll == CHORALE_SCATTERV || coll == CHORALE_ALLTOALLV)) {
        call->sendcounts = send->count;
        call->sdispls = send->displ;
    } else if (send->n > 0)
        call->sendcount = send->count[0];
    if (recv->n > 0 && irregular && coll != CHORALE_SCATTERV) {
        call->recvcounts = recv->count;
        call->rdispls = recv->displ;
    } else if (recv->n > 0)
        call->recvcount = recv->count[0];
}

void try_move(struct stage *st, const struct problem *p)
{
    struct chorale_call call;
    struct side send, recv;

    side_init(st, p, &send, 1);
    side_init(st, p, &recv, 0);
    expect(st, p, &send, &recv);
    set_call(&call, p, &send, &recv);
    problem_run(st, p, &call);
    problem_check(st, p, &send.b, "send buffer");
    problem_check(st, p, &recv.b, "receive buffer");
    buffer_release(&send.b);
    buffer_release(&recv.b);
}
