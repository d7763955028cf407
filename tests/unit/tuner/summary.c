/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - the summary of a small database has the right numbers, fits a
 * terminal, and does not interpret foreign text. */
#include "tuner/summary/summary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

/* Four measured points of the library. A row with x2 covers two of them, one
 * with x0.5 covers one, none covers the fourth: geometric mean 2^(1/4) = 1.19.
 * */
static const char rows[] =
    "INSERT INTO system VALUES (7, 's', '<b>|x', 'simulated', 'sig',"
    " 'lib `x` [a](b)', '');"
    "INSERT INTO campaign (campaign_id, uuid, system_id, created, command,"
    " seed, launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,"
    " max_memory, sync, launcher)"
    " VALUES (1, 'c', 7, '', '', 1, 1, 2, 9, 1, 0.1, 1, 9, 'barrier',"
    " 'custom');"
    "INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,"
    " comm_size, ppn, shape, seed, started, status)"
    " VALUES (1, 'l', 1, 7, 0, 4, 1, 'block', 1, '', 'done');"
    "INSERT INTO environment VALUES (1, 'import:seconds', 'mean over <all>');"
    "WITH k (i) AS (VALUES (0), (1), (2), (3))"
    "INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider,"
    " variant, coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,"
    " buffers, launches) SELECT i, 'c' || i, 1, 7, 'library', 'default',"
    " 'bcast', 1024 << 2 * i, 1024 << 2 * i, 4, 1, 'block', 'byte', 'first',"
    " 'warm', 1 FROM k;"
    "INSERT INTO run (run_id, uuid, cell_id, launch_id, status, validity)"
    " SELECT cell_id, uuid, cell_id, 1, 'ok',"
    " iif(cell_id = 3, 'late,oversubscribed,late', '') FROM cell;"
    "INSERT INTO run_summary SELECT run_id, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1,"
    " 1 FROM run;"
    "INSERT INTO decision (decision_id, system_id, coll, comm_size, ppn,"
    " shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,"
    " seconds, library_seconds, speedup, speedup_lo, speedup_hi, regret,"
    " reason) VALUES"
    " (1, 7, 'bcast', 4, 1, 'block', 'byte', '', 0, 4096, 'chorale', 'good',"
    "  '', 'measured', 1, 2, 2, 1.9, 2.1, 0, ''),"
    " (2, 7, 'bcast', 4, 1, 'block', 'byte', '', 4097, 65535, 'chorale',"
    "  'poor', 'segsize=8', 'measured', 2, 1, 0.5, NULL, NULL, 0, ''),"
    " (3, 7, 'bcast', 4, 1, 'block', 'byte', '', 65536, 9223372036854775807,"
    "  'library', 'default', '', 'library', 1, 1, 1, 1, 1, 0, '');"
    "INSERT INTO decision (system_id, target, coll, comm_size, ppn, shape,"
    " dtype, op, n_lo, n_hi, provider, variant, params, basis, speedup, reason)"
    " VALUES (7, 'rules', 'bcast', 4, 1, 'block', 'byte', '', 0,"
    "  9223372036854775807, 'native', 'theirs', '', 'measured', 3, '');"
    "WITH RECURSIVE k (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM k"
    "  WHERE i < 13) INSERT INTO model (system_id, level, param, value, lo, hi,"
    " unit, npoints, error, worst_error, trusted) SELECT 7,"
    " iif(i = 1, 'mirror', iif(i = 13, 'shift 9', 'pairs ' || i)), 'kappa',"
    " iif(i = 13, 2, 1), 0.99, 1.01, 'ways', 4, 0.34, 1.2, 0 FROM k;"
    "INSERT INTO model VALUES (100, 7, 'all', 'all', 'beta', '', '', 1e-9,"
    " 0.5e-9, 2e-9, 's/byte', 4, 0.34, 1.2, 0, NULL, 0);";

static struct chorale_store *store;

static char *summary(int markdown)
{
    struct chorale_errmsg msg = { "" };
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum chorale_err err = CHORALE_ENV;

    if (out != NULL) {
        err = chorale_summary_print(store, 7, out, markdown, &msg);
        fclose(out);
    }
    tap_ok(err == CHORALE_OK, "%s is printed", markdown ? "Markdown" : "text");
    if (err != CHORALE_OK)
        tap_diag("%s", msg.text);
    return text;
}

