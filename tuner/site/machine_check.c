/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_check.c - reports the machine's capabilities and conditions that
 * would disturb a measurement. */
#include "config.h"

#include "tuner/site/machine_check.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/mpi_name.h"
#include "db/environment.h"
#include "db/systems.h"
#include "tuner/run/bind.h"
#include "tuner/run/runner_query.h"
#include "tuner/run/launcher.h"
#include "tuner/plan/native_algs.h"
#include "tuner/site/folder_check.h"
#include "tuner/slurm/detect_launcher.h"
#include "tuner/plan/system.h"
#include "tuner/base/units.h"

#define FACTS_MAX (4 << 20)  /* most bytes of a runner's environment */
#define LOAD_MOST 0.5        /* acceptable number of other running processes */

static void say(const char *what, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const char *what, const char *format, ...)
{
    va_list ap;

    printf("%-12s ", what);
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf("\n");
}

/* Parse the facts that a runner prints as "@env KEY VALUE". */
static void read_facts(char *text, struct chorale_facts *facts)
{
    char *save = NULL, *value;

    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        if (strncmp(line, "@env ", 5) != 0)
            continue;
        value = strchr(line + 5, ' ');
        if (value == NULL)
            continue;
        *value++ = '\0';
        chorale_facts_put(facts, line + 5, value);
    }
}

/* Start ranks under the launcher, which print their environment. A launcher of
 * another MPI starts singletons that do not find each other. */
static int check_launch(long ranks, struct chorale_facts *facts)
{
    struct chorale_args args = { .count = 0 };
    struct chorale_errmsg msg;
    char *text = calloc(1, FACTS_MAX), runner[PATH_MAX];
    char request[CHORALE_BIND_TEXT];
    const char *started;
    int status = 0, bad = 1;

    if (text == NULL ||
        chorale_find_program("chorale-runner", BINDIR, runner, sizeof(runner),
                             &msg) != CHORALE_OK) {
        say("runner", "MISSING: %s", text == NULL ? "no memory" : msg.text);
        free(text);
        return 1;
    }
    chorale_args_add(&args, "%s", chorale_mpiexec());
    chorale_args_add(&args, "-n");
    chorale_args_add(&args, "%ld", ranks);
    chorale_args_add(&args, "%s", runner);
    chorale_args_add(&args, "--environment");
    args.bind = chorale_bind_wanted("mpiexec", (int)ranks, request);
    if (chorale_capture(&args, "install the MPI's launcher or set "
                               "CHORALE_MPIEXEC", text, FACTS_MAX, &status,
                        &msg) != CHORALE_OK) {
        say("launcher", "MISSING: %s", msg.text);
    } else {
        if (status == 0) {
            read_facts(text, facts);
            chorale_facts_put(facts, "binding_request", request);
        }
        started = chorale_facts_get(facts, "ranks");
        bad = started == NULL || strtol(started, NULL, 10) != ranks;
        if (!bad)
            say("launcher", "%s starts %ld rank%s", chorale_mpiexec(), ranks,
                chorale_plural(ranks));
        else if (started != NULL)
            say("launcher", "FAILS: %s starts ranks that do not find each "
                            "other: it belongs to another MPI",
                chorale_mpiexec());
        else
            say("launcher", "FAILS: %s: %.*s", chorale_mpiexec(),
                (int)strcspn(text, "\n"), text);
    }
    chorale_args_free(&args);
    free(text);
    return bad;
}

static int check_mpi(long ranks, struct chorale_facts *facts)
{
    struct chorale_natives natives;
    struct chorale_errmsg msg;
    char library[256], name[CHORALE_MPI_NAME];

    if (chorale_runner_probe(library, sizeof(library), &msg) != CHORALE_OK) {
        say("MPI", "MISSING: %s", msg.text);
        return 1;
    }
    chorale_mpi_name(library, name);
    say("MPI", "%s", name);
    if (chorale_natives_load(&natives, &msg) != CHORALE_OK)
        say("native", "MISSING: %s", msg.text);
    else if (natives.count > 0)
        say("native", "%d algorithm%s of the library can be forced",
            natives.count, chorale_plural(natives.count));
    else
        say("native", "none: the algorithms of the library cannot be "
                      "forced");
    chorale_natives_free(&natives);
    return check_launch(ranks, facts);
}

