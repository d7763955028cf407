/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_launcher.c - finds by trial how the runner can be started in a job. */
#include "config.h"

#include "tuner/slurm/detect_launcher.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/run/launcher.h"

long chorale_probe_ranks(const char *const *word, const char *runner)
{
    struct chorale_args args = { .count = 0 };
    struct chorale_errmsg msg;
    char text[512] = "", *at;
    int status = 0;
    long ranks = 0;

    for (; *word != NULL; word++)
        chorale_args_add(&args, "%s", *word);
    chorale_args_add(&args, "%s", runner);
    chorale_args_add(&args, "--world");
    if (chorale_capture(&args, NULL, text, sizeof(text), &status, &msg) ==
            CHORALE_OK &&
        status == 0 && (at = strstr(text, "@world ")) != NULL)
        ranks = strtol(at + 7, NULL, 10);
    chorale_args_free(&args);
    return ranks;
}

enum chorale_err chorale_probe_srun_mpi(char mpi[8], struct chorale_errmsg *msg)
{
    static const char *const types[] = { "pmi2", "pmix" };
    const char *tasks = getenv("SLURM_NTASKS");
    long want = tasks != NULL && strtol(tasks, NULL, 10) == 1 ? 1 : 2;
    char runner[PATH_MAX], library[256] = "", ntasks[24], type[16];
    const char *const word[] = { "srun", ntasks, "--kill-on-bad-exit=1", type,
                                 NULL };
    enum chorale_err err = chorale_find_program("chorale-runner", BINDIR,
                                                runner, sizeof(runner), msg);
    int first;

    if (err == CHORALE_OK)
        err = chorale_runner_probe(library, sizeof(library), msg);
    if (err != CHORALE_OK)
        return err;
    snprintf(ntasks, sizeof(ntasks), "--ntasks=%ld", want);
    first = strstr(library, "Open MPI") != NULL;
    for (int i = 0; i < 2; i++) {
        snprintf(type, sizeof(type), "--mpi=%s", types[(first + i) % 2]);
        if (chorale_probe_ranks(word, runner) == want) {
            snprintf(mpi, 8, "%s", types[(first + i) % 2]);
            return CHORALE_OK;
        }
    }
    return chorale_fail(msg, CHORALE_ENV, "neither srun --mpi=pmi2 nor "
                        "--mpi=pmix starts %ld %s of %s here that find each "
                        "other; set 'mpi' or 'launcher' in a site file",
                        want, want == 1 ? "rank" : "ranks", runner);
}
