/* SPDX-License-Identifier: BSD-3-Clause */
/* timings.c - rows of timings: their names, places and checks. */
#include "config.h"

#include "tuner/exchange/timings.h"

#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "db/byte_buffer.h"
#include "tuner/exchange/algorithm_names.h"

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *chorale_timings_text(struct chorale_timings *t, const char *text)
{
    char **found = tfind(text, &t->texts, compare_texts);
    char *copy;

    if (found != NULL)
        return *found;
    copy = strdup(text);
    if (copy == NULL || tsearch(copy, &t->texts, compare_texts) == NULL) {
        free(copy);
        return NULL;
    }
    return copy;
}

void chorale_timings_note(struct chorale_timings *t, const char *format, ...)
{
    char *text = t->note[t->nnote];
    va_list ap;

    if (t->nnote == CHORALE_TIMING_NOTES)
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof(t->note[0]), format, ap);
    va_end(ap);
    chorale_printable(text);
    for (size_t i = 0; i < t->nnote; i++)
        if (strcmp(t->note[i], text) == 0)
            return;
    t->nnote++;
}

const char *chorale_timings_dtype(const char *text)
{
    static const char *const known[][2] = {
        { "int32", "int" }, { "float32", "float" }, { "float64", "double" },
        { "char", "byte" }, { "int8", "byte" }, { "uint8", "byte" },
    };
    const char *of_mpi = chorale_foreign_dtype(text);

    if (of_mpi != NULL)
        return of_mpi;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i][0], text) == 0)
            return known[i][1];
    return chorale_dtype_find(text) >= 0
               ? chorale_dtype(chorale_dtype_find(text))->name
               : NULL;
}

enum chorale_err chorale_timings_name(struct chorale_timings *t,
                                      const char *path,
                                      const struct chorale_import_as *as,
                                      const char *name, const char *params,
                                      struct chorale_timing *row,
                                      struct chorale_errmsg *msg)
{
    struct chorale_algorithm_name found = { .provider = "library" };
    const int is_default =
        strcmp(name, as->deflt != NULL ? as->deflt : "library") == 0;
    const char *why = NULL;

    snprintf(found.variant, sizeof(found.variant), "default");
    if (!is_default)
        why = chorale_algorithm_of(chorale_family_of(row->mpi), row->coll,
                                   name, params, &found);
    if (why != NULL)
        return chorale_fail(msg, CHORALE_DATA, "%s:%d: algorithm '%.40s': %s; "
                            "shorten or rename it", path, row->line, name,
                            why);
    if (!is_default && as->provider != NULL)
        found.provider = as->provider;
    else if (found.guessed)
        chorale_timings_note(t, "the MPI library is unknown, so names that "
                             "MPICH, Open MPI or Intel MPI have are taken for "
                             "its own; --mpi or --provider states it");
    row->provider = chorale_timings_text(t, found.provider);
    row->variant = chorale_timings_text(t, found.variant);
    row->params = chorale_timings_text(t, found.params);
    return row->provider != NULL && row->variant != NULL && row->params != NULL
               ? CHORALE_OK
               : chorale_fail_memory(msg, path);
}

const char *chorale_timings_place(const struct chorale_import_as *as,
                                  long procs, long nodes, long ppn,
                                  struct chorale_timing *row)
{
    if (procs == 0)
        procs = as->procs;
    if (ppn == 0)
        ppn = as->ppn;
    if (procs == 0 && nodes > 0 && ppn > 0)
        procs = nodes * ppn;
    if (procs == 0 || procs > 1 << 24)
        return "number of ranks (column P)";
    if (ppn == 0 && nodes > 0)
        ppn = (procs + nodes - 1) / nodes;
    if (ppn == 0)
        return "number of ranks per node (column ppn or nodes)";
    row->comm_size = (int)procs;
    row->ppn = (int)(ppn < procs ? ppn : procs);
    row->irregular = nodes > 0 && nodes * ppn != procs;
    return NULL;
}

enum chorale_err chorale_timings_append(struct chorale_timings *t,
                                        const char *path,
                                        const struct chorale_timing *row,
                                        struct chorale_errmsg *msg)
{
    void *more;

    if (t->nrow >= CHORALE_TIMINGS_MAX)
        return chorale_fail(msg, CHORALE_DATA, "%s:%d: more than %d rows; "
                            "split the file, for instance by collective, and "
                            "import the parts", path, row->line,
                            (int)CHORALE_TIMINGS_MAX);
    if (row->msg_size > (1LL << 62) / row->comm_size)
        return chorale_fail(msg, CHORALE_DATA, "%s:%d: %lld bytes of %d ranks "
                            "are more than any buffer has; correct or remove "
                            "the line", path, row->line, row->msg_size,
                            row->comm_size);
    more = chorale_array_grow(t->row, t->nrow, sizeof(*row));
    if (more == NULL)
        return chorale_fail_memory(msg, path);
    t->row = more;
    t->row[t->nrow++] = *row;
    return CHORALE_OK;
}

