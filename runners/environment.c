/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.c - what made a launch: enough to repeat it, by an allow-list,
 * and how its ranks lie on nodes. */
#include "config.h"

#include "runners/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

struct rows {
    struct chorale_store *store;
    sqlite3_stmt *stmt;
    sqlite3_int64 launch_id;
    struct chorale_errmsg *msg;
    enum chorale_err err;
};

static void put(struct rows *rows, const char *key, const char *value)
{
    if (rows->err != CHORALE_OK || value == NULL || value[0] == '\0')
        return;
    sqlite3_bind_int64(rows->stmt, 1, rows->launch_id);
    sqlite3_bind_text(rows->stmt, 2, key, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(rows->stmt, 3, value, -1, SQLITE_TRANSIENT);
    rows->err = chorale_store_step(rows->store, rows->stmt, NULL, rows->msg);
}

static void put_real(struct rows *rows, const char *key, double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.6g", value);
    put(rows, key, text);
}

/* First line of a file, or of its first line that starts with prefix what
 * follows the colon. */
static void put_file(struct rows *rows, const char *key, const char *path,
                     const char *prefix)
{
    FILE *in = fopen(path, "r");
    char line[512];

    if (in == NULL)
        return;
    while (fgets(line, sizeof(line), in) != NULL) {
        char *value = line;

        if (prefix != NULL) {
            if (strncmp(line, prefix, strlen(prefix)) != 0)
                continue;
            value = strchr(line, ':');
            if (value == NULL)
                continue;
            value += 1 + strspn(value + 1, " \t");
        }
        value[strcspn(value, "\n")] = '\0';
        put(rows, key, value);
        break;
    }
    fclose(in);
}

/* Variables that change what an MPI library does, and where the job ran. */
static int allowed(const char *entry)
{
    static const char *const prefixes[] = {
        "MPIR_CVAR_", "MPICH_", "UCX_", "FI_", "OMPI_MCA_", "PMIX_MCA_",
        "HYDRA_", "OMP_NUM_THREADS=", "SLURM_JOB_ID=", "SLURM_ARRAY_JOB_ID=",
        "SLURM_ARRAY_TASK_ID=", "SLURM_CLUSTER_NAME=", "SLURM_JOB_PARTITION=",
        "SLURM_JOB_NODELIST=", "SLURM_JOB_NUM_NODES=",
        "SLURM_TASKS_PER_NODE=", "SLURM_RESTART_COUNT=",
    };

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (strncmp(entry, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

static void put_variables(struct rows *rows)
{
    for (char **e = environ; *e != NULL; e++) {
        const char *eq = strchr(*e, '=');
        char key[128];

        if (eq == NULL || !allowed(*e))
            continue;
        snprintf(key, sizeof(key), "env:%.*s", (int)(eq - *e), *e);
        put(rows, key, eq + 1);
    }
}

static void put_command(struct rows *rows, int argc, char **argv)
{
    char text[1024] = "";
    size_t len = 0;

    for (int i = 0; i < argc && len < sizeof(text); i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
                                i > 0 ? " " : "", argv[i]);
    put(rows, "command", text);
}

static void put_machine(struct rows *rows)
{
    struct utsname name;
    char text[256];

    if (uname(&name) == 0) {
        snprintf(text, sizeof(text), "%.60s %.60s %.60s", name.sysname,
                 name.release, name.machine);
        put(rows, "kernel", text);
    }
    put_file(rows, "cpu_model", "/proc/cpuinfo", "model name");
    put_file(rows, "cpu_governor",
             "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL);
    put_file(rows, "load_before", "/proc/loadavg", NULL);
    put_real(rows, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
}

static void put_tool(struct rows *rows, const struct chorale_bench *bench)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", text[64];
    int len, version, subversion;

    PMPI_Get_library_version(library, &len);
    for (char *p = library; *p != '\0'; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    put(rows, "mpi_library", library);
    PMPI_Get_version(&version, &subversion);
    snprintf(text, sizeof(text), "%d.%d", version, subversion);
    put(rows, "mpi_standard", text);
    put(rows, "tool_version", PACKAGE_STRING);
    put(rows, "tool_options", CHORALE_BUILD_OPTIONS);
    put(rows, "compiler", CHORALE_BUILD_CC " " __VERSION__);
    put(rows, "compiler_flags", CHORALE_BUILD_CFLAGS);
    put_real(rows, "clock_residual_s", bench->clock.first_residual);
    put_real(rows, "clock_resolution_s", bench->clock.resolution);
    put_real(rows, "sync_slack_s", bench->slack);
    put_real(rows, "message_alpha_s", bench->floor_alpha);
    put_real(rows, "message_beta_s", bench->floor_beta);
    put(rows, "sync", chorale_sync_names[bench->work.set.sync]);
    snprintf(text, sizeof(text), "%lld", (long long)bench->work.seed);
    put(rows, "seed", text);
}

/* Node of each rank, numbered by first appearance; NULL: out of memory. */
static int *host_map(struct chorale_bench *bench, char *hosts, int *nnode_p)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = "";
    int *map = calloc((size_t)bench->size, sizeof(int)), len;

    PMPI_Get_processor_name(mine, &len);
    PMPI_Gather(mine, sizeof(mine), MPI_CHAR, hosts, sizeof(mine), MPI_CHAR, 0,
                bench->comm);
    *nnode_p = 0;
    for (int r = 0; bench->rank == 0 && map != NULL && r < bench->size; r++) {
        map[r] = -1;
        for (int q = 0; q < r && map[r] < 0; q++)
            if (strcmp(hosts + (size_t)r * sizeof(mine),
                       hosts + (size_t)q * sizeof(mine)) == 0)
                map[r] = map[q];
        if (map[r] < 0)
            map[r] = (*nnode_p)++;
    }
    return map;
}

static const char *shape_of(const int *map, int size, int nnode)
{
    int ppn = size / nnode, block = size % nnode == 0, cyclic = block;

    if (nnode == 1)
        return "single-node";
    if (nnode == size)
        return "one-per-node";
    for (int r = 0; r < size; r++) {
        block = block && map[r] == r / ppn;
        cyclic = cyclic && map[r] == r % nnode;
    }
    return block ? "block" : cyclic ? "cyclic" : "irregular";
}

/* Rank 0: the hosts as environment rows and the launch's host_map. */
static void put_hosts(struct rows *rows, const struct chorale_bench *bench,
                      const int *map, const char *hosts, int nnode)
{
    size_t room = (size_t)bench->size * 12 + 1, len = 0;
    char *text = malloc(room);
    sqlite3_stmt *stmt = NULL;
    char key[32];

    if (text == NULL || rows->err != CHORALE_OK) {
        free(text);
        return;
    }
    text[0] = '\0';
    for (int r = 0, seen = 0; r < bench->size; r++) {
        len += (size_t)snprintf(text + len, room - len, "%s%d",
                                r > 0 ? "," : "", map[r]);
        if (map[r] == seen) {
            snprintf(key, sizeof(key), "host:%d", seen++);
            put(rows, key, hosts + (size_t)r * MPI_MAX_PROCESSOR_NAME);
        }
    }
    snprintf(key, sizeof(key), "%d", nnode);
    put(rows, "nodes", key);
    rows->err = chorale_store_prepare(
        rows->store, "UPDATE launch SET host_map = ?2 WHERE launch_id = ?1",
        &stmt, rows->msg);
    if (rows->err == CHORALE_OK) {
        sqlite3_bind_int64(stmt, 1, rows->launch_id);
        sqlite3_bind_text(stmt, 2, text, -1, SQLITE_STATIC);
        rows->err = chorale_store_step(rows->store, stmt, NULL, rows->msg);
    }
    sqlite3_finalize(stmt);
    free(text);
}

static enum chorale_err put_all(struct chorale_store *store,
                                struct chorale_bench *bench, const int *map,
                                const char *hosts, int nnode, int argc,
                                char **argv, struct chorale_errmsg *msg)
{
    struct rows rows = { .store = store,
                         .launch_id = bench->work.launch_id,
                         .msg = msg };

    rows.err = chorale_store_begin(store, msg);
    if (rows.err == CHORALE_OK)
        rows.err = chorale_store_prepare(
            store, "INSERT OR REPLACE INTO environment VALUES (?,?,?)",
            &rows.stmt, msg);
    if (rows.err == CHORALE_OK) {
        put_tool(&rows, bench);
        put_command(&rows, argc, argv);
        put_machine(&rows);
        put_variables(&rows);
        put_hosts(&rows, bench, map, hosts, nnode);
    }
    sqlite3_finalize(rows.stmt);
    if (rows.err == CHORALE_OK)
        rows.err = chorale_store_commit(store, msg);
    if (rows.err != CHORALE_OK)
        chorale_store_rollback(store);
    return rows.err;
}

enum chorale_err chorale_environment_record(struct chorale_store *store,
                                            struct chorale_bench *bench,
                                            int argc, char **argv,
                                            struct chorale_errmsg *msg)
{
    size_t room = (size_t)bench->size * MPI_MAX_PROCESSOR_NAME;
    char *hosts = calloc(bench->rank == 0 ? room : 1, 1);
    enum chorale_err err = CHORALE_OK;
    int nnode, *map = host_map(bench, hosts, &nnode);

    if (bench->world_rank == 0) {
        const char *shape;

        if (map == NULL || hosts == NULL) {
            err = chorale_fail(msg, CHORALE_ENV, "out of memory");
        } else if (shape = shape_of(map, bench->size, nnode),
                   strcmp(shape, bench->work.shape) != 0) {
            err = chorale_fail(msg, CHORALE_ENV,
                               "the launcher placed the %d ranks '%s' on %d "
                               "nodes, planned was '%s' with %d a node; mend "
                               "--ppn or the launcher's options",
                               bench->size, shape, nnode, bench->work.shape,
                               bench->work.ppn);
        } else {
            err = put_all(store, bench, map, hosts, nnode, argc, argv, msg);
        }
    }
    free(hosts);
    free(map);
    return err;
}
