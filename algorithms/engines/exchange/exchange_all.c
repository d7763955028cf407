/* SPDX-License-Identifier: BSD-3-Clause */
/* exchange_all.c - direct exchanges of alltoall and alltoallv. */
#include "algorithms/engines/exchange/exchange_all.h"

#include "algorithms/catalogue.h"
#include "algorithms/tree.h"

struct chorale_exchange chorale_exchange_of(const struct chorale_call *call)
{
    int n = call->ctx->size;
    struct chorale_exchange ex = {
        .ctx = call->ctx,
        .in_place = call->sendbuf == MPI_IN_PLACE,
    };

    ex.in = call->recvcounts == NULL
                ? chorale_blocks_equal(call->recvbuf, call->recvcount,
                                       call->recvtype, n)
                : chorale_blocks_given(call->recvbuf, call->recvcounts,
                                       call->rdispls, call->recvtype, n);
    if (ex.in_place)
        ex.out = ex.in;
    else
        ex.out = call->recvcounts == NULL
                     ? chorale_blocks_equal(call->sendbuf, call->sendcount,
                                            call->sendtype, n)
                     : chorale_blocks_given(call->sendbuf, call->sendcounts,
                                            call->sdispls, call->sendtype, n);
    return ex;
}

int chorale_exchange_own(const struct chorale_exchange *ex)
{
    MPI_Count out_count, in_count;
    const void *out;
    void *in;

    if (ex->in_place)
        return MPI_SUCCESS;
    out = chorale_block(&ex->out, ex->ctx->rank, &out_count);
    in = chorale_block(&ex->in, ex->ctx->rank, &in_count);
    return chorale_copy(ex->ctx, out, out_count, ex->out.type, in, in_count,
                        ex->in.type);
}

/* Send block out and receive the block from source at the same time. Given
 * blocks differ in size, so they use the in_step functions. */
static int swap(const struct chorale_exchange *ex, const void *out,
                MPI_Count out_count, MPI_Datatype out_type, int dest,
                int source)
{
    MPI_Count in_count;
    void *in = chorale_block(&ex->in, source, &in_count);
    int sends = chorale_exchange_sent(ex, &ex->out, out_count);
    int receives = chorale_exchange_sent(ex, &ex->in, in_count);

    if (ex->in.counts == NULL)
        return chorale_sendrecv(ex->ctx, out, out_count, out_type, dest, in,
                                in_count, ex->in.type, source);
    if (sends && receives)
        return chorale_sendrecv_matched(ex->ctx, out, out_count, out_type,
                                        dest, in, in_count, ex->in.type,
                                        source);
    if (sends)
        return chorale_send_matched(ex->ctx, out, out_count, out_type, dest);
    if (receives)
        return chorale_recv(ex->ctx, in, in_count, ex->in.type, source);
    return MPI_SUCCESS;
}

int chorale_exchange_round(const struct chorale_exchange *ex, int dest,
                           int source)
{
    MPI_Count count;
    const void *out = chorale_block(&ex->out, dest, &count);

    return swap(ex, out, count, ex->out.type, dest, source);
}

/* --- rounds ----------------------------------------------------------- */

const long chorale_empty_modes[] = { 0, 1 };
const char *const chorale_empty_mode_word[] = { "skip", "send" };

int chorale_exchange_shift_with(const struct chorale_call *call, int empties)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    int rank = ex.ctx->rank, size = ex.ctx->size;
    int err = chorale_exchange_own(&ex);

    ex.empties = empties;
    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        int dest = rank < size - i ? rank + i : rank - (size - i);
        int source = rank < i ? rank - i + size : rank - i;

        err = chorale_exchange_round(&ex, dest, source);
    }
    return err;
}

int chorale_exchange_shift(const struct chorale_call *call)
{
    return chorale_exchange_shift_with(call, 0);
}

int chorale_exchange_xor_with(const struct chorale_call *call, int empties)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    int err = chorale_exchange_own(&ex);

    ex.empties = empties;
    for (int i = 1; i < ex.ctx->size && err == MPI_SUCCESS; i++)
        err = chorale_exchange_round(&ex, ex.ctx->rank ^ i,
                                     ex.ctx->rank ^ i);
    return err;
}

