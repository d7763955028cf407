/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.h - a private copy of a database, to be changed or read at leisure. */
#ifndef CHORALE_DB_SNAPSHOT_H
#define CHORALE_DB_SNAPSHOT_H

#include "db/err.h"

/* A folder that nobody else may enter, in TMPDIR or else /tmp, and the place
 * of a database in it. Begins as { "", "" }. */
struct chorale_copy {
    char dir[256];
    char file[288];
};

/* Make the folder. CHORALE_ENV: it cannot be made. */
enum chorale_err chorale_copy_folder(struct chorale_copy *copy,
                                     struct chorale_errmsg *msg);

/* Make the folder and copy the database into it, byte by byte; with_journal:
 * with its journal or write-ahead log, so that what a killed program left
 * half-way is taken back in the copy. Nobody may write the database
 * meanwhile: the caller holds a lock. Locks that SQLite holds on it in this
 * process are gone afterwards. CHORALE_ENV: no space, cannot be read.
 * CHORALE_DATA: a journal that speaks of other files. */
enum chorale_err chorale_copy_make(struct chorale_copy *copy, const char *path,
                                   int with_journal,
                                   struct chorale_errmsg *msg);

/* Remove the files and the folder, if there are any. A database that is open
 * in it can be read on. */
void chorale_copy_remove(struct chorale_copy *copy);

/* A line about the copy becomes one about the database at path. */
void chorale_copy_rename(const struct chorale_copy *copy, const char *path,
                         struct chorale_errmsg *msg);

#endif
