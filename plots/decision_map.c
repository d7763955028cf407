/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_map.c - loads the decision table over sizes and process counts, and
 * writes the data file of one map. */
#include "db/byte_buffer.h"
#include "plots/plots.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/emit/table.h"
#include "tuner/base/units.h"

static const char boxes_sql[] =
    "SELECT coll, shape, dtype, op, op_class, provider, variant, params,"
    " iif(shape IN ('single-node', 'one-per-node'), 0, ppn) AS per_node,"
    " comm_size, comm_size_hi, n_lo, n_hi, basis = 'modelled'"
    " FROM v_decision WHERE system_id = ?1 AND comm_size > 1"
    " ORDER BY coll, shape, per_node, dtype, op, op_class, comm_size, n_lo";

static const char heading[] =
    "# Blocks are separated by two blank lines.\n"
    "#\n"
    "# Block 0, the frame\n"
    "#   1, 2  least and greatest n drawn    3, 4  process counts\n"
    "#   5     where n = 0 is drawn (0: not drawn)\n"
    "#   6     number of choices\n"
    "#   7     letters of the longest label\n"
    "#   8     number of crossovers\n"
    "#   9     1 if the table uses another type's choices instead\n"
    "#   10    number of letters             11    of measured points\n"
    "# Blocks 1 ..., one choice each; the first line is its label. Choice 1\n"
    "# is the library's default. A box without area: only names the choice.\n"
    "#   1, 2  left and right end on the axis, 3, 4  lower and upper end\n"
    "#   5     1 if the model chose, 0 if measurements did\n"
    "#   6, 7  the range of n, bytes         8, 9  of process counts\n"
    "# The next block, if there are crossovers: where the choice of some\n"
    "# process counts changes.\n"
    "#   1     n                             2, 3  lower and upper end\n"
    "#   4     the next one, or the end      5     n with its unit\n"
    "#   6     the one before, or the begin  7     its n with its unit\n"
    "# The next block, if there are letters: the choices at some process\n"
    "# counts, the more important ones first, and all powers of two of n.\n"
    "#   1     process count                 2     n on the axis\n"
    "#   3     number of the choice          4     log2 of n; -1 for n = 0,\n"
    "#                                             0 for the only n\n"
    "# The last block, if there are any: the measured points.\n"
    "#   1     n on the axis                 2     process count\n";

int chorale_plots_same_map(const struct chorale_plots_box *a,
                           const struct chorale_plots_box *b)
{
    return a->ppn == b->ppn && strcmp(a->coll, b->coll) == 0 &&
           strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->dtype, b->dtype) == 0 && strcmp(a->op, b->op) == 0 &&
           strcmp(a->op_class, b->op_class) == 0;
}

static void read_box(sqlite3_stmt *stmt, struct chorale_plots_box *box)
{
    const struct {
        char *out;
        size_t size;
    } text[] = {
        { box->coll, sizeof(box->coll) }, { box->shape, sizeof(box->shape) },
        { box->dtype, sizeof(box->dtype) }, { box->op, sizeof(box->op) },
        { box->op_class, sizeof(box->op_class) },
        { box->provider, sizeof(box->provider) },
        { box->variant, sizeof(box->variant) },
        { box->params, sizeof(box->params) },
    };

    for (int i = 0; i < 8; i++) {
        const char *got = (const char *)sqlite3_column_text(stmt, i);

        snprintf(text[i].out, text[i].size, "%s", got != NULL ? got : "");
    }
    box->ppn = sqlite3_column_int(stmt, 8);
    box->comm_size = sqlite3_column_int(stmt, 9);
    box->comm_size_hi = sqlite3_column_int(stmt, 10);
    box->n_lo = sqlite3_column_int64(stmt, 11);
    box->n_hi = sqlite3_column_int64(stmt, 12);
    box->modelled = sqlite3_column_int(stmt, 13);
}

/* Mark the boxes that the table does not use. */
static enum chorale_err mark_boxes(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_plots_boxes *boxes,
                                   struct chorale_errmsg *msg)
{
    struct chorale_served_kind kind = { "", "" };
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < boxes->count && err == CHORALE_OK; i++) {
        struct chorale_plots_box *box = &boxes->box[i];

        if (i == 0 || strcmp(box->coll, box[-1].coll) != 0)
            err = chorale_served_kind_load(store, system_id, box->coll,
                                           "dispatch", &kind, msg);
        chorale_served_kind_instead(&kind, box->dtype, box->op, box->op_class,
                                    box->instead);
    }
    return err;
}

