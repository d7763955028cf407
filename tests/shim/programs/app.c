/* SPDX-License-Identifier: BSD-3-Clause */
/* app.c - collectives with equal blocks, with every kind of argument that a
 * correct program may pass; checks all values. An ordinary MPI program,
 * unaware of Chorale. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "comms.h"
#include "names.h"

enum { MAX_COUNT = 30000, MAX_SIZE = 64 };

static MPI_Comm comm;
static int rank, size, quick; /* with an argument: fewer calls */
static int *in, *out;

static int value(int r, int i)
{
    return r * 1009 + i % 1000;
}

static void fill(int *buf, int r, int n)
{
    for (int i = 0; i < n; i++)
        buf[i] = value(r, i);
}

static int holds(const int *buf, int r, int n)
{
    for (int i = 0; i < n; i++)
        if (buf[i] != value(r, i))
            return 0;
    return 1;
}

static int holds_sum(const int *buf, int first, int n)
{
    for (int i = 0; i < n; i++)
        if (buf[i] != 1009 * (size * (size - 1) / 2)
                          + size * ((first + i) % 1000))
            return 0;
    return 1;
}

static void bcast(int n, int root)
{
    memset(out, 0, (size_t)n * sizeof(int));
    if (rank == root)
        fill(out, root, n);
    MPI_Bcast(out, n, MPI_INT, root, comm);
    check(holds(out, root, n), "bcast", n);
}

/* 0 where Open MPI 4.1 itself gives wrong values or hangs, because each rank
 * cuts a broadcast into segments by its own type. APP_MIXED=1 states that
 * variants run the calls, which may then be mixed. */
static int may_mix(void)
{
#ifdef OPEN_MPI
    return getenv("APP_MIXED") != NULL;
#else
    return 1;
#endif
}

/* 0 where the library itself fails for derived types without data. MPICH 4.2
 * and 5.0 divide by a type's number of blocks. In a broadcast of MPICH 4.2,
 * ranks with a count of 0 return at once, and others with such a type send. */
static int may_be_empty(void)
{
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000
    return 0;
#else
    return 1;
#endif
}

/* Strided at the root, contiguous elsewhere: equal signatures, different
 * types. */
static void bcast_strided(int n, int root)
{
    MPI_Datatype strided;

    if (!may_mix() || (n == 0 && !may_be_empty()))
        return;

    MPI_Type_vector(n, 1, 2, MPI_INT, &strided);
    MPI_Type_commit(&strided);
    memset(out, 0, 2 * (size_t)n * sizeof(int));
    if (rank == root) {
        for (int i = 0; i < n; i++)
            out[2 * i] = value(root, i);
        MPI_Bcast(out, 1, strided, root, comm);
    } else {
        MPI_Bcast(out, n, MPI_INT, root, comm);
        check(holds(out, root, n), "bcast of a vector type", n);
    }
    MPI_Type_free(&strided);
}

/* A type for n integers with gaps between them and after the last. Used with
 * MPI_BOTTOM; the first integer is at out. */
static MPI_Datatype placed_at_out(int n)
{
    MPI_Datatype vector, spread, placed;
    const int once = 1;
    MPI_Aint where;

    MPI_Get_address(out, &where);
    MPI_Type_vector(n, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 2 * n * (MPI_Aint)sizeof(int), &spread);
    MPI_Type_create_hindexed(1, &once, &where, spread, &placed);
    MPI_Type_commit(&placed);
    MPI_Type_free(&vector);
    MPI_Type_free(&spread);
    return placed;
}

/* Not for n = 0: the gather of MPICH 4.0 itself hangs on elements without
 * data. */
static void bottom(int n, int root)
{
    MPI_Datatype placed;

    if (n == 0)
        return;
    placed = placed_at_out(n);
    memset(out, 0, 2 * (size_t)n * sizeof(int));
    for (int i = 0; rank == root && i < n; i++)
        out[2 * i] = value(root, i);
    MPI_Bcast(MPI_BOTTOM, 1, placed, root, comm);
    for (int i = 0; i < n; i++)
        check(out[2 * i] == value(root, i) && out[2 * i + 1] == 0,
              "bcast of MPI_BOTTOM", n);
    fill(in, rank, n);
    memset(out, 0, 2 * (size_t)n * (size_t)size * sizeof(int));
    MPI_Gather(in, n, MPI_INT, MPI_BOTTOM, 1, placed, root, comm);
    for (int i = 0; rank == root && i < n * size; i++)
        check(out[2 * i] == value(i / n, i % n) && out[2 * i + 1] == 0,
              "gather to MPI_BOTTOM", n);
    MPI_Type_free(&placed);
}

