/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - prints the page at the end of a campaign. Every number is read
 * from the database; only means over its rows are computed here. */
#include "tuner/summary/summary.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const char progress_sql[] =
    "SELECT coalesce(sum(planned - done), 0), coalesce(sum(invalid), 0),"
    " coalesce(sum(failed), 0), coalesce(sum(inapplicable), 0)"
    " FROM v_progress WHERE system ="
    " (SELECT name FROM system WHERE system_id = ?1)";

/* Print "1 us [0.98 us, 1.02 us]", per byte for beta and tau; and whether sends
 * and receives overlap. */
static void each_param(struct chorale_page *page, sqlite3_stmt *stmt)
{
    const char *param = chorale_text(stmt, 0);
    const char *unit = strcmp(chorale_text(stmt, 8), "s/byte") == 0 ? "/B"
                                                                         : "";
    double value = sqlite3_column_double(stmt, 5);
    char shown[32], lo[32], hi[32];

    fputs(page->markdown ? "- " : "  ", page->out);
    chorale_page_put(page, param);
    for (int i = 1; i <= 4; i++) /* type, op, level, regime */
        if (chorale_text(stmt, i)[0] != '\0' &&
            strcmp(chorale_text(stmt, i), "all") != 0) {
            fputc(' ', page->out);
            chorale_page_put(page, chorale_text(stmt, i));
        }
    if (strcmp(param, "kappa") == 0) {
        fprintf(page->out, ": %.3g", value);
        if (sqlite3_column_type(stmt, 6) != SQLITE_NULL &&
            sqlite3_column_type(stmt, 7) != SQLITE_NULL)
            fprintf(page->out, " [%.3g, %.3g]",
                    sqlite3_column_double(stmt, 6),
                    sqlite3_column_double(stmt, 7));
    } else if (strcmp(param, "overlapped") == 0) {
        fprintf(page->out, ": %s", value <= 0 ? "sends and receives never are"
                                   : value >= CHORALE_MODEL_OVERLAPPED
                                       ? "sends and receives of any size are"
                                       : "sends and receives are up to ");
        if (value > 0 && value < CHORALE_MODEL_OVERLAPPED)
            fputs(chorale_human_bytes(value, shown), page->out);
    } else {
        fprintf(page->out, ": %s%s", chorale_human_seconds(value, shown), unit);
        if (sqlite3_column_type(stmt, 6) != SQLITE_NULL &&
            sqlite3_column_type(stmt, 7) != SQLITE_NULL)
            fprintf(page->out, " [%s, %s]",
                    chorale_human_seconds(sqlite3_column_double(stmt, 6), lo),
                    chorale_human_seconds(sqlite3_column_double(stmt, 7), hi));
    }
    if (strcmp(param, "beta") == 0 && value > 0)
        fprintf(page->out, ", %.4g GB/s", 1e-9 / value);
    fputc('\n', page->out);
    page->heading[0] = '1'; /* a model exists */
}

static const char *percent(double share, char text[32])
{
    double x = 100 * share;

    if (x < 0.01)
        return "less than 0.01 %";
    snprintf(text, 32, x < 10 ? "%.2g %%" : "%.0f %%", x);
    return text;
}

/* Print the error of the model: one line for each set of parameters fitted
 * together. */
static void each_error(struct chorale_page *page, sqlite3_stmt *stmt)
{
    const char *item = page->markdown ? "- " : "  ";

    char median[32], worst[32];

    fprintf(page->out, "%s%d points; the model is off by %s in the median, "
                       "%s at worst\n", item, sqlite3_column_int(stmt, 2),
            percent(sqlite3_column_double(stmt, 0), median),
            percent(sqlite3_column_double(stmt, 1), worst));
    if (sqlite3_column_int(stmt, 3) == 0)
        fprintf(page->out, "%sWarning: lack of fit; do not predict with this "
                           "model\n", item);
}

static void each_system(struct chorale_page *page, sqlite3_stmt *stmt)
{
    char title[256];

    snprintf(title, sizeof(title), "%s (%s)", chorale_text(stmt, 0),
             strcmp(chorale_text(stmt, 1), "real") == 0 ? "measured"
                                                             : "simulated");
    chorale_page_heading(page, 1, title);
    fputs(page->markdown ? "- MPI library: " : "  MPI library: ", page->out);
    chorale_page_put(page, chorale_text(stmt, 2));
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
    fprintf(page->out, "%s%lld cells measured, each in ", item,
            (long long)page->ncells);
    if (sqlite3_column_int(stmt, 3) != sqlite3_column_int(stmt, 4))
        fprintf(page->out, "%d to ", sqlite3_column_int(stmt, 3));
    fprintf(page->out, "%d launch%s\n", sqlite3_column_int(stmt, 4),
            sqlite3_column_int(stmt, 4) == 1 ? "" : "es");
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
    put_count(page, count[0], "runs are still pending", "");
    put_count(page, count[1], "runs gave a wrong result: never chosen", "");
    put_count(page, count[2], "runs failed", "");
    put_count(page, count[3], "runs were not applicable", "");
    for (int i = 0; i < CHORALE_NFLAG; i++) {
        char of[160];

        snprintf(of, sizeof(of), "of %lld cells %s%s", (long long)page->ncells,
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
        "SELECT param, dtype, op, level, regime, value, lo, hi, unit"
        " FROM model WHERE system_id = ?1"
        " ORDER BY param, level, regime, dtype, op",
        each_param, msg);
    if (err == CHORALE_OK)
        err = chorale_page_query(
            page,
            "SELECT DISTINCT error, worst_error, npoints, trusted FROM model"
            " WHERE system_id = ?1 ORDER BY 3, 1",
            each_error, msg);
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
    fprintf(page->out, "%sother programs ran beside %d of %d launches (up to "
                       "%.1f processes on a node of %d ranks): measure on an "
                       "idle machine\n", page->markdown ? "- " : "  ",
            sqlite3_column_int(stmt, 0), sqlite3_column_int(stmt, 1),
            sqlite3_column_double(stmt, 2), sqlite3_column_int(stmt, 3));
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
