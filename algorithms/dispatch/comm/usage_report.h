/* SPDX-License-Identifier: BSD-3-Clause */
/* usage_report.h - what was taken, told at the end where CHORALE_VERBOSE asks. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_USAGE_REPORT_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_USAGE_REPORT_H

/* Before anything of ours is given back in MPI_Finalize: one line with the
 * most memory that a call took [bytes] and the most communicators of ours that
 * were held at once; none where neither was.
 *
 * together  all ranks of MPI_COMM_WORLD come here, as they agreed on when they
 *           began: rank 0 tells the most of them all, and which rank that was.
 *           Else, and where that fails, a process tells its own.
 * verbose   this process is to tell */
void chorale_usage_tell(int together, int verbose);

#endif
