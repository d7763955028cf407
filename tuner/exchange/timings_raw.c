/* SPDX-License-Identifier: BSD-3-Clause */
/* timings_raw.c - timings in the files of two public tuning tools.
 *
 * Source  ompi-collectives-tuning (Open MPI), whose scripts name the output of
 *         each run of OSU; PICO, which writes the slowest rank's nanoseconds of
 *         each call, the first column if there are more. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dtypes.h"
#include "db/byte_buffer.h"
#include "db/remarks.h"
#include "tuner/base/ompi_names.h"
#include "tuner/base/output.h"
#include "tuner/base/read_file.h"
#include "tuner/exchange/algorithm_names.h"
#include "tuner/exchange/timings.h"

enum { MAX_PICO = 1 << 26 };

/* Parse digits; -1: none, or too many. */
static long digits(const char **at)
{
    const size_t n = strspn(*at, "0123456789");
    long value = n > 0 && n < 10 ? strtol(*at, NULL, 10) : -1;

    *at += n;
    return value;
}

/* --- tables of a forced algorithm ------------------------------------- */

/* What COLLECTIVE_NUMBER_PROCSranks_runRUN.out states. */
struct run_name {
    enum chorale_coll coll;
    long number, procs;
    char rep[16];
};

/* Returns 1 if the file has such a name. */
static int parse_run(const char *path, struct run_name *run)
{
    const char *base = chorale_output_base(path), *at;

    for (int c = 0; c < CHORALE_NCOLL; c++) {
        const char *name = chorale_coll_info((enum chorale_coll)c)->name;
        const size_t n = strlen(name);

        if (strncmp(base, name, n) != 0 || base[n] != '_' ||
            !isdigit((unsigned char)base[n + 1]))
            continue;
        at = base + n + 1;
        run->coll = (enum chorale_coll)c;
        run->number = digits(&at);
        if (*at++ != '_')
            return 0;
        run->procs = digits(&at);
        if (strncmp(at, "ranks_run", 9) != 0)
            return 0;
        at += 9;
        snprintf(run->rep, sizeof(run->rep), "%ld", digits(&at));
        return run->number >= 0 && run->procs > 0 && run->rep[0] != '-' &&
               (*at == '.' || *at == '\0');
    }
    return 0;
}

int chorale_timings_named(const char *path, const struct chorale_import_as *as)
{
    struct run_name run;

    return as->provider != NULL || parse_run(path, &run);
}

enum chorale_err chorale_timings_refuse_forced(const char *path,
                                               const struct chorale_foreign *f,
                                               struct chorale_errmsg *msg)
{
    const char *name;
    long number;

    for (size_t i = 0; i < f->nrow; i++) {
        const enum chorale_coll coll = f->row[i].coll;

        if (i > 0 && coll == f->row[i - 1].coll)
            continue;
        if (f->forced[coll] > 0)
            return chorale_fail(msg, CHORALE_USAGE, "%s:%d: an algorithm of %s "
                                "is forced, so its times are not the "
                                "default's; add --provider native --variant "
                                "NAME", path, f->forced[coll],
                                chorale_coll_info(coll)->name);
        name = chorale_file_forces(coll, chorale_output_base(path));
        number = chorale_file_number(chorale_output_base(path));
        if (name == NULL && number > 0)
            return chorale_fail(msg, CHORALE_USAGE, "%s: named after algorithm "
                                "%ld; add --provider native --variant NAME if "
                                "it was forced, else --provider library", path,
                                number);
        if (name != NULL)
            return chorale_fail(msg, CHORALE_USAGE, "%s: named after the "
                                "algorithm %s; add --provider native --variant "
                                "%s if it was forced, else --provider library",
                                path, name, name);
    }
    return CHORALE_OK;
}

/* The text that names the algorithm of a file; "" with a message in *err_p. */
static const char *algorithm_of(const char *path,
                                const struct chorale_import_as *as,
                                const struct run_name *run, int named,
                                enum chorale_err *err_p,
                                struct chorale_errmsg *msg)
{
    const int is_default = as->provider != NULL &&
                           strcmp(as->provider, "library") == 0;
    const struct chorale_ompi_algorithm *ompi =
        named && run->number > 0
            ? chorale_ompi_number(run->coll, (int)run->number) : NULL;

