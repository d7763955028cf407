/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_kinds.c - nanoseconds that the shim adds to calls that differ from the
 * previous one, or have derived types or user-defined operations (shim.sh).
 * argv[1] is the library of calls that do nothing; argv[2] is "served" by
 * variants or "passed" on; argv[3] limits the kinds to one. With argv[4], a
 * number, that many calls are made and none is timed, for counting
 * instructions; "plain" as argv[5] makes them without the shim. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"
#include "tests/bench/shim_time.h"

enum { N = 16, SIZES = 16, MAX_SIZE = 64, COMMS = 5, TYPES = 2 };

static int in[2 * MAX_SIZE * N], out[2 * MAX_SIZE * N];
static int counts[MAX_SIZE], displs[MAX_SIZE];
static MPI_Count wide_counts[MAX_SIZE];
static MPI_Aint wide_displs[MAX_SIZE];

static MPI_Comm comm[COMMS];
static MPI_Datatype type[TYPES]; /* every other int */
static MPI_Op user;
static struct chorale_ctx *ctx;
static const struct chorale_alg *alg; /* variant of the timed kind */
static long param[CHORALE_MAX_PARAM];

#define WORLD MPI_COMM_WORLD
#define TYPED(t) in, 4, type[t]
#define TYPED_TO(t) out, 4, type[t]
#define TURN (1 + i % SIZES)
#define POWER (1 << i % SIZES)

#define BUFFER(b, n, t) .recvbuf = b, .recvcount = n, .recvtype = t
#define FROM(n, t) .sendbuf = in, .sendcount = n, .sendtype = t
#define FOLD(n, t, o) BUFFER(out, n, t), .sendbuf = in, .op = o
#define RECEIVES .recvcounts = wide_counts, .rdispls = wide_displs
#define SENDS .sendcounts = wide_counts, .sdispls = wide_displs

/* X(kind, description, function, member of enum chorale_coll, the variant that
 * shim.sh forces or NULL without one, arguments, the same as fields of struct
 * chorale_call). i is the number of the call. */
#define KINDS(X) CALL_KINDS(X) LARGE_KINDS(X)

#define CALL_KINDS(X)                                                        \
    X(typed, "Bcast of a derived type", Bcast, BCAST, "linear",              \
      (TYPED(0), 0, WORLD), (BUFFER(in, 4, type[0])))                        \
    X(types, "Bcast of two of them in turn", Bcast, BCAST, "linear",         \
      (TYPED(i & 1), 0, WORLD), (BUFFER(in, 4, type[i & 1])))                \
    X(gathered, "Allgather of a derived type", Allgather, ALLGATHER, "ring", \
      (TYPED(0), TYPED_TO(0), WORLD),                                        \
      (BUFFER(out, 4, type[0]), FROM(4, type[0])))                           \
    X(arrays, "Allgatherv of a derived type", Allgatherv, ALLGATHERV, "ring",\
      (in, N, type[0], out, counts, displs, type[0], WORLD),                 \
      (BUFFER(out, 0, type[0]), FROM(N, type[0]), RECEIVES))                 \
    X(user, "Allreduce by a user's operation", Allreduce, ALLREDUCE,         \
      "recursive_doubling", (in, out, N, MPI_INT, user, WORLD),              \
      (FOLD(N, MPI_INT, user)))                                              \
    X(maxloc, "Allreduce by MPI_MAXLOC", Allreduce, ALLREDUCE,               \
      "recursive_doubling", (in, out, N, MPI_2INT, MPI_MAXLOC, WORLD),       \
      (FOLD(N, MPI_2INT, MPI_MAXLOC), .commutative = 1))                     \
    X(userscatter, "Reduce_scatter by a user's", Reduce_scatter,             \
      REDUCE_SCATTER, NULL, (in, out, counts, MPI_INT, user, WORLD),         \
      (FOLD(0, MPI_INT, user), .recvcounts = wide_counts))                   \
    X(sizes, "Bcast, 16 sizes in turn", Bcast, BCAST, "linear",              \
      (in, TURN, MPI_INT, 0, WORLD), (BUFFER(in, TURN, MPI_INT)))            \
    X(powers, "Bcast, 16 powers of two", Bcast, BCAST, "linear",             \
      (in, POWER, MPI_BYTE, 0, WORLD), (BUFFER(in, POWER, MPI_BYTE)))        \
    X(folds, "Allreduce, 16 sizes in turn", Allreduce, ALLREDUCE,            \
      "recursive_doubling", (in, out, TURN, MPI_INT, MPI_SUM, WORLD),        \
      (FOLD(TURN, MPI_INT, MPI_SUM), .commutative = 1))                      \
    X(char, "Bcast of MPI_CHAR", Bcast, BCAST, "linear",                     \
      (in, N, MPI_CHAR, 0, WORLD), (BUFFER(in, N, MPI_CHAR)))                \
    X(comms, "Bcast, two communicators in turn", Bcast, BCAST, "linear",     \
      (in, N, MPI_INT, 0, comm[i & 1]), (BUFFER(in, N, MPI_INT)))            \
    X(five, "Bcast, five communicators", Bcast, BCAST, "linear",             \
      (in, N, MPI_INT, 0, comm[i % COMMS]), (BUFFER(in, N, MPI_INT)))        \
    X(empty, "Bcast of nothing", Bcast, BCAST, "linear",                     \
      (in, 0, MPI_INT, 0, WORLD), (BUFFER(in, 0, MPI_INT)))