enum chorale_err chorale_plots_load_boxes(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          struct chorale_plots_boxes *boxes,
                                          struct chorale_errmsg *msg)
{
    struct chorale_plots_boxes got = { NULL, 0 };
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, boxes_sql, CHORALE_FIELDS(system_id), &stmt, msg);
    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_plots_box *larger =
            chorale_array_grow(got.box, got.count, sizeof(*larger));

        if (larger == NULL) {
            err = chorale_fail_memory(msg, chorale_store_path(store));
            break;
        }
        got.box = larger;
        read_box(stmt, &got.box[got.count++]);
    }
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK)
        err = mark_boxes(store, system_id, &got, msg);
    if (err != CHORALE_OK) {
        free(got.box);
        return err;
    }
    *boxes = got;
    return CHORALE_OK;
}

const struct chorale_plots_box *
chorale_plots_find_box(const struct chorale_plots_box *box, size_t count,
                       int comm_size, sqlite3_int64 n)
{
    for (size_t i = 0; i < count; i++)
        if (box[i].comm_size <= comm_size && comm_size <= box[i].comm_size_hi &&
            box[i].n_lo <= n && n <= box[i].n_hi)
            return &box[i];
    return NULL;
}

static int is_library(const struct chorale_plots_box *box)
{
    return strcmp(box->provider, "library") == 0;
}

/* Number the choices from 1 on, in order of their first boxes; the library is
 * 1. first[i] is a box of choice i + 1. Returns the number of choices. */
static size_t number_choices(const struct chorale_plots_box *box, size_t count,
                             size_t *number, size_t *first)
{
    size_t n = 1;

    first[0] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t k = is_library(&box[i]) ? 0 : 1;

        while (k > 0 && k < n &&
               (strcmp(box[first[k]].provider, box[i].provider) != 0 ||
                strcmp(box[first[k]].variant, box[i].variant) != 0 ||
                strcmp(box[first[k]].params, box[i].params) != 0))
            k++;
        if (k == n)
            first[n++] = i;
        number[i] = k + 1;
    }
    return n;
}

struct frame {
    double lo, hi, zero;
    int least, most;
    int single; /* a single n, drawn a doubling wide */
};

static struct frame find_frame(const struct chorale_plots_box *box,
                               size_t count)
{
    struct frame f = { 0, 1, 0, box[0].comm_size, box[0].comm_size_hi, 0 };
    int zero = 0;

    for (size_t i = 0; i < count; i++) {
        if (box[i].n_lo > 0 && (f.lo == 0 || (double)box[i].n_lo < f.lo))
            f.lo = (double)box[i].n_lo;
        /* A range without end is drawn two doublings long. */
        f.hi = fmax(f.hi, box[i].n_hi < INT64_MAX ? (double)box[i].n_hi
                                                  : 4.0 * (double)box[i].n_lo);
        zero |= box[i].n_lo == 0;
        if (box[i].comm_size_hi > f.most)
            f.most = box[i].comm_size_hi;
    }
    if (f.lo == 0) /* all begin at 0: start at one element */
        f.lo = f.hi > 8 ? 8 : 1;
    if (f.lo > f.hi)
        f.lo = f.hi;
    if (zero)
        f.zero = f.lo = f.lo / 4;
    f.single = f.lo == f.hi;
    if (f.single) {
        f.lo /= sqrt(2);
        f.hi *= sqrt(2);
    }
    return f;
}

/* Margin of the axis of process counts, as in decision_map.gp. */
static const double RIM = 1 / 25.0;

/* Find the lower and upper edge of a box: half-way to the adjacent process
 * counts, so that boxes touch. The first and the last extend by the margin, to
 * be visible. */
static void find_height(const struct chorale_plots_box *box,
                        const struct frame *f, double *lower, double *upper)
{
    double rim = pow((double)f->most / f->least, RIM);

    *lower = sqrt(box->comm_size * (box->comm_size - 1.0));
    *upper = sqrt(box->comm_size_hi * (box->comm_size_hi + 1.0));
    if (box->comm_size == f->least)
        *lower = fmin(*lower, f->least / rim);
    if (box->comm_size_hi == f->most)
        *upper = fmax(*upper, f->most * rim);
}

