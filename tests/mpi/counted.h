/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.h - what the catalogue really hands to the MPI library, counted
 * outside of it: the linker passes its calls of PMPI_Send and the like, and of
 * PMPI_Reduce_local, through counted.c. A function that sends and is not
 * wrapped (counted_functions in local.am) makes the counts too small. */
#ifndef CHORALE_TESTS_MPI_COUNTED_H
#define CHORALE_TESTS_MPI_COUNTED_H

#include "algorithms/context.h"

/* Count the calling rank's messages, bytes and reduced bytes from nothing. */
void counted_start(void);

/* What the calling rank has sent and reduced since. Waits are not counted. */
struct chorale_stat counted_now(void);

/* Has it gone on since with whichever of several messages was through first,
 * before it took the others? */
int counted_any(void);

/* How many types the catalogue has taken apart since: its calls of
 * PMPI_Type_get_contents. */
long counted_looks(void);

#endif
