/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.c - nanoseconds that the shim adds to a call (shim.sh). argv[1] is the
 * library of calls that do nothing; or "setup", to time the first covered call
 * on a communicator; or "real", to time real calls that are passed on. argv[2]
 * is "served" by variants or "passed" on. argv[3] limits the collectives to
 * one, by the end of its name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "tests/bench/shim_time.h"

enum { COMMS = 151, N = 16, MAX_SIZE = 64 };

static int in[MAX_SIZE * N], out[MAX_SIZE * N];
static int counts[MAX_SIZE], displs[MAX_SIZE];
static MPI_Count wide_counts[MAX_SIZE];
static MPI_Aint wide_displs[MAX_SIZE];

#define WORLD MPI_COMM_WORLD
#define ONE in, N, MPI_INT
#define TO out, N, MPI_INT
#define TO_MANY out, counts, displs, MPI_INT
#define FROM_MANY in, counts, displs, MPI_INT
#define FOLD in, out, N, MPI_INT, MPI_SUM

/* X(name, coll, the variant that shim.sh forces, arguments, the same as fields
 * of struct chorale_call) */
#define COLLECTIVES(X)                                                       \
    X(Barrier, BARRIER, "dissemination", (WORLD), (.root = 0))               \
    X(Bcast, BCAST, "linear", (ONE, 0, WORLD), (BUFFER(in)))                 \
    X(Reduce, REDUCE, "binomial", (FOLD, 0, WORLD), (FOLDED))                \
    X(Allreduce, ALLREDUCE, "recursive_doubling", (FOLD, WORLD), (FOLDED))   \
    X(Scan, SCAN, "linear", (FOLD, WORLD), (FOLDED))                         \
    X(Exscan, EXSCAN, "linear", (FOLD, WORLD), (FOLDED))                     \
    X(Reduce_scatter_block, REDUCE_SCATTER_BLOCK, "pairwise", (FOLD, WORLD), \
      (FOLDED))                                                              \
    X(Gather, GATHER, "linear", (ONE, TO, 0, WORLD), (BOTH))                 \
    X(Scatter, SCATTER, "linear", (ONE, TO, 0, WORLD), (BOTH))               \
    X(Allgather, ALLGATHER, "ring", (ONE, TO, WORLD), (BOTH))                \
    X(Alltoall, ALLTOALL, "pairwise_shift", (ONE, TO, WORLD), (BOTH))        \
    X(Reduce_scatter, REDUCE_SCATTER, "pairwise",                            \
      (in, out, counts, MPI_INT, MPI_SUM, WORLD), (FOLDED, RECEIVES))        \
    X(Gatherv, GATHERV, "linear", (ONE, TO_MANY, 0, WORLD), (BOTH, RECEIVES))\
    X(Scatterv, SCATTERV, "linear", (FROM_MANY, TO, 0, WORLD), (BOTH, SENDS))\
    X(Allgatherv, ALLGATHERV, "ring", (ONE, TO_MANY, WORLD),                 \
      (BOTH, RECEIVES))                                                      \
    X(Alltoallv, ALLTOALLV, "pairwise_shift", (FROM_MANY, TO_MANY, WORLD),   \
      (BOTH, SENDS, RECEIVES))

#define BUFFER(b) .recvbuf = b, .recvcount = N, .recvtype = MPI_INT
#define FOLDED BUFFER(out), .sendbuf = in, .op = MPI_SUM, .commutative = 1
#define BOTH BUFFER(out), .sendbuf = in, .sendcount = N, .sendtype = MPI_INT
#define SENDS .sendcounts = wide_counts, .sdispls = wide_displs
#define RECEIVES .recvcounts = wide_counts, .rdispls = wide_displs
#define UNWRAP(...) __VA_ARGS__

/* --- what is timed ----------------------------------------------------- */

