/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_row.c - the columns of a table of another benchmark, and its rows. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/byte_buffer.h"
#include "tuner/exchange/foreign.h"

enum { MAX_ROWS = 1 << 14 };

/* Check that a heading has the required columns. */
static enum chorale_err check_columns(struct chorale_foreign_reader *r)
{
    int count[FOREIGN_DEFECTS + 1] = { 0 };

    for (int i = 0; i < r->ncolumn; i++)
        if (count[r->column[i]]++ > 0 && r->column[i] < FOREIGN_REAL)
            return chorale_foreign_bad(r, "a column occurs twice");
    if (count[FOREIGN_AVG] == 0)
        return chorale_foreign_bad(r, "no column of mean times");
    if (count[FOREIGN_SIZE] != (r->at.coll != CHORALE_BARRIER))
        return chorale_foreign_bad(r, count[FOREIGN_SIZE] > 0
                                          ? "a barrier has no sizes"
                                          : "no column of sizes");
    return CHORALE_OK;
}

/* Length of the column name at text if it matches name, where % matches digits;
 * 0: no match. */
static size_t is_column(const char *text, const char *name)
{
    const char *at = text;

    for (; *name != '\0'; name++) {
        size_t digits = strspn(at, "0123456789");

        if (*name == '%' && digits > 0)
            at += digits;
        else if (*name == '%' || *at++ != *name)
            return 0;
    }
    return *at == '\0' || *at == ' ' || *at == '\t' ? (size_t)(at - text) : 0;
}

enum chorale_err
chorale_foreign_columns(struct chorale_foreign_reader *r, const char *text,
                        const struct chorale_foreign_name *names)
{
    r->ncolumn = 0;
    for (;;) {
        const struct chorale_foreign_name *name = names;
        size_t n = 0;

        text += strspn(text, " \t");
        if (*text == '\0')
            return check_columns(r);
        for (; name->text != NULL; name++) {
            n = is_column(text, name->text);
            if (n > 0)
                break;
        }
        if (name->text == NULL)
            return chorale_foreign_bad(r, "column '%.40s' is unknown",
                                       text);
        if (r->ncolumn == FOREIGN_COLUMNS)
            return chorale_foreign_bad(r, "too many columns");
        r->column[r->ncolumn++] = name->column;
        text += n;
    }
}

static int whole(const char *word, long long *value)
{
    char *end;

    errno = 0;
    *value = strtoll(word, &end, 10);
    return errno == 0 && isdigit((unsigned char)word[0]) && *end == '\0';
}

/* Parse microseconds as printed: digits and a point. */
static int micros(const char *word, double *seconds)
{
    char *end;
    double us;

    errno = 0;
    us = strtod(word, &end);
    *seconds = us * 1e-6;
    return errno == 0 && strspn(word, "0123456789.") == strlen(word) &&
           isdigit((unsigned char)word[0]) && *end == '\0' && isfinite(us);
}

/* Parse the ranks of a row, which must equal those of the heading, if given. */
static enum chorale_err read_procs(struct chorale_foreign_reader *r,
                                   const char *word,
                                   struct chorale_foreign_row *row)
{
    long long n;

    if (!whole(word, &n) || n < 1 || n > 1 << 24)
        return chorale_foreign_bad(r, "'%.30s' is not a number of processes",
                                   word);
    if (row->comm_size > 0 && row->comm_size != n)
        return chorale_foreign_bad(r, "%lld processes in a table of %d", n,
                                   row->comm_size);
    row->comm_size = (int)n;
    return CHORALE_OK;
}

static enum chorale_err read_cell(struct chorale_foreign_reader *r,
                                  enum chorale_foreign_column column,
                                  const char *word,
                                  struct chorale_foreign_row *row)
{
    double *const time[] = { [FOREIGN_AVG] = &row->avg,
                             [FOREIGN_MIN] = &row->min,
                             [FOREIGN_MAX] = &row->max,
                             [FOREIGN_P50] = &row->p50,
                             [FOREIGN_P99] = &row->p99 };
    double real;

    switch (column) {
    case FOREIGN_SIZE:
        return whole(word, &row->msg_size) && row->msg_size <= 1LL << 40
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "'%.30s' is not a number of bytes",
                                         word);
    case FOREIGN_NREP:
        return whole(word, &row->nrep) && row->nrep >= 1 &&
                       row->nrep <= 1LL << 40
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "'%.30s' is not a number of "
                                         "repetitions", word);
    case FOREIGN_NAME:
        return strcmp(word, r->title) == 0
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "a row of '%.30s' in a table of "
                                         "%s", word, r->title);
    case FOREIGN_PROCS:
        return read_procs(r, word, row);
    case FOREIGN_GROUP:
    case FOREIGN_WORD:
        return strcmp(word, "Fail") != 0
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "the benchmark found wrong data");
    case FOREIGN_REAL:
    case FOREIGN_DEFECTS:
        if (!micros(word, &real))
            return chorale_foreign_bad(r, "'%.30s' is not a number", word);
        return column == FOREIGN_REAL || real <= 0
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "the benchmark found wrong data");
    default:
        return micros(word, time[column])
                   ? CHORALE_OK
                   : chorale_foreign_bad(r, "'%.30s' is not a time in us",
                                         word);
    }
}

