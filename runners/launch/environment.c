/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.c - record the environment of a launch, by an allow-list, and the
 * placement of its ranks on nodes. */
#include "config.h"

#include "runners/launch/environment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "db/systems.h"
#include "runners/launch/launch.h"
#include "runners/measure/other_load.h"

static const char revision[] =
#include "db/revision.inc"
    ;

static const char flags[] =
#include "db/flags.inc"
    ;

#define NODE_FACTS 4096 /* bytes of one node's facts as text */

/* --- this process ----------------------------------------------------- */

static void put_command(struct chorale_facts *facts, int argc, char **argv)
{
    char text[1024] = "";
    size_t len = 0;

    for (int i = 0; i < argc && len < sizeof(text); i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
                                i > 0 ? " " : "", argv[i]);
    chorale_facts_put(facts, "command", text);
}

/* Message costs by distance, read by fit_links.c. */
static void put_distances(struct chorale_facts *facts,
                          const struct chorale_bench *bench)
{
    for (int i = 0; i < bench->ndistance; i++) {
        const struct chorale_distance *d = &bench->distance[i];
        char key[48];

        snprintf(key, sizeof(key), "distance_alpha_s:%d", d->places);
        chorale_facts_putf(facts, key, "%.6g", d->alpha);
        snprintf(key, sizeof(key), "distance_kappa:%d", d->places);
        if (d->kappa > 0)
            chorale_facts_putf(facts, key, "%.6g", d->kappa);
        snprintf(key, sizeof(key), "distance_pairs:%d", d->places);
        if (d->pairs > 0)
            chorale_facts_putf(facts, key, "%.6g", d->pairs);
    }
    if (bench->ndistance > 0 && bench->distance_mirror > 0)
        chorale_facts_putf(facts, "distance_mirror", "%.6g",
                           bench->distance_mirror);
}

/* Times of operations in memory, read by memory_rows.c. */
static void put_memory(struct chorale_facts *facts,
                       const struct chorale_bench *bench)
{
    for (int i = 0; i < bench->nmemory; i++) {
        const struct chorale_memory_time *t = &bench->memory[i];
        char key[48];

        snprintf(key, sizeof(key), "memory_%s_s:%zu",
                 chorale_memory_kinds[t->kind], t->bytes);
        chorale_facts_putf(facts, key, "%.6g", t->seconds);
    }
    if (bench->memory_late)
        chorale_facts_put(facts, "memory_times", "none: too slow");
}

static void put_tool(struct chorale_facts *facts,
                     const struct chorale_bench *bench)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len, version, subversion;

    PMPI_Get_library_version(library, &len);
    chorale_facts_put(facts, "mpi_library", library);
    PMPI_Get_version(&version, &subversion);
    chorale_facts_putf(facts, "mpi_standard", "%d.%d", version, subversion);
    chorale_facts_put(facts, "tool_version", PACKAGE_STRING);
    chorale_facts_put(facts, "tool_revision", revision);
    chorale_facts_put(facts, "tool_options", CHORALE_BUILD_OPTIONS);
    chorale_facts_put(facts, "compiler", CHORALE_BUILD_CC " " __VERSION__);
    chorale_facts_put(facts, "compiler_flags", flags);
    chorale_facts_putf(facts, "clock_residual_s", "%.6g",
                       bench->clock.first_residual);
    chorale_facts_putf(facts, "clock_resolution_s", "%.6g",
                       bench->clock.resolution);
    chorale_facts_putf(facts, "sync_slack_s", "%.6g", bench->slack);
    chorale_facts_putf(facts, "message_alpha_s", "%.6g", bench->floor_alpha);
    chorale_facts_putf(facts, "message_beta_s", "%.6g", bench->floor_beta);
    if (bench->floor_ports > 0)
        chorale_facts_putf(facts, "rank_ports", "%.0f", bench->floor_ports);
    put_distances(facts, bench);
    put_memory(facts, bench);
    if (bench->copy_beta > 0)
        chorale_facts_putf(facts, "copy_beta_s", "%.6g", bench->copy_beta);
    chorale_facts_putf(facts, "ranks", "%d", bench->world_size);
    chorale_facts_putf(facts, "siblings", "%d", bench->work.siblings);
    chorale_facts_putf(facts, "ranks_per_node", "%d", bench->node_size);
    chorale_facts_put(facts, "oversubscribed",
                      bench->oversubscribed ? "yes" : "no");
}

