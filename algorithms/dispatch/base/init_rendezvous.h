/* SPDX-License-Identifier: BSD-3-Clause */
/* init_rendezvous.h - all ranks of MPI_COMM_WORLD, once, in MPI_Init. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_INIT_RENDEZVOUS_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_INIT_RENDEZVOUS_H

/* The largest value of all ranks in each of n places. Returns 0 on an error,
 * which MPI_COMM_WORLD's handler was told.
 *
 * A rank that nobody gave the shim never comes, and nothing in MPI would tell;
 * so those who wait for 20 s say it, in a line each of a few of them, and wait
 * on. What such a rank calls meanwhile is not taken for this, as no blocking
 * collective matches one that does not block (MPI-3.1, section 5.12). */
int chorale_meet(const int *mine, int *largest, int n);

#endif