#if MPI_VERSION >= 4
#define LARGE_KINDS(X)                                                       \
    X(wide, "Bcast_c", Bcast_c, BCAST, "linear",                             \
      (in, N, MPI_INT, 0, WORLD), (BUFFER(in, N, MPI_INT)))                  \
    X(gatherv, "Gatherv_c", Gatherv_c, GATHERV, "linear",                    \
      (in, N, MPI_INT, out, wide_counts, wide_displs, MPI_INT, 0, WORLD),    \
      (BUFFER(out, 0, MPI_INT), FROM(N, MPI_INT), RECEIVES))                 \
    X(allgatherv, "Allgatherv_c", Allgatherv_c, ALLGATHERV, "ring",          \
      (in, N, MPI_INT, out, wide_counts, wide_displs, MPI_INT, WORLD),       \
      (BUFFER(out, 0, MPI_INT), FROM(N, MPI_INT), RECEIVES))                 \
    X(alltoallv, "Alltoallv_c", Alltoallv_c, ALLTOALLV, "pairwise_shift",    \
      (in, wide_counts, wide_displs, MPI_INT, out, wide_counts, wide_displs, \
       MPI_INT, WORLD),                                                      \
      (BUFFER(out, 0, MPI_INT), FROM(0, MPI_INT), SENDS, RECEIVES))          \
    X(reduce_scatter, "Reduce_scatter_c", Reduce_scatter_c, REDUCE_SCATTER,  \
      "pairwise", (in, out, wide_counts, MPI_INT, MPI_SUM, WORLD),           \
      (FOLD(0, MPI_INT, MPI_SUM), .commutative = 1,                          \
       .recvcounts = wide_counts))
#else
#define LARGE_KINDS(X)
#endif

#define UNWRAP(...) __VA_ARGS__

/* Call the application's function, the library's, and the variant. */
#define THREE_WAYS(kind, ours, args, fields)                                 \
    static void shim_##kind(int i)                                           \
    {                                                                        \
        (void)i;                                                             \
        ours args;                                                           \
    }                                                                        \
    static void library_##kind(int i)                                        \
    {                                                                        \
        (void)i;                                                             \
        null_##kind args;                                                    \
    }                                                                        \
    static void direct_##kind(int i)                                         \
    {                                                                        \
        struct chorale_call call = { UNWRAP fields, .ctx = ctx,              \
                                     .param = param };                       \
                                                                             \
        (void)i;                                                             \
        alg->run(&call);                                                     \
    }

