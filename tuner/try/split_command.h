/* SPDX-License-Identifier: BSD-3-Clause */
/* split_command.h - a command that starts an application, in two: the words of the
 * launcher, and those of the application. */
#ifndef CHORALE_TUNER_TRY_SPLIT_COMMAND_H
#define CHORALE_TUNER_TRY_SPLIT_COMMAND_H

#include <stddef.h>

#include "db/err.h"

/* The place of a `--` in the command, which is taken out: the word that now
 * stands there begins the application. -1: there is none. */
int chorale_try_cut(char **argv);

/* The place in argv of the program that was traced as `program`, the last part
 * of its path: the one word that has this name and can be started.
 * CHORALE_USAGE: there is none, or there are several; or the command starts
 * several programs (`:`). */
enum chorale_err chorale_try_find(char **argv, const char *program, int *at_p,
                                  struct chorale_errmsg *msg);

/* The first `at` words as a text for --launcher-cmd, with {P} in the place of
 * the one word that says the number of ranks. *fixed_p: there is none, or there
 * are several, so that it starts that many always. CHORALE_USAGE: it does not
 * fit. */
enum chorale_err chorale_try_launcher(char **argv, int at, int ranks,
                                      char *text, size_t size, int *fixed_p,
                                      struct chorale_errmsg *msg);

#endif
