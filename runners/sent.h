/* SPDX-License-Identifier: BSD-3-Clause */
/* sent.h - what the MPI library itself sends in a call, which no profiler
 * sees: counted where it hands messages to UCX, or by Open MPI's own
 * monitoring of its point-to-point layer
 * (OMPI_MCA_pml_monitoring_enable=1 before MPI_Init). */
#ifndef CHORALE_RUNNERS_SENT_H
#define CHORALE_RUNNERS_SENT_H

#include <stdint.h>

struct chorale_sent;

/* After MPI_Init, with MPI_T open. NULL: no memory. */
struct chorale_sent *chorale_sent_open(void);
void chorale_sent_close(struct chorale_sent *sent);

/* 1 if messages can be seen here; else all hashes are 0. */
int chorale_sent_sees(const struct chorale_sent *sent);

/* From begin to end this rank's sends are counted. The hash is of their sizes
 * (and, from Open MPI, of who they went to), whatever their order; the same in
 * each start of a program. */
void chorale_sent_begin(struct chorale_sent *sent);
uint64_t chorale_sent_end(struct chorale_sent *sent);

#endif
