/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_read.c - parse a trace of collective calls. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/exchange/trace_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/read_file.h"

enum { MAX_LINE = 1024, MAX_POINTS = 1 << 19, COLUMNS = 16, COLUMNS_1 = 12,
       MAX_FILE = 1 << 28 };

struct reader {
    const char *path;
    char *text;              /* the whole file, split into lines */
    char *next;
    int line;
    int ncolumn;             /* words of a row in that version */
    struct chorale_trace_text *trace;
    struct chorale_errmsg *msg;
};

static enum chorale_err bad(const struct reader *r, const char *what)
{
    return chorale_fail(r->msg, CHORALE_DATA, "%s:%d: %s; trace the program "
                        "again, or restore a copy", r->path, r->line, what);
}

static enum chorale_err no_format(const struct reader *r)
{
    return chorale_fail(r->msg, CHORALE_DATA, "%s:1: no format that can be "
                        "imported; name a trace, a table of OSU or IMB, or "
                        "timings with column names", r->path);
}

static enum chorale_err load(struct reader *r)
{
    size_t size;
    enum chorale_err err = chorale_file_text(r->path, MAX_FILE, &r->text,
                                             &size, r->msg);

    r->line = 1;
    if (err == CHORALE_OK && strlen(r->text) != size)
        err = no_format(r);
    return err;
}

/* The next line without its end; NULL: the rest is not a whole line. */
static char *next_line(struct reader *r)
{
    char *line = r->next, *end = strchr(line, '\n');

    r->line++;
    if (end == NULL)
        return NULL;
    *end = '\0';
    r->next = end + 1;
    for (const char *c = line; c < end; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || end - line > MAX_LINE)
            return NULL;
    return line;
}

/* The rest of a line that begins with key and a space, else NULL. */
static char *after(char *line, const char *key)
{
    size_t len = strlen(key);

    return line != NULL && strncmp(line, key, len) == 0 && line[len] == ' '
               ? line + len + 1 : NULL;
}

static int read_int(const char *text, long long min, long long max,
                    long long *value)
{
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0'
        && *value >= min && *value <= max;
}

static int read_real(const char *text, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0'
        && isfinite(*value) && strpbrk(text, "xX") == NULL;
}

/* Split a line at single spaces; returns the number of words, at most max +
 * 1. */
static int split(char *line, char **word, int max)
{
    int n = 0;

    while (line != NULL && n <= max) {
        char *end = strchr(line, ' ');

        if (n < max)
            word[n] = line;
        n++;
        if (end != NULL)
            *end++ = '\0';
        line = end;
    }
    return n;
}

static int two_reals(char *text, double *a, double *b)
{
    char *word[2];

    return text != NULL && split(text, word, 2) == 2
        && read_real(word[0], a) && read_real(word[1], b);
}

static enum chorale_err read_part(struct reader *r, char **line)
{
    struct chorale_trace_text *t = r->trace;
    char *part = after(*line, "part"), *why;
    long long rank;

    t->part_rank = -1;
    if (part == NULL)
        return CHORALE_OK;
    why = strchr(part, ' ');
    if (why != NULL)
        *why++ = '\0';
    if (why == NULL || !read_int(part, 0, t->comm_size - 1, &rank))
        return bad(r, "not a rank and a reason, as in 'part 0 MPI_Abort'");
    t->part_rank = (int)rank;
    snprintf(t->part, sizeof(t->part), "%s", why);
    *line = next_line(r);
    return CHORALE_OK;
}

/* Read the optional lines `launched` and `oversubscribed`. */
static enum chorale_err read_launch(struct reader *r, char **line)
{
    struct chorale_trace_text *t = r->trace;
    long long ranks, processors;
    char *rest = after(*line, "launched"), *word[2];