static void write_box(FILE *out, const struct chorale_plots_box *box,
                      const struct frame *f)
{
    double left = box->n_lo > 0 ? (double)box->n_lo : f->zero;
    double right = box->n_hi > 0 ? fmin((double)box->n_hi + 1, f->hi)
                                 : 2 * f->zero;
    double lower, upper;

    if (f->single) {
        left = f->lo;
        right = f->hi;
    }
    find_height(box, f, &lower, &upper);
    fprintf(out, "%.15g %.15g %.15g %.15g %d %lld %lld %d %d\n", left, right,
            lower, upper, box->modelled, (long long)box->n_lo,
            (long long)box->n_hi, box->comm_size, box->comm_size_hi);
}

/* Returns 1 if box b begins where box a ends, at some process counts of both,
 * with another choice. */
static int crosses(const struct chorale_plots_box *a,
                   const struct chorale_plots_box *b, int same)
{
    return !same && b->n_lo > 0 && a->n_hi == b->n_lo - 1 &&
           a->comm_size <= b->comm_size_hi && b->comm_size <= a->comm_size_hi;
}

/* A crossover: the n at which the choice changes at some process counts. */
struct crossover {
    sqlite3_int64 n;
    int comm_size, comm_size_hi;
};

/* Most crossovers of a map, per box: boxes that do not overlap have fewer. */
#define CROSSOVERS 4

/* Find the crossovers of count boxes, at most CROSSOVERS * count of them.
 * Returns their number. */
static size_t find_crossovers(const struct chorale_plots_box *box, size_t count,
                              const size_t *number, struct crossover *cross)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const struct chorale_plots_box *a = &box[k], *b = &box[i];

            if (n == CROSSOVERS * count ||
                !crosses(a, b, number[k] == number[i]))
                continue;
            cross[n++] = (struct crossover){
                b->n_lo,
                a->comm_size > b->comm_size ? a->comm_size : b->comm_size,
                a->comm_size_hi < b->comm_size_hi ? a->comm_size_hi
                                                  : b->comm_size_hi,
            };
        }
    return n;
}

/* The nearest crossover left or right of c that shares a process count with it,
 * or NULL. */
static const struct crossover *beside(const struct crossover *cross,
                                      size_t count, const struct crossover *c,
                                      int right)
{
    const struct crossover *best = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct crossover *o = &cross[i];

        if (o->comm_size > c->comm_size_hi || c->comm_size > o->comm_size_hi ||
            (right ? o->n <= c->n : o->n >= c->n))
            continue;
        if (best == NULL || (right ? o->n < best->n : o->n > best->n))
            best = o;
    }
    return best;
}

static void write_crossovers(FILE *out, const struct crossover *cross,
                             size_t count, const struct frame *f)
{
    char text[2][32];

    fputs("\n\n", out);
    for (size_t i = 0; i < count; i++) {
        const struct crossover *c = &cross[i];
        const struct crossover *before = beside(cross, count, c, 0);
        const struct crossover *next = beside(cross, count, c, 1);
        const struct chorale_plots_box height = {
            .comm_size = c->comm_size, .comm_size_hi = c->comm_size_hi,
        };
        double lower, upper;

        find_height(&height, f, &lower, &upper);
        text[0][0] = '\0';
        fprintf(out, "%lld %.15g %.15g %.15g \"%s\" %.15g \"%s\"\n",
                (long long)c->n, lower, upper,
                next != NULL ? (double)next->n : f->hi,
                chorale_exact_bytes((double)c->n, text[1]),
                before != NULL ? (double)before->n : f->lo,
                before != NULL ? chorale_exact_bytes((double)before->n,
                                                     text[0])
                               : "");
    }
}

/* Process counts of a map. */
struct procs {
    int *p;
    size_t count;
};

static int add_procs(struct procs *procs, int p)
{
    int *larger = chorale_array_grow(procs->p, procs->count, sizeof(*larger));

    if (larger == NULL)
        return -1;
    procs->p = larger;
    procs->p[procs->count++] = p;
    return 0;
}

