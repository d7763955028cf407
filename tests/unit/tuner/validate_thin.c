/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_thin.c - a validation with little time measures some of the points:
 * those with a choice before those of the library, and evenly. */
#include "tuner/assess/validate.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

enum { POINTS = 20 };

/* Ten runs of 4 ranks took 10 s, a launch of 16 had none, and none had 8. A
 * launch is expected to take 1.3 times its runs. */
static const char rows[] =
    "INSERT INTO system VALUES (7, 's', 's', 'simulated', 'sig', 'lib', '');"
    "INSERT INTO campaign (campaign_id, uuid, system_id, created, command,"
    " seed, launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,"
    " max_memory, sync, launcher)"
    " VALUES (1, 'c', 7, '', '', 1, 1, 2, 9, 1, 0.1, 1, 9, 'barrier',"
    " 'custom');"
    "INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,"
    " comm_size, ppn, shape, seed, started, finished, status) VALUES"
    " (1, 'a', 1, 7, 0, 4, 1, 'block', 1, '2026-01-01T00:00:00Z',"
    "  '2026-01-01T00:00:10Z', 'done'),"
    " (2, 'b', 1, 7, 0, 4, 1, 'block', 1, '2026-01-01T00:00:00Z',"
    "  '2026-01-01T09:00:00Z', 'failed'),"
    " (3, 'd', 1, 7, 0, 16, 1, 'block', 1, '2026-01-01T00:00:00Z',"
    "  '2026-01-01T00:00:00Z', 'done');"
    "WITH RECURSIVE k (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM k"
    "  WHERE i < 9)"
    "INSERT INTO cell (cell_id, uuid, campaign_id, system_id, provider,"
    " variant, coll, msg_size, n, comm_size, ppn, shape, dtype, root_policy,"
    " buffers, launches) SELECT i, 'c' || i, 1, 7, 'library', 'default',"
    " 'bcast', i, i, 4, 1, 'block', 'byte', 'first', 'warm', 1 FROM k;"
    "INSERT INTO run (run_id, uuid, cell_id, launch_id, status)"
    " SELECT cell_id, uuid, cell_id, 1, 'ok' FROM cell;";

/* Each second point has a choice other than the library. Returns how many of
 * the points remain; *gap: the largest distance between two of them. */
static size_t thin(struct chorale_store *store, int comm_size, long launches,
                   int both, double seconds, size_t *gap)
{
    struct chorale_proof_point point[POINTS];
    struct chorale_errmsg msg = { "" };
    size_t count = POINTS;

    memset(point, 0, sizeof(point));
    for (size_t i = 0; i < POINTS; i++) {
        point[i].at.comm_size = comm_size;
        point[i].at.msg_size = i;
        point[i].at.arrival = "sync";
        point[i].pattern[0] = "sync";
        strcpy(point[i].choice, i % 2 == 0 ? "library" : "ring");
    }
    if (chorale_proof_thin(store, 7, launches, both, seconds, point, &count,
                           &msg) != CHORALE_OK) {
        tap_diag("%s", msg.text);
        return 0;
    }
    *gap = 0;
    for (size_t i = 1; i < count; i++)
        if (point[i].at.msg_size - point[i - 1].at.msg_size > *gap)
            *gap = point[i].at.msg_size - point[i - 1].at.msg_size;
    return count;
}

int main(void)
{
    static const struct {
        int comm_size;
        long launches;
        int both;
        double seconds;
        size_t count, gap;
        const char *what;
    } want[] = {
        { 4, 1, 0, 53, 20, 1, "all points remain if there is time for them" },
        { 4, 1, 0, 26, 10, 2, "first the points of the library are left out" },
        { 4, 2, 0, 26, 5, 4, "each launch takes its time" },
        { 4, 1, 0, 13, 5, 4, "then each second one of the others" },
        { 4, 1, 1, 26, 5, 4, "calls back to back of choices take as long" },
        { 4, 1, 0, 1e-9, 1, 0, "one point remains" },
        { 8, 1, 0, 1e-9, 20, 1, "all points remain if no run was timed" },
        { 16, 1, 0, 1e-9, 20, 1, "all points remain if no launch has runs" },
    };
    char path[] = "/tmp/chorale-thin-XXXXXX";
    struct chorale_store *store = NULL;
    struct chorale_errmsg msg = { "" };
    int fd = mkstemp(path);

    if (fd >= 0)
        close(fd);
    tap_ok(fd >= 0 && chorale_store_open(path, CHORALE_STORE_CREATE, &store,
                                         &msg) == CHORALE_OK &&
               chorale_store_exec(store, rows, &msg) == CHORALE_OK,
           "a database is made");
    if (msg.text[0] != '\0')
        tap_diag("%s", msg.text);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
        size_t gap = 0, count = thin(store, want[i].comm_size,
                                     want[i].launches, want[i].both,
                                     want[i].seconds, &gap);

        if (!tap_ok(count == want[i].count && gap == want[i].gap, "%s",
                    want[i].what))
            tap_diag("%zu points, at most %zu apart", count, gap);
    }
    chorale_store_close(store);
    unlink(path);
    return tap_done();
}