int chorale_foreign_has(const struct chorale_foreign_reader *r,
                        enum chorale_foreign_column column)
{
    for (int i = 0; i < r->ncolumn; i++)
        if (r->column[i] == column)
            return 1;
    return 0;
}

/* Whether a word is IMB's mark for a size that was not measured. */
static int not_measured(const struct chorale_foreign_reader *r, int n,
                        const char *word)
{
    if (n == 0 || r->column[n - 1] != FOREIGN_SIZE)
        return 0;
    return strncmp(word, "out-of-mem.", 11) == 0 ||
           strncmp(word, "int-overflow.", 13) == 0 ||
           strncmp(word, "time-out.", 9) == 0;
}

static int is_whole(const struct chorale_foreign_row *row)
{
    const size_t size = strcmp(row->dtype, "byte") == 0 ? 1
                        : strcmp(row->dtype, "double") == 0 ? 8 : 4;

    return (size_t)row->msg_size % size == 0;
}

static enum chorale_err check_row(const struct chorale_foreign_reader *r,
                                  const struct chorale_foreign_row *row)
{
    if (isfinite(row->min) && row->min > row->avg + 1e-8)
        return chorale_foreign_bad(r, "the fastest rank is slower than the "
                                   "mean");
    if (isfinite(row->max) && row->max < row->avg - 1e-8)
        return chorale_foreign_bad(r, "the slowest rank is faster than the "
                                   "mean");
    if (!is_whole(row))
        return chorale_foreign_bad(r, "%lld bytes are not a whole number of %s",
                                   row->msg_size, row->dtype);
    if (row->comm_size > 0 && row->msg_size > (1LL << 62) / row->comm_size)
        return chorale_foreign_bad(r, "more bytes than any buffer has");
    return CHORALE_OK;
}

int chorale_foreign_same_point(const struct chorale_foreign_row *a,
                               const struct chorale_foreign_row *b)
{
    return a->coll == b->coll && a->msg_size == b->msg_size &&
           a->comm_size == b->comm_size && strcmp(a->dtype, b->dtype) == 0 &&
           strcmp(a->root, b->root) == 0 &&
           strcmp(a->buffers, b->buffers) == 0 &&
           strcmp(a->metric, b->metric) == 0;
}

static enum chorale_err append(struct chorale_foreign_reader *r,
                               struct chorale_foreign_row *row)
{
    struct chorale_foreign *f = r->f;
    size_t n = f->nrow;
    void *more;

    if (n >= MAX_ROWS)
        return chorale_foreign_bad(r, "more than %d rows", (int)MAX_ROWS);
    for (size_t i = n; i-- > 0;)
        if (chorale_foreign_same_point(&f->row[i], row)) {
            row->pass = f->row[i].pass + 1;
            break;
        }
    more = chorale_array_grow(f->row, n, sizeof(*row));
    if (more == NULL)
        return chorale_fail_memory(r->msg, r->path);
    f->row = more;
    f->row[f->nrow++] = *row;
    if (row->pass >= f->npass)
        f->npass = row->pass + 1;
    return CHORALE_OK;
}

/* Whether this row is skipped; adds a note with the reason. */
static int left_out(const struct chorale_foreign_reader *r,
                    const struct chorale_foreign_row *row)
{
    const char *name = chorale_coll_info(row->coll)->name;

    if (!(row->avg > 0)) {
        chorale_foreign_note(r->f, "%s of %lld bytes: time below the "
                             "printed resolution", name, row->msg_size);
        return 1;
    }
    /* In this case IMB sends fewer bytes than it prints. */
    if (strcmp(r->f->kind, "IMB") == 0 && !is_whole(row)) {
        chorale_foreign_note(r->f, "%s of %lld bytes: not a whole number of %s",
                             name, row->msg_size, row->dtype);
        return 1;
    }
    return 0;
}

enum chorale_err chorale_foreign_row(struct chorale_foreign_reader *r,
                                     char *line)
{
    struct chorale_foreign_row row = r->at;
    char *word, *rest = line;
    int n = 0;
    enum chorale_err err = CHORALE_OK;

    row.avg = row.min = row.max = row.p50 = row.p99 = NAN;
    row.line = r->line;
    if (strcmp(r->f->kind, "IMB") == 0 && row.comm_size == 0 &&
        !chorale_foreign_has(r, FOREIGN_PROCS))
        return chorale_foreign_bad(r, "no '# #processes' above this table");
    for (; (word = strtok_r(rest, " \t", &rest)) != NULL; n++) {
        if (not_measured(r, n, word)) {
            chorale_foreign_note(r->f, "%s of %lld bytes: %.*s",
                                 chorale_coll_info(row.coll)->name,
                                 row.msg_size, (int)strcspn(word, "."), word);
            return CHORALE_OK;
        }
        if (n == r->ncolumn)
            return chorale_foreign_bad(r, "%d columns, and '%.30s' after them",
                                       r->ncolumn, word);
        err = read_cell(r, r->column[n], word, &row);
        if (err != CHORALE_OK)
            return err;
    }
    if (n < r->ncolumn)
        return chorale_foreign_bad(r, "%d of %d columns", n, r->ncolumn);
    if (left_out(r, &row))
        return CHORALE_OK;
    err = check_row(r, &row);
    return err == CHORALE_OK ? append(r, &row) : err;
}
