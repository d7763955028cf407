/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_cost.c - the cost of planned and of completed launches. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/tree.h"
#include "tuner/adaptive/adaptive.h"

#define REPETITIONS 30   /* until the interval is narrow, at 5 % of noise */
#define VERIFY 4         /* calls for verification and counters */
#define SYNC_SECONDS 2e-6 /* per round of messages */
#define SIM_MESSAGE 80e-6  /* s in which all calls of a cell are simulated, for
                           * each message of a call, */
#define SIM_BYTE 6e-9     /* and each byte (tests/bench/results/tune.md) */

double chorale_adapt_cell_seconds(const struct chorale_adapt_opts *opts,
                                  int comm_size, double seconds)
{
    double reps = fmin(REPETITIONS, (double)opts->nrep_max), sync;

    if (seconds > 0)
        reps = fmin(reps, opts->cell_seconds / seconds);
    reps = fmax(reps, (double)opts->nrep_min);
    sync = 2 * SYNC_SECONDS * chorale_ceil_log2(comm_size);
    return fmax(opts->patterns, 1) * (VERIFY + (double)opts->nwarmup + reps) *
           (seconds + sync);
}

/* Messages of a rank in one call: those of the variant's critical path; of the
 * library as many as fit in the time that is left beside the bytes. */
static double messages_of(const struct chorale_adapt_opts *opts,
                          const struct chorale_adapt_cell *cell, double seconds)
{
    const struct chorale_run_point run = chorale_adapt_run(cell);
    const struct chorale_alg *alg = cell->config.alg;
    const struct chorale_point pt = chorale_decide_point(
        &run, cell->config.value, cell->n, cell->comm_size);
    struct chorale_term term[CHORALE_MAX_TERM];
    double messages, bytes, reduced;

    if (alg == NULL)
        return fmax(0, seconds - (double)cell->n * opts->beta) / opts->alpha;
    chorale_term_sums(term, alg->cost(&pt, term), &messages, &bytes, &reduced);
    return messages;
}

/* Seconds in which a cell is simulated, roughly. seconds: of one call. */
static double simulation(const struct chorale_adapt_opts *opts,
                         const struct chorale_adapt_cell *cell, double seconds)
{
    const double bytes = chorale_coll_info(cell->coll)->rooted
                             ? (double)cell->msg_size : (double)cell->n;

    return cell->comm_size * (messages_of(opts, cell, seconds) * SIM_MESSAGE +
                              bytes * SIM_BYTE);
}

double chorale_adapt_planned_seconds(const struct chorale_adapt_opts *opts,
                                     const struct chorale_adapt_cell *cell,
                                     double seconds)
{
    const double own = chorale_adapt_cell_seconds(opts, cell->comm_size,
                                                  seconds);

    return opts->by_clock ? fmax(own, fmax(opts->patterns, 1) *
                                          simulation(opts, cell, seconds) /
                                          CHORALE_ADAPT_LAUNCHES)
                          : own;
}

double chorale_adapt_cell_most(const struct chorale_adapt_opts *opts,
                               int comm_size, double seconds)
{
    double call = seconds + 2 * SYNC_SECONDS * chorale_ceil_log2(comm_size);

    return fmax(chorale_adapt_cell_seconds(opts, comm_size, seconds),
                (VERIFY + (double)opts->nwarmup) * call + opts->cell_seconds);
}

double chorale_adapt_cost(const struct chorale_adapt_opts *opts,
                          int comm_size, int ppn, double seconds)
{
    int nodes = (comm_size + ppn - 1) / (ppn > 0 ? ppn : 1);
    double launches = opts->decide.simulated ? CHORALE_ADAPT_LAUNCHES
                                             : (double)opts->launches;

    return (opts->start_up + seconds) * launches *
           (opts->nodes && nodes > 1 ? nodes : 1);
}

/* Launches with their runs, one row each; a launch without runs has one row.
 * Launches of one start are adjacent: they share its command line. */
#define LAUNCHES                                                             \
    "SELECT l.launch_id, l.comm_size * l.siblings, l.ppn * l.siblings,"      \
    " julianday(l.started),"                                                 \
    " y.kind = 'simulated', l.reason = 'killed', k.nwarmup, k.nrep_min,"     \
    " k.nrep_max, k.cell_seconds, s.median * r.batch,"                       \
    " julianday(l.finished), coalesce((SELECT e.value FROM environment e"    \
    "   WHERE e.launch_id = l.launch_id AND e.key = 'launcher_command'"      \
    "     AND (instr(e.value, l.uuid) OR EXISTS (SELECT 1 FROM environment"  \
    "       g WHERE g.launch_id = l.launch_id AND g.key = 'grouped'))),"     \
    "   l.uuid) AS start, r.stop_reason = 'time'"                            \
    " FROM launch l JOIN campaign k USING (campaign_id)"                     \
    " JOIN system y ON y.system_id = l.system_id"                            \
    " LEFT JOIN run r USING (launch_id)"                                     \
    " LEFT JOIN run_summary s USING (run_id)"                                \
    " WHERE l.system_id = ?1 AND l.status <> 'running' AND"                  \
    " CASE ?2 WHEN -2 THEN l.status = 'done' WHEN -1 THEN k.round > 0"       \
    "   ELSE k.round = ?2 END ORDER BY start, l.launch_id"

/* The launch whose rows are being read. */
struct launch {
    sqlite3_int64 id;        /* -1: not begun */
    int comm_size, ppn, simulated, killed;
    double started, finished; /* days */
    double cells;
};

/* The start whose launches are being read. */
struct start {
    char name[2048];
    int nodes, comm_size;    /* of its largest launch, which runs first */
    int simulated, killed;
    double started, finished, cells;
    double beside;           /* s of the largest launch without its cells */
};

