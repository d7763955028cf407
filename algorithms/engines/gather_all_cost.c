/* SPDX-License-Identifier: BSD-3-Clause */
/* gather_all_cost.c - critical paths of the exchanges of gather_all.h. In
 * every one the owner of the largest blocks (block 0, where they are split)
 * sends the largest message of every round. */
#include "algorithms/engines/gather_all.h"
#include "algorithms/engines/radix.h"
#include "algorithms/engines/tree.h"

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

int chorale_cost_gather_all_doubling(enum chorale_sizes sizes,
                                     const struct chorale_point *pt,
                                     struct chorale_term *term)
{
    int size = pt->comm_size, n = 0;

    for (long w = 1; w < size; w *= 2) {
        int tail = (int)(size % (2 * w) - w); /* of a short last group */

        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = chorale_sizes_most(sizes, pt, (int)w),
        };
        if (tail > 0)
            term[n++] = (struct chorale_term){
                .messages = chorale_ceil_log2((int)(w + tail - 1) / tail),
                .bytes = chorale_sizes_most(sizes, pt, tail),
            };
    }
    return n;
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

/* Ranks whose blocks a group of w positions holds at most. */
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
