/* SPDX-License-Identifier: BSD-3-Clause */
/* try_launch.c - runs an application with the shim preloaded. The shim is
 * passed in environment variables, which launchers forward by themselves or
 * with one more setting (Open MPI). It does nothing in programs that never
 * initialise MPI. */
#include "config.h"

#include "tuner/try/try_app.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/run/launcher.h"
#include "tuner/base/process.h"

/* The user's LD_PRELOAD, kept over all runs. */
static char *others;
static int asked, listed;

#define LIST "OMPI_MCA_mca_base_env_list"
/* Open MPI warns of names that are not set. */
#define PASSED "LD_PRELOAD;CHORALE_TRACE;CHORALE_SITE"

static enum chorale_err set_environment(const char *table,
                                        const char *trace_file,
                                        struct chorale_errmsg *msg)
{
    char shim[PATH_MAX], preload[2 * PATH_MAX];
    int bad;

    if (!asked && getenv("LD_PRELOAD") != NULL)
        others = strdup(getenv("LD_PRELOAD"));
    if (!asked)
        listed = getenv(LIST) != NULL;
    asked = 1;
    chorale_shim_locate(shim, sizeof(shim));
    if (access(shim, R_OK) != 0)
        return chorale_fail(msg, CHORALE_ENV, "%s: %s; install the whole of "
                            "chorale", shim, strerror(errno));
    if (strpbrk(shim, " :") != NULL)
        return chorale_fail(msg, CHORALE_ENV, "%s: no library can be "
                            "preloaded from a path with spaces or colons; "
                            "install it elsewhere", shim);
    snprintf(preload, sizeof(preload), "%s%s%s", shim,
             others != NULL && others[0] != '\0' ? ":" : "",
             others != NULL ? others : "");
    bad = setenv("LD_PRELOAD", preload, 1)
          | setenv("CHORALE_TRACE", trace_file, 1)
          | setenv("CHORALE_SITE", "/nonexistent", 1)
          | (listed ? 0
                    : setenv(LIST, table != NULL ? PASSED ";CHORALE_DISPATCH"
                                                 : PASSED, 1))
          | unsetenv("CHORALE_FORCE") | unsetenv("CHORALE_DISABLE")
          | (table != NULL ? setenv("CHORALE_DISPATCH", table, 1)
                           : unsetenv("CHORALE_DISPATCH"));
    return bad == 0 ? CHORALE_OK
                    : chorale_fail_memory(msg, NULL);
}

/* Restore LD_PRELOAD for programs other than the application. */
static void restore(void)
{
    if (asked && others != NULL)
        setenv("LD_PRELOAD", others, 1);
    else if (asked)
        unsetenv("LD_PRELOAD");
    if (!listed)
        unsetenv(LIST);
    unsetenv("CHORALE_TRACE");
    unsetenv("CHORALE_DISPATCH");
}

static int pass_on(void *arg, const char *line, int is_err)
{
    (void)arg;
    fprintf(is_err ? stderr : stdout, "%s\n", line);
    return 0;
}

/* The remedy if a run of the application fails. */
static const char *remedy(const char *table)
{
    return table != NULL ? "it ran without a table: check its calls with "
                           "CHORALE_CHECK=1"
                         : "repair the program, or run it without `chorale "
                           "try`";
}

static enum chorale_err start(char **argv, const char *what, const char *table,
                              struct chorale_errmsg *msg)
{
    const double patience = 1e9; /* the application may be silent */
    struct chorale_args args = { .count = 0 };
    struct chorale_child child;
    int status = 0;
    enum chorale_ending ending;
    enum chorale_err err;

    for (int i = 0; argv[i] != NULL; i++)
        chorale_args_add(&args, "%s", argv[i]);
    err = chorale_spawn(&args, NULL, &child, msg);
    chorale_args_free(&args);
    if (err != CHORALE_OK)
        return err;
    ending = chorale_child_wait(&child, &patience, pass_on, NULL, &status);
    if (ending == CHORALE_ENDED_STOPPED)
        return chorale_fail(msg, CHORALE_STOPPED, "try: stopped; repeat the "
                            "command to start again");
    if (WIFSIGNALED(status))
        return chorale_fail(msg, CHORALE_ENV, "%s: %s ended by signal %d; %s",
                            argv[0], what, WTERMSIG(status), remedy(table));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return chorale_fail(msg, CHORALE_ENV, "%s: %s ended with exit status "
                            "%d; %s", argv[0], what, WEXITSTATUS(status),
                            remedy(table));
    return CHORALE_OK;
}

/* Check that the launcher connected the processes that it started. */
static enum chorale_err check_launcher(char **argv,
                                       const struct chorale_trace_text *trace,
                                       struct chorale_errmsg *msg)
{
    if (trace->comm_size > 1 || trace->launched <= trace->comm_size)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_ENV, "%s: started %d processes, but each "
                        "is alone in MPI_COMM_WORLD; use the launcher of the "
                        "program's MPI library, %s", argv[0], trace->launched,
                        chorale_mpiexec());
}

enum chorale_err chorale_try_run(char **argv, const char *what,
                                 const char *table,
                                 const char *trace_file, int keep,
                                 struct chorale_trace_text *trace,
                                 double *wall, double *inside,
                                 struct chorale_errmsg *msg)
{
    enum chorale_err err;

    memset(trace, 0, sizeof(*trace));
    unlink(trace_file);
    err = set_environment(table, trace_file, msg);
    if (err == CHORALE_OK)
        err = start(argv, what, table, msg);
    restore();
    if (err == CHORALE_OK && access(trace_file, F_OK) != 0)
        err = chorale_fail(msg, CHORALE_ENV, "%s: %s left no trace; it needs "
                           "Chorale's MPI library, MPI_Finalize, and "
                           "LD_PRELOAD and CHORALE_TRACE of its launcher",
                           argv[0], what);
    if (err == CHORALE_OK)
        err = chorale_trace_read(trace_file, trace, msg);
    if (err == CHORALE_OK)
        err = check_launcher(argv, trace, msg);
    if (!keep || err != CHORALE_OK)
        unlink(trace_file);
    if (err != CHORALE_OK)
        return err;
    *wall = trace->wall_max;
    *inside = trace->unlisted_seconds / trace->ranks;
    for (size_t i = 0; i < trace->npoint; i++)
        *inside += trace->point[i].seconds / trace->ranks;
    return CHORALE_OK;
}
