/* SPDX-License-Identifier: BSD-3-Clause */
/* refusals.c - a variant refuses exactly where its flags and its constraint
 * say, and takes most scratch with the first root or the last. What is refused
 * is never called, so a refusal too many would take the variant out of every
 * other test and table in silence. The constraints of the descriptors' own
 * hooks are written down here once more, from what they say to people.
 *
 *     refusals.t [COLLECTIVE [VARIANT]]   only these */
#include "algorithms/alg.h"
#include "tests/tap.h"
#include "tests/unit/algorithms/wanted.h"

#include <stdio.h>
#include <string.h>

static const int sizes[] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                             12, 13, 14, 15, 16, 17, 18, 20, 24, 25, 27,
                             30, 31, 32, 33, 36, 48, 63, 64, 68, 97, 128 };
static const size_t blocks[] = { 0, 1, 8, 40, 4096, 1 << 20 };

enum { NSIZE = sizeof(sizes) / sizeof(*sizes),
       NBLOCK = sizeof(blocks) / sizeof(*blocks), MAX_VALUES = 32 };

/* --- what constraints say --------------------------------------------- */

/* With that word as a parameter's value the variant needs more. */
static const struct worded {
    enum chorale_coll coll;
    const char *name, *param, *word;
    unsigned needs;
} worded[] = {
#define PART(coll, name, param, word, needs)                                 \
    { CHORALE_##coll, name, param, word, CHORALE_NEEDS_##needs }
    PART(ALLREDUCE, "reduce_bcast", "reduce", "rabenseifner", COMMUTE),
    PART(ALLREDUCE, "reduce_bcast", "reduce", "ring_gather", COMMUTE),
    PART(ALLREDUCE, "reduce_bcast", "reduce", "binary", COMMUTE),
    PART(ALLREDUCE, "reduce_bcast", "reduce", "pipeline", COMMUTE),
    PART(ALLREDUCE, "allgather_reduce", "allgather", "recursive_doubling",
         POW2),
    PART(ALLREDUCE, "allgather_reduce", "allgather", "neighbor_exchange",
         EVEN),
    PART(ALLREDUCE, "rs_ag", "rs", "halving", POW2),
    PART(ALLREDUCE, "rs_ag", "ag", "doubling", POW2),
    PART(ALLREDUCE, "rs_ag", "ag", "neighbor", EVEN),
    PART(ALLREDUCE, "tree", "tree_type", "kary", COMMUTE),
    PART(ALLREDUCE, "tree", "tree_type", "knomial_near", COMMUTE),
    PART(ALLREDUCE, "tree", "tree_type", "binary", COMMUTE),
    PART(REDUCE_SCATTER_BLOCK, "linear", "reduce", "pipeline", COMMUTE),
    PART(REDUCE_SCATTER_BLOCK, "alltoall_reduce", "alltoall", "pairwise_xor",
         POW2),
    PART(REDUCE_SCATTER_BLOCK, "allreduce_select", "allreduce", "ring",
         COMMUTE),
    PART(REDUCE_SCATTER_BLOCK, "allreduce_select", "allreduce",
         "rabenseifner", COMMUTE),
    PART(REDUCE_SCATTER_BLOCK, "allreduce_select", "allreduce", "circulant",
         COMMUTE),
    PART(REDUCE_SCATTER, "linear", "reduce", "pipeline", COMMUTE),
    PART(REDUCE_SCATTER, "alltoall_reduce", "alltoall", "pairwise_xor", POW2),
    PART(REDUCE_SCATTER, "allreduce_select", "allreduce", "ring", COMMUTE),
    PART(REDUCE_SCATTER, "allreduce_select", "allreduce", "rabenseifner",
         COMMUTE),
    PART(REDUCE_SCATTER, "allreduce_select", "allreduce", "circulant",
         COMMUTE),
    PART(ALLTOALL, "pairwise_barrier", "order", "xor", POW2),
    PART(ALLTOALLV, "pairwise_barrier", "order", "xor", POW2),
#undef PART
};
enum { NWORDED = sizeof(worded) / sizeof(*worded) };

/* Is p a product of n factors, all 2 or more, the first ones of them wanted
 * (0: any)? */
static int factors(int p, int n, const long *wanted)
{
    if (n == 1)
        return p >= 2;
    for (int d = 2; d <= p; d++)
        if (p % d == 0 && (*wanted == 0 || *wanted == d) &&
            factors(p / d, n - 1, wanted + 1))
            return 1;
    return 0;
}

static int two_factors(const struct chorale_point *pt)
{
    return factors(pt->comm_size, 2, pt->param);
}

static int three_factors(const struct chorale_point *pt)
{
    return factors(pt->comm_size, 3, pt->param);
}

static int dims_factors(const struct chorale_point *pt)
{
    const long any[2] = { 0, 0 };

    return factors(pt->comm_size, (int)pt->param[0], any);
}

/* No more rows than columns. */
static int flat_mesh(const struct chorale_point *pt)
{
    return two_factors(pt) &&
           pt->param[0] * pt->param[0] <= pt->comm_size;
}

static int flat_mesh_or_alone(const struct chorale_point *pt)
{
    return pt->comm_size == 1 || flat_mesh(pt);
}

static int rows_or_torus(const struct chorale_point *pt)
{
    if (pt->param[1])
        return two_factors(pt);
    return pt->param[0] == 0 || pt->comm_size % pt->param[0] == 0;
}

/* Several groups of that many, or several nodes of as many. */
static int groups_or_nodes(const struct chorale_point *pt)
{
    long p = pt->param[0] > 0 ? pt->param[0] : pt->ppn;

    return p > 1 && p < pt->comm_size && pt->comm_size % p == 0;
}

static int three_ranks_two_bytes(const struct chorale_point *pt)
{
    return pt->comm_size >= 3 && pt->msg_size >= 2;
}

/* The largest part has more elements than a segment, which has at least
 * one. */
static int two_segments(const struct chorale_point *pt)
{
    size_t p = (size_t)pt->comm_size, count = pt->msg_size / pt->type_size;
    size_t segment = (size_t)pt->param[0] / pt->type_size;

    return p >= 2 && pt->param[0] > 0 &&
           (count + p - 1) / p > (segment > 0 ? segment : 1);
}

static const struct hook {
    enum chorale_coll coll;
    const char *name;
    int (*can)(const struct chorale_point *pt);
} hooks[] = {
    { CHORALE_BCAST, "split_binary", three_ranks_two_bytes },
    { CHORALE_ALLREDUCE, "ring_segmented", two_segments },
    { CHORALE_ALLREDUCE, "torus_2d", two_factors },
    { CHORALE_ALLREDUCE, "bucket_nd", dims_factors },
    { CHORALE_ALLREDUCE, "mesh_integrate_broadcast", rows_or_torus },
    { CHORALE_REDUCE_SCATTER_BLOCK, "torus2d_split", flat_mesh_or_alone },
    { CHORALE_REDUCE_SCATTER, "torus2d_split", flat_mesh_or_alone },
    { CHORALE_ALLGATHER, "mesh2d", two_factors },
    { CHORALE_ALLGATHER, "mesh3d", three_factors },
    { CHORALE_ALLGATHER, "locality_bruck", groups_or_nodes },
    { CHORALE_ALLGATHER, "torus2d_broadcast", two_factors },
    { CHORALE_ALLTOALL, "mesh2d", two_factors },
    { CHORALE_ALLTOALL, "mesh3d", three_factors },
    { CHORALE_ALLTOALL, "mesh2d_updating", flat_mesh },
};
enum { NHOOK = sizeof(hooks) / sizeof(*hooks) };

/* --- what must be refused --------------------------------------------- */

static int violates(unsigned needs, const struct chorale_point *pt)
{
    int p = pt->comm_size, pow2 = 1;

    while (pow2 < p)
        pow2 *= 2;
    return ((needs & CHORALE_NEEDS_COMMUTE) && !pt->commutative) ||
           ((needs & CHORALE_NEEDS_POW2) && p != pow2) ||
           ((needs & CHORALE_NEEDS_EVEN) && p % 2 == 1) ||
           ((needs & CHORALE_NEEDS_PAIR) && p != 2) ||
           ((needs & CHORALE_NEEDS_NODES) && !(pt->ppn > 1 && pt->ppn < p)) ||
           ((needs & CHORALE_NEEDS_SEPARATE) && pt->in_place);
}

static int is_of(const struct chorale_alg *alg, enum chorale_coll coll,
                 const char *name)
{
    return alg->coll == coll && strcmp(alg->name, name) == 0;
}

/* Has alg that word as the value of that parameter? */
static int has_word(const struct chorale_alg *alg,
                    const struct chorale_point *pt, const struct worded *w)
{
    for (int i = 0; i < alg->nparam; i++)
        if (strcmp(alg->param[i].name, w->param) == 0)
            return strcmp(alg->param[i].word[pt->param[i]], w->word) == 0;
    return 0;
}

static int must_refuse(const struct chorale_alg *alg,
                       const struct chorale_point *pt)
{
    if (violates(alg->needs, pt))
        return 1;
    for (int i = 0; i < NWORDED; i++)
        if (is_of(alg, worded[i].coll, worded[i].name) &&
            has_word(alg, pt, &worded[i]) && violates(worded[i].needs, pt))
            return 1;
    for (int i = 0; i < NHOOK; i++)
        if (is_of(alg, hooks[i].coll, hooks[i].name) && !hooks[i].can(pt))
            return 1;
    return 0;
}

/* --- all points ------------------------------------------------------- */

struct outcome {
    long can, cannot;
    int silent;  /* refusals without a reason */
    int by_root; /* scratch that is more with a root in the middle */
    char wrong[240];
};

/* The shim, which compares scratch with a limit, remembers the answer by
 * counts and types, on each rank by its own calls: it asks for the first root
 * and the last. */
static int another_root_takes_more(const struct chorale_alg *alg,
                                   const struct chorale_point *pt)
{
    struct chorale_point first = *pt, last = *pt, other = *pt;
    size_t is;

    if (!chorale_coll_info(alg->coll)->rooted || alg->scratch == NULL)
        return 0;
    first.root = 0;
    last.root = pt->comm_size - 1;
    other.root = pt->comm_size / 2;
    is = alg->scratch(&other);
    return is > alg->scratch(&first) && is > alg->scratch(&last);
}

static void look(const struct chorale_alg *alg,
                 const struct chorale_point *pt, struct outcome *o)
{
    const char *why = chorale_alg_refuses(alg, pt);
    int must = must_refuse(alg, pt);
    char params[96];

    if (why != NULL)
        o->cannot++;
    else
        o->can++;
    o->silent += why != NULL && *why == '\0';
    o->by_root += why == NULL && another_root_takes_more(alg, pt);
    if ((why != NULL) == must || o->wrong[0] != '\0')
        return;
    chorale_alg_params_format(alg, pt->param, params, sizeof(params));
    snprintf(o->wrong, sizeof(o->wrong),
             "P=%d m=%zu type=%zu ppn=%d%s%s%s: %s%s", pt->comm_size,
             pt->msg_size, pt->type_size, pt->ppn,
             pt->commutative ? "" : " not commutative",
             pt->in_place ? " in place " : " ", params,
             must ? "must refuse, runs" : "must run, refuses: ",
             must ? "" : why);
}

/* The default, what is worth measuring, and small numbers. */
static int values(const struct chorale_param *param, long *list)
{
    static const long more[] = { 2, 3, 5, 7 };
    int n = 0;

    list[n++] = param->def;
    for (int i = 0; i < param->ncandidate && n < MAX_VALUES; i++)
        list[n++] = param->candidate[i];
    for (int i = 0; i < 4 && n < MAX_VALUES; i++)
        if (more[i] >= param->min && more[i] <= param->max)
            list[n++] = more[i];
    return n;
}

/* The values of any two parameters, the others at their defaults. */
static void look_at_params(const struct chorale_alg *alg,
                           struct chorale_point *pt, struct outcome *o)
{
    long a[MAX_VALUES], b[MAX_VALUES];

    for (int i = 0; i < alg->nparam; i++)
        pt->param[i] = alg->param[i].def;
    look(alg, pt, o);
    for (int i = 0; i < alg->nparam; i++)
        for (int na = values(&alg->param[i], a), x = 0; x < na; x++) {
            pt->param[i] = a[x];
            look(alg, pt, o);
            for (int j = 0; j < i; j++) {
                for (int nb = values(&alg->param[j], b), y = 0; y < nb; y++) {
                    pt->param[j] = b[y];
                    look(alg, pt, o);
                }
                pt->param[j] = alg->param[j].def;
            }
            pt->param[i] = alg->param[i].def;
        }
}

static void look_at_size(const struct chorale_alg *alg, int p, size_t m,
                         struct outcome *o)
{
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    int most = chorale_alg_by_node(alg) ? 5 : 2;

    for (int i = 0; i < 2 * most; i++) {
        struct chorale_point pt = {
            .comm_size = p,
            .msg_size = info->dataless ? 0 : m,
            .n = chorale_coll_n(alg->coll, m, p),
            .type_size = m % 8 == 0 ? 8 : 1,
            .commutative = !info->reduces || i % 2 == 0,
            .in_place = (alg->coll == CHORALE_ALLTOALL ||
                         alg->coll == CHORALE_ALLTOALLV) &&
                        i % 2,
            .root = info->rooted ? (p - 1) * (i / 2 % 2) : 0,
            .ppn = i / 2 < 4 ? i / 2 : p,
        };

        look_at_params(alg, &pt, o);
    }
}

static int has_row(const struct chorale_alg *alg)
{
    for (int i = 0; i < NWORDED; i++)
        if (is_of(alg, worded[i].coll, worded[i].name))
            return 1;
    for (int i = 0; i < NHOOK; i++)
        if (is_of(alg, hooks[i].coll, hooks[i].name))
            return 1;
    return 0;
}

static void test_alg(const struct chorale_alg *alg)
{
    const char *coll = chorale_coll_info(alg->coll)->name;
    struct outcome o = { 0 };

    for (int i = 0; i < NSIZE; i++)
        for (int k = 0; k < NBLOCK; k++)
            look_at_size(alg, sizes[i], blocks[k], &o);
    if (!tap_ok(o.wrong[0] == '\0' && o.silent == 0 && o.by_root == 0 &&
                    o.can > 0,
                "%s %s: runs at %ld points, refuses %ld", coll, alg->name,
                o.can, o.cannot))
        tap_diag("%s", o.silent    ? "refuses without a reason"
                       : o.by_root ? "takes most with a root in the middle"
                                   : o.wrong);
    if ((alg->refuses != NULL || alg->constraint != NULL || has_row(alg)) &&
        !tap_ok(alg->refuses != NULL && alg->constraint != NULL &&
                    has_row(alg) && o.cannot > 0,
                "%s %s: %s", coll, alg->name,
                alg->constraint != NULL ? alg->constraint : "no constraint"))
        tap_diag("a hook refuses, constraint in the descriptor, a row in %s "
                 "and some point that is refused belong together", __FILE__);
}

/* Rows of variants that are not there say nothing. */
static void test_rows(void)
{
    int lost = 0;

    for (int i = 0; i < NWORDED; i++)
        lost += chorale_alg_find(worded[i].coll, worded[i].name) == NULL;
    for (int i = 0; i < NHOOK; i++)
        lost += chorale_alg_find(hooks[i].coll, hooks[i].name) == NULL;
    tap_ok(lost == 0, "every row here is of a variant");
}

int main(int argc, char **argv)
{
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (wanted(argc, argv, chorale_algs[i]))
            test_alg(chorale_algs[i]);
    test_rows();
    return tap_done();
}
