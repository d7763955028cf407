/* SPDX-License-Identifier: BSD-3-Clause */
/* counted.h - count the messages and reductions that the catalogue really hands
 * to the MPI library. The linker redirects its calls of PMPI_Send, the other
 * send functions and PMPI_Reduce_local to counted.c. A sending function missing
 * from counted_functions in local.am makes the counts too small. */
#ifndef CHORALE_TESTS_MPI_COUNTED_H
#define CHORALE_TESTS_MPI_COUNTED_H

#include "algorithms/context.h"

/* Reset the calling rank's counts. */
void counted_start(void);

/* Messages, bytes, reduced bytes of this rank since the reset; no waits. */
struct chorale_stat counted_now(void);

/* 1 if, since the reset, the rank continued after MPI_Waitany while other
 * requests of that call were open: its schedule depends on timing. */
int counted_any(void);

/* Datatypes that the catalogue has decoded since the reset: its calls of
 * PMPI_Type_get_contents. */
long counted_looks(void);

#endif
