/* SPDX-License-Identifier: BSD-3-Clause */
/* maps.c - collectives between ranks that use different random types of the
 * same signature (maps.h): vectors, blocks, structs, other bounds, negative
 * strides, MPI_BOTTOM, other counts of smaller and larger types, empty data.
 * All memory, including gaps, must be as after the library's call with the
 * same data as bytes.
 *
 *     maps SEED [ROUNDS]     the same seed, ranks and library: the same
 * calls */
#include <stddef.h>
#include <stdio.h>

#include "check.h"
#include "maps.h"

enum { NBASE = 4 };

static MPI_Comm comm;
static int rank, size, turn;
static uint64_t common, own;       /* streams: common to all ranks; this
                                    * rank's */
static MPI_Datatype base[NBASE];
static int kind, each, unit;       /* index into base; its bytes; divisor of
                                    * all sizes */

static char byte_of(int from, int to, int i)
{
    return (char)(turn * 101 + from * 37 + to * 11 + i % 241);
}

/* Elements of one block. Large ones only if the library may send them in one
 * piece: it reports longer gathers of different members as truncated. */
static int draw_size(void)
{
    const int how = draw(&common, 8);
    const int most = kind == NBASE - 1 ? 40 : 9000;

    if (how == 0)
        return 0;
    return unit * (1 + draw(&common, (how < 6 ? 40 : most) / unit));
}

static void begin(void)
{
    static const int units[] = { 1, 2, 4, 6, 12 };

    kind = draw(&common, NBASE);
    MPI_Type_size(base[kind], &each);
    unit = units[draw(&common, 5)];
}

/* Blocks as bytes, one after the other. */
struct bytes {
    int count[MAX_SIZE], displ[MAX_SIZE], all;
    char *data;
};

static struct bytes bytes_new(const int *sizes, int blocks)
{
    struct bytes b = {0};

    for (int i = 0; i < blocks; i++) {
        b.displ[i] = b.all;
        b.count[i] = sizes[i] * each;
        b.all += b.count[i];
    }
    b.data = calloc((size_t)b.all + 1, 1);
    return b;
}

static void bytes_fill(struct bytes *b, int block, int from, int to)
{
    for (int i = 0; i < b->count[block]; i++)
        b->data[b->displ[block] + i] = byte_of(from, to, i);
}

static void equal_sizes(int *sizes, int vary)
{
    const int n = draw_size();

    for (int r = 0; r < size; r++)
        sizes[r] = vary ? draw_size() : n;
}

/* MPICH 4.0's own allgatherv cuts blocks of 32 KiB and more, including gaps,
 * by each rank's own elements, and then cannot join them. */
static void short_sizes(int *sizes)
{
    for (int r = 0; r < size; r++)
        sizes[r] = sizes[r] > 400 ? 400 / unit * unit : sizes[r];
}

static void bcast(void)
{
    const int n = draw_size(), root = draw(&common, size);
    struct side one = side_new(&own, base[kind], unit, &n, 1, 0);
    struct bytes want = bytes_new(&n, 1);
    char *was;

    if (rank == root) {
        bytes_fill(&want, 0, root, 0);
        side_put(&one, one.memory, want.data);
    }
    was = side_copy(&one);
    MPI_Bcast(one.buf, one.count[0], one.type, root, comm);
    PMPI_Bcast(want.data, want.all, MPI_BYTE, root, comm);
    check(side_is(&one, was, want.data), "bcast", turn);
    free(was);
    free(want.data);
    side_free(&one);
}

/* One block at each rank, many at the root: state of rooted collectives. */
struct rooted {
    int sizes[MAX_SIZE], root, vary, in_place;
    struct side one, many;         /* many: only at the root */
    struct bytes mine, all;
    char *one_was, *many_was;
};

static void rooted_begin(struct rooted *x, int gathers)
{
    x->vary = draw(&common, 2);
    x->root = draw(&common, size);
    x->in_place = draw(&common, 3) == 0;
    equal_sizes(x->sizes, x->vary);
    x->mine = bytes_new(&x->sizes[rank], 1);
    x->all = bytes_new(x->sizes, size);
    x->one = side_new(&own, base[kind], unit, &x->sizes[rank], 1, 0);
    x->many = side_new(&own, base[kind], unit, x->sizes, size, x->vary);
    for (int r = 0; r < size && rank == x->root; r++)
        if (!gathers || r == rank)
            bytes_fill(&x->all, r, x->root, r);
    if (rank == x->root && (!gathers || x->in_place))
        side_put(&x->many, x->many.memory, x->all.data);
    if (gathers) {
        bytes_fill(&x->mine, 0, rank == x->root ? x->root : rank, rank);
        side_put(&x->one, x->one.memory, x->mine.data);
    }
    x->one_was = side_copy(&x->one);
    x->many_was = side_copy(&x->many);
}

