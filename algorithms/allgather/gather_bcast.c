/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_bcast.c - gather to rank 0, then a broadcast of all blocks.
 *
 * Parameters select the two variants.
 *
 * Rounds  the sum of both; binomial: 2 L      P = comm_size, n = m P bytes,
 * Volume  binomial: L n bytes from rank 0,    L = ceil(lg P)
 *         (P - 1) m into it
 * Cost    the sum of both, exact, because all ranks wait for rank 0; binomial:
 *         2 L alpha + ((P - 1)/P n + L n) beta
 * Needs   any P, any datatype
 * Source  Pjesivac-Grbovic et al., Cluster Computing 10, 2007
 */
#include "algorithms/catalogue.h"
#include "algorithms/context.h"
#include "algorithms/engines/part.h"

static const struct chorale_alg *const gather[] = {
    &chorale_gather_binomial,
    &chorale_gather_linear,
    &chorale_gather_knomial,
};
static const char *const gather_word[] = { "binomial", "linear", "knomial" };

static const struct chorale_alg *const bcast[] = {
    &chorale_bcast_binomial,
    &chorale_bcast_scatter_ring_allgather,
    &chorale_bcast_scatter_bruck_allgather,
};
static const char *const bcast_word[] = { "binomial",
                                          "scatter_ring_allgather",
                                          "scatter_bruck_allgather" };

static int run(const struct chorale_call *call)
{
    struct chorale_call part = *call;
    int err;

    part.root = 0;
    /* MPI_Gather allows MPI_IN_PLACE at the root only. */
    if (call->ctx->rank != 0 && call->sendbuf == MPI_IN_PLACE) {
        part.sendbuf = chorale_at(call->recvbuf,
                                  chorale_type_extent(call->recvtype) *
                                      (MPI_Aint)call->recvcount,
                                  call->ctx->rank);
        part.sendcount = call->recvcount;
        part.sendtype = call->recvtype;
    }
    err = chorale_part_run(gather[call->param[0]], &part);
    if (err != MPI_SUCCESS)
        return err;
    part.recvcount = call->recvcount * call->ctx->size;
    return chorale_part_run(bcast[call->param[1]], &part);
}

/* The broadcast's point. */
static struct chorale_point whole(const struct chorale_point *pt)
{
    struct chorale_point copy = *pt;

    copy.root = 0;
    copy.msg_size = pt->n;
    return copy;
}

static int cost(const struct chorale_point *pt, struct chorale_term *term)
{
    struct chorale_point all = whole(pt);
    int n = chorale_part_cost(gather[pt->param[0]], pt, term);

    return n + chorale_part_cost(bcast[pt->param[1]], &all, term + n);
}

static size_t scratch(const struct chorale_point *pt)
{
    struct chorale_point all = whole(pt);
    size_t up = chorale_part_scratch(gather[pt->param[0]], pt);
    size_t down = chorale_part_scratch(bcast[pt->param[1]], &all);

    return up > down ? up : down;
}

static const long value[] = { 0, 1, 2 };

const struct chorale_alg chorale_allgather_gather_bcast = {
    .coll = CHORALE_ALLGATHER,
    .name = "gather_bcast",
    .summary = "gather to rank 0, then bcast of the whole",
    .formula = "as the gather and the bcast; gather=binomial, bcast=binomial: "
               "2 L alpha + ((P-1)/P + L) n beta, L = ceil(lg P)",
    .source = "Pjesivac-Grbovic et al., Cluster Computing 10, 2007",
    .core = CHORALE_CORE_FLAT,
    .nparam = 2,
    .param = { {
        .name = "gather",
        .unit = "variant of gather",
        .def = 0,
        .min = 0,
        .max = sizeof(gather) / sizeof(*gather) - 1,
        .candidate = value,
        .ncandidate = sizeof(gather) / sizeof(*gather),
        .word = gather_word,
    }, {
        .name = "bcast",
        .unit = "variant of bcast",
        .def = 0,
        .min = 0,
        .max = sizeof(bcast) / sizeof(*bcast) - 1,
        .candidate = value,
        .ncandidate = sizeof(bcast) / sizeof(*bcast),
        .word = bcast_word,
    } },
    .run = run,
    .cost = cost,
    .scratch = scratch,
};
