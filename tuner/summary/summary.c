/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - prints the page at the end of a campaign. Every number is read
 * from the database; only means over its rows are computed here. */
#include "tuner/summary/summary.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/mpi_name.h"
#include "db/remarks.h"
#include "db/systems.h"
#include "tuner/base/units.h"
#include "tuner/model/model.h"
#include "tuner/summary/summary_page.h"

static const char measured_sql[] =
    "SELECT count(*), min(msg_size), max(msg_size), min(launches),"
    " max(launches), (SELECT group_concat(coll, ', ') FROM (SELECT DISTINCT"
    "   coll FROM v_summary WHERE system_id = ?1 ORDER BY coll)),"
    " (SELECT group_concat(comm_size, ', ') FROM (SELECT DISTINCT comm_size"
    "   FROM v_summary WHERE system_id = ?1 ORDER BY comm_size))"
    " FROM v_summary WHERE system_id = ?1 AND provider <> 'table'";

static const char imported_sql[] =
    "SELECT DISTINCT e.value FROM launch l JOIN environment e"
    " USING (launch_id) WHERE l.system_id = ?1 AND e.key = 'import:seconds'"
    " ORDER BY 1";

static const char progress_sql[] =
    "SELECT coalesce(sum(planned - done), 0), coalesce(sum(invalid), 0),"
    " coalesce(sum(failed), 0), coalesce(sum(inapplicable), 0)"
    " FROM v_progress WHERE system ="
    " (SELECT name FROM system WHERE system_id = ?1)";

/* A parameter of the model: its name, value, unit and meaning. kappas with the
 * same value are one row; level is the first of their names. */
static const char params_sql[] =
    "SELECT param, dtype, op, min(level), regime, ppn, value, min(lo), max(hi),"
    " unit, count(*) FROM model WHERE system_id = ?1"
    " GROUP BY param, iif(param = 'kappa', printf('%.3g', value), model_id)"
    " ORDER BY instr('alpha beta tau copy cold gap send_overhead recv_overhead"
    " overlapped kappa', param), min(level), upto IS NULL, upto, dtype, op,"
    " ppn";

static const char *meaning(const char *param, const char *level)
{
    static const char *const text[][2] = {
        { "alpha", "time of a message besides its bytes" },
        { "beta", "time of a byte in a message" },
        { "tau", "time of a byte that is reduced" },
        { "copy", "time of a byte that is copied" },
        { "cold", "extra time of a byte outside the caches" },
        { "gap", "least time between messages" },
        { "send_overhead", "part of alpha: the sender's processor" },
        { "recv_overhead", "part of alpha: the receiver's processor" },
        { "kappa", "messages at once on a link" },
        { "overlapped", "largest messages sent side by side" },
    };

    if (strcmp(param, "alpha") == 0 && strcmp(level, CHORALE_MODEL_HOP) == 0)
        return "extra time of each further link";
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        if (strcmp(text[i][0], param) == 0)
            return text[i][1];
    return "";
}

/* Name a parameter, such as "beta net <= 8192" or "kappa pairs 16 and 11
 * others". */
static void name_param(sqlite3_stmt *stmt, char *name, size_t size)
{
    const sqlite3_int64 count = sqlite3_column_int64(stmt, 10);
    const int ppn = sqlite3_column_int(stmt, 5);
    size_t used = (size_t)snprintf(name, size, "%.20s", chorale_text(stmt, 0));

    for (int i = 1; i <= 4; i++) /* type, operation, level, regime */
        if (chorale_text(stmt, i)[0] != '\0' &&
            strcmp(chorale_text(stmt, i), "all") != 0 && used < size)
            used += (size_t)snprintf(name + used, size - used, " %.40s",
                                     chorale_text(stmt, i));
    if (ppn > 0 && used < size)
        used += (size_t)snprintf(name + used, size - used, " ppn %d", ppn);
    if (count > 1 && used < size)
        snprintf(name + used, size - used, " and %lld other%s",
                 (long long)count - 1, count == 2 ? "" : "s");
}

/* The unit for a value in seconds. *scale: units per second. */
static const char *scale_of(double seconds, double *scale)
{
    static const char *const unit[] = { "s", "ms", "us", "ns", "ps" };
    size_t i = 0;

    *scale = 1;
    while (i < 4 && fabs(seconds) < *scale * (1 - 1e-9) && seconds != 0) {
        *scale /= 1e3;
        i++;
    }
    return unit[i];
}

