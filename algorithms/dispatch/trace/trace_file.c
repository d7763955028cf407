/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_file.c - writes a trace file. */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/dispatch/trace/trace_file.h"

char *chorale_trace_path(const char *text, const char *suffix,
                         const char *more, const char **why)
{
    char *here = text[0] != '/' ? getcwd(NULL, 0) : strdup("");
    size_t room = strlen(text) + strlen(suffix) + strlen(more) + 2;
    char *path = NULL;

    if (here != NULL)
        path = malloc(strlen(here) + room);
    if (path != NULL)
        sprintf(path, "%s%s%s%s%s", here, text[0] != '/' ? "/" : "", text,
                suffix, more);
    else
        *why = strerror(errno);
    free(here);
    return path;
}

char *chorale_trace_part_path(const char *path, int rank)
{
    char *part = malloc(strlen(path) + 20);

    if (part != NULL)
        sprintf(part, "%s.rank%d", path, rank);
    return part;
}

/* Make a new file beside path. Returns its descriptor, or -1 with errno set.
 * The caller frees *name. */
static int make_beside(const char *path, char **name)
{
    *name = malloc(strlen(path) + 8);
    if (*name == NULL)
        return -1;
    sprintf(*name, "%s.XXXXXX", path);
    return mkstemp(*name);
}

const char *chorale_trace_try(const char *path)
{
    const char *why = NULL;
    struct stat st;
    char *name;
    int fd;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return "it exists and is not a regular file";
    fd = make_beside(path, &name);
    if (fd < 0) {
        why = strerror(errno);
    } else {
        close(fd);
        unlink(name);
    }
    free(name);
    return why;
}

/* Length of text up to its first control character, without trailing spaces. */
static int line_length(const char *text)
{
    int n = 0, end = 0;

    while ((unsigned char)text[n] >= ' ' && text[n] != 127 && n < 200)
        if (text[n++] != ' ')
            end = n;
    return end;
}

static void write_head(FILE *out, const struct chorale_trace_head *head,
                       const struct chorale_trace_rows *rows)
{
    char started[32] = "unknown";
    struct tm tm;

    if (gmtime_r(&head->started, &tm) != NULL)
        strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &tm);
    fprintf(out, "chorale-trace %d\nmpi %.*s\nprogram %.*s\nstarted %s\n",
            CHORALE_TRACE_VERSION, line_length(head->mpi_library),
            head->mpi_library, line_length(program_invocation_short_name),
            program_invocation_short_name, started);
    fprintf(out, "comm_size %d\nranks %d\n", head->comm_size, head->ranks);
    if (head->launched != head->comm_size)
        fprintf(out, "launched %ld\n", head->launched);
    if (head->node_ranks > head->processors)
        fprintf(out, "oversubscribed %d %d\n", head->node_ranks,
                head->processors);
    if (head->part != NULL)
        fprintf(out, "part %d %s\n", head->part_rank, head->part);
    fprintf(out, "wall_seconds %.9g %.9g\nunlisted %llu %.9g\n",
            head->wall_mean, head->wall_max,
            (unsigned long long)rows->unlisted, rows->unlisted_seconds);
    fputs(CHORALE_TRACE_COLUMNS "\n", out);
}

static void write_row(FILE *out, const struct chorale_trace_head *head,
                      const struct chorale_trace_row *row)
{
    const double per_call = (double)row->comm_size * head->ranks
                            / (double)head->comm_size;
    struct chorale_trace_arrival arrival;
    uint64_t n = row->n;

    if (chorale_trace_blind((enum chorale_coll)row->coll))
        n = (uint64_t)((double)row->bytes * row->comm_size
                       / (double)row->rank_calls + 0.5);
    fprintf(out, "%s %llu %d %s %s %s %s %s %llu %.9g %.9g %.9g",
            chorale_coll_info((enum chorale_coll)row->coll)->name,
            (unsigned long long)n, row->comm_size,
            chorale_trace_shape[row->shape], chorale_trace_type[row->type],
            chorale_trace_op[row->op], chorale_trace_root[row->root],
            row->ran, (unsigned long long)row->rank_calls,
            (double)row->rank_calls / per_call, row->seconds,
            row->max_seconds);
    if (head->part == NULL && head->ranks == head->comm_size &&
        chorale_trace_arrival_of(row, head->ranks, &arrival))
        fprintf(out, " %.6g %.6g %.6g %d\n", arrival.skew, arrival.late,
                arrival.trend, arrival.latest);
    else
        fputs(" - - - -\n", out);
}

static int by_time(const void *a, const void *b)
{
    const struct chorale_trace_row *x = a, *y = b;

    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* Write with decimal points in any locale of the application. */
static void write_text(FILE *out, const struct chorale_trace_head *head,
                       const struct chorale_trace_rows *rows)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;

    if (rows->n > 0) /* longest time first */
        qsort(rows->row, rows->n, sizeof(*rows->row), by_time);
    write_head(out, head, rows);
    for (size_t i = 0; i < rows->n; i++)
        write_row(out, head, &rows->row[i]);
    fprintf(out, "end %zu\n", rows->n);
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
}

const char *chorale_trace_write(const char *path,
                                const struct chorale_trace_head *head,
                                const struct chorale_trace_rows *rows)
{
    const char *why = NULL;
    char *name = NULL;
    int fd = make_beside(path, &name);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    int bad;

    if (out == NULL) {
        why = strerror(errno);
        if (fd >= 0) {
            close(fd);
            unlink(name);
        }
        free(name);
        return why;
    }
    write_text(out, head, rows);
    errno = 0;
    bad = ferror(out) != 0;
    bad |= fflush(out) != 0 || fsync(fd) != 0;
    bad |= fclose(out) != 0;
    if (bad || rename(name, path) != 0) {
        why = errno != 0 ? strerror(errno) : "write error";
        unlink(name);
    }
    free(name);
    return why;
}
