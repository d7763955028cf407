/* SPDX-License-Identifier: BSD-3-Clause */
/* import.c - the verb `import`: reads traces of applications, tables of other
 * benchmarks and timings of algorithms into a database. */
#include <string.h>

#include "tuner/base/suggest.h"
#include "tuner/exchange/import.h"
#include "tuner/plan/plan.h"

struct opts {
    struct chorale_import_as as;
    const char *time, *statistic;
    int quiet;
};

/* Check the options that apply to timings of algorithms. */
static enum chorale_err check_named(struct opts *opts,
                                    struct chorale_errmsg *msg)
{
    struct chorale_import_as *as = &opts->as;
    char remedy[CHORALE_SUGGEST_SIZE];

    as->statistic = opts->statistic != NULL
                        ? chorale_statistic_find(opts->statistic) : -1;
    if (opts->statistic != NULL && as->statistic < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--statistic %s: unknown; use "
                            "mean, max or root", opts->statistic);
    if (as->provider != NULL && strcmp(as->provider, "native") != 0 &&
        strcmp(as->provider, "foreign") != 0 &&
        strcmp(as->provider, "library") != 0)
        return chorale_fail(msg, CHORALE_USAGE, "--provider %s: unknown; use "
                            "native, foreign or library", as->provider);
    if (as->variant != NULL &&
        (as->provider == NULL || strcmp(as->provider, "library") == 0))
        return chorale_fail(msg, CHORALE_USAGE, "--variant %s: only for forced "
                            "algorithms; add --provider native or foreign",
                            as->variant);
    if (as->coll != NULL && chorale_coll_find(as->coll) < 0)
        return chorale_fail(msg, CHORALE_USAGE, "--collective %s: unknown "
                            "collective; %s", as->coll,
                            chorale_suggest_coll(as->coll, "`chorale list` "
                                                 "names them", remedy));
    if (as->rep != NULL && (as->rep[0] == '\0' || strlen(as->rep) > 60))
        return chorale_fail(msg, CHORALE_USAGE, "--launch: has %zu characters; "
                            "use 1 to 60", strlen(as->rep));
    return CHORALE_OK;
}

/* Check the options that apply to tables. */
static enum chorale_err check(const struct opts *opts,
                              struct chorale_errmsg *msg)
{
    const struct chorale_import_as *as = &opts->as;
    const char *const names[] = { as->system, as->mpi };
    enum chorale_err err = CHORALE_OK;