#define X(kind, what, name, coll, variant, args, fields)                     \
    static __typeof__(&MPI_##name) null_##kind;                              \
    THREE_WAYS(kind, MPI_##name, args, fields)
KINDS(X)
#undef X

struct kind {
    const char *name, *what, *function, *variant;
    enum chorale_coll coll;
    void (*shim)(int), (*library)(int), (*direct)(int);
    void *null;                    /* where to store its address */
};

/* --- Fortran's functions, if they do not call C's --------------------- */

#ifdef OPEN_MPI
typedef void bcast_fn(void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                      MPI_Fint *);
typedef void allreduce_fn(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                          MPI_Fint *, MPI_Fint *);
typedef void allgatherv_fn(void *, MPI_Fint *, MPI_Fint *, void *, MPI_Fint *,
                           MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);

static bcast_fn *f_bcast, *null_fbcast;
static allreduce_fn *f_allreduce, *null_fallreduce;
static allgatherv_fn *f_allgatherv, *null_fallgatherv;
static MPI_Fint f_n = N, f_root, f_type, f_op, f_world, f_error;

#define FORTRAN(X)                                                           \
    X(fbcast, "Bcast in Fortran", bcast, BCAST, "linear",                    \
      (in, &f_n, &f_type, &f_root, &f_world, &f_error),                      \
      (BUFFER(in, N, MPI_INT)))                                              \
    X(fallreduce, "Allreduce in Fortran", allreduce, ALLREDUCE,              \
      "recursive_doubling",                                                  \
      (in, out, &f_n, &f_type, &f_op, &f_world, &f_error),                   \
      (FOLD(N, MPI_INT, MPI_SUM), .commutative = 1))                         \
    X(fallgatherv, "Allgatherv in Fortran", allgatherv, ALLGATHERV, "ring",  \
      (in, &f_n, &f_type, out, counts, displs, &f_type, &f_world, &f_error), \
      (BUFFER(out, 0, MPI_INT), FROM(N, MPI_INT), RECEIVES))

#define X(kind, what, name, coll, variant, args, fields)                     \
    THREE_WAYS(kind, f_##name, args, fields)
FORTRAN(X)
#undef X

static int set_up_fortran(void *null)
{
    f_type = MPI_Type_c2f(MPI_INT);
    f_op = MPI_Op_c2f(MPI_SUM);
    f_world = MPI_Comm_c2f(MPI_COMM_WORLD);
#define X(kind, what, name, coll, variant, args, fields)                     \
    *(void **)&f_##name = dlsym(RTLD_DEFAULT, "mpi_" #name "_");             \
    *(void **)&null_##kind = dlsym(null, "mpi_" #name "_");                  \
    if (f_##name == NULL || null_##kind == NULL)                             \
        return -1;
    FORTRAN(X)
#undef X
    return 0;
}
#else
#define FORTRAN(X)

static int set_up_fortran(void *null)
{
    (void)null;
    return 0;
}
#endif

static const struct kind kinds[] = {
#define X(kind, what, name, coll, variant, args, fields)                     \
    { #kind, what, "MPI_" #name, variant, CHORALE_##coll, shim_##kind,       \
      library_##kind, direct_##kind, &null_##kind },
    KINDS(X)
#undef X
#define X(kind, what, name, coll, variant, args, fields)                     \
    { #kind, what, "mpi_" #name "_", variant, CHORALE_##coll, shim_##kind,   \
      library_##kind, direct_##kind, &null_##kind },
    FORTRAN(X)
#undef X
};

enum { NKIND = sizeof(kinds) / sizeof(kinds[0]) };

/* --- how ---------------------------------------------------------------- */

static void nothing(void *a, void *b, int *n, MPI_Datatype *t)
{
    (void)a;
    (void)b;
    (void)n;
    (void)t;
}

static int set_up(const char *null)
{
    void *lib = dlopen(null, RTLD_NOW | RTLD_NOLOAD);
    MPI_Comm own;

    for (int i = 0; i < MAX_SIZE; i++) {
        wide_counts[i] = counts[i] = N;
        wide_displs[i] = displs[i] = i * N;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    comm[0] = MPI_COMM_WORLD;
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_vector(4, 1, 2, MPI_INT, &type[i]);
        MPI_Type_commit(&type[i]);
    }
    MPI_Op_create(nothing, 0, &user);
    if (lib == NULL || chorale_ctx_new(own, &ctx) != MPI_SUCCESS)
        return -1;
    for (int i = 0; i < NKIND; i++) {
        *(void **)kinds[i].null = dlsym(lib, kinds[i].function);
        if (*(void **)kinds[i].null == NULL)
            return -1;
    }
    return set_up_fortran(lib);
}

static void show_one(const struct kind *k, int served, int calls, int plainly)
{
    void (*const plain)(int) = served ? k->direct : k->library;
    char what[80], why[160];

    /* Calls without a size have no size that a table leaves to the library. */
    if (served ? k->variant == NULL : chorale_coll_info(k->coll)->blind)
        return;
    if (!served) {
        alg = NULL;
    } else if ((alg = chorale_alg_find(k->coll, k->variant)) == NULL
               || chorale_alg_params_parse(alg, "", param, why, sizeof(why))
                      != 0) {
        fprintf(stderr, "there is no variant %s\n", k->variant);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    for (int i = 0; i < calls; i++)
        (plainly ? plain : k->shim)(i);
    if (calls > 0)
        return;
    snprintf(what, sizeof(what), "%s%s", k->what, served ? "" : ", passed");
    show(what, plain, k->shim, served ? 30 : 15);
}

int main(int argc, char **argv)
{
    const int served = argc > 2 && strcmp(argv[2], "served") == 0;
    const int calls = argc > 4 ? atoi(argv[4]) : 0;
    const int plainly = argc > 5 && strcmp(argv[5], "plain") == 0;

    MPI_Init(&argc, &argv);
    if (set_up(argc > 1 ? argv[1] : "") != 0) {
        fprintf(stderr, "%s is not preloaded, or lacks a function\n",
                argc > 1 ? argv[1] : "(none)");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    for (int i = 0; i < NKIND; i++)
        if (argc < 4 || strcmp(argv[3], kinds[i].name) == 0)
            show_one(&kinds[i], served, calls, plainly);
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&type[i]);
    MPI_Op_free(&user);
    MPI_Finalize();
    return 0;
}
