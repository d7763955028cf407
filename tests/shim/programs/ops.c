/* SPDX-License-Identifier: BSD-3-Clause */
/* ops.c - reductions whose result shows the order of operands. An ordinary MPI
 * program, unaware of Chorale.
 *
 * Operations: a user operation that does not commute, on derived types; a user
 * operation that commutes; value-index pairs; sums of doubles, whose bits must
 * be equal on all ranks of an allreduce. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "comms.h"
#include "names.h"

enum { MOD = 10007, MAX_COUNT = 600, MAX_SIZE = 64 };

/* The map x -> a x + b mod MOD. Composition gives another such map and does
 * not commute. */
struct map {
    int a, gap, b;
};

struct pair {
    double value;
    int index;
};

static MPI_Comm comm;
static int rank, size;
static MPI_Datatype map_type;
static MPI_Op after, largest;
static struct map in[MAX_COUNT * MAX_SIZE], out[MAX_COUNT * MAX_SIZE];

static struct map then(struct map f, struct map g)
{
    struct map h = { g.a * f.a % MOD, 0, (g.a * f.b + g.b) % MOD };

    return h;
}

static void compose(void *left, void *right, int *n, MPI_Datatype *type)
{
    struct map *f = left, *g = right;

    (void)type;
    for (int i = 0; i < *n; i++) {
        const int gap = g[i].gap;

        g[i] = then(f[i], g[i]);
        g[i].gap = gap;
    }
}

static void take_largest(void *left, void *right, int *n, MPI_Datatype *type)
{
    int *a = left, *b = right;

    (void)type;
    for (int i = 0; i < *n; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

static struct map map_of(int r, int i)
{
    struct map f = { 2 + r + i % 5, -1, 3 * r + i % 7 };

    return f;
}

/* Composition of the maps of ranks 0 ... last, in rank order. */
static struct map all_up_to(int last, int i)
{
    struct map f = map_of(0, i);

    for (int r = 1; r <= last; r++)
        f = then(f, map_of(r, i));
    return f;
}

static void fill(int n)
{
    for (int i = 0; i < n; i++) {
        in[i] = map_of(rank, i);
        out[i] = map_of(rank, i);
    }
}

static void expect(int last, int first, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        struct map want = all_up_to(last, first + i);

        check(out[i].a == want.a && out[i].b == want.b, what, n);
        check(out[i].gap == -1, "a gap was written", n);
    }
}

static void in_order_whole(int n, const void *from)
{
    for (int root = 0; root < size; root++) {
        fill(n);
        /* In place only if the root is rank 0: see app.c. */
        MPI_Reduce(rank == root && root == 0 ? from : in, out, n, map_type,
                   after, root, comm);
        if (rank == root)
            expect(size - 1, 0, n, "reduce in rank order");
    }
    fill(n);
    MPI_Allreduce(from, out, n, map_type, after, comm);
    expect(size - 1, 0, n, "allreduce in rank order");
    fill(n);
    MPI_Scan(from, out, n, map_type, after, comm);
    expect(rank, 0, n, "scan in rank order");
    fill(n);
    MPI_Exscan(from, out, n, map_type, after, comm);
    if (rank > 0)
        expect(rank - 1, 0, n, "exscan in rank order");
}

static void in_order(int n, int in_place)
{
    const void *from = in_place ? MPI_IN_PLACE : (void *)in;
    count_t counts[MAX_SIZE];
    int first = 0;

    in_order_whole(n, from);
    fill(n * size);
    MPI_Reduce_scatter_block(from, out, n, map_type, after, comm);
    expect(size - 1, rank * n, n, "reduce_scatter_block in rank order");
    for (int r = 0; r < size; r++) {
        counts[r] = r % 2 == 0 ? n : n / 2;
        first += r < rank ? (int)counts[r] : 0;
    }
    fill(n * size);
    MPI_Reduce_scatter(from, out, counts, map_type, after, comm);
    expect(size - 1, first, (int)counts[rank], "reduce_scatter in rank order");
}

/* One element of a type whose elements would overlap if there were two. */
static void in_order_short(int in_place)
{
    static const MPI_Aint extent[] = { 0, 4, -4 };
    const MPI_Datatype whole = map_type;

    for (int i = 0; i < 3; i++) {
        count_t counts[MAX_SIZE] = { 0 };

        MPI_Type_create_resized(whole, 0, extent[i], &map_type);
        MPI_Type_commit(&map_type);
        in_order_whole(1, in_place ? MPI_IN_PLACE : (void *)in);
        counts[size / 2] = 1;
        fill(1);
        MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : (void *)in, out, counts,
                           map_type, after, comm);
        expect(size - 1, 0, (int)counts[rank], "reduce_scatter of one");
        MPI_Type_free(&map_type);
    }
    map_type = whole;
}

/* Elements that interleave: columns of two rows that are apart ints from each
 * other. */
static int apart, row_in[2 * (MAX_COUNT + MAX_SIZE)],
    row_out[2 * (MAX_COUNT + MAX_SIZE)];

static void compose_columns(void *left, void *right, int *n,
                            MPI_Datatype *type)
{
    int *f = left, *g = right;

    (void)type;
    for (int i = 0; i < *n; i++) {
        struct map h = then((struct map){ f[i], 0, f[i + apart] },
                            (struct map){ g[i], 0, g[i + apart] });

        g[i] = h.a;
        g[i + apart] = h.b;
    }
}

