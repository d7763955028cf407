/* SPDX-License-Identifier: BSD-3-Clause */
/* bench.c - main() of the measuring program, which runs one launch. `chorale
 * run` starts it and reads lines from its standard output that begin with
 * '@'. */
#include "config.h"

#include "runners/measure/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/path_escape.h"
#include "runners/launch/environment.h"
#ifndef CHORALE_SIM
#include "runners/launch/groups.h"
#endif
#include "runners/launch/launch.h"
#include "runners/launch/replication.h"
#ifndef CHORALE_SIM
#include "runners/launch/node_order.h"
#endif

#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef CHORALE_SIM
#include <simgrid/host.h>
#include <simgrid/version.h>
#endif

/* Options. ASK: a query that is answered inside MPI, without a launch. NATIVE:
 * the launch may force the library's algorithms. */
#ifdef CHORALE_SIM
#define ASK "--hosts"
#else
#define ASK "--world"
#endif
#define NATIVE "--native"
#define TURNED "--turned="
#define SHARING "--sharing"
#define ENVIRONMENT "--environment"

static const char usage[] =
    "Usage: chorale-runner [OPTION]... results.db LAUNCH\n"
    "\n"
    "Measure the pending points of one launch.\n"
    "\n"
    "Started under the MPI launcher by `chorale run`, which creates the launch "
    "and names\nit by its UUID. Only rank 0 opens the database. A point is "
    "stored when it is complete,\nso a killed launch loses at most the point "
    "being measured.\n"
    "\n"
    "Options:\n"
    "      --probe            print the MPI library that this program is "
    "built with, and\n"
    "                         exit without starting MPI\n"
#ifdef CHORALE_SIM
    "      --hosts            print the hosts of the simulated platform\n"
#else
    "      --world            print how many ranks the launcher started\n"
    "      --environment      print the environment that a launch would "
    "record; `chorale\n"
    "                         doctor` judges it\n"
    "      --cores            print the cores to which a launcher may bind "
    "ranks; 0 if this\n"
    "                         process is itself bound, -1 if they are "
    "unknown\n"
    "      --variables        print the control variables of the MPI library "
    "that are\n"
    "                         recorded, with their values before MPI starts\n"
    "      --natives          print the algorithms of the MPI library that "
    "can be forced,\n"
    "                         and exit without starting MPI\n"
    "      --counters LIST    print which of these events cannot be counted "
    "here, with\n"
    "                         the reason\n"
#endif
    "      --sharing WORD     time groups that share replicated data; `chorale "
    "replicate\n"
    "                         --measure` starts it\n"
    "      --announce         print the cell before each repetition, to find "
    "one that hangs\n"
    "      --served           call the library's default by the names that "
    "applications use,\n"
    "                         so that a preloaded shim handles the calls\n"
    "      --ignore-sigterm   continue after SIGTERM, which Slurm sends to all "
    "ranks when a\n"
    "                         job ends; `chorale job` ends the launch\n"
    "      --escaped          decode %20 and other escapes in results.db, for "
    "launchers\n"
    "                         that are scripts\n"
    "      --bound            before results.db: end unless all ranks are bound "
    "to processors\n"
    "      --turned=SEED:N    order the nodes of launch number N by that seed; "
    "the first\n"
    "                         node stays\n"
    "      --native           before results.db: the launch may force the MPI "
    "library's\n"
    "                         algorithms\n"
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
    if (argc == 2 && strcmp(argv[1], "--cores") == 0) {
        printf("%d\n", chorale_binding_cores());
        return 0;
    }
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
        fprintf(stderr, "chorale-runner: missing results.db or launch; see "
                        "--help\n");
        return CHORALE_USAGE;
    }
    return -1;
}

/* If the launcher dies, this process dies too: no orphan keeps measuring. */
static void die_with_parent(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

/* Rank 0: open the database and load the pending cells of the launch. */
static enum chorale_err open_launch(struct chorale_bench *bench,
                                    const char *path, const char *uuid,
                                    struct chorale_store **store,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_launch_store(path, store, msg);

    if (err == CHORALE_OK)
        err = chorale_launch_load(*store, uuid, &bench->work, msg);
    return err == CHORALE_OK ? chorale_launch_fits(bench, msg) : err;
}

#ifndef CHORALE_SIM
/* Reorder the nodes if requested. */
static enum chorale_err turn(struct chorale_bench *bench,
                             struct chorale_errmsg *msg)
{
    int ordinal;
    uint64_t seed;

    if (bench->turned == NULL)
        return CHORALE_OK;
    if (chorale_node_order_parse(bench->turned, &seed, &ordinal) != 0)
        return chorale_fail(msg, CHORALE_USAGE, "--turned %.100s is not "
                            "SEED:ORDINAL; `chorale run` starts launches",
                            bench->turned);
    return chorale_launch_mpi(
        chorale_node_order_comm(MPI_COMM_WORLD, seed, ordinal, &bench->ranks),
        "putting the nodes in order", msg);
}
#endif

/* Run one launch on all ranks, or several on groups of ranks. */
static enum chorale_err launch(struct chorale_bench *bench, int argc,
                               char **argv, struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    enum chorale_err err;

#ifndef CHORALE_SIM
    struct chorale_group *group = NULL;
    int ngroup = 0;

    err = turn(bench, msg);
    if (err != CHORALE_OK)
        return err;
    if (chorale_groups_parse(argv[argc - 1], &group, &ngroup) != 0)
        return chorale_fail(msg, CHORALE_USAGE, "'%.200s': not a launch; "
                            "`chorale run` starts launches", argv[argc - 1]);
    if (ngroup > 0) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &bench->world_rank);
        err = chorale_groups_measure(group, ngroup, bench, argv[argc - 2],
                                     argc, argv, msg);
        free(group);
        return err;
    }