#define X(name, coll, variant, args, fields)                                 \
    static __typeof__(&MPI_##name) null_##name;                              \
    static void shim_##name(int i)                                           \
    {                                                                        \
        (void)i;                                                             \
        MPI_##name args;                                                     \
    }                                                                        \
    static void library_##name(int i)                                        \
    {                                                                        \
        (void)i;                                                             \
        null_##name args;                                                    \
    }
COLLECTIVES(X)
#undef X

static struct row {
    const char *name;
    enum chorale_coll coll;
    const char *variant;
    void (*shim)(int), (*library)(int);
    void *null;                    /* where to store its address */
    struct chorale_call call;
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM]; /* default parameters */
} row[] = {
#define X(name, coll, variant, args, fields)                                 \
    { #name, CHORALE_##coll, variant, shim_##name, library_##name,           \
      &null_##name, { UNWRAP fields }, NULL, { 0 } },
    COLLECTIVES(X)
#undef X
};

enum { NROW = sizeof(row) / sizeof(row[0]) };

static const struct row *now_timed;

static void direct(int i)
{
    struct chorale_call call = now_timed->call;

    (void)i;
    now_timed->alg->run(&call);
}

/* Another size each time, so that the shim's cached choice does not apply. */
static void bcast_sizes(int i)
{
    MPI_Bcast(in, N + (i & 1), MPI_INT, 0, MPI_COMM_WORLD);
}

static void gatherv_sizes(int i)
{
    counts[0] = N - (i & 1);
    MPI_Gatherv(in, N - (i & 1), MPI_INT, out, counts, displs, MPI_INT, 0,
                MPI_COMM_WORLD);
}

static void allgatherv_sizes(int i)
{
    counts[0] = counts[1] = N - (i & 1);
    MPI_Allgatherv(in, N - (i & 1), MPI_INT, out, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
}

static void reduce_sizes(int i)
{
    MPI_Reduce(in, out, N + (i & 1), MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_real(int i)
{
    (void)i;
    PMPI_Reduce(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static int set_up(const char *null)
{
    void *lib = dlopen(null, RTLD_NOW | RTLD_NOLOAD);
    static struct chorale_ctx *ctx;
    char symbol[64], why[160];
    MPI_Comm comm;

    for (int i = 0; i < MAX_SIZE; i++) {
        wide_counts[i] = counts[i] = N;
        wide_displs[i] = displs[i] = i * N;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (lib == NULL || chorale_ctx_new(comm, &ctx) != MPI_SUCCESS)
        return -1;
    for (int i = 0; i < NROW; i++) {
        snprintf(symbol, sizeof(symbol), "MPI_%s", row[i].name);
        *(void **)row[i].null = dlsym(lib, symbol);
        row[i].alg = chorale_alg_find(row[i].coll, row[i].variant);
        row[i].call.ctx = ctx;
        row[i].call.param = row[i].param;
        if (*(void **)row[i].null == NULL || row[i].alg == NULL
            || chorale_alg_params_parse(row[i].alg, "", row[i].param, why,
                                        sizeof(why)) != 0)
            return -1;
    }
    return 0;
}

static void show_one(const struct row *r, int served)
{
    char what[80];

    now_timed = r;
    snprintf(what, sizeof(what), "%s %s", r->name,
             served ? "by a variant" : "passed on");
    show(what, served ? direct : r->library, r->shim, served ? 30 : 15);
    if (served && r->coll == CHORALE_BCAST)
        show("Bcast, two sizes in turn", direct, bcast_sizes, 30);
    if (served && r->coll == CHORALE_GATHERV)
        show("Gatherv, two sizes in turn", direct, gatherv_sizes, 30);
    if (served && r->coll == CHORALE_ALLGATHERV)
        show("Allgatherv, two sizes in turn", direct, allgatherv_sizes, 30);
    counts[0] = counts[1] = N; /* as in the other rows */
    if (!served && r->coll == CHORALE_REDUCE)
        show("Reduce passed on, two sizes", r->library, reduce_sizes, 15);
}

/* Time the first two calls on new communicators; the first sets them up. */
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
    const int served = argc > 2 && strcmp(argv[2], "served") == 0;

    MPI_Init(&argc, &argv);
    if (strcmp(null, "setup") == 0) {
        show_setup();
    } else if (strcmp(null, "real") == 0) {
        rounds = ROUNDS / 10; /* ranks wait for each other */
        show("Reduce passed on, real messages", reduce_real, shim_Reduce, 15);
    } else if (set_up(null) != 0) {
        fprintf(stderr, "%s is not preloaded, or a variant is not there\n",
                null);
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else {
        for (int i = 0; i < NROW; i++)
            if (argc < 4 || strcmp(argv[3], row[i].name) == 0)
                show_one(&row[i], served);
    }
    MPI_Finalize();
    return 0;
}
