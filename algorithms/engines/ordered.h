/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered.h - the values of all ranks, combined at one of them. */
#ifndef CHORALE_ALGORITHMS_ORDERED_H
#define CHORALE_ALGORITHMS_ORDERED_H

#include "algorithms/alg.h"
#include "algorithms/ctx.h"

/* call->recvbuf = x0 op (x1 op ( ... )): vectors of call->recvcount elements,
 * n >= 1 of them one after the other at x, which are only read. Returns an
 * MPI error code. */
int chorale_reduce_ordered(const struct chorale_call *call, const void *x,
                           int n);

#endif
