/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.c - main() of the measuring program: one launch, every pending point
 * of it. Started by `chorale run`; speaks to it in lines on standard output
 * that begin with '@'. */
#include "config.h"

#include "runners/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runners/environment.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef CHORALE_SIM
#include <simgrid/host.h>
#include <simgrid/version.h>
#endif

#define LOCK_SECONDS 10

/* The question that is answered from inside MPI, without a launch; and that a
 * launch may force the library's algorithms. */
#ifdef CHORALE_SIM
#define ASK "--hosts"
#else
#define ASK "--world"
#endif
#define NATIVE "--native"
#define ENVIRONMENT "--environment"

static const char usage[] =
    "Usage: chorale-runner [OPTION]... results.db LAUNCH\n"
    "\n"
    "Measure the pending points of one launch.\n"
    "\n"
    "Started under the MPI launcher by `chorale run`, which makes the launch "
    "and names\nit by its UUID. Rank 0 alone opens the database; every point "
    "is stored whole, so\nthat a killed launch loses at most the point it was "
    "at.\n"
    "\n"
    "Options:\n"
    "      --probe            print the MPI library that this program is "
    "built with, and\n"
    "                         exit without starting MPI\n"
#ifdef CHORALE_SIM
    "      --hosts            print the hosts of the simulated platform\n"
#else
    "      --world            print how many ranks the launcher started\n"
    "      --environment      print what a launch would record of its "
    "environment: what\n"
    "                         `chorale doctor` judges\n"
    "      --variables        print the control variables of the MPI library "
    "that are\n"
    "                         recorded, as they are without MPI started\n"
    "      --natives          print the algorithms of the MPI library that "
    "can be forced,\n"
    "                         and exit without starting MPI\n"
    "      --counters LIST    print which of these events cannot be counted "
    "here, and why\n"
#endif
    "      --announce         name the cell before each repetition, to find "
    "one that hangs\n"
    "      --served           call the library's default as applications "
    "do, for a\n"
    "                         preloaded shim to serve it by its table\n"
    "      --native           before results.db: the launch may force such "
    "algorithms\n"
    "  -h, --help             show this help\n"
    "      --version          show the version\n"
    "\n"
    "Examples:\n"
    "  $ chorale-runner --probe\n";

#ifndef CHORALE_SIM
static int print_natives(void)
{
    struct chorale_native *native = chorale_native_open("");

    chorale_native_print(native, stdout);
    chorale_native_close(native);
    return 0;
}
#endif

/* Options that need no launch. Returns the exit code, or -1 to go on. */
static int early(int argc, char **argv)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int len;

    if (argc == 2 && (strcmp(argv[1], "--help") == 0 ||
                      strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("chorale-runner %s\noptions: %s\n", PACKAGE_VERSION,
               CHORALE_BUILD_OPTIONS);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--probe") == 0) {
        PMPI_Get_library_version(library, &len);
        library[strcspn(library, "\n")] = '\0';
        puts(library);
        return 0;
    }
#ifndef CHORALE_SIM
    if (argc == 2 && strcmp(argv[1], "--natives") == 0)
        return print_natives();
    if (argc == 3 && strcmp(argv[1], "--counters") == 0)
        return chorale_counters_print(argv[2], stdout) != 0 ? CHORALE_ENV : 0;
    if (argc == 2 && strcmp(argv[1], "--variables") == 0) {
        chorale_variables_print(stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], ENVIRONMENT) == 0)
        return -1;
#endif
    if (argc == 2 && strcmp(argv[1], ASK) == 0)
        return -1;
    if (argc != 3 && (argc != 4 || strcmp(argv[1], NATIVE) != 0)) {
        fprintf(stderr, "chorale-runner: wants results.db and a launch; see "
                        "--help\n");
        return CHORALE_USAGE;
    }
    return -1;
}

/* The launcher's death is ours: no orphan keeps measuring. */
static void die_with_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static int private_comm(MPI_Comm from, struct chorale_ctx **ctx)
{
    MPI_Comm comm;
    int rc = PMPI_Comm_dup(from, &comm);

    if (rc == MPI_SUCCESS)
        rc = chorale_ctx_new(comm, ctx);
    return rc;
}

/* An error of any rank ends all ranks, before the next collective. */
static enum chorale_err agree(struct chorale_bench *bench,
                              enum chorale_err err)
{
    int code = (int)err;

    if (chorale_own_most(bench, &code) != MPI_SUCCESS)
        return CHORALE_ENV;
    return (enum chorale_err)code;
}

