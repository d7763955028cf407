/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - speed and memory of storing samples and reading them back.
 *
 *   store fill FILE.db NCAND NREP NSAMPLE  store NSAMPLE samples through the
 *                                     runner's record.c: points of NCAND
 *                                     candidates with NREP repetitions and
 *                                     Chorale's five counters, five launches
 *   store query FILE.db SQL                seconds of a query
 *   store cells FILE.db NCELL              a plan of NCELL cells in one launch,
 *                                     nearly all too large for its memory, so
 *                                     that a runner is finished soon
 *   store runs FILE.db NCELL               the same with the runs of five
 *                                     launches, five samples per run
 *   store publish FILE.db NCAND NREP NRUN  the cost of a point in a shard of
 *                                     NRUN runs: to store it, and to publish
 *                                     the shard; medians, and the maximum
 *   store memory MB COMMAND...             peak memory of a command and its
 *                                     children; exit code 1 if above MB
 *
 * Each number is printed with its limit; a missed limit is marked "MISSED".
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "db/quantiles.h"
#include "db/publish.h"
#include "runners/measure/runner.h"

#define LAUNCHES 5
#define LEAST_RATE 1e6       /* samples stored per second of processor time */
#define POINTS 100
#define COPIES 5
#define MOST_SECONDS 10.0    /* of a query over ten million samples */

/* Symbols of other files of the runner that record.c needs. */
const char *const chorale_sync_names[CHORALE_NSYNC] = { "roundtime", "window",
                                                        "barrier" };

int chorale_counters_count(const struct chorale_bench *bench)
{
    (void)bench;
    return 0;
}

const char *chorale_counters_name(const struct chorale_bench *bench, int i)
{
    (void)bench;
    (void)i;
    return "";
}

static void die(const char *what)
{
    fprintf(stderr, "store: %s\n", what);
    exit(1);
}

static double wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct chorale_store *open_store(const char *path,
                                        enum chorale_store_mode mode)
{
    struct chorale_store *store = NULL;
    struct chorale_errmsg msg = { "" };

    if (chorale_store_open(path, mode, &store, &msg) != CHORALE_OK)
        die(msg.text);
    return store;
}

static const char *missed(int is)
{
    return is ? ", MISSED" : "";
}

static void execute(struct chorale_store *store, const char *sql)
{
    struct chorale_errmsg msg = { "" };

    if (chorale_store_exec(store, sql, &msg) != CHORALE_OK)
        die(msg.text);
}

/* Insert a system, a campaign and npoint points of ncand candidates, the
 * library first, and their launches. */
static void plan(struct chorale_store *store, long npoint, int ncand)
{
    char sql[1200];

    execute(store,
            "INSERT INTO system VALUES (1, 's', 's', 'real', 's', 'MPI', '');"
            "INSERT INTO campaign (campaign_id, uuid, system_id, created,"
            " command, seed, launches, nrep_min, nrep_max, nwarmup,"
            " target_width, cell_seconds, max_memory, sync, launcher) VALUES"
            " (1, 'c', 1, '', '', 1, 5, 5, 100, 1, 0.05, 0.5, 1000000,"
            " 'roundtime', 'mpiexec');"
            "WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k"
            " WHERE i < 4) INSERT INTO launch (launch_id, uuid, campaign_id,"
            " system_id, ordinal, comm_size, ppn, shape, seed, started,"
            " status) SELECT i + 1, 'l' || i, 1, 1, i, 2, 2, 'single-node',"
            " 1, '', 'done' FROM k;");
    snprintf(sql, sizeof(sql),
             "BEGIN;"
             "WITH RECURSIVE p(m) AS (SELECT 0 UNION ALL SELECT m + 1 FROM p"
             " WHERE m < %ld), k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k"
             " WHERE i < %d) INSERT INTO cell (uuid, campaign_id, system_id,"
             " provider, variant, params, coll, msg_size, n, comm_size, ppn,"
             " shape, dtype, root_policy, buffers, launches)"
             " SELECT printf('01234567-89ab-cdef-0123-%%012d', m * %d + i), 1,"
             " 1, iif(i = 0, 'library', 'chorale'), iif(i = 0, 'default',"
             " 'chain'), iif(i = 0, '', 'fanout=1,segsize=' || i), 'bcast', m,"
             " m, 2, 2, 'single-node', 'byte', 'rotate', 'warm', %d FROM p, k;"
             "COMMIT", npoint - 1, ncand - 1, ncand, LAUNCHES);
    execute(store, sql);
}

