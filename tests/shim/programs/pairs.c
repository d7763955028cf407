/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs.c - data of value-index pairs, and of structs of different members.
 *
 * Types are made by every constructor, and other ranks use other constructors
 * of the same signature. Messages are short, and longer than libraries send in
 * one piece. All bytes are checked, also those in gaps. Arguments are the
 * names of the collectives to call; each type then has one size only. Default:
 * all collectives. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { EACH = 6, GAP = 0x5a, NPAIR = 8 }; /* EACH pairs in every type */

static int rank, size, nbyte;  /* nbyte: data bytes of one element */

static MPI_Datatype dup_of(MPI_Datatype pair)
{
    MPI_Datatype whole, made;

    MPI_Type_contiguous(EACH, pair, &whole);
    MPI_Type_dup(whole, &made);
    MPI_Type_free(&whole);
    return made;
}

static MPI_Datatype array_of(MPI_Datatype pair, int distributed)
{
    const int sizes[2] = { 4, 3 }, part[2] = { 2, 3 }, start[2] = { 1, 0 };
    const int by[2] = { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE };
    const int how[2] = { MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG };
    const int grid[2] = { 2, 1 };
    MPI_Datatype made;

    if (distributed)
        MPI_Type_create_darray(2, 1, 2, sizes, by, how, grid, MPI_ORDER_C,
                               pair, &made);
    else
        MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_FORTRAN,
                                 pair, &made);
    return made;
}

/* Nested structs, with the pair last and first. */
static MPI_Datatype nested_of(MPI_Datatype pair, MPI_Aint extent)
{
    const int length[2] = { 1, 2 };
    const MPI_Aint at[2] = { 4 * extent, 0 };
    MPI_Datatype part[2] = { pair, pair }, inner, wide, made;

    MPI_Type_create_struct(2, length, at, part, &inner);
    MPI_Type_create_resized(inner, 0, 6 * extent, &wide);
    MPI_Type_create_hvector(2, 1, 7 * extent, wide, &made);
    MPI_Type_free(&inner);
    MPI_Type_free(&wide);
    return made;
}

enum { NHOW = 12 };
static MPI_Datatype make(int how, MPI_Datatype pair)
{
    static const int length[3] = { 3, 1, 2 }, place[3] = { 4, 0, 8 };
    static const int start[3] = { 5, 0, 2 };
    MPI_Aint at[3], low, extent;
    MPI_Datatype made = MPI_DATATYPE_NULL;

    MPI_Type_get_extent(pair, &low, &extent);
    for (int i = 0; i < 3; i++)
        at[i] = place[i] * extent;
    if (how == 0)
        MPI_Type_contiguous(EACH, pair, &made);
    else if (how == 1)
        MPI_Type_vector(3, 2, 4, pair, &made);
    else if (how == 2)
        MPI_Type_create_hvector(2, 3, 4 * extent, pair, &made);
    else if (how == 3)
        MPI_Type_indexed(3, length, place, pair, &made);
    else if (how == 4)
        MPI_Type_create_hindexed(3, length, at, pair, &made);
    else if (how == 5)
        MPI_Type_create_indexed_block(3, 2, start, pair, &made);
    else if (how == 6)
        MPI_Type_create_hindexed_block(3, 2, at, pair, &made);
    else if (how == 7)
        MPI_Type_create_struct(3, length, at,
                               (MPI_Datatype[]){ pair, pair, pair }, &made);
    else if (how == 8)
        made = dup_of(pair);
    else if (how < 11)
        made = array_of(pair, how == 10);
    else
        made = nested_of(pair, extent);
    MPI_Type_commit(&made);
    return made;
}

/* The data of blocks of count elements, each as sent by its rank. */
static char *stream(int count, int blocks, const int *from)
{
    const size_t each = (size_t)count * (size_t)nbyte;
    char *bytes = malloc(each * (size_t)blocks + 1);

    for (int b = 0; b < blocks; b++)
        for (size_t i = 0; i < each; i++)
            bytes[(size_t)b * each + i] =
                (char)(from[b] * 37 + (int)(i % 251) + 1);
    return bytes;
}

struct side {
    MPI_Datatype type;
    size_t room;             /* bytes of one block */
    int count, blocks;
};

static char *empty(const struct side *s)
{
    char *buf = malloc(s->room * (size_t)s->blocks + 1024);

    memset(buf, GAP, s->room * (size_t)s->blocks + 1024);
    return buf;
}

/* The side's memory, filled with the blocks of these ranks. */
static char *filled(const struct side *s, const int *from)
{
    char *bytes = stream(s->count, s->blocks, from), *buf = empty(s);
    int at = 0;

    MPI_Unpack(bytes, s->count * s->blocks * nbyte, &at, buf,
               s->count * s->blocks, s->type, MPI_COMM_SELF);
    free(bytes);
    return buf;
}

