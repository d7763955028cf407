/* SPDX-License-Identifier: BSD-3-Clause */
/* runner_messages.h - what `chorale run` passes on of what a launch says, and
 * what it adds to the environment that the launch records of itself. */
#ifndef CHORALE_TUNER_RUN_RUNNER_MESSAGES_H
#define CHORALE_TUNER_RUN_RUNNER_MESSAGES_H

#include "db/store.h"
#include "tuner/base/progress.h"
#include "tuner/base/process.h"

/* Notes that were passed on; zeroed, none. */
struct chorale_notes {
    char **text;
    int count;
};

/* If line, of a launch's standard error, is a note of the runner ("counter X
 * is not available here"), print it to ours, once for all launches. Returns 1
 * for a note, 0 for any other line. */
int chorale_notes_pass(struct chorale_notes *notes,
                       struct chorale_progress *bar, const char *line);
void chorale_notes_release(struct chorale_notes *notes);

/* Rows of the environment table: the command line of `chorale`, if it is not
 * NULL, and that of the launcher. */
enum chorale_err chorale_launch_commands(struct chorale_store *store,
                                         const char *uuid,
                                         const char *command,
                                         const struct chorale_args *args,
                                         struct chorale_errmsg *msg);

#endif
