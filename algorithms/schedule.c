/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - writing schedules down and playing them: see schedule.h.
 *
 * A note is a message's end at one rank, a wait or a reduction. Ends are
 * matched first in, first out for each pair of ranks, as MPI does for one
 * tag. A message starts when both ends are posted and both ports are free, and
 * takes alpha + beta * bytes. Every moment remembers what it waited for, so
 * the critical path is read backwards from the last one. */
#include "algorithms/schedule.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Used where a point names none: a fast network, a slow core. */
#define TYPICAL_ALPHA 1e-6
#define TYPICAL_BETA 1e-10
#define TYPICAL_TAU 1e-10

enum what { SEND, RECV, WAIT, REDUCE };

/* Moments are counted from 1; 0 is the common start. */
struct note {
    enum what what;
    int peer;       /* SEND, RECV: a rank. WAIT: the note it waits for */
    size_t bytes;
    int next;       /* RECV, SEND: the next of the same pair, or -1 */
    double posted;
    int posted_by;  /* the moment that posting waited for */
    double end;     /* of the message, once it is known */
    int moment;     /* of its end; 0: not known yet */
};

struct trace {
    struct note *note;
    int n, room;
    int at;         /* when played: the next note */
    double time;
    int moment;     /* that the rank's time comes from */
    double port[2]; /* until when its ports are busy: out, in */
    int port_by[2];
};

/* A moment on some path: what it took, and which moment it follows. */
struct moment {
    int before;
    enum what what;
    size_t bytes;
};

/* A message whose ends are both posted and that has not started: when it
 * could, as far as was known when it was looked at last. */
struct flight {
    double start;
    int src, out, dst, in; /* ranks, and notes of their traces */
};

/* Unmatched ends between two ranks. */
struct pair {
    int first, last; /* notes of the sender's or the receiver's trace */
    enum what what;
};

struct chorale_schedule {
    int size;
    struct trace *trace;
    struct chorale_stat *stat;
    int opaque;
    /* playing */
    double alpha, beta, tau;
    struct moment *moment;
    int nmoment;
    struct pair *pair;  /* open hash by (src, dst) */
    uint64_t *key;
    size_t npair, used;
    struct flight *heap; /* the first to start on top */
    int nflight;
    int *ready, nready; /* ranks that may go on */
    unsigned char *queued;
    int overlaps;
};

/* --- writing ---------------------------------------------------------- */

static struct note *add(struct chorale_ctx *ctx, enum what what)
{
    struct trace *t = &ctx->schedule->trace[ctx->map ? ctx->map[ctx->rank]
                                                      : ctx->rank];
    struct note *grown;

    if (t->n == t->room) {
        int room = t->room > 0 ? 2 * t->room : 16;

        grown = realloc(t->note, sizeof(*grown) * (size_t)room);
        if (grown == NULL)
            return NULL;
        t->note = grown;
        t->room = room;
    }
    memset(&t->note[t->n], 0, sizeof(*t->note));
    t->note[t->n].what = what;
    t->note[t->n].next = -1;
    return &t->note[t->n++];
}

static struct chorale_stat *stat_of(struct chorale_ctx *ctx)
{
    return &ctx->schedule->stat[ctx->map ? ctx->map[ctx->rank] : ctx->rank];
}

static int add_end(struct chorale_ctx *ctx, enum what what, size_t bytes,
                   int peer, MPI_Request *req)
{
    struct trace *t = &ctx->schedule->trace[ctx->map ? ctx->map[ctx->rank]
                                                      : ctx->rank];
    struct note *note = add(ctx, what);
    int index = t->n - 1;

    if (note == NULL)
        return MPI_ERR_NO_MEM;
    note->peer = ctx->map != NULL ? ctx->map[peer] : peer;
    note->bytes = bytes;
    /* Any value but that of the null request. */
    memset(req, 0, sizeof(*req));
    index++;
    memcpy(req, &index, sizeof(index));
    return MPI_SUCCESS;
}

int chorale_note_send(struct chorale_ctx *ctx, size_t bytes, int dest,
                      MPI_Request *req)
{
    stat_of(ctx)->messages++;
    stat_of(ctx)->bytes_sent += (long long)bytes;
    return add_end(ctx, SEND, bytes, dest, req);
}

int chorale_note_recv(struct chorale_ctx *ctx, size_t bytes, int source,
                      MPI_Request *req)
{
    return add_end(ctx, RECV, bytes, source, req);
}

