/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c - buffers and arguments of one point. */
#include "runners/measure/runner.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/dtypes.h"

#define PAGE 4096
#define LINE 64              /* bytes of a cache line */
#define FEW 8 /* with at most this many copies each serves many repetitions */
#define PIECE ((size_t)1 << 20) /* bytes of one read */
#define CACHE_UNKNOWN (32 << 20)

int chorale_task_root(const struct chorale_task *task, int size, int ppn,
                      int round)
{
    int turn = 0;

    switch ((enum chorale_root_policy)task->root_policy) {
    case CHORALE_ROOT_NONE:
    case CHORALE_ROOT_FIRST:
        break;
    case CHORALE_ROOT_MIDDLE:
        turn = 1;
        break;
    case CHORALE_ROOT_LAST:
        turn = 2;
        break;
    case CHORALE_ROOT_ROTATE:
        turn = round % 3;
        break;
    }
    return chorale_coll_root(turn, size, ppn);
}

static int ever_root(const struct chorale_task *task, int size, int ppn,
                     int rank)
{
    for (int round = 0; round < 3; round++)
        if (chorale_task_root(task, size, ppn, round) == rank)
            return 1;
    return 0;
}

/* Bytes of a rank's own block. */
static double own_block(const struct chorale_task *task, int size, int rank)
{
    enum chorale_coll coll = (enum chorale_coll)task->coll;
    size_t m = (size_t)task->msg_size;

    if (!chorale_coll_info(coll)->irregular)
        return (double)m;
    return (double)chorale_ramp(m, chorale_dtype(task->dtype)->size, size,
                                rank);
}

/* Bytes of all blocks together. */
static double all_blocks(const struct chorale_task *task, int size)
{
    double all = 0;

    for (int i = 0; i < size; i++)
        all += own_block(task, size, i);
    return all;
}

/* Bytes in the send buffer and in the receive buffer of a rank; all: of all
 * blocks. */
static void sides(const struct chorale_bench *bench,
                  const struct chorale_task *task, double all, int rank,
                  double *send, double *recv)
{
    double own = own_block(task, bench->size, rank);
    int is_root = ever_root(task, bench->size, bench->ppn, rank);

    *send = *recv = own;
    switch ((enum chorale_coll)task->coll) {
    case CHORALE_BARRIER:
    case CHORALE_NCOLL:
        *send = *recv = 0;
        break;
    case CHORALE_BCAST:
        *send = 0;
        break;
    case CHORALE_REDUCE:
        *recv = is_root ? own : 0;
        break;
    case CHORALE_ALLREDUCE:
    case CHORALE_SCAN:
    case CHORALE_EXSCAN:
        break;
    case CHORALE_GATHER:
    case CHORALE_GATHERV:
        *recv = is_root ? all : 0;
        break;
    case CHORALE_ALLGATHER:
    case CHORALE_ALLGATHERV:
        *recv = all;
        break;
    case CHORALE_SCATTER:
    case CHORALE_SCATTERV:
        *send = is_root ? all : 0;
        break;
    case CHORALE_REDUCE_SCATTER_BLOCK:
    case CHORALE_REDUCE_SCATTER:
        *send = all;
        break;
    case CHORALE_ALLTOALL:
    case CHORALE_ALLTOALLV:
        *send = *recv = all;
        break;
    }
}

double chorale_problem_memory(const struct chorale_bench *bench,
                              const struct chorale_task *task)
{
    double blocks = all_blocks(task, bench->size);
    double all = 0, most = 0, send, recv;

    for (int r = 0; r < bench->size; r++) {
        sides(bench, task, blocks, r, &send, &recv);
        all += send + recv;
        most = send + recv > most ? send + recv : most;
    }
    all *= bench->work.siblings;
    return most * bench->node_size < all ? most * bench->node_size : all;
}

/* The point in the catalogue's form, without parameters of a candidate. */
static struct chorale_point point(const struct chorale_bench *bench,
                                  const struct chorale_task *task)
{
    struct chorale_point pt = {
        .comm_size = bench->size,
        .msg_size = (size_t)task->msg_size,
        .n = chorale_coll_n((enum chorale_coll)task->coll,
                            (size_t)task->msg_size, bench->size),
        .type_size = chorale_dtype(task->dtype)->size,
        .commutative = 1,
        .ppn = bench->ppn,
    };

    return pt;
}

