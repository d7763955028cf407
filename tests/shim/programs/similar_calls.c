/* SPDX-License-Identifier: BSD-3-Clause */
/* similar_calls.c - calls that differ in one argument from earlier, repeated
 * calls: the difference must not be missed. */
#include <stdlib.h>

#include "check.h"

enum { N = 16, TIMES = 8 };

static int rank, size;
static int in[N], out[N];

static void fill(int by)
{
    for (int i = 0; i < N; i++) {
        in[i] = by * (rank + i + 1);
        out[i] = -1;
    }
}

static void often(void)
{
    for (int i = 0; i < TIMES; i++) {
        fill(1);
        MPI_Allreduce(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(out[1] == size * (size - 1) / 2 + 2 * size, "sum", out[1]);
        for (int root = 0; root < 2; root++) {
            out[0] = rank == root ? 5 : 0;
            MPI_Bcast(out, N, MPI_INT, root, MPI_COMM_WORLD);
            check(out[0] == 5, "bcast", root);
        }
    }
}

static int class_of(int rc)
{
    int class;

    MPI_Error_class(rc, &class);
    return class;
}

/* The library reports a wrong call as it does without earlier calls. */
static void same(const char *what, int rc, int want)
{
    check(class_of(want) != MPI_SUCCESS, "the library took it", want);
    check(class_of(rc) == class_of(want), what, class_of(rc));
}

/* Only MPICH: other libraries accept these calls or crash. */
static void wrong_addresses(void)
{
#ifdef MPICH_VERSION
    MPI_Comm comm = MPI_COMM_WORLD;

    same("no address", MPI_Bcast(NULL, N, MPI_INT, 0, comm),
         PMPI_Bcast(NULL, N, MPI_INT, 0, comm));
    same("no address to send from",
         MPI_Allreduce(NULL, out, N, MPI_INT, MPI_SUM, comm),
         PMPI_Allreduce(NULL, out, N, MPI_INT, MPI_SUM, comm));
    same("no address to receive at",
         MPI_Allreduce(in, NULL, N, MPI_INT, MPI_SUM, comm),
         PMPI_Allreduce(in, NULL, N, MPI_INT, MPI_SUM, comm));
    same("one address for both",
         MPI_Allreduce(in, in, N, MPI_INT, MPI_SUM, comm),
         PMPI_Allreduce(in, in, N, MPI_INT, MPI_SUM, comm));
#endif
}

static void wrong_ones(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;

    same("no root", MPI_Bcast(out, N, MPI_INT, size, comm),
         PMPI_Bcast(out, N, MPI_INT, size, comm));
    same("a root below all", MPI_Bcast(out, N, MPI_INT, -7, comm),
         PMPI_Bcast(out, N, MPI_INT, -7, comm));
    same("no type", MPI_Bcast(out, N, MPI_DATATYPE_NULL, 0, comm),
         PMPI_Bcast(out, N, MPI_DATATYPE_NULL, 0, comm));
    same("no operation", MPI_Allreduce(in, out, N, MPI_INT, MPI_OP_NULL, comm),
         PMPI_Allreduce(in, out, N, MPI_INT, MPI_OP_NULL, comm));
}

/* Repeated calls with one type, then with other counts of another type: some
 * share an entry of the cache. */
static void sizes(void)
{
    enum { FEW = 40, MANY = 5000 };
    static char c[MANY];

    for (int i = 0; i < TIMES + FEW + 1; i++) {
        const int n = i < TIMES ? N : i < TIMES + FEW ? i - TIMES + 1 : MANY;

        c[n - 1] = (char)(rank == 0 ? i + 1 : 0);
        MPI_Bcast(c, n, MPI_CHAR, 0, MPI_COMM_WORLD);
        check(c[n - 1] == i + 1, "sizes", n);
    }
}

static void right_ones(void)
{
    float f[2] = { 1.5f, 0 };

    fill(1);
    MPI_Allreduce(in, out, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    check(out[2] == size + 2, "another operation", out[2]);
    fill(1);
    MPI_Allreduce(MPI_IN_PLACE, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(in[1] == size * (size - 1) / 2 + 2 * size, "in place", in[1]);
    fill(1);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(out[0] == size * (size + 1) / 2 && out[1] == -1, "another count",
          out[1]);
    MPI_Allreduce(&f[0], &f[1], 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    check(f[1] > 1.5f * (float)size - 0.1f && f[1] < 1.5f * (float)size + 0.1f,
          "another type", (int)f[1]);
}

/* Two elements for each rank, except the first two ranks, which have first and
 * 4 - first: the sum is always the same. */
static void place(int *counts, int *displs, int first)
{
    for (int r = 0, at = 0; r < size; at += counts[r++]) {
        counts[r] = r == 0 ? first : r == 1 ? 4 - first : 2;
        displs[r] = at;
    }
}

/* Arrays that differ in their elements, but not in their sum. */
static void arrays(void)
{
    enum { MOST = 8 };
    int counts[MOST], displs[MOST], all[2 * MOST + 2];
    MPI_Comm comm = MPI_COMM_WORLD;

    if (size < 2 || size > MOST)
        return;
    for (int i = 0; i < 3 * TIMES; i++) {
        place(counts, displs, i % 3 + 1);
        fill(1);
        all[0] = all[2 * size - 1] = -1;
        MPI_Allgatherv(in, counts[rank], MPI_INT, all, counts, displs,
                       MPI_INT, comm);
        check(all[0] == 1 && all[displs[1]] == 2
                  && all[2 * size - 1] == size + counts[size - 1] - 1,
              "allgatherv", i);
        MPI_Gatherv(in, counts[rank], MPI_INT, all, counts, displs, MPI_INT,
                    i % 2, comm);
        check(rank != i % 2 || all[displs[1]] == 2, "gatherv", i);
        MPI_Scatterv(all, counts, displs, MPI_INT, out, counts[rank],
                     MPI_INT, i % 2, comm);
        check(out[0] == rank + 1, "scatterv", i);
    }
    place(counts, displs, 2);
#ifdef MPICH_VERSION /* Open MPI 4.1 itself does not check, and crashes */
    same("its own block for both",
         MPI_Allgatherv(all + displs[rank], 2, MPI_INT, all, counts, displs,
                        MPI_INT, comm),
         PMPI_Allgatherv(all + displs[rank], 2, MPI_INT, all, counts, displs,
                         MPI_INT, comm));
    place(counts, displs, 5); /* the other count is -1 */
    displs[1] = 0;
    same("a negative count",
         MPI_Allgatherv(in, 2, MPI_INT, all, counts, displs, MPI_INT, comm),
         PMPI_Allgatherv(in, 2, MPI_INT, all, counts, displs, MPI_INT, comm));
#endif
}

/* The same with large counts: one array on all ranks, in turn with another. */
static void large_arrays(void)
{
#if MPI_VERSION >= 4
    enum { MOST = 8 };
    int c[MOST], d[MOST], all[2 * MOST + 2];
    MPI_Count counts[MOST];
    MPI_Aint displs[MOST];
    MPI_Comm comm = MPI_COMM_WORLD;

    if (size < 2 || size > MOST)
        return;
    for (int i = 0; i < 3 * TIMES; i++) {
        place(c, d, i % 3 + 1);
        for (int r = 0; r < size; r++) {
            counts[r] = c[r];
            displs[r] = d[r];
        }
        fill(1);
        MPI_Allgatherv_c(in, counts[rank], MPI_INT, all, counts, displs,
                         MPI_INT, comm);
        check(all[0] == 1 && all[d[1]] == 2, "allgatherv_c", i);
        MPI_Gatherv_c(in, counts[rank], MPI_INT, all, counts, displs, MPI_INT,
                      i % 2, comm);
        check(rank != i % 2 || all[d[1]] == 2, "gatherv_c", i);
        MPI_Scatterv_c(all, counts, displs, MPI_INT, out, counts[rank],
                       MPI_INT, i % 2, comm);
        check(out[0] == rank + 1, "scatterv_c", i);
        fill(1);
        MPI_Reduce_scatter_c(in, out, counts, MPI_INT, MPI_SUM, comm);
        check(out[0] == size * (size - 1) / 2 + size * (d[rank] + 1),
              "reduce_scatter_c", i);
    }
#ifdef MPICH_VERSION
    same("its own block for both of large counts",
         MPI_Allgatherv_c(all + displs[rank], counts[rank], MPI_INT, all,
                          counts, displs, MPI_INT, comm),
         PMPI_Allgatherv_c(all + displs[rank], counts[rank], MPI_INT, all,
                           counts, displs, MPI_INT, comm));
    counts[0] = 6; /* the sum stays the same */
    counts[1] = -2;
    displs[1] = 0;
    same("a negative large count",
         MPI_Allgatherv_c(in, 2, MPI_INT, all, counts, displs, MPI_INT, comm),
         PMPI_Allgatherv_c(in, 2, MPI_INT, all, counts, displs, MPI_INT,
                           comm));
#endif
#endif
}

/* One block per rank, where the root's or each rank's own block has the same
 * address on both sides. That address is not the address of the first block. */
static void blocks(void)
{
    enum { MOST = 8, LAST = 1 };
    int all[2 * MOST];
    MPI_Comm comm = MPI_COMM_WORLD;

    if (size < 2 || size > MOST)
        return;
    for (int i = 0; i < TIMES; i++) {
        fill(1);
        MPI_Allgather(in, 2, MPI_INT, all, 2, MPI_INT, comm);
        check(all[2 * size - 2] == size, "allgather", i);
        MPI_Gather(in, 2, MPI_INT, all, 2, MPI_INT, LAST, comm);
        check(all[2 * size - 2] == size, "gather", i);
        MPI_Scatter(all, 2, MPI_INT, out, 2, MPI_INT, LAST, comm);
        check(out[0] == rank + 1, "scatter", i);
    }
#ifdef MPICH_VERSION
    if (rank != LAST) /* other ranks would wait for its messages */
        return;
    same("its own block in what is gathered",
         MPI_Gather(all + 2 * rank, 2, MPI_INT, all, 2, MPI_INT, LAST, comm),
         PMPI_Gather(all + 2 * rank, 2, MPI_INT, all, 2, MPI_INT, LAST, comm));
    same("its own block in what is scattered",
         MPI_Scatter(all, 2, MPI_INT, all + 2 * rank, 2, MPI_INT, LAST, comm),
         PMPI_Scatter(all, 2, MPI_INT, all + 2 * rank, 2, MPI_INT, LAST, comm));
    same("its own block in what all gather",
         MPI_Allgather(all + 2 * rank, 2, MPI_INT, all, 2, MPI_INT, comm),
         PMPI_Allgather(all + 2 * rank, 2, MPI_INT, all, 2, MPI_INT, comm));
#endif
}

/* Several sizes of several collectives in turn, repeatedly. */
static void turns(void)
{
    enum { SIZES = 16, ROUNDS = 3 };
    static char c[1 << (SIZES - 1)];

    for (int i = 0; i < SIZES * ROUNDS; i++) {
        const int n = 1 << i % SIZES, k = i % SIZES + 1;
        int root = i % size;

        c[0] = c[n - 1] = (char)(rank == root ? i + 1 : -1);
        MPI_Bcast(c, n, MPI_CHAR, root, MPI_COMM_WORLD);
        check(c[0] == i + 1 && c[n - 1] == i + 1, "size in turn", n);
        fill(1);
        MPI_Allreduce(in, out, k, MPI_INT, i % 2 ? MPI_MAX : MPI_SUM,
                      MPI_COMM_WORLD);
        check(out[k - 1] == (i % 2 ? size + k - 1
                                   : size * (size - 1) / 2 + size * k),
              "operation in turn", i);
    }
}

/* A type for n ints with a stride of two. */
static MPI_Datatype spread(int n)
{
    MPI_Datatype type;

    MPI_Type_vector(n, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

enum { FEW = 4, LONG = 2500 };

/* Broadcasts of one element of such a type. */
static void cast(MPI_Datatype type, int n, int times)
{
    static int x[2 * LONG];

    for (int i = 0; i < times; i++) {
        const int root = i % size;

        for (int k = 0; k < 2 * n; k++)
            x[k] = rank == root ? k + i : -1;
        MPI_Bcast(x, 1, type, root, MPI_COMM_WORLD);
        for (int k = 0; k < 2 * n; k++)
            check(x[k] == (k % 2 == 0 || rank == root ? k + i : -1),
                  "derived type", k);
    }
}

/* A type handle is reused for another type on rank 0 only. Cached choices for
 * the first type must not be used for the second, which has another size. */
static void reused_types(void)
{
    MPI_Datatype old = spread(FEW), new;
    MPI_Datatype handle = old;

    cast(old, FEW, TIMES);
    if (rank == 0)
        MPI_Type_free(&old);
    new = spread(LONG);
    if (rank != 0)
        MPI_Type_free(&old);
#ifdef MPICH_VERSION
    check((new == handle) == (rank == 0), "is the handle used again", rank);
#endif
    (void)handle;
    cast(new, LONG, TIMES);
    old = spread(FEW); /* two types in turn */
    for (int i = 0; i < TIMES; i++) {
        cast(old, FEW, 1);
        cast(new, LONG, 1);
    }
    MPI_Type_free(&new);
    MPI_Type_free(&old);
    for (int i = 0; i < 2 * TIMES; i++) { /* made for one or two calls */
        const int n = i % 3 == 0 ? LONG : FEW;

        new = spread(n);
        cast(new, n, 1 + i % 3);
        MPI_Type_free(&new);
    }
}

static void leftmost(void *left, void *right, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)right)[i] = ((int *)left)[i];
}

static void rightmost(void *left, void *right, int *n, MPI_Datatype *type)
{
    (void)left;
    (void)right;
    (void)n;
    (void)type;
}

/* Handles of operations are reused, with predefined operations in between. */
static void reused_operations(void)
{
    MPI_Op op;

    for (int i = 0; i < 3 * TIMES; i++) {
        const int left = i / TIMES % 2;

        if (i % TIMES == 0)
            MPI_Op_create(left ? leftmost : rightmost, 0, &op);
        fill(1);
        MPI_Allreduce(in, out, N, MPI_INT, op, MPI_COMM_WORLD);
        check(out[3] == (left ? 4 : size + 3), "another's operation", i);
        fill(1);
        MPI_Allreduce(in, out, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        check(out[3] == size + 3, "MPI's operation", i);
        if (i % TIMES == TIMES - 1)
            MPI_Op_free(&op);
    }
}

/* Broadcast on comm by rank root, which sends its rank in MPI_COMM_WORLD,
 * first, plus 7. */
static void ask(MPI_Comm comm, int root, int first)
{
    int x = 0, me;

    MPI_Comm_rank(comm, &me);
    if (me == root)
        x = 7 + rank;
    MPI_Bcast(&x, 1, MPI_INT, root, comm);
    check(x == 7 + first, "communicator in turn", x);
}

/* More and more communicators in turn. Some are freed, and their handles are
 * reused for communicators with the ranks in reverse order. */
static void communicators(void)
{
    enum { MOST = 8 };
    MPI_Comm comm[MOST];
    int backwards[MOST] = { 0 };

    for (int n = 0; n < MOST; n++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[n]);
        for (int i = 0; i < TIMES * (n + 1); i++) {
            const int k = i % (n + 1), root = i % size;

            ask(comm[k], root, backwards[k] ? size - 1 - root : root);
        }
        if (n % 2 == 0)
            continue;
        MPI_Comm_free(&comm[n / 2]);
        backwards[n / 2] = !backwards[n / 2];
        MPI_Comm_split(MPI_COMM_WORLD, 0, backwards[n / 2] ? -rank : rank,
                       &comm[n / 2]);
    }
    for (int n = 0; n < MOST; n++)
        MPI_Comm_free(&comm[n]);
}

int main(int argc, char **argv)
{
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        often();
        wrong_ones();
        wrong_addresses();
        often();
        right_ones();
        sizes();
        arrays();
        large_arrays();
        blocks();
        turns();
        reused_types();
        reused_operations();
        communicators();
    }
    ret = check_done("similar_calls");
    MPI_Finalize();
    return ret != 0;
}