/* --- conditions that disturb a measurement ------------------------------ */

static double number(const struct chorale_facts *facts, const char *key)
{
    const char *text = chorale_facts_get(facts, key);

    return text != NULL ? strtod(text, NULL) : NAN;
}

/* Returns 1 if key is that fact of a node: "cpu_governor" or
 * "host:3:cpu_governor". */
static int of_node(const char *key, const char *fact)
{
    const char *colon = strrchr(key, ':');

    return strcmp(key, fact) == 0 ||
           (strncmp(key, "host:", 5) == 0 && colon != NULL &&
            strcmp(colon + 1, fact) == 0);
}

static void judge_processors(const struct chorale_facts *facts)
{
    const char *over = chorale_facts_get(facts, "oversubscribed");
    double online = number(facts, "processors");
    double usable = number(facts, "processors_usable");
    double quota = number(facts, "cpu_quota");
    double ranks = number(facts, "ranks_per_node");

    if (over != NULL && strcmp(over, "yes") == 0 && quota < ranks)
        say("processors", "WARNING: oversubscribed: %.0f ranks on a node, "
                          "where a CPU quota (control group) is worth %.3g "
                          "processor%s; such runs are measured but never used",
            ranks, quota, quota == 1 ? "" : "s");
    else if (over != NULL && strcmp(over, "yes") == 0)
        say("processors", "WARNING: oversubscribed: %.0f ranks on a node with "
                          "%.0f processors; such runs are measured but never "
                          "used", ranks, online);
    else
        say("processors", "%.0f, %.0f usable by a rank: more ranks than that "
                          "on a node are oversubscribed and never used",
            online, usable);
    if (isfinite(quota) && !(quota < ranks))
        say("", "a CPU quota (control group) is worth %.3g processor%s; "
                "runs that use it up are tagged throttled", quota,
            quota == 1 ? "" : "s");
}

/* Warn if the launcher does not bind ranks as `run` asks it to, or if `run`
 * cannot ask. More ranks than cores are judge_processors()'s matter. */
static void judge_binding(const struct chorale_facts *facts)
{
    const char *request = chorale_facts_get(facts, "binding_request");
    const char *source = chorale_facts_get(facts, "binding_source");
    const char *found = chorale_facts_get(facts, "binding");
    const char *over = chorale_facts_get(facts, "oversubscribed");

    if (found == NULL || request == NULL)
        return;
    if (strcmp(found, "own processors") == 0)
        say("binding", "each rank has processors of its own, says %s",
            source != NULL ? source : "the runner");
    else if (strcmp(request, "core") == 0)
        say("binding", "WARNING: %s: the launcher was asked to bind each rank "
                       "to a core; remove its own option or variable that "
                       "says otherwise", found);
    else if (over != NULL && strcmp(over, "yes") == 0)
        say("binding", "%s (%s)", found, request);
    else
        say("binding", "WARNING: %s (%s)", found, request);
}

/* Check the clocks: an error above a message's time hides late ranks. */
static void judge_clock(const struct chorale_facts *facts)
{
    double off = number(facts, "clock_residual_s");
    double alpha = number(facts, "message_alpha_s");
    int adrift = 0;

    for (int i = 0; i < facts->count; i++)
        adrift += of_node(facts->fact[i].key, "clock_disciplined") &&
                  strcmp(facts->fact[i].value, "no") == 0;
    if (off > alpha)
        say("clock", "WARNING: the ranks' clocks are %.2g us apart after "
                     "synchronisation, and a message takes %.2g us: short "
                     "operations will start from a barrier%s", 1e6 * off,
            1e6 * alpha,
            adrift > 0 ? "; no NTP or PTP disciplines the nodes' clocks"
                       : "");
    else if (number(facts, "nodes") > 1)
        say("clock", "the ranks agree to %.2g us, and a message takes %.2g us",
            1e6 * off, 1e6 * alpha);
    else if (isfinite(number(facts, "clock_resolution_s")))
        say("clock", "%s, resolution %.3g ns; one node, one clock",
            chorale_facts_get(facts, "clock_source") != NULL
                ? chorale_facts_get(facts, "clock_source")
                : "monotonic", 1e9 * number(facts, "clock_resolution_s"));
}