int chorale_exchange_xor(const struct chorale_call *call)
{
    return chorale_exchange_xor_with(call, 0);
}

/* --- in place --------------------------------------------------------- */

size_t chorale_scratch_in_place(const struct chorale_point *pt)
{
    return pt->in_place && pt->comm_size > 1 ? pt->msg_size : 0;
}

size_t chorale_scratch_in_place_v(const struct chorale_point *pt)
{
    int p = pt->comm_size;

    return pt->in_place && p > 1
               ? chorale_ramp(pt->msg_size, pt->type_size, p, p - 1)
               : 0;
}

/* Scratch for one packed block; only needed in place. */
static int take_scratch(const struct chorale_exchange *ex, char **saved)
{
    *saved = NULL;
    if (!ex->in_place || ex->ctx->size == 1)
        return MPI_SUCCESS;
    *saved = chorale_scratch(ex->ctx,
                             chorale_type_size(ex->out.type) *
                                 (size_t)chorale_blocks_largest(&ex->out));
    return *saved == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static int save(const struct chorale_exchange *ex, int block, char *saved)
{
    MPI_Count count;
    const void *out = chorale_block(&ex->out, block, &count);

    return chorale_pack(ex->ctx, out, count, ex->out.type, saved);
}

/* Send the block for dest from its saved copy, if there is one. */
static int saved_round(const struct chorale_exchange *ex, const char *saved,
                       int dest, int source)
{
    MPI_Count count;

    if (saved == NULL)
        return chorale_exchange_round(ex, dest, source);
    chorale_block(&ex->out, dest, &count);
    return swap(ex, saved, count * (MPI_Count)chorale_type_size(ex->out.type),
                MPI_PACKED, dest, source);
}

int chorale_tournament(int rank, int size, int i)
{
    int odd = size % 2 ? size : size - 1; /* with an even number of ranks, the
                                           * last one is paired with the rank
                                           * that would otherwise pause */
    int partner;

    if (rank == odd) /* solves 2 partner = i (mod odd) */
        return i % 2 ? (int)(((long)i + odd) / 2) : i / 2;
    partner = i >= rank ? i - rank : i - rank + odd;
    if (partner != rank)
        return partner;
    return size % 2 ? -1 : odd;
}

int chorale_exchange_replace(const struct chorale_call *call)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    int rank = ex.ctx->rank, size = ex.ctx->size;
    size_t mark = chorale_scratch_mark(ex.ctx);
    char *saved;
    int err = take_scratch(&ex, &saved);

    if (err == MPI_SUCCESS)
        err = chorale_exchange_own(&ex);
    for (int i = 0; i < size - 1 + size % 2 && err == MPI_SUCCESS; i++) {
        int partner = chorale_tournament(rank, size, i);

        if (partner < 0)
            continue;
        if (saved != NULL)
            err = save(&ex, partner, saved);
        if (err == MPI_SUCCESS)
            err = saved_round(&ex, saved, partner, partner);
    }
    chorale_scratch_release(ex.ctx, mark);
    return err;
}

int chorale_exchange_shift_in_place(const struct chorale_call *call)
{
    struct chorale_exchange ex = chorale_exchange_of(call);
    int rank = ex.ctx->rank, size = ex.ctx->size;
    size_t mark = chorale_scratch_mark(ex.ctx);
    char *saved;
    int err = take_scratch(&ex, &saved);

    if (err == MPI_SUCCESS)
        err = chorale_exchange_own(&ex);
    for (int i = 1; i <= size / 2 && err == MPI_SUCCESS; i++) {
        int above = rank < size - i ? rank + i : rank - (size - i);
        int below = rank < i ? rank - i + size : rank - i;

        if (saved != NULL)
            err = save(&ex, above, saved);
        if (err == MPI_SUCCESS && above != below)
            err = chorale_exchange_round(&ex, below, above);
        if (err == MPI_SUCCESS)
            err = saved_round(&ex, saved, above, below);
    }
    chorale_scratch_release(ex.ctx, mark);
    return err;
}