static void rooted_end(struct rooted *x)
{
    free(x->one_was);
    free(x->many_was);
    free(x->mine.data);
    free(x->all.data);
    side_free(&x->one);
    side_free(&x->many);
}

static void gather(void)
{
    struct rooted x;
    const void *in;

    rooted_begin(&x, 1);
    in = x.in_place && rank == x.root ? MPI_IN_PLACE : x.one.buf;
    if (rank != x.root && x.vary)
        MPI_Gatherv(in, x.one.count[0], x.one.type, NULL, NULL, NULL,
                    MPI_DATATYPE_NULL, x.root, comm);
    else if (rank != x.root)
        MPI_Gather(in, x.one.count[0], x.one.type, NULL, -1,
                   MPI_DATATYPE_NULL, x.root, comm);
    else if (x.vary)
        MPI_Gatherv(in, x.one.count[0], x.one.type, x.many.buf, x.many.count,
                    x.many.displ, x.many.type, x.root, comm);
    else
        MPI_Gather(in, x.one.count[0], x.one.type, x.many.buf,
                   x.many.count[0], x.many.type, x.root, comm);
    PMPI_Gatherv(x.mine.data, x.mine.all, MPI_BYTE, x.all.data, x.all.count,
                 x.all.displ, MPI_BYTE, x.root, comm);
    check(side_is(&x.one, x.one_was, NULL), "gather wrote its input", turn);
    check(side_is(&x.many, x.many_was, rank == x.root ? x.all.data : NULL),
          x.vary ? "gatherv" : "gather", turn);
    rooted_end(&x);
}

static void scatter(void)
{
    struct rooted x;
    int keeps;
    void *out;

    rooted_begin(&x, 0);
    keeps = x.in_place && rank == x.root;
    out = keeps ? MPI_IN_PLACE : x.one.buf;
    if (rank != x.root && x.vary)
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, out, x.one.count[0],
                     x.one.type, x.root, comm);
    else if (rank != x.root)
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, out, x.one.count[0],
                    x.one.type, x.root, comm);
    else if (x.vary)
        MPI_Scatterv(x.many.buf, x.many.count, x.many.displ, x.many.type, out,
                     x.one.count[0], x.one.type, x.root, comm);
    else
        MPI_Scatter(x.many.buf, x.many.count[0], x.many.type, out,
                    x.one.count[0], x.one.type, x.root, comm);
    PMPI_Scatterv(x.all.data, x.all.count, x.all.displ, MPI_BYTE, x.mine.data,
                  x.mine.all, MPI_BYTE, x.root, comm);
    check(side_is(&x.one, x.one_was, keeps ? NULL : x.mine.data),
          x.vary ? "scatterv" : "scatter", turn);
    check(side_is(&x.many, x.many_was, NULL), "scatter wrote its input",
          turn);
    rooted_end(&x);
}

static void allgather(void)
{
    const int vary = draw(&common, 2), in_place = draw(&common, 4) == 0;
    int sizes[MAX_SIZE];
    struct side one, many;
    struct bytes mine, all;
    char *one_was, *many_was;
    const void *in;

    equal_sizes(sizes, vary);
    if (vary)
        short_sizes(sizes);
    one = side_new(&own, base[kind], unit, &sizes[rank], 1, 0);
    /* On one rank MPICH 4.0's own allgatherv ignores the displacement. */
    many = side_new(&own, base[kind], unit, sizes, size, vary && size > 1);
    mine = bytes_new(&sizes[rank], 1);
    all = bytes_new(sizes, size);
    bytes_fill(&mine, 0, rank, 0);
    bytes_fill(&all, rank, rank, 0);
    side_put(&one, one.memory, mine.data);
    if (in_place)
        side_put(&many, many.memory, all.data);
    one_was = side_copy(&one);
    many_was = side_copy(&many);
    in = in_place ? MPI_IN_PLACE : one.buf;
    if (vary)
        MPI_Allgatherv(in, one.count[0], one.type, many.buf, many.count,
                       many.displ, many.type, comm);
    else
        MPI_Allgather(in, one.count[0], one.type, many.buf, many.count[0],
                      many.type, comm);
    PMPI_Allgatherv(mine.data, mine.all, MPI_BYTE, all.data, all.count,
                    all.displ, MPI_BYTE, comm);
    check(side_is(&one, one_was, NULL), "allgather wrote its input", turn);
    check(side_is(&many, many_was, all.data),
          vary ? "allgatherv" : "allgather", turn);
    free(one_was);
    free(many_was);
    free(mine.data);
    free(all.data);
    side_free(&one);
    side_free(&many);
}

