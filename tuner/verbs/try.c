/* SPDX-License-Identifier: BSD-3-Clause */
/* try.c - the verb `try`: runs an application with a table and without it, in
 * turns. */
#include <string.h>

#include "tuner/base/process.h"
#include "tuner/base/verb.h"
#include "tuner/try/split_command.h"
#include "tuner/try/try_pairs.h"

/* The first program among the words, or NULL; NULL also with --help. A name
 * that ends in .so is a table, even if it is executable. */
static const char *program_of(char **argv)
{
    const char *found = NULL;

    for (char **word = argv + 1; *word != NULL; word++) {
        const size_t len = strlen(*word);

        if (strcmp(*word, "--help") == 0 || strcmp(*word, "-h") == 0)
            return NULL;
        if (found == NULL && (*word)[0] != '-' && chorale_in_path(*word) &&
            (len < 3 || strcmp(*word + len - 3, ".so") != 0))
            found = *word;
    }
    return found;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct chorale_try_opts opts = { .repeat = 3 };
    char command[1024];
    int nword = 0, end = 1, at;
    const char *program;
    char *dashes, **app;
    enum chorale_err err;

    chorale_command_text(argc, argv, command, sizeof(command));
    opts.command = command;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    program = end == argc ? program_of(argv) : NULL;
    if (program != NULL)
        return chorale_fail(msg, CHORALE_USAGE, "try: no -- before the command "
                            "'%.100s'; write `chorale try [OPTION]... -- "
                            "%.100s ...`", program, program);
    dashes = end < argc ? argv[end] : NULL;
    argv[end] = NULL;
    err = chorale_opts_parse(verb, end, argv, &opts, 0, 1, &nword, msg);
    argv[end] = dashes;
    if (err != CHORALE_OK || nword < 0)
        return err;
    if (end + 1 >= argc)
        return chorale_fail(msg, CHORALE_USAGE, "try: name the program after "
                            "--, as in `chorale try %s%s-- mpiexec -n 2 "
                            "./app`", nword > 0 ? argv[1] : "",
                            nword > 0 ? " " : "");
    app = argv + end + 1;
    at = nword > 0 ? -1 : chorale_try_cut(app);
    if (app[0] == NULL || (at >= 0 && app[at] == NULL))
        return chorale_fail(msg, CHORALE_USAGE, "try: name the program after "
                            "the second --, as in `chorale try -- mpiexec -n "
                            "2 -- ./app`");
    return chorale_app_try(app, at, nword > 0 ? argv[1] : NULL, &opts, msg);
}

#define AT(member) offsetof(struct chorale_try_opts, member)

static const struct chorale_opt rows[] = {
    { "repeat", 0, CHORALE_OPT_INT, AT(repeat), "N",
      "pairs of runs, with the table and without it (default: 3)", 1,
      CHORALE_TRY_REPEATS },
    { "system", 0, CHORALE_OPT_TEXT, AT(system), "NAME",
      "system of the table, if the database has several", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG, AT(allow_patented), NULL,
      "the table may choose patented variants", 0, 0 },
    { "measure", 0, CHORALE_OPT_FLAG, AT(measure), NULL,
      "make a table for the program even if one is installed; --budget and "
      "--keep imply it", 0, 0 },
    { "budget", 0, CHORALE_OPT_SECONDS, AT(budget), "TIME",
      "time for measuring such a table: the points that take most of the "
      "program's time come first, as many as fit (default: 2m)", 1, 0 },
    { "oversubscribe", 0, CHORALE_OPT_FLAG, AT(oversubscribe), NULL,
      "continue if a node has more ranks than processors; such measurements "
      "are not used for decisions", 0, 0 },
    { "keep", 0, CHORALE_OPT_TEXT, AT(keep), "DIR",
      "keep such a table in this folder, as table.so, and the measurements, "
      "as results.db, which a repeated command continues (default: both are "
      "removed)", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_try = {
    .name = "try",
    .args = "[results.db|table.so] -- COMMAND...",
    .summary = "measure what a table gains an application",
    .detail =
        "Runs the command without the table and with it, in turns. Both run "
        "under the shim with tracing, so that both have the same overhead. "
        "Prints geometric means of the program's time from MPI_Init to "
        "MPI_Finalize and of a rank's time in collectives. Prints how many "
        "times faster the program is with the table, with a 95 % interval "
        "(Student's t) from the ratios of the pairs, and the points that the "
        "table changed. A ratio is called faster or slower only if the "
        "interval excludes 1 and the table served a call; --repeat "
        "narrows the interval. The exit code is 1 if the whole interval of the "
        "program's ratio is below 1, which means that the program is "
        "significantly slower. With a database the table is generated and "
        "compiled first.\n"
        "Without a table argument the installed table is used, by "
        "CHORALE_DISPATCH or the site's folder. If there is no installed "
        "table, or with --measure, a table is made first. try then traces the "
        "program, plans the calls that take most of its time as `chorale plan "
        "--from-trace` does, measures them with the program's own launcher "
        "for at most --budget, fits and decides. If load disturbed too many "
        "runs, it measures again with twice the launches. For a program "
        "without collective calls on several ranks, or with calls that cannot "
        "be measured, the exit code is 4.\n"
        "For this, chorale-runner is started in the program's place, with the "
        "words of the command before it. The program is the only word with "
        "the name of the traced program, so no launcher's options need to be "
        "known. If the ranks run something else (as from a script), or "
        "several words have that name, mark the end of the launcher's words "
        "by a second --; the first -- begins the command and is not passed "
        "on. The number of ranks is the word after -n, -np, --ntasks or a "
        "similar option that equals the program's number of ranks; it is "
        "replaced to measure smaller communicators. Without such a word "
        "smaller communicators are left out with a message. If fewer ranks "
        "would be placed differently from the communicators, as by srun -N 2, "
        "they are measured only in starts of all ranks.\n"
        "Any command that starts the ranks can be used. The shim is passed in "
        "the environment (LD_PRELOAD and CHORALE_ variables), which the "
        "launchers of MPICH and Slurm forward; for Open MPI, "
        "OMPI_MCA_mca_base_env_list is set unless it is set already. Traces "
        "are written into a temporary folder in the working directory, which "
        "all nodes must be able to write.\n"
        "The shim makes its own communicator beside each communicator of the "
        "application with enough calls, at most CHORALE_MAX_COMMS in a "
        "process (default: 256), of those that the library can make (2048 in "
        "MPICH). They are freed when a call on all ranks finds that no more "
        "can be made. A communicator with a rank that has a GPU runtime "
        "loaded stays with the library; a runtime that is loaded later is "
        "noticed at the next communicator that the shim sets up.",
    .example = "chorale try -- mpiexec -n 2 ./app input\n"
               "chorale try --budget 10m --keep tuned -- srun -n 64 -- ./run.sh\n"
               "chorale try results.db -- mpiexec -n 2 ./app input\n"
               "chorale try table.so --repeat 5 -- srun -n 64 ./app",
    .opt = rows,
    .run = run,
};