int chorale_note_wait(struct chorale_ctx *ctx, MPI_Request *req)
{
    struct note *note;
    int index;

    if (*req == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    memcpy(&index, req, sizeof(index));
    note = add(ctx, WAIT);
    if (note == NULL)
        return MPI_ERR_NO_MEM;
    note->peer = index - 1;
    *req = MPI_REQUEST_NULL;
    stat_of(ctx)->waits++;
    return MPI_SUCCESS;
}

int chorale_note_waitany(struct chorale_ctx *ctx, int count, MPI_Request *req,
                         int *index)
{
    int first = -1, number, least = 0;

    for (int i = 0; i < count; i++) {
        if (req[i] == MPI_REQUEST_NULL)
            continue;
        memcpy(&number, &req[i], sizeof(number));
        if (first < 0 || number < least) {
            first = i;
            least = number;
        }
    }
    *index = first < 0 ? MPI_UNDEFINED : first;
    return first < 0 ? MPI_SUCCESS : chorale_note_wait(ctx, &req[first]);
}

int chorale_note_reduce(struct chorale_ctx *ctx, size_t bytes)
{
    struct note *note = add(ctx, REDUCE);

    if (note == NULL)
        return MPI_ERR_NO_MEM;
    note->bytes = bytes;
    stat_of(ctx)->bytes_reduced += (long long)bytes;
    return MPI_SUCCESS;
}

int chorale_note_opaque(struct chorale_ctx *ctx)
{
    ctx->schedule->opaque = 1;
    return MPI_SUCCESS;
}

/* --- the arguments of the noted calls --------------------------------- */

/* Buffers that nothing may touch, and the irregular blocks of one rank. */
struct stage {
    char *mem;
    size_t bytes;
    MPI_Count *count[2];
    MPI_Aint *displ[2];
};

static MPI_Datatype type_of_size(size_t size)
{
    return size == 8 ? MPI_DOUBLE : size == 4 ? MPI_INT : MPI_BYTE;
}

static int stage_init(struct stage *st, const struct chorale_point *pt)
{
    size_t p = (size_t)pt->comm_size;

    memset(st, 0, sizeof(*st));
    if (pt->msg_size > SIZE_MAX / 8 / p)
        return -1;
    st->bytes = 4 * p * pt->msg_size + 4096;
    st->mem = mmap(NULL, st->bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (int i = 0; i < 2; i++) {
        st->count[i] = calloc(p, sizeof(*st->count[i]));
        st->displ[i] = calloc(p, sizeof(*st->displ[i]));
    }
    return st->mem == MAP_FAILED || !st->count[0] || !st->count[1] ||
                   !st->displ[0] || !st->displ[1]
               ? -1
               : 0;
}

static void stage_release(struct stage *st)
{
    if (st->mem != NULL && st->mem != MAP_FAILED)
        munmap(st->mem, st->bytes);
    for (int i = 0; i < 2; i++) {
        free(st->count[i]);
        free(st->displ[i]);
    }
}

/* Blocks i of rank: sent, and received. */
static void fill_counts(struct stage *st, const struct chorale_point *pt,
                        enum chorale_coll coll, size_t unit, int rank)
{
    int p = pt->comm_size;
    MPI_Aint at = 0;

    for (int i = 0; i < p; i++) {
        int block = coll == CHORALE_ALLTOALLV ? (rank + i) % p : i;
        size_t bytes = chorale_ramp(pt->msg_size, unit, p, block);

        for (int s = 0; s < 2; s++) {
            st->count[s][i] = (MPI_Count)(bytes / unit);
            st->displ[s][i] = at;
        }
        at += (MPI_Aint)(bytes / unit);
    }
}

static void set_call(struct chorale_call *call, struct stage *st,
                     const struct chorale_alg *alg,
                     const struct chorale_point *pt, int rank)
{
    MPI_Datatype type = type_of_size(pt->type_size);
    size_t unit = chorale_type_size(type);
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);

    *call = (struct chorale_call){
        .sendbuf = st->mem,
        .recvbuf = st->mem + st->bytes / 2,
        .sendcount = (MPI_Count)(pt->msg_size / unit),
        .recvcount = (MPI_Count)(pt->msg_size / unit),
        .sendtype = type,
        .recvtype = type,
        .op = MPI_SUM,
        .commutative = pt->commutative,
        .root = pt->root,
        .param = pt->param,
    };
    if (pt->in_place)
        call->sendbuf = MPI_IN_PLACE;
    if (!info->irregular)
        return;
    fill_counts(st, pt, alg->coll, unit, rank);
    call->sendcount = call->recvcount = st->count[0][rank];
    call->sendcounts = st->count[0];
    call->recvcounts = st->count[1];
    call->sdispls = st->displ[0];
    call->rdispls = st->displ[1];
}

/* Write down what rank does. */
static int note_rank(struct chorale_schedule *s, struct stage *st,
                     const struct chorale_alg *alg,
                     const struct chorale_point *pt, const int *node,
                     int rank, size_t *scratch)
{
    struct chorale_call call;
    struct chorale_ctx *ctx;
    int err;

    if (chorale_ctx_new(MPI_COMM_NULL, &ctx) != MPI_SUCCESS)
        return -1;
    ctx->rank = rank;
    ctx->size = pt->comm_size;
    ctx->node = node;
    ctx->schedule = s;
    set_call(&call, st, alg, pt, rank);
    call.ctx = ctx;
    err = alg->run(&call);
    if (chorale_ctx_scratch_peak(ctx) > *scratch)
        *scratch = chorale_ctx_scratch_peak(ctx);
    chorale_ctx_free(ctx);
    return err == MPI_SUCCESS ? 0 : -1;
}

static void schedule_release(struct chorale_schedule *s)
{
    for (int r = 0; s->trace != NULL && r < s->size; r++)
        free(s->trace[r].note);
    free(s->trace);
    free(s->stat);
    free(s->moment);
    free(s->pair);
    free(s->heap);
    free(s->key);
    free(s->ready);
    free(s->queued);
}

static int schedule_write(struct chorale_schedule *s,
                          const struct chorale_alg *alg,
                          const struct chorale_point *pt, size_t *scratch)
{
    size_t p = (size_t)pt->comm_size;
    int *node = NULL, bad;
    struct stage st;

    s->size = pt->comm_size;
    s->trace = calloc(p, sizeof(*s->trace));
    s->stat = calloc(p, sizeof(*s->stat));
    node = calloc(p, sizeof(*node));
    bad = stage_init(&st, pt) != 0 || !s->trace || !s->stat || !node;
    for (int r = 0; !bad && r < pt->comm_size; r++)
        node[r] = pt->ppn > 0 ? r / pt->ppn : 0;
    for (int r = 0; !bad && !s->opaque && r < pt->comm_size; r++)
        bad = note_rank(s, &st, alg, pt, node, r, scratch) != 0;
    stage_release(&st);
    free(node);
    return bad ? -1 : 0;
}

/* --- playing ---------------------------------------------------------- */

static struct pair *pair_of(struct chorale_schedule *s, int src, int dst)
{
    uint64_t key = ((uint64_t)(unsigned)src << 32 | (unsigned)dst) + 1;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) % s->npair;

    while (s->key[i] != 0 && s->key[i] != key)
        i = (i + 1) % s->npair;
    if (s->key[i] == 0) {
        s->key[i] = key;
        s->pair[i].first = -1;
    }
    return &s->pair[i];
}