static enum chorale_err mpi_check(int rc, const char *what,
                                  struct chorale_errmsg *msg)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;

    if (rc == MPI_SUCCESS)
        return CHORALE_OK;
    PMPI_Error_string(rc, text, &len);
    return chorale_fail(msg, CHORALE_ENV,
                        "MPI fails at %s: %.200s; `chorale doctor` shows "
                        "whether it does so elsewhere", what, text);
}

static enum chorale_err open_launch(struct chorale_bench *bench,
                                    const char *path, const char *uuid,
                                    struct chorale_store **store,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err;

    err = chorale_store_open(path, CHORALE_STORE_WRITE, store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_lock(*store, CHORALE_LOCK_RUNNER, LOCK_SECONDS,
                                 msg);
    if (err == CHORALE_OK)
        err = chorale_worklist_load(*store, uuid, &bench->work, msg);
    if (err == CHORALE_OK)
        err = chorale_worklist_recall(*store, &bench->work, msg);
    if (err == CHORALE_OK &&
        bench->work.comm_size * bench->work.siblings != bench->world_size)
        err = chorale_fail(msg, CHORALE_ENV,
                           "the launch is planned for %d ranks, "
                           "MPI_COMM_WORLD has %d; the launcher must belong "
                           "to the MPI that chorale-runner is built with "
                           "(`chorale doctor` names both)",
                           bench->work.comm_size * bench->work.siblings,
                           bench->world_size);
    return err;
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
        err = chorale_fail(msg, CHORALE_ENV, "out of memory");
    err = agree(bench, err);
    if (err != CHORALE_OK) {
        free(result);
        return err;
    }
    err = mpi_check(chorale_measure(bench, task, result),
                    chorale_coll_info((enum chorale_coll)task->coll)->name,
                    msg);
    if (err == CHORALE_OK && bench->world_rank == 0)
        err = chorale_record_point(store, bench, task, result, msg);
    for (int c = 0; c < task->ncand; c++)
        chorale_result_free(&result[c]);
    free(result);
    return agree(bench, err);
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
            printf("@point %d %s %lld\n", task->ncand,
                   chorale_coll_info((enum chorale_coll)task->coll)->name,
                   (long long)task->msg_size);
            fflush(stdout);
        }
    }
    return err;
}

static enum chorale_err set_up(struct chorale_bench *bench,
                               struct chorale_errmsg *msg)
{
    int rc = PMPI_Comm_dup(MPI_COMM_WORLD, &bench->world);

    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_set_errhandler(bench->world, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(bench->world, &bench->world_rank);
    PMPI_Comm_size(bench->world, &bench->world_size);
    if (rc == MPI_SUCCESS)
        rc = private_comm(bench->world, &bench->sync);
    return mpi_check(rc, "making the runner's own communicator", msg);
}

/* The communicator of the collectives: all ranks, or every so many of them,
 * so that siblings share nodes. */
static int set_up_comm(struct chorale_bench *bench)
{
    int rc;

    bench->sibling = bench->world_rank % bench->work.siblings;
    /* Without siblings no collective, which a simulated library may be
     * forced to a wrong algorithm of. */
    rc = bench->work.siblings == 1
             ? PMPI_Comm_dup(bench->world, &bench->comm)
             : PMPI_Comm_split(bench->world, bench->sibling,
                               bench->world_rank, &bench->comm);
    if (rc != MPI_SUCCESS)
        return rc;
    PMPI_Comm_rank(bench->comm, &bench->rank);
    PMPI_Comm_size(bench->comm, &bench->size);
    rc = PMPI_Comm_dup(bench->comm, &bench->lib);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Comm_set_errhandler(bench->lib, MPI_ERRORS_RETURN);
    return rc == MPI_SUCCESS ? private_comm(bench->comm, &bench->ctx) : rc;
}


/* Nodes, clocks, and how fast messages are. */
static enum chorale_err survey(struct chorale_bench *bench,
                               struct chorale_errmsg *msg)
{
    enum chorale_err err;

    err = mpi_check(chorale_nodes_find(bench), "finding the ranks of each node",
                    msg);
    if (err == CHORALE_OK)
        err = mpi_check(chorale_clock_agree(&bench->clock, bench->sync,
                                            bench->node),
                        "comparing the ranks' clocks", msg);
    if (err == CHORALE_OK)
        err = mpi_check(chorale_sync_calibrate(bench),
                        "trying to start the ranks together", msg);
    if (err == CHORALE_OK)
        err = mpi_check(chorale_floor_measure(bench),
                        "timing messages between ranks", msg);
    if (err == CHORALE_OK)
        err = mpi_check(chorale_copying_measure(bench),
                        "timing copies in memory", msg);
    return err;
}

#ifndef CHORALE_SIM
/* Without a launch: "@env KEY VALUE" for each fact. */
static enum chorale_err show_environment(struct chorale_bench *bench,
                                         int argc, char **argv,
                                         struct chorale_errmsg *msg)
{
    struct chorale_facts facts = { NULL, 0, 0, 0 };
    enum chorale_err err = set_up(bench, msg);
    int *map = NULL;