static void each_param(struct chorale_page *page, sqlite3_stmt *stmt)
{
    const char *param = chorale_text(stmt, 0);
    double value = sqlite3_column_double(stmt, 6), scale = 1;
    char name[200], shown[200], number[48], unit[16], range[80] = "-";
    char means[160];

    name_param(stmt, name, sizeof(name));
    chorale_page_safe(page, shown, sizeof(shown), name);
    snprintf(means, sizeof(means), "%s",
             meaning(param, chorale_text(stmt, 3)));
    snprintf(unit, sizeof(unit), "%s", "");
    if (strcmp(param, "overlapped") == 0) {
        snprintf(number, sizeof(number), "%s", value <= 0 ? "none" : "any");
        if (value > 0 && value < CHORALE_MODEL_OVERLAPPED) {
            snprintf(number, sizeof(number), "%.0f", value);
            snprintf(unit, sizeof(unit), "B");
        }
    } else {
        if (strcmp(param, "kappa") != 0)
            snprintf(unit, sizeof(unit), "%s%s", scale_of(value, &scale),
                     strcmp(chorale_text(stmt, 9), "s/byte") == 0 ? "/B"
                                                                  : "");
        snprintf(number, sizeof(number), "%.4g", value / scale);
    }
    if (sqlite3_column_type(stmt, 7) != SQLITE_NULL &&
        sqlite3_column_type(stmt, 8) != SQLITE_NULL)
        snprintf(range, sizeof(range), "%.4g to %.4g",
                 sqlite3_column_double(stmt, 7) / scale,
                 sqlite3_column_double(stmt, 8) / scale);
    if (strcmp(param, "beta") == 0 && value > 0)
        snprintf(means, sizeof(means), "%s: %.4g GB/s", meaning(param, ""),
                 1e-9 / value);
    chorale_rows_add(&page->rows,
                     CHORALE_FIELDS(shown, number, unit, range, means));
}

static const char *percent(double share, char text[32])
{
    double x = 100 * share;

    if (x < 0.01)
        return "less than 0.01 %";
    snprintf(text, 32, x < 10 ? "%.2g %%" : "%.0f %%", x);
    return text;
}

/* Print how good the model is, a line for each set of parameters fitted
 * together. */
static void each_error(struct chorale_page *page, sqlite3_stmt *stmt)
{
    const int points = sqlite3_column_int(stmt, 2);
    char median[32], worst[32];

    fprintf(page->out, "The model differs from %d measured point%s by %s in "
                       "the median and %s at worst:\n%s.\n", points,
            points == 1 ? "" : "s",
            percent(sqlite3_column_double(stmt, 0), median),
            percent(sqlite3_column_double(stmt, 1), worst),
            sqlite3_column_int(stmt, 3) == 0
                ? "do not trust it, it lacks fit; `chorale fit` shows where"
                : "`chorale fit` shows its errors at sizes and process counts "
                  "that were left out");
    page->heading[0] = '1'; /* a model exists */
}

static void each_system(struct chorale_page *page, sqlite3_stmt *stmt)
{
    char title[256], name[CHORALE_MPI_NAME];

    chorale_mpi_name(chorale_text(stmt, 2), name);
    snprintf(title, sizeof(title), "%s (%s)", chorale_text(stmt, 0),
             strcmp(chorale_text(stmt, 1), "real") == 0 ? "measured"
                                                             : "simulated");
    chorale_page_heading(page, 1, title);
    fputs(page->markdown ? "- MPI library: " : "  MPI library: ", page->out);
    chorale_page_put(page, name);
    fputc('\n', page->out);
    page->heading[0] = '1'; /* the system exists */
}