/* --- several messages in flight --------------------------------------- */

int chorale_exchange_width(long max_reqs, int size)
{
    return max_reqs > 0 && max_reqs < size - 1 ? (int)max_reqs : size - 1;
}

/* Post the receive from, or the send to, the rank at that distance; for an
 * empty block *req is MPI_REQUEST_NULL. */
static int post_recv(const struct chorale_exchange *ex, int distance,
                     MPI_Request *req)
{
    int rank = ex->ctx->rank, size = ex->ctx->size;
    int source = rank < distance ? rank - distance + size : rank - distance;
    MPI_Count count;
    void *in = chorale_block(&ex->in, source, &count);

    *req = MPI_REQUEST_NULL;
    if (chorale_exchange_void(&ex->in, count))
        return MPI_SUCCESS;
    return chorale_irecv(ex->ctx, in, count, ex->in.type, source, req);
}

static int post_send(const struct chorale_exchange *ex, int distance,
                     MPI_Request *req)
{
    int rank = ex->ctx->rank, size = ex->ctx->size;
    int dest = rank < size - distance ? rank + distance
                                      : rank - (size - distance);
    MPI_Count count;
    const void *out = chorale_block(&ex->out, dest, &count);

    *req = MPI_REQUEST_NULL;
    if (chorale_exchange_void(&ex->out, count))
        return MPI_SUCCESS;
    return chorale_isend(ex->ctx, out, count, ex->out.type, dest, req);
}

/* Requests of receives, then those of sends (width of them). */
struct window {
    struct chorale_exchange ex;
    MPI_Request *recv, *send;
    int width;
    size_t mark;
};

