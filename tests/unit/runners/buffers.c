/* SPDX-License-Identifier: BSD-3-Clause */
/* buffers.c - position of a point's data before each repetition, the root of
 * each repetition, and the memory that a node needs. One process plays any
 * rank. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "algorithms/dtypes.h"
#include "runners/measure/runner.h"
#include "tests/tap.h"

enum { M = 100000 }; /* bytes of a block */

static struct chorale_bench bench;

/* Bytes that the kernel wrote to this process, from read_from on. */
static const char *read_from;
static size_t read_bytes;

/* Replaces read() of the C library, and records where the kernel wrote. */
ssize_t read(int fd, void *buf, size_t bytes)
{
    ssize_t n = syscall(SYS_read, fd, buf, bytes);

    if (read_bytes == 0)
        read_from = buf;
    read_bytes += (const char *)buf == read_from + read_bytes && n > 0
                      ? (size_t)n
                      : 0;
    return n;
}

/* Play rank `rank` of `size` ranks on one node. */
static void play(int size, int rank, int siblings, double max_memory)
{
    bench.world_size = 1;
    bench.size = size;
    bench.rank = rank;
    bench.node_size = size * siblings;
    bench.work.siblings = siblings;
    bench.work.set.max_memory = max_memory;
}

static struct chorale_task task_of(enum chorale_coll coll, int buffers)
{
    struct chorale_task task = {
        .coll = (int)coll, .dtype = chorale_dtype_find("byte"), .op = -1,
        .root_policy = CHORALE_ROOT_FIRST, .buffers = buffers, .msg_size = M,
    };

    return task;
}

static void roots(void)
{
    static const struct {
        enum chorale_root_policy policy;
        int size, ppn, root[4];
    } want[] = {
        { CHORALE_ROOT_NONE, 7, 0, { 0, 0, 0, 0 } },
        { CHORALE_ROOT_FIRST, 7, 0, { 0, 0, 0, 0 } },
        { CHORALE_ROOT_MIDDLE, 7, 0, { 3, 3, 3, 3 } },
        { CHORALE_ROOT_LAST, 7, 0, { 6, 6, 6, 6 } },
        { CHORALE_ROOT_ROTATE, 7, 0, { 0, 3, 6, 0 } },
        { CHORALE_ROOT_ROTATE, 16, 0, { 0, 8, 15, 0 } },
        { CHORALE_ROOT_ROTATE, 16, 8, { 0, 9, 15, 0 } },
        { CHORALE_ROOT_MIDDLE, 8, 1, { 4, 4, 4, 4 } },
        { CHORALE_ROOT_MIDDLE, 12, 4, { 6, 6, 6, 6 } },
        { CHORALE_ROOT_ROTATE, 2, 2, { 0, 1, 1, 0 } },
        { CHORALE_ROOT_LAST, 1, 1, { 0, 0, 0, 0 } },
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct chorale_task task = { .root_policy = (int)want[i].policy };
        int same = 1;

        for (int round = 0; round < 4; round++)
            same &= want[i].root[round] ==
                    chorale_task_root(&task, want[i].size, want[i].ppn,
                                      round);
        tap_ok(same, "roots of policy %d rotate as expected at P = %d, ppn %d",
               (int)want[i].policy, want[i].size, want[i].ppn);
    }
}

/* Twice the bytes of the caches that a rank may fill; 0 if unknown. */
static size_t caches(void)
{
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

    return bytes > 0 ? 2 * (size_t)(bytes / bench.node_size) : 0;
}

/* Node memory that has room for twice the caches on any machine; some caches
 * have half a gigabyte. */
static double enough(void)
{
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

    return 1e9 + (bytes > 0 ? 4.0 * (double)bytes : 0);
}

static int init(struct chorale_problem *prob, const struct chorale_task *task)
{
    char why[160];
    int rc = chorale_problem_init(&bench, task, prob, why, sizeof(why));

    return tap_ok(rc == MPI_SUCCESS && why[0] == '\0', "buffers are made");
}

static void warm(void)
{
    struct chorale_task task = task_of(CHORALE_ALLGATHER,
                                       CHORALE_BUFFERS_WARM);
    struct chorale_problem prob;
    char *send, *recv;

    play(5, 2, 1, 1e9);
    if (!init(&prob, &task))
        return;
    send = prob.send;
    recv = prob.recv;
    for (int i = 0; i < 5; i++)
        chorale_problem_prepare(&prob);
    tap_ok(prob.send == send && prob.recv == recv,
           "warm: buffers stay where they were");
    tap_ok(prob.flush == NULL, "warm: no cache is flushed");
    chorale_problem_free(&bench, &prob);
}

/* 1 if each copy is used once before any is used again, without overlap. */
static int all_in_turn(struct chorale_problem *prob)
{
    size_t used = prob->send_bytes + prob->recv_bytes;

    for (int i = 0; i < prob->ncopy; i++) {
        memset(prob->send, i + 1, prob->send_bytes);
        memset(prob->recv, i + 1, prob->recv_bytes);
        chorale_problem_prepare(prob);
    }
    for (int i = 0; i < prob->ncopy; i++) {
        for (size_t k = 0; k < used; k++)
            if ((k < prob->send_bytes
                     ? prob->send[k]
                     : prob->recv[k - prob->send_bytes]) != (char)(i + 1))
                return 0;
        chorale_problem_prepare(prob);
    }
    return 1;
}