static void fill_columns(int n)
{
    memset(row_in, -1, sizeof(int) * 2 * (size_t)apart);
    memset(row_out, -1, sizeof(int) * 2 * (size_t)apart);
    for (int i = 0; i < n; i++) {
        row_in[i] = row_out[i] = map_of(rank, i).a;
        row_in[i + apart] = row_out[i + apart] = map_of(rank, i).b;
    }
}

static void expect_columns(int last, int first, int n, const char *what)
{
    for (int i = 0; i < n; i++) {
        struct map want = all_up_to(last, first + i);

        check(row_out[i] == want.a && row_out[i + apart] == want.b, what, n);
    }
}

/* MPICH 4.0.2's own reduce_scatter aborts at powers of two. */
static void by_columns(int n, int in_place)
{
    const void *from = in_place ? MPI_IN_PLACE : (void *)row_in;
    count_t counts[MAX_SIZE];
    MPI_Datatype two, column;
    MPI_Op op;

    apart = n + size; /* less than the operands of all ranks in one row */
    MPI_Type_vector(2, 1, apart, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&two);
    MPI_Op_create(compose_columns, 0, &op);
    for (int root = 0; root < size; root++) {
        fill_columns(n);
        MPI_Reduce(rank == root && root == 0 ? from : row_in, row_out, n,
                   column, op, root, comm);
        if (rank == root)
            expect_columns(size - 1, 0, n, "reduce of columns");
        check(row_out[apart - 1] == -1, "beside a row was written", n);
    }
    fill_columns(n);
    MPI_Allreduce(from, row_out, n, column, op, comm);
    expect_columns(size - 1, 0, n, "allreduce of columns");
    fill_columns(n);
    MPI_Scan(from, row_out, n, column, op, comm);
    expect_columns(rank, 0, n, "scan of columns");
    fill_columns(n);
    MPI_Exscan(from, row_out, n, column, op, comm);
    if (rank > 0)
        expect_columns(rank - 1, 0, n, "exscan of columns");
    check(row_out[apart - 1] == -1, "beside a row was written", n);
    for (int r = 0; r < size; r++)
        counts[r] = r == 0 ? n : 1;
    if ((size & (size - 1)) != 0) {
        fill_columns(n + size - 1);
        MPI_Reduce_scatter(from, row_out, counts, column, op, comm);
        expect_columns(size - 1, rank == 0 ? 0 : n + rank - 1,
                       (int)counts[rank], "reduce_scatter of columns");
    }
    MPI_Op_free(&op);
    MPI_Type_free(&column);
}

static void own_that_commutes(int n)
{
    int a[MAX_COUNT], b[MAX_COUNT];

    for (int i = 0; i < n; i++)
        a[i] = (rank * 7 + i) % 11;
    MPI_Allreduce(a, b, n, MPI_INT, largest, comm);
    for (int i = 0; i < n; i++) {
        int want = 0;

        for (int r = 0; r < size; r++)
            want = (r * 7 + i) % 11 > want ? (r * 7 + i) % 11 : want;
        check(b[i] == want, "the application's largest", i);
    }
}

static void with_index(int n)
{
    struct pair a[MAX_COUNT], b[MAX_COUNT];

    for (int i = 0; i < n; i++)
        a[i] = (struct pair){ (rank + i) % size, rank };
    MPI_Allreduce(a, b, n, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    for (int i = 0; i < n; i++)
        check(b[i].value == size - 1
                  && (b[i].index + i) % size == size - 1, "maxloc", i);
    MPI_Reduce(a, b, n, MPI_DOUBLE_INT, MPI_MINLOC, 0, comm);
    for (int i = 0; rank == 0 && i < n; i++)
        check(b[i].value == 0 && (b[i].index + i) % size == 0, "minloc", i);
}

/* Sums that depend on the order of addition. */
static void bits(int n)
{
    double a[MAX_COUNT], b[MAX_COUNT], c[MAX_COUNT];

    for (int i = 0; i < n; i++)
        a[i] = 1.0 / (3 + rank * 17 + i) * (rank % 2 ? 1e9 : -1e-3);
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
    memcpy(c, b, sizeof(double) * (size_t)n);
    PMPI_Bcast(c, n, MPI_DOUBLE, 0, comm);
    check(memcmp(b, c, sizeof(double) * (size_t)n) == 0,
          "bits of an allreduce", n);
}

static void all(MPI_Comm on)
{
    static const int count[] = { 1, 5, 130, MAX_COUNT };

    comm = on;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    in_order_short(0);
    in_order_short(1);
    for (int i = 0; i < 4; i++) {
        in_order(count[i], 0);
        in_order(count[i], 1);
        by_columns(count[i], i % 2);
        own_that_commutes(count[i]);
        with_index(count[i]);
        bits(count[i]);
    }
}

int main(int argc, char **argv)
{
    const int length[2] = { 1, 1 };
    const MPI_Aint place[2] = { 0, 2 * sizeof(int) };
    const MPI_Datatype type[2] = { MPI_INT, MPI_INT };
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(2, length, place, type, &map_type);
    MPI_Type_commit(&map_type);
    MPI_Op_create(compose, 0, &after);
    MPI_Op_create(take_largest, 1, &largest);
    on_comms(all, argc > 1);
    MPI_Op_free(&after);
    MPI_Op_free(&largest);
    MPI_Type_free(&map_type);
    ret = check_done("ops");
    MPI_Finalize();
    return ret != 0;
}
