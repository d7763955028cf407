/* SPDX-License-Identifier: BSD-3-Clause */
/* native.c - compare Chorale's variants with the same algorithms inside MPICH,
 * forced through its control variables, at two processes.
 *
 *     mpiexec -n 2 native [-c COLLECTIVE] [-b BATCHES]
 *     mpiexec -n 1 valgrind --tool=callgrind ... native -k BYTES :
 *             -n P-1 native -k BYTES
 *
 * Each batch calls one side many times, alternating between a communicator and
 * the same with reversed ranks, so that no rank can run ahead. Batches of the
 * two sides are interleaved. The ratio of a size is the median over pairs of
 * adjacent batches.
 *
 * -k: callgrind counts the instructions of each side of each pair, in a few
 * calls with that many bytes (or with the next larger size that MPICH's
 * algorithm accepts). native.sh reads the counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"

#ifdef __has_include
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_ZERO_STATS
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_TOGGLE_COLLECT
#define CALLGRIND_DUMP_STATS_AT(label) (void)(label)
#endif

#define LARGEST (1 << 20)
#define BATCH_SECONDS 4e-4
#define MAX_BATCHES 1001
#define MAX_RANKS 4

struct pair {
    enum chorale_coll coll;
    const char *variant, *params, *native;
};

/* MPICH's smp variants (barrier, bcast, reduce, allreduce, scan) are left out.
 * On one node, as here, they have one leader and run the library's choice for a
 * node, and two_level refuses. */
static const struct pair pairs[] = {
    { CHORALE_BARRIER, "dissemination", "", "dissemination" },
    { CHORALE_BCAST, "binomial", "", "binomial" },
    { CHORALE_BCAST, "scatter_rd_allgather", "",
      "scatter_recursive_doubling_allgather" },
    { CHORALE_BCAST, "scatter_ring_allgather", "", "scatter_ring_allgather" },
    { CHORALE_REDUCE, "binomial", "", "binomial" },
    { CHORALE_REDUCE, "rabenseifner", "", "reduce_scatter_gather" },
    { CHORALE_ALLREDUCE, "recursive_doubling", "", "recursive_doubling" },
    { CHORALE_ALLREDUCE, "rabenseifner", "", "reduce_scatter_allgather" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "pairwise", "", "pairwise" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_doubling", "",
      "recursive_doubling" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_halving", "",
      "recursive_halving" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "butterfly", "", "noncommutative" },
    { CHORALE_REDUCE_SCATTER, "pairwise", "", "pairwise" },
    { CHORALE_REDUCE_SCATTER, "recursive_doubling", "",
      "recursive_doubling" },
    { CHORALE_REDUCE_SCATTER, "recursive_halving", "", "recursive_halving" },
    { CHORALE_REDUCE_SCATTER, "butterfly", "", "noncommutative" },
    { CHORALE_GATHER, "binomial", "", "binomial" },
    { CHORALE_GATHERV, "linear_nb", "", "linear" },
    { CHORALE_SCATTER, "binomial", "", "binomial" },
    { CHORALE_SCATTERV, "linear_nb", "", "linear" },
    { CHORALE_ALLGATHER, "bruck", "", "brucks" },
    { CHORALE_ALLGATHER, "recursive_doubling", "", "recursive_doubling" },
    { CHORALE_ALLGATHER, "ring", "", "ring" },
    { CHORALE_ALLGATHERV, "bruck", "", "brucks" },
    { CHORALE_ALLGATHERV, "recursive_doubling", "", "recursive_doubling" },
    { CHORALE_ALLGATHERV, "ring", "", "ring" },
    { CHORALE_ALLTOALL, "bruck", "", "brucks" },
    { CHORALE_ALLTOALL, "pairwise_xor", "", "pairwise" },
    { CHORALE_ALLTOALL, "scattered", "", "scattered" },
    { CHORALE_ALLTOALL, "pairwise_replace", "", "pairwise_sendrecv_replace" },
    { CHORALE_ALLTOALLV, "scattered", "", "scattered" },
    { CHORALE_ALLTOALLV, "pairwise_replace", "", "pairwise_sendrecv_replace" },
    { CHORALE_SCAN, "recursive_doubling", "", "recursive_doubling" },
    { CHORALE_EXSCAN, "recursive_doubling", "", "recursive_doubling" },
};

static const int sizes[] = { 8, 64, 512, 4096, 32768, 262144, LARGEST };