static const char procs_sql[] =
    "SELECT DISTINCT comm_size FROM cell WHERE system_id = ?1 AND coll = ?2"
    " AND shape = ?3 AND dtype = ?4 AND op = ?5 AND (?6 = 0 OR ppn = ?6)"
    " AND comm_size BETWEEN ?7 AND ?8 ORDER BY comm_size";

/* Find the process counts that have letters, in order of importance: the last
 * and the first measured one, the other measured ones, and one between each two
 * neighbours. The caller frees procs->p, also after an error. */
static enum chorale_err find_procs(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   const struct chorale_plots_box *box,
                                   size_t count, struct procs *procs,
                                   struct chorale_errmsg *msg)
{
    const struct frame f = find_frame(box, count);
    sqlite3_stmt *stmt = NULL;
    size_t n;
    int bad = 0, last;
    enum chorale_err err = chorale_store_query(
        store, procs_sql,
        CHORALE_FIELDS(system_id, box->coll, box->shape, box->dtype, box->op,
                       box->ppn, f.least, f.most), &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg))
        bad |= add_procs(procs, sqlite3_column_int(stmt, 0));
    sqlite3_finalize(stmt);
    if (procs->count == 0 && !bad) /* the measurements are not in this file */
        bad = add_procs(procs, f.least) != 0 || add_procs(procs, f.most) != 0;
    n = procs->count;
    for (size_t i = 0; i + 1 < n && !bad; i++) {
        double p = procs->p[i], q = procs->p[i + 1];

        if (q - p > 1)
            bad = add_procs(procs, (int)fmax(p + 1, sqrt(p * q)));
    }
    if (n > 1) {
        last = procs->p[n - 1];
        memmove(procs->p + 1, procs->p, (n - 1) * sizeof(*procs->p));
        procs->p[0] = last;
    }
    if (err == CHORALE_OK && bad)
        err = chorale_fail_memory(msg, chorale_store_path(store));
    return err;
}

/* The size n of a letter: 2^e within the frame, and 0 for e = -1. A frame with
 * one size has only the letter e = 0, of size `single`. Returns -1 for no
 * letter. */
static sqlite3_int64 letter_size(const struct frame *f, int e,
                                 sqlite3_int64 single)
{
    double n = ldexp(1, e);

    if (f->single)
        return e == 0 ? single : -1;
    if (e < 0)
        return f->zero > 0 ? 0 : -1;
    return n >= (f->zero > 0 ? 4 * f->zero : f->lo) && n <= f->hi
               ? (sqlite3_int64)n : -1;
}

/* Write the letters, or count them if out is NULL. */
static size_t write_letters(FILE *out, const struct chorale_plots_box *box,
                            size_t count, const size_t *number,
                            const struct procs *procs, const struct frame *f)
{
    size_t n = 0;

    for (size_t i = 0; i < procs->count; i++)
        for (int e = -1; e < 62; e++) {
            sqlite3_int64 size = letter_size(f, e, box->n_lo);
            const struct chorale_plots_box *b =
                chorale_plots_find_box(box, count, procs->p[i], size);

            if (b == NULL)
                continue;
            if (out != NULL)
                fprintf(out, "%d %.15g %zu %d\n", procs->p[i],
                        size > 0 ? (double)size : 1.4 * f->zero,
                        number[b - box], e);
            n++;
        }
    return n;
}

/* The label of choice k, counted from 0; box is one of its boxes. */
static void label_of(const struct chorale_plots_box *box, size_t k,
                     char label[CHORALE_PLOTS_LABEL])
{
    if (k == 0)
        snprintf(label, CHORALE_PLOTS_LABEL, "library");
    else
        chorale_plots_choice_label(label, CHORALE_PLOTS_LABEL, box->provider,
                                   box->variant, box->params);
}

static const char points_sql[] =
    "SELECT DISTINCT n, comm_size FROM cell c WHERE system_id = ?1 AND coll ="
    " ?2 AND shape = ?3 AND dtype = ?4 AND op = ?5 AND (?6 = 0 OR ppn = ?6)"
    " AND comm_size BETWEEN ?7 AND ?8 AND EXISTS (SELECT 1 FROM run r"
    "   WHERE r.cell_id = c.cell_id AND r.status = 'ok')"
    " ORDER BY comm_size, n";