static void rotated(void)
{
    struct chorale_task task = task_of(CHORALE_ALLGATHER,
                                       CHORALE_BUFFERS_ROTATE);
    struct chorale_problem prob;

    play(5, 2, 1, enough());
    if (!init(&prob, &task))
        return;
    tap_ok(prob.ncopy > 1 &&
               (size_t)prob.ncopy * prob.stride >= caches(),
           "rotated: %d copies fill the caches twice", prob.ncopy);
    tap_ok(all_in_turn(&prob), "rotated: copies take turns and do not overlap");
    chorale_problem_free(&bench, &prob);

    /* Room for three copies per rank, each of 6 blocks. */
    play(5, 2, 1, 3.5 * 6 * (M + 4096) * 5);
    if (!init(&prob, &task))
        return;
    tap_ok(prob.ncopy <= 3, "the number of copies fits into memory: %d",
           prob.ncopy);
    chorale_problem_free(&bench, &prob);
    play(5, 2, 1, 6 * (M + 4096) * 5);
    if (!init(&prob, &task))
        return;
    tap_ok(prob.ncopy == 1, "memory for one copy gives one copy");
    chorale_problem_free(&bench, &prob);
}

/* Successive points share memory; each begins at a part not used before. */
static void kept(void)
{
    struct chorale_task task = task_of(CHORALE_ALLGATHER,
                                       CHORALE_BUFFERS_ROTATE);
    struct chorale_problem prob;
    const char *memory, *end;

    play(5, 2, 1, enough());
    chorale_buffers_release(&bench);
    read_bytes = 0;
    if (!init(&prob, &task))
        return;
    memory = prob.memory;
    tap_ok(read_from == memory &&
               read_bytes == (size_t)prob.ncopy * prob.stride,
           "the kernel has written every page of the copies before timing");
    tap_ok(prob.send == memory,
           "the first point begins at the start of the memory");
    for (int i = 0; i < 2; i++)
        chorale_problem_prepare(&prob);
    end = prob.send + prob.stride;
    chorale_problem_free(&bench, &prob);
    task.msg_size = M / 2;
    if (!init(&prob, &task))
        return;
    tap_ok(prob.memory == memory, "the next point has the same memory");
    tap_ok(prob.send >= end && prob.send < end + prob.stride,
           "it begins behind the last used copy");
    while (prob.copy + 1 < prob.ncopy)
        chorale_problem_prepare(&prob);
    chorale_problem_free(&bench, &prob);
    task.msg_size = M;
    if (!init(&prob, &task))
        return;
    tap_ok(prob.send == memory || prob.copy == prob.ncopy - 1,
           "after the last copy the first one follows");
    chorale_problem_free(&bench, &prob);

    play(5, 2, 1, 3.5 * 6 * (M + 4096) * 5);
    if (!init(&prob, &task))
        return;
    tap_ok((double)bench.copies.bytes <= 3.5 * 6 * (M + 4096),
           "kept memory does not exceed the limit");
    chorale_problem_free(&bench, &prob);
    if (caches() == 0)
        return;
    play(5, 2, 1, 1e12);
    task.msg_size = (int64_t)caches();
    if (!init(&prob, &task))
        return;
    chorale_problem_free(&bench, &prob);
    tap_ok(bench.copies.memory == NULL,
           "small points keep no memory");
}

static void cold(void)
{
    struct chorale_task task = task_of(CHORALE_BCAST, CHORALE_BUFFERS_COLD);
    struct chorale_problem prob;
    size_t bad = 0;
    char *recv;

    play(5, 2, 1, enough());
    if (!init(&prob, &task))
        return;
    recv = prob.recv;
    tap_ok(prob.flush != NULL && prob.flush_bytes >= caches() &&
               prob.flush_bytes > 0,
           "cold: a buffer of twice the caches is written between repetitions");
    for (int i = 0; i < 3; i++)
        chorale_problem_prepare(&prob);
    for (size_t i = 0; i < prob.flush_bytes; i += 64)
        bad += prob.flush[i] != 3;
    tap_ok(bad == 0, "cold: each cache line of it is written each time");
    tap_ok(prob.recv == recv, "cold: the data stay where they were");
    chorale_problem_free(&bench, &prob);
}

static void memory(void)
{
    static const struct {
        enum chorale_coll coll;
        int siblings;
        double blocks; /* of M bytes, on a node with P = 4 */
    } want[] = {
        { CHORALE_BCAST, 1, 4 },
        { CHORALE_GATHER, 1, 4 + 4 }, /* each sends one, the root has all */
        { CHORALE_GATHER, 2, 2 * (4 + 4) },
        { CHORALE_GATHER, 3, 3 * (4 + 4) },
        { CHORALE_ALLTOALL, 1, 4 * 8 },
        { CHORALE_ALLTOALL, 2, 2 * 4 * 8 },
        { CHORALE_BARRIER, 2, 0 },
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        struct chorale_task task = task_of(want[i].coll,
                                           CHORALE_BUFFERS_WARM);
        double need;

        play(4, 0, want[i].siblings, 1e9);
        need = chorale_problem_memory(&bench, &task);
        if (!tap_ok(need == want[i].blocks * M,
                    "memory of a %s with %d communicators on the node is exact",
                    chorale_coll_info(want[i].coll)->name, want[i].siblings))
            tap_diag("%.0f bytes, not %.0f", need, want[i].blocks * M);
    }
    /* A communicator over nodes of two ranks: memory that two ranks may need.
     * */
    struct chorale_task task = task_of(CHORALE_GATHER, CHORALE_BUFFERS_WARM);

    play(8, 0, 1, 1e9);
    bench.node_size = 2;
    tap_ok(chorale_problem_memory(&bench, &task) <= 2.0 * (8 + 1) * M &&
               chorale_problem_memory(&bench, &task) >= (8 + 1 + 1.0) * M,
           "memory of a node counts only its own two of eight ranks");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    roots();
    warm();
    rotated();
    kept();
    cold();
    memory();
    chorale_buffers_release(&bench);
    MPI_Finalize();
    return tap_done();
}