#define NSIZE (sizeof(sizes) / sizeof(sizes[0]))
#define NPAIR (sizeof(pairs) / sizeof(pairs[0]))

#define COUNTED 64 /* calls whose instructions are counted */

/* A communicator in one order of ranks, for both sides. */
struct way {
    MPI_Comm lib;
    struct chorale_ctx *ctx;
};

struct bench {
    struct way way[2];
    char *send, *recv;
    MPI_Count count, counts[MAX_RANKS];
    MPI_Aint displs[MAX_RANKS];
    int int_counts[MAX_RANKS], int_displs[MAX_RANKS];
    MPI_Datatype type;
    int irregular;
    const void *from; /* send, or MPI_IN_PLACE */
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
};

/* --- MPICH's control variables ---------------------------------------- */

static int set_cvar(const char *name, int value)
{
    int index, count, rc;
    MPI_T_cvar_handle handle;

    rc = MPI_T_cvar_get_index(name, &index);
    if (rc == MPI_SUCCESS)
        rc = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (rc != MPI_SUCCESS)
        return -1;
    rc = MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return rc == MPI_SUCCESS ? 0 : -1;
}

/* Index of the algorithm in the list in the variable's description. Names stand
 * before " - ", each glued to the text before. */
static int place_of(const char *description, const char *name)
{
    size_t length = strlen(name);
    int place = 0;

    for (const char *at = description; (at = strstr(at, " - ")) != NULL;
         at += 3, place++) {
        const char *end = at;

        while (end > description && end[-1] == ' ')
            end--;
        if ((size_t)(end - description) >= length &&
            strncmp(end - length, name, length) == 0)
            return place;
    }
    return -1;
}

