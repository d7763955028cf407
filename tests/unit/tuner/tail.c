/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.c - what is stored after a copy was published stands in its tail, comes
 * back with the copy, whole records alone and once; and nothing else does, be
 * the file torn, damaged, of another database or made to do harm. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/publish.h"
#include "db/foreign_db.h"
#include "db/tail.h"
#include "db/tail_record.h"
#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"

#define NO_RUNS                                                              \
    "DELETE FROM counter; DELETE FROM sample; DELETE FROM run_summary;"      \
    "DELETE FROM run;"
#define HEAD sizeof(struct chorale_tail_head)

static char copy[128], tail[160], before[160];
static char *bytes;          /* of the tail: */
static size_t size, first;   /* all, and of its first record */
static unsigned lacks;       /* the version that opened() was told of, or 0 */

static int never(void)
{
    return 0;
}

/* Store a run with all that can hang on it, in a transaction of its own. */
static void measure(struct fixture *f, long m, int ordinal)
{
    const struct fixture_run run = { "bcast", "chorale", "linear", "", 4, 1, m,
                                     ordinal, 1e-6 * (double)m, NULL, NULL,
                                     NULL, NULL };
    struct chorale_errmsg msg = { "" };

    chorale_store_begin(f->store, &msg);
    fixture_add(f, &run);
    fixture_exec(
        f, "UPDATE launch SET siblings = 2, part = 'p', seed = -5, job_id ="
        " 'j', host_map = '0,1', finished = 'f', reason = 'why',"
        " started = 's';"
        "UPDATE run SET reason = 'r', stop_reason = 'width', validity = 'late',"
        " first_call = 0.5, sync = 'window', batch = 300, separator = 1e-9,"
        " clock_error = 2e-9, skew = 3e-9;"
        "UPDATE run_summary SET nlate = 1, lo = 0.1, hi = 0.2;"
        "INSERT OR IGNORE INTO environment SELECT launch_id, k, 'x' || k FROM"
        " launch, (SELECT 'a' AS k UNION SELECT 'b');"
        "INSERT OR IGNORE INTO sample SELECT run_id, value, 1e-6 * value,"
        " 1e-7, 2e-7, 3e-7, value % 4, 1 FROM run, (SELECT 0 AS value UNION"
        " SELECT 1 UNION SELECT 70000);"
        "INSERT OR IGNORE INTO counter SELECT run_id, -1, 'e', 7.5 FROM run;"
        "INSERT OR IGNORE INTO counter SELECT run_id, 2, 'none', NULL FROM"
        " run");
    chorale_store_commit(f->store, &msg);
}

/* Runs that the copy has for who opens it; -1: it is refused. same: all of it
 * is as in the database. */
static int opened(struct fixture *f, int *same)
{
    static const char *const table[] = {
        "launch", "environment", "run", "run_summary", "sample", "counter",
    };
    struct chorale_errmsg msg = { "" };
    struct chorale_shard *shard = NULL;
    sqlite3_int64 runs = -1;
    char sql[400];

    if (chorale_shard_open(copy, CHORALE_SHARD_WHOLE, never, &shard, &msg) != CHORALE_OK)
        return -1;
    lacks = chorale_shard_lacks(shard);
    chorale_store_int(chorale_shard_store(shard), "SELECT count(*) FROM run",
                      -1, &runs, &msg);
    if (same != NULL) {
        *same = 1;
        snprintf(sql, sizeof(sql), "ATTACH '%s' AS s",
                 chorale_shard_file(shard));
        fixture_exec(f, sql);
        for (size_t t = 0; t < sizeof(table) / sizeof(table[0]); t++) {
            snprintf(sql, sizeof(sql), "SELECT count(*) FROM (SELECT * FROM"
                     " (SELECT * FROM main.%s EXCEPT SELECT * FROM s.%s)"
                     " UNION ALL SELECT * FROM"
                     " (SELECT * FROM s.%s EXCEPT SELECT * FROM main.%s))",
                     table[t], table[t], table[t], table[t]);
            if (strcmp(fixture_text(f, sql), "0") != 0) {
                tap_diag("%s differs", table[t]);
                *same = 0;
            }
        }
        fixture_exec(f, "DETACH s");
    }
    chorale_shard_close(shard);
    return (int)runs;
}

static void write_file(const char *name, const void *data, size_t n)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, data, n) != (ssize_t)n)
        printf("Bail out! cannot write %s\n", name);
    close(fd);
}

static char *read_file(const char *name, size_t *n)
{
    int fd = open(name, O_RDONLY);
    struct stat st = { .st_size = 0 };
    char *data;

    if (fd >= 0)
        fstat(fd, &st);
    data = malloc((size_t)st.st_size + 1);
    *n = fd >= 0 ? (size_t)read(fd, data, (size_t)st.st_size) : 0;
    if (fd >= 0)
        close(fd);
    return data;
}

