/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.c - build the command line of a launch. */
#include "config.h"

#include "db/path_escape.h"
#include "tuner/run/launcher.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

const char *chorale_mpiexec(void)
{
    const char *name = getenv("CHORALE_MPIEXEC");

    return name != NULL && name[0] != '\0' ? name : CHORALE_MPIEXEC;
}

/* Split the user's command into words like a shell, without substitutions. */
static enum chorale_err custom_args(const char *command, int comm_size,
                                    int ppn, struct chorale_args *args,
                                    struct chorale_errmsg *msg)
{
    const struct {
        const char *mark;
        int value;
    } mark[] = { { "{P}", comm_size },
                 { "{ppn}", ppn },
                 { "{nodes}", (comm_size + ppn - 1) / ppn } };
    wordexp_t words;
    int rc;
    char *copy = strdup(command), *at, *quoted;

    if (copy == NULL)
        return chorale_fail_memory(msg, NULL);
    for (int i = 0; i < COUNT(mark); i++)
        while ((at = strstr(copy, mark[i].mark)) != NULL) {
            if (asprintf(&quoted, "%.*s%d%s", (int)(at - copy), copy,
                         mark[i].value, at + strlen(mark[i].mark)) < 0)
                quoted = NULL;
            free(copy);
            if (quoted == NULL)
                return chorale_fail_memory(msg, NULL);
            copy = quoted;
        }
    rc = wordexp(copy, &words, WRDE_NOCMD | WRDE_UNDEF);
    free(copy);
    if (rc != 0)
        return chorale_fail(msg, CHORALE_USAGE,
                            "--launcher-cmd '%s': cannot be split into words; "
                            "quote what contains shell characters", command);
    for (size_t i = 0; i < words.we_wordc; i++)
        chorale_args_add(args, "%s", words.we_wordv[i]);
    wordfree(&words);
    return CHORALE_OK;
}

enum chorale_err chorale_launcher_check(const char *command,
                                        struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    enum chorale_err err = CHORALE_OK;

    if (command != NULL)
        err = custom_args(command, 1, 1, &args, msg);
    if (err == CHORALE_OK && args.count > 0 && !chorale_in_path(args.word[0]))
        err = chorale_fail(msg, CHORALE_ENV,
                           "--launcher-cmd '%s': there is no program %s in "
                           "PATH; install it, or name another command",
                           command, args.word[0]);
    chorale_args_free(&args);
    return err;
}

int chorale_setting_valid(const char *part)
{
    static const char form[] =
        "^(MPIR_CVAR_(BCAST|ALLREDUCE)_TREE_TYPE|OMPI_MCA_coll_han_"
        "(bcast|reduce|allreduce)_(segsize|up_module|low_module))=[a-z0-9_]+$";
    regex_t pattern;
    int matches;

    if (regcomp(&pattern, form, REG_EXTENDED | REG_NOSUB) != 0)
        return 0;
    matches = regexec(&pattern, part, 0, NULL, 0) == 0;
    regfree(&pattern);
    return matches;
}

void chorale_shim_locate(char *path, size_t size)
{
    if (chorale_find_program(".libs/libchorale_pmpi.so", "", path, size,
                             NULL) != CHORALE_OK)
        snprintf(path, size, "%s/libchorale_pmpi.so", LIBDIR);
}

/* Preload the shim through `env` in front of the runner, since not all
 * launchers pass on variables. The shim acts from the first call on and uses
 * only this table. */
static enum chorale_err preload_args(const char *module,
                                     struct chorale_args *args,
                                     struct chorale_errmsg *msg)
{
    const char *others = getenv("LD_PRELOAD");
    char shim[PATH_MAX];

    chorale_shim_locate(shim, sizeof(shim));
    if (access(shim, R_OK) != 0)
        return chorale_fail(msg, CHORALE_ENV, "%s: %s; install the whole of "
                            "chorale", shim, strerror(errno));
    if (strpbrk(shim, " :") != NULL)
        return chorale_fail(msg, CHORALE_ENV, "%s: no library can be "
                            "preloaded from a path with spaces or colons; "
                            "install it elsewhere", shim);
    chorale_args_add(args, "env");
    chorale_args_add(args, "-uCHORALE_FORCE");
    chorale_args_add(args, "-uCHORALE_DISABLE");
    chorale_args_add(args, "-uCHORALE_CHECK");
    chorale_args_add(args, "LD_PRELOAD=%s%s%s", shim,
                     others != NULL && others[0] != '\0' ? ":" : "",
                     others != NULL ? others : "");
    chorale_args_add(args, "CHORALE_DISPATCH=%s", module);
    chorale_args_add(args, "CHORALE_AFTER=1");
    chorale_args_add(args, "CHORALE_HOST_BUFFERS=1");
    return CHORALE_OK;
}