static void compare(const struct side *s, char *got, const int *from,
                    const char *what, int k)
{
    char *want = filled(s, from);

    check(memcmp(got, want, s->room * (size_t)s->blocks + 1024) == 0, what,
          k);
    free(want);
    free(got);
}

static int argc;
static char **argv;

static int wanted(const char *coll)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], coll) == 0)
            return 1;
    return argc < 2;
}

static void one_to_all(const struct side *one, const struct side *many,
                       const int *from, int root, int k)
{
    const int n = one->count;
    char *in = filled(many, from), *out;

    if (wanted("bcast")) {
        out = rank == root ? filled(one, &rank) : empty(one);
        MPI_Bcast(out, n, one->type, root, MPI_COMM_WORLD);
        compare(one, out, &root, "bcast", k);
    }
    if (wanted("scatter")) {
        out = empty(one);
        MPI_Scatter(in, n, one->type, out, n, one->type, root,
                    MPI_COMM_WORLD);
        compare(one, out, &rank, "scatter", k);
    }
    free(in);
}

static void all_to_one(const struct side *one, const struct side *many,
                       const int *from, int root, int k)
{
    const int n = one->count;
    char *in = filled(one, &rank), *out;

    if (wanted("gather")) {
        out = empty(many);
        MPI_Gather(in, n, one->type, out, n, one->type, root,
                   MPI_COMM_WORLD);
        if (rank == root)
            compare(many, out, from, "gather", k);
        else
            free(out);
    }
    free(in);
}

static void all_to_all(const struct side *one, const struct side *many,
                       const int *from, const int *me, int k)
{
    const int n = one->count;
    char *in = filled(one, &rank), *mine = filled(many, me), *out;

    if (wanted("allgather")) {
        out = empty(many);
        MPI_Allgather(in, n, one->type, out, n, one->type, MPI_COMM_WORLD);
        compare(many, out, from, "allgather", k);
    }
    if (wanted("alltoall")) {
        out = empty(many);
        MPI_Alltoall(mine, n, one->type, out, n, one->type, MPI_COMM_WORLD);
        compare(many, out, from, "alltoall", k);
    }
    free(in);
    free(mine);
}

static void all(MPI_Datatype type, int count, int root, int k)
{
    int *from = malloc(sizeof(int) * (size_t)size);
    int *me = malloc(sizeof(int) * (size_t)size);
    struct side one, many;
    MPI_Aint low, extent;

    MPI_Type_get_extent(type, &low, &extent);
    one = (struct side){ type, (size_t)extent * (size_t)count, count, 1 };
    many = one;
    many.blocks = size;
    for (int r = 0; r < size; r++) {
        from[r] = r;
        me[r] = rank;
    }
    one_to_all(&one, &many, from, root, k);
    all_to_one(&one, &many, from, root, k);
    all_to_all(&one, &many, from, me, k);
    free(from);
    free(me);
}

/* A struct whose extent is larger than the end of its members. */
static MPI_Datatype struct_of(MPI_Datatype first, MPI_Datatype second,
                              MPI_Aint at)
{
    const int length[2] = { 1, 1 };
    const MPI_Aint place[2] = { 0, at };
    const MPI_Datatype part[2] = { first, second };
    MPI_Datatype made;

    MPI_Type_create_struct(2, length, place, part, &made);
    return made;
}

/* A double by Fortran's constructor; MPI_DOUBLE if the library has no
 * Fortran. */
static MPI_Datatype fortran_double(void)
{
    MPI_Datatype made = MPI_DOUBLE;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Type_create_f90_real(15, MPI_UNDEFINED, &made) != MPI_SUCCESS)
        made = MPI_DOUBLE;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return made;
}

int main(int narg, char **arg)
{
    static const int count[3] = { 4, 250, 1500 };
    int ret;

    MPI_Init(&narg, &arg);
    argc = narg;
    argv = arg;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int how = 0; how < NHOW; how++) {
        MPI_Datatype pair[NPAIR] = {
            MPI_DOUBLE_INT, struct_of(MPI_DOUBLE, MPI_INT, 8), MPI_SHORT_INT,
            MPI_LONG_INT, struct_of(MPI_SHORT, MPI_DOUBLE, 8), MPI_FLOAT_INT,
            MPI_LONG_DOUBLE_INT, struct_of(fortran_double(), MPI_INT, 8)
        };
        /* The last of several ranks uses another type of the same signature. */
        const int mine = rank > 0 && rank == size - 1 ? (how + 5) % NHOW
                                                      : how;
        MPI_Datatype type = make(mine, pair[how % NPAIR]);

        MPI_Type_size(type, &nbyte);
        for (int i = 0; i < 3; i++)
            if (argc < 2 || i == how % 3)
                all(type, count[i], (how + i) % size, how);
        MPI_Type_free(&type);
        MPI_Type_free(&pair[1]);
        MPI_Type_free(&pair[4]);
        MPI_Type_free(&pair[7]);
    }
    ret = check_done("pairs");
    MPI_Finalize();
    return ret != 0;
}