#endif
    err = chorale_launch_set_up(bench, bench->ranks, msg);
    if (err != CHORALE_OK)
        return err;
    bench->ending = chorale_launch_stop_file;
    bench->ending_arg = argv[argc - 2];
    if (bench->world_rank == 0)
        err = open_launch(bench, argv[argc - 2], argv[argc - 1], &store, msg);
    err = chorale_launch_agree(bench, err);
    if (err == CHORALE_OK)
        err = chorale_launch_measure(bench, store, argc, argv, msg);
    chorale_store_close(store);
    return err;
}

#ifndef CHORALE_SIM
/* Print "@env KEY VALUE" for each fact, without a launch. */
static enum chorale_err show_environment(struct chorale_bench *bench,
                                         int argc, char **argv,
                                         struct chorale_errmsg *msg)
{
    struct chorale_facts facts = { NULL, 0, 0, 0 };
    enum chorale_err err = chorale_launch_set_up(bench, MPI_COMM_WORLD, msg);
    int *map = NULL;

    bench->work.siblings = 1;
    if (err == CHORALE_OK)
        err = chorale_launch_survey(bench, msg);
    if (err == CHORALE_OK) {
        map = calloc((size_t)bench->size, sizeof(*map));
        err = map == NULL ? chorale_fail_memory(msg, NULL)
                          : CHORALE_OK;
        err = chorale_launch_agree(bench, err);
    }
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(
            chorale_environment_gather(bench, argc, argv, &facts, map),
            "gathering what each rank runs on", msg);
    for (int i = 0; bench->world_rank == 0 && i < facts.count; i++)
        printf("@env %s %s\n", facts.fact[i].key, facts.fact[i].value);
    chorale_facts_release(&facts);
    free(map);
    return err;
}
#endif

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
        printf("@world %d\n@end 0\n", size);
#endif
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct chorale_bench bench = { .ranks = MPI_COMM_WORLD };
    struct chorale_errmsg msg = { "" };
    enum chorale_err err;
    int code, escaped = 0;

    /* One write for each line: mpiexec may mix or lose parts of a line. */
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    while (argc > 1 && (strcmp(argv[1], "--announce") == 0 ||
                        strcmp(argv[1], "--served") == 0 ||
                        strcmp(argv[1], "--bound") == 0 ||
                        strcmp(argv[1], "--ignore-sigterm") == 0 ||
                        strcmp(argv[1], "--escaped") == 0 ||
                        strncmp(argv[1], TURNED, strlen(TURNED)) == 0)) {
        bench.announce |= argv[1][2] == 'a';
        bench.served |= argv[1][2] == 's';
        bench.bound |= argv[1][2] == 'b';
        escaped |= argv[1][2] == 'e';
        if (argv[1][2] == 'i')
            signal(SIGTERM, SIG_IGN);
        if (argv[1][2] == 't')
            bench.turned = argv[1] + strlen(TURNED);
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    code = early(argc, argv);
    if (code >= 0)
        return code;
    if (escaped && argc >= 3)
        chorale_word_unescape(argv[argc - 2]);
    die_with_parent();
    if (argc == 4)
        chorale_native_allow();
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
        fprintf(stderr, "chorale-runner: MPI_Init failed; `chorale doctor` "
                "tries the launcher\n");
        return CHORALE_ENV;
    }
    if (argc == 2 && strcmp(argv[1], ASK) == 0) {
        answer();
        MPI_Finalize();
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], SHARING) == 0)
        err = chorale_sharing_measure(&bench, argv[2], &msg);
#ifndef CHORALE_SIM
    else if (argc == 2)
        err = show_environment(&bench, argc, argv, &msg);
#endif
    else
        err = launch(&bench, argc, argv, &msg);
    if (bench.world_rank == 0) {
        if (err != CHORALE_OK)
            fprintf(stderr, "chorale-runner: %s\n", msg.text);
        /* All results are committed. MPI_Finalize may hang in some libraries;
         * `chorale run` can then end the program without loss. */
        printf("@end %d\n", (int)err);
        fflush(stdout);
    }
    chorale_launch_close(&bench);
    MPI_Finalize();
    return (int)err;
}