    if (named && is_default && run->number > 0) {
        *err_p = chorale_fail(msg, CHORALE_USAGE, "--provider library: %s is "
                              "of algorithm %ld by its name; leave the option "
                              "out, or rename the file", path, run->number);
        return "";
    }
    if (as->variant != NULL)
        return as->variant;
    if (is_default || (named && run->number == 0))
        return as->deflt != NULL ? as->deflt : "library";
    if (!named) {
        *err_p = chorale_fail(msg, CHORALE_USAGE, "--provider %s: %s does not "
                              "name the algorithm; add --variant NAME",
                              as->provider, path);
        return "";
    }
    if (ompi == NULL) {
        *err_p = chorale_fail(msg, CHORALE_USAGE, "%s: no algorithm of %s in "
                              "Open MPI is known as %ld; add --provider native "
                              "--variant NAME", path,
                              chorale_coll_info(run->coll)->name, run->number);
        return "";
    }
    return ompi->name;
}

/* Convert a row of a table. In *skip_p: 1 if it cannot be one here. */
static enum chorale_err convert(const struct chorale_foreign_row *from,
                                const struct chorale_import_as *as,
                                struct chorale_timings *t,
                                struct chorale_timing *row, int *skip_p)
{
    const double time = as->slowest ? from->max
                        : isfinite(from->p50) ? from->p50 : from->avg;
    struct chorale_timing_calls *calls;

    *skip_p = 0;
    row->coll = from->coll;
    row->msg_size = from->msg_size;
    row->seconds = time;
    row->line = from->line;
    row->root = from->root;
    row->buffers = from->buffers;
    row->metric = from->metric;
    /* OSU and IMB print the whole vector of a reduce_scatter. */
    if (from->coll == CHORALE_REDUCE_SCATTER) {
        row->msg_size /= row->comm_size;
        *skip_p = row->msg_size == 0 ||
                  row->msg_size % (long long)chorale_dtype_size(from->dtype) !=
                      0 || from->msg_size % row->comm_size != 0;
        if (*skip_p)
            chorale_timings_note(t, "sizes of reduce_scatter that are not a "
                                 "whole number of elements for each rank");
    }
    calls = chorale_array_grow(t->calls, t->ncalls, sizeof(*calls));
    if (calls == NULL)
        return CHORALE_ENV;
    t->calls = calls;
    row->calls = (int)t->ncalls++;
    calls[row->calls] = (struct chorale_timing_calls){
        .summary = {
            .nrep = (size_t)from->nrep, .median = time, .mean = from->avg,
            .q25 = time, .q75 = time, .p95 = time, .lo = NAN, .hi = NAN,
            .min = isfinite(from->min) ? from->min : time,
            .p99 = isfinite(from->p99) ? from->p99 : time,
            .max = isfinite(from->max) ? from->max : time,
        },
        .first_call = NAN,
    };
    return CHORALE_OK;
}

enum chorale_err chorale_timings_of_tables(const char *path,
                                           const struct chorale_foreign *f,
                                           const struct chorale_import_as *as,
                                           struct chorale_timings *t,
                                           struct chorale_errmsg *msg)
{
    struct run_name run;
    const int named = parse_run(path, &run);
    enum chorale_err err = CHORALE_OK;
    const char *name = algorithm_of(path, as, &run, named, &err, msg);
    const char *mpi = as->mpi != NULL ? as->mpi
                      : named ? "Open MPI" : CHORALE_IMPORT_MPI;
    int p50 = 0;

