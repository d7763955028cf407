/* SPDX-License-Identifier: BSD-3-Clause */
/* groups.c - run several launches in one start of the program. */
#include "config.h"

#include "runners/launch/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runners/launch/interference.h"
#include "runners/launch/group_rows.h"
#include "runners/launch/launch.h"

#define LOOK_SECONDS 1

struct all {
    struct chorale_group *group;
    int count;
    const struct chorale_bench *as;
    struct chorale_channel channel;
    int size;                /* number of all ranks */
    struct chorale_store *store; /* rank 0's */
    int nopen;               /* rank 0: groups that have not ended */
    int wave, only;          /* current groups: is_due() */
    const char *path;        /* of the database */
    int ends;                /* rank 0: others were asked to end early; first
                              * rank of a group: it has been asked */
    double looked;           /* time of rank 0's last check for that */
    enum chorale_err failed; /* rank 0: first error of storing rows of other
                              * groups during its own point, */
    struct chorale_errmsg why; /* and its message */
    MPI_Request *asking;     /* rank 0: a request per group, or
                              * MPI_REQUEST_NULL */
    int argc;
    char **argv;
};

int chorale_groups_parse(const char *word, struct chorale_group **group_p,
                         int *count_p)
{
    struct chorale_group *group;
    int count = 1, n = 0;

    *group_p = NULL;
    *count_p = 0;
    if (strchr(word, ':') == NULL)
        return 0;
    for (const char *at = word; *at != '\0'; at++)
        count += *at == ',';
    group = calloc((size_t)count, sizeof(*group));
    if (group == NULL)
        return -1;
    for (const char *at = word; n < count; n++) {
        struct chorale_group *g = &group[n];
        int used = 0;

        if (sscanf(at, "%36[^:]:%d:%d%n", g->uuid, &g->wave, &g->node,
                   &used) != 3 || g->wave < 0 || g->node < 0 ||
            (at[used] != ',' && at[used] != '\0') ||
            (at[used] == '\0') != (n + 1 == count)) {
            free(group);
            return -1;
        }
        at += used + 1;
    }
    *group_p = group;
    *count_p = count;
    return 0;
}

static int nodes_of(const struct chorale_group *g)
{
    return (g->comm_size + g->ppn - 1) / g->ppn;
}

/* The rank that a rank of MPI_COMM_WORLD has in group k, or -1. */
static int place(const struct all *all, int k, int rank)
{
    const struct chorale_group *g = &all->group[k];
    int ppn = all->group[0].ppn;
    int node = rank / ppn - g->node, local = rank % ppn;

    if (node < 0 || node >= nodes_of(g) || local >= g->ppn)
        return -1;
    node = node * g->ppn + local;
    return node < g->comm_size ? node : -1;
}

/* The group of a wave to which a rank belongs, or -1. */
static int group_of(const struct all *all, int wave, int rank)
{
    for (int k = 0; k < all->count; k++)
        if (all->group[k].wave == wave && place(all, k, rank) >= 0)
            return k;
    return -1;
}

/* The first rank of a group. */
static int first_rank(const struct all *all, int k)
{
    return all->group[k].node * all->group[0].ppn;
}

/* Synchronise all ranks and return the worst error on all of them. Waiting
 * ranks sleep, so that they do not disturb the measuring ones. */
static enum chorale_err meet(struct all *all, enum chorale_err err)
{
    int code = (int)err, most = 0;
    MPI_Request request;
    int rc = PMPI_Iallreduce(&code, &most, 1, MPI_INT, MPI_MAX,
                             all->channel.comm, &request);

    if (rc == MPI_SUCCESS)
        rc = chorale_idle_wait(&request);
    return rc == MPI_SUCCESS ? (enum chorale_err)most : CHORALE_ENV;
}

/* --- groups ----------------------------------------------------------- */

