/* SPDX-License-Identifier: BSD-3-Clause */
/* read_file.h - a foreign text file in memory. */
#ifndef CHORALE_TUNER_BASE_READ_FILE_H
#define CHORALE_TUNER_BASE_READ_FILE_H

#include <stddef.h>

#include "db/err.h"

/* Read all of a file that has less than max bytes. *text_p is allocated and
 * ends in a zero, *size_p are the bytes before it, of which others may be zero
 * in a file that is no text. CHORALE_ENV: it cannot be read; CHORALE_DATA: it
 * is larger. */
enum chorale_err chorale_file_text(const char *path, size_t max,
                                   char **text_p, size_t *size_p,
                                   struct chorale_errmsg *msg);

#endif
