/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_db.h - a database that may come from elsewhere, opened to be read. */
#ifndef CHORALE_DB_FOREIGN_DB_H
#define CHORALE_DB_FOREIGN_DB_H

#include "db/store.h"

struct chorale_shard;

/* What there is of a point under way beside it (tail.h). */
enum chorale_shard_cuts {
    CHORALE_SHARD_WHOLE,     /* is left: it may still be measured */
    CHORALE_SHARD_ENDED      /* is read: nobody measures into it any more */
};

/* Open a whole, sound database that nobody is writing, and keep it so until it
 * is closed; the file itself is never written. What asks for changes before it
 * can be read (an older schema, a journal left by a killed program, a
 * write-ahead log) is read from a private copy, and so is a published shard
 * with a tail (tail.h), which the copy gets: of that file whole records alone
 * are read, so that it may be growing. Its tables are those of the
 * schema to the word (comments and spaces aside), so reading them evaluates
 * nothing that the file brought along; views and triggers are not looked at.
 *
 * CHORALE_DATA: not a database of chorale, of a newer schema, damaged, rows
 * that refer to nothing, other tables. CHORALE_ENV: missing, unreadable, a
 * command is working on it, no space for the copy. CHORALE_STOPPED: asked(),
 * looked at now and then, said so. */
enum chorale_err chorale_shard_open(const char *path,
                                    enum chorale_shard_cuts cuts,
                                    int (*asked)(void),
                                    struct chorale_shard **shard_p,
                                    struct chorale_errmsg *msg);
/* Close; NULL does nothing. A connection that has attached it detaches
 * first. */
void chorale_shard_close(struct chorale_shard *shard);

/* A connection in a read transaction. */
struct chorale_store *chorale_shard_store(struct chorale_shard *shard);
/* The schema version of what was left out of its tail, which another version
 * of chorale wrote; 0: nothing was. */
unsigned chorale_shard_lacks(const struct chorale_shard *shard);
/* As the caller named it. */
const char *chorale_shard_path(const struct chorale_shard *shard);
/* What ATTACH opens: an absolute name, of the copy if there is one. */
const char *chorale_shard_file(const struct chorale_shard *shard);
/* All who read it by name have opened it: a private copy loses its name, so
 * that nothing is left behind however this process ends. */
void chorale_shard_opened(struct chorale_shard *shard);

/* What no value of a sound database exceeds, bytes. */
#define CHORALE_SHARD_VALUE_MAX (32 << 20)

#endif