/* Rank 0: read the groups' launches, and check that they fit. */
static enum chorale_err describe(struct all *all, struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    const struct chorale_group *head = &all->group[0];
    enum chorale_err err = chorale_store_prepare(
        all->store, "SELECT launch_id, comm_size, ppn, siblings FROM launch"
        " WHERE uuid = ?1", &stmt, msg);

    for (int k = 0; k < all->count && err == CHORALE_OK; k++) {
        struct chorale_group *g = &all->group[k];
        int row = 0;

        sqlite3_reset(stmt);
        sqlite3_bind_text(stmt, 1, g->uuid, -1, SQLITE_STATIC);
        err = chorale_store_step(all->store, stmt, &row, msg);
        if (err == CHORALE_OK && row) {
            g->launch_id = sqlite3_column_int64(stmt, 0);
            g->comm_size = sqlite3_column_int(stmt, 1);
            g->ppn = sqlite3_column_int(stmt, 2);
        }
        if (err == CHORALE_OK &&
            (!row || sqlite3_column_int(stmt, 3) != 1 || g->ppn < 1 ||
             g->ppn > head->ppn ||
             g->node + nodes_of(g) > nodes_of(head)))
            err = chorale_fail(msg, CHORALE_DATA, "launch %s cannot be a group "
                               "of launch %s; `chorale run` creates both",
                               g->uuid, head->uuid);
    }
    sqlite3_finalize(stmt);
    if (err == CHORALE_OK && head->comm_size != all->size)
        err = chorale_fail(msg, CHORALE_ENV,
                           "launch: planned for %d ranks, MPI_COMM_WORLD has "
                           "%d; use the launcher of the MPI library that "
                           "`chorale doctor` names", head->comm_size,
                           all->size);
    return err;
}

static enum chorale_err open_all(struct all *all, const char *path,
                                 struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    int rc = PMPI_Comm_dup(all->as->ranks, &all->channel.comm);

    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_set_errhandler(all->channel.comm, MPI_ERRORS_RETURN);
    if (rc != MPI_SUCCESS)
        return chorale_launch_mpi(rc, "making a communicator of all ranks",
                                  msg);
    PMPI_Comm_rank(all->channel.comm, &all->channel.rank);
    PMPI_Comm_size(all->channel.comm, &all->size);
    if (all->channel.rank == 0) {
        err = chorale_launch_store(path, &all->store, msg);
        if (err == CHORALE_OK)
            err = describe(all, msg);
    }
    err = meet(all, err);
    if (err != CHORALE_OK)
        return err;
    return chorale_launch_mpi(
        PMPI_Bcast(all->group, all->count * (int)sizeof(*all->group),
                   MPI_BYTE, 0, all->channel.comm),
        "giving the groups to all ranks", msg);
}

/* --- interference ----------------------------------------------------- */

static int any_fails(void *arg, int failed)
{
    return meet(arg, failed ? CHORALE_ENV : CHORALE_OK) != CHORALE_OK;
}

/* Measure the slowdown of a wave, the same *ratio on all ranks. comm: the ranks
 * of group mine; mine -1: in no group. Returns an MPI error code. */
static int slowdown(struct all *all, int wave, int mine, MPI_Comm comm,
                    double *ratio)
{
    int ngroups = 0, place = -1, rc;
    double seen;

    for (int k = 0; k < all->count; k++)
        if (all->group[k].wave == wave) {
            place = k == mine ? ngroups : place;
            ngroups++;
        }
    rc = chorale_apart(comm, place, ngroups, any_fails, all, &seen);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Allreduce(&seen, ratio, 1, MPI_DOUBLE, MPI_MAX,
                            all->channel.comm);
    return rc;
}

/* --- measuring -------------------------------------------------------- */

/* Rank 0, after each transaction of its own: report it to `chorale run`, and
 * store the rows that other groups have sent. */
static enum chorale_err store_group_rows(void *arg, struct chorale_store *store,
                                         struct chorale_errmsg *msg)
{
    struct all *all = arg;