/* From 2 KiB on MPICH 4.0 itself uses MPI_IN_PLACE as an address if the root
 * is not rank 0. That case is not called. */
static void reduce(int n, int root, int in_place)
{
    if (root != 0 && n > 100)
        in_place = 0;
    fill(in, rank, n);
    fill(out, rank, n);
    if (in_place && rank == root)
        MPI_Reduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, root, comm);
    else
        MPI_Reduce(in, rank == root ? out : NULL, n, MPI_INT, MPI_SUM, root,
                   comm);
    check(rank != root || holds_sum(out, 0, n), "reduce", n);
    check(holds(in, rank, n), "reduce wrote its input", n);
}

static void allreduce(int n, int in_place)
{
    fill(in, rank, n);
    fill(out, rank, n);
    MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM,
                  comm);
    check(holds_sum(out, 0, n), "allreduce", n);
}

static void reduce_scatter_block(int n, int in_place)
{
    fill(in, rank, n * size);
    fill(out, rank, n * size);
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT,
                             MPI_SUM, comm);
    check(holds_sum(out, rank * n, n), "reduce_scatter_block", n);
}

static void gather(int n, int root, int in_place)
{
    fill(in, rank, n);
    memset(out, 0, (size_t)n * (size_t)size * sizeof(int));
    if (rank == root)
        fill(out + rank * n, rank, n);
    if (rank == root)
        MPI_Gather(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT,
                   root, comm);
    else /* other arguments are not significant */
        MPI_Gather(in, n, MPI_INT, NULL, -1, MPI_DATATYPE_NULL, root, comm);
    for (int r = 0; rank == root && r < size; r++)
        check(holds(out + r * n, r, n), "gather", n);
}

static void scatter(int n, int root, int in_place)
{
    memset(out, 0, (size_t)n * sizeof(int));
    for (int r = 0; r < size; r++)
        fill(in + r * n, r, n);
    if (rank != root)
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, out, n, MPI_INT, root, comm);
    else
        MPI_Scatter(in, n, MPI_INT, in_place ? MPI_IN_PLACE : out, n, MPI_INT,
                    root, comm);
    check((rank == root && in_place) || holds(out, rank, n), "scatter", n);
}

static void allgather(int n, int in_place)
{
    fill(in, rank, n);
    memset(out, 0, (size_t)n * (size_t)size * sizeof(int));
    fill(out + rank * n, rank, n);
    MPI_Allgather(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT,
                  comm);
    for (int r = 0; r < size; r++)
        check(holds(out + r * n, r, n), "allgather", n);
}

/* Interleaves the blocks at the receiver by a resized column type. */
static void allgather_columns(int n)
{
    MPI_Datatype vector, column;

    MPI_Type_vector(n, 1, size, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    fill(in, rank, n);
    MPI_Allgather(in, n, MPI_INT, out, 1, column, comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            check(out[i * size + r] == value(r, i), "allgather of columns", r);
    MPI_Type_free(&vector);
    MPI_Type_free(&column);
}

static void alltoall(int n, int in_place)
{
    for (int r = 0; r < size; r++) {
        fill(in + r * n, rank * 31 + r, n);
        fill(out + r * n, rank * 31 + r, n);
    }
    if (in_place && rank > 0) /* other arguments may differ */
        MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, out, n, MPI_INT,
                     comm);
    else if (in_place)
        MPI_Alltoall(MPI_IN_PLACE, n, MPI_INT, out, n, MPI_INT, comm);
    else
        MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm);
    for (int r = 0; r < size; r++)
        check(holds(out + r * n, r * 31 + rank, n), "alltoall", n);
}

