/* SPDX-License-Identifier: BSD-3-Clause */
/* variants.c - every variant of the catalogue against the plain definition of
 * its collective, and against the schedule and cost that it states.
 *
 *     variants [--full] [--slice I/N] [--trace] [COLLECTIVE [VARIANT]]
 *
 * Rank 0 prints TAP: two lines a variant, data and schedule. Without --full
 * the calls are a cover of all pairs of what calls can differ in (space.h);
 * with it the whole product. --slice: this launch makes part I of N of the
 * cover; all N parts, at whatever numbers of ranks, are a cover that has the
 * part as one more factor. --trace names each call before it is made.
 * Compiled against the MPI library and against SimGrid's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/clock.h"
#include "tests/mpi/pairs.h"
#include "tests/mpi/space.h"
#include "tests/tap.h"

enum { WORLD, REVERSED, NCOMM };

struct options {
    int full, trace, slice, nslice;
    const char *coll, *variant;
};

struct test {
    struct options set;
    struct fixture fix;
    struct stage stage[NCOMM];
    int seed;
};

/* --- the calls of one variant ----------------------------------------- */

static int try_at(struct test *t, const struct space *s, const int *at)
{
    struct problem p = space_problem(s, &t->fix, at, t->seed++);

    return try_problem(&t->stage[at[COMM]], &p);
}

/* The rows of the cover that are this launch's. Returns how many ran. */
static long try_pairs(struct test *t, const struct space *s)
{
    struct pairs cover;
    long ran = 0;

    if (pairs_init(&cover, s->level, NFACTOR) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < cover.nrow; r++) {
        int at[NFACTOR];

        for (int f = 0; f < NFACTOR; f++)
            at[f] = cover.row[r][f];
        if (at[SLICE] == t->set.slice)
            ran += try_at(t, s, at);
    }
    pairs_release(&cover);
    return ran;
}

/* The next of all combinations of factors [from, to). Returns 0 after the
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

/* The product of all factors with default parameters; then each other value
 * of each parameter with all roots and counts, types taking turns. */
static long try_product(struct test *t, const struct space *s)
{
    int at[NFACTOR] = { 0 };
    long ran = 0;

    do
        ran += try_at(t, s, at);
    while (next(s, at, COMM, PARAM));
    for (int f = PARAM; f < NFACTOR; f++)
        for (int v = 1; v < s->level[f]; v++)
            do {
                at[f] = v;
                for (int g = TYPE; g < PARAM; g++)
                    at[g] = t->seed / (g - TYPE + 1) % s->level[g];
                ran += try_at(t, s, at);
                at[f] = 0;
            } while (next(s, at, COMM, TYPE));
    return ran;
}

/* --- outcome ---------------------------------------------------------- */

/* Agree on the outcome; rank 0 prints it with the first failing rank's text. */
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

static void test_variant(struct test *t, const struct chorale_alg *alg)
{
    struct space s;

    space_init(&s, alg, t->stage[WORLD].ctx->size, NCOMM, t->set.nslice,
               t->set.full);
    report(t, alg, "data",
           t->set.full ? try_product(t, &s) : try_pairs(t, &s));
    check_schedule(&t->stage[WORLD], alg, t->set.full);
    report(t, alg, "schedule", 1);
}

/* --- the whole -------------------------------------------------------- */

static void usage(void)
{
    fprintf(stderr, "usage: variants [--full] [--slice I/N] [--trace] "
                    "[COLLECTIVE [VARIANT]]\n");
    exit(2);
}

static struct options parse(int argc, char **argv)
{
    struct options set = { .nslice = 1 };

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--full") == 0)
            set.full = 1;
        else if (strcmp(argv[i], "--trace") == 0)
            set.trace = 1;
        else if (strcmp(argv[i], "--slice") == 0 && i + 1 < argc) {
            if (sscanf(argv[++i], "%d/%d", &set.slice, &set.nslice) != 2 ||
                set.slice < 0 || set.slice >= set.nslice ||
                set.nslice > PAIRS_LEVELS)
                usage();
        } else if (argv[i][0] == '-')
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

static void open_stages(struct test *t)
{
    int rank;
    MPI_Comm comm[NCOMM];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[WORLD]);
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

int main(int argc, char **argv)
{
    struct test t = { .seed = 1 };
    int rank, size, status = 0;

    MPI_Init(&argc, &argv);
    t.set = parse(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fixture_init(&t.fix);
    open_stages(&t);
    if (t.set.coll == NULL) {
        check_copies(&t.stage[WORLD]);
        report(&t, NULL, "copies between layouts", 1);
    }
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (wanted(&t.set, chorale_algs[i]))
            test_variant(&t, chorale_algs[i]);
    if (rank == 0)
        tap_diag("%ld calls", t.stage[WORLD].calls + t.stage[REVERSED].calls);
    close_stages(&t);
    fixture_release(&t.fix);
    if (rank == 0)
        status = tap_done();
    MPI_Finalize();
    return status;
}
