/* SPDX-License-Identifier: BSD-3-Clause */
/* ordered.c - see ordered.h. */
#include "algorithms/engines/ordered.h"

int chorale_reduce_ordered(const struct chorale_call *call, const void *x,
                           int n)
{
    MPI_Aint stride = chorale_type_extent(call->recvtype) *
                      (MPI_Aint)call->recvcount;
    int err = chorale_copy(call->ctx, chorale_at(x, stride, n - 1),
                           call->recvcount, call->recvtype, call->recvbuf,
                           call->recvcount, call->recvtype);

    for (int i = n - 2; i >= 0 && err == MPI_SUCCESS; i--)
        err = chorale_reduce_local(call->ctx, chorale_at(x, stride, i),
                                   call->recvbuf, call->recvcount,
                                   call->recvtype, call->op);
    return err;
}