static void each_measured(struct chorale_page *page, sqlite3_stmt *stmt)
{
    const char *item = page->markdown ? "- " : "  ";
    char from[32], to[32];

    page->ncells = sqlite3_column_int64(stmt, 0);
    if (page->ncells == 0) {
        fprintf(page->out, "%sNothing measured yet.\n", item);
        return;
    }
    fprintf(page->out, "%sMeasured: ", item);
    chorale_page_put(page, chorale_text(stmt, 5));
    fprintf(page->out, "\n%sP = ", item);
    chorale_page_put(page, chorale_text(stmt, 6));
    fprintf(page->out, "; blocks of %s to %s a rank\n",
            chorale_page_bytes(sqlite3_column_int64(stmt, 1), from),
            chorale_page_bytes(sqlite3_column_int64(stmt, 2), to));
    fprintf(page->out, "%s%lld cell%s measured, each in ", item,
            (long long)page->ncells, chorale_plural(page->ncells));
    if (sqlite3_column_int(stmt, 3) != sqlite3_column_int(stmt, 4))
        fprintf(page->out, "%d to ", sqlite3_column_int(stmt, 3));
    fprintf(page->out, "%d launch%s\n", sqlite3_column_int(stmt, 4),
            sqlite3_column_int(stmt, 4) == 1 ? "" : "es");
}

static void each_imported(struct chorale_page *page, sqlite3_stmt *stmt)
{
    fprintf(page->out, "%simported; a time is the ",
            page->markdown ? "- " : "  ");
    chorale_page_put(page, chorale_text(stmt, 0));
    fputc('\n', page->out);
}

static void each_exploratory(struct chorale_page *page, sqlite3_stmt *stmt)
{
    fputs(page->markdown ? "- " : "  ", page->out);
    chorale_page_put(page, chorale_text(stmt, 0));
    fputc('\n', page->out);
}

/* Count each of a cell's flags once; the lists of launches may repeat them. */
static void each_validity(struct chorale_page *page, sqlite3_stmt *stmt)
{
    int has[CHORALE_NFLAG];

    chorale_flags_read(chorale_text(stmt, 0), has);
    for (int i = 0; i < CHORALE_NFLAG; i++)
        page->nflagged[i] += has[i];
}

static void put_count(struct chorale_page *page, sqlite3_int64 count,
                      const char *of, const char *what)
{
    if (count > 0)
        fprintf(page->out, "%s%lld %s%s\n", page->markdown ? "- " : "  ",
                (long long)count, of, what);
}

static void remark(struct chorale_page *page)
{
    if (!page->remarked)
        chorale_page_heading(page, 2, "Remarks");
    page->remarked = 1;
}

static void each_progress(struct chorale_page *page, sqlite3_stmt *stmt)
{
    sqlite3_int64 count[4], any = 0;

    for (int i = 0; i < 4; i++) {
        count[i] = sqlite3_column_int64(stmt, i);
        any += count[i];
    }
    for (int i = 0; i < CHORALE_NFLAG; i++)
        any += page->nflagged[i];
    if (any == 0)
        return;
    remark(page);
    put_count(page, count[0], count[0] == 1 ? "run is" : "runs are",
              " still pending");
    put_count(page, count[1], count[1] == 1 ? "run" : "runs",
              " gave a wrong result: never chosen");
    put_count(page, count[2], count[2] == 1 ? "run" : "runs", " failed");
    put_count(page, count[3], count[3] == 1 ? "run was" : "runs were",
              " not applicable");
    for (int i = 0; i < CHORALE_NFLAG; i++) {
        char of[160];

        snprintf(of, sizeof(of), "of %lld cell%s %s%s",
                 (long long)page->ncells, chorale_plural(page->ncells),
                 chorale_flags[i][0],
                 chorale_flags[i][0][0] != '\0' ? ": " : "with ");
        put_count(page, page->nflagged[i], of, chorale_flags[i][1]);
    }
}

static enum chorale_err put_model(struct chorale_page *page,
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err;

    chorale_page_heading(page, 2, "Model");
    page->heading[0] = '\0';
    err = chorale_page_query(
        page,
        "SELECT DISTINCT error, worst_error, npoints, trusted FROM model"
        " WHERE system_id = ?1 ORDER BY 3, 1",
        each_error, msg);
    if (err == CHORALE_OK && page->heading[0] != '\0')
        fputc('\n', page->out);
    page->rows = (struct chorale_rows){
        .columns = "parameter|value|unit|95 % interval|meaning",
    };
    if (err == CHORALE_OK)
        err = chorale_page_query(page, params_sql, each_param, msg);
    if (chorale_rows_print(&page->rows, page->markdown, page->out) != 0 &&
        err == CHORALE_OK)
        err = chorale_fail_memory(msg, "summary");
    if (err == CHORALE_OK && page->heading[0] == '\0')
        fputs("Nothing fitted yet; run `chorale fit`.\n", page->out);
    return err;
}