static void alltoall(void)
{
    const int vary = draw(&common, 2), in_place = draw(&common, 4) == 0;
    int to[MAX_SIZE], from[MAX_SIZE];
    struct side in, out;
    struct bytes give, take;
    char *in_was, *out_was;

    equal_sizes(to, 0);
    for (int r = 0; r < size; r++) {
        uint64_t there = (uint64_t)(rank * MAX_SIZE + r), back =
            (uint64_t)(r * MAX_SIZE + rank);

        from[r] = to[r];
        if (vary && !in_place) {
            to[r] = unit * draw(&there, 50);
            from[r] = unit * draw(&back, 50);
        }
    }
    in = side_new(&own, base[kind], unit, to, size, vary);
    out = side_new(&own, base[kind], unit, from, size, vary);
    give = bytes_new(to, size);
    take = bytes_new(from, size);
    for (int r = 0; r < size; r++)
        bytes_fill(&give, r, rank, r);
    side_put(&in, in.memory, give.data);
    if (in_place)
        side_put(&out, out.memory, give.data);
    in_was = side_copy(&in);
    out_was = side_copy(&out);
    if (vary)
        MPI_Alltoallv(in_place ? MPI_IN_PLACE : in.buf, in.count, in.displ,
                      in.type, out.buf, out.count, out.displ, out.type, comm);
    else
        MPI_Alltoall(in_place ? MPI_IN_PLACE : in.buf, in.count[0], in.type,
                     out.buf, out.count[0], out.type, comm);
    PMPI_Alltoallv(give.data, give.count, give.displ, MPI_BYTE, take.data,
                   take.count, take.displ, MPI_BYTE, comm);
    check(side_is(&in, in_was, NULL), "alltoall wrote its input", turn);
    check(side_is(&out, out_was, take.data), vary ? "alltoallv" : "alltoall",
          turn);
    free(in_was);
    free(out_was);
    free(give.data);
    free(take.data);
    side_free(&in);
    side_free(&out);
}

/* A struct of different members. */
static MPI_Datatype uneven(void)
{
    const int length[2] = { 1, 1 };
    const MPI_Aint place[2] = { 0, sizeof(double) };
    const MPI_Datatype part[2] = { MPI_DOUBLE, MPI_INT };
    MPI_Datatype made;

    MPI_Type_create_struct(2, length, place, part, &made);
    return made;
}

/* 0 where Open MPI 4.1 itself gives wrong values or hangs: see app.c. */
static int may_mix(void)
{
#ifdef OPEN_MPI
    return getenv("APP_MIXED") != NULL;
#else
    return 1;
#endif
}

int main(int argc, char **argv)
{
    static void (*const call[])(void) = { bcast, gather, scatter, allgather,
                                          alltoall };
    const unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int rounds = argc > 2 ? atoi(argv[2]) : 12;
    MPI_Comm turned;
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    base[0] = MPI_CHAR;
    base[1] = MPI_INT;
    base[2] = MPI_DOUBLE;
    base[3] = uneven();
    for (turn = 0; turn < rounds; turn++) {
        comm = turn % 2 ? turned : MPI_COMM_WORLD;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        if (size > MAX_SIZE)
            break;
        common = seed * 1000003 + (uint64_t)turn;
        own = common + (may_mix() ? (uint64_t)rank * 7919 : 0);
        begin();
        for (size_t i = 0; i < sizeof(call) / sizeof(call[0]); i++)
            call[i]();
        MPI_Barrier(comm);
    }
    check(turn == rounds, "more ranks than there is room for", size);
    MPI_Type_free(&base[3]);
    MPI_Comm_free(&turned);
    ret = check_done("maps");
    MPI_Finalize();
    return ret != 0;
}