/* A transposition: sends rows and receives columns; equal signatures. */
static void alltoall_columns(int n)
{
    MPI_Datatype vector, column;

    MPI_Type_vector(n, 1, size, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    for (int r = 0; r < size; r++)
        fill(in + r * n, rank * 31 + r, n);
    memset(out, 0, (size_t)n * (size_t)size * sizeof(int));
    MPI_Alltoall(in, n, MPI_INT, out, 1, column, comm);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < n; i++)
            check(out[i * size + r] == value(r * 31 + rank, i),
                  "alltoall of columns", r);
    MPI_Type_free(&vector);
    MPI_Type_free(&column);
}

/* 1 if buf has the sum over ranks 0 ... last. */
static int holds_prefix(const int *buf, int last, int n)
{
    for (int i = 0; i < n; i++)
        if (buf[i] != 1009 * (last * (last + 1) / 2)
                          + (last + 1) * (i % 1000))
            return 0;
    return 1;
}

static void scan(int n, int in_place)
{
    fill(in, rank, n);
    fill(out, rank, n);
    MPI_Scan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, comm);
    check(holds_prefix(out, rank, n), "scan", n);
}

static void exscan(int n, int in_place)
{
    fill(in, rank, n);
    fill(out, rank, n);
    MPI_Exscan(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, comm);
    check(rank == 0 || holds_prefix(out, rank - 1, n), "exscan", n);
    check(holds(in, rank, n), "exscan wrote its input", n);
}

/* No rank may leave before all have entered: each rank counts its entries in
 * shared memory. */
static void barrier(void)
{
    atomic_int *entered;
    MPI_Win win;

    MPI_Win_allocate_shared(sizeof(*entered), 1, MPI_INFO_NULL, comm,
                            &entered, &win);
    atomic_store(entered, 0);
    PMPI_Barrier(comm);
    for (int k = 1; k <= 20; k++) {
        atomic_store(entered, k);
        MPI_Barrier(comm);
        for (int r = 0; r < size; r++) {
            atomic_int *other;
            MPI_Aint bytes;
            int unit;

            MPI_Win_shared_query(win, r, &bytes, &unit, &other);
            check(atomic_load(other) >= k, "barrier", r);
        }
    }
    MPI_Win_free(&win);
}

/* An operation that does not commute. inout = in op inout gives the right
 * operand. */
static void last_of(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)a;
    (void)b;
    (void)n;
    (void)type;
}

static void user_op(int n)
{
    MPI_Op op;

    MPI_Op_create(last_of, 0, &op);
    fill(in, rank, n);
    MPI_Allreduce(in, out, n, MPI_INT, op, comm);
    check(holds(out, size - 1, n), "allreduce of a user's operation", n);
    MPI_Op_free(&op);
}

static void all_with_root(int n, int root)
{
    bcast(n, root);
    bcast_strided(n, root);
    bottom(n, root);
    for (int in_place = 0; in_place < 2; in_place++) {
        reduce(n, root, in_place);
        gather(n, root, in_place);
        scatter(n, root, in_place);
    }
}

static void all(MPI_Comm on)
{
    static const int count[] = { 0, 1, 7, 700, MAX_COUNT / 2 };

    comm = on;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 5 - quick; i++) {
        const int n = count[i];

        for (int root = 0; root < size; root += size > 2 ? size / 2 : 1)
            all_with_root(n, root);
        for (int in_place = 0; in_place < 2; in_place++) {
            allreduce(n, in_place);
            reduce_scatter_block(n, in_place);
            allgather(n, in_place);
            alltoall(n, in_place);
            alltoall(n, 0);
            scan(n, in_place);
            exscan(n, in_place);
        }
        allgather_columns(n);
        if (n > 0 || may_be_empty())
            alltoall_columns(n);
        user_op(n);
    }
    barrier();
}

int main(int argc, char **argv)
{
    int ret;

    MPI_Init(&argc, &argv);
    in = malloc((size_t)MAX_COUNT * MAX_SIZE * sizeof(int));
    out = malloc((size_t)MAX_COUNT * MAX_SIZE * sizeof(int));
    quick = argc > 1;
    on_comms(all, quick);
    free(in);
    free(out);
    ret = check_done("app");
    MPI_Finalize();
    return ret != 0;
}