/* Other programs disturbed a launch if, at its end, the load of a node exceeds
 * the largest number of ranks on a node by more than 0.5. The load is the mean
 * of the last minute, so for short launches it includes the time before. */
const char chorale_summary_load_sql[] =
    "WITH l AS (SELECT launch_id, max(CAST(e.value AS REAL)) AS load"
    "   FROM launch JOIN environment e USING (launch_id)"
    "   JOIN system USING (system_id)"
    "  WHERE system_id = ?1 AND kind = 'real' AND (e.key = 'load_after'"
    "     OR e.key LIKE 'host:%:load_after') GROUP BY launch_id),"
    " p AS (SELECT max(ppn * siblings) AS ranks FROM launch"
    "   WHERE system_id = ?1)"
    " SELECT sum(load > ranks + 0.5), count(*), max(load), ranks FROM l, p";

static void each_load(struct chorale_page *page, sqlite3_stmt *stmt)
{
    if (sqlite3_column_int(stmt, 0) == 0)
        return;
    remark(page);
    fprintf(page->out, "%sother programs ran during %d of %d launch%s (up to "
                       "%.1f processes on a node of %d rank%s): measure on an "
                       "idle machine\n", page->markdown ? "- " : "  ",
            sqlite3_column_int(stmt, 0), sqlite3_column_int(stmt, 1),
            sqlite3_column_int(stmt, 1) == 1 ? "" : "es",
            sqlite3_column_double(stmt, 2), sqlite3_column_int(stmt, 3),
            chorale_plural(sqlite3_column_int(stmt, 3)));
}

const char chorale_summary_places_sql[] =
    "WITH s AS (SELECT launch_id, group_concat(value, ' ') AS nodes,"
    "   count(*) AS n FROM (SELECT e.launch_id, e.value FROM environment e"
    "    WHERE e.key GLOB 'host:[0-9]*' AND e.key NOT GLOB 'host:*:*'"
    "    ORDER BY e.launch_id, e.value) GROUP BY launch_id),"
    " g AS (SELECT comm_size, ppn, count(*) AS launches,"
    "   count(DISTINCT nodes) AS sets FROM launch JOIN s USING (launch_id)"
    "   JOIN system USING (system_id)"
    "  WHERE system_id = ?1 AND kind = 'real' AND s.n > 1"
    "  GROUP BY comm_size, ppn HAVING count(*) > 1)"
    " SELECT min(comm_size), max(comm_size), count(*), min(launches),"
    " max(launches), min(sets), max(sets) FROM g GROUP BY sets = 1"
    " ORDER BY sets = 1";

void chorale_summary_places(FILE *out, sqlite3_stmt *stmt)
{
    sqlite3_int64 n[7];

    for (int i = 0; i < 7; i++)
        n[i] = sqlite3_column_int64(stmt, i);
    fprintf(out, "the %lld", (long long)n[3]);
    if (n[4] != n[3])
        fprintf(out, " to %lld", (long long)n[4]);
    fprintf(out, " launches of P = %lld", (long long)n[0]);
    if (n[1] != n[0])
        fprintf(out, " to %lld", (long long)n[1]);
    if (n[6] == 1) {
        fputs(" all ran on the same nodes: the intervals do not include "
              "node-to-node variation\n", out);
        return;
    }
    fprintf(out, " ran on %lld", (long long)n[5]);
    if (n[6] != n[5])
        fprintf(out, " to %lld", (long long)n[6]);
    fputs(" different sets of nodes; the intervals include this\n", out);
}

static void each_place(struct chorale_page *page, sqlite3_stmt *stmt)
{
    remark(page);
    fputs(page->markdown ? "- " : "  ", page->out);
    chorale_summary_places(page->out, stmt);
}

/* Reasons why the library stayed, other than that no variant was faster. */
const char chorale_summary_kept_sql[] =
    "SELECT reason, count(*) FROM decision WHERE system_id = ?1"
    " AND target = 'dispatch' AND provider = 'library'"
    " AND reason NOT LIKE 'no variant is faster%'"
    " AND reason NOT LIKE 'one rank%' GROUP BY reason ORDER BY 2 DESC";