static int play_init(struct chorale_schedule *s)
{
    size_t notes = 0, p = (size_t)s->size;

    for (int r = 0; r < s->size; r++)
        notes += (size_t)s->trace[r].n;
    s->npair = 2 * notes + 1;
    s->moment = calloc(notes + 1, sizeof(*s->moment));
    s->pair = calloc(s->npair, sizeof(*s->pair));
    s->key = calloc(s->npair, sizeof(*s->key));
    s->heap = calloc(notes + 1, sizeof(*s->heap));
    s->ready = calloc(p, sizeof(*s->ready));
    s->queued = calloc(p, sizeof(*s->queued));
    s->nmoment = 1;
    return s->moment && s->pair && s->key && s->heap && s->ready && s->queued
               ? 0
               : -1;
}

static void wake(struct chorale_schedule *s, int rank)
{
    if (!s->queued[rank]) {
        s->queued[rank] = 1;
        s->ready[s->nready++] = rank;
    }
}

static int new_moment(struct chorale_schedule *s, int before, enum what what,
                      size_t bytes)
{
    s->moment[s->nmoment] = (struct moment){ before, what, bytes };
    return s->nmoment++;
}

/* When a message can start at the earliest, and the moment it waits for. */
static double start_of(const struct chorale_schedule *s,
                       const struct flight *f, int *by, int *queues)
{
    const struct trace *from = &s->trace[f->src], *to = &s->trace[f->dst];
    const struct note *out = &from->note[f->out], *in = &to->note[f->in];
    double start = out->posted;

    *by = out->posted_by;
    *queues = 0;
    if (in->posted > start) {
        start = in->posted;
        *by = in->posted_by;
    }
    if (from->port[0] > start) {
        *queues = 1;
        start = from->port[0];
        *by = from->port_by[0];
    }
    if (to->port[1] > start) {
        *queues = 1;
        start = to->port[1];
        *by = to->port_by[1];
    }
    return start;
}