static int there(const char *name)
{
    return access(name, F_OK) == 0;
}

/* A record of these rows, its sum right. */
static void write_record(const void *rows, size_t n)
{
    struct chorale_tail_head head = { CHORALE_TAIL_MAGIC,
                                      CHORALE_SCHEMA_VERSION, (uint32_t)n,
                                      chorale_tail_sum(rows, n) };
    char *all = malloc(HEAD + n + 1);

    memcpy(all, &head, HEAD);
    memcpy(all + HEAD, rows, n);
    write_file(tail, all, HEAD + n);
    free(all);
}

/* --- what it is for --------------------------------------------------- */

static void test_replay(struct fixture *f)
{
    struct chorale_errmsg msg = { "" };
    struct stat st = { .st_size = 0 };
    int same = 0;

    measure(f, 8, 0);
    tap_ok(chorale_publish(f->store, copy, &msg) == CHORALE_OK &&
               chorale_store_tail(f->store, copy, &msg) == CHORALE_OK,
           "a database is published, and has a tail from then on");
    tap_ok(!there(tail), "there is no file before there is something in it");
    measure(f, 16, 0);
    stat(tail, &st);
    first = (size_t)st.st_size;
    tap_ok(opened(f, &same) == 2 && same,
           "a run of a launch that the copy has comes with it, to the column");
    measure(f, 32, 1);
    measure(f, 64, 1);
    tap_ok(opened(f, &same) == 4 && same, "so does another launch, with all");
    bytes = read_file(tail, &size);
    tap_diag("the records take %zu bytes", size);
}

/* What a killed writer leaves, and what follows it. */
static void test_torn(struct fixture *f)
{
    char *more = malloc(2 * size + 64);
    int bad = 0, runs, same = 0, last = 0;

    /* Each byte costs an opening of the shard: some are enough. */
    for (size_t n = 0; n <= size; n += n + 19 < size ? 19 : 1) {
        write_file(tail, bytes, n);
        runs = opened(f, NULL);
        bad += runs < last || runs > 4 || (n < first && runs != 1) ||
               (n >= first && n < size && (runs < 2 || runs > 3)) ||
               (n == size && runs != 4);
        last = runs;
    }
    tap_ok(bad == 0, "torn anywhere it gives the records before");
    memcpy(more, bytes, first / 2);
    memcpy(more + first / 2, bytes, size);
    write_file(tail, more, first / 2 + size);
    tap_ok(opened(f, &same) == 4 && same, "what follows a torn one counts");
    memcpy(more, bytes, size);
    memcpy(more + size, bytes, size);
    write_file(tail, more, 2 * size);
    tap_ok(opened(f, &same) == 4 && same, "what comes twice counts once");
    free(more);
}

static void test_damaged(struct fixture *f)
{
    char *hurt = malloc(size);
    int bad = 0;

    for (size_t i = 0; i < size; i += 31) {
        memcpy(hurt, bytes, size);
        hurt[i] ^= (char)(1 << i % 8);
        write_file(tail, hurt, size);
        int runs = opened(f, NULL);

        bad += runs < 1 || runs > 3;
    }
    tap_ok(bad == 0, "a bit that is turned costs that record");
    free(hurt);
}

/* --- groups ----------------------------------------------------------- */

static void test_groups_read(struct fixture *f, const char *one,
                             const char *two)
{
    int same = 0;

    unlink(tail);
    tap_ok(opened(f, NULL) == 1, "files of groups that are empty add none");
    write_file(two, bytes, size);
    tap_ok(opened(f, NULL) == 4, "what a group has counts, behind an empty "
                                    "one");
    write_file(one, bytes, first);
    write_file(tail, bytes, size);
    tap_ok(opened(f, &same) == 4 && same, "what several have, once");
    chorale_tail_drop(copy, 0);
    tap_ok(there(one) && there(two), "published, groups' files stay");
    unlink(tail);
}

/* Those who find them afterwards. */
static void test_groups_taken(const char *one, const char *two)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    char other[176];
    unsigned version = 1;
    sqlite3_int64 runs = -1;
    size_t n;
    char *whole = read_file(copy, &n);

    snprintf(other, sizeof(other), "%s-other", copy);
    write_file(other, whole, n);
    free(whole);
    tap_ok(chorale_store_open(other, CHORALE_STORE_WRITE, &store, &msg) ==
                   CHORALE_OK &&
               chorale_tail_take_in(store, copy, CHORALE_CUTS_NONE, &runs,
                                    &version, &msg) == CHORALE_OK &&
               runs > 0 &&
               chorale_store_int(store, "SELECT count(*) FROM run", 0, &runs,
                                 &msg) == CHORALE_OK &&
               runs == 4 && version == 0 && !there(one) && !there(two),
           "a database takes in what they have, and they go");
    tap_ok(chorale_tail_take_in(store, copy, CHORALE_CUTS_NONE, &runs,
                                &version, &msg) == CHORALE_OK && runs == 0,
           "where there are none there is nothing to take in");
    chorale_store_close(store);
    unlink(other);
}

