/* SPDX-License-Identifier: BSD-3-Clause */
/* transport_count.h - what the MPI library itself sends in a call, which no profiler
 * sees: counted where it hands messages to UCX, or to Open MPI's monitoring of
 * its point-to-point layer (OMPI_MCA_pml_monitoring_enable=1 before
 * MPI_Init). */
#ifndef CHORALE_RUNNERS_NATIVE_TRANSPORT_COUNT_H
#define CHORALE_RUNNERS_NATIVE_TRANSPORT_COUNT_H

#include <stdint.h>

/* 1 if some message was seen since the program began. */
int chorale_sent_sees(void);

/* From begin to end this rank's sends are counted. The hash is of their sizes
 * (and, from Open MPI, of who they went to), whatever their order; the same in
 * each start of a program. */
void chorale_sent_begin(void);
uint64_t chorale_sent_end(void);

#endif