    if (all->failed != CHORALE_OK) {
        *msg = all->why;
        return all->failed;
    }
    chorale_stored_report();
    return chorale_rows_recv(&all->channel, store, &all->nopen, 0, msg);
}

static enum chorale_err send_group_rows(void *arg, struct chorale_store *store,
                                        struct chorale_errmsg *msg)
{
    struct all *all = arg;

    return chorale_rows_send(&all->channel, store, msg);
}

/* 1 if group k is to run now: group `only`, or with only < 0 all of the
 * wave. */
static int is_due(const struct all *all, int k, int wave, int only)
{
    return only >= 0 ? k == only : all->group[k].wave == wave;
}

/* Rank 0: if the launch should end early, ask the measuring groups too. */
static int request_group_ends(void *arg)
{
    struct all *all = arg;

    if (all->ends || all->asking == NULL ||
        !chorale_launch_stop_file((void *)all->path))
        return all->ends;
    all->ends = 1;
    for (int k = 0; k < all->count; k++)
        if (is_due(all, k, all->wave, all->only) && first_rank(all, k) != 0)
            chorale_ending_send(&all->channel, first_rank(all, k),
                                &all->asking[k]);
    return 1;
}

/* Rank 0, between two chunks of its point: store the rows of other groups, and
 * look whether the launch should end. */
static int look(void *arg)
{
    struct all *all = arg;

    if (all->failed == CHORALE_OK)
        all->failed = chorale_rows_recv(&all->channel, all->store, &all->nopen,
                                        0, &all->why);
    return request_group_ends(all);
}

static void poll_stop_file(void *arg)
{
    struct all *all = arg;
    double now = MPI_Wtime();

    if (now - all->looked < LOOK_SECONDS)
        return;
    all->looked = now;
    request_group_ends(all);
}

/* First rank of another group: has rank 0 asked it to end early? */
static int poll_end_request(void *arg)
{
    struct all *all = arg;

    if (!all->ends)
        chorale_ending_recv(&all->channel, 0, &all->ends);
    return all->ends;
}

/* Complete the requests to end early; a group may receive one only after its
 * last point. */
static void complete_end_requests(struct all *all, int mine)
{
    if (all->channel.rank == 0)
        for (int k = 0; k < all->count; k++)
            chorale_idle_wait(&all->asking[k]);
    else if (mine >= 0 && is_due(all, mine, all->wave, all->only) &&
             all->channel.rank == first_rank(all, mine) && !all->ends)
        chorale_ending_recv(&all->channel, 1, &all->ends);
}

/* Measure this rank's group; its first rank has the list of points. */
static enum chorale_err measure(struct all *all, struct chorale_bench *bench,
                                struct chorale_store *store, MPI_Comm comm,
                                struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_launch_set_up(bench, comm, msg);

    bench->stored_arg = bench->ending_arg = all;
    bench->ending = all->channel.rank == 0 ? look : poll_end_request;
    bench->stored = all->channel.rank == 0 ? store_group_rows : send_group_rows;
    if (err == CHORALE_OK && bench->world_rank == 0)
        err = chorale_launch_fits(bench, msg);
    if (err == CHORALE_OK)
        err = chorale_launch_agree(bench, err);
    if (err == CHORALE_OK)
        err = chorale_launch_measure(bench, store, all->argc, all->argv, msg);
    if (bench->world != MPI_COMM_NULL && err == CHORALE_OK) {
        PMPI_Comm_free(&bench->ctx->comm);
        PMPI_Comm_free(&bench->lib);
        PMPI_Comm_free(&bench->world); /* sync uses the same one */
    }
    chorale_launch_close(bench);
    return err;
}

/* Measure a group that does not contain rank 0; for its first rank. */
static enum chorale_err measure_apart(struct all *all, MPI_Comm comm,
                                      struct chorale_errmsg *msg)
{
    struct chorale_bench bench = { .world = MPI_COMM_NULL };
    struct chorale_store *store = NULL;
    enum chorale_err err = chorale_work_recv(&all->channel, &bench.work, &store,
                                             msg);

