/* SPDX-License-Identifier: BSD-3-Clause */
/* launched.h - how many processes the launcher started, by its variables in the
 * environment. The launcher of another MPI library makes each process a program
 * of one rank. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_LAUNCHED_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_LAUNCHED_H

/* The rank that the launcher gave this process; -1: unknown. */
long chorale_launched_rank(void);

/* The number of processes that the launcher started. size, of MPI_COMM_WORLD,
 * if no variable has another number, or if one confirms size: launchers may be
 * nested, and the outer one's variables are inherited. */
long chorale_launched_ranks(int size);

#endif
