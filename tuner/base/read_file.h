/* SPDX-License-Identifier: BSD-3-Clause */
/* read_file.h - read a text file of unknown origin into memory. */
#ifndef CHORALE_TUNER_BASE_READ_FILE_H
#define CHORALE_TUNER_BASE_READ_FILE_H

#include <stddef.h>

#include "db/err.h"

/* Read the file at path, which must have fewer than max bytes.
 * *text_p: its zero-terminated text, freed by the caller; *size_p: its length
 * in bytes. Zero bytes inside are kept. CHORALE_ENV: the file cannot be read;
 * CHORALE_DATA: it is too large. */
enum chorale_err chorale_file_text(const char *path, size_t max,
                                   char **text_p, size_t *size_p,
                                   struct chorale_errmsg *msg);

#endif
