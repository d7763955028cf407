/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_file.h - a lock on a database that needs no lock of the file system;
 * internal to db.
 *
 * On some file systems a lock excludes only processes of the same node. This
 * holds for SQLite's locks too. Therefore a command that writes DATABASE also
 * creates DATABASE.lock, which names its host, process and time. It removes the
 * file at its end. The next command replaces a stale file, which is one
 * - of a process of this host that has ended;
 * - of another host, not renewed for CHORALE_LOCK_SILENT seconds. The next
 *   command waits for that. Clocks of hosts may differ by a minute;
 * - or that is empty for a second.
 */
#ifndef CHORALE_DB_LOCK_FILE_H
#define CHORALE_DB_LOCK_FILE_H

#include "db/err.h"

#define CHORALE_LOCK_RENEWED 10 /* s between two renewals by the holder */
#define CHORALE_LOCK_SILENT 90  /* s without renewal: the lock is stale */

struct chorale_lock_file;

/* Take the lock of the existing database at path, waiting up to `seconds` for a
 * living holder. *lock_p is NULL on success if this process has the lock
 * already, or if the file cannot be created, as in a read-only folder.
 * CHORALE_ENV: another process holds the lock, a stale lock cannot be removed,
 * or out of memory. */
enum chorale_err chorale_lock_file_take(const char *path, double seconds,
                                        struct chorale_lock_file **lock_p,
                                        struct chorale_errmsg *msg);
/* Remove the lock file, unless another process has replaced it, and free lock,
 * which may be NULL. */
void chorale_lock_file_release(struct chorale_lock_file *lock);
/* 1 if another process holds the database's lock and the lock is not stale. */
int chorale_lock_file_held(const char *path);

#endif
