/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all_cost.c - critical paths of the exchanges of gather_all.h.
 *
 * The largest message of every round has the largest blocks, in a split vector
 * the first ones. In rings and neighbour exchanges these travel on from rank to
 * rank. In all other exchanges of a split vector, block 0's owner sends them in
 * every round. */
#include "algorithms/engines/exchange/gather_all.h"
#include "algorithms/engines/radix.h"
#include "algorithms/tree.h"

double chorale_sizes_most(enum chorale_sizes sizes,
                          const struct chorale_point *pt, int k)
{
    int size = pt->comm_size;
    size_t offset, length;
    double sum = 0;

    if (k < 1)
        return 0;
    switch (sizes) {
    case CHORALE_SIZES_EQUAL:
        return (double)pt->msg_size * k;
    case CHORALE_SIZES_SPLIT:
        chorale_split(pt->msg_size, size, k - 1, &offset, &length);
        return (double)(offset + length);
    case CHORALE_SIZES_RAMP:
        for (int i = size - k; i < size; i++)
            sum += (double)chorale_ramp(pt->msg_size, pt->type_size, size, i);
    }
    return sum;
}

int chorale_cost_gather_all_ring(enum chorale_sizes sizes,
                                 const struct chorale_point *pt,
                                 struct chorale_term *term)
{
    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = pt->comm_size - 1,
        .bytes = chorale_sizes_most(sizes, pt, 1),
    };
    return 1;
}

/* Bytes of the k blocks from block first on. */
static double range_size(enum chorale_sizes sizes,
                         const struct chorale_point *pt, int first, int k)
{
    size_t begin, end, length;

    if (sizes != CHORALE_SIZES_SPLIT)
        return chorale_sizes_most(sizes, pt, k);
    chorale_split(pt->msg_size, pt->comm_size, first, &begin, &length);
    chorale_split(pt->msg_size, pt->comm_size, first + k - 1, &end, &length);
    return (double)(end + length - begin);
}

/* Rounds among w ranks from first on, w a power of two. In a split vector the
 * first of them have the largest blocks. */
static int whole_group(enum chorale_sizes sizes,
                       const struct chorale_point *pt, int first, int w,
                       struct chorale_term *term)
{
    int n = 0;

    for (int v = 1; v <= w / 2; v *= 2)
        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = range_size(sizes, pt, first, v),
        };
    return n;
}

/* Messages and bytes on a path, one after the other. */
struct way {
    double messages, bytes;
};

static struct way longer(const struct chorale_point *pt, struct way a,
                         struct way b)
{
    int given = pt->alpha > 0 || pt->beta > 0;
    double alpha = given ? pt->alpha : 1e-6;
    double beta = given ? pt->beta : 1e-10;

    return a.messages * alpha + a.bytes * beta >
                   b.messages * alpha + b.bytes * beta
               ? a
               : b;
}

static struct way after(struct way way, double messages, double bytes)
{
    way.messages += messages;
    way.bytes += bytes;
    return way;
}

/* Paths until the last ranks have the blocks of each other. */
struct tail {
    int w, t;                /* sizes of the full and short group met last */
    struct way late, other;  /* ranks that served two or were served second; */
};                           /* all other ranks */

/* Advance to the time when the last t = P mod w ranks and the w ranks before
 * them have all blocks of both. The t ranks send their blocks twice, the first
 * ranks first, while w blocks arrive. Ranks that serve two were not late if the
 * previous round left at most half of its w ranks late. */
static void short_group(enum chorale_sizes sizes,
                        const struct chorale_point *pt, int w,
                        struct tail *tail)
{
    int t = pt->comm_size & (w - 1), first = pt->comm_size - t - w;
    int spread = tail->w == w / 2 && 2 * tail->t >= tail->w;
    struct chorale_term term[32];
    struct way whole, twice, once;
    double in, out, reduced;

    chorale_term_sums(term, whole_group(sizes, pt, first, w, term),
                      &whole.messages, &whole.bytes, &reduced);
    if (t == 0) {
        *tail = (struct tail){ w, t, whole, whole };
        return;
    }
    in = range_size(sizes, pt, first, w);
    out = range_size(sizes, pt, first + w, t);
    twice = after(longer(pt, whole, spread ? tail->other : tail->late), 2,
                  2 * out > in ? 2 * out : in);
    once = after(longer(pt, whole, tail->late), 1, in);
    *tail = (struct tail){ w, t, longer(pt, twice, once), once };
    if (w > 2 * t) {
        int more = chorale_ceil_log2((w + 2 * t - 1) / (2 * t));

        tail->late = after(tail->late, more, more * out);
        tail->other = tail->late;
    }
}

int chorale_cost_gather_all_doubling(enum chorale_sizes sizes,
                                     const struct chorale_point *pt,
                                     struct chorale_term *term)
{
    int size = pt->comm_size;
    struct tail tail = { 0, 0, { 0, 0 }, { 0, 0 } };