/* Add the database's path; escaped: as one word for smpirun. */
static enum chorale_err database_arg(const char *db_path, int escaped,
                                     struct chorale_args *args,
                                     struct chorale_errmsg *msg)
{
    char *word;

    if (!escaped) {
        chorale_args_add(args, "%s", db_path);
        return CHORALE_OK;
    }
    word = chorale_word_escape(db_path);
    if (word == NULL)
        return chorale_fail_memory(msg, NULL);
    chorale_args_add(args, "%s", word);
    free(word);
    return CHORALE_OK;
}

/* Options of mpiexec for ppn ranks on each node. Open MPI refuses -ppn. */
static enum chorale_err placement_args(int ppn, struct chorale_args *args,
                                       struct chorale_errmsg *msg)
{
    char library[64];
    enum chorale_err err = chorale_runner_probe(library, sizeof(library), msg);

    if (err != CHORALE_OK)
        return err;
    if (strstr(library, "Open MPI") != NULL) {
        chorale_args_add(args, "--map-by");
        chorale_args_add(args, "ppr:%d:node", ppn);
    } else {
        chorale_args_add(args, "-ppn");
        chorale_args_add(args, "%d", ppn);
    }
    return CHORALE_OK;
}

enum chorale_err chorale_launcher_args(const struct chorale_launcher *launcher,
                                       int comm_size, int ppn,
                                       const char *db_path, const char *launch,
                                       int announce,
                                       struct chorale_args *args,
                                       struct chorale_sim_files *files,
                                       struct chorale_errmsg *msg)
{
    const int simulated = strcmp(launcher->kind, "smpirun") == 0;
    const int escaped = simulated && !chorale_word_is_plain(db_path);
    char runner[PATH_MAX];
    enum chorale_err err;

    err = chorale_find_program(simulated ? "chorale-runner-sim"
                                         : "chorale-runner",
                               simulated ? PKGLIBEXECDIR : BINDIR, runner,
                               sizeof(runner), msg);
    if (err != CHORALE_OK)
        return err;
    if (simulated) {
        err = chorale_sim_args(&launcher->sim, comm_size, ppn, db_path, args,
                               files, msg);
    } else if (strcmp(launcher->kind, "custom") == 0) {
        err = custom_args(launcher->command, comm_size, ppn, args, msg);
    } else if (strcmp(launcher->kind, "srun") == 0) {
        chorale_args_add(args, "srun");
        chorale_args_add(args, "--nodes=%d", (comm_size + ppn - 1) / ppn);
        chorale_args_add(args, "--ntasks=%d", comm_size);
        chorale_args_add(args, "--ntasks-per-node=%d", ppn);
        chorale_args_add(args, "--distribution=block");
        /* Otherwise the other ranks wait for one that died. */
        chorale_args_add(args, "--kill-on-bad-exit=1");
        if (launcher->outlives) /* else two SIGINTs are needed */
            chorale_args_add(args, "--quit-on-interrupt");
        if (launcher->mpi != NULL)
            chorale_args_add(args, "--mpi=%s", launcher->mpi);
        if (launcher->bind > 0)
            chorale_args_add(args, "--cpu-bind=cores");
    } else {
        chorale_args_add(args, "%s", chorale_mpiexec());
        chorale_args_add(args, "-n");
        chorale_args_add(args, "%d", comm_size);
        if (ppn < comm_size)
            err = placement_args(ppn, args, msg);
        args->bind = launcher->bound ? 0 : launcher->bind;
        if (launcher->bound) {
            chorale_args_add(args, "--bind-to");
            chorale_args_add(args, "core");
        }
    }
    if (err == CHORALE_OK && launcher->module != NULL && !simulated)
        err = preload_args(launcher->module, args, msg);
    if (launcher->setting != NULL && !simulated) {
        chorale_args_add(args, "env");
        chorale_args_add(args, "%s", launcher->setting);
    }
    chorale_args_add(args, "%s", runner);
    if (escaped)
        chorale_args_add(args, "--escaped");
    if (announce)
        chorale_args_add(args, "--announce");
    if (launcher->served)
        chorale_args_add(args, "--served");
    if (launcher->bound && !simulated)
        chorale_args_add(args, "--bound");
    if (launcher->outlives && !simulated)
        chorale_args_add(args, "--ignore-sigterm");
    if (launcher->turns && !simulated)
        chorale_args_add(args, "--turned=%llu:%d",
                         (unsigned long long)launcher->seed,
                         launcher->ordinal);
    if (launcher->native)
        chorale_args_add(args, "--native");
    if (err == CHORALE_OK)
        err = database_arg(db_path, escaped, args, msg);
    chorale_args_add(args, "%s", launch);
    return err;
}
