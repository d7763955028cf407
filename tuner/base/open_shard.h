/* SPDX-License-Identifier: BSD-3-Clause */
/* open_shard.h - open a database from another machine to read it. */
#ifndef CHORALE_TUNER_BASE_OPEN_SHARD_H
#define CHORALE_TUNER_BASE_OPEN_SHARD_H

#include "db/foreign_db.h"

/* chorale_shard_open() that ends when a stop is requested, and warns on stderr
 * about records it cannot read. */
enum chorale_err chorale_read_shard(const char *path,
                                    enum chorale_shard_cuts cuts,
                                    struct chorale_shard **shard_p,
                                    struct chorale_errmsg *msg);
/* Warn on stderr that the tail of path holds records of schema version other,
 * which are ignored. 0: all records were read, print nothing. */
void chorale_read_left_out(const char *path, unsigned other);

#endif