#ifndef CHORALE_SIM
/* "default" is recorded too, so that it is distinguished from unknown. */
static void put_fabric_choice(struct chorale_facts *facts)
{
    char text[512];

    chorale_fabric_choice(text, sizeof(text));
    chorale_facts_put(facts, "fabric_choice",
                      text[0] != '\0' ? text : "default");
}
#endif

/* --- nodes ------------------------------------------------------------ */

#ifndef CHORALE_SIM
/* Periods before the launch in which the CPU quota was used up. */
static double throttled_before;
#endif

/* Facts of one node before and after the launch. */
static void put_facts_before(struct chorale_facts *facts)
{
    struct utsname name;

#ifndef CHORALE_SIM
    struct chorale_cpu_quota quota;

    chorale_cpu_quota(&quota);
    throttled_before = quota.throttled;
#endif
    chorale_facts_machine(facts);
    chorale_facts_loadavg(facts, "load_before");
    if (uname(&name) == 0)
        chorale_facts_put(facts, "switch",
                          chorale_facts_switch(getenv("SLURM_TOPOLOGY_ADDR"),
                                               name.nodename));
}

static void put_facts_after(struct chorale_facts *facts)
{
#ifndef CHORALE_SIM /* simulated times do not depend on it */
    struct chorale_cpu_quota quota;

    chorale_cpu_quota(&quota);
    if (isfinite(quota.processors))
        chorale_facts_putf(facts, "cpu_throttled", "%.0f",
                           quota.throttled - throttled_before);
#endif
    chorale_facts_loadavg(facts, "load_after");
}

#ifndef CHORALE_SIM
/* Gather size bytes of each rank on rank 0; NULL on others and on error. */
static char *gather(struct chorale_bench *bench, const char *mine, int size)
{
    size_t n = bench->world_rank == 0 ? (size_t)bench->world_size : 1;
    char *all = malloc(n * (size_t)size);
    int lacks = all == NULL, rc = chorale_p2p_max(bench, &lacks);

    if (rc == MPI_SUCCESS && !lacks)
        rc = chorale_p2p_gather(bench, mine, all, (size_t)size);
    if (rc != MPI_SUCCESS || lacks || bench->world_rank != 0) {
        free(all);
        return NULL;
    }
    return all;
}

/* Put a fact of another node if it differs from the first node's. The current
 * frequency always differs and is skipped. */
static void put_difference(struct chorale_facts *facts, int host, char *line)
{
    char *value = strchr(line, '\t'), key[64];
    const char *own;

    if (value == NULL)
        return;
    *value++ = '\0';
    own = chorale_facts_get(facts, line);
    if (strcmp(line, "cpu_frequency_mhz") == 0 ||
        (own != NULL && strcmp(own, value) == 0))
        return;
    snprintf(key, sizeof(key), "host:%d:%.40s", host, line);
    chorale_facts_put(facts, key, value);
}

/* Gather facts from the first rank of each node, which calls tell(). */
static void put_nodes(struct chorale_facts *facts,
                      struct chorale_bench *bench,
                      void (*tell)(struct chorale_facts *facts))
{
    struct chorale_facts own = { NULL, 0, 0, 0 };
    char mine[NODE_FACTS] = "", *all, *save = NULL;
    size_t len = 0;
    int host = -1;

    if (bench->node[bench->world_rank] == bench->world_rank)
        tell(&own);
    for (int i = 0; i < own.count && len < sizeof(mine); i++)
        len += (size_t)snprintf(mine + len, sizeof(mine) - len, "%s\t%s\n",
                                own.fact[i].key, own.fact[i].value);
    for (int i = 0; bench->world_rank == 0 && i < own.count; i++)
        chorale_facts_put(facts, own.fact[i].key, own.fact[i].value);
    facts->lacks |= own.lacks;
    chorale_facts_release(&own);
    all = gather(bench, mine, sizeof(mine));
    for (int r = 0; all != NULL && r < bench->world_size; r++) {
        char *text = all + (size_t)r * sizeof(mine);

        host += bench->node[r] == r;
        if (bench->node[r] != r || r == 0)
            continue;
        text[sizeof(mine) - 1] = '\0';
        for (char *line = strtok_r(text, "\n", &save); line != NULL;
             line = strtok_r(NULL, "\n", &save))
            put_difference(facts, host, line);
    }
    facts->lacks |= bench->world_rank == 0 && all == NULL;
    free(all);
}

