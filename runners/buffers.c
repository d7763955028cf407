/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c - the buffers and arguments of one point. */
#include "runners/runner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/kinds.h"

#define PAGE 4096

int chorale_task_root(const struct chorale_task *task, int size, int round)
{
    const int roots[3] = { 0, size / 2, size - 1 };

    switch ((enum chorale_root_policy)task->root_policy) {
    case CHORALE_ROOT_NONE:
    case CHORALE_ROOT_FIRST:
        return roots[0];
    case CHORALE_ROOT_MIDDLE:
        return roots[1];
    case CHORALE_ROOT_LAST:
        return roots[2];
    case CHORALE_ROOT_ROTATE:
        return roots[round % 3];
    }
    return 0;
}

static int ever_root(const struct chorale_task *task, int size, int rank)
{
    for (int round = 0; round < 3; round++)
        if (chorale_task_root(task, size, round) == rank)
            return 1;
    return 0;
}

/* Blocks of m bytes in the send and receive buffer of a rank. */
static void blocks(const struct chorale_task *task, int size, int is_root,
                   double *send, double *recv)
{
    switch ((enum chorale_coll)task->coll) {
    case CHORALE_BCAST:
        *send = 0;
        *recv = 1;
        break;
    case CHORALE_REDUCE:
        *send = 1;
        *recv = is_root;
        break;
    case CHORALE_ALLREDUCE:
        *send = *recv = 1;
        break;
    case CHORALE_GATHER:
        *send = 1;
        *recv = is_root ? size : 0;
        break;
    case CHORALE_ALLGATHER:
        *send = 1;
        *recv = size;
        break;
    case CHORALE_SCATTER:
        *send = is_root ? size : 0;
        *recv = 1;
        break;
    case CHORALE_REDUCE_SCATTER_BLOCK:
        *send = size;
        *recv = 1;
        break;
    case CHORALE_NCOLL:
        *send = *recv = 0;
    }
}

double chorale_problem_memory(const struct chorale_bench *bench,
                              const struct chorale_task *task)
{
    double m = (double)task->msg_size, all = 0, scratch = 0, send, recv;

    for (int r = 0; r < bench->node_size; r++) {
        blocks(task, bench->size, ever_root(task, bench->size, r), &send,
               &recv);
        all += m * (send + recv);
    }
    for (int i = 0; i < task->ncand; i++) {
        const struct chorale_cand *cand = &bench->work.cand[task->first + i];
        struct chorale_point pt = {
            .comm_size = bench->size,
            .msg_size = (size_t)task->msg_size,
            .n = chorale_coll_n((enum chorale_coll)task->coll,
                                (size_t)task->msg_size, bench->size),
            .type_size = chorale_dtype(task->dtype)->size,
            .commutative = 1,
        };
        const struct chorale_alg *alg =
            cand->alg >= 0 ? chorale_algs[cand->alg] : NULL;

        if (alg == NULL || alg->scratch == NULL)
            continue;
        memcpy(pt.param, cand->param, sizeof(pt.param));
        if ((double)alg->scratch(&pt) > scratch)
            scratch = (double)alg->scratch(&pt);
    }
    return all + scratch * bench->node_size;
}

static char *pages(size_t bytes)
{
    void *p = NULL;

    if (posix_memalign(&p, PAGE, bytes > 0 ? bytes : 1) != 0)
        return NULL;
    memset(p, 0, bytes > 0 ? bytes : 1); /* touched before any timing */
    return p;
}

int chorale_problem_init(struct chorale_bench *bench,
                         const struct chorale_task *task,
                         struct chorale_problem *prob)
{
    const struct chorale_dtype *dtype = chorale_dtype(task->dtype);
    double send, recv;
    int failed = 0, rc;

    memset(prob, 0, sizeof(*prob));
    prob->op = MPI_OP_NULL;
    blocks(task, bench->size, ever_root(task, bench->size, bench->rank), &send,
           &recv);
    prob->task = task;
    prob->pt.comm_size = bench->size;
    prob->pt.msg_size = (size_t)task->msg_size;
    prob->pt.n = chorale_coll_n((enum chorale_coll)task->coll,
                                prob->pt.msg_size, bench->size);
    prob->pt.type_size = dtype->size;
    prob->pt.commutative = 1;
    prob->type = chorale_dtype_handle(task->dtype);
    prob->count = task->msg_size / (int64_t)dtype->size;
    prob->send_bytes = (size_t)(send * (double)task->msg_size);
    prob->recv_bytes = (size_t)(recv * (double)task->msg_size);
    rc = chorale_op_new(task->op, task->dtype, bench->work.set.tau,
                        &prob->op);
    prob->send = pages(prob->send_bytes);
    prob->recv = pages(prob->recv_bytes);
    if (rc != MPI_SUCCESS || prob->send == NULL || prob->recv == NULL ||
        prob->count > INT_MAX)
        failed = 1;
    rc = PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX,
                        bench->world);
    return rc != MPI_SUCCESS || failed ? -1 : 0;
}

void chorale_problem_free(struct chorale_problem *prob)
{
    chorale_op_free(&prob->op);
    free(prob->send);
    free(prob->recv);
    prob->send = prob->recv = NULL;
}
