/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.c - one launch: measure all of its pending points. */
#include "config.h"

#include "runners/launch/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runners/measure/comm_create.h"
#include "runners/measure/judge_samples.h"
#include "runners/measure/other_load.h"

#define LOCK_SECONDS 10
#define LOOK_SECONDS 0.25     /* some seconds pass from SIGTERM to SIGKILL */

/* Tag of the runner's own messages: in simulation the variants' messages are on
 * the same communicator. */
#define OWN_TAG (CHORALE_TAG - 1)

/* Make a context on a duplicate of a communicator. */
static int private_ctx(MPI_Comm from, int tag, struct chorale_ctx **ctx)
{
    MPI_Comm comm;
    int rc = chorale_comm_dup(from, &comm);

    if (rc == MPI_SUCCESS)
        rc = chorale_ctx_new(comm, ctx);
    if (rc == MPI_SUCCESS)
        (*ctx)->tag = tag;
    return rc;
}

enum chorale_err chorale_launch_agree(struct chorale_bench *bench,
                                      enum chorale_err err)
{
    int code = (int)err;

    if (chorale_p2p_max(bench, &code) != MPI_SUCCESS)
        return CHORALE_ENV;
    return (enum chorale_err)code;
}

enum chorale_err chorale_launch_mpi(int rc, const char *what,
                                    struct chorale_errmsg *msg)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (rc == MPI_SUCCESS)
        return CHORALE_OK;
    PMPI_Error_string(rc, text, &len);
    return chorale_fail(msg, CHORALE_ENV,
                        "MPI fails in %s: %.200s; check the MPI library with "
                        "`chorale doctor`", what, text);
}

int chorale_launch_stop_file(void *arg)
{
    char end[PATH_MAX];

    return snprintf(end, sizeof(end), "%s" CHORALE_END_SUFFIX,
                    (const char *)arg) < (int)sizeof(end) &&
           access(end, F_OK) == 0;
}

int chorale_launch_ends(struct chorale_bench *bench)
{
    double now = MPI_Wtime();

    if (bench->ending == NULL || bench->ends ||
        (bench->ending_looked > 0 && now - bench->ending_looked < LOOK_SECONDS))
        return bench->ends;
    bench->ending_looked = now;
    bench->ends = bench->ending(bench->ending_arg);
    return bench->ends;
}

/* Rank 0: call the callback for stored transactions, if it is set. */
static enum chorale_err stored(struct chorale_bench *bench,
                               struct chorale_store *store,
                               struct chorale_errmsg *msg)
{
    return bench->stored != NULL && bench->world_rank == 0
               ? bench->stored(bench->stored_arg, store, msg)
               : CHORALE_OK;
}

static enum chorale_err one_point(struct chorale_bench *bench,
                                  struct chorale_store *store,
                                  const struct chorale_task *task,
                                  struct chorale_errmsg *msg)
{
    struct chorale_result *result =
        calloc((size_t)task->ncand, sizeof(*result));
    enum chorale_err err = CHORALE_OK;

    if (result == NULL)
        err = chorale_fail_memory(msg, NULL);
    else if (bench->world_rank == 0 && chorale_launch_ends(bench))
        err = chorale_fail(msg, CHORALE_STOPPED, "asked to end early; the "
                           "same command goes on");
    err = chorale_launch_agree(bench, err);
    if (err != CHORALE_OK) {
        free(result);
        return err;
    }
    err = chorale_launch_mpi(
        chorale_point_measure(bench, task, result),
        chorale_coll_info((enum chorale_coll)task->coll)->name, msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_load_look(bench),
                                 "looking for other programs", msg);
    if (err == CHORALE_OK && bench->world_rank == 0)
        err = chorale_record_point(store, bench, task, result, msg);
    if (err == CHORALE_OK)
        err = stored(bench, store, msg);
    for (int c = 0; c < task->ncand; c++)
        chorale_result_free(&result[c]);
    free(result);
    return chorale_launch_agree(bench, err);
}

static enum chorale_err all_points(struct chorale_bench *bench,
                                   struct chorale_store *store,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (int t = 0; t < bench->work.ntask && err == CHORALE_OK; t++) {
        const struct chorale_task *task = &bench->work.task[t];

        err = one_point(bench, store, task, msg);
        if (err == CHORALE_OK && bench->world_rank == 0) {
            printf("@point %d %s %lld %d\n", task->ncand,
                   chorale_coll_info((enum chorale_coll)task->coll)->name,
                   (long long)task->msg_size, bench->size);
            fflush(stdout);
        }
    }
    return err;
}

enum chorale_err chorale_launch_set_up(struct chorale_bench *bench,
                                       MPI_Comm ranks,
                                       struct chorale_errmsg *msg)
{
    int rc = private_ctx(ranks, OWN_TAG, &bench->sync);

    if (rc == MPI_SUCCESS) {
        bench->world = bench->sync->comm;
        bench->world_rank = bench->sync->rank;
        bench->world_size = bench->sync->size;
#ifdef CHORALE_SIM
        rc = chorale_shared_open(bench->world_size);
#endif
    }
    return chorale_launch_mpi(rc, "making the runner's own communicator", msg);
}