static void put_bindings(struct chorale_facts *facts,
                         struct chorale_bench *bench)
{
    char mine[CHORALE_BINDING_TEXT], key[32], *all;

    chorale_binding_describe(mine);
    all = gather(bench, mine, sizeof(mine));
    for (int r = 0; all != NULL && r < bench->world_size; r++) {
        snprintf(key, sizeof(key), "binding:%d", r);
        chorale_facts_put(facts, key, all + (size_t)r * sizeof(mine));
    }
    facts->lacks |= bench->world_rank == 0 && all == NULL;
    if (bench->world_rank == 0)
        chorale_facts_put(facts, "binding_source", chorale_binding_source);
    if (all != NULL && bench->world_rank == 0) {
        chorale_binding_judge(all, sizeof(mine), bench->node,
                              bench->world_size, mine);
        chorale_facts_put(facts, "binding", mine);
    }
    free(all);
}
#endif

/* 1 if two ranks are on one node. In simulation hosts[], with room for a name
 * each, is compared. */
static int share_node(const struct chorale_bench *bench, const char *hosts,
                      size_t r, size_t q)
{
#ifdef CHORALE_SIM
    (void)bench;
    return strcmp(hosts + r * MPI_MAX_PROCESSOR_NAME,
                  hosts + q * MPI_MAX_PROCESSOR_NAME) == 0;
#else
    (void)hosts;
    return bench->node[r] == bench->node[q];
#endif
}

/* Put the names of the hosts, and fill map with the host of each rank. */
static int put_hosts(struct chorale_facts *facts, struct chorale_bench *bench,
                     int *map)
{
    char mine[MPI_MAX_PROCESSOR_NAME] = "", key[32];
    size_t room = sizeof(mine), n = (size_t)bench->world_size;
    char *hosts = calloc(bench->world_rank == 0 ? n : 1, room);
    int len, nnode = 0, lacks = hosts == NULL;
    int rc = chorale_p2p_max(bench, &lacks);

    if (rc == MPI_SUCCESS && lacks)
        rc = MPI_ERR_NO_MEM;
    PMPI_Get_processor_name(mine, &len);
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_gather(bench, mine, hosts, room);
    for (int r = 0; rc == MPI_SUCCESS && bench->world_rank == 0 &&
                    r < bench->size; r++) {
        /* Ranks of the measured communicator are `apart` ranks apart. */
        size_t apart = (size_t)bench->work.siblings;
        size_t here = (size_t)r * apart;

        map[r] = -1;
        for (int q = 0; q < r && map[r] < 0; q++)
            if (share_node(bench, hosts, here, (size_t)q * apart))
                map[r] = map[q];
        if (map[r] >= 0)
            continue;
        map[r] = nnode++;
        snprintf(key, sizeof(key), "host:%d", map[r]);
        chorale_facts_put(facts, key, hosts + here * room);
    }
    chorale_facts_putf(facts, "nodes", "%d", nnode);
    free(hosts);
    return rc;
}

int chorale_environment_gather(struct chorale_bench *bench, int argc,
                               char **argv, struct chorale_facts *facts,
                               int *host_map)
{
    int rc = put_hosts(facts, bench, host_map);

    if (rc != MPI_SUCCESS)
        return rc;
#ifdef CHORALE_SIM
    if (bench->world_rank == 0)
        put_facts_before(facts);
#else
    put_nodes(facts, bench, put_facts_before);
    rc = chorale_preflight(bench, facts);
    if (rc != MPI_SUCCESS)
        return rc;
    put_bindings(facts, bench);
    if (bench->world_rank == 0)
        chorale_variables_put(facts);
#endif
    if (bench->world_rank != 0)
        return rc;
    put_tool(facts, bench);
#ifndef CHORALE_SIM
    put_fabric_choice(facts);
#endif
    put_command(facts, argc, argv);
    chorale_facts_variables(facts);
    return facts->lacks ? MPI_ERR_NO_MEM : rc;
}

