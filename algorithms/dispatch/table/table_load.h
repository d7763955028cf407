/* SPDX-License-Identifier: BSD-3-Clause */
/* table_load.h - dispatch tables from shared objects, checked before they are
 * believed. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_LOAD_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/dispatch/table/table.h"

extern const struct chorale_table chorale_default_table;

/* Load the table of a shared object. It stays loaded until the process ends.
 *
 * path     followed through symbolic links; the file and the folder that it
 *          is in must belong to root or to the user and be writable by their
 *          owner only (a folder in which nobody removes others' files, as
 *          /tmp, may be), because its code runs here
 * table_p  out, untouched on failure
 * content_p  out, untouched on failure, may be NULL: a digest of the whole
 *          file, as a table that was changed by hand keeps its own
 * why      one line on failure, without the path
 *
 * Returns 0, or -1: not such a file, cut short, of another interface, or
 * with a field that cannot be. */
int chorale_table_load(const char *path, const struct chorale_table **table_p,
                       uint64_t *content_p, char *why, size_t why_size);

/* Digest more: hash is what came of the bytes before, CHORALE_FOLD of none. */
#define CHORALE_FOLD UINT64_C(0xcbf29ce484222325)
uint64_t chorale_fold(uint64_t hash, const void *data, size_t size);

#endif