static void each_kept(struct chorale_page *page, sqlite3_stmt *stmt)
{
    remark(page);
    fprintf(page->out, "%s%d of the library's ranges: ",
            page->markdown ? "- " : "  ", sqlite3_column_int(stmt, 1));
    chorale_page_put(page, chorale_text(stmt, 0));
    fputc('\n', page->out);
}

enum chorale_err chorale_summary_print(struct chorale_store *store,
                                       sqlite3_int64 system_id, FILE *out,
                                       int markdown, struct chorale_errmsg *msg)
{
    struct chorale_page page = {
        .store = store, .system_id = system_id, .out = out, .markdown = markdown
    };
    char tuned[CHORALE_LOADED_TEXT] = "";
    enum chorale_err err;

    err = chorale_page_query(&page,
                             "SELECT name, kind, mpi_library FROM "
                             "system WHERE system_id = ?1",
                             each_system, msg);
    if (err == CHORALE_OK && page.heading[0] == '\0')
        err = chorale_fail(msg, CHORALE_DATA, "%s: no system number %lld; "
                           "`chorale status` lists them",
                           chorale_store_path(store), (long long)system_id);
    page.heading[0] = '\0';
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, measured_sql, each_measured, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, imported_sql, each_imported, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, "SELECT exploratory FROM policy WHERE "
                                 "system_id = ?1 AND exploratory <> ''",
                                 each_exploratory, msg);
    if (err == CHORALE_OK)
        err = chorale_self_tuning(store, system_id, tuned, msg);
    if (err == CHORALE_OK && tuned[0] != '\0') {
        fputs(page.markdown ? "- " : "  ", page.out);
        chorale_page_put(&page, tuned);
        fputc('\n', page.out);
    }
    if (err == CHORALE_OK)
        err = chorale_page_decisions(&page, msg);
    if (err == CHORALE_OK)
        err = chorale_page_proofs(&page, msg);
    if (err == CHORALE_OK)
        err = put_model(&page, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page,
                                 "SELECT validity FROM v_summary WHERE "
                                 "system_id = ?1 AND validity <> ''"
                                 " AND provider <> 'table'",
                                 each_validity, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, progress_sql, each_progress, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, chorale_summary_load_sql, each_load,
                                 msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, chorale_summary_places_sql,
                                 each_place, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(&page, chorale_summary_kept_sql, each_kept,
                                 msg);
    if (err == CHORALE_OK && (fflush(out) != 0 || ferror(out)))
        err = chorale_fail_output(msg, "the summary");
    return err;
}

enum chorale_err chorale_summary_write(struct chorale_store *store,
                                       sqlite3_int64 system_id,
                                       const char *path,
                                       struct chorale_errmsg *msg)
{
    char tmp[PATH_MAX];
    int len = snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path), fd = -1;
    mode_t mask = umask(0);
    FILE *out = NULL;
    enum chorale_err err = CHORALE_OK;

    umask(mask);
    if (len < 0 || (size_t)len >= sizeof(tmp))
        return chorale_fail_long(msg, path);
    fd = mkstemp(tmp);
    if (fd >= 0)
        out = fdopen(fd, "w");
    if (out == NULL) {
        err = chorale_fail_written(msg, path, errno);
        if (fd >= 0)
            close(fd);
        goto out;
    }
    err = chorale_summary_print(store, system_id, out, 1, msg);
    if (err == CHORALE_OK && fchmod(fd, 0666 & ~mask) != 0)
        err = chorale_fail_written(msg, tmp, errno);
    if (fclose(out) != 0 && err == CHORALE_OK)
        err = chorale_fail_written(msg, path, errno);
    if (err == CHORALE_OK && rename(tmp, path) != 0)
        err = chorale_fail_written(msg, path, errno);
out:
    if (err != CHORALE_OK && fd >= 0)
        unlink(tmp);
    return err;
}

enum chorale_err chorale_summary_report(const char *path, const char *system,
                                        const char *file,
                                        struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id;
    enum chorale_err err;

    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, system, &id, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_summary_write(store, id, file, msg);
    if (err == CHORALE_OK)
        err = chorale_summary_print(store, id, stdout, 0, msg);
    chorale_store_close(store);
    return err;
}