static void judge_load(const struct chorale_facts *facts)
{
    double own = number(facts, "load_before");
    int bad = 0;

    for (int i = 0; i < facts->count; i++) {
        const char *key = facts->fact[i].key;
        double load = number(facts, key);

        if (!of_node(key, "load_before") || !(load > LOAD_MOST))
            continue;
        bad++;
        say("load", "WARNING: %s%s%.1f processes were running in the last "
                    "minute: measure on an idle machine",
            strncmp(key, "host:", 5) == 0 ? key : "",
            strncmp(key, "host:", 5) == 0 ? ": " : "", load);
    }
    if (bad == 0 && own >= 0)
        say("load", "%.2f processes in the last minute", own);
}

/* Report a bad fact of each node, or the first node's good one. */
static void judge_nodes(const struct chorale_facts *facts, const char *what,
                        const char *fact, const char *good,
                        const char *remedy)
{
    const char *own = chorale_facts_get(facts, fact);
    int bad = 0;

    for (int i = 0; i < facts->count; i++) {
        const struct chorale_fact *f = &facts->fact[i];

        if (!of_node(f->key, fact) || strcmp(f->value, good) == 0)
            continue;
        bad++;
        say(what, "WARNING: %s%s%s", strcmp(f->key, fact) == 0 ? "" : f->key,
            strcmp(f->key, fact) == 0 ? "" : ": ", f->value);
    }
    if (bad > 0)
        say("", "%s", remedy);
    else if (own != NULL)
        say(what, "%s", own);
}

static void show_mpi(const struct chorale_facts *facts)
{
    const char *transport = chorale_facts_get(facts, "transport");
    int n = 0;

    if (transport != NULL)
        say("transport", "%s", transport);
    for (int i = 0; i < facts->count; i++)
        if (strncmp(facts->fact[i].key, "mpi:", 4) == 0) {
            say(n++ == 0 ? "variables" : "", "%s = %s",
                facts->fact[i].key + 4, facts->fact[i].value);
        }
    if (n > 0)
        say("", "these are not at the library's defaults, and so is what is "
                "measured");
}

static void check_machine(const struct chorale_facts *facts)
{
    const char *virtual = chorale_facts_get(facts, "virtual_machine");
    const char *tuned = chorale_facts_get(facts, "self_tuning");

    show_mpi(facts);
    if (tuned != NULL)
        say("default", "WARNING: the MPI library tunes itself (%s): its "
                       "default changes while it is measured; turn that off",
            tuned);
    judge_processors(facts);
    judge_binding(facts);
    judge_clock(facts);
    judge_load(facts);
    judge_nodes(facts, "governor", "cpu_governor", "performance",
                "the frequency changes with the load: set the governor "
                "performance (cpupower frequency-set -g performance)");
    if (virtual != NULL && strcmp(virtual, "no") != 0)
        say("machine", "WARNING: virtual (%s): other guests may disturb it; "
                       "use several launches", virtual);
}

/* Inside a job, try which launchers start the runner, and print the lines for a
 * site file of `submit --site`. */
static void try_in_job(void)
{
    static const char *const srun[][5] = {
        { "srun", "--ntasks=2", "--kill-on-bad-exit=1", "--mpi=pmi2", NULL },
        { "srun", "--ntasks=2", "--kill-on-bad-exit=1", "--mpi=pmix", NULL },
    };
    const char *const mpiexec[] = { chorale_mpiexec(), "-n", "2", NULL };
    struct chorale_errmsg msg;
    char runner[PATH_MAX];
    int good = 0;

    if (chorale_find_program("chorale-runner", BINDIR, runner, sizeof(runner),
                             &msg) != CHORALE_OK)
        return; /* already reported */
    for (size_t i = 0; i < sizeof(srun) / sizeof(srun[0]); i++) {
        if (chorale_probe_ranks(srun[i], runner) != 2)
            continue;
        good++;
        say("", "srun %s starts ranks: 'launcher = srun' and 'mpi = %s' in a "
                "site file", srun[i][3], srun[i][3] + strlen("--mpi="));
    }
    if (chorale_probe_ranks(mpiexec, runner) == 2) {
        good++;
        say("", "%s starts ranks: 'launcher = mpiexec'", mpiexec[0]);
    }
    if (good == 0)
        say("", "FAILS: neither srun --mpi=pmi2 or pmix nor %s starts two "
                "ranks that find each other in this job: it needs two tasks, "
                "and a launcher of the runner's MPI", mpiexec[0]);
}