struct sum {
    struct chorale_adapt_spent spent;
    double start_up;         /* of all starts, for the mean */
    int by_time;             /* cells that used up their time limit count with
                              * it */
    long ntime;              /* runs that used up their time limit */
};

static double seconds_of(double started, double finished)
{
    return (finished - started) * 86400;
}

static void add_launch(struct sum *sum, struct start *s,
                       const struct launch *l)
{
    int nodes = l->ppn > 0 ? (l->comm_size + l->ppn - 1) / l->ppn : 1;

    if (l->id < 0)
        return;
    sum->spent.nlaunch++;
    if (s->nodes == 0) {
        s->started = l->started;
        s->finished = l->finished;
    }
    s->started = fmin(s->started, l->started);
    s->finished = fmax(s->finished, l->finished);
    s->cells += l->cells;
    s->simulated |= l->simulated;
    s->killed |= l->killed;
    if (nodes < s->nodes || (nodes == s->nodes && l->comm_size < s->comm_size))
        return;
    s->nodes = nodes;
    s->comm_size = l->comm_size;
    s->beside = fmax(0, seconds_of(l->started, l->finished) - l->cells);
}

static void add_start(struct sum *sum, const struct start *s)
{
    double by_cells = CHORALE_ADAPT_START_UP + s->cells;
    double wall = seconds_of(s->started, s->finished), seconds = wall;

    if (s->nodes == 0)
        return;
    if (s->simulated)
        seconds = CHORALE_ADAPT_LAUNCHES * by_cells;
    else if (s->killed) /* its end is recorded late */
        seconds = fmin(wall, by_cells);
    sum->spent.seconds += seconds;
    sum->spent.node_seconds += seconds * s->nodes;
    sum->spent.nstart++;
    sum->start_up += s->beside;
}

/* Add one row: its launch, and the cost of its run. */
static void read_row(struct sum *sum, sqlite3_stmt *stmt, struct launch *l)
{
    int in_time = sqlite3_column_int(stmt, 13);
    struct chorale_adapt_opts way = {
        .nwarmup = sqlite3_column_int(stmt, 6),
        .nrep_min = sqlite3_column_int(stmt, 7),
        .nrep_max = sqlite3_column_int(stmt, 8),
        .cell_seconds = sqlite3_column_double(stmt, 9),
    };

    l->id = sqlite3_column_int64(stmt, 0);
    l->comm_size = sqlite3_column_int(stmt, 1);
    l->ppn = sqlite3_column_int(stmt, 2);
    l->started = sqlite3_column_double(stmt, 3);
    l->finished = sqlite3_column_type(stmt, 11) == SQLITE_NULL
                      ? l->started
                      : sqlite3_column_double(stmt, 11);
    l->simulated = sqlite3_column_int(stmt, 4);
    l->killed = sqlite3_column_int(stmt, 5);
    if (sqlite3_column_type(stmt, 10) == SQLITE_NULL)
        return;
    l->cells += (sum->by_time && in_time ? chorale_adapt_cell_most
                                         : chorale_adapt_cell_seconds)(
        &way, l->comm_size, sqlite3_column_double(stmt, 10));
    sum->spent.nrun++;
    sum->ntime += in_time;
}

static enum chorale_err add_up(struct chorale_store *store,
                               sqlite3_int64 system_id, int which,
                               struct sum *sum, struct chorale_errmsg *msg)
{
    struct launch l = { .id = -1 };
    struct start s = { "", 0, 0, 0, 0, 0, 0, 0, 0 };
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, LAUNCHES, CHORALE_FIELDS(system_id, which), &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        const char *name = chorale_text(stmt, 12);

        if (l.id != sqlite3_column_int64(stmt, 0)) {
            add_launch(sum, &s, &l);
            l.cells = 0;
        }
        if (strncmp(s.name, name, sizeof(s.name) - 1) != 0) {
            add_start(sum, &s);
            memset(&s, 0, sizeof(s));
            snprintf(s.name, sizeof(s.name), "%s", name);
        }
        read_row(sum, stmt, &l);
    }
    add_launch(sum, &s, &l);
    add_start(sum, &s);
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_adapt_spent(struct chorale_store *store,
                                     sqlite3_int64 system_id, int round,
                                     struct chorale_adapt_spent *spent,
                                     struct chorale_errmsg *msg)
{
    struct sum sum = { .by_time = 0 };
    enum chorale_err err = add_up(store, system_id, round, &sum, msg);

    if (err == CHORALE_OK)
        *spent = sum.spent;
    return err;
}

enum chorale_err chorale_adapt_start_up(struct chorale_store *store,
                                        sqlite3_int64 system_id,
                                        double *seconds_p,
                                        struct chorale_errmsg *msg)
{
    struct sum sum = { .by_time = 0 };
    enum chorale_err err = add_up(store, system_id, -2, &sum, msg);

    if (err == CHORALE_OK)
        *seconds_p = sum.spent.nstart > 0
                         ? sum.start_up / (double)sum.spent.nstart
                         : CHORALE_ADAPT_START_UP;
    return err;
}

enum chorale_err chorale_adapt_ran(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   double *start_up_p, double *share_p,
                                   struct chorale_errmsg *msg)
{
    struct sum sum = { .by_time = 1 };
    enum chorale_err err = add_up(store, system_id, -2, &sum, msg);

    if (err != CHORALE_OK || sum.spent.nstart == 0)
        return err;
    *start_up_p = sum.start_up / (double)sum.spent.nstart;
    if (sum.spent.nrun > 0)
        *share_p = (double)sum.ntime / (double)sum.spent.nrun;
    return CHORALE_OK;
}
