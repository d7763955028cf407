/* SPDX-License-Identifier: BSD-3-Clause */
/* natives.c - what the MPI library's own algorithms are called: see
 * natives.h. */
#include "config.h"

#include "tuner/natives.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/spawn.h"

#define TEXT (64 << 10)

/* One line "collective name"; others are not ours. */
static int read_line(const char *line, struct chorale_natives *natives)
{
    struct chorale_native_name *grown, row;
    char coll[32];
    int found;

    if (sscanf(line, "%31s %63s", coll, row.name) != 2 ||
        (found = chorale_coll_find(coll)) < 0)
        return 0;
    row.coll = (enum chorale_coll)found;
    grown = realloc(natives->row,
                    ((size_t)natives->count + 1) * sizeof(*grown));
    if (grown == NULL)
        return -1;
    natives->row = grown;
    natives->row[natives->count++] = row;
    return 0;
}

static enum chorale_err ask(char *text, struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char runner[PATH_MAX];
    int status = 0;
    enum chorale_err err = chorale_find_program("chorale-runner", BINDIR,
                                                runner, sizeof(runner), msg);

    if (err != CHORALE_OK)
        return err;
    chorale_args_add(&args, "%s", runner);
    chorale_args_add(&args, "--natives");
    err = chorale_capture(&args, NULL, text, TEXT, &status, msg);
    chorale_args_free(&args);
    if (err == CHORALE_OK && status != 0)
        err = chorale_fail(msg, CHORALE_ENV,
                           "chorale-runner --natives fails: %.200s", text);
    return err;
}

enum chorale_err chorale_natives_load(struct chorale_natives *natives,
                                      struct chorale_errmsg *msg)
{
    char *text = malloc(TEXT), *save = NULL;
    enum chorale_err err;
    int bad = 0;

    natives->row = NULL;
    natives->count = 0;
    if (text == NULL)
        return chorale_fail(msg, CHORALE_ENV, "out of memory");
    err = ask(text, msg);
    for (char *line = err == CHORALE_OK ? strtok_r(text, "\n", &save) : NULL;
         line != NULL && !bad; line = strtok_r(NULL, "\n", &save))
        bad = read_line(line, natives);
    free(text);
    if (bad)
        err = chorale_fail(msg, CHORALE_ENV, "out of memory");
    if (err != CHORALE_OK)
        chorale_natives_free(natives);
    return err;
}

void chorale_natives_free(struct chorale_natives *natives)
{
    free(natives->row);
    natives->row = NULL;
    natives->count = 0;
}

int chorale_native_is(const struct chorale_native_name *native,
                      const char *word)
{
    char full[128];

    snprintf(full, sizeof(full), "%s:%s",
             chorale_coll_info(native->coll)->name, native->name);
    return strcmp(word, native->name) == 0 || strcmp(word, full) == 0;
}
