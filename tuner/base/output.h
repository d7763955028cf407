/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - atomic output files: written completely or not at all. */
#ifndef CHORALE_TUNER_BASE_OUTPUT_H
#define CHORALE_TUNER_BASE_OUTPUT_H

#include <stdio.h>

#include "db/err.h"

/* An output file in progress: a temporary file in the target's folder, renamed
 * on commit. Initialise with { NULL, NULL, NULL }. */
struct chorale_output {
    char *path, *temporary;
    FILE *stream;
};

/* Common prefix of the names of a database's products: "results.db" becomes
 * "results". */
void chorale_output_prefix(const char *path, char *prefix, size_t size);
/* The file named by -o; NULL (standard output) if given is NULL or "-". */
const char *chorale_output_name(const char *given);
/* The part of a path after its last slash. */
const char *chorale_output_base(const char *path);
/* Returns 1 if both paths exist and are the same file. */
int chorale_output_same(const char *a, const char *b);
/* Check a path given by -o. CHORALE_USAGE: it is not a regular file, or is the
 * database (NULL: no database). */
enum chorale_err chorale_output_file(const char *path, const char *database,
                                     struct chorale_errmsg *msg);
/* Refuse a path that must not be written, with CHORALE_USAGE: an existing
 * SQLite database, whose measurements would be lost, or "-". A verb that can
 * write to standard output calls chorale_output_name() first. */
enum chorale_err chorale_output_check(const char *path,
                                      struct chorale_errmsg *msg);
/* Open a temporary file beside path + suffix, with the mode bits that open()
 * would set. CHORALE_ENV: it cannot be created, or out of memory; or an error
 * of chorale_output_check(). On error too, call chorale_output_release(). */
enum chorale_err chorale_output_open(struct chorale_output *out,
                                     const char *path, const char *suffix,
                                     struct chorale_errmsg *msg);
/* Flush the temporary file to disk and close it. CHORALE_ENV on failure. */
enum chorale_err chorale_output_close(struct chorale_output *out,
                                      struct chorale_errmsg *msg);
/* Rename the temporary file to its final name. CHORALE_ENV on failure. */
enum chorale_err chorale_output_commit(struct chorale_output *out,
                                       struct chorale_errmsg *msg);
/* Free out; an uncommitted temporary file is removed. */
void chorale_output_release(struct chorale_output *out);

/* Write the error line for error, a value of errno; returns CHORALE_ENV. */
enum chorale_err chorale_output_fail(const struct chorale_output *out,
                                     int error, struct chorale_errmsg *msg);

#endif