/* Insert a run of every cell in every launch, with its dependent rows. */
static void measure(struct chorale_store *store)
{
    execute(store,
            "BEGIN;"
            "INSERT INTO environment SELECT launch_id, 'key', 'value'"
            "  FROM launch;"
            "INSERT INTO run (uuid, cell_id, launch_id, status, stop_reason)"
            "  SELECT printf('%08x-0123-4567-89ab-%012x', launch_id, cell_id),"
            "  cell_id, launch_id, 'ok', 'width' FROM launch, cell;"
            "INSERT INTO run_summary SELECT run_id, 5, 0, t, t, t, t, t, t, t,"
            "  t, t, t FROM (SELECT run_id, 1e-6 * (1 + run_id * 7919 % 1009)"
            "    AS t FROM run);"
            "WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k"
            "  WHERE i < 4) INSERT INTO sample SELECT run_id, i,"
            "  1e-6 * (1 + run_id * 7919 % 1009), 0, 1e-8, NULL, NULL, 0"
            "  FROM run CROSS JOIN k;"
            "INSERT INTO counter SELECT run_id, -1, 'chorale::messages', 7"
            "  FROM run;"
            "COMMIT");
}

static void invent(struct chorale_result *res, int nrep, long seed)
{
    for (int i = 0; i < nrep; i++) {
        double t = 1e-5 * (1 + (double)((seed + i) * 7919 % 1009) / 5000);

        res->sample[i] = (struct chorale_sample){
            .seconds = t, .first_in = 1e-8, .last_in = 2e-8,
            .root_out = 0.9 * t, .root = i % 3, .late = 0 };
    }
}

/* Points of one launch, without cells and samples. */
struct points {
    struct chorale_bench bench;
    struct chorale_task task;
    struct chorale_result *res;
    int nrep;
};

static void make_points(struct points *at, int ncand, int nrep)
{
    struct chorale_cand *cand = calloc((size_t)ncand, sizeof(*cand));

    at->nrep = nrep;
    at->res = calloc((size_t)ncand, sizeof(*at->res));
    if (cand == NULL || at->res == NULL)
        die("out of memory");
    at->task = (struct chorale_task){ .coll = chorale_coll_find("bcast"),
                                      .op = -1, .ncand = ncand };
    at->bench.work.cand = cand;
    for (int c = 0; c < ncand; c++) {
        struct chorale_result *res = &at->res[c];

        cand[c].provider = c == 0 ? CHORALE_PROVIDER_LIBRARY
                                  : CHORALE_PROVIDER_CHORALE;
        *res = (struct chorale_result){ .stop_reason = "width", .batch = 1,
                                        .first_call = 1e-3,
                                        .clock_error = 1e-7,
                                        .nsample = nrep };
        res->sample = calloc((size_t)nrep, sizeof(*res->sample));
        if (res->sample == NULL)
            die("out of memory");
    }
}

static void free_points(struct points *at)
{
    for (int c = 0; c < at->task.ncand; c++)
        free(at->res[c].sample);
    free(at->res);
    free(at->bench.work.cand);
}

static void record(struct points *at, struct chorale_store *store, long p)
{
    struct chorale_errmsg msg = { "" };

    for (int c = 0; c < at->task.ncand; c++) {
        at->bench.work.cand[c].cell_id = p * at->task.ncand + c + 1;
        invent(&at->res[c], at->nrep, p + c);
    }
    if (chorale_record_point(store, &at->bench, &at->task, at->res, &msg) !=
        CHORALE_OK)
        die(msg.text);
}