    t->launched = t->comm_size;
    if (rest != NULL) {
        if (!read_int(rest, 1, 1 << 24, &ranks))
            return bad(r, "not 'launched' with a number of processes");
        t->launched = (int)ranks;
        *line = next_line(r);
    }
    rest = after(*line, "oversubscribed");
    if (rest == NULL)
        return CHORALE_OK;
    if (split(rest, word, 2) != 2 || !read_int(word[0], 1, 1 << 24, &ranks)
        || !read_int(word[1], 0, 1 << 24, &processors))
        return bad(r, "not 'oversubscribed' with ranks and processors");
    t->node_ranks = (int)ranks;
    t->processors = (int)processors;
    *line = next_line(r);
    return CHORALE_OK;
}

static enum chorale_err read_sums(struct reader *r)
{
    struct chorale_trace_text *t = r->trace;
    char *line = next_line(r), *word[2], *rest;
    enum chorale_err err = read_launch(r, &line);

    if (err == CHORALE_OK)
        err = read_part(r, &line);
    if (err != CHORALE_OK)
        return err;
    if (!two_reals(after(line, "wall_seconds"), &t->wall_mean, &t->wall_max)
        || t->wall_mean > t->wall_max * (1 + 1e-6))
        return bad(r, "not 'wall_seconds' with a mean and a maximum");
    line = next_line(r);
    rest = after(line, "unlisted");
    if (rest == NULL || split(rest, word, 2) != 2
        || !read_int(word[0], 0, INT64_MAX, &t->unlisted)
        || !read_real(word[1], &t->unlisted_seconds))
        return bad(r, "not 'unlisted' with a number and a time");
    line = next_line(r);
    return line != NULL &&
                   strcmp(line, r->ncolumn == COLUMNS
                                    ? CHORALE_TRACE_COLUMNS
                                    : CHORALE_TRACE_COLUMNS_1) == 0
               ? CHORALE_OK : bad(r, "not the columns that its version has");
}

static enum chorale_err read_heading(struct reader *r)
{
    struct chorale_trace_text *t = r->trace;
    const struct {
        const char *key;
        char *text;
        size_t size;
    } row[] = { { "mpi", t->mpi_library, sizeof(t->mpi_library) },
                { "program", t->program, sizeof(t->program) },
                { "started", t->started, sizeof(t->started) } };
    long long version, size, ranks;
    char *line, *rest;

    r->line = 0;
    rest = after(next_line(r), "chorale-trace");
    if (rest == NULL || !read_int(rest, 1, 1000000, &version))
        return no_format(r);
    r->ncolumn = version == 1 ? COLUMNS_1 : COLUMNS;
    if (version > CHORALE_TRACE_VERSION)
        return chorale_fail(r->msg, CHORALE_DATA, "%s:1: a trace of version "
                            "%lld, this chorale reads up to %d; use the "
                            "chorale that the program was traced with",
                            r->path, version, CHORALE_TRACE_VERSION);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        rest = after(next_line(r), row[i].key);
        if (rest == NULL || strlen(rest) >= row[i].size) {
            char what[64];

            snprintf(what, sizeof(what), "not a line '%s ...'", row[i].key);
            return bad(r, what);
        }
        strcpy(row[i].text, rest);
    }
    line = after(next_line(r), "comm_size");
    if (line == NULL || !read_int(line, 1, 1 << 24, &size))
        return bad(r, "not 'comm_size' with a number from 1 on");
    line = after(next_line(r), "ranks");
    if (line == NULL || !read_int(line, 1, size, &ranks))
        return bad(r, "not 'ranks' with a number from 1 to comm_size");
    t->comm_size = (int)size;
    t->ranks = (int)ranks;
    return read_sums(r);
}

static const char *find_word(const char *const *list, size_t n,
                             const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], word) == 0)
            return list[i];
    return NULL;
}

#define FIND(list, word) find_word(list, sizeof(list) / sizeof(*(list)), word)

static int ran_ok(const char *text)
{
    return text[0] != '\0' && strlen(text) < CHORALE_TRACE_RAN
        && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_:=,.+-*/") == strlen(text);
}

