/* SPDX-License-Identifier: BSD-3-Clause */
/* init_rendezvous.h - reduction over MPI_COMM_WORLD in MPI_Init that warns
 * about ranks without the shim. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_INIT_RENDEZVOUS_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_INIT_RENDEZVOUS_H

/* Maximum over all ranks of MPI_COMM_WORLD of each of n values. Returns 1, or
 * 0 on an error, which MPI_COMM_WORLD's error handler has received.
 *
 * A rank without the shim never joins, and MPI has no call to detect that.
 * After 20 s a few of the waiting ranks print one line each, and all go on
 * waiting. A blocking collective of the missing rank cannot match this
 * reduction, which is nonblocking (MPI-3.1, section 5.12). */
int chorale_world_max(const int *mine, int *largest, int n);

#endif