static void fill(const char *path, int ncand, int nrep, long nsample)
{
    struct chorale_store *store = open_store(path, CHORALE_STORE_CREATE);
    long npoint = nsample / ((long)ncand * nrep * LAUNCHES), stored = 0;
    struct points at = { .nrep = nrep };
    double begun, begun_cpu;

    if (npoint < 1)
        die("too few samples");
    plan(store, npoint, ncand);
    make_points(&at, ncand, nrep);
    begun = wall();
    begun_cpu = cpu();
    for (int l = 0; l < LAUNCHES; l++) {
        at.bench.work.launch_id = l + 1;
        for (long p = 0; p < npoint; p++) {
            record(&at, store, p);
            stored += (long)ncand * nrep;
        }
    }
    begun = wall() - begun;
    begun_cpu = cpu() - begun_cpu;
    printf("# %ld samples of %ld runs in %ld points of %d x %d: %.2f s,"
           " %.0f samples/s; processor time %.2f s, %.0f samples/s (at least"
           " %.0f)%s\n",
           stored, stored / nrep, npoint * LAUNCHES, ncand, nrep, begun,
           (double)stored / begun, begun_cpu, (double)stored / begun_cpu,
           LEAST_RATE, missed((double)stored / begun_cpu < LEAST_RATE));
    free_points(&at);
    chorale_store_close(store);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void say_times(const char *what, double *seconds, int n)
{
    qsort(seconds, (size_t)n, sizeof(*seconds), by_value);
    printf("#   %s: %.0f us (%.0f to %.0f)\n", what, 1e6 * seconds[n / 2],
           1e6 * seconds[0], 1e6 * seconds[n - 1]);
}

static void publish(const char *path, int ncand, int nrep, long nrun)
{
    struct chorale_store *store = open_store(path, CHORALE_STORE_CREATE);
    long before = nrun / ncand;
    double stored[POINTS], out[COPIES];
    struct chorale_errmsg msg = { "" };
    struct points at = { .nrep = nrep };
    char copy[4096];

    snprintf(copy, sizeof(copy), "%s-copy", path);
    plan(store, before + POINTS, ncand);
    make_points(&at, ncand, nrep);
    at.bench.work.launch_id = 1;
    execute(store, "PRAGMA synchronous = OFF");
    for (long p = 0; p < before; p++)
        record(&at, store, p);
    execute(store, "PRAGMA synchronous = FULL");
    for (int i = 0; i < COPIES; i++) {
        out[i] = wall();
        if (chorale_publish(store, copy, &msg) != CHORALE_OK)
            die(msg.text);
        out[i] = wall() - out[i];
    }
    for (int i = 0; i < POINTS; i++) {
        stored[i] = wall();
        record(&at, store, before + i);
        stored[i] = wall() - stored[i];
    }
    printf("# beside %ld runs, a point of %d x %d:\n", nrun, ncand, nrep);
    say_times("to store it", stored, POINTS);
    say_times("to publish all", out, COPIES);
    free_points(&at);
    chorale_store_close(store);
}

static void query(const char *path, const char *sql)
{
    struct chorale_store *store = open_store(path, CHORALE_STORE_READ);
    struct chorale_errmsg msg = { "" };
    double begun = wall(), begun_cpu = cpu();
    sqlite3_int64 value = 0;

    if (chorale_store_int(store, sql, 0, &value, &msg) != CHORALE_OK)
        die(msg.text);
    begun_cpu = cpu() - begun_cpu;
    printf("# %s: %lld in %.2f s, processor time %.2f s (at most %g)%s\n", sql,
           (long long)value, wall() - begun, begun_cpu, MOST_SECONDS,
           missed(begun_cpu > MOST_SECONDS));
    chorale_store_close(store);
}

static int memory(double most, char **words)
{
    struct rusage used;
    double begun = wall(), is;
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        execvp(words[0], words);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &used) != pid)
        die("cannot start the command");
    is = (double)used.ru_maxrss * 1024 / 1e6;
    printf("# %s %s: %.1f MB (at most %g)%s, %.2f s\n", words[0],
           words[1] != NULL ? words[1] : "", is, most, missed(is > most),
           wall() - begun);
    if (!WIFEXITED(status))
        return 128;
    return WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : is > most;
}

int main(int argc, char **argv)
{
    if (argc == 6 && strcmp(argv[1], "fill") == 0) {
        fill(argv[2], atoi(argv[3]), atoi(argv[4]), atol(argv[5]));
    } else if (argc == 4 && strcmp(argv[1], "query") == 0) {
        query(argv[2], argv[3]);
    } else if (argc == 4 && strcmp(argv[1], "cells") == 0) {
        struct chorale_store *store = open_store(argv[2],
                                                 CHORALE_STORE_CREATE);

        plan(store, atol(argv[3]) / 20, 20);
        execute(store, "DELETE FROM launch; UPDATE cell SET launches = 1;"
                       "UPDATE campaign SET launches = 1, max_memory = 1,"
                       " nrep_max = 5");
        chorale_store_close(store);
    } else if (argc == 4 && strcmp(argv[1], "runs") == 0) {
        struct chorale_store *store = open_store(argv[2],
                                                 CHORALE_STORE_CREATE);

        plan(store, atol(argv[3]) / 20, 20);
        measure(store);
        chorale_store_close(store);
    } else if (argc == 6 && strcmp(argv[1], "publish") == 0) {
        publish(argv[2], atoi(argv[3]), atoi(argv[4]), atol(argv[5]));
    } else if (argc > 3 && strcmp(argv[1], "memory") == 0) {
        return memory(atof(argv[2]), argv + 3);
    } else {
        die("see the heading of store.c for its words");
    }
    return 0;
}
