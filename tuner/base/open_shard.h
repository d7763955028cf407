/* SPDX-License-Identifier: BSD-3-Clause */
/* open_shard.h - a database that may come from elsewhere, for a verb. */
#ifndef CHORALE_TUNER_BASE_OPEN_SHARD_H
#define CHORALE_TUNER_BASE_OPEN_SHARD_H

#include "db/foreign_db.h"

/* chorale_shard_open(), ended by a request to stop; what is left out of it is
 * told on stderr. */
enum chorale_err chorale_read_shard(const char *path,
                                    enum chorale_shard_cuts cuts,
                                    struct chorale_shard **shard_p,
                                    struct chorale_errmsg *msg);
/* Tell on stderr that records in a tail of path were left out, of that schema
 * version; 0: there are none. */
void chorale_read_left_out(const char *path, unsigned other);

#endif
