/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline_exact.c - a vector that flows down a tree where ranks may disagree
 * about its length, and so about the number of its segments: see pipeline.h
 * and count_mismatch.h.
 *
 * A rank whose parent sends another number of them than it expects, or one of
 * another length, tells its children by empty segments, as many as it has
 * announced, and takes what the parent still has for it. */
#include "algorithms/engines/rooted/pipeline.h"

#include "algorithms/context.h"
#include "algorithms/count_mismatch.h"

struct down {
    const struct chorale_view *view;
    char *bytes;
    size_t s, segments, last;
    size_t begun;          /* segments that are here, or awaited */
    int follow;            /* what the parent said last */
    MPI_Request coming[2];
};

static size_t length_of(const struct down *d, size_t j)
{
    return j + 1 < d->segments ? d->s : d->last;
}

static size_t after(const struct down *d, size_t j)
{
    return d->segments - 1 - j;
}

/* As a tag can say it. */
static int announced(const struct down *d, size_t j)
{
    return after(d, j) < 2 ? (int)after(d, j) : 2;
}

static int parent_of(const struct down *d)
{
    return chorale_in_comm(d->view->ctx, d->view->parent);
}

int chorale_flow_send(struct chorale_ctx *ctx, const char *bytes,
                      size_t length, int dest, size_t follow)
{
    return ctx->exact != NULL
               ? chorale_exact_send(ctx, bytes, length,
                                    chorale_in_comm(ctx, dest), follow)
               : chorale_send(ctx, bytes, (MPI_Count)length, MPI_PACKED, dest);
}

static int pass_on(const struct down *d, size_t j)
{
    int err = MPI_SUCCESS;

    for (int i = 0; i < d->view->tree.nchild && err == MPI_SUCCESS; i++)
        err = chorale_flow_send(d->view->ctx, d->bytes + j * d->s,
                                length_of(d, j),
                                chorale_view_child(d->view, i), after(d, j));
    return err;
}

/* Segment j is here when this returns. */
static int take(struct down *d, size_t j)
{
    if (d->begun > j)
        return chorale_exact_wait(d->view->ctx, length_of(d, j),
                                  &d->coming[j % 2], &d->follow);
    d->begun = j + 1;
    return chorale_exact_recv(d->view->ctx, d->bytes + j * d->s,
                              (int)length_of(d, j), MPI_PACKED,
                              length_of(d, j), parent_of(d), &d->follow);
}

/* Await those after segment j that were announced, but no more than ahead. */
static int await(struct down *d, size_t j, size_t ahead)
{
    size_t end = j + 1 + ((size_t)d->follow < ahead ? (size_t)d->follow
                                                    : ahead);
    int err = MPI_SUCCESS;

    for (; d->begun < end && err == MPI_SUCCESS;
         d->begun += err == MPI_SUCCESS)
        err = chorale_exact_irecv(d->view->ctx,
                                  d->bytes + d->begun * d->s,
                                  length_of(d, d->begun), parent_of(d),
                                  &d->coming[d->begun % 2]);
    return err;
}

/* Segment j was not what it should be. */
static int give_up(struct down *d, size_t j)
{
    struct chorale_ctx *ctx = d->view->ctx;
    int err = MPI_SUCCESS;

    chorale_exact_fail(ctx);
    for (int left = j > 0 ? announced(d, j - 1) : 1; left > 0; left--)
        for (int i = 0; i < d->view->tree.nchild && err == MPI_SUCCESS; i++)
            err = chorale_flow_send(ctx, d->bytes, 0,
                                    chorale_view_child(d->view, i),
                                    (size_t)left - 1);
    while (++j < d->begun && err == MPI_SUCCESS)
        err = chorale_exact_wait(ctx, length_of(d, j), &d->coming[j % 2],
                                 &d->follow);
    return err == MPI_SUCCESS
               ? chorale_exact_drain(ctx, parent_of(d), d->follow)
               : err;
}

/* Is it, as far as the parent has told? */
static int is_right(const struct down *d, size_t j)
{
    return !chorale_exact_failed(d->view->ctx)
        && d->follow == announced(d, j);
}

int chorale_flow_down_exact(const struct chorale_view *view, char *bytes,
                            size_t n, size_t s, size_t ahead)
{
    struct down d = { .view = view, .bytes = bytes, .s = s,
                      .coming = { MPI_REQUEST_NULL, MPI_REQUEST_NULL } };
    int err = MPI_SUCCESS, last;

    d.segments = chorale_segments(n, s, &d.last);
    for (size_t j = 0; j < d.segments && err == MPI_SUCCESS; j++) {
        if (view->parent >= 0) {
            err = take(&d, j);
            if (err == MPI_SUCCESS && !is_right(&d, j))
                return give_up(&d, j);
            if (err == MPI_SUCCESS)
                err = await(&d, j, ahead);
        }
        if (err == MPI_SUCCESS)
            err = pass_on(&d, j);
    }
    last = chorale_waitall(view->ctx, 2, d.coming);
    return err == MPI_SUCCESS ? last : err;
}