/* Parse the words of a row that describe the call; NULL or an error. */
static const char *read_call(char **word, struct chorale_traced *p)
{
    static const char *const shape[] = { CHORALE_TRACE_SHAPES };
    static const char *const type[] = { CHORALE_TRACE_TYPES };
    static const char *const op[] = { CHORALE_TRACE_OPS };
    static const char *const root[] = { CHORALE_TRACE_ROOTS };
    const struct chorale_coll_info *info;
    int coll = chorale_coll_find(word[0]);
    long long size;

    if (coll < 0)
        return "no such collective";
    p->coll = (enum chorale_coll)coll;
    info = chorale_coll_info(p->coll);
    p->shape = FIND(shape, word[3]);
    p->dtype = FIND(type, word[4]);
    p->op = FIND(op, word[5]);
    p->root = FIND(root, word[6]);
    if (!read_int(word[1], 0, INT64_MAX, &p->n)
        || (info->dataless && p->n != 0))
        return "n is not a number of bytes";
    if (!read_int(word[2], 1, 1 << 24, &size))
        return "comm_size is not a number of ranks";
    if (p->shape == NULL || p->dtype == NULL)
        return "no such shape or type";
    if (p->op == NULL || info->reduces != (strcmp(p->op, "-") != 0))
        return "no such operation here";
    if (p->root == NULL || info->rooted != (strcmp(p->root, "-") != 0))
        return "no such root here";
    if (!ran_ok(word[7]))
        return "what ran is not a variant's name";
    strcpy(p->ran, word[7]);
    p->comm_size = (int)size;
    p->op = info->reduces ? p->op : "";
    p->root = info->rooted ? p->root : "none";
    p->msg_size = info->blocks ? (p->n + size / 2) / size : p->n;
    if (info->blocks && !info->irregular && p->n % size != 0)
        return "n is not a multiple of comm_size";
    return NULL;
}

/* A number with an optional minus sign. */
static int read_signed(const char *text, double *value)
{
    const int minus = text[0] == '-';
    const int ok = read_real(text + minus, value);

    *value = minus ? -*value : *value;
    return ok;
}

/* Parse the columns skew, late, trend and latest. Returns 0 if they are
 * invalid. */
static int read_late(char **word, struct chorale_traced *p)
{
    long long latest;

    p->skew = p->late = p->trend = NAN;
    p->latest = -1;
    if (word[0] == NULL || strcmp(word[0], "-") == 0)
        return word[0] == NULL ||
               (strcmp(word[1], "-") == 0 && strcmp(word[2], "-") == 0 &&
                strcmp(word[3], "-") == 0);
    if (!read_real(word[0], &p->skew) || !read_real(word[1], &p->late) ||
        p->late > 1 || !read_signed(word[2], &p->trend) ||
        !read_int(word[3], 0, p->comm_size - 1, &latest))
        return 0;
    p->latest = (int)latest;
    return 1;
}

static enum chorale_err read_row(struct reader *r, char *line,
                                 struct chorale_traced *p)
{
    char *word[COLUMNS] = { NULL };
    const char *why;

    if (split(line, word, r->ncolumn) != r->ncolumn)
        return bad(r, r->ncolumn == COLUMNS ? "a row has 16 words"
                                            : "a row has 12 words");
    why = read_call(word, p);
    if (why != NULL)
        return bad(r, why);
    if (!read_int(word[8], 1, INT64_MAX, &p->rank_calls)
        || !read_real(word[9], &p->calls) || !(p->calls > 0))
        return bad(r, "not a number of calls");
    if (!read_real(word[10], &p->seconds)
        || !read_real(word[11], &p->max_seconds)
        || p->max_seconds > p->seconds * (1 + 1e-6))
        return bad(r, "not a sum of seconds and the largest of its parts");
    if (!read_late(word + COLUMNS_1, p))
        return bad(r, "not a skew in seconds, its share, trend and last rank");
    return CHORALE_OK;
}

