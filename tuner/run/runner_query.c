/* SPDX-License-Identifier: BSD-3-Clause */
/* runner_query.c - ask the runner about its MPI library. */
#include "config.h"

#include "tuner/run/runner_query.h"

#include <limits.h>

#include "tuner/run/launcher.h"
#include "tuner/base/process.h"

enum chorale_err chorale_runner_query(const char *option, const char *value,
                                      char *text, size_t size,
                                      struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char runner[PATH_MAX];
    int status = 0;
    enum chorale_err err = chorale_find_program("chorale-runner", BINDIR,
                                                runner, sizeof(runner), msg);

    if (err != CHORALE_OK)
        return err;
    chorale_args_add(&args, "%s", runner);
    chorale_args_add(&args, "%s", option);
    if (value != NULL)
        chorale_args_add(&args, "%s", value);
    err = chorale_capture(&args, NULL, text, size, &status, msg);
    chorale_args_free(&args);
    if (err == CHORALE_OK && status != 0)
        err = chorale_fail(msg, CHORALE_ENV, "chorale-runner %s fails: "
                           "%.200s; `chorale doctor` shows what is missing",
                           option, text);
    return err;
}
