/* SPDX-License-Identifier: BSD-3-Clause */
/* table_load.h - dispatch tables from shared objects, checked before they are
 * believed. */
#ifndef CHORALE_ALGORITHMS_TABLE_LOAD_H
#define CHORALE_ALGORITHMS_TABLE_LOAD_H

#include <stddef.h>

#include "algorithms/dispatch/table.h"

extern const struct chorale_table chorale_default_table;

/* Load the table of a shared object. It stays loaded until the process ends.
 *
 * path     followed through symbolic links; the file and the folder that it
 *          is in must belong to root or to the user and be writable by their
 *          owner only (a folder in which nobody removes others' files, as
 *          /tmp, may be), because its code runs here
 * table_p  out, untouched on failure
 * why      one line on failure, without the path
 *
 * Returns 0, or -1: not such a file, cut short, of another interface, or
 * with a field that cannot be. */
int chorale_table_load(const char *path, const struct chorale_table **table_p,
                       char *why, size_t why_size);

#endif
