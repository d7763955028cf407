/* SPDX-License-Identifier: BSD-3-Clause */
/* fingerprint.h - is this process where a table was measured? */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_FINGERPRINT_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_FINGERPRINT_H

#include <stddef.h>

#include "algorithms/dispatch/table/table.h"

/* 1 if something that the table says of where it was measured is otherwise
 * here: the MPI library and its version, its device, the processor, a
 * variable of the environment that chooses a transport. What either side does
 * not know is not compared. why: one line, without the table's name. After
 * MPI_Init. */
int chorale_fingerprint_differs(const struct chorale_table *table, char *why,
                                size_t why_size);

/* What MPI_Get_library_version says, cut to size; "" if it fails. */
void chorale_fingerprint_library(char *text, size_t size);

#endif