/* Write the measured points of a map to a stream as text, and count them. */
static enum chorale_err write_points(FILE *out, struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     const struct chorale_plots_box *box,
                                     size_t count, size_t *npoint,
                                     struct chorale_errmsg *msg)
{
    const struct frame f = find_frame(box, count);
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, points_sql,
        CHORALE_FIELDS(system_id, box->coll, box->shape, box->dtype, box->op,
                       box->ppn, f.least, f.most), &stmt, msg);

    *npoint = 0;
    while (chorale_store_next(store, stmt, &err, msg)) {
        const double n = (double)sqlite3_column_int64(stmt, 0);
        const double x = n > 0 ? n : 1.4 * f.zero;

        if (!(x >= f.lo && x <= f.hi))
            continue;
        fprintf(out, "%.15g %d\n", x, sqlite3_column_int(stmt, 1));
        ++*npoint;
    }
    sqlite3_finalize(stmt);
    return err;
}

static void write_all(FILE *out, const struct chorale_plots_box *box,
                      size_t count, const struct procs *procs,
                      const char *points, size_t npoint,
                      const char *title, size_t *number, size_t *first,
                      struct crossover *cross)
{
    struct frame f = find_frame(box, count);
    size_t n = number_choices(box, count, number, first);
    size_t longest = 0, ncross = find_crossovers(box, count, number, cross);
    size_t nletter = write_letters(NULL, box, count, number, procs, &f);
    char label[CHORALE_PLOTS_LABEL];

    for (size_t k = 0; k < n; k++) {
        label_of(k > 0 ? &box[first[k]] : box, k, label);
        longest = strlen(label) > longest ? strlen(label) : longest;
    }
    fprintf(out, "# %s\n%s%.15g %.15g %d %d %.15g %zu %zu %zu %d %zu %zu\n",
            title, heading, f.lo, f.hi, f.least, f.most, f.zero, n, longest,
            ncross, box[0].instead[0] != '\0', nletter, npoint);
    for (size_t k = 0; k < n; k++) {
        int any = 0;

        label_of(k > 0 ? &box[first[k]] : box, k, label);
        fprintf(out, "\n\n\"%s\"\n", label);
        for (size_t i = 0; i < count; i++)
            if (number[i] == k + 1) {
                write_box(out, &box[i], &f);
                any = 1;
            }
        if (!any)
            fprintf(out, "%.15g %.15g %d %d 0 0 0 0 0\n", f.lo, f.lo,
                    f.least, f.least);
    }
    if (ncross > 0)
        write_crossovers(out, cross, ncross, &f);
    if (nletter > 0)
        fputs("\n\n", out);
    write_letters(out, box, count, number, procs, &f);
    if (npoint > 0)
        fprintf(out, "\n\n%s", points);
}

enum chorale_err chorale_plots_write_map(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         const struct chorale_plots_box *box,
                                         size_t count, const char *title,
                                         const char *path,
                                         struct chorale_errmsg *msg)
{
    size_t *number = calloc(count + 1, sizeof(*number));
    size_t *first = malloc((count + 1) * sizeof(*first));
    struct crossover *cross = malloc((CROSSOVERS * count + 1) *
                                     sizeof(*cross));
    struct procs procs = { NULL, 0 };
    char *points = NULL;
    size_t size = 0, npoint = 0;
    FILE *out = open_memstream(&points, &size);
    int bad;
    enum chorale_err err = out == NULL
                               ? chorale_fail_memory(msg, path)
                               : find_procs(store, system_id, box, count,
                                            &procs, msg);

    if (err == CHORALE_OK)
        err = write_points(out, store, system_id, box, count, &npoint, msg);
    if (out != NULL && fclose(out) != 0 && err == CHORALE_OK)
        err = chorale_fail_memory(msg, path);
    out = NULL;
    errno = ENOMEM;
    if (err == CHORALE_OK && number != NULL && first != NULL && cross != NULL)
        out = fopen(path, "w");
    bad = out == NULL;
    if (out != NULL) {
        write_all(out, box, count, &procs, points, npoint, title, number, first,
                  cross);
        bad = ferror(out);
        bad |= fclose(out) != 0;
    }
    free(number);
    free(first);
    free(cross);
    free(procs.p);
    free(points);
    if (err != CHORALE_OK)
        return err;
    return bad ? chorale_fail(msg, CHORALE_ENV, "%s: %s; free some space and "
                              "repeat the command", path, strerror(errno))
               : CHORALE_OK;
}