/* Create the measured communicator: all ranks, or every siblings-th rank, so
 * that siblings share nodes. */
static int set_up_comm(struct chorale_bench *bench)
{
    int rc;

    bench->sibling = bench->world_rank % bench->work.siblings;
    /* MPI_Comm_split calls collectives, which in simulation may be forced to a
     * wrong algorithm; avoid it without siblings. */
    rc = bench->work.siblings == 1
             ? chorale_comm_dup(bench->world, &bench->lib)
             : chorale_comm_split(bench->world, bench->sibling,
                                  bench->world_rank, &bench->lib);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_set_errhandler(bench->lib, MPI_ERRORS_RETURN);
    if (rc == MPI_SUCCESS)
        rc = chorale_comm_search(bench->lib);
    if (rc == MPI_SUCCESS)
        rc = private_ctx(bench->lib, CHORALE_TAG, &bench->ctx);
    if (rc == MPI_SUCCESS) {
        bench->rank = bench->ctx->rank;
        bench->size = bench->ctx->size;
    }
    return rc;
}

/* In simulation all ranks read one exact clock. */
static int agree_clocks(struct chorale_bench *bench)
{
    bench->clock.shared = chorale_simulated();
    return bench->clock.shared ? MPI_SUCCESS
                               : chorale_clock_agree(&bench->clock,
                                                     bench->sync, bench->node);
}

enum chorale_err chorale_launch_survey(struct chorale_bench *bench,
                                       struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_launch_mpi(
        set_up_comm(bench), "making the communicators to measure", msg);

    if (err == CHORALE_OK)
        chorale_provider_open(bench);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_nodes_find(bench),
                                 "finding the ranks of each node", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_load_look(bench),
                                 "looking for other programs", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(agree_clocks(bench),
                                 "comparing the ranks' clocks", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_sync_calibrate(bench),
                                 "trying to start the ranks together", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_floor_measure(bench),
                                 "timing messages between ranks", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_distance_measure(bench),
                                 "timing messages by distance", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_copying_measure(bench),
                                 "timing copies in memory", msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_memory_measure(bench),
                                 "timing messages in memory", msg);
    return err;
}

enum chorale_err chorale_launch_store(const char *path,
                                      struct chorale_store **store,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_LAUNCH,
                                              store, msg);

    if (err == CHORALE_OK)
        err = chorale_store_lock(*store, CHORALE_LOCK_RUNNER, LOCK_SECONDS,
                                 msg);
    return err;
}

enum chorale_err chorale_launch_load(struct chorale_store *store,
                                     const char *uuid,
                                     struct chorale_worklist *work,
                                     struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_worklist_load(store, uuid, work, msg);

    return err == CHORALE_OK ? chorale_worklist_recall(store, work, msg) : err;
}

enum chorale_err chorale_launch_fits(const struct chorale_bench *bench,
                                     struct chorale_errmsg *msg)
{
    int ranks = bench->work.comm_size * bench->work.siblings;

    if (ranks == bench->world_size)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_ENV,
                        "launch: planned for %d ranks, MPI_COMM_WORLD has %d; "
                        "use the launcher of the MPI library that `chorale "
                        "doctor` names", ranks, bench->world_size);
}

enum chorale_err chorale_launch_measure(struct chorale_bench *bench,
                                        struct chorale_store *store, int argc,
                                        char **argv,
                                        struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_launch_mpi(
        chorale_worklist_share(bench), "giving the plan to all ranks", msg);

    if (err == CHORALE_OK)
        err = chorale_launch_survey(bench, msg);
    if (err == CHORALE_OK)
        err = chorale_environment_record(store, bench, argc, argv, msg);
    if (err == CHORALE_OK)
        err = stored(bench, store, msg);
    err = chorale_launch_agree(bench, err);
    if (err == CHORALE_OK && bench->bound)
        err = chorale_environment_bound(bench, msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(chorale_counters_open(bench),
                                 "opening the counters", msg);
    if (err == CHORALE_OK)
        err = all_points(bench, store, msg);
    if (err == CHORALE_OK)
        err = chorale_launch_agree(
            bench, chorale_environment_after(store, bench, msg));
    if (err == CHORALE_OK && bench->world_rank == 0)
        err = chorale_record_finish(store, bench, msg);
    if (err == CHORALE_OK)
        err = stored(bench, store, msg);
    err = chorale_launch_agree(bench, err);
    chorale_counters_close(bench);
    chorale_worklist_free(&bench->work);
    return err;
}

void chorale_launch_close(struct chorale_bench *bench)
{
    chorale_ctx_free(bench->ctx);
    chorale_ctx_free(bench->sync);
    chorale_native_close(bench->native);
    chorale_clock_release(&bench->clock);
    chorale_buffers_release(bench);
    chorale_load_free(bench->load);
    free(bench->node);
}
