/* SPDX-License-Identifier: BSD-3-Clause */
/* history.c - builds the time series of cells from databases. */
#include "db/byte_buffer.h"
#include "tuner/compare/history.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/compare/comparison.h"
#include "db/foreign_db.h"
#include "tuner/base/process.h"

/* A launch of one file and the benchmark run that it belongs to. */
struct launch {
    sqlite3_int64 id;
    size_t file;
    size_t run;
};

/* A run of a cell; items are ordered by cell, then by benchmark run. */
struct item {
    const struct chorale_run_point *row;
    size_t run;
};

struct loader {
    struct chorale_history *h;
    const struct chorale_history_opts *opts;
    struct launch *launch;   /* by file and id */
    size_t nlaunch;
    char others[160];        /* kinds of the first file's cells, if they all are
                              * of other kinds than durations */
    struct chorale_errmsg *msg;
};

/* Find the benchmark run with that label, or of that campaign if it has no
 * label; add it if new. Returns its index, or (size_t)-1 if out of memory. */
static size_t find_run(struct chorale_history *h, const char *label,
                       const char *campaign, const char *started)
{
    struct chorale_history_run *more;
    char name[128], when[24];

    /* \001 keeps UUIDs of unlabelled campaigns apart from labels. */
    if (label[0] != '\0')
        chorale_safe_text(name, sizeof(name), label);
    else
        snprintf(name, sizeof(name), "\001%.100s", campaign);
    chorale_safe_text(when, sizeof(when), started);
    for (size_t i = 0; i < h->nrun; i++)
        if (strcmp(h->run[i].label, name) == 0) {
            if (strcmp(when, h->run[i].started) < 0)
                strcpy(h->run[i].started, when);
            return i;
        }
    more = realloc(h->run, (h->nrun + 1) * sizeof(*more));
    if (more == NULL)
        return (size_t)-1;
    h->run = more;
    strcpy(more[h->nrun].label, name);
    strcpy(more[h->nrun].started, when);
    return h->nrun++;
}

static enum chorale_err add_launch(struct loader *ld, size_t file,
                                   sqlite3_stmt *stmt)
{
    struct launch *l = chorale_array_grow(ld->launch, ld->nlaunch, sizeof(*l));

    if (l == NULL)
        return chorale_fail_memory(ld->msg, "history");
    ld->launch = l;
    l += ld->nlaunch++;
    l->id = sqlite3_column_int64(stmt, 0);
    l->file = file;
    l->run = find_run(ld->h, chorale_text(stmt, 1), chorale_text(stmt, 2),
                      chorale_text(stmt, 3));
    return l->run == (size_t)-1 ? chorale_fail_memory(ld->msg, "history")
                                : CHORALE_OK;
}

static enum chorale_err load_launches(struct loader *ld, size_t file,
                                      struct chorale_store *store,
                                      sqlite3_int64 system)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT launch_id, label, k.uuid, started FROM launch l"
        " JOIN campaign k USING (campaign_id) WHERE l.system_id = ?1"
        " AND NOT again AND NOT validates ORDER BY launch_id",
        CHORALE_FIELDS(system), &stmt, ld->msg);
    while (chorale_store_next(store, stmt, &err, ld->msg))
        err = add_launch(ld, file, stmt);
    sqlite3_finalize(stmt);
    return err;
}

/* Note a system of another name; systems of two files are compared by name. */
static enum chorale_err note_system(struct loader *ld, size_t file,
                                    struct chorale_store *store)
{
    struct chorale_history *h = ld->h;
    struct chorale_system_row *row = NULL;
    size_t n = 0;
    char name[128];
    enum chorale_err err = chorale_systems_load(store, ld->opts->system, &row,
                                                &n, ld->msg);

    if (err != CHORALE_OK)
        return err;
    chorale_safe_text(name, sizeof(name), row[0].name);
    chorale_systems_free(row, n);
    if (file == 0)
        strcpy(h->system[0], name);
    else if (h->other == 0 && strcmp(h->system[0], name) != 0) {
        strcpy(h->system[1], name);
        h->other = file;
    }
    return CHORALE_OK;
}

