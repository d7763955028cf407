/* SPDX-License-Identifier: BSD-3-Clause */
/* runner_messages.h - pass on notes of the runner, and store the command lines
 * in the environment of a launch. */
#ifndef CHORALE_TUNER_RUN_RUNNER_MESSAGES_H
#define CHORALE_TUNER_RUN_RUNNER_MESSAGES_H

#include "db/store.h"
#include "tuner/base/progress.h"
#include "tuner/base/process.h"

/* Notes printed so far; initialise with zeros. */
struct chorale_notes {
    char **text;
    int count;
};

/* If line, from a launch's standard error, is a note ("counter X is not
 * available here"), print it to stderr unless printed before. Returns 1 for a
 * note, else 0. */
int chorale_notes_pass(struct chorale_notes *notes,
                       struct chorale_progress *bar, const char *line);
void chorale_notes_release(struct chorale_notes *notes);

/* Store the command line of `chorale` (NULL: skip it) and of the launcher, and
 * the request to bind ranks (tuner/run/bind.h), in the table environment. */
enum chorale_err chorale_launch_commands(struct chorale_store *store,
                                         const char *uuid,
                                         const char *command,
                                         const struct chorale_args *args,
                                         const char *request,
                                         struct chorale_errmsg *msg);

#endif