double chorale_problem_scratch(const struct chorale_bench *bench,
                               const struct chorale_task *task,
                               const struct chorale_cand *cand)
{
    const struct chorale_alg *alg =
        cand->alg >= 0 ? chorale_algs[cand->alg] : NULL;
    struct chorale_point pt = point(bench, task);

    if (alg == NULL || alg->scratch == NULL)
        return 0;
    memcpy(pt.param, cand->param, sizeof(pt.param));
    return (double)alg->scratch(&pt) * bench->node_size;
}

size_t chorale_problem_block(const struct chorale_problem *prob, int i,
                             size_t *offset)
{
    size_t unit = prob->pt.type_size;

    if (prob->counts == NULL) {
        *offset = prob->pt.msg_size * (size_t)i;
        return prob->pt.msg_size;
    }
    *offset = (size_t)prob->displs[i] * unit;
    return (size_t)prob->counts[i] * unit;
}

/* Set up the blocks of an irregular collective for this rank. Returns 0; 1: too
 * many elements; 2: out of memory. */
static int irregular(struct chorale_bench *bench,
                     const struct chorale_task *task,
                     struct chorale_problem *prob)
{
    size_t n = (size_t)bench->size, unit = prob->pt.type_size;
    MPI_Aint at = 0;

    if (!chorale_coll_info((enum chorale_coll)task->coll)->irregular)
        return 0;
    prob->counts = calloc(n, sizeof(*prob->counts));
    prob->displs = calloc(n, sizeof(*prob->displs));
    prob->int_counts = calloc(n, sizeof(*prob->int_counts));
    prob->int_displs = calloc(n, sizeof(*prob->int_displs));
    if (!prob->counts || !prob->displs || !prob->int_counts ||
        !prob->int_displs)
        return 2;
    for (int i = 0; i < bench->size; i++) {
        int block = task->coll == CHORALE_ALLTOALLV
                        ? (bench->rank + i) % bench->size
                        : i;
        size_t bytes = chorale_ramp(prob->pt.msg_size, unit, bench->size,
                                    block);

        prob->counts[i] = (MPI_Count)(bytes / unit);
        prob->displs[i] = at;
        at += (MPI_Aint)(bytes / unit);
        if (at > INT_MAX)
            return 1;
        prob->int_counts[i] = (int)prob->counts[i];
        prob->int_displs[i] = (int)prob->displs[i];
    }
    prob->count = prob->counts[bench->rank];
    return 0;
}

