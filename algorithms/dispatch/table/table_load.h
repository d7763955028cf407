/* SPDX-License-Identifier: BSD-3-Clause */
/* table_load.h - loads dispatch tables from shared objects and checks them. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_LOAD_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/dispatch/table/table.h"

extern const struct chorale_table chorale_default_table;

/* Load the table of a shared object. It stays loaded until the process ends.
 *
 * path       symbolic links are followed. As its code runs in this process, the
 *            file and its folder must belong to root or to the user and be
 *            writable by their owner only. A sticky folder, such as /tmp, may
 *            be writable by others.
 * table_p    out; unchanged on failure
 * content_p  out, may be NULL; unchanged on failure: digest of the whole file.
 *            A table edited by hand keeps its own digest field, not this one.
 * why        out: on failure one line without the path
 *
 * Returns 0, or -1 if the file cannot be used: not a table, cut short, of
 * another interface version, or with an invalid field. */
int chorale_table_load(const char *path, const struct chorale_table **table_p,
                       uint64_t *content_p, char *why, size_t why_size);

#endif