static void test_groups(struct fixture *f)
{
    char one[176], two[176];
    uint64_t id[2] = { 0, 0 };

    snprintf(one, sizeof(one), "%s-1", tail);
    snprintf(two, sizeof(two), "%s-2", tail);
    chorale_tail_make(copy, 2, id);
    tap_ok(there(one) && there(two) && chorale_tail_seen(copy, 1, id[0]) &&
               chorale_tail_seen(copy, 2, id[1]), "two groups have files");
    tap_ok(!chorale_tail_seen(copy, 1, id[1]) &&
               !chorale_tail_seen(copy, 3, id[1]) &&
               !chorale_tail_seen(copy, 1, 0),
           "another machine's file of that name is not theirs");
    test_groups_read(f, one, two);
    tap_ok(!chorale_tail_seen(copy, 2, id[1]), "nor is one with records");
    test_groups_taken(one, two);
    chorale_tail_make(copy, 2, id);
    id[1]++;
    chorale_tail_unmake(copy, 2, id);
    tap_ok(!there(one) && there(two), "who made them takes his own away");
    chorale_tail_drop(copy, 1);
    chorale_tail_make(copy, 2, id);
    chorale_tail_drop(copy, 1);
    tap_ok(!there(one) && !there(two), "while nobody measures all go");
}

/* --- publishing ------------------------------------------------------- */

/* Killed anywhere in it, nothing is lost or twice. */
static void test_publish(struct fixture *f)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *runner = NULL;
    int same = 0;

    write_file(tail, bytes, size);
    chorale_store_open(f->path, CHORALE_STORE_WRITE, &runner, &msg);
    tap_ok(chorale_store_lock(runner, CHORALE_LOCK_RUNNER, 0, &msg) ==
               CHORALE_OK, "somebody measures");
    chorale_tail_turn(copy);
    tap_ok(there(before) && !there(tail) && opened(f, &same) == 4 && same,
           "to publish begins with another file; both count");
    measure(f, 128, 1);
    tap_ok(there(tail) && opened(f, &same) == 5 && same,
           "what is stored meanwhile is in the new one");
    chorale_tail_turn(copy);
    tap_ok(opened(f, &same) == 5 && same,
           "who was killed then and publishes again leaves both");
    tap_ok(chorale_publish(f->store, copy, &msg) == CHORALE_OK &&
               !there(before) && there(tail),
           "published, the one that is in the copy goes");
    tap_ok(opened(f, &same) == 5 && same, "the other adds nothing twice");
    tap_ok(chorale_publish(f->store, copy, &msg) == CHORALE_OK &&
               !there(before) && !there(tail), "and goes with the next copy");
    write_file(before, bytes, size);
    tap_ok(opened(f, &same) == 5 && same,
           "nor does one of before, which a kill left beside a new copy");
    chorale_store_close(runner);
    tap_ok(chorale_publish(f->store, copy, &msg) == CHORALE_OK &&
               !there(before) && !there(tail),
           "while nobody measures both go");
}

static void test_unwritten(struct fixture *f)
{
    struct chorale_errmsg msg = { "" };
    int same = 0;

    mkdir(tail, 0700);
    measure(f, 256, 2);
    tap_ok(opened(f, NULL) == 5, "a tail that is a folder is none");
    rmdir(tail);
    measure(f, 512, 2);
    tap_ok(opened(f, &same) == 7 && same,
           "what could not be written comes with the next");
    chorale_publish(f->store, copy, &msg);
    mkdir(tail, 0700);
    measure(f, 8, 2);
    rmdir(tail);
    chorale_publish(f->store, copy, &msg);
    measure(f, 16, 2);
    tap_ok(opened(f, &same) == 9 && same,
           "also if a copy has that meanwhile");
}

/* --- what is not ours ------------------------------------------------- */

/* Change the copy. */
static void alter(const char *sql)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;

    if (chorale_store_open(copy, CHORALE_STORE_WRITE, &store, &msg) !=
            CHORALE_OK ||
        chorale_store_exec(store, sql, &msg) != CHORALE_OK)
        printf("Bail out! %s\n", msg.text);
    chorale_store_close(store);
}

