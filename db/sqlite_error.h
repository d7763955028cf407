/* SPDX-License-Identifier: BSD-3-Clause */
/* sqlite_error.h - between the files of the store: what the system and the first bytes
 * of a file say is wrong with it. */
#ifndef CHORALE_DB_SQLITE_ERROR_H
#define CHORALE_DB_SQLITE_ERROR_H

#include "db/store.h"

/* CHORALE_ENV: what error, an errno, means for path and how to mend it. */
enum chorale_err chorale_store_sysfail(const char *path, int error,
                                       struct chorale_errmsg *msg);

/* Look at the bytes of fd, the file path, before SQLite does, for errors that
 * say what is wrong. *fresh_p: an empty file. */
enum chorale_err chorale_store_header(const char *path, int fd, int *fresh_p,
                                      struct chorale_errmsg *msg);

#endif
