/* SPDX-License-Identifier: BSD-3-Clause */
/* split_command.h - splits the command that starts an application into the
 * words of the launcher and those of the application. */
#ifndef CHORALE_TUNER_TRY_SPLIT_COMMAND_H
#define CHORALE_TUNER_TRY_SPLIT_COMMAND_H

#include <stddef.h>

#include "db/err.h"

/* Remove a `--` from the command. Returns its index, at which the application
 * now begins, or -1 without a `--`. */
int chorale_try_cut(char **argv);

/* Find the traced program in argv. `program` is the last part of its path.
 * *at_p is set to the index of the only word that has this name and is
 * executable. CHORALE_USAGE: no or several such words, or the command starts
 * several programs (`:`). */
enum chorale_err chorale_try_find(char **argv, const char *program, int *at_p,
                                  struct chorale_errmsg *msg);

/* Make a text for --launcher-cmd of the first `at` words, with {P} in place of
 * the only word that gives the number of ranks. *fixed_p is set to 1 without a
 * single such word; the command then always starts this number of ranks.
 * CHORALE_USAGE: the text is too long. */
enum chorale_err chorale_try_launcher(char **argv, int at, int ranks,
                                      char *text, size_t size, int *fixed_p,
                                      struct chorale_errmsg *msg);

#endif