/* This rank's share of the largest cache of its node, bytes. */
static size_t cache_share(const struct chorale_bench *bench)
{
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

    if (bytes <= 0)
        bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (bytes <= 0)
        bytes = CACHE_UNKNOWN;
    return (size_t)(bytes / (bench->node_size > 0 ? bench->node_size : 1));
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

static void drop(struct chorale_kept *kept)
{
    free(kept->memory);
    *kept = (struct chorale_kept){ .memory = NULL };
}

/* Let the kernel write to each page once. On some virtual machines the kernel's
 * first write to a page is slow (tests/bench/results/measuring.md), even after
 * the program has written to it. The kernel copies long messages in shared
 * memory. If many copies of the buffers rotate, each serves few repetitions, so
 * most repetitions would include that time. An application that reuses its
 * buffers does not pay it. */
static void kernel_writes(struct chorale_kept *kept)
{
    char *p = kept->memory;
    size_t bytes = kept->bytes;
#ifdef CHORALE_SIM
    int zero = -1;
#else
    int zero = open("/dev/zero", O_RDONLY);
#endif

    while (zero >= 0 && bytes > 0) {
        ssize_t n = read(zero, p, bytes < PIECE ? bytes : PIECE);

        if (n <= 0)
            break;
        p += n;
        bytes -= (size_t)n;
    }
    if (zero >= 0)
        close(zero);
    kept->written = 1;
}

/* Reuse the kept memory if it is large enough, else allocate and touch it. */
static char *keep(struct chorale_kept *kept, size_t bytes)
{
    void *p = NULL;

    if (kept->memory != NULL && kept->bytes >= bytes)
        return kept->memory;
    drop(kept);
    if (posix_memalign(&p, PAGE, bytes > 0 ? bytes : 1) != 0)
        return NULL;
    memset(p, 0, bytes > 0 ? bytes : 1);
    *kept = (struct chorale_kept){ .memory = p, .bytes = bytes };
    return p;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void use_copy(struct chorale_problem *prob, int copy)
{
    prob->copy = copy;
    prob->send = prob->memory + (size_t)copy * prob->stride;
    prob->recv = prob->send + whole_pages(prob->send_bytes);
}

/* Allocate as many copies as fill the caches twice, within the memory limit.
 * The copies of consecutive points share the same memory: each point begins
 * behind the last copy that was used, so it gets the least recently used part.
 * Mapping the pages of a large cache anew for each point took most of a
 * launch. */
static int allocate(struct chorale_bench *bench, struct chorale_problem *prob)
{
    size_t cache = 2 * cache_share(bench), copies, flush = 0;
    double room = bench->work.set.max_memory / bench->node_size;

    prob->stride = whole_pages(prob->send_bytes) +
                   whole_pages(prob->recv_bytes);
    prob->ncopy = 1;
    if (prob->task->buffers == CHORALE_BUFFERS_ROTATE && prob->stride > 0) {
        while ((size_t)prob->ncopy * prob->stride < cache ||
               prob->ncopy < 2)
            prob->ncopy++;
        while (prob->ncopy > 1 &&
               (double)prob->ncopy * (double)prob->stride > room)
            prob->ncopy--;
    }
    copies = (size_t)prob->ncopy * prob->stride;
    if (prob->task->buffers == CHORALE_BUFFERS_COLD)
        flush = cache;
    if ((double)larger(bench->copies.bytes, copies) +
            (double)larger(bench->flush.bytes, flush) > room) {
        drop(&bench->copies);
        drop(&bench->flush);
    }
    if (bench->copies.bytes < copies)
        bench->copies_at = 0;
    prob->memory = keep(&bench->copies, copies);
    if (prob->memory != NULL && prob->ncopy > FEW && !bench->copies.written)
        kernel_writes(&bench->copies);
    if (flush > 0) {
        prob->flush_bytes = flush;
        prob->flush = keep(&bench->flush, flush);
    }
    if (prob->memory == NULL || (flush > 0 && prob->flush == NULL))
        return -1;
    use_copy(prob, prob->ncopy > 1
                       ? (int)((bench->copies_at + prob->stride - 1) /
                               prob->stride % (size_t)prob->ncopy)
                       : 0);
    return 0;
}

void chorale_problem_prepare(struct chorale_problem *prob)
{
    volatile char *p = prob->flush;

    if (prob->ncopy > 1)
        use_copy(prob, (prob->copy + 1) % prob->ncopy);
    for (size_t i = 0; p != NULL && i < prob->flush_bytes; i += LINE)
        p[i]++;
}

int chorale_problem_init(struct chorale_bench *bench,
                         const struct chorale_task *task,
                         struct chorale_problem *prob, char *why, size_t size)
{
    const struct chorale_dtype *dtype = chorale_dtype(task->dtype);
    double send, recv;
    enum { COUNT = 1, MEMORY = 2 };
    int bad = 0, rc;

    memset(prob, 0, sizeof(*prob));
    why[0] = '\0';
    prob->op = MPI_OP_NULL;
    sides(bench, task, all_blocks(task, bench->size), bench->rank, &send,
          &recv);
    prob->task = task;
    prob->pt = point(bench, task);
    prob->type = chorale_dtype_handle(task->dtype);
    prob->count = task->msg_size / (int64_t)dtype->size;
    prob->send_bytes = (size_t)send;
    prob->recv_bytes = (size_t)recv;
    if (prob->count > INT_MAX)
        bad = COUNT;
    else
        bad = irregular(bench, task, prob);
    rc = chorale_op_new(task->op, task->dtype, bench->work.set.tau,
                        &prob->op);
    if (!bad && (rc != MPI_SUCCESS || allocate(bench, prob) != 0))
        bad = MEMORY;
    rc = chorale_p2p_max(bench, &bad);
    if (bad == MEMORY)
        snprintf(why, size, "memory: the buffers could not be allocated");
    else if (bad == COUNT)
        snprintf(why, size, "count: MPI counts elements up to %d; choose a "
                            "larger --type", INT_MAX);
    return rc;
}

void chorale_buffers_release(struct chorale_bench *bench)
{
    drop(&bench->copies);
    drop(&bench->flush);
    bench->copies_at = 0;
}

/* Memory much larger than the caches is not kept, because a later point may
 * need it for its scratch buffer. */
void chorale_problem_free(struct chorale_bench *bench,
                          struct chorale_problem *prob)
{
    if (prob->ncopy > 1)
        bench->copies_at = (size_t)(prob->copy + 1) * prob->stride;
    if (bench->copies.bytes > 4 * cache_share(bench))
        drop(&bench->copies);
    chorale_op_free(&prob->op);
    free(prob->counts);
    free(prob->displs);
    free(prob->int_counts);
    free(prob->int_displs);
    memset(prob, 0, sizeof(*prob));
    prob->op = MPI_OP_NULL;
}