/* Allocate requests for that many receives, and width sends. */
static int window_init(struct window *w, const struct chorale_call *call,
                       int receives, int width)
{
    int all = receives + width;

    w->ex = chorale_exchange_of(call);
    w->mark = chorale_scratch_mark(call->ctx);
    w->width = width;
    w->recv = chorale_scratch(call->ctx, sizeof(*w->recv) * (size_t)all);
    if (w->recv == NULL)
        return MPI_ERR_NO_MEM;
    w->send = w->recv + receives;
    for (int i = 0; i < all; i++)
        w->recv[i] = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static int window_release(struct window *w, int err)
{
    chorale_scratch_release(w->ex.ctx, w->mark);
    return err;
}

/* Wait for n requests, also after an error. */
static int finish(const struct window *w, int n, MPI_Request *req, int err)
{
    int last = chorale_waitall(w->ex.ctx, n, req);

    return err == MPI_SUCCESS ? last : err;
}

/* Complete n receives in any order: blocks differ in size, and many that were
 * posted late arrive before the longest one. The work for each is done while
 * others are in flight. */
static int take(const struct window *w, int n, MPI_Request *req, int err)
{
    int index = 0;

    while (err == MPI_SUCCESS && index != MPI_UNDEFINED) {
        for (; n > 0 && *req == MPI_REQUEST_NULL; n--)
            req++;
        err = chorale_waitany(w->ex.ctx, n, req, &index);
    }
    return finish(w, n, req, err);
}

int chorale_exchange_linear(const struct chorale_call *call, long max_reqs)
{
    int size = call->ctx->size, under_way = 0;
    struct window w;
    int err = window_init(&w, call, size - 1,
                          chorale_exchange_width(max_reqs, size));

    if (err != MPI_SUCCESS)
        return window_release(&w, err);
    for (int i = 1; i < size && err == MPI_SUCCESS; i++)
        err = post_recv(&w.ex, i, &w.recv[i - 1]);
    for (int i = 1; i < size && err == MPI_SUCCESS; i++) {
        err = post_send(&w.ex, i, &w.send[under_way++]);
        if (under_way == w.width && i < size - 1) {
            err = finish(&w, under_way, w.send, err);
            under_way = 0;
        }
    }
    if (err == MPI_SUCCESS)
        err = chorale_exchange_own(&w.ex);
    err = finish(&w, under_way, w.send, err);
    err = take(&w, size - 1, w.recv, err);
    return window_release(&w, err);
}

int chorale_exchange_batches(const struct chorale_call *call, long max_reqs)
{
    int size = call->ctx->size;
    int width = chorale_exchange_width(max_reqs, size);
    struct window w;
    int err = window_init(&w, call, width, width);

    if (err == MPI_SUCCESS)
        err = chorale_exchange_own(&w.ex);
    for (int first = 1; first < size && err == MPI_SUCCESS;) {
        int n = width < size - first ? width : size - first;

        for (int i = 0; i < n && err == MPI_SUCCESS; i++)
            err = post_recv(&w.ex, first + i, &w.recv[i]);
        for (int i = 0; i < n && err == MPI_SUCCESS; i++)
            err = post_send(&w.ex, first + i, &w.send[i]);
        err = finish(&w, 2 * width, w.recv, err);
        first += n;
    }
    return window_release(&w, err);
}

/* Post the next non-empty block of one side; *next is its distance. */
static int refill(const struct window *w, int sends, int *next,
                  MPI_Request *req)
{
    int err = MPI_SUCCESS;

    *req = MPI_REQUEST_NULL;
    while (*req == MPI_REQUEST_NULL && *next < w->ex.ctx->size &&
           err == MPI_SUCCESS) {
        err = sends ? post_send(&w->ex, *next, req)
                    : post_recv(&w->ex, *next, req);
        ++*next;
    }
    return err;
}

int chorale_exchange_window(const struct chorale_call *call, long max_reqs)
{
    int width = chorale_exchange_width(max_reqs, call->ctx->size);
    int next[2] = { 1, 1 }; /* distance of the next receive, and of the next
                             * send */
    int index;
    struct window w;
    int err = window_init(&w, call, width, width);

    if (err != MPI_SUCCESS)
        return window_release(&w, err);
    for (int i = 0; i < 2 * width && err == MPI_SUCCESS; i++)
        err = refill(&w, i >= width, &next[i >= width], &w.recv[i]);
    if (err == MPI_SUCCESS)
        err = chorale_exchange_own(&w.ex);
    while (err == MPI_SUCCESS && width > 0) {
        err = chorale_waitany(call->ctx, 2 * width, w.recv, &index);
        if (err != MPI_SUCCESS || index == MPI_UNDEFINED)
            break;
        err = refill(&w, index >= width, &next[index >= width],
                     &w.recv[index]);
    }
    return window_release(&w, finish(&w, 2 * width, w.recv, err));
}

/* --- costs ------------------------------------------------------------ */

size_t chorale_scratch_linear(const struct chorale_point *pt)
{
    int width = chorale_exchange_width(pt->param[0], pt->comm_size);

    return sizeof(MPI_Request) * (size_t)(pt->comm_size - 1 + width);
}

size_t chorale_scratch_window(const struct chorale_point *pt)
{
    int width = chorale_exchange_width(pt->param[0], pt->comm_size);

    return sizeof(MPI_Request) * 2 * (size_t)width;
}

int chorale_cost_exchange_v(const struct chorale_point *pt,
                            struct chorale_term *term)
{
    return chorale_cost_exchange_v_with(pt, 0, term);
}

int chorale_cost_exchange_v_with(const struct chorale_point *pt, int empties,
                                 struct chorale_term *term)
{
    int p = pt->comm_size;
    size_t most = chorale_ramp(pt->msg_size, pt->type_size, p, p - 1);

    if (p < 2 || (most == 0 && !empties))
        return 0;
    term[0] = (struct chorale_term){ .messages = p - 1,
                                     .bytes = (double)most };
    return 1;
}

int chorale_cost_in_flight_v(const struct chorale_point *pt,
                             struct chorale_term *term)
{
    int n = chorale_cost_exchange_v(pt, term);

    for (int i = 0; i < n; i++) {
        term[i].messages *= 4 / 3.0;
        term[i].bytes *= 27 / 32.0;
    }
    return n;
}
