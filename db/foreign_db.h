/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_db.h - read-only access to a database from an untrusted source. */
#ifndef CHORALE_DB_FOREIGN_DB_H
#define CHORALE_DB_FOREIGN_DB_H

#include "db/store.h"

struct chorale_shard;

/* Open a complete, undamaged database for reading and keep writers away until
 * it is closed; the file itself is never written. A private copy is read
 * instead if the file cannot be read without a change: an older schema, a
 * journal left by a killed program, or a write-ahead log.
 *
 * The tables listed in foreign_db.c must equal the schema word by word, apart
 * from comments and spaces, so that reading them cannot evaluate foreign
 * expressions. Views and triggers of the file are ignored.
 *
 * path must outlive the shard. asked() is polled and asks to stop if not 0.
 * CHORALE_DATA: not a Chorale database, newer schema, damaged, dangling
 * references, other tables. CHORALE_ENV: missing, unreadable, in use by
 * another command, no space for the copy. CHORALE_USAGE: path is a folder.
 * CHORALE_STOPPED: asked(). */
enum chorale_err chorale_shard_open(const char *path, int (*asked)(void),
                                    struct chorale_shard **shard_p,
                                    struct chorale_errmsg *msg);
/* Close; NULL does nothing. Connections that attached the database must detach
 * it first. */
void chorale_shard_close(struct chorale_shard *shard);

/* A connection in a read transaction, owned by the shard. */
struct chorale_store *chorale_shard_store(struct chorale_shard *shard);
/* The path given by the caller. */
const char *chorale_shard_path(const struct chorale_shard *shard);
/* Absolute path to ATTACH: the file, or its private copy. */
const char *chorale_shard_file(const struct chorale_shard *shard);
/* Call this when all connections to the file are open. A private copy is then
 * unlinked, so that it vanishes however this process ends. */
void chorale_shard_unlink(struct chorale_shard *shard);

/* Upper limit of one value in an undamaged database, bytes. */
#define CHORALE_SHARD_VALUE_MAX (32 << 20)

#endif