    memset(t, 0, sizeof(*t));
    snprintf(t->kind, sizeof(t->kind), "%s%s%s", f->kind,
             f->version[0] != '\0' ? " " : "", f->version);
    t->statistic = as->slowest ? CHORALE_STATISTIC_MAX
                               : CHORALE_STATISTIC_MEAN;
    if (err == CHORALE_OK && named && as->procs > 0 && as->procs != run.procs)
        err = chorale_fail(msg, CHORALE_USAGE, "-P %ld: %s is of %ld ranks by "
                           "its name; leave -P out", as->procs, path,
                           run.procs);
    if (err == CHORALE_OK && as->statistic >= 0)
        err = chorale_fail(msg, CHORALE_USAGE, "--statistic: the heading of %s "
                           "states what a time is; use --time", path);
    for (size_t i = 0; i < f->nrow && err == CHORALE_OK; i++) {
        const struct chorale_foreign_row *from = &f->row[i];
        struct chorale_timing row = { .line = from->line };
        const long procs = from->comm_size > 0 ? from->comm_size
                           : named             ? run.procs : 0;
        const int known = procs > 0 || as->procs > 0;
        char pass[16];
        int skip;

        if (named && from->coll != run.coll)
            return chorale_fail(msg, CHORALE_DATA, "%s:%d: a row of %s in a "
                                "file that is named after %s; rename it", path,
                                from->line, chorale_coll_info(from->coll)->name,
                                chorale_coll_info(run.coll)->name);
        if (chorale_timings_place(as, procs, 0, 0, &row) != NULL)
            return chorale_fail(msg, CHORALE_USAGE, "%s: the number of ranks%s "
                                "per node is unknown; add %s--ppn N", path,
                                known ? "" : " or", known ? "" : "-P N ");
        if (as->slowest && !isfinite(from->max))
            return chorale_fail(msg, CHORALE_USAGE, "--time slowest: %s:%d has "
                                "only the mean; run the benchmark with -f, or "
                                "leave --time out", path, from->line);
        snprintf(pass, sizeof(pass), "%d", from->pass);
        row.system = chorale_timings_text(t, as->system != NULL
                                                 ? as->system
                                                 : CHORALE_IMPORT_SYSTEM);
        row.mpi = chorale_timings_text(t, mpi);
        row.rep = chorale_timings_text(t, as->rep != NULL ? as->rep
                                          : named ? run.rep : pass);
        row.dtype = chorale_timings_text(t, from->dtype);
        row.op = chorale_timings_text(t, from->op);
        if (row.system == NULL || row.mpi == NULL || row.rep == NULL ||
            row.dtype == NULL || row.op == NULL ||
            convert(from, as, t, &row, &skip) != CHORALE_OK)
            return chorale_fail_memory(msg, path);
        p50 |= !as->slowest && isfinite(from->p50);
        if (skip)
            continue;
        err = chorale_timings_name(t, path, as, name, "", &row, msg);
        if (err == CHORALE_OK)
            err = chorale_timings_append(t, path, &row, msg);
    }
    snprintf(t->seconds_text, sizeof(t->seconds_text), "%s, %s over calls",
             chorale_statistic_text(t->statistic), p50 ? "p50" : "mean");
    for (size_t i = 0; i < f->nnote && err == CHORALE_OK; i++)
        chorale_timings_note(t, "%s", f->note[i]);
    return err == CHORALE_OK ? chorale_timings_finish(t, path, msg) : err;
}

/* --- PICO ------------------------------------------------------------- */

/* Parse COUNT_ALGORITHM_TYPE.csv. Returns 0, or -1 for another name. */
static int parse_pico(const char *path, long long *count,
                      char algorithm[CHORALE_ALGORITHM_NAME],
                      const char **dtype)
{
    const char *base = chorale_output_base(path), *at = base, *end, *type;
    char text[16];

    *count = digits(&at);
    end = strrchr(base, '.');
    if (*count < 0 || *at++ != '_' || end == NULL || end < at)
        return -1;
    for (type = end; type > at && type[-1] != '_'; type--)
        continue;
    if (type <= at || type - 1 - at >= CHORALE_ALGORITHM_NAME ||
        (size_t)(end - type) >= sizeof(text))
        return -1;
    snprintf(text, sizeof(text), "%.*s", (int)(end - type), type);
    snprintf(algorithm, CHORALE_ALGORITHM_NAME, "%.*s", (int)(type - 1 - at),
             at);
    *dtype = chorale_timings_dtype(text);
    return *dtype != NULL ? 0 : -1;
}

/* Read the first number of each line; *n values in nanoseconds. */
static enum chorale_err read_calls(const char *path, char *text, double **x_p,
                                   size_t *n, struct chorale_errmsg *msg)
{
    int line = 1;

    text = strchr(text, '\n'); /* after the heading */
    for (*n = 0; text != NULL && text[1] != '\0';) {
        double *more = chorale_array_grow(*x_p, *n, sizeof(**x_p)), value;
        char *at = text + 1, *end;

        line++;
        text = strchr(at, '\n');
        if (more == NULL)
            return chorale_fail_memory(msg, path);
        *x_p = more;
        if (text == NULL)
            return chorale_fail(msg, CHORALE_DATA, "%s:%d: the file ends "
                                "within this line; copy it again", path, line);
        value = strtod(at, &end);
        if (end == at || strchr(",;\t\r\n", *end) == NULL ||
            !isfinite(value) || !(value > 0))
            return chorale_fail(msg, CHORALE_DATA, "%s:%d: '%.*s' is not a "
                                "positive time in ns; correct or remove the "
                                "line", path, line,
                                (int)strcspn(at, ",;\t\r\n") % 30, at);
        (*x_p)[(*n)++] = value * 1e-9;
    }
    return *n > 0 ? CHORALE_OK
                  : chorale_fail(msg, CHORALE_DATA, "%s: no time below the "
                                 "heading; copy it again", path);
}