/* --- rows ------------------------------------------------------------- */

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

/* CHORALE_ENV: the ranks are not placed as planned, with ppn on each node but
 * the last. */
static enum chorale_err check_places(const struct chorale_bench *bench,
                                     const int *map, int nnode,
                                     struct chorale_errmsg *msg)
{
    const char *shape = shape_of(map, bench->size, nnode);
    int ppn = bench->work.ppn;

    if (strcmp(shape, bench->work.shape) != 0)
        return chorale_fail(msg, CHORALE_ENV,
                            "the launcher placed the %d ranks '%s' on %d "
                            "nodes, planned is '%s' with %d a node; change "
                            "--ppn or the launcher's options", bench->size,
                            shape, nnode, bench->work.shape, ppn);
    for (int r = 0; strcmp(shape, "cyclic") != 0 && r < bench->size; r++)
        if (map[r] != r / ppn)
            return chorale_fail(msg, CHORALE_ENV,
                                "the launcher placed the %d ranks on %d nodes, "
                                "but not %d on each but the last; change its "
                                "options, or plan multiples of --ppn",
                                bench->size, nnode, ppn);
    return CHORALE_OK;
}

static enum chorale_err put_map(struct chorale_store *store,
                                const struct chorale_bench *bench,
                                const int *map, struct chorale_errmsg *msg)
{
    size_t room = (size_t)bench->size * 12 + 1, len = 0;
    char *text = malloc(room);
    enum chorale_err err;

    if (text == NULL)
        return chorale_fail_memory(msg, NULL);
    text[0] = '\0';
    for (int r = 0; r < bench->size; r++)
        len += (size_t)snprintf(text + len, room - len, "%s%d",
                                r > 0 ? "," : "", map[r]);
    err = chorale_store_run(
        store, "UPDATE launch SET host_map = ?2 WHERE launch_id = ?1",
        CHORALE_FIELDS(bench->work.launch_id, text), msg);
    free(text);
    return err;
}

static enum chorale_err put_rows(struct chorale_store *store,
                                 const struct chorale_bench *bench,
                                 const struct chorale_facts *facts,
                                 struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err;

    err = chorale_store_prepare(
        store, "INSERT OR REPLACE INTO environment VALUES (?,?,?)", &stmt,
        msg);
    for (int i = 0; i < facts->count && err == CHORALE_OK; i++)
        err = chorale_store_put(
            store, stmt, 1,
            CHORALE_FIELDS(bench->work.launch_id, facts->fact[i].key,
                           facts->fact[i].value), msg);
    sqlite3_finalize(stmt);
    return err;
}

static enum chorale_err put_all(struct chorale_store *store,
                                const struct chorale_bench *bench,
                                struct chorale_facts *facts, const int *map,
                                struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_begin(store, msg);

    chorale_facts_put(facts, "sync",
                      chorale_sync_names[bench->work.set.sync]);
    chorale_facts_putf(facts, "seed", "%lld", (long long)bench->work.seed);
    chorale_facts_putf(facts, "campaign_seed", "%lld",
                       (long long)bench->work.campaign_seed);
    if (err == CHORALE_OK)
        err = put_rows(store, bench, facts, msg);
    if (err == CHORALE_OK)
        err = put_map(store, bench, map, msg);
    if (err == CHORALE_OK)
        err = chorale_system_agrees(store, bench->work.launch_id, msg);
    return chorale_store_end(store, err, msg);
}

