/* SPDX-License-Identifier: BSD-3-Clause */
/* speedup.c - lists the table's speed-ups over sizes and process counts, and
 * writes the data file of one map. All numbers are from the tuner's proofs. */
#include "plots/plots.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/validate.h"

static const char heading[] =
    "# Blocks are separated by two blank lines; NaN: unknown.\n"
    "#\n"
    "# Block 0, the frame\n"
    "#   1, 2  left and right end of the axis of n    3, 4  ends of that of P\n"
    "#   5     where n = 0 is drawn (0: not drawn)\n"
    "#   6, 7  least and greatest speed-up of those whose interval excludes 1\n"
    "#   8, 9  least and greatest P               10  number of points\n"
    "#   11, 12 least n above 0, and greatest n\n"
    "# Block 1, the points\n"
    "#   1, 2  left and right end on the axis, 3, 4  lower and upper end\n"
    "#   5     speed-up over the library          6, 7  its 95 % interval\n"
    "#   8     n, bytes of the operation          9  P, number of processes\n"
    "#   10    1 if significantly slower          11 what the table chooses\n"
    "#   12    type and operation of the rows used, if not its own\n";

static int compare_keys(const struct chorale_plots_gain *a,
                        const struct chorale_plots_gain *b)
{
    const char *const x[] = { a->coll, a->shape, a->dtype, a->op, a->root };
    const char *const y[] = { b->coll, b->shape, b->dtype, b->op, b->root };

    for (int i = 0; i < 5; i++)
        if (strcmp(x[i], y[i]) != 0)
            return strcmp(x[i], y[i]);
    return (a->ppn > b->ppn) - (a->ppn < b->ppn);
}

int chorale_plots_same_gains(const struct chorale_plots_gain *a,
                             const struct chorale_plots_gain *b)
{
    return compare_keys(a, b) == 0;
}

