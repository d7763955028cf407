/* SPDX-License-Identifier: BSD-3-Clause */
/* fingerprint.h - checks that a table was measured on this system. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_FINGERPRINT_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_FINGERPRINT_H

#include <stddef.h>

#include "algorithms/dispatch/table/table.h"

/* 1 if the table was measured under another MPI library or version, device,
 * processor, or value of an environment variable that chooses a transport. A
 * value that is unknown on either side is not compared. why: out, one line
 * without the table's name. Call after MPI_Init. */
int chorale_fingerprint_differs(const struct chorale_table *table, char *why,
                                size_t why_size);

/* The text of MPI_Get_library_version, cut to size; "" on failure. */
void chorale_fingerprint_library(char *text, size_t size);

#endif
