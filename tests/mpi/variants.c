/* SPDX-License-Identifier: BSD-3-Clause */
/* variants.c - check every variant of the catalogue against the plain
 * definition of its collective and against its stated schedule and cost.
 *
 *     variants [--full|--wide|--common|--covers] [--share W:P,P,... [--first]]
 *              [--data] [--trace] [COLLECTIVE [VARIANT]]
 *
 * Rank 0 prints TAP. Each variant has lines for data, bits of sums, bit
 * patterns (variants that move data by an OR) and schedule; one line is for all
 * variants interleaved.
 *
 * Without --full the calls are a cover of all pairs of factor levels
 * (factor_levels.h) that the variant does not refuse. With --full:
 *   - that cover with more counts and values;
 *   - the product of all factors with default parameters; positions of
 *     irregular blocks are chosen so that all positions meet each combination
 *     of any two further factors;
 *   - each other value of each parameter, with all communicators, roots and
 *     counts.
 *
 * --share W:P,P,...  this is one of several launches, with P, P, ... ranks. At
 *                    the first W of these at which a variant runs it has its
 *                    whole cover. At the others it has together one more cover,
 *                    with the part as a factor, plus rows with pairs that would
 *                    be in no part.
 * --first            only variants that run at none of the earlier P
 * --wide             only blocks at offsets above 2^31 bytes; of the launches
 *                    that share, at the first P at which the variant runs
 * --common           only tests of no single variant: copies between layouts,
 *                    and all variants interleaved
 * --covers           only check that the launches that share make all pairs
 * --data             leave out the schedules
 * --trace            print each call before it is made
 *
 * Compiled against the MPI library and against SimGrid's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/clock.h"
#include "tests/mpi/pairs.h"
#include "tests/mpi/cover_share.h"
#include "tests/mpi/factor_levels.h"
#include "tests/tap.h"

enum { WORLD, REVERSED, NCOMM };

struct options {
    int full, wide, common, covers, first, data, trace;
    const char *share, *coll, *variant;
};

struct test {
    struct options set;
    struct fixture fix;
    struct stage stage[NCOMM];
    struct share share;
    struct part part; /* this launch's part of the variant's work */
    int due; /* variants tried with units far apart */
    int seed;
    long looks; /* types that this rank decoded in first calls */
};

/* --- the calls of one variant ----------------------------------------- */

static int try_at(struct test *t, const struct space *s, const int *at)
{
    struct problem p = space_problem(s, &t->fix, at, t->seed++);

    return try_problem(&t->stage[at[COMM]], &p);
}

/* Mark the rows of the cover that this launch makes, [nrow]. Rank 0 decides,
 * because all simulated ranks run on one processor. The caller frees it. */
static unsigned char *own_rows(struct test *t, const struct space *s,
                               const struct pairs *cover)
{
    const struct stage *st = &t->stage[WORLD];
    unsigned char *mine = malloc((size_t)cover->nrow + 1);
    int known = mine != NULL;

    if (known)
        memset(mine, 1, (size_t)cover->nrow);
    if (known && t->part.of > 1 && st->ctx->rank == 0)
        known = share_rows(&t->share, s->alg, &t->fix, NCOMM, st->ctx->size,
                           mine, cover->nrow) == 0;
    if (!known)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (t->part.of > 1)
        MPI_Bcast(mine, cover->nrow, MPI_BYTE, 0, st->ctx->comm);
    return mine;
}

/* Try this launch's rows of the cover. Returns how many ran. */
static long try_pairs(struct test *t, const struct space *s,
                      const struct pairs *cover)
{
    unsigned char *mine = own_rows(t, s, cover);
    long ran = 0;

    for (int r = 0; r < cover->nrow; r++) {
        int at[NFACTOR];

        for (int f = 0; f < NFACTOR; f++)
            at[f] = cover->row[r][f];
        if (mine[r])
            ran += try_at(t, s, at);
    }
    free(mine);
    return ran;
}