static void check_tools(void)
{
    struct chorale_errmsg msg;
    char path[PATH_MAX];

#ifdef HAVE_PAPI
    char level[32], text[1024];

    say("PAPI", "built in; `papi_avail` and `papi_native_avail` list events");
    if (chorale_facts_line("/proc/sys/kernel/perf_event_paranoid", NULL,
                           level, sizeof(level)) == 0 &&
        strtol(level, NULL, 10) > 2)
        say("", "kernel.perf_event_paranoid is %s: only privileged programs "
                "may count hardware events", level);
    else if (chorale_runner_query("--counters", "PAPI_TOT_CYC", text,
                                  sizeof(text), &msg) == CHORALE_OK &&
             text[0] != '\0')
        say("", "no hardware counters on this machine: %.*s",
            (int)strcspn(text, "\n"), text);
#else
    say("PAPI", "not built in (libpapi-dev): no --counters");
#endif
    if (chorale_find_program("chorale-runner-sim", PKGLIBEXECDIR, path,
                             sizeof(path), &msg) != CHORALE_OK)
        say("SimGrid", "no: %s", msg.text);
    else
        say("SimGrid", "%s", chorale_in_path("smpirun")
                                 ? "simulated systems can be measured"
                                 : "MISSING: smpirun is not in PATH "
                                   "(libsimgrid-dev)");
    say("gnuplot", "%s", chorale_in_path("gnuplot")
                             ? "found"
                             : "MISSING: no pictures (gnuplot-nox)");
    say("Slurm", "%s", chorale_in_path("srun")
                           ? "found: --launcher srun inside a job; `chorale "
                             "doctor` there tries what starts ranks"
                           : "not here");
    if (chorale_in_path("srun") && getenv("SLURM_JOB_ID") != NULL)
        try_in_job();
}

/* Print whether databases can be kept in a folder. Returns 1 if they cannot. */
static int check_folder(const char *path)
{
    struct chorale_folder found;
    int error;

    chorale_folder_check(path, &found);
    error = found.write_error != 0 ? found.write_error
            : found.flush_error != 0 ? found.flush_error
                                     : found.lock_error;
    if (error != 0) {
        say("folder", "FAILS: %s: %s fails (%s): keep databases on another "
                      "file system", path,
            found.write_error != 0   ? "writing"
            : found.flush_error != 0 ? "flushing a file to the disk"
                                     : "locking a file", strerror(error));
        return 1;
    }
    if (!found.excludes || found.local[0] != '\0')
        say("folder", "WARNING: %s: locks exclude %s%s%s: only the lock file "
                      "keeps two commands from damaging a database; write it "
                      "on one node at a time", path,
            found.excludes ? "only processes of one node" : "no other process",
            found.local[0] != '\0' ? ", by mount option " : "", found.local);
    else
        say("folder", "%s (%s): locks exclude other processes, files reach "
                      "the disk", path,
            found.type[0] != '\0' ? found.type : "unknown file system");
    return 0;
}

enum chorale_err chorale_machine_check(long ranks, const char *folder,
                                       struct chorale_errmsg *msg)
{
    struct chorale_facts facts = { NULL, 0, 0, 0 };
    int bad, useless = 0;

    say("chorale", "%s (%s)", PACKAGE_VERSION, CHORALE_BUILD_OPTIONS);
    bad = check_mpi(ranks, &facts);
    if (chorale_facts_get(&facts, "processors") == NULL) {
        chorale_facts_machine(&facts); /* no rank started */
        chorale_facts_loadavg(&facts, "load_before");
    }
    check_machine(&facts);
    check_tools();
    if (folder != NULL)
        useless = check_folder(folder);
    chorale_facts_release(&facts);
    if (useless)
        chorale_fail(msg, CHORALE_ENV, "%s: no database can be written there; "
                     "name another folder", folder);
    if (bad)
        return chorale_fail(msg, CHORALE_ENV,
                            "real measurements are not possible here; "
                            "repair what is marked FAILS");
    return useless ? CHORALE_ENV : CHORALE_OK;
}