static void test_foreign(struct fixture *f)
{
    struct chorale_tail_head *head = (struct chorale_tail_head *)(void *)bytes;
    struct chorale_errmsg msg = { "" };

    chorale_publish(f->store, copy, &msg);
    measure(f, 1024, 3);
    tap_ok(opened(f, NULL) == 10, "one launch more");
    alter("UPDATE cell SET uuid = 'other ' || uuid");
    tap_ok(opened(f, NULL) == 9, "a tail of other cells adds nothing");
    chorale_publish(f->store, copy, &msg);
    measure(f, 2048, 3);
    alter(NO_RUNS "DELETE FROM environment; DELETE FROM launch");
    tap_ok(opened(f, NULL) == 0, "nor one of other launches");
    chorale_publish(f->store, copy, &msg);
    write_file(tail, bytes, size);
    tap_ok(opened(f, NULL) == 11, "one of before adds nothing to what has it");
    alter(NO_RUNS);
    head->schema++;
    write_file(tail, bytes, first);
    tap_ok(opened(f, NULL) == 0, "nor does one of another schema");
    tap_ok(lacks == CHORALE_SCHEMA_VERSION + 1, "which is told");
    bytes[first - 1] ^= 1;
    write_file(tail, bytes, first);
    tap_ok(opened(f, NULL) == 0 && lacks == 0,
           "of a damaged one nothing is known");
    bytes[first - 1] ^= 1;
    head->schema--;
    write_file(tail, bytes, first);
    tap_ok(opened(f, NULL) == 1 && lacks == 0, "of this one it would");
    chorale_publish(f->store, copy, &msg);
}

static void test_hostile(struct fixture *f)
{
    static const char orphan[] = "\4b\0nnnnnn", table[] = "\11b\0",
                      letter[] = "\1xyz", longer[] = "\1t\377\377\377\177a",
                      launch[] = "\0nntnnnnnnnnnnnnn",
                      run[] = "\2nnt\1\0\0\0unnnnnnnnnn";
    const struct {
        const char *what, *rows;
        size_t n;
    } evil[] = {
        { "a sample of no run", orphan, sizeof(orphan) - 1 },
        { "a table that there is not", table, sizeof(table) - 1 },
        { "a letter that there is not", letter, sizeof(letter) - 1 },
        { "a text beyond the end", longer, sizeof(longer) - 1 },
        { "a launch of nothing", launch, sizeof(launch) - 1 },
        { "a run of nothing", run, sizeof(run) - 1 },
        { "no row at all", "", 0 },
    };
    const size_t n = 1 << 20;
    uint64_t *heads = calloc(1, n);

    for (size_t i = 0; i < sizeof(evil) / sizeof(evil[0]); i++) {
        write_record(evil[i].rows, evil[i].n);
        tap_ok(opened(f, NULL) == 11, "%s: left out", evil[i].what);
    }
    alter(NO_RUNS);
    for (size_t i = 0; i + 2 < n / 8; i += 3) {
        heads[i] = CHORALE_TAIL_MAGIC;
        heads[i + 1] = (uint64_t)(n / 2) << 32 | CHORALE_SCHEMA_VERSION;
    }
    heads = realloc(heads, n + first);
    memcpy((char *)heads + n, bytes, first);
    write_file(tail, heads, n + first);
    tap_ok(opened(f, NULL) == 0, "heads without end: soon given up");
    free(heads);
}

/* Triggers of the copy see nothing of it. */
static void test_triggers(struct fixture *f)
{
    struct chorale_errmsg msg = { "" };
    int same = 0;

    chorale_publish(f->store, copy, &msg);
    alter("CREATE TRIGGER evil AFTER INSERT ON run BEGIN"
          " DELETE FROM sample; END");
    measure(f, 4096, 3);
    tap_ok(there(tail) && opened(f, &same) == 12 && same,
           "a trigger of the copy does not act");
}

/* Cells are planned before a copy is published. */
static void plan(struct fixture *f)
{
    for (long m = 8; m <= 4096; m *= 2) {
        const struct fixture_run run = { "bcast", "chorale", "linear", "", 4,
                                         1, m, 0, 1, NULL, NULL, NULL, NULL };

        fixture_add(f, &run);
    }
    fixture_exec(f, "DELETE FROM run_summary; DELETE FROM run;"
                 " DELETE FROM launch");
}

int main(void)
{
    struct fixture f;

    fixture_open(&f, "here", 0);
    snprintf(copy, sizeof(copy), "%s/copy.db", f.dir);
    snprintf(tail, sizeof(tail), "%s" CHORALE_TAIL_SUFFIX, copy);
    snprintf(before, sizeof(before), "%s" CHORALE_TAIL_BEFORE, copy);
    plan(&f);
    test_replay(&f);
    test_torn(&f);
    test_damaged(&f);
    test_groups(&f);
    test_publish(&f);
    test_unwritten(&f);
    test_foreign(&f);
    test_hostile(&f);
    test_triggers(&f);
    free(bytes);
    unlink(copy);
    unlink(tail);
    fixture_close(&f);
    return tap_done();
}