static enum chorale_err append(struct reader *r, struct chorale_traced *p)
{
    struct chorale_trace_text *t = r->trace;
    size_t n = t->npoint;
    void *more;

    if (n >= MAX_POINTS)
        return bad(r, "more rows than a trace has");
    more = chorale_array_grow(t->point, n, sizeof(*p));
    if (more == NULL)
        return chorale_fail_memory(r->msg, r->path);
    t->point = more;
    t->point[t->npoint++] = *p;
    return CHORALE_OK;
}

static enum chorale_err read_rows(struct reader *r)
{
    enum chorale_err err = CHORALE_OK;
    struct chorale_traced p;
    long long count;

    for (;;) {
        char *line = next_line(r), *end = after(line, "end");

        if (line == NULL)
            return bad(r, "not a whole line: the file is cut off");
        if (end != NULL && (!read_int(end, 0, MAX_POINTS, &count)
                            || (size_t)count != r->trace->npoint))
            return bad(r, "rows are missing, or too many");
        if (end != NULL)
            break;
        memset(&p, 0, sizeof(p));
        p.line = r->line;
        err = read_row(r, line, &p);
        if (err == CHORALE_OK)
            err = append(r, &p);
        if (err != CHORALE_OK)
            return err;
    }
    r->line++;
    return *r->next == '\0' ? CHORALE_OK : bad(r, "goes on after its end");
}

static int by_key(const void *a, const void *b)
{
    const struct chorale_traced *x = *(struct chorale_traced *const *)a;
    const struct chorale_traced *y = *(struct chorale_traced *const *)b;
    const char *mine[] = { x->shape, x->dtype, x->op, x->root, x->ran };
    const char *other[] = { y->shape, y->dtype, y->op, y->root, y->ran };
    int order = 0;

    if (x->coll != y->coll)
        return x->coll < y->coll ? -1 : 1;
    if (x->comm_size != y->comm_size)
        return x->comm_size < y->comm_size ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (int i = 0; i < 5 && order == 0; i++)
        order = strcmp(mine[i], other[i]);
    return order;
}

/* Refuse duplicate rows, which the shim never writes. */
static enum chorale_err check_twice(struct reader *r)
{
    const size_t n = r->trace->npoint;
    struct chorale_traced **row = calloc(n + 1, sizeof(*row));
    enum chorale_err err = CHORALE_OK;

    if (row == NULL)
        return chorale_fail_memory(r->msg, r->path);
    for (size_t i = 0; i < n; i++)
        row[i] = &r->trace->point[i];
    qsort(row, n, sizeof(struct chorale_traced *), by_key);
    for (size_t i = 1; i < n && err == CHORALE_OK; i++)
        if (by_key(&row[i - 1], &row[i]) == 0) {
            r->line = row[i]->line > row[i - 1]->line ? row[i]->line
                                                      : row[i - 1]->line;
            err = bad(r, "this row was there before");
        }
    free(row);
    return err;
}

enum chorale_err chorale_trace_read(const char *path,
                                    struct chorale_trace_text *trace,
                                    struct chorale_errmsg *msg)
{
    struct reader r = { .path = path, .trace = trace, .msg = msg };
    enum chorale_err err;

    memset(trace, 0, sizeof(*trace));
    err = load(&r);
    if (err == CHORALE_OK) {
        chorale_uuid_of(r.text, trace->uuid);
        r.next = r.text;
        err = read_heading(&r);
    }
    if (err == CHORALE_OK)
        err = read_rows(&r);
    if (err == CHORALE_OK)
        err = check_twice(&r);
    free(r.text);
    return err;
}

void chorale_trace_release(struct chorale_trace_text *trace)
{
    free(trace->point);
    trace->point = NULL;
    trace->npoint = 0;
}