    bench->work.siblings = 1;
    if (err == CHORALE_OK)
        err = mpi_check(set_up_comm(bench),
                        "making the communicators to measure", msg);
    if (err == CHORALE_OK)
        err = survey(bench, msg);
    if (err == CHORALE_OK) {
        map = calloc((size_t)bench->size, sizeof(*map));
        err = map == NULL ? chorale_fail(msg, CHORALE_ENV, "out of memory")
                          : CHORALE_OK;
        err = agree(bench, err);
    }
    if (err == CHORALE_OK)
        err = mpi_check(chorale_environment_gather(bench, argc, argv, &facts,
                                                   map),
                        "gathering what each rank runs on", msg);
    for (int i = 0; bench->world_rank == 0 && i < facts.count; i++)
        printf("@env %s %s\n", facts.fact[i].key, facts.fact[i].value);
    chorale_facts_release(&facts);
    free(map);
    return err;
}
#endif

/* The whole launch. */
static enum chorale_err launch(struct chorale_bench *bench, int argc,
                               char **argv, struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    enum chorale_err err = set_up(bench, msg);

    if (err != CHORALE_OK)
        return err;
    if (bench->world_rank == 0)
        err = open_launch(bench, argv[argc - 2], argv[argc - 1], &store, msg);
    err = agree(bench, err);
    if (err == CHORALE_OK)
        err = mpi_check(chorale_worklist_share(bench),
                        "giving the plan to all ranks", msg);
    if (err == CHORALE_OK)
        err = mpi_check(set_up_comm(bench),
                        "making the communicators to measure", msg);
    if (err == CHORALE_OK)
        chorale_provider_open(bench);
    if (err == CHORALE_OK)
        err = survey(bench, msg);
    if (err == CHORALE_OK)
        err = agree(bench, chorale_environment_record(store, bench, argc,
                                                      argv, msg));
    if (err == CHORALE_OK)
        err = mpi_check(chorale_counters_open(bench),
                        "opening the counters", msg);
    if (err == CHORALE_OK)
        err = all_points(bench, store, msg);
    if (err == CHORALE_OK)
        err = agree(bench, chorale_environment_after(store, bench, msg));
    if (err == CHORALE_OK && bench->world_rank == 0)
        err = chorale_record_finish(store, bench, msg);
    err = agree(bench, err);
    if (bench->world_rank == 0)
        free(bench->sim_row);
    chorale_counters_close(bench);
    chorale_worklist_free(&bench->work);
    chorale_store_close(store);
    return err;
}

static void answer(void)
{
#ifdef CHORALE_SIM
    size_t n = sg_host_count();
    sg_host_t *host = sg_host_list();

    printf("@version %d.%d\n", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR);
    for (size_t i = 0; i < n; i++)
        printf("@host %s\n", sg_host_get_name(host[i]));
#else
    int rank, size;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        printf("@world %d\n", size);
#endif
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct chorale_bench bench = { 0 };
    struct chorale_errmsg msg = { "" };
    enum chorale_err err;
    int code;

    while (argc > 1 && (strcmp(argv[1], "--announce") == 0 ||
                        strcmp(argv[1], "--served") == 0)) {
        bench.announce |= argv[1][2] == 'a';
        bench.served |= argv[1][2] == 's';
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    code = early(argc, argv);
    if (code >= 0)
        return code;
    die_with_parent();
    if (argc == 4)
        chorale_native_allow();
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fprintf(stderr, "chorale-runner: MPI_Init failed\n");
        return CHORALE_ENV;
    }
    if (argc == 2 && strcmp(argv[1], ASK) == 0) {
        answer();
        MPI_Finalize();
        return 0;
    }
#ifndef CHORALE_SIM
    if (argc == 2)
        err = show_environment(&bench, argc, argv, &msg);
    else
#endif
        err = launch(&bench, argc, argv, &msg);
    if (bench.world_rank == 0) {
        if (err != CHORALE_OK)
            fprintf(stderr, "chorale-runner: %s\n", msg.text);
        /* All is committed: what follows may hang in some libraries, and
         * `chorale run` then ends it without loss. */
        printf("@end %d\n", (int)err);
        fflush(stdout);
    }
    chorale_ctx_free(bench.ctx);
    chorale_ctx_free(bench.sync);
    chorale_native_close(bench.native);
    chorale_clock_release(&bench.clock);
    free(bench.node);
    MPI_Finalize();
    return (int)err;
}
