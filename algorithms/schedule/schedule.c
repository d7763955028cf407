/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule.c - records the calls of all ranks and sums up their replay. */
#include "algorithms/schedule/schedule.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "algorithms/schedule/event_log.h"
#include "algorithms/schedule/size_exchange.h"

/* Passes beyond the number of ranks before the exchange of sizes is given
 * up. */
#define TURNS 8

/* Used if a point sets no parameters: a fast network, a slow core. */
#define TYPICAL_ALPHA 1e-6
#define TYPICAL_BETA 1e-10
#define TYPICAL_TAU 1e-10

/* --- arguments of recorded calls ------------------------------------------ */

/* Inaccessible buffers, and the irregular blocks of one rank. */
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

/* Counts and displacements of rank's blocks, for sending and receiving. */
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
    if (pt->in_place && (!info->rooted || rank == pt->root)) {
        if (alg->coll == CHORALE_SCATTER || alg->coll == CHORALE_SCATTERV)
            call->recvbuf = MPI_IN_PLACE;
        else
            call->sendbuf = MPI_IN_PLACE;
    }
    if (!info->irregular)
        return;
    fill_counts(st, pt, alg->coll, unit, rank);
    call->sendcount = call->recvcount = st->count[0][rank];
    call->sendcounts = st->count[0];
    call->recvcounts = st->count[1];
    call->sdispls = st->displ[0];
    call->rdispls = st->displ[1];
}

/* Record one rank's call. */
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
    ctx->recorder = &chorale_event_recorder;
    ctx->schedule = s;
    ctx->zeroed = s->told != NULL;
    set_call(&call, st, alg, pt, rank);
    call.ctx = ctx;
    err = alg->run(&call);
    if (chorale_ctx_scratch_peak(ctx) > *scratch)
        *scratch = chorale_ctx_scratch_peak(ctx);
    chorale_ctx_free(ctx);
    return err == MPI_SUCCESS ? 0 : -1;
}

void chorale_schedule_release(struct chorale_schedule *s)
{
    for (int r = 0; s->trace != NULL && r < s->size; r++) {
        free(s->trace[r].note);
        chorale_touched_release(&s->trace[r].touched);
        chorale_touched_release(&s->trace[r].written);
    }
    free(s->trace);
    free(s->stat);
    free(s->moment);
}

/* Set the fresh bytes of a recorded rank's sends. */
static void find_fresh(struct trace *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->note[i].what == SEND)
            t->note[i].fresh = chorale_touched_of(&t->written, t->note[i].buf,
                                                  t->note[i].bytes);
}

/* Record all ranks' calls, or those of the first ranks, in ascending or
 * (backwards) descending order. */
static int note_all(struct chorale_schedule *s, struct stage *st,
                    const struct chorale_alg *alg,
                    const struct chorale_point *pt, const int *node,
                    int backwards, size_t *scratch)
{
    const int some = s->first > 0 && s->told == NULL;
    int count = some ? s->first : s->size, bad = 0;

    for (int i = some ? s->from : 0; !bad && !s->opaque && i < count; i++) {
        int r = backwards ? s->size - 1 - i : i;

        s->trace[r].n = 0;
        s->trace[r].copied = 0;
        s->trace[r].trailing = s->trace[r].cold_trailing = 0;
        chorale_touched_clear(&s->trace[r].touched);
        chorale_touched_clear(&s->trace[r].written);
        s->stat[r] = (struct chorale_stat){ 0 };
        if (s->told != NULL)
            chorale_mailbox_begin(s->told, r);
        bad = note_rank(s, st, alg, pt, node, r, scratch) != 0 || s->lacks;
        if (s->told != NULL)
            chorale_mailbox_end(s->told);
        find_fresh(&s->trace[r]);
    }
    return bad ? -1 : 0;
}

/* Repeat until every rank has received its final sizes. Alternating the order
 * of ranks lets sizes travel up and down a tree in few passes. */
