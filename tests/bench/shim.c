/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.c - what the shim adds to a call, in nanoseconds: see shim.sh. argv[1]
 * is the library of calls that do nothing, or "setup": then what the first
 * covered call on a communicator costs; or "real": real calls that are passed
 * on. argv[2] "passed": only what is passed on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/alg.h"
#include "algorithms/ctx.h"

enum { CALLS = 500, ROUNDS = 2001, COMMS = 151, N = 16 };

typedef int reduce_fn(const void *, void *, int, MPI_Datatype, MPI_Op, int,
                      MPI_Comm);

static struct chorale_call barrier, bcast, allreduce;
static const struct chorale_alg *dissemination, *linear, *doubling;
static reduce_fn *null_reduce;
static int in[2 * N], out[2 * N];

/* Real calls of two ranks that wait for each other take their time. */
static int rounds = ROUNDS;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* --- what is timed ----------------------------------------------------- */

static void barrier_direct(int i)
{
    (void)i;
    dissemination->run(&barrier);
}

static void barrier_shim(int i)
{
    (void)i;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast_direct(int i)
{
    (void)i;
    bcast.recvbuf = in;
    linear->run(&bcast);
}

static void bcast_shim(int i)
{
    (void)i;
    MPI_Bcast(in, N, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Another size each time: the shim chooses anew. */
static void bcast_sizes(int i)
{
    MPI_Bcast(in, N + (i & 1), MPI_INT, 0, MPI_COMM_WORLD);
}

static void allreduce_direct(int i)
{
    (void)i;
    doubling->run(&allreduce);
}

static void allreduce_shim(int i)
{
    (void)i;
    MPI_Allreduce(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_direct(int i)
{
    (void)i;
    null_reduce(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_real(int i)
{
    (void)i;
    PMPI_Reduce(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_shim(int i)
{
    (void)i;
    MPI_Reduce(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_sizes(int i)
{
    MPI_Reduce(in, out, N + (i & 1), MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* --- how ---------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof(*x), compare);
    return x[n / 2];
}

static double time_of(void (*volatile call)(int))
{
    double t = now();

    for (int i = 0; i < CALLS; i++)
        call(i);
    return (now() - t) / CALLS;
}

/* Median of the differences of neighbours in time, and of the plain call. */
static void show(const char *what, void (*direct)(int), void (*shim)(int),
                 double target)
{
    static double plain[ROUNDS], more[ROUNDS];
    int rank, size;
    double cost;

    for (int i = 0; i < rounds; i++) {
        const int turn = i & 1;
        double a = time_of(turn ? shim : direct);
        double b = time_of(turn ? direct : shim);

        plain[i] = turn ? b : a;
        more[i] = turn ? a - b : b - a;
    }
    cost = median(more, rounds);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("# %-34s P = %d: %5.1f ns more than %5.1f (at most %.0f)%s\n",
               what, size, cost, median(plain, rounds), target,
               cost > target ? ", MISSED" : "");
}

static int set_up(const char *null)
{
    void *lib = dlopen(null, RTLD_NOW | RTLD_NOLOAD);
    static struct chorale_ctx *ctx;
    MPI_Comm comm;

    if (lib == NULL)
        return -1;
    *(void **)&null_reduce = dlsym(lib, "MPI_Reduce");
    dissemination = chorale_alg_find(CHORALE_BARRIER, "dissemination");
    linear = chorale_alg_find(CHORALE_BCAST, "linear");
    doubling = chorale_alg_find(CHORALE_ALLREDUCE, "recursive_doubling");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (null_reduce == NULL || linear == NULL || doubling == NULL
        || chorale_ctx_new(comm, &ctx) != MPI_SUCCESS)
        return -1;
    barrier = (struct chorale_call){ .ctx = ctx };
    bcast = (struct chorale_call){ .ctx = ctx, .recvbuf = in, .recvcount = N,
                                   .recvtype = MPI_INT };
    allreduce = bcast;
    allreduce.sendbuf = in;
    allreduce.recvbuf = out;
    allreduce.op = MPI_SUM;
    allreduce.commutative = 1;
    return 0;
}

/* The first two calls on new communicators; the first sets them up. */
static void show_setup(void)
{
    static double first[COMMS], second[COMMS];
    int rank, size, x = 1;
    MPI_Comm comm;

    for (int i = 0; i < COMMS; i++) {
        double t;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        PMPI_Barrier(comm);
        PMPI_Barrier(MPI_COMM_WORLD);
        t = now();
        MPI_Bcast(&x, 1, MPI_INT, 0, comm);
        first[i] = now() - t;
        PMPI_Barrier(MPI_COMM_WORLD);
        t = now();
        MPI_Bcast(&x, 1, MPI_INT, 0, comm);
        second[i] = now() - t;
        MPI_Comm_free(&comm);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("# first call on a communicator       P = %d: %5.1f us, the "
               "next %.2f us\n", size, median(first, COMMS) / 1e3,
               median(second, COMMS) / 1e3);
}

int main(int argc, char **argv)
{
    const char *null = argc > 1 ? argv[1] : "";
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(null, "setup") == 0) {
        show_setup();
    } else if (strcmp(null, "real") == 0) {
        rounds = ROUNDS / 10;
        show("reduce passed on, real messages", reduce_real, reduce_shim, 15);
    } else if (set_up(null) != 0) {
        fprintf(stderr, "%s is not preloaded\n", null);
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else {
        if (size > 1 && argc < 3) {
            show("barrier by a variant", barrier_direct, barrier_shim, 30);
            show("bcast by a variant", bcast_direct, bcast_shim, 30);
            show("bcast, two sizes in turn", bcast_direct, bcast_sizes, 30);
            show("allreduce by a variant", allreduce_direct, allreduce_shim,
                 30);
        }
        show("reduce passed on", reduce_direct, reduce_shim, 15);
        show("reduce passed on, two sizes", reduce_direct, reduce_sizes, 15);
    }
    MPI_Finalize();
    return 0;
}