static enum chorale_err load_file(struct loader *ld, size_t file,
                                  const char *path)
{
    struct chorale_shard *shard = NULL;
    struct chorale_store *store;
    sqlite3_int64 system;
    int simulated = 0;
    enum chorale_err err = chorale_shard_open(path, chorale_stop_requested,
                                              &shard, ld->msg);

    if (err != CHORALE_OK)
        return err;
    store = chorale_shard_store(shard);
    err = chorale_store_system(store, ld->opts->system, &system, &simulated,
                               ld->msg);
    if (err == CHORALE_OK && file > 0 && simulated != ld->h->simulated)
        err = chorale_fail(ld->msg, CHORALE_DATA, "%s: simulated and measured "
                           "times cannot be mixed; leave it out", path);
    ld->h->simulated = simulated;
    if (err == CHORALE_OK)
        err = note_system(ld, file, store);
    if (err == CHORALE_OK)
        err = load_launches(ld, file, store, system);
    if (err == CHORALE_OK)
        err = chorale_points_load(store, system, &ld->h->points[file],
                                  ld->msg);
    if (err == CHORALE_OK && ld->h->points[file].count == 0 && file == 0)
        err = chorale_cells_uncompared(store, system, ld->others,
                                       sizeof(ld->others), ld->msg);
    chorale_shard_close(shard);
    return err;
}