/* Advance to the next combination of factors [from, to). Returns 0 after the
 * last. */
static int next(const struct space *s, int *at, int from, int to)
{
    for (int f = from; f < to; f++) {
        if (++at[f] < s->level[f])
            return 1;
        at[f] = 0;
    }
    return 0;
}

/* Try the product of all factors but the parameters, which stay at base: their
 * defaults, if the variant runs with them. The position is derived from the
 * sum of the other levels, so that all positions meet each combination of any
 * two further factors. */
static long try_factors(struct test *t, const struct space *s,
                        const int *base)
{
    int at[NFACTOR] = { 0 };
    long ran = 0;

    for (int f = PARAM; f < NFACTOR; f++)
        at[f] = base[f];
    do {
        int sum = 0;

        for (int f = COMM; f < PARAM; f++)
            sum += f != PLACING ? at[f] : 0;
        at[PLACING] = sum % s->level[PLACING];
        ran += try_at(t, s, at);
    } while (next(s, at, COMM, PLACING) || next(s, at, NODES, PARAM));
    return ran;
}

/* Make one call with the next level of each factor from TYPE to the parameters.
 * If the variant refuses a level, base's is taken instead. */
static int try_in_turn(struct test *t, const struct space *s, const int *base,
                       int *at)
{
    for (int g = TYPE; g < PARAM; g++)
        at[g] = t->seed / (g - TYPE + 1) % s->level[g];
    if (try_at(t, s, at))
        return 1;
    at[PLACE] = base[PLACE];
    if (try_at(t, s, at))
        return 1;
    at[TYPE] = base[TYPE];
    return try_at(t, s, at);
}

/* Try each other value of each parameter with all communicators, roots and
 * counts. */
static long try_values(struct test *t, const struct space *s, const int *base)
{
    long ran = 0;

    for (int f = PARAM; f < NFACTOR; f++)
        for (int v = 0; v < s->level[f]; v++) {
            int at[NFACTOR] = { 0 };

            if (v == base[f])
                continue;
            for (int g = PARAM; g < NFACTOR; g++)
                at[g] = g == f ? v : base[g];
            do
                ran += try_in_turn(t, s, base, at);
            while (next(s, at, COMM, TYPE));
        }
    return ran;
}

/* Try reductions of elements without data, whose buffers may share an address:
 * each kind, in place and not, with each value of each parameter; the counts
 * take turns. */
static long try_nothing(struct test *t, const struct space *s, const int *base)
{
    long ran = 0;
    int turn = 0;

    for (int f = PARAM; f < NFACTOR; f++)
        for (int v = 0; v < s->level[f]; v++)
            for (int type = 0; type < s->level[TYPE]; type++)
                for (int place = 0; place < s->level[PLACE]; place++) {
                    int at[NFACTOR] = { 0 };

                    if (t->fix.layout[t->fix.kind[type].layout].ints > 0 ||
                        (v == base[f] && f > PARAM))
                        continue;
                    for (int g = PARAM; g < NFACTOR; g++)
                        at[g] = base[g];
                    at[f] = v;
                    at[TYPE] = type;
                    at[PLACE] = place;
                    do
                        at[UNITS] = turn++ % s->level[UNITS];
                    while (s->units[at[UNITS]] == 0);
                    ran += try_at(t, s, at);
                }
    return ran;
}

/* 1 if the variant moves data by an OR. */
static int ors(const struct chorale_alg *alg)
{
    return strncmp(alg->name, "or_", 3) == 0 &&
           !chorale_coll_info(alg->coll)->reduces;
}

/* Try bit patterns that an OR could damage: each root, type and position, and
 * each value of each parameter; the counts take turns. */
