/* SPDX-License-Identifier: BSD-3-Clause */
/* sqlite_error.h - messages for system errors and unusable database files;
 * internal to db. */
#ifndef CHORALE_DB_SQLITE_ERROR_H
#define CHORALE_DB_SQLITE_ERROR_H

#include "db/store.h"

/* CHORALE_ENV with a message and a remedy for this errno on path. create: 1 if
 * the file was to be created. */
enum chorale_err chorale_store_sysfail(const char *path, int error, int create,
                                       struct chorale_errmsg *msg);

/* CHORALE_ENV: path cannot be locked; error: the errno. */
enum chorale_err chorale_store_unlockable(const char *path, int error,
                                          struct chorale_errmsg *msg);

/* Check the first bytes of fd, open on path, before SQLite opens it: its
 * messages are less specific. *fresh_p: 1 if the file is empty. */
enum chorale_err chorale_store_header(const char *path, int fd, int *fresh_p,
                                      struct chorale_errmsg *msg);

#endif
