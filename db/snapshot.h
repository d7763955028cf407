/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.h - private copy of a database, to read or change freely. */
#ifndef CHORALE_DB_SNAPSHOT_H
#define CHORALE_DB_SNAPSHOT_H

#include "db/err.h"

/* A folder with mode 0700 in TMPDIR or /tmp, and the path of a database in it.
 * Initialise with { "", "" }. */
struct chorale_copy {
    char dir[256];
    char file[288];
};

/* Create the folder only. CHORALE_ENV: it cannot be created. */
enum chorale_err chorale_copy_folder(struct chorale_copy *copy,
                                     struct chorale_errmsg *msg);

/* Create the folder and copy the database into it byte by byte. with_journal:
 * also copy its journal or write-ahead log, so that an unfinished transaction
 * of a killed program is rolled back in the copy. The caller holds a lock that
 * keeps writers away. SQLite's own locks on the file in this process are lost.
 * CHORALE_ENV: no space, unreadable. CHORALE_DATA: the journal refers to other
 * files. */
enum chorale_err chorale_copy_make(struct chorale_copy *copy, const char *path,
                                   int with_journal,
                                   struct chorale_errmsg *msg);

/* Remove the files and the folder, if they exist. A database open in it stays
 * readable. */
void chorale_copy_remove(struct chorale_copy *copy);

/* Replace the path of the copy at the start of a message by path. */
void chorale_copy_rename(const struct chorale_copy *copy, const char *path,
                         struct chorale_errmsg *msg);

#endif