static long try_patterns(struct test *t, const struct space *s,
                         const int *base)
{
    long ran = 0;
    int turn = 0;

    for (int f = COMM; f < NFACTOR; f++)
        for (int v = 0; v < s->level[f] && f != UNITS; v++)
            for (int pattern = 1; pattern <= NPATTERN; pattern++) {
                struct problem p;
                int at[NFACTOR], stop = turn + s->level[UNITS];

                memcpy(at, base, sizeof(at));
                at[f] = v;
                do
                    at[UNITS] = turn++ % s->level[UNITS];
                while (s->units[at[UNITS]] == 0 && turn < stop);
                p = space_problem(s, &t->fix, at, t->seed++);
                p.pattern = pattern;
                ran += try_problem(&t->stage[at[COMM]], &p);
            }
    return ran;
}

/* Format what, with the variant's reason if it refuses the problem. */
static void refusal(const struct test *t, const struct problem *p,
                    const char *what, char *text, size_t size)
{
    struct chorale_point pt = problem_point(&t->stage[WORLD], p);
    const char *why = chorale_alg_refuses(p->alg, &pt);

    snprintf(text, size, "%s%s%s", what, why != NULL ? ", refused: " : "",
             why != NULL ? why : "");
}

/* --- outcome ---------------------------------------------------------- */

/* Combine the ranks' outcomes; rank 0 prints the first failing rank's text. */
static void report(struct test *t, const struct chorale_alg *alg,
                   const char *what, long ran)
{
    int rank, size, first, lowest;
    struct stage *bad = &t->stage[WORLD];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!bad->failed)
        bad = &t->stage[REVERSED];
    first = bad->failed ? rank : size;
    MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest < size)
        MPI_Bcast(bad->text, sizeof(bad->text), MPI_CHAR, lowest,
                  MPI_COMM_WORLD);
    if (rank == 0) {
        tap_ok(lowest == size, "%s%s%s: %s, %ld calls",
               alg == NULL ? "" : chorale_coll_info(alg->coll)->name,
               alg == NULL ? "" : " ", alg == NULL ? "" : alg->name, what,
               ran);
        if (lowest < size)
            tap_diag("%s", bad->text);
    }
    for (int i = 0; i < NCOMM; i++)
        t->stage[i].failed = 0;
}

/* Not in simulation, where addresses do not matter. */
static int nothing_is_due(const struct space *s)
{
#ifdef CHORALE_SIM
    (void)s;
    return 0;
#else
    return chorale_coll_info(s->alg->coll)->reduces;
#endif
}

/* Try this launch's rows of the cover, with --full also the products, then the
 * bits of sums. If the variant refuses all calls, print the reason. */
