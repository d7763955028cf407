/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_version.c - find out which MPI library the runner uses. */
#include "config.h"

#include <limits.h>
#include <string.h>

#include "tuner/run/launcher.h"

enum chorale_err chorale_runner_probe(char *text, size_t size,
                                      struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char runner[PATH_MAX];
    enum chorale_err err;
    int status = 0;

    text[0] = '\0'; /* also if the runner cannot be started */
    err = chorale_find_program("chorale-runner", BINDIR, runner,
                               sizeof(runner), msg);
    if (err != CHORALE_OK)
        return err;
    chorale_args_add(&args, "%s", runner);
    chorale_args_add(&args, "--probe");
    err = chorale_capture(&args, NULL, text, size, &status, msg);
    chorale_args_free(&args);
    text[strcspn(text, "\n")] = '\0';
    if (err == CHORALE_OK && status != 0)
        err = chorale_fail(msg, CHORALE_ENV, "chorale-runner does not start: "
                           "%s; install the whole of chorale, and the MPI "
                           "library that it was built with", text);
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\t')
            *p = ' ';
    return err;
}