enum chorale_err chorale_environment_record(struct chorale_store *store,
                                            struct chorale_bench *bench,
                                            int argc, char **argv,
                                            struct chorale_errmsg *msg)
{
    struct chorale_facts facts = { NULL, 0, 0, 0 };
    int *map = calloc((size_t)bench->size, sizeof(*map));
    int lacks = map == NULL, rc = chorale_p2p_max(bench, &lacks);
    enum chorale_err err = CHORALE_OK;

    if (rc == MPI_SUCCESS && !lacks)
        rc = chorale_environment_gather(bench, argc, argv, &facts, map);
    if (lacks)
        rc = MPI_ERR_NO_MEM;
    if (rc != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";
        int len;

        PMPI_Error_string(rc, text, &len);
        err = chorale_fail(msg, CHORALE_ENV,
                           "the environment of the launch could not be "
                           "gathered: %.200s; run `chorale doctor`, which "
                           "gathers the same", rc == MPI_ERR_NO_MEM
                                                   ? "out of memory"
                                                   : text);
    }
    if (err == CHORALE_OK && bench->world_rank == 0) {
        err = check_places(bench, map,
                           atoi(chorale_facts_get(&facts, "nodes")), msg);
        if (err == CHORALE_OK)
            err = put_all(store, bench, &facts, map, msg);
    }
    chorale_facts_release(&facts);
    free(map);
    return err;
}

enum chorale_err chorale_environment_bound(struct chorale_bench *bench,
                                           struct chorale_errmsg *msg)
{
    double loose = 0;
    enum chorale_err err;
#ifndef CHORALE_SIM
    char mine[CHORALE_BINDING_TEXT];

    chorale_binding_describe(mine);
    loose = strncmp(mine, "free", 4) == 0;
#endif
    err = chorale_launch_mpi(chorale_p2p_allreduce(bench, &loose, 1, 1),
                             "asking all ranks whether they are bound", msg);
    if (err != CHORALE_OK || loose == 0)
        return err;
    return chorale_fail(msg, CHORALE_ENV, "%.0f of %d ranks are not bound to "
                        "cores; let the launcher bind them, or omit --bind",
                        loose, bench->world_size);
}

/* Mark the runs of a launch in which a CPU quota stopped ranks of any node. */
static enum chorale_err mark_throttled(struct chorale_store *store,
                                       const struct chorale_bench *bench,
                                       const struct chorale_facts *facts,
                                       struct chorale_errmsg *msg)
{
    static const char word[] = "cpu_throttled";
    double most = 0;

    for (int i = 0; i < facts->count; i++) {
        const char *colon = strrchr(facts->fact[i].key, ':');

        if (strcmp(colon != NULL ? colon + 1 : facts->fact[i].key, word) == 0)
            most = fmax(most, strtod(facts->fact[i].value, NULL));
    }
    if (!(most > 0))
        return CHORALE_OK;
    return chorale_store_run(
        store, "UPDATE run SET validity = validity ||"
        " iif(validity = '', '', ',') || 'throttled'"
        " WHERE launch_id = ?1 AND ',' || validity || ',' NOT LIKE"
        " '%,throttled,%'", CHORALE_FIELDS(bench->work.launch_id), msg);
}

enum chorale_err chorale_environment_after(struct chorale_store *store,
                                           struct chorale_bench *bench,
                                           struct chorale_errmsg *msg)
{
    struct chorale_facts facts = { NULL, 0, 0, 0 };
    enum chorale_err err = CHORALE_OK;

#ifdef CHORALE_SIM
    if (bench->world_rank == 0)
        put_facts_after(&facts);
#else
    put_nodes(&facts, bench, put_facts_after);
    if (bench->load != NULL)
        chorale_facts_putf(&facts, "other_load", "%.2f", bench->load->most);
#endif
    if (facts.lacks)
        err = chorale_fail(msg, CHORALE_ENV, "the load after the launch could "
                           "not be gathered (out of memory, or a rank has "
                           "ended); end other programs, and repeat the "
                           "command");
    else if (bench->world_rank == 0)
        err = put_rows(store, bench, &facts, msg);
    if (err == CHORALE_OK && bench->world_rank == 0)
        err = mark_throttled(store, bench, &facts, msg);
    chorale_facts_release(&facts);
    return err;
}
