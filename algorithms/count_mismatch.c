/* SPDX-License-Identifier: BSD-3-Clause */
/* count_mismatch.c - see count_mismatch.h. */
#include "algorithms/count_mismatch.h"

#include <limits.h>
#include <stdlib.h>

/* Tags: the dispatcher's lie in one step; a segment's is as many steps above
 * its collective's as segments follow. */
enum { STEP = 32, MOST = 2 };

void chorale_exact_clear(struct chorale_exact *exact)
{
    exact->n = 0;
    exact->next = 0;
}

void chorale_exact_free(struct chorale_exact *exact)
{
    free(exact->open);
    *exact = (struct chorale_exact){ 0 };
}

void chorale_exact_fail(struct chorale_ctx *ctx)
{
    if (*ctx->truncated == MPI_SUCCESS)
        *ctx->truncated = MPI_ERR_OTHER; /* as MPICH's own bcast has it */
}

void chorale_exact_check(struct chorale_ctx *ctx, const MPI_Status *status,
                         size_t bytes)
{
    int count;

    /* MPI_UNDEFINED: more than an int holds, so no short message. */
    if (PMPI_Get_count(status, MPI_BYTE, &count) == MPI_SUCCESS
        && count != MPI_UNDEFINED && (size_t)count != bytes)
        chorale_exact_fail(ctx);
}

/* --- receives under way ------------------------------------------------ */

static int grow(struct chorale_exact *exact)
{
    int room = exact->room > 0 ? 2 * exact->room : 16;
    struct chorale_awaited *open;

    if (exact->n < exact->room)
        return 1;
    open = realloc(exact->open, (size_t)room * sizeof(*open));
    if (open == NULL)
        return 0;
    exact->open = open;
    exact->room = room;
    return 1;
}

/* Without memory this one goes unchecked. */
void chorale_exact_await(struct chorale_exact *exact, const MPI_Request *req,
                         size_t bytes)
{
    if (grow(exact))
        exact->open[exact->n++] = (struct chorale_awaited){ req, bytes };
}

/* They are mostly waited for in the order in which they began. */
long long chorale_exact_came(struct chorale_exact *exact,
                             const MPI_Request *req)
{
    for (int i = 0; i < exact->n; i++) {
        int at = exact->next + i;

        at -= at < exact->n ? 0 : exact->n;
        if (exact->open[at].at == req) {
            long long bytes = (long long)exact->open[at].bytes;

            exact->open[at] = exact->open[--exact->n];
            exact->next = at + 1 < exact->n ? at + 1 : 0;
            return bytes;
        }
    }
    return -1;
}

/* --- segments ---------------------------------------------------------- */

/* Of a message of this collective: how many follow; else -1. */
static int follows(const struct chorale_ctx *ctx, int tag)
{
    int steps = (tag - ctx->tag) / STEP;

    return steps >= 0 && tag == ctx->tag + STEP * steps ? steps : -1;
}

int chorale_exact_recv(struct chorale_ctx *ctx, void *buf, int count,
                       MPI_Datatype type, size_t bytes, int source,
                       int *follow)
{
    MPI_Status status;
    int err;

    do {
        status.MPI_TAG = ctx->tag;
        err = PMPI_Recv(buf, count, type, source, MPI_ANY_TAG, ctx->comm,
                        &status);
        *follow = follows(ctx, status.MPI_TAG);
    } while (*follow < 0);
    err = chorale_received(ctx, err);
    if (err == MPI_SUCCESS)
        chorale_exact_check(ctx, &status, bytes);
    return err;
}

int chorale_exact_recv_one(struct chorale_ctx *ctx, void *buf, int count,
                           MPI_Datatype type, size_t bytes, int source)
{
    int follow, err = chorale_exact_recv(ctx, buf, count, type, bytes, source,
                                         &follow);

    if (err != MPI_SUCCESS || follow == 0)
        return err;
    chorale_exact_fail(ctx);
    return chorale_exact_drain(ctx, source, follow);
}

int chorale_exact_drain(struct chorale_ctx *ctx, int source, int follow)
{
    int err = MPI_SUCCESS;

    while (follow > 0 && err == MPI_SUCCESS)
        err = chorale_exact_recv(ctx, NULL, 0, MPI_BYTE, 0,
                                 source, &follow);
    return err;
}

int chorale_exact_send(struct chorale_ctx *ctx, const void *bytes,
                       size_t length, int dest, size_t follow)
{
    int steps = follow < MOST ? (int)follow : MOST;

    return PMPI_Send(bytes, chorale_exact_failed(ctx) ? 0 : (int)length,
                     MPI_PACKED, dest,
                     ctx->tag + STEP * steps, ctx->comm);
}

int chorale_exact_irecv(struct chorale_ctx *ctx, void *bytes, size_t length,
                        int source, MPI_Request *req)
{
    return PMPI_Irecv(bytes, (int)length, MPI_PACKED,
                      source, MPI_ANY_TAG, ctx->comm, req);
}

int chorale_exact_wait(struct chorale_ctx *ctx, size_t length,
                       MPI_Request *req, int *follow)
{
    MPI_Status status;
    int err;

    status.MPI_TAG = ctx->tag;
    err = chorale_received(ctx, PMPI_Wait(req, &status));
    if (err == MPI_SUCCESS)
        chorale_exact_check(ctx, &status, length);
    *follow = follows(ctx, status.MPI_TAG);
    return err;
}
