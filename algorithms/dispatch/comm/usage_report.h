/* SPDX-License-Identifier: BSD-3-Clause */
/* usage_report.h - reports the resources used, at the end if CHORALE_VERBOSE
 * is set. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_USAGE_REPORT_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_USAGE_REPORT_H

/* Print one line with the largest scratch memory [bytes] and the largest
 * number of private communicators held at once; no line if both are 0. Call it
 * in MPI_Finalize before anything is freed.
 *
 * together  all ranks of MPI_COMM_WORLD make this call, as agreed in MPI_Init:
 *           rank 0 prints the maximum over all ranks, and its rank. If it is 0,
 *           or the reduction fails, each process prints its own values.
 * verbose   this process prints */
void chorale_usage_print(int together, int verbose);

#endif