    bench.announce = all->as->announce;
    bench.served = all->as->served;
    bench.bound = all->as->bound;
    err = err == CHORALE_OK ? measure(all, &bench, store, comm, msg) : err;
    chorale_store_close(store);
    return chorale_rows_end(&all->channel, err, msg);
}

static enum chorale_err measure_here(struct all *all,
                                     struct chorale_worklist *work,
                                     MPI_Comm comm, struct chorale_errmsg *msg)
{
    struct chorale_bench bench = { .world = MPI_COMM_NULL };

    bench.announce = all->as->announce;
    bench.served = all->as->served;
    bench.bound = all->as->bound;
    if (work != NULL)
        bench.work = *work;
    return measure(all, &bench, all->store, comm, msg);
}

/* Store the facts `grouped` and `grouped_slowdown` of a launch. */
static enum chorale_err put_facts(struct all *all, int k, int wave,
                                  int together, double ratio,
                                  struct chorale_errmsg *msg)
{
    char how[512] = "alone", slower[32];
    size_t len = 0;

    for (int i = 0; i < all->count && len < sizeof(how) - 64; i++)
        if (i != k && all->group[i].wave == wave)
            len += (size_t)snprintf(how + len, sizeof(how) - len, "%s%d",
                                    len > 0 ? "," : together
                                        ? "at once with P = "
                                        : "in turn with P = ",
                                    all->group[i].comm_size);
    snprintf(slower, sizeof(slower), "%.3f", ratio);
    return chorale_store_run(
        all->store, "INSERT OR REPLACE INTO environment VALUES"
        " (?1, 'grouped', ?2 || ' among ' || ?4 || ' ranks'),"
        " (?1, 'grouped_slowdown', ?3)",
        CHORALE_FIELDS(all->group[k].launch_id, how, slower, all->size), msg);
}

/* Rank 0: load the lists of the due groups and send them; the list of rank 0's
 * own group, if any, goes to *own. */
static enum chorale_err send_group_work(struct all *all, int wave, int only,
                                        int mine, struct chorale_worklist *own,
                                        struct chorale_errmsg *msg)
{
    struct chorale_work *plan = calloc((size_t)all->count, sizeof(*plan));
    enum chorale_err err = plan == NULL
                               ? chorale_fail_memory(msg, NULL)
                               : CHORALE_OK;

    all->nopen = 0;
    if (err == CHORALE_OK && chorale_launch_stop_file((void *)all->path))
        err = chorale_fail(msg, CHORALE_STOPPED, "asked to end early; the "
                           "same command goes on");
    for (int k = 0; k < all->count && err == CHORALE_OK; k++)
        if (is_due(all, k, wave, only))
            err = chorale_work_load(all->store, all->group[k].uuid, k != mine,
                                    &plan[k], msg);
    err = meet(all, err);
    for (int k = 0; k < all->count && err == CHORALE_OK; k++)
        if (is_due(all, k, wave, only) && k != mine) {
            err = chorale_launch_mpi(
                chorale_work_send(&all->channel, first_rank(all, k), &plan[k]),
                "giving the plan to a group", msg);
            all->nopen++;
        }
    for (int k = 0; plan != NULL && k < all->count; k++)
        if (k == mine && err == CHORALE_OK)
            *own = plan[k].work;
        else
            chorale_work_free(&plan[k]);
    free(plan);
    return err;
}

/* Measure the due groups of a wave: all at once, or one of them. */
static enum chorale_err measure_due(struct all *all, int wave, int only,
                                    int mine, MPI_Comm comm,
                                    struct chorale_errmsg *msg)
{
    struct chorale_worklist own = { .task = NULL };
    struct chorale_errmsg why;
    int in = mine >= 0 && is_due(all, mine, wave, only);
    enum chorale_err err, taken;

