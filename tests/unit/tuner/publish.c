/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.c - a launch publishes its database after each stored point that ends
 * long enough after the last publication, and readers find a whole copy.
 *
 * Time does not pass here: publications are a million seconds apart, and the
 * time of the last one is set. */
#include <stdio.h>
#include <unistd.h>

#include "db/foreign_db.h"
#include "db/publish.h"
#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/run/session.h"

#define APART 1e6 /* s, between two publications */

static char copy[128];

static int never(void)
{
    return 0;
}

static enum chorale_err publish(void *arg, struct chorale_store *store,
                                struct chorale_errmsg *msg)
{
    ++*(int *)arg;
    return chorale_publish(store, copy, msg);
}

/* The runner stores a point at message size m. */
static void measure(struct fixture *f, long m)
{
    const struct fixture_run run = { "bcast", "chorale", "linear", "", 4, 1, m,
                                     0, 1e-6 * (double)m, NULL, NULL, NULL,
                                     NULL };

    fixture_add(f, &run);
}

/* Number of runs in the published copy; -1: it cannot be read. */
static int published(void)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_shard *shard = NULL;
    sqlite3_int64 runs = -1;

    if (chorale_shard_open(copy, never, &shard, &msg) == CHORALE_OK)
        chorale_store_int(chorale_shard_store(shard),
                          "SELECT count(*) FROM run", -1, &runs, &msg);
    chorale_shard_close(shard);
    return (int)runs;
}

static void one_launch(struct fixture *f, struct chorale_session *s,
                       int *count)
{
    struct chorale_cosched fellow = { .p = { .comm_size = 4, .siblings = 1 } };

    chorale_session_begin(s, &fellow, 1);
    s->published -= 2 * APART;
    chorale_session_line(s, "@try 1", 0);
    tap_ok(*count == 0, "a point that has begun publishes nothing");
    measure(f, 8);
    chorale_session_line(s, "@point 1 bcast 8 4", 0);
    tap_ok(*count == 1 && published() == 1,
           "a point that ends long after the last publication is published");
    measure(f, 64);
    chorale_session_line(s, "@point 1 bcast 64 4", 0);
    chorale_session_line(s, "@try 0", 0);
    tap_ok(*count == 1 && published() == 1, "an earlier one is not");
    s->published -= 2 * APART;
    measure(f, 512);
    chorale_session_line(s, "@point 1 bcast 512 4", 0);
    tap_ok(*count == 2 && published() == 3,
           "the next publication has all points until then");
}

static void groups(struct fixture *f, struct chorale_session *s, int *count)
{
    struct chorale_cosched fellow[2] = { { .p = { .comm_size = 4,
                                                 .siblings = 1 } } };

    *count = 0;
    chorale_session_begin(s, fellow, 2);
    s->published -= 2 * APART;
    chorale_session_line(s, "@point 1 bcast 4096 2", 0);
    tap_ok(*count == 0, "the end of a group's point publishes nothing");
    measure(f, 4096);
    chorale_session_line(s, "@stored", 0);
    tap_ok(*count == 1 && published() == 4,
           "the group's point is published when rank 0 has stored it");
}

int main(void)
{
    struct chorale_run_opts opts = CHORALE_RUN_DEFAULTS;
    struct chorale_session s = { .opts = &opts };
    struct chorale_errmsg msg = { "" };
    struct fixture f;
    int count = 0;

    tap_ok(opts.publish_seconds <= 10,
           "by default a finished point is published within ten seconds");
    fixture_open(&f, "here", 0);
    snprintf(copy, sizeof(copy), "%s/copy.db", f.dir);
    s.store = f.store;
    s.msg = &msg;
    opts.launched = publish;
    opts.launched_arg = &count;
    opts.publish_seconds = APART;
    chorale_progress_start(&s.bar, 1, 0, 0, 9);
    one_launch(&f, &s, &count);
    groups(&f, &s, &count);
    unlink(copy);
    fixture_close(&f);
    return tap_done();
}