static void test_data(struct test *t, const struct space *s)
{
    struct asked ask = { s, &t->fix, t->stage[WORLD].ctx->size };
    struct pairs cover;
    char what[96] = "data";
    long ran = 0;

    if (pairs_init(&cover, s->level, NFACTOR, space_runs_at, &ask) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (cover.nrow == 0) {
        struct problem p = space_problem(s, &t->fix, cover.base, 0);

        refusal(t, &p, "data", what, sizeof(what));
    } else {
        if (t->part.of > 1)
            snprintf(what, sizeof(what), "data, part %d of %d",
                     t->part.index + 1, t->part.of);
        ran = try_pairs(t, s, &cover);
        if (t->set.full)
            ran += try_factors(t, s, cover.base) +
                   try_values(t, s, cover.base);
        if (ran == 0)
            stage_fail(&t->stage[WORLD], "no call was made");
    }
    report(t, s->alg, what, ran);
    if (cover.nrow > 0 && ors(s->alg)) {
        ran = try_patterns(t, s, cover.base);
        if (ran == 0)
            stage_fail(&t->stage[WORLD], "no call was made");
        report(t, s->alg, "bit patterns and NaNs", ran);
    }
    if (cover.nrow > 0 && nothing_is_due(s)) {
        ran = try_nothing(t, s, cover.base);
        if (ran > 0) /* some variants refuse calls without bytes */
            report(t, s->alg, "elements without data", ran);
    }
    if (cover.nrow > 0 && chorale_coll_info(s->alg->coll)->reduces) {
        ran = check_bits(t->stage, NCOMM, s, cover.base, t->part.index,
                         t->part.of);
        if (ran == 0)
            stage_fail(&t->stage[WORLD], "no call was made");
        report(t, s->alg, "bits", ran);
    }
    pairs_release(&cover);
}

/* In simulation types are never decoded: these calls are like others of the
 * cover, and would take a fifth of the time of launches that share it. */
static int looks_are_due(const struct test *t)
{
#ifdef CHORALE_SIM
    return t->part.of == 1;
#else
    (void)t;
    return 1;
#endif
}

static void test_variant(struct test *t, const struct chorale_alg *alg)
{
    struct space s;

    if (t->set.wide) {
        struct stage *st = &t->stage[WORLD];
        char what[96];

        if (wide_is_due(&t->share, alg, &t->fix, st->ctx->size)) {
            report(t, alg, what, check_wide(st, alg, what, sizeof(what)));
            t->due++;
        }
        return;
    }
    if (t->set.first && !share_is_first(&t->share, alg, &t->fix,
                                        t->stage[WORLD].ctx->size))
        return;
    t->part = share_part(&t->share, alg, &t->fix, t->stage[WORLD].ctx->size,
                         t->set.full);
    space_init(&s, alg, t->stage[WORLD].ctx->size, NCOMM, t->part.of,
               t->set.full);
    test_data(t, &s);
    if (!chorale_coll_info(alg->coll)->dataless && looks_are_due(t))
        report(t, alg, "types decoded once",
               check_looks(&t->stage[WORLD], alg, &t->looks));
    if (t->set.data)
        return;
    report(t, alg, "schedule",
           check_schedule(&t->stage[WORLD], alg, t->set.full, t->part.index,
                          t->part.of));
}

/* --- the whole -------------------------------------------------------- */

static void usage(void)
{
    fprintf(stderr, "usage: variants [--full|--wide|--common|--covers] "
                    "[--share W:P,P,... [--first]] [--data] "
                    "[--trace] [COLLECTIVE [VARIANT]]\n");
    exit(2);
}

static struct options parse(int argc, char **argv)
{
    struct options set = { 0 };

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--full") == 0)
            set.full = 1;
        else if (strcmp(argv[i], "--wide") == 0)
            set.wide = 1;
        else if (strcmp(argv[i], "--common") == 0)
            set.common = 1;
        else if (strcmp(argv[i], "--covers") == 0)
            set.covers = 1;
        else if (strcmp(argv[i], "--first") == 0)
            set.first = 1;
        else if (strcmp(argv[i], "--data") == 0)
            set.data = 1;
        else if (strcmp(argv[i], "--trace") == 0)
            set.trace = 1;
        else if (strcmp(argv[i], "--share") == 0 && i + 1 < argc)
            set.share = argv[++i];
        else if (argv[i][0] == '-')
            usage();
        else if (set.coll == NULL)
            set.coll = argv[i];
        else if (set.variant == NULL)
            set.variant = argv[i];
        else
            usage();
    }
    if (set.coll != NULL && chorale_coll_find(set.coll) < 0)
        usage();
    return set;
}

static int wanted(const struct options *set, const struct chorale_alg *alg)
{
    if (set->coll != NULL &&
        strcmp(set->coll, chorale_coll_info(alg->coll)->name) != 0)
        return 0;
    return set->variant == NULL || strcmp(set->variant, alg->name) == 0;
}

/* All ranks on a mesh, as square as possible, in row-major order. */
static MPI_Comm cartesian(void)
{
    int size, dims[2] = { 0, 0 }, wraps[2] = { 1, 1 };
    MPI_Comm comm;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &comm);
    return comm;
}

