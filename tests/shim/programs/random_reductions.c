/* SPDX-License-Identifier: BSD-3-Clause */
/* random_reductions.c - random reductions: predefined types and operations, and
 * pairs in blocks with gaps (maps.h) by a user operation whose result shows the
 * order; in place; of no data. All memory, including gaps, must be as after the
 * library's own call.
 *
 *     random_reductions SEED [ROUNDS]
 *
 * The same seed and ranks make the same calls. */
#include <limits.h>
#include <stdio.h>

#include "check.h"
#include "maps.h"

enum { MOD = 10007 };

static MPI_Comm comm;
static int rank, size, turn;
static uint64_t common;
static MPI_Datatype pair;
static MPI_Op after, after_pairs;

/* Elements are pairs (a, b), the maps x -> a x + b mod MOD. Composition gives
 * such a pair and does not commute. */
static void compose_pairs(void *left, void *right, int *n, MPI_Datatype *type)
{
    int *f = left, *g = right;

    (void)type;
    for (int i = 0; i < 2 * *n; i += 2) {
        g[i + 1] = (g[i] * f[i + 1] + g[i + 1]) % MOD;
        g[i] = g[i] * f[i] % MOD;
    }
}

/* The same for any type made of pairs. */
static void compose(void *left, void *right, int *n, MPI_Datatype *type)
{
    int bytes, npair, at = 0;
    int *f, *g;

    MPI_Type_size(*type, &bytes);
    bytes *= *n;
    npair = bytes / 2 / (int)sizeof(int);
    f = malloc((size_t)bytes + 1);
    g = malloc((size_t)bytes + 1);
    MPI_Pack(left, *n, *type, f, bytes, &at, MPI_COMM_SELF);
    at = 0;
    MPI_Pack(right, *n, *type, g, bytes, &at, MPI_COMM_SELF);
    compose_pairs(f, g, &npair, type);
    at = 0;
    MPI_Unpack(g, bytes, &at, right, *n, *type, MPI_COMM_SELF);
    free(f);
    free(g);
}

/* What is reduced: predefined operations and types, which tables serve; or
 * pairs by the user operation, with the same type on all ranks. want, by: the
 * type and operation for the same data as plain elements; each element has per
 * of them. */
struct folded {
    MPI_Datatype type, want;
    MPI_Op op, by;
    int per, bytes;
};

static struct folded folded_new(void)
{
    const MPI_Datatype plain[] = { MPI_INT, MPI_LONG, MPI_SHORT };
    const MPI_Op ops[] = { MPI_SUM, MPI_BXOR, MPI_MAX, MPI_BAND };
    struct folded f = { .per = 1 };

    if (draw(&common, 3) == 0) {
        f.per = 1 + draw(&common, 5);
        /* No gaps between elements: MPICH 4.0's own reduce_scatter has no room
         * for them. */
        f.type = blocks_of(&common, pair, f.per, draw(&common, 3),
                           draw(&common, 2));
        MPI_Type_commit(&f.type);
        f.want = pair;
        f.op = after;
        f.by = after_pairs;
    } else {
        f.want = plain[draw(&common, 3)];
        f.op = f.by = ops[draw(&common, 4)];
        f.type = f.want;
    }
    MPI_Type_size(f.want, &f.bytes);
    return f;
}

/* n elements of f as plain ones. Values are valid for pairs, and so small that
 * the sum over all ranks fits a short: libraries saturate larger sums, so
 * these would depend on the order. */
static char *values_new(const struct folded *f, int n)
{
    const int ints = n * f->per * f->bytes / (int)sizeof(int) + 1;
    const int most = SHRT_MAX / size < MOD ? SHRT_MAX / size : MOD - 1;
    int *x = calloc((size_t)ints, sizeof(int));

    for (int i = 0; i < ints; i++)
        x[i] = (rank * 7 + turn * 3 + i * 5) % most + 1;
    return (char *)x;
}

enum what { REDUCE, ALLREDUCE, SCAN, EXSCAN, BLOCK, IRREGULAR, NWHAT };

struct vector {
    const void *in;
    void *out;
    int count;
    const int *counts;
    MPI_Datatype type;
    MPI_Op op;
    int root;
};

