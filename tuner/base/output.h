/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - a file that is written whole or not at all. */
#ifndef CHORALE_TUNER_BASE_OUTPUT_H
#define CHORALE_TUNER_BASE_OUTPUT_H

#include <stdio.h>

#include "db/err.h"

/* A file on its way: written beside its place, then renamed. Begins as
 * { NULL, NULL, NULL }. */
struct chorale_output {
    char *path, *temporary;
    FILE *stream;
};

/* The file that -o names, NULL for standard output: nothing given, or "-". */
const char *chorale_output_name(const char *given);
/* CHORALE_USAGE: there is a database of that name, and nobody means to write
 * over measurements; or it is "-", of which nobody means a file: a verb that
 * can write to standard output has asked chorale_output_name() before. */
enum chorale_err chorale_output_check(const char *path,
                                      struct chorale_errmsg *msg);
/* Open a temporary file in the folder of path (with suffix added to it), with
 * the mode that a plain open would give. CHORALE_ENV: it cannot be made; or as
 * chorale_output_check(). */
enum chorale_err chorale_output_open(struct chorale_output *out,
                                     const char *path, const char *suffix,
                                     struct chorale_errmsg *msg);
/* Everything is in the temporary file, on the disk. CHORALE_ENV: it is not. */
enum chorale_err chorale_output_close(struct chorale_output *out,
                                      struct chorale_errmsg *msg);
/* Put it in its place. CHORALE_ENV: that did not work. */
enum chorale_err chorale_output_commit(struct chorale_output *out,
                                       struct chorale_errmsg *msg);
/* Free; what is not in its place is removed. */
void chorale_output_release(struct chorale_output *out);

/* The line for a failure, errno's value. */
enum chorale_err chorale_output_fail(const struct chorale_output *out,
                                     int error, struct chorale_errmsg *msg);

#endif