/* The launch of a file: its folder, if that is a time stamp. */
static const char *launch_of(const char *path, char text[64])
{
    const char *end = strrchr(path, '/'), *start = end;

    while (start != NULL && start > path && start[-1] != '/')
        start--;
    if (start == NULL || !isdigit((unsigned char)*start) || end - start >= 64 ||
        end - start < 8)
        return "0";
    snprintf(text, 64, "%.*s", (int)(end - start), start);
    return text;
}

static enum chorale_err pico_row(const char *path,
                                 const struct chorale_import_as *as,
                                 struct chorale_timings *t, double *x,
                                 size_t n, struct chorale_errmsg *msg)
{
    struct chorale_timing row = { .line = 1, .buffers = "warm",
                                  .metric = "duration" };
    char algorithm[CHORALE_ALGORITHM_NAME], launch[64];
    const size_t warm = n / 5; /* as PICO's own evaluation leaves out */
    const char *dtype = NULL, *lacks;
    long long count, size;
    const int coll = as->coll != NULL ? chorale_coll_find(as->coll) : -1;
    enum chorale_err err;

    if (parse_pico(path, &count, algorithm, &dtype) != 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s: times of PICO, but not "
                            "named COUNT_ALGORITHM_TYPE.csv; give it the name "
                            "that PICO gave it", path);
    if (coll < 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s: a file of PICO does not "
                            "name its collective; add --collective NAME -P N "
                            "--ppn N", path);
    row.coll = (enum chorale_coll)coll;
    row.root = chorale_coll_info(row.coll)->rooted ? "first" : "none";
    lacks = chorale_timings_place(as, 0, 0, 0, &row);
    if (lacks != NULL)
        return chorale_fail(msg, CHORALE_USAGE, "%s: a file of PICO lacks the "
                            "%s; add -P N --ppn N", path, lacks);
    if (as->variant != NULL || as->slowest || as->statistic >= 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s: %s states that; leave the "
                            "option out", as->variant != NULL ? "--variant"
                            : as->slowest ? "--time" : "--statistic", path);
    size = (long long)chorale_dtype_size(dtype);
    row.msg_size = coll == CHORALE_BARRIER ? 0
                   : chorale_coll_info(row.coll)->blocks
                       ? count / row.comm_size * size
                       : count * size;
    t->calls = calloc(1, sizeof(*t->calls));
    if (t->calls == NULL)
        return chorale_fail_memory(msg, path);
    t->ncalls = 1;
    t->calls[0].first_call = x[0];
    chorale_summarise(x + warm, n - warm, &t->calls[0].summary);
    row.seconds = t->calls[0].summary.median;
    row.system = chorale_timings_text(t, as->system != NULL
                                             ? as->system
                                             : CHORALE_IMPORT_SYSTEM);
    row.mpi = chorale_timings_text(t, as->mpi != NULL ? as->mpi
                                                      : CHORALE_IMPORT_MPI);
    row.rep = chorale_timings_text(t, as->rep != NULL
                                          ? as->rep : launch_of(path, launch));
    row.dtype = chorale_timings_text(
        t, chorale_coll_info(row.coll)->reduces ? dtype : "byte");
    row.op = chorale_timings_text(
        t, chorale_coll_info(row.coll)->reduces ? "sum" : "");
    if (row.system == NULL || row.mpi == NULL || row.rep == NULL ||
        row.dtype == NULL || row.op == NULL)
        return chorale_fail_memory(msg, path);
    err = chorale_timings_name(
        t, path, as, as->deflt == NULL && strncmp(algorithm, "default_", 8) == 0
                         ? "library" : algorithm, "", &row, msg);
    return err == CHORALE_OK ? chorale_timings_append(t, path, &row, msg) : err;
}

enum chorale_err chorale_timings_pico(const char *path,
                                      const struct chorale_import_as *as,
                                      struct chorale_timings *t,
                                      struct chorale_errmsg *msg)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    double *x = NULL;
    enum chorale_err err = chorale_file_text(path, MAX_PICO, &text, &size,
                                             msg);

    if (err == CHORALE_OK && strlen(text) != size)
        err = chorale_fail(msg, CHORALE_DATA, "%s: the file has a zero byte in "
                           "it; name a text file", path);
    if (err == CHORALE_OK)
        err = read_calls(path, text, &x, &n, msg);
    if (err == CHORALE_OK)
        err = pico_row(path, as, t, x, n, msg);
    free(x);
    free(text);
    snprintf(t->kind, sizeof(t->kind), "PICO");
    t->statistic = CHORALE_STATISTIC_MAX;
    snprintf(t->seconds_text, sizeof(t->seconds_text),
             "%s, median over calls without the first fifth",
             chorale_statistic_text(t->statistic));
    return err == CHORALE_OK ? chorale_timings_finish(t, path, msg) : err;
}