static int by_launch(const void *a, const void *b)
{
    const struct launch *x = a, *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static const struct chorale_history_run *sorted_runs;

static int by_time(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int d = strcmp(sorted_runs[i].started, sorted_runs[k].started);

    return d != 0 ? d : (i > k) - (i < k);
}

/* Sort the benchmark runs by time and renumber the launches' references. */
static enum chorale_err sort_runs(struct loader *ld)
{
    struct chorale_history *h = ld->h;
    size_t *order = malloc((h->nrun + 1) * sizeof(*order));
    size_t *place = malloc((h->nrun + 1) * sizeof(*place));
    struct chorale_history_run *run = malloc((h->nrun + 1) * sizeof(*run));
    int bad = order == NULL || place == NULL || run == NULL;

    for (size_t i = 0; !bad && i < h->nrun; i++)
        order[i] = i;
    sorted_runs = h->run;
    if (!bad && h->nrun > 0)
        qsort(order, h->nrun, sizeof(*order), by_time);
    for (size_t i = 0; !bad && i < h->nrun; i++) {
        run[i] = h->run[order[i]];
        place[order[i]] = i;
        if (run[i].label[0] == '\001')
            snprintf(run[i].label, sizeof(run[i].label), "%s",
                     run[i].started);
    }
    for (size_t i = 0; !bad && i < ld->nlaunch; i++)
        ld->launch[i].run = place[ld->launch[i].run];
    free(order);
    free(place);
    if (bad) {
        free(run);
        return chorale_fail_memory(ld->msg, "history");
    }
    free(h->run);
    h->run = run;
    return CHORALE_OK;
}

static int by_item(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int d = chorale_cell_compare(x->row, y->row);

    if (d != 0)
        return d;
    return (x->run > y->run) - (x->run < y->run);
}

/* Collect all good runs of all files. NULL if out of memory. */
static struct item *gather(struct loader *ld, size_t *count_p)
{
    struct chorale_history *h = ld->h;
    struct item *item;
    size_t total = 0, n = 0;

    for (size_t f = 0; f < h->nfile; f++)
        total += h->points[f].count;
    item = malloc((total + 1) * sizeof(*item));
    for (size_t f = 0; item != NULL && f < h->nfile; f++)
        for (size_t i = 0; i < h->points[f].count; i++) {
            const struct chorale_run_point *row = &h->points[f].row[i];
            struct launch key = { row->launch_id, f, 0 }, *l;

            l = ld->nlaunch == 0
                    ? NULL : bsearch(&key, ld->launch, ld->nlaunch,
                                     sizeof(key), by_launch);
            if (l != NULL && row->ok)
                item[n++] = (struct item){ row, l->run };
        }
    if (n > 0)
        qsort(item, n, sizeof(*item), by_item);
    *count_p = n;
    return item;
}

/* Summarise the launches of a cell in one benchmark run. */
static struct chorale_history_value value_of(const struct item *item, size_t n,
                                             double *work)
{
    struct chorale_history_value v = { .run = item->run, .nlaunch = n };

    for (size_t i = 0; i < n; i++)
        work[i] = item[i].row->seconds;
    gsl_sort(work, 1, n);
    v.seconds = sqrt(work[(n - 1) / 2] * work[n / 2]);
    v.lo = work[0];
    v.hi = work[n - 1];
    return v;
}

/* Find the changes above the threshold; work has room for nvalue. */
static int find_changes(struct loader *ld, struct chorale_history_cell *c,
                        double *work)
{
    double edge = log1p(ld->opts->threshold);
    size_t kept = 0;
    long n;

    c->change = malloc((c->nvalue + 1) * sizeof(*c->change));
    if (c->change == NULL)
        return -1;
    for (size_t i = 0; i < c->nvalue; i++)
        work[i] = log(c->value[i].seconds);
    c->few = !ld->h->simulated &&
             chorale_changes_min_p(c->nvalue) > ld->opts->level;
    if (ld->h->simulated)
        n = chorale_changes_find_exact(work, c->nvalue, c->change);
    else if (c->few)
        n = 0;
    else
        n = chorale_changes_find(work, c->nvalue, ld->opts->level,
                                 ld->opts->rounds, 1 + (uint64_t)ld->h->ncell,
                                 c->change);
    for (long i = 0; i < n; i++)
        if (fabs(c->change[i].after - c->change[i].before) > edge)
            c->change[kept++] = c->change[i];
    c->nchange = kept;
    return n < 0 ? -1 : 0;
}

/* Add the cell of items [0, n). */
static int add_cell(struct loader *ld, const struct item *item, size_t n,
                    double *work)
{
    struct chorale_history *h = ld->h;
    struct chorale_history_cell *c = &h->cell[h->ncell++];
    size_t end;

    c->at = *item->row;
    c->value = malloc(n * sizeof(*c->value));
    if (c->value == NULL)
        return -1;
    for (size_t i = 0; i < n; i = end) {
        for (end = i; end < n && item[end].run == item[i].run; end++)
            continue;
        c->value[c->nvalue++] = value_of(&item[i], end - i, work);
    }
    return find_changes(ld, c, work);
}

static enum chorale_err make_cells(struct loader *ld)
{
    size_t n = 0, end;
    struct item *item = gather(ld, &n);
    double *work = malloc((n + 1) * sizeof(*work));
    int bad = item == NULL || work == NULL;

    ld->h->cell = calloc(n + 1, sizeof(*ld->h->cell));
    bad |= ld->h->cell == NULL;
    for (size_t i = 0; !bad && i < n; i = end) {
        for (end = i; end < n && chorale_cell_compare(item[i].row,
                                                      item[end].row) == 0;
             end++)
            continue;
        bad = add_cell(ld, &item[i], end - i, work) != 0;
    }
    free(item);
    free(work);
    return bad ? chorale_fail_memory(ld->msg, "history") : CHORALE_OK;
}

enum chorale_err chorale_history_load(char **path, size_t npath,
                                      const struct chorale_history_opts *opts,
                                      struct chorale_history *history,
                                      struct chorale_errmsg *msg)
{
    struct loader ld = { .h = history, .opts = opts, .msg = msg };
    enum chorale_err err = CHORALE_OK;

    memset(history, 0, sizeof(*history));
    history->points = calloc(npath + 1, sizeof(*history->points));
    history->nfile = npath;
    if (history->points == NULL)
        err = chorale_fail_memory(ld.msg, "history");
    for (size_t i = 0; i < npath && err == CHORALE_OK; i++)
        err = load_file(&ld, i, path[i]);
    if (err == CHORALE_OK)
        err = sort_runs(&ld);
    if (err == CHORALE_OK)
        err = make_cells(&ld);
    if (err == CHORALE_OK && history->ncell == 0 && ld.others[0] != '\0')
        err = chorale_fail(msg, CHORALE_DATA, "%s: history is of durations, "
                           "but the cells measured are %s; plan cells without "
                           "--metric, --arrival and --siblings", path[0],
                           ld.others);
    if (err == CHORALE_OK && history->ncell == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: no run is measured; "
                           "run `chorale run`", path[0]);
    free(ld.launch);
    return err;
}

void chorale_history_release(struct chorale_history *history)
{
    for (size_t i = 0; history->points != NULL && i < history->nfile; i++)
        chorale_points_release(&history->points[i]);
    for (size_t i = 0; i < history->ncell; i++) {
        free(history->cell[i].value);
        free(history->cell[i].change);
    }
    free(history->points);
    free(history->cell);
    free(history->run);
}
