/* SPDX-License-Identifier: BSD-3-Clause */
/* launched.h - how many processes the launcher started, from its environment
 * variables. If the launcher belongs to another MPI library than the program,
 * each process is a program of one rank. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_LAUNCHED_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_LAUNCHED_H

/* The rank that the launcher gave this process; -1: no variable has it. */
long chorale_launched_rank(void);

/* The number of processes that the launcher started. size: that of
 * MPI_COMM_WORLD. Returns size if a variable has that number or no variable is
 * set, else the number of the first variable. One equal variable is enough,
 * since nested launchers inherit the variables of the outer one. */
long chorale_launched_ranks(int size);

#endif