    all->wave = wave;
    all->only = only;
    if (all->channel.rank == 0)
        err = send_group_work(all, wave, only, in ? mine : -1, &own, msg);
    else
        err = meet(all, CHORALE_OK);
    if (err != CHORALE_OK)
        return err;
    if (in && all->channel.rank != 0 && all->channel.rank == first_rank(all,
                                                                        mine))
        err = measure_apart(all, comm, msg);
    else if (in)
        err = measure_here(all, all->channel.rank == 0 ? &own : NULL, comm,
                           msg);
    if (all->channel.rank == 0) {
        taken = chorale_rows_recv(&all->channel, all->store, &all->nopen, 1,
                                  &why);
        if (err == CHORALE_OK && taken != CHORALE_OK) {
            *msg = why;
            err = taken;
        }
        if (err == CHORALE_OK && all->ends)
            err = chorale_fail(msg, CHORALE_STOPPED, "asked to end early; the "
                               "same command goes on");
    }
    /* The ranks of one group agree already; here all groups do. */
    err = meet(all, err);
    if (err == CHORALE_STOPPED)
        complete_end_requests(all, mine);
    return err;
}

static enum chorale_err one_wave(struct all *all, int wave,
                                 struct chorale_errmsg *msg)
{
    int mine = group_of(all, wave, all->channel.rank), n = 0, together = 1;
    MPI_Comm comm = MPI_COMM_NULL;
    double ratio = 1;
    enum chorale_err err;
    int rc = PMPI_Comm_split(all->channel.comm,
                             mine >= 0 ? mine : MPI_UNDEFINED,
                             all->channel.rank, &comm);

    for (int k = 0; k < all->count; k++)
        n += all->group[k].wave == wave;
    if (rc == MPI_SUCCESS && n > 1)
        rc = slowdown(all, wave, mine, comm, &ratio);
    err = meet(all, chorale_launch_mpi(rc, "forming groups of ranks", msg));
    together = ratio <= CHORALE_GROUPS_APART;
    for (int k = 0; k < all->count && all->channel.rank == 0 &&
                    err == CHORALE_OK; k++)
        if (all->group[k].wave == wave)
            err = put_facts(all, k, wave, together, ratio, msg);
    err = meet(all, err);
    if (err == CHORALE_OK && together)
        err = measure_due(all, wave, -1, mine, comm, msg);
    for (int k = 0; k < all->count && err == CHORALE_OK && !together; k++)
        if (all->group[k].wave == wave)
            err = measure_due(all, wave, k, mine, comm, msg);
    if (comm != MPI_COMM_NULL && err == CHORALE_OK)
        PMPI_Comm_free(&comm);
    return err;
}

enum chorale_err chorale_groups_measure(struct chorale_group *group, int count,
                                        const struct chorale_bench *as,
                                        const char *path, int argc,
                                        char **argv,
                                        struct chorale_errmsg *msg)
{
    struct all all = { .group = group, .count = count, .as = as,
                       .argc = argc, .argv = argv, .path = path,
                       .channel = { .idle = poll_stop_file,
                                 .idle_arg = &all } };
    int waves = 0, provided;
    enum chorale_err err;

    /* Starting MPI_T again after its end crashes MPICH 4.0.2. Holding it open
     * here keeps it initialised. */
    PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    err = open_all(&all, path, msg);
    all.asking = calloc((size_t)count, sizeof(*all.asking));
    for (int k = 0; k < count && all.asking != NULL; k++)
        all.asking[k] = MPI_REQUEST_NULL;
    for (int k = 0; k < count; k++)
        waves = group[k].wave >= waves ? group[k].wave + 1 : waves;
    for (int w = 0; w < waves && err == CHORALE_OK; w++)
        err = one_wave(&all, w, msg);
    if (all.channel.rank == 0)
        chorale_store_close(all.store);
    free(all.asking);
    PMPI_T_finalize();
    return err;
}