static int record_until_stable(struct chorale_schedule *s, struct stage *st,
                               const struct chorale_alg *alg,
                               const struct chorale_point *pt, const int *node,
                               size_t *scratch)
{
    int settled = 0, bad = 0;

    s->told = chorale_mailbox_new(s->size, st->mem, st->bytes);
    if (s->told == NULL)
        return -1;
    for (int i = 0; !bad && !settled && i < s->size + TURNS; i++) {
        size_t most = *scratch;

        bad = note_all(s, st, alg, pt, node, i % 2, &most) != 0;
        settled = bad ? 0 : chorale_mailbox_stable(s->told);
        if (settled == 1)
            *scratch = most;
        bad |= settled < 0;
    }
    chorale_mailbox_free(s->told);
    s->told = NULL;
    return settled == 1 ? 0 : -1;
}

int chorale_schedule_write(struct chorale_schedule *s,
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
    s->mem = st.mem;
    s->mem_bytes = st.bytes;
    for (int r = 0; !bad && r < pt->comm_size; r++)
        node[r] = pt->ppn > 0 ? r / pt->ppn : 0;
    if (!bad)
        bad = (alg->tells ? record_until_stable(s, &st, alg, pt, node, scratch)
                          : note_all(s, &st, alg, pt, node, 0, scratch)) != 0;
    stage_release(&st);
    free(node);
    for (int r = 0; !bad && r < s->size; r++) {
        s->notes += (size_t)s->trace[r].n;
        for (int i = 0; i < s->trace[r].n; i++)
            s->sends += s->trace[r].note[i].what == SEND;
    }
    return bad ? -1 : 0;
}

/* --- totals --------------------------------------------------------------- */

/* Add one message or reduction of the path, merged with messages of equal
 * size. */
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
    if (i == CHORALE_MAX_TERM) { /* too many sizes: average them in the last
                                  * term */
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
        sum->most_copied = most(sum->most_copied, s->trace[r].copied);
        if (s->trace[r].peers > sum->most_peers)
            sum->most_peers = s->trace[r].peers;
    }
}

static int walk(const struct chorale_alg *alg, const struct chorale_point *pt,
                int links, struct chorale_schedule_sum *sum,
                const char **why)
{
    struct chorale_schedule s = { .alpha = pt->alpha, .beta = pt->beta,
                                  .tau = pt->tau, .links = links };
    const char *reason = NULL;

    if (!(s.alpha > 0) && !(s.beta > 0) && !(s.tau > 0)) {
        s.alpha = TYPICAL_ALPHA;
        s.beta = TYPICAL_BETA;
        s.tau = TYPICAL_TAU;
    }
    memset(sum, 0, sizeof(*sum));
    if (chorale_alg_refuses(alg, pt) != NULL)
        reason = "it does not run there";
    else if (chorale_schedule_write(&s, alg, pt, &sum->scratch) != 0)
        reason = "it fails, or there is no memory for it";
    else if (s.opaque)
        reason = CHORALE_SCHEDULE_LIBRARY;
    else if (chorale_schedule_play(&s) != 0)
        reason = "its messages do not match, or there is no memory";
    if (reason == NULL) {
        read_path(&s, sum);
        read_totals(&s, sum);
    }
    chorale_schedule_release(&s);
    if (why != NULL)
        *why = reason;
    return reason == NULL ? 0 : -1;
}

int chorale_schedule_walk(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_schedule_sum *sum, const char **why)
{
    return walk(alg, pt, 0, sum, why);
}

int chorale_schedule_walk_links(const struct chorale_alg *alg,
                                const struct chorale_point *pt,
                                struct chorale_schedule_sum *sum,
                                const char **why)
{
    return walk(alg, pt, 1, sum, why);
}

int chorale_schedule_stat(const struct chorale_alg *alg,
                          const struct chorale_point *pt,
                          struct chorale_stat *stat)
{
    struct chorale_schedule s = { 0 };
    size_t scratch = 0;
    int bad = chorale_schedule_write(&s, alg, pt, &scratch) != 0 || s.opaque;

    if (!bad)
        memcpy(stat, s.stat, sizeof(*stat) * (size_t)s.size);
    chorale_schedule_release(&s);
    return bad ? -1 : 0;
}