static void open_stages(struct test *t)
{
    int rank;
    MPI_Comm comm[NCOMM];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comm[WORLD] = cartesian();
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm[REVERSED]);
    for (int i = 0; i < NCOMM; i++) {
        t->stage[i] = (struct stage){ .fix = &t->fix, .trace = t->set.trace };
        if (chorale_ctx_new(comm[i], &t->stage[i].ctx) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void close_stages(struct test *t)
{
    for (int i = 0; i < NCOMM; i++) {
        MPI_Comm comm = t->stage[i].ctx->comm;

        stage_release(&t->stage[i]);
        chorale_ctx_free(t->stage[i].ctx);
        MPI_Comm_free(&comm);
    }
}

/* The selected variants, NULL-terminated; the caller frees the list. */
static const struct chorale_alg **choose(const struct options *set)
{
    const struct chorale_alg **list;
    int n = 0, chosen = 0;

    while (chorale_algs[n] != NULL)
        n++;
    list = calloc((size_t)n + 1, sizeof(*list));
    for (int i = 0; list != NULL && i < n; i++)
        if (wanted(set, chorale_algs[i]))
            list[chosen++] = chorale_algs[i];
    return list;
}

/* Check that first calls decoded types at all, so the test proves something. */
static void test_looks(struct test *t)
{
    long all;

    MPI_Allreduce(&t->looks, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
#ifdef MPICH_VERSION
    if (all == 0 && t->set.coll == NULL && t->stage[WORLD].ctx->size > 1)
        stage_fail(&t->stage[WORLD], "no call decoded a type");
#endif
    report(t, NULL, "types decoded once", all);
}

/* Print a line for all variants, and one for each that lacks a pair. */
static void test_covers(struct test *t, const struct chorale_alg *const *algs)
{
    long pairs = 0, rows = 0;

    for (int i = 0; algs[i] != NULL; i++) {
        long missing = 0;
        long had = share_pairs(&t->share, algs[i], &t->fix, NCOMM, &missing,
                               &rows);

        if (had < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        pairs += had;
        if (missing > 0)
            tap_ok(0, "%s %s: %ld of %ld pairs are missing in all launches",
                   chorale_coll_info(algs[i]->coll)->name, algs[i]->name,
                   missing, had);
    }
    tap_ok(pairs > 0, "%ld pairs of levels, in %ld rows of the launches",
           pairs, rows);
}

static void test_all(struct test *t, const struct chorale_alg *const *algs)
{
    if (t->set.covers) {
        test_covers(t, algs);
        return;
    }
    if (t->set.coll == NULL && !t->set.wide) {
        check_copies(&t->stage[WORLD]);
        report(t, NULL, "copies between layouts", 1);
    }
    for (int i = 0; algs[i] != NULL && !t->set.common; i++)
        test_variant(t, algs[i]);
    if (t->set.wide) {
        if (t->due == 0)
            report(t, NULL, "far apart: tried by other launches", 0);
        return;
    }
    if (!t->set.common)
        test_looks(t);
    check_together(&t->stage[WORLD], &t->stage[REVERSED], algs);
    report(t, NULL, "all variants interleaved", 1);
}

int main(int argc, char **argv)
{
    struct test t = { .seed = 1 };
    const struct chorale_alg **algs;
    int rank, size, status = 0;

    MPI_Init(&argc, &argv);
    t.set = parse(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    algs = choose(&t.set);
    if (t.set.share != NULL &&
        share_parse(&t.share, t.set.share, t.set.covers ? 0 : size) != 0)
        usage();
    if (size > MAX_RANKS || algs == NULL)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (t.set.variant != NULL && algs[0] == NULL) {
        fprintf(stderr, "variants: no %s of %s to test: see `chorale list`\n",
                t.set.variant, t.set.coll);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    fixture_init(&t.fix);
    open_stages(&t);
    test_all(&t, algs);
    if (rank == 0)
        tap_diag("%ld calls", t.stage[WORLD].calls + t.stage[REVERSED].calls);
    close_stages(&t);
    fixture_release(&t.fix);
    free(algs);
    if (rank == 0)
        status = tap_done();
    MPI_Finalize();
    return status;
}