    if (as->shape != NULL)
        err = chorale_word_check("--shape", as->shape,
                                 "single-node,one-per-node,block,cyclic,"
                                 "irregular", msg);
    if (err == CHORALE_OK)
        err = chorale_word_check("--time", opts->time, "mean,slowest", msg);
    if (err != CHORALE_OK)
        return err;
    for (int i = 0; i < 2; i++)
        if (names[i] != NULL &&
            (names[i][0] == '\0' || strlen(names[i]) > 100))
            return chorale_fail(msg, CHORALE_USAGE, "--%s: has %zu "
                                "characters; use 1 to 100",
                                i == 0 ? "system" : "mpi", strlen(names[i]));
    if (as->procs > 0 && as->ppn > as->procs)
        return chorale_fail(msg, CHORALE_USAGE, "--ppn %ld: -P %ld has fewer "
                            "ranks; give how many of them a node "
                            "had", as->ppn, as->procs);
    return CHORALE_OK;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    char command[1024], label[CHORALE_LABEL_SIZE];
    struct opts opts = {
        .as = { .command = command },
        .time = "mean",
    };
    int nword = 0;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    err = chorale_opts_parse(verb, argc, argv, &opts, 2, argc, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    opts.as.slowest = strcmp(opts.time, "slowest") == 0;
    err = chorale_plan_label(opts.as.label, label, msg);
    opts.as.label = label;
    if (err == CHORALE_OK)
        err = check(&opts, msg);
    if (err == CHORALE_OK)
        err = check_named(&opts, msg);
    if (err == CHORALE_OK)
        err = chorale_files_import(argv[1], argv + 2, nword - 1, &opts.as,
                                   opts.quiet, msg);
    return err;
}

static const struct chorale_opt rows[] = {
    { "label", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.label), "TEXT",
      "name of the application, its input or the measurement; git: the output "
      "of git describe", 0, 0 },
    { "procs", 'P', CHORALE_OPT_INT, offsetof(struct opts, as.procs), "N",
      "for OSU tables, which lack it: number of ranks", 1,
      1 << 24 },
    { "ppn", 0, CHORALE_OPT_INT, offsetof(struct opts, as.ppn), "N",
      "for tables: ranks a node", 1, 1 << 20 },
    { "shape", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.shape), "SHAPE",
      "for tables: placement of ranks on several nodes, one-per-node, block, "
      "cyclic or irregular (default: block where possible)", 0, 0 },
    { "time", 0, CHORALE_OPT_TEXT, offsetof(struct opts, time), "WHICH",
      "for tables: mean, over ranks and calls, which all tables have; "
      "slowest, the rank that took longest, which is closer to a duration "
      "here and which IMB and OSU's -f print (default: mean)", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.system), "NAME",
      "for tables: name of the new system (default: imported)", 0, 0 },
    { "mpi", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.mpi), "TEXT",
      "for tables: the MPI library and its version, which tables lack "
      "(default: unknown)", 0, 0 },
    { "map", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.map),
      "COLUMN=NAME,...", "for CSV files: the name that the file has for a "
      "column, as in seconds_us=t,P=cores", 0, 0 },
    { "default", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.deflt), "NAME",
      "for timings: the algorithm that is the library's default (default: "
      "library)", 0, 0 },
    { "statistic", 0, CHORALE_OPT_TEXT, offsetof(struct opts, statistic),
      "WHICH", "for CSV files, what a time is: mean over the ranks, max, of "
      "the slowest rank, or root, of the root (default: mean)", 0, 0 },
    { "provider", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.provider),
      "WHICH", "whose algorithm was forced: native, of the MPI library; "
      "foreign, of another one; library: none, this is the default", 0, 0 },
    { "variant", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.variant),
      "NAME", "for tables: the forced algorithm", 0, 0 },
    { "launch", 0, CHORALE_OPT_TEXT, offsetof(struct opts, as.rep), "NAME",
      "for timings that lack it: name of their launch; times of one launch are "
      "compared in pairs (default: 0)", 0, 0 },
    { "collective", 'c', CHORALE_OPT_COLLS, offsetof(struct opts, as.coll),
      "NAME", "for files of PICO, which lack it", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "print nothing", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_import = {
    .name = "import",
    .args = "results.db FILE...",
    .summary = "read traces, tables of OSU and IMB, timings of algorithms",
    .detail =
        "A trace is the file that a run under the shim, or a program that "
        "calls libchorale, writes with CHORALE_TRACE=FILE; rank 0 writes it "
        "in MPI_Finalize. It lists how often each collective was called with "
        "which n, number of ranks, placement, type, operation and root, which "
        "variant ran, and how long the calls took. The database is made if it "
        "is missing. It keeps the trace in the tables trace and trace_point; "
        "view v_trace lists the most important points. `chorale plan "
        "--from-trace` plans it, and `chorale evaluate --trace` predicts the "
        "gain of a table.\n"
        "With CHORALE_TRACE_SIGNAL=12 a process that gets SIGUSR2 writes its "
        "own part so far, FILE.rank3, at its next call. A rank that calls "
        "MPI_Abort writes such a part too, and so does rank 0 of a program "
        "that ends without MPI_Finalize. Calls on inter-communicators are not "
        "traced.\n"
        "The file is text. Its heading has the format's version, the MPI "
        "library, the program, its start time, comm_size of MPI_COMM_WORLD, "
        "the number of ranks in the sums, launched if the launcher started "
        "another number of processes, oversubscribed if a node has more ranks "
        "than processors, part if the file is of one rank "
        "only, wall_seconds from MPI_Init to MPI_Finalize (mean over ranks, "
        "and the longest), unlisted calls (wrong arguments, no memory) and "
        "their time. Each further row is for all calls that are alike: coll, "
        "n in bytes (for gatherv, scatterv, alltoallv the mean, as no rank "
        "knows it for one call), comm_size, shape, type, op, root (first, "
        "middle, last), ran, rank_calls and seconds summed over the ranks, "
        "calls (of the whole communicator), max_seconds of the rank that "
        "spent most. The last line counts the rows.\n"
        "A FILE may also be the output of the OSU Micro-Benchmarks (osu_bcast "
        "etc., with -f or without) or of IMB-MPI1, including surrounding "
        "lines of a log. Barrier, bcast, reduce, allreduce, "
        "reduce_scatter_block, gather, scatter, allgather and alltoall become "
        "runs of the library's default in a separate system, so that they are "
        "never mixed with measurements here. A file that has a point several "
        "times gives as many launches. `chorale compare`, `plot`, `export` "
        "and the views treat them like others; their validity is imported. "
        "Tables of other benchmarks, of v-collectives and of "
        "MPI_Reduce_scatter, whose blocks are equal there and not here, are "
        "left out with a message. Numbers below a heading that is not "
        "recognised are an error. So are two times of a point that differ by "
        "more than a factor of 3, unless --label names the measurement. Of "
        "several files those with errors are left out, with exit status 1.\n"
        "Values that such tables lack are not invented: there are no samples, "
        "no interval within a launch, no counters. The time of a run is p50 "
        "if printed, else the mean; missing quantiles repeat it; "
        "run_summary.nrep is 0 if the number of calls is not printed. IMB "
        "before 2017 calls back to back; its metric is throughput, which is "
        "never decided upon or compared. The launch's rows of environment "
        "whose keys begin with import: record this, and the file's name.\n"
        "A FILE may also be a CSV file with timings of several algorithms, "
        "one a line below a heading. Its columns have any order and these "
        "names, in upper or lower case; --map gives others:\n"
        "- coll (collective, collective_type, mpi_collective)\n"
        "- algorithm (algo, alg, variant)\n"
        "- msg_size (msg_size_bytes, message_size, msgsize, bytes, size, "
        "size_bytes, nbytes, msg_bytes, block_bytes, block_size): bytes of "
        "one rank's block; of bcast, reduce and allreduce the whole vector\n"
        "- seconds (time, latency, avg_latency, duration, elapsed, runtime, "
        "t), also with a unit at the end: _ns, _us, _ms, _s\n"
        "- p (np, nprocs, procs, processes, ranks, nranks, comm_size, "
        "num_procs, n_procs, n_ranks), or -P\n"
        "- ppn (tasks_per_node, ranks_per_node, procs_per_node, "
        "processes_per_node) or nodes (nnodes, num_nodes, n_nodes), or --ppn\n"
        "- optional: system (cluster, machine), mpi (mpi_library), params "
        "(parameters), rep (launch, run, replicate), dtype (datatype, type), "
        "op (reduce_op, mpi_op)\n"
        "Lines that begin with # are comments. Each system of the file becomes "
        "a system of the database. The algorithm `library` is the default. "
        "Names that MPICH, Open MPI or Intel MPI give their algorithms get the "
        "provider native and the library's spelling, others the provider "
        "foreign. Rows of one system, collective, P and rep are one launch, "
        "whichever file they are in, so that `chorale decide` pairs them.\n"
        "The mean over the ranks of a rooted collective is no duration: ranks "
        "that leave early hide those that wait. Such times are marked `not a "
        "duration` and decide only with `chorale decide --accept-mean`.\n"
        "Two public tools' raw files are read too: tables of OSU named "
        "COLLECTIVE_NUMBER_PROCSranks_runRUN.out, as the tuning scripts of "
        "Open MPI write them, and files of PICO named "
        "COUNT_ALGORITHM_TYPE.csv. A table of OSU or IMB of another forced "
        "algorithm needs --provider and --variant. Without them it is refused "
        "if its file's name or its text names a forced algorithm.\n"
        "A CSV file is stored completely or not at all, with at most 1048576 "
        "rows. Compressed files are refused.",
    .example = "CHORALE_TRACE=app.trace LD_PRELOAD=libchorale_pmpi.so mpiexec"
               " -n 4 ./app\n"
               "chorale import results.db app.trace --label app-small\n"
               "chorale import old.db osu-*.txt -P 64 --ppn 32 --label before\n"
               "chorale import old.db imb.log --ppn 32 --mpi 'MPICH 4.0.2'\n"
               "chorale import cluster.db timings.csv --mpi 'Open MPI 4.1.6'"
               " --statistic max\n"
               "chorale import cluster.db allreduce_*_64ranks_run*.out"
               " --ppn 42\n"
               "chorale import cluster.db osu-ring.txt -P 64 --ppn 32"
               " --provider native --variant ring",
    .opt = rows,
    .run = run,
};
