/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - how fast samples are stored and read back, and in how much memory.
 *
 *   store fill FILE.db NCAND NREP NSAMPLE  NSAMPLE samples through the runner's
 *                                     own record.c, points of NCAND candidates
 *                                     with NREP repetitions and our five
 *                                     counters, five launches
 *   store query FILE.db SQL                seconds of a query
 *   store cells FILE.db NCELL              a plan of NCELL cells in one launch,
 *                                     nearly all too large for its memory, so
 *                                     that a runner is soon through
 *   store runs FILE.db NCELL               the same and what five launches of
 *                                     it brought, five samples a run
 *   store memory MB COMMAND...             peak memory of a command and what it
 *                                     waited for; 1 if that is above MB
 *
 * Each figure stands beside what it has to be; one that is not ends in
 * "MISSED".
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "db/order.h"
#include "runners/runner.h"

#define LAUNCHES 5
#define LEAST_RATE 1e6       /* samples stored a second of processor time */
#define MOST_SECONDS 10.0    /* of a query over ten million samples */

/* What record.c asks other files of the runner. */
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

/* A system, a campaign and npoint points of ncand candidates, the library
 * first, and their launches. */
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

/* A run of every cell in every launch, with what belongs to it, at once. */
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

static void fill(const char *path, int ncand, int nrep, long nsample)
{
    struct chorale_store *store = open_store(path, CHORALE_STORE_CREATE);
    struct chorale_errmsg msg = { "" };
    long npoint = nsample / ((long)ncand * nrep * LAUNCHES), stored = 0;
    struct chorale_cand *cand = calloc((size_t)ncand, sizeof(*cand));
    struct chorale_result *res = calloc((size_t)ncand, sizeof(*res));
    struct chorale_bench bench = { 0 };
    struct chorale_task task = { .coll = chorale_coll_find("bcast"),
                                 .op = -1, .ncand = ncand };
    double begun, begun_cpu;

    if (npoint < 1 || cand == NULL || res == NULL)
        die("too few samples, or out of memory");
    plan(store, npoint, ncand);
    bench.work.cand = cand;
    for (int c = 0; c < ncand; c++) {
        cand[c].provider = c == 0 ? CHORALE_PROVIDER_LIBRARY
                                  : CHORALE_PROVIDER_CHORALE;
        res[c] = (struct chorale_result){ .stop_reason = "width", .batch = 1,
                                          .first_call = 1e-3,
                                          .clock_error = 1e-7,
                                          .nsample = nrep };
        res[c].sample = calloc((size_t)nrep, sizeof(*res[c].sample));
        if (res[c].sample == NULL)
            die("out of memory");
    }
    begun = wall();
    begun_cpu = cpu();
    for (int l = 0; l < LAUNCHES; l++) {
        bench.work.launch_id = l + 1;
        for (long p = 0; p < npoint; p++) {
            for (int c = 0; c < ncand; c++) {
                cand[c].cell_id = p * ncand + c + 1;
                invent(&res[c], nrep, p + c);
            }
            if (chorale_record_point(store, &bench, &task, res, &msg) !=
                CHORALE_OK)
                die(msg.text);
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
    for (int c = 0; c < ncand; c++)
        free(res[c].sample);
    free(res);
    free(cand);
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
    } else if (argc > 3 && strcmp(argv[1], "memory") == 0) {
        return memory(atof(argv[2]), argv + 3);
    } else {
        die("see the heading of store.c for its words");
    }
    return 0;
}
