/* SPDX-License-Identifier: BSD-3-Clause */
/* doctor.c - the verb `doctor`: what this machine can do, and what would
 * spoil a measurement here. */
#include "config.h"

#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tuner/launcher.h"
#include "tuner/natives.h"
#include "tuner/spawn.h"
#include "tuner/system.h"
#include "tuner/verb.h"

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

/* Two ranks under the launcher: one of another MPI starts two lone ones. */
static int check_launch(void)
{
    struct chorale_args args = { .count = 0 };
    struct chorale_errmsg msg;
    char text[4096], runner[PATH_MAX];
    int status = 0, bad = 1;

    if (chorale_find_program("chorale-runner", BINDIR, runner, sizeof(runner),
                             &msg) != CHORALE_OK) {
        say("runner", "MISSING: %s", msg.text);
        return 1;
    }
    chorale_args_add(&args, "%s", chorale_mpiexec());
    chorale_args_add(&args, "-n");
    chorale_args_add(&args, "2");
    chorale_args_add(&args, "%s", runner);
    chorale_args_add(&args, "--world");
    if (chorale_capture(&args, "install the MPI's launcher or set "
                               "CHORALE_MPIEXEC", text, sizeof(text), &status,
                        &msg) != CHORALE_OK)
        say("launcher", "MISSING: %s", msg.text);
    else if (status != 0 || strncmp(text, "@world 2", 8) != 0)
        say("launcher", "FAILS: %s: %.*s", chorale_mpiexec(),
            (int)strcspn(text, "\n"), text);
    else
        bad = 0;
    if (!bad)
        say("launcher", "%s starts the runner", chorale_mpiexec());
    chorale_args_free(&args);
    return bad;
}

static int check_mpi(void)
{
    struct chorale_natives natives;
    struct chorale_errmsg msg;
    char library[256];

    if (chorale_runner_probe(library, sizeof(library), &msg) != CHORALE_OK) {
        say("MPI", "MISSING: %s", msg.text);
        return 1;
    }
    say("MPI", "%s", library);
    if (chorale_natives_load(&natives, &msg) != CHORALE_OK)
        say("native", "MISSING: %s", msg.text);
    else if (natives.count > 0)
        say("native", "%d algorithms of the library's own can be forced",
            natives.count);
    else
        say("native", "none: the library does not let its algorithms be "
                      "forced");
    chorale_natives_free(&natives);
    return check_launch();
}

static void check_machine(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    struct timespec step;
    cpu_set_t set;
    char line[256];
    double load[3];
    FILE *in;

    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    say("processors", "%ld, %d usable: more ranks than that on this node are "
                      "oversubscribed and decide nothing", online,
        CPU_COUNT(&set));
    clock_getres(CLOCK_MONOTONIC, &step);
    say("clock", "monotonic, resolution %ld ns", step.tv_nsec);
    if (getloadavg(load, 1) == 1 && load[0] > 0.5)
        say("load", "WARNING: %.1f processes are running: measure on an idle "
                    "machine", load[0]);
    in = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "r");
    if (in != NULL) {
        if (fgets(line, sizeof(line), in) != NULL) {
            line[strcspn(line, "\n")] = '\0';
            say("governor", "%s%s", strcmp(line, "performance") != 0
                                        ? "WARNING: not performance but "
                                        : "", line);
        }
        fclose(in);
    }
    in = fopen("/proc/cpuinfo", "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        if (strncmp(line, "flags", 5) == 0) {
            if (strstr(line, " hypervisor") != NULL)
                say("machine", "WARNING: virtual: other guests may disturb "
                               "it; use several launches");
            break;
        }
    if (in != NULL)
        fclose(in);
}

static void check_tools(void)
{
    struct chorale_errmsg msg;
    char path[PATH_MAX];

#ifdef HAVE_PAPI
    say("PAPI", "built in; `papi_avail` and `papi_native_avail` list events");
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
                           ? "found: --launcher srun inside a job"
                           : "not here");
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    enum chorale_err err;
    int nword, bad;

    err = chorale_opts_parse(verb, argc, argv, NULL, 0, 0, &nword, msg);
    if (err != CHORALE_OK || nword < 0)
        return err;
    say("chorale", "%s (%s)", PACKAGE_VERSION, CHORALE_BUILD_OPTIONS);
    bad = check_mpi();
    check_machine();
    check_tools();
    if (bad)
        return chorale_fail(msg, CHORALE_ENV,
                            "real measurements are not possible here; see "
                            "above");
    return CHORALE_OK;
}

static const struct chorale_opt options[] = {
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_doctor = {
    .name = "doctor",
    .args = "",
    .summary = "say what this machine can measure and what would spoil it",
    .detail = "Looks for the MPI library and its launcher, PAPI, SimGrid, "
              "gnuplot and Slurm, and at the clock, the processors, the load "
              "and the frequency governor.",
    .example = "chorale doctor",
    .opt = options,
    .run = run,
};