#define FOLD(name, P)                                                        \
    static void name(enum what what, const struct vector *v)                 \
    {                                                                        \
        if (what == REDUCE)                                                  \
            P##Reduce(v->in, v->out, v->count, v->type, v->op, v->root,      \
                      comm);                                                 \
        else if (what == ALLREDUCE)                                          \
            P##Allreduce(v->in, v->out, v->count, v->type, v->op, comm);     \
        else if (what == SCAN)                                               \
            P##Scan(v->in, v->out, v->count, v->type, v->op, comm);          \
        else if (what == EXSCAN)                                             \
            P##Exscan(v->in, v->out, v->count, v->type, v->op, comm);        \
        else if (what == BLOCK)                                              \
            P##Reduce_scatter_block(v->in, v->out, v->count, v->type, v->op, \
                                    comm);                                   \
        else                                                                 \
            P##Reduce_scatter(v->in, v->out, v->counts, v->type, v->op,      \
                              comm);                                         \
    }
FOLD(fold, MPI_)
FOLD(fold_plain, PMPI_)

static void reduction(enum what what, const struct folded *f, int n, int root,
                      int in_place)
{
    static const char *const name[] = { "reduce", "allreduce", "scan",
                                        "exscan", "reduce_scatter_block",
                                        "reduce_scatter" };
    const int many = what == BLOCK || what == IRREGULAR;
    /* In place only if the root is rank 0: MPICH 4.0's own reduce uses
     * MPI_IN_PLACE as an address elsewhere. */
    const int placed = in_place && !many && (what != REDUCE || root == 0);
    const int gets = what == REDUCE ? rank == root : what != EXSCAN || rank;
    int counts[MAX_SIZE], plain[MAX_SIZE], all = 0;
    struct side in, out;
    char *mine, *want, *in_was, *out_was;

    for (int r = 0; r < size; r++) {
        counts[r] = what == IRREGULAR ? (n * (r + 1) + turn) % (n + 40) : n;
        plain[r] = counts[r] * f->per;
        all += counts[r];
    }
    in = side_of(f->type, many ? all : n);
    out = side_of(f->type, counts[rank]);
    mine = values_new(f, in.count[0]);
    want = calloc(in.nbyte + 1, 1);
    side_put(&in, in.memory, mine);
    if (placed)
        side_put(&out, out.memory, mine);
    in_was = side_copy(&in);
    out_was = side_copy(&out);
    fold(what, &(struct vector){
        placed && (what != REDUCE || rank == root) ? MPI_IN_PLACE : in.buf,
        out.buf, n, counts, in.type, f->op, root });
    fold_plain(what, &(struct vector){ mine, want, n * f->per, plain, f->want,
                                       f->by, root });
    check(side_is(&in, in_was, NULL), "a reduction wrote its input", turn);
    check(!gets || side_is(&out, out_was, want), name[what], turn);
    free(mine);
    free(want);
    free(in_was);
    free(out_was);
    side_free(&in);
    side_free(&out);
}

static void reductions(void)
{
    struct folded f = folded_new();
    const int n = draw(&common, draw(&common, 3) ? 60 : 2500 / f.per);
    const int root = draw(&common, size), in_place = draw(&common, 3) == 0;

    for (int what = 0; what < NWHAT; what++)
        reduction((enum what)what, &f, n, root, in_place);
    if (f.type != f.want)
        MPI_Type_free(&f.type);
}

int main(int argc, char **argv)
{
    const unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int rounds = argc > 2 ? atoi(argv[2]) : 12;
    MPI_Comm turned;
    int ret;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(compose, 0, &after);
    MPI_Op_create(compose_pairs, 0, &after_pairs);
    for (turn = 0; turn < rounds; turn++) {
        comm = turn % 2 ? turned : MPI_COMM_WORLD;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        if (size > MAX_SIZE)
            break;
        common = seed * 1000003 + (uint64_t)turn;
        reductions();
    }
    check(turn == rounds, "more ranks than there is room for", size);
    MPI_Op_free(&after);
    MPI_Op_free(&after_pairs);
    MPI_Type_free(&pair);
    MPI_Comm_free(&turned);
    ret = check_done("random_reductions");
    MPI_Finalize();
    return ret != 0;
}