    if ((size & (size - 1)) == 0)
        return whole_group(sizes, pt, 0, size, term);
    for (long w = 1; w < size; w *= 2)
        if (size & w)
            short_group(sizes, pt, (int)w, &tail);
    term[0] = (struct chorale_term){
        .messages = tail.late.messages,
        .bytes = tail.late.bytes / tail.late.messages,
    };
    return 1;
}

int chorale_cost_gather_all_bruck(enum chorale_sizes sizes,
                                  const struct chorale_point *pt, int k,
                                  struct chorale_term *term)
{
    long size = pt->comm_size;
    int n = 0;

    for (long w = 1; w < size; w *= k) {
        long full = size / w - 1, rest = size % w;

        if (full > k - 1)
            full = k - 1;
        term[n++] = (struct chorale_term){
            .messages = (double)full,
            .bytes = chorale_sizes_most(sizes, pt, (int)w),
        };
        if (full < k - 1 && rest > 0)
            term[n++] = (struct chorale_term){
                .messages = 1,
                .bytes = chorale_sizes_most(sizes, pt, (int)rest),
            };
    }
    return n;
}

int chorale_cost_gather_all_circulant(enum chorale_sizes sizes,
                                      const struct chorale_point *pt,
                                      struct chorale_term *term)
{
    int n = 0;

    for (unsigned s = (unsigned)pt->comm_size; s > 1; s = (s + 1) / 2)
        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = chorale_sizes_most(sizes, pt, (int)(s / 2)),
        };
    return n;
}

/* Largest number of ranks whose blocks a group of w positions holds. */
static int most_ranks(int size, int core, int w, int far, int k)
{
    int each = size / core, longer = size % core, step = core / w;

    return far ? each * w + (longer + step - 1) / step
               : chorale_fold_rank(w - 1, size, k) + 1;
}

int chorale_cost_gather_all_recexch(enum chorale_sizes sizes,
                                    const struct chorale_point *pt, int k,
                                    int far, struct chorale_term *term)
{
    int size = pt->comm_size, n = 0;
    struct chorale_fold fold;

    if (size < 2)
        return 0;
    if (k > size)
        k = size;
    chorale_fold_init(&fold, 0, size, k);
    if (fold.most > 0)
        term[n++] = (struct chorale_term){
            .messages = fold.most,
            .bytes = chorale_sizes_most(sizes, pt, fold.most) / fold.most,
        };
    for (long w = 1; w < fold.core; w *= k)
        term[n++] = (struct chorale_term){
            .messages = k - 1,
            .bytes = chorale_sizes_most(
                sizes, pt, most_ranks(size, fold.core, (int)w, far, k)),
        };
    if (fold.most > 0)
        term[n++] = (struct chorale_term){
            .messages = fold.most,
            .bytes = chorale_sizes_most(sizes, pt, size),
        };
    return n;
}

int chorale_cost_gather_all_neighbor(enum chorale_sizes sizes,
                                     const struct chorale_point *pt,
                                     struct chorale_term *term)
{
    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){
        .messages = 1,
        .bytes = chorale_sizes_most(sizes, pt, 1),
    };
    term[1] = (struct chorale_term){
        .messages = pt->comm_size / 2 - 1,
        .bytes = chorale_sizes_most(sizes, pt, 2),
    };
    return 2;
}

int chorale_cost_gather_all_mesh(const struct chorale_point *pt,
                                 const struct chorale_mesh *mesh,
                                 struct chorale_term *term)
{
    double bytes = (double)pt->msg_size;

    for (int i = 0; i < mesh->ndim; i++) {
        int length = mesh->dim[mesh->ndim - 1 - i];

        term[i] = (struct chorale_term){ .messages = length - 1,
                                         .bytes = bytes };
        bytes *= length;
    }
    return mesh->ndim;
}

static double block_size(enum chorale_sizes sizes,
                         const struct chorale_point *pt, int i)
{
    size_t offset, length;

    switch (sizes) {
    case CHORALE_SIZES_RAMP:
        return (double)chorale_ramp(pt->msg_size, pt->type_size,
                                    pt->comm_size, i);
    case CHORALE_SIZES_SPLIT:
        chorale_split(pt->msg_size, pt->comm_size, i, &offset, &length);
        return (double)length;
    default:
        return (double)pt->msg_size;
    }
}

int chorale_cost_gather_all_segmented_ring(enum chorale_sizes sizes,
                                           const struct chorale_point *pt,
                                           size_t segsize,
                                           struct chorale_term *term)
{
    double most = chorale_sizes_most(sizes, pt, 1), s = (double)segsize;
    size_t segments = 0, rounds, size = (size_t)pt->comm_size;

    if (segsize == 0 || size < 2)
        return chorale_cost_gather_all_ring(sizes, pt, term);
    for (int i = 0; i < pt->comm_size; i++) {
        size_t bytes = (size_t)block_size(sizes, pt, i);

        segments += bytes / segsize + (bytes % segsize != 0);
    }
    rounds = segments + size - 2;
    if (size > 2)
        rounds += (segments + size - 2) / (size - 1);
    term[0] = (struct chorale_term){
        .messages = segments > 0 ? (double)rounds : 0,
        .bytes = s < most ? s : most,
    };
    return 1;
}