/* Does a start before b? At one time, what was posted first by its sender. */
static int before(const struct flight *a, const struct flight *b)
{
    if (a->start < b->start || a->start > b->start)
        return a->start < b->start;
    return a->out != b->out ? a->out < b->out : a->src < b->src;
}

static void push(struct chorale_schedule *s, struct flight f)
{
    int i = s->nflight++;

    for (; i > 0 && before(&f, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = f;
}

static struct flight pop(struct chorale_schedule *s)
{
    struct flight top = s->heap[0], last = s->heap[--s->nflight];
    int i = 0, child;

    while ((child = 2 * i + 1) < s->nflight) {
        if (child + 1 < s->nflight &&
            before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!before(&s->heap[child], &last))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = last;
    return top;
}

/* Start the next message. One that finds a port busy goes back. */
static void start_one(struct chorale_schedule *s)
{
    struct flight f = pop(s);
    struct trace *from = &s->trace[f.src], *to = &s->trace[f.dst];
    struct note *out = &from->note[f.out], *in = &to->note[f.in];
    int by, queues;
    double start = start_of(s, &f, &by, &queues);

    s->overlaps |= queues;
    if (start > f.start) {
        f.start = start;
        push(s, f);
        return;
    }
    out->end = in->end = start + s->alpha + s->beta * (double)out->bytes;
    out->moment = in->moment = new_moment(s, by, SEND, out->bytes);
    from->port[0] = to->port[1] = out->end;
    from->port_by[0] = to->port_by[1] = out->moment;
    wake(s, f.src);
    wake(s, f.dst);
}

/* Post the end at t's current note. Returns -1 if sizes do not match. */
static int post(struct chorale_schedule *s, int rank, struct note *note)
{
    struct trace *t = &s->trace[rank], *other = &s->trace[note->peer];
    int sends = note->what == SEND;
    struct pair *pair = sends ? pair_of(s, rank, note->peer)
                              : pair_of(s, note->peer, rank);
    int index = (int)(note - t->note);
    struct note *match;

    note->posted = t->time;
    note->posted_by = t->moment;
    if (pair->first < 0) {
        pair->first = pair->last = index;
        pair->what = note->what;
        return 0;
    }
    if (pair->what == note->what) {
        t->note[pair->last].next = index;
        pair->last = index;
        return 0;
    }
    match = &other->note[pair->first];
    pair->first = match->next;
    if ((sends ? note->bytes : match->bytes) >
        (sends ? match->bytes : note->bytes))
        return -1; /* truncated */
    push(s, (struct flight){
                .start = note->posted > match->posted ? note->posted
                                                      : match->posted,
                .src = sends ? rank : note->peer,
                .dst = sends ? note->peer : rank,
                .out = sends ? index : (int)(match - other->note),
                .in = sends ? (int)(match - other->note) : index,
            });
    return 0;
}

/* Let a rank go on until it waits for a message without an end. */
static int advance(struct chorale_schedule *s, int rank)
{
    struct trace *t = &s->trace[rank];

    for (; t->at < t->n; t->at++) {
        struct note *note = &t->note[t->at];
        const struct note *end;

        if (note->what == REDUCE) {
            t->time += s->tau * (double)note->bytes;
            t->moment = new_moment(s, t->moment, REDUCE, note->bytes);
        } else if (note->what != WAIT) {
            if (post(s, rank, note) != 0)
                return -1;
        } else {
            end = &t->note[note->peer];
            if (end->moment == 0)
                return 0;
            if (end->end > t->time) {
                t->time = end->end;
                t->moment = end->moment;
            }
        }
    }
    return 0;
}

static int play(struct chorale_schedule *s)
{
    for (int r = s->size - 1; r >= 0; r--)
        wake(s, r);
    /* Whoever can goes on, then the message that starts first: starts are in
     * the order of time. */
    while (s->nready > 0 || s->nflight > 0) {
        if (s->nready == 0) {
            start_one(s);
            continue;
        }
        int rank = s->ready[--s->nready];

        s->queued[rank] = 0;
        if (advance(s, rank) != 0)
            return -1;
    }
    for (int r = 0; r < s->size; r++)
        if (s->trace[r].at < s->trace[r].n)
            return -1; /* somebody waits for ever */
    for (size_t i = 0; i < s->npair; i++)
        if (s->key[i] != 0 && s->pair[i].first >= 0)
            return -1; /* a message that nobody takes, or sends */
    return 0;
}

/* --- reading ---------------------------------------------------------- */

/* One message or reduction of the path, merged with its like. */
static void add_term(struct chorale_schedule_sum *sum, const struct moment *m)
{
    double bytes = (double)m->bytes;
    int i = 0;

    if (m->what == REDUCE) {
        if (sum->nterm == 0)
            sum->term[sum->nterm++] = (struct chorale_term){ 0 };
        sum->term[0].reduced += bytes;
        return;
    }
    while (i < sum->nterm && (sum->term[i].bytes < bytes ||
                              sum->term[i].bytes > bytes ||
                              !(sum->term[i].messages > 0)))
        i++;
    if (i == sum->nterm && i < CHORALE_MAX_TERM)
        sum->term[sum->nterm++] = (struct chorale_term){ .bytes = bytes };
    if (i == CHORALE_MAX_TERM) { /* too many sizes: a mean one */
        i--;
        sum->term[i].bytes = (sum->term[i].bytes * sum->term[i].messages +
                              bytes) / (sum->term[i].messages + 1);
    }
    sum->term[i].messages++;
}

static void read_path(const struct chorale_schedule *s,
                      struct chorale_schedule_sum *sum)
{
    int last = 0;

    for (int r = 0; r < s->size; r++)
        if (s->trace[r].time > sum->seconds) {
            sum->seconds = s->trace[r].time;
            last = s->trace[r].moment;
        }
    for (; last != 0; last = s->moment[last].before)
        add_term(sum, &s->moment[last]);
    chorale_term_sums(sum->term, sum->nterm, &sum->messages, &sum->bytes,
                      &sum->reduced);
    sum->overlaps = s->overlaps;
}

static long long most(long long a, long long b)
{
    return a > b ? a : b;
}

static void read_totals(const struct chorale_schedule *s,
                        struct chorale_schedule_sum *sum)
{
    for (int r = 0; r < s->size; r++) {
        const struct chorale_stat *t = &s->stat[r];

        sum->total_messages += t->messages;
        sum->total_bytes += t->bytes_sent;
        sum->total_reduced += t->bytes_reduced;
        sum->most_messages = most(sum->most_messages, t->messages);
        sum->most_bytes = most(sum->most_bytes, t->bytes_sent);
        sum->most_reduced = most(sum->most_reduced, t->bytes_reduced);
    }
}

int chorale_schedule_walk(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_schedule_sum *sum, const char **why)
{
    struct chorale_schedule s = { .alpha = pt->alpha, .beta = pt->beta,
                                  .tau = pt->tau };
    const char *reason = NULL;

    if (!(s.alpha > 0) && !(s.beta > 0) && !(s.tau > 0)) {
        s.alpha = TYPICAL_ALPHA;
        s.beta = TYPICAL_BETA;
        s.tau = TYPICAL_TAU;
    }
    memset(sum, 0, sizeof(*sum));
    if (alg->opaque)
        reason = "its messages depend on data";
    else if (chorale_alg_refuses(alg, pt) != NULL)
        reason = "it does not run there";
    else if (schedule_write(&s, alg, pt, &sum->scratch) != 0)
        reason = "it fails, or there is no memory";
    else if (s.opaque)
        reason = "the library does a part of it";
    else if (play_init(&s) != 0)
        reason = "no memory";
    else if (play(&s) != 0)
        reason = "its messages do not match";
    if (reason == NULL) {
        read_path(&s, sum);
        read_totals(&s, sum);
    }
    schedule_release(&s);
    if (why != NULL)
        *why = reason;
    return reason == NULL ? 0 : -1;
}

int chorale_schedule_stat(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_stat *stat)
{
    struct chorale_schedule s = { 0 };
    size_t scratch = 0;
    int bad = alg->opaque || schedule_write(&s, alg, pt, &scratch) != 0 ||
              s.opaque;

    if (!bad)
        memcpy(stat, s.stat, sizeof(*stat) * (size_t)s.size);
    schedule_release(&s);
    return bad ? -1 : 0;
}