static int compare_numbers(long long a, long long b)
{
    return (a > b) - (a < b);
}

int chorale_timings_compare(const struct chorale_timing *a,
                            const struct chorale_timing *b)
{
    const char *const text[][2] = {
        { a->dtype, b->dtype }, { a->op, b->op },
        { a->provider, b->provider }, { a->variant, b->variant },
        { a->params, b->params }, { a->root, b->root },
        { a->buffers, b->buffers }, { a->metric, b->metric },
    };
    int d = a->system == b->system ? 0 : strcmp(a->system, b->system);

    d = d != 0 || a->mpi == b->mpi ? d : strcmp(a->mpi, b->mpi);
    d = d != 0 ? d : compare_numbers(a->coll, b->coll);
    d = d != 0 ? d : compare_numbers(a->comm_size, b->comm_size);
    d = d != 0 ? d : compare_numbers(a->ppn, b->ppn);
    d = d != 0 ? d : compare_numbers(a->irregular, b->irregular);
    d = d != 0 ? d : compare_numbers(a->msg_size, b->msg_size);
    for (size_t i = 0; d == 0 && i < sizeof(text) / sizeof(text[0]); i++)
        if (text[i][0] != text[i][1])
            d = strcmp(text[i][0], text[i][1]);
    return d;
}

static int compare_rows(const void *x, const void *y)
{
    const struct chorale_timing *a = x, *b = y;
    int d = chorale_timings_compare(a, b);

    d = d != 0 || a->rep == b->rep ? d : strcmp(a->rep, b->rep);
    return d != 0 ? d : compare_numbers(a->line, b->line);
}

/* Refuse two times of one algorithm, point and launch. */
static enum chorale_err check_repeats(const struct chorale_timings *t,
                                      const char *path,
                                      struct chorale_errmsg *msg)
{
    const struct chorale_timing *bad = NULL;

    for (size_t i = 1; i < t->nrow; i++) {
        const struct chorale_timing *row = &t->row[i];

        if (row->rep == row[-1].rep &&
            chorale_timings_compare(row, &row[-1]) == 0 &&
            (bad == NULL || row->line < bad->line))
            bad = row;
    }
    if (bad == NULL)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_DATA, "%s:%d: repeats line %d (%s %s of "
                        "%lld bytes, P = %d, launch %.20s); remove one, or "
                        "number the launches in a column rep", path,
                        bad->line, bad[-1].line,
                        chorale_coll_info(bad->coll)->name, bad->variant,
                        bad->msg_size, bad->comm_size, bad->rep);
}

/* Note what is odd about all rows. */
static void note_rows(struct chorale_timings *t)
{
    size_t odd = 0;
    const struct chorale_timing *first = NULL;

    for (size_t i = 0; i < t->nrow; i++) {
        const struct chorale_timing *row = &t->row[i];

        odd += row->irregular != 0;
        if (row->irregular && (first == NULL || row->line < first->line))
            first = row;
        t->nmeans += t->statistic == CHORALE_STATISTIC_MEAN &&
                     chorale_coll_info(row->coll)->rooted;
    }
    if (first != NULL)
        chorale_timings_note(t, "%zu row%s P other than nodes x ppn (the first "
                             "in line %d, P = %d): stored as shape irregular",
                             odd, odd == 1 ? " has" : "s have", first->line,
                             first->comm_size);
    if (t->nmeans > 0)
        chorale_timings_note(t, "%zu row%s of rooted collectives: the mean "
                             "over the ranks is not a duration, and decides "
                             "only with decide --accept-mean", t->nmeans,
                             t->nmeans == 1 ? "" : "s");
}

enum chorale_err chorale_timings_finish(struct chorale_timings *t,
                                        const char *path,
                                        struct chorale_errmsg *msg)
{
    enum chorale_err err;

    if (t->nrow == 0)
        return chorale_fail(msg, CHORALE_DATA, "%s: no row below the heading; "
                            "name a file with timings", path);
    qsort(t->row, t->nrow, sizeof(*t->row), compare_rows);
    err = check_repeats(t, path, msg);
    if (err == CHORALE_OK)
        note_rows(t);
    return err;
}

void chorale_timings_release(struct chorale_timings *t)
{
    while (t->texts != NULL) {
        char *text = *(char **)t->texts;

        tdelete(text, &t->texts, compare_texts);
        free(text);
    }
    free(t->row);
    free(t->calls);
    t->row = NULL;
    t->calls = NULL;
    t->nrow = t->ncalls = 0;
}