static int compare(const void *x, const void *y)
{
    const struct chorale_plots_gain *a = x, *b = y;
    int key = compare_keys(a, b);

    if (key != 0)
        return key;
    if (a->comm_size != b->comm_size)
        return a->comm_size < b->comm_size ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

enum chorale_err chorale_plots_load_gains(const struct chorale_proofs *proofs,
                                          struct chorale_plots_gains *gains,
                                          struct chorale_errmsg *msg)
{
    struct chorale_plots_gain *gain = calloc(proofs->count + 1, sizeof(*gain));
    size_t n = 0;

    if (gain == NULL)
        return chorale_fail_memory(msg, NULL);
    for (size_t i = 0; i < proofs->count; i++) {
        const struct chorale_proof *p = &proofs->row[i];
        int named = strcmp(p->shape, "single-node") == 0 ||
                    strcmp(p->shape, "one-per-node") == 0;

        if (p->coll == CHORALE_NCOLL || !isfinite(p->mean))
            continue;
        gain[n++] = (struct chorale_plots_gain){
            .coll = chorale_coll_info(p->coll)->name, .shape = p->shape,
            .dtype = p->dtype, .op = p->op, .root = p->root,
            .choice = p->choice, .rows_of = p->rows_of,
            .ppn = named ? 0 : p->ppn,
            .comm_size = p->comm_size, .n = (double)p->n,
            .msg_size = (double)p->msg_size, .speedup = exp(p->mean),
            .lo = exp(p->mean - p->half), .hi = exp(p->mean + p->half),
            .slower = p->slower,
        };
    }
    qsort(gain, n, sizeof(*gain), compare);
    gains->gain = gain;
    gains->count = n;
    return CHORALE_OK;
}

struct frame {
    double least_n, most_n;  /* above 0 */
    double zero;             /* where 0 is drawn, or 0 */
    double left, right, lower, upper, slowest, fastest;
};

/* The position of n on its axis. */
static double place(const struct frame *f, double n)
{
    return n > 0 ? n : f->zero;
}

/* Half-way from a to b on a logarithmic axis. Without b: as far beyond a as the
 * other neighbour is, or half a doubling. */
static double between(double a, double b, double other)
{
    if (b > 0)
        return sqrt(a * b);
    return other > 0 ? a * sqrt(a / other) : 0;
}

/* The process count of the map next to gain[i]'s, below (step -1) or above; 0
 * if it is the last. */
static double next_procs(const struct chorale_plots_gain *gain, size_t count,
                         size_t i, int step)
{
    double best = 0;

    for (size_t k = 0; k < count; k++) {
        double p = gain[k].comm_size;

        if ((p - gain[i].comm_size) * step > 0 &&
            (!(best > 0) || (best - p) * step > 0))
            best = p;
    }
    return best;
}

struct box {
    double left, right, lower, upper;
};

/* The area of a point: half-way to its neighbours, so that areas touch. */
static struct box find_box(const struct chorale_plots_gain *gain, size_t count,
                           size_t i, const struct frame *f)
{
    int has_before = i > 0 && gain[i - 1].comm_size == gain[i].comm_size;
    int has_after = i + 1 < count &&
                    gain[i + 1].comm_size == gain[i].comm_size;
    double n = place(f, gain[i].n), p = gain[i].comm_size;
    double before = has_before ? place(f, gain[i - 1].n) : 0;
    double after = has_after ? place(f, gain[i + 1].n) : 0;
    double below = next_procs(gain, count, i, -1);
    double above = next_procs(gain, count, i, 1);
    struct box box = { between(n, before, after), between(n, after, before),
                       between(p, below, above), between(p, above, below) };

    if (!(box.left > 0) || !(box.right > 0)) { /* a single n */
        box.left = n / sqrt(2);
        box.right = n * sqrt(2);
    }
    if (!(box.lower > 0) || !(box.upper > 0)) {
        box.lower = sqrt(p * (p - 1));
        box.upper = sqrt(p * (p + 1));
    }
    return box;
}

/* 1 if the speed-up is exact or its interval excludes 1. Other speed-ups may be
 * far from 1 by chance; a scale that covers them would have few colours left
 * for the others. */
static int is_certain(const struct chorale_plots_gain *gain)
{
    return gain->lo > 1 || gain->hi < 1 || !(gain->lo < gain->hi);
}

static struct frame find_frame(const struct chorale_plots_gain *gain,
                               size_t count)
{
    struct frame f = { 0, 0, 0, 0, 0, 0, 0, 1, 1 };
    int zero = 0;

    for (size_t i = 0; i < count; i++) {
        zero |= !(gain[i].n > 0);
        if (gain[i].n > 0 && (f.least_n == 0 || gain[i].n < f.least_n))
            f.least_n = gain[i].n;
        f.most_n = fmax(f.most_n, gain[i].n);
    }
    if (zero)
        f.zero = f.least_n > 0 ? f.least_n / 4 : 1;
    for (size_t i = 0; i < count; i++) {
        struct box box = find_box(gain, count, i, &f);

        f.left = f.left > 0 ? fmin(f.left, box.left) : box.left;
        f.lower = f.lower > 0 ? fmin(f.lower, box.lower) : box.lower;
        f.right = fmax(f.right, box.right);
        f.upper = fmax(f.upper, box.upper);
        if (is_certain(&gain[i])) {
            f.slowest = fmin(f.slowest, gain[i].speedup);
            f.fastest = fmax(f.fastest, gain[i].speedup);
        }
    }
    return f;
}

static void put(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.15g ", value);
    else
        fputs("NaN ", out);
}

static void write_all(FILE *out, const struct chorale_plots_gain *gain,
                      size_t count, const char *title)
{
    struct frame f = find_frame(gain, count);

    fprintf(out, "# %s\n%s%.15g %.15g %.15g %.15g %.15g %.15g %.15g %d %d %zu "
                 "%.15g %.15g\n\n\n", title, heading, f.left, f.right,
            f.lower, f.upper, f.zero, f.slowest, f.fastest, gain[0].comm_size,
            gain[count - 1].comm_size, count, f.least_n, f.most_n);
    for (size_t i = 0; i < count; i++) {
        struct box box = find_box(gain, count, i, &f);
        char label[CHORALE_PLOTS_LABEL], of[72];

        /* Rows of the same n end at the same place. */
        if (!(gain[i].n < f.most_n))
            box.right = f.right;
        if (place(&f, gain[i].n) <= (f.zero > 0 ? f.zero : f.least_n))
            box.left = f.left;

        chorale_gnuplot_label(label, sizeof(label), gain[i].choice);
        chorale_gnuplot_label(of, sizeof(of), gain[i].rows_of);
        fprintf(out, "%.15g %.15g %.15g %.15g ", box.left, box.right,
                box.lower, box.upper);
        put(out, gain[i].speedup);
        put(out, gain[i].lo);
        put(out, gain[i].hi);
        fprintf(out, "%.15g %d %d \"%s\" \"%s\"\n", gain[i].n,
                gain[i].comm_size, gain[i].slower, label, of);
    }
}

enum chorale_err
chorale_plots_write_gains(const struct chorale_plots_gain *gain, size_t count,
                          const char *title, const char *path,
                          struct chorale_errmsg *msg)
{
    FILE *out = fopen(path, "w");
    int bad = out == NULL;

    if (out != NULL) {
        write_all(out, gain, count, title);
        bad = ferror(out);
        bad |= fclose(out) != 0;
    }
    return bad ? chorale_fail(msg, CHORALE_ENV, "%s: %s; free some space and "
                              "repeat the command", path, strerror(errno))
               : CHORALE_OK;
}