static void expect(const char *text, const char *part, const char *what)
{
    if (!tap_ok(text != NULL && strstr(text, part) != NULL, "%s", what))
        tap_diag("no '%s' in: %s", part, text != NULL ? text : "nothing");
}

static void check_text(void)
{
    static const char *const want[][2] = {
        { "<b>|x (simulated)", "plain text keeps the name" },
        { "imported; a time is the mean over <all>\n",
          "what an imported time is, is printed" },
        { "0 B to 4 KiB", "a range up to a whole size is printed" },
        { "4097 B to < 64 KiB",
          "a range to just below a whole size is printed" },
        { "from 64 KiB", "an open range is printed" },
        { "x2.00 [1.90, 2.10]", "a speed-up is printed with its interval" },
        { "poor segsize=8", "a variant is printed with its parameters" },
        { "2 of 4 measured points gain", "points with a gain are counted" },
        { "over all points x1.19", "the geometric mean weighs by points" },
        { "Best:  x2.00, bcast, P = 4", "the best point is printed" },
        { "Least: x0.50, bcast, P = 4", "the worst point is printed" },
        { "\nbeta", "a parameter of the model is a row" },
        { "ns/B  0.5 to 2", "an interval has the unit of its value" },
        { "time of a byte in a message: 1 GB/s",
          "the meaning of a parameter is printed" },
        { "\nkappa mirror and 11 others  1", "equal kappas are one row" },
        { "\nkappa shift 9 ", "another kappa has a row of its own" },
        { "differs from 4 measured points by 34 % in the median and 120 % at "
          "worst:\ndo not trust it",
          "the first sentence states whether to trust the model" },
        { "\nRule files: bcast\n", "the table for rule files is printed" },
        { "theirs  x3.00", "choices for rule files have their speed-up" },
        { "4 of 4 measured points gain",
          "points of the table for rule files are counted" },
        { "over all points x3.00",
          "the gain of rule files is a mean over their rows" },
        { "1 of 4 cells oversubscribed", "a flag counts once per cell" },
        { "1 of 4 cells late", "each flag of a cell counts" },
    };
    char *text = summary(0);
    size_t longest = 0, len;

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        expect(text, want[i][0], want[i][1]);
    for (const char *p = text; p != NULL && *p != '\0'; p += len + 1) {
        len = strcspn(p, "\n");
        if (len > longest)
            longest = len;
        if (p[len] == '\0')
            break;
    }
    tap_ok(longest > 0 && longest <= 100,
           "no line is longer than 100 characters");
    free(text);
}

static void check_markdown(void)
{
    char *text = summary(1);

    expect(text, "# \\<b>\\|x (simulated)", "markup in a name is escaped");
    expect(text, "lib \\`x\\` [a]\\(b)",
           "code and links in a name are escaped");
    expect(text, "| 4 | 0 B to 4 KiB | good | x2.00 [1.90, 2.10] |\n",
           "the table of decisions has the row");
    free(text);
}

/* Load of a node at the end of a launch. It is not reported for a simulated
 * system, nor if the launch's own rank explains it. */
static void check_load(void)
{
    struct chorale_errmsg msg = { "" };
    char *text;

    tap_ok(chorale_store_exec(store, "INSERT INTO environment VALUES (1,"
                                     " 'host:n1:load_after', '2.7')",
                              &msg) == CHORALE_OK, "a load: %s", msg.text);
    text = summary(0);
    tap_ok(strstr(text, "other programs") == NULL,
           "the load of a simulating machine is not reported");
    free(text);
    chorale_store_exec(store, "UPDATE system SET kind = 'real'", &msg);
    text = summary(0);
    expect(text, "other programs ran during 1 of 1 launch (up to 2.7",
           "the load of a real system is reported");
    free(text);
    chorale_store_exec(store, "UPDATE environment SET value = '1.4'", &msg);
    text = summary(0);
    tap_ok(strstr(text, "other programs") == NULL,
           "the launch's own ranks are not other programs");
    free(text);
    chorale_store_exec(store, "UPDATE system SET kind = 'simulated'", &msg);
}

