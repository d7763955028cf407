/* SPDX-License-Identifier: BSD-3-Clause */
/* rooted.c - the buffers of a gather or scatter as seen by one rank. */
#include "algorithms/engines/rooted/rooted.h"

#include "algorithms/context.h"

struct chorale_rooted chorale_rooted_at(const struct chorale_call *call,
                                        enum chorale_coll coll)
{
    int gathers = coll == CHORALE_GATHER || coll == CHORALE_GATHERV;
    int given = coll == CHORALE_GATHERV || coll == CHORALE_SCATTERV;
    int is_root = call->ctx->rank == call->root;
    int receives = gathers == is_root, n = call->ctx->size;
    const void *buf = receives ? call->recvbuf : call->sendbuf;
    struct chorale_rooted r = {
        /* chorale_at() drops const through an integer; buffers that are only
         * read stay unmodified. */
        .buf = chorale_at(buf, 0, 0),
        .count = receives ? call->recvcount : call->sendcount,
        .type = receives ? call->recvtype : call->sendtype,
    };

    if (is_root && given)
        r.all = chorale_blocks_given(
            buf, receives ? call->recvcounts : call->sendcounts,
            receives ? call->rdispls : call->sdispls, r.type, n);
    else if (is_root)
        r.all = chorale_blocks_equal(buf, r.count, r.type, n);
    return r;
}

size_t chorale_rooted_bytes(const struct chorale_rooted *r)
{
    return chorale_type_size(r->type) * (size_t)r->count;
}
