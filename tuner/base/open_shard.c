/* SPDX-License-Identifier: BSD-3-Clause */
/* open_shard.c - open a database from another machine to read it. */
#include "tuner/base/open_shard.h"

#include <stdio.h>

#include "db/tail.h"
#include "tuner/base/process.h"

void chorale_read_left_out(const char *path, unsigned other)
{
    if (other != 0)
        fprintf(stderr, "chorale: %s%s: its last part is of schema version "
                "%u, this chorale has %d; it is ignored, read it with the "
                "chorale that measured\n", path,
                CHORALE_TAIL_SUFFIX, other, CHORALE_SCHEMA_VERSION);
}

enum chorale_err chorale_read_shard(const char *path,
                                    enum chorale_shard_cuts cuts,
                                    struct chorale_shard **shard_p,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_shard_open(path, cuts,
                                              chorale_stop_requested, shard_p,
                                              msg);

    if (err == CHORALE_OK)
        chorale_read_left_out(path, chorale_shard_lacks(*shard_p));
    return err;
}