/* Two launches, each on two nodes; then the second one on other nodes. */
static void check_places(void)
{
    struct chorale_errmsg msg = { "" };
    char *text;

    tap_ok(chorale_store_exec(
               store,
               "UPDATE system SET kind = 'real';"
               "INSERT INTO launch (launch_id, uuid, campaign_id, system_id,"
               " ordinal, comm_size, ppn, shape, seed, started, status)"
               " VALUES (2, 'l2', 1, 7, 1, 4, 1, 'block', 1, '', 'done');"
               "INSERT INTO environment VALUES (1, 'host:0', 'a'),"
               " (1, 'host:1', 'b'), (2, 'host:0', 'b'), (2, 'host:1', 'a'),"
               " (2, 'host:1:cpu_model', 'other')", &msg) == CHORALE_OK,
           "two launches: %s", msg.text);
    text = summary(0);
    expect(text, "  the 2 launches of P = 4 all ran on the same nodes",
           "the same nodes in another order count as the same");
    free(text);
    chorale_store_exec(store, "UPDATE environment SET value = 'c'"
                       " WHERE launch_id = 2 AND key = 'host:0'", &msg);
    text = summary(1);
    expect(text, "- the 2 launches of P = 4 ran on 2 different sets of nodes",
           "different nodes are reported");
    free(text);
    chorale_store_exec(store, "UPDATE environment SET value = 'a'"
                       " WHERE key = 'host:1'; DELETE FROM environment"
                       " WHERE key = 'host:0'", &msg);
    text = summary(0);
    tap_ok(strstr(text, "of nodes") == NULL,
           "launches on one node each are not reported");
    free(text);
    chorale_store_exec(store, "DELETE FROM environment WHERE key GLOB"
                       " 'host:1*'; DELETE FROM launch WHERE launch_id = 2;"
                       "UPDATE system SET kind = 'simulated'", &msg);
}

/* Only the library's own algorithms have choices: one result, of these. */
static void check_only_rules(void)
{
    struct chorale_errmsg msg = { "" };
    char *text;

    tap_ok(chorale_store_exec(store, "DELETE FROM decision WHERE target ="
                              " 'dispatch' AND provider = 'chorale'",
                              &msg) == CHORALE_OK, "no variant: %s", msg.text);
    text = summary(0);
    expect(text, "\nResult\n", "without a variant of Chorale there is a result");
    expect(text, "over all points x3.00", "it counts the rule file's choices");
    tap_ok(text != NULL && strstr(text, "Rule files: result") == NULL &&
               strstr(text, "over all points x1.00") == NULL,
           "no other result is printed");
    free(text);
}

static void check_write(const char *db)
{
    struct chorale_errmsg msg = { "" };
    char path[256], line[256] = "";
    FILE *in;

    snprintf(path, sizeof(path), "%s.md", db);
    tap_ok(chorale_summary_write(store, 7, path, &msg) == CHORALE_OK,
           "the summary file is written");
    in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        if (line[0] == '#')
            break;
    tap_ok(strncmp(line, "# ", 2) == 0, "the file is Markdown");
    if (in != NULL)
        fclose(in);
    tap_ok(chorale_summary_write(store, 8, path, &msg) == CHORALE_DATA,
           "an unknown system is CHORALE_DATA");
    tap_ok(access(path, F_OK) == 0, "the previous file is kept after an error");
    unlink(path);
    tap_ok(chorale_summary_write(store, 7, "/nonexistent/x.md", &msg) ==
                   CHORALE_ENV &&
               strstr(msg.text, "/nonexistent/x.md") != NULL,
           "a file that cannot be made is CHORALE_ENV and named");
}

int main(void)
{
    struct chorale_errmsg msg = { "" };
    char dir[] = "summary.XXXXXX", db[64];

    if (mkdtemp(dir) == NULL)
        return 1;
    snprintf(db, sizeof(db), "%s/x.db", dir);
    if (chorale_store_open(db, CHORALE_STORE_CREATE, &store, &msg) !=
            CHORALE_OK ||
        chorale_store_exec(store, rows, &msg) != CHORALE_OK) {
        tap_ok(0, "the database is opened: %s", msg.text);
    } else {
        check_text();
        check_markdown();
    check_load();
    check_places();
        check_write(db);
        check_only_rules();
    }
    chorale_store_close(store);
    unlink(db);
    snprintf(db, sizeof(db), "%s/x.db.lock", dir);
    unlink(db);
    rmdir(dir);
    return tap_done();
}
