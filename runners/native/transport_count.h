/* SPDX-License-Identifier: BSD-3-Clause */
/* transport_count.h - hash of the messages that the MPI library sends inside a
 * call, which profilers cannot see. Counted where the library calls UCX, or in
 * Open MPI's monitoring of its point-to-point layer
 * (OMPI_MCA_pml_monitoring_enable=1 before MPI_Init). */
#ifndef CHORALE_RUNNERS_NATIVE_TRANSPORT_COUNT_H
#define CHORALE_RUNNERS_NATIVE_TRANSPORT_COUNT_H

#include <stdint.h>

/* 1 if any message was seen since the program started. */
int chorale_msghash_any(void);

/* Count this rank's sends between begin and end. The result is a hash of the
 * message sizes (with Open MPI also of the destinations). It does not depend on
 * their order, and is the same in each start of a program. */
void chorale_msghash_begin(void);
uint64_t chorale_msghash_end(void);

#endif