static int force(enum chorale_coll coll, const char *name)
{
    char cvar[96] = "MPIR_CVAR_", full[128], text[8192] = "";
    int index, nname = sizeof(full), ntext = sizeof(text), verbosity, bind;
    int scope, place;
    MPI_Datatype type;
    MPI_T_enum values;

    strcat(cvar, chorale_coll_info(coll)->name);
    for (char *c = cvar; *c != '\0'; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
    strcat(cvar, "_INTRA_ALGORITHM");
    if (MPI_T_cvar_get_index(cvar, &index) != MPI_SUCCESS ||
        MPI_T_cvar_get_info(index, full, &nname, &verbosity, &type, &values,
                            text, &ntext, &bind, &scope) != MPI_SUCCESS)
        return -1;
    place = place_of(text, name);
    return place < 0 ? -1 : set_cvar(cvar, place);
}

/* --- the two sides ---------------------------------------------------- */

static int library(const struct bench *b, MPI_Comm comm)
{
    int n = (int)b->count;
    const int *counts = b->int_counts, *displs = b->int_displs;

    switch (b->alg->coll) {
    case CHORALE_BARRIER:
        return PMPI_Barrier(comm);
    case CHORALE_BCAST:
        return PMPI_Bcast(b->recv, n, b->type, 0, comm);
    case CHORALE_REDUCE:
        return PMPI_Reduce(b->send, b->recv, n, b->type, MPI_SUM, 0, comm);
    case CHORALE_ALLREDUCE:
        return PMPI_Allreduce(b->send, b->recv, n, b->type, MPI_SUM, comm);
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(b->send, b->recv, n, b->type,
                                         MPI_SUM, comm);
    case CHORALE_REDUCE_SCATTER:
        return PMPI_Reduce_scatter(b->send, b->recv, counts, b->type, MPI_SUM,
                                   comm);
    case CHORALE_GATHER:
        return PMPI_Gather(b->send, n, b->type, b->recv, n, b->type, 0, comm);
    case CHORALE_GATHERV:
        return PMPI_Gatherv(b->send, n, b->type, b->recv, counts, displs,
                            b->type, 0, comm);
    case CHORALE_SCATTER:
        return PMPI_Scatter(b->send, n, b->type, b->recv, n, b->type, 0,
                            comm);
    case CHORALE_SCATTERV:
        return PMPI_Scatterv(b->send, counts, displs, b->type, b->recv, n,
                             b->type, 0, comm);
    case CHORALE_ALLGATHER:
        return PMPI_Allgather(b->send, n, b->type, b->recv, n, b->type, comm);
    case CHORALE_ALLGATHERV:
        return PMPI_Allgatherv(b->send, n, b->type, b->recv, counts, displs,
                               b->type, comm);
    case CHORALE_ALLTOALL:
        return PMPI_Alltoall(b->from, n, b->type, b->recv, n, b->type, comm);
    case CHORALE_ALLTOALLV:
        return PMPI_Alltoallv(b->from, counts, displs, b->type, b->recv,
                              counts, displs, b->type, comm);
    case CHORALE_SCAN:
        return PMPI_Scan(b->send, b->recv, n, b->type, MPI_SUM, comm);
    case CHORALE_EXSCAN:
        return PMPI_Exscan(b->send, b->recv, n, b->type, MPI_SUM, comm);
    case CHORALE_NCOLL:
        break;
    }
    return MPI_ERR_OTHER;
}

static int ours(const struct bench *b, struct chorale_ctx *ctx)
{
    struct chorale_call call = {
        .ctx = ctx, .sendbuf = b->from, .recvbuf = b->recv,
        .sendcount = b->count, .recvcount = b->count, .sendtype = b->type,
        .recvtype = b->type, .op = MPI_SUM, .commutative = 1,
        .param = b->param,
    };

    if (b->irregular) {
        call.sendcounts = call.recvcounts = b->counts;
        call.sdispls = call.rdispls = b->displs;
    }
    return b->alg->run(&call);
}

/* Seconds per call of a side (0: library, 1: Chorale), over calls in a row. */
static double batch(const struct bench *b, int side, int calls)
{
    double start = MPI_Wtime();
    int rc = MPI_SUCCESS;

    for (int i = 0; i < calls && rc == MPI_SUCCESS; i++)
        rc = side ? ours(b, b->way[i & 1].ctx)
                  : library(b, b->way[i & 1].lib);
    return rc == MPI_SUCCESS ? (MPI_Wtime() - start) / calls : NAN;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* --- one size --------------------------------------------------------- */

static void set_size(struct bench *b, int bytes)
{
    int size = b->type == MPI_DOUBLE ? (int)sizeof(double) : 1;

    b->count = bytes / size;
    b->irregular = chorale_coll_info(b->alg->coll)->irregular;
    for (int i = 0; i < MAX_RANKS; i++) {
        b->counts[i] = b->count;
        b->displs[i] = (MPI_Aint)b->count * i;
        b->int_counts[i] = (int)b->count;
        b->int_displs[i] = (int)b->count * i;
    }
}

/* Calls per batch, equal on both ranks. */
static int calls_for(const struct bench *b)
{
    double seconds;
    int calls;

    batch(b, 0, 20);
    seconds = batch(b, 0, 20) + batch(b, 1, 20);
    calls = (int)(2 * BATCH_SECONDS / seconds);
    calls = calls < 4 ? 4 : calls > 1000 ? 1000 : calls & ~1;
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return calls;
}

/* Median ratio Chorale / MPICH, and the library's median seconds. */
static double ratio(const struct bench *b, int nbatch, double *seconds)
{
    static double quotient[MAX_BATCHES], theirs[MAX_BATCHES];
    int calls = calls_for(b);

    for (int i = 0; i < nbatch; i++) {
        int first = i & 1;
        double t[2];

        t[first] = batch(b, first, calls);
        t[!first] = batch(b, !first, calls);
        theirs[i] = t[0];
        quotient[i] = t[1] / t[0];
    }
    qsort(quotient, (size_t)nbatch, sizeof(double), compare);
    qsort(theirs, (size_t)nbatch, sizeof(double), compare);
    *seconds = theirs[nbatch / 2];
    return quotient[nbatch / 2];
}

/* Set both sides to the algorithm of the pair; -1 if one of them cannot. */
static int choose(struct bench *b, const struct pair *p)
{
    char why[160];

    b->alg = chorale_alg_find(p->coll, p->variant);
    b->type = chorale_coll_info(p->coll)->reduces ? MPI_DOUBLE : MPI_BYTE;
    /* MPICH runs this algorithm only for calls in place. */
    b->from = strcmp(p->native, "pairwise_sendrecv_replace") == 0
                  ? MPI_IN_PLACE : b->send;
    if (b->alg == NULL ||
        chorale_alg_params_parse(b->alg, p->params, b->param, why,
                                 sizeof(why)) != 0)
        return -1;
    return force(p->coll, p->native);
}

static void run_pair(struct bench *b, const struct pair *p, int nbatch,
                     int rank, double *sum, int *n)
{
    int dataless = chorale_coll_info(p->coll)->dataless, points = 0;
    int shown = 0;
    double total = 0, worst = 0, seconds, r;

    if (choose(b, p) != 0) {
        if (rank == 0)
            printf("%-22s %-26s not here\n", chorale_coll_info(p->coll)->name,
                   p->variant);
        return;
    }
    if (rank == 0)
        printf("%-21s %-23s", chorale_coll_info(p->coll)->name, p->variant);
    for (size_t i = 0; i < (dataless ? 1 : NSIZE); i++) {
        set_size(b, dataless ? 0 : sizes[i]);
        r = ratio(b, nbatch, &seconds);
        MPI_Bcast(&r, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        shown++;
        if (rank == 0)
            printf(" %5.2f", r);
        if (isnan(r))
            continue; /* MPICH's algorithm refuses this size */
        total += log(r);
        worst = r > worst ? r : worst;
        points++;
    }
    *sum += total;
    *n += points;
    if (rank == 0)
        printf("%*s | %5.2f %5.2f\n", 6 * ((int)NSIZE - shown), "",
               exp(total / points), worst);
    fflush(stdout);
    force(p->coll, "auto");
}

/* Count one side's instructions in a callgrind dump of its own. */
static void count_side(const struct bench *b, int side, const char *label)
{
    MPI_Barrier(MPI_COMM_WORLD);
    CALLGRIND_ZERO_STATS;
    CALLGRIND_TOGGLE_COLLECT;
    batch(b, side, COUNTED);
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(label);
}

static void count_pair(struct bench *b, const struct pair *p, int rank,
                       int bytes)
{
    if (choose(b, p) != 0)
        return;
    set_size(b, bytes);
    while (isnan(batch(b, 0, 4)) && bytes < LARGEST)
        set_size(b, bytes *= 2);
    batch(b, 1, 4);
    count_side(b, 0, "library");
    count_side(b, 1, "ours");
    force(p->coll, "auto");
    if (rank == 0)
        printf("@counted %s %s %d %d\n", chorale_coll_info(p->coll)->name,
               p->variant, COUNTED, bytes);
}

static void open_ways(struct bench *b, int rank)
{
    MPI_Comm own;

    for (int i = 0; i < 2; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i ? -rank : rank, &b->way[i].lib);
        MPI_Comm_set_errhandler(b->way[i].lib, MPI_ERRORS_RETURN);
        MPI_Comm_split(MPI_COMM_WORLD, 0, i ? -rank : rank, &own);
        if (chorale_ctx_new(own, &b->way[i].ctx) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    static struct bench b;
    int rank, size, provided, opt, n = 0, nbatch = 61, counting = 0;
    const char *only = NULL;
    double sum = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    while ((opt = getopt(argc, argv, "c:b:k:")) != -1) {
        if (opt == 'c')
            only = optarg;
        if (opt == 'b')
            nbatch = atoi(optarg);
        if (opt == 'k')
            counting = atoi(optarg);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if ((counting ? size > MAX_RANKS : size != 2) || counting < 0 ||
        counting > LARGEST || nbatch < 1 || nbatch > MAX_BATCHES) {
        fprintf(stderr, "native: wants 2 ranks and 1 to %d batches\n",
                MAX_BATCHES);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    set_cvar("MPIR_CVAR_DEVICE_COLLECTIVES", 1);
    set_cvar("MPIR_CVAR_COLLECTIVE_FALLBACK", 0);
    b.send = calloc(MAX_RANKS, LARGEST);
    b.recv = calloc(MAX_RANKS, LARGEST);
    if (b.send == NULL || b.recv == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    open_ways(&b, rank);
    for (size_t i = 0; counting && i < NPAIR; i++)
        count_pair(&b, &pairs[i], rank, counting);
    if (rank == 0 && !counting)
        printf("# ours / MPICH's same algorithm, median of %d interleaved "
               "pairs of batches, P = 2\n%-45s     8    64   512    4K   "
               "32K  256K    1M |  mean worst\n", nbatch,
               "# collective, variant");
    for (size_t i = 0; !counting && i < NPAIR; i++)
        if (only == NULL ||
            strcmp(only, chorale_coll_info(pairs[i].coll)->name) == 0)
            run_pair(&b, &pairs[i], nbatch, rank, &sum, &n);
    if (rank == 0 && n > 0)
        printf("# geometric mean of all %d points: %.3f\n", n, exp(sum / n));
    MPI_Finalize();
    return 0;
}
