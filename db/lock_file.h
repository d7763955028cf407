/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_file.h - a lock on a database that needs no lock of the file system;
 * internal to db.
 *
 * On some file systems the locks of a node exclude only that node, and SQLite's
 * do so too. Therefore a command that writes DATABASE also creates
 * DATABASE.lock, which names its host, process and time. The file is removed at
 * the end. It is stale, and the next command replaces it, if
 * - its process has ended, on this host;
 * - or it is of another host and was not renewed for CHORALE_LOCK_SILENT
 *   seconds; the next command waits for that. Clocks of hosts may differ by a
 *   minute.
 */
#ifndef CHORALE_DB_LOCK_FILE_H
#define CHORALE_DB_LOCK_FILE_H

#include "db/err.h"

#define CHORALE_LOCK_RENEWED 10 /* s between two renewals by the holder */
#define CHORALE_LOCK_SILENT 90

struct chorale_lock_file;

/* Take the lock of the existing database at path, waiting up to seconds for a
 * living holder. *lock_p is NULL on success if this process has the lock
 * already, or if the file cannot be created, as in a folder that may not be
 * written. CHORALE_ENV: another process holds it. */
enum chorale_err chorale_lock_file_take(const char *path, double seconds,
                                        struct chorale_lock_file **lock_p,
                                        struct chorale_errmsg *msg);
/* Remove the lock, unless another process has replaced it; NULL does
 * nothing. */
void chorale_lock_file_release(struct chorale_lock_file *lock);
/* 1 if another process holds the lock, which is not stale. */
int chorale_lock_file_held(const char *path);

#endif
