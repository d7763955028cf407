/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - broadcast schedule on a circulant graph.
 *
 * Write a rank greedily as a sum of skips, largest first. The last skip taken
 * is the rank's base (L for the root). In a phase of L rounds the root sends L
 * blocks, block k in round k. Rank v first gets the block of its base. It gets
 * the other L - 1 blocks of the phase one phase later, one in each other round.
 *
 * The block of round k follows from ranks shifted up by P. Among the bases of
 * ranks above v - s_{k+1} and up to v - s_k, take the largest one not used
 * before. If all are used, take the base of v - s_{k+1}. Base L stands for the
 * rank's own base, whose block comes directly from the root.
 *
 * A rank sends the block that the receiver expects.
 * tests/unit/algorithms/circulant.c checks the schedule by simulation.
 */
#include "algorithms/engines/rooted/circulant.h"

#include "algorithms/tree.h"

#include <limits.h>

/* Largest unused base among ranks lo ... hi whose sum of skips starts with at
 * and continues with skips of index <= e, and that lie below end; or -1. */
static int largest_base(const struct chorale_circulant *c, unsigned long used,
                        long at, int e, long lo, long hi, long end)
{
    int best = -1;

    for (; e >= 0; e--) {
        long next = at + c->skip[e];
        int below;

        if (next >= end)
            continue;
        if (next <= hi) {
            if (next >= lo && !(used >> e & 1))
                return e > best ? e : best;
            below = largest_base(c, used, next, e - 1, lo, hi, end);
            best = below > best ? below : best;
            if (next < lo)
                return best;
        }
        end = next;
    }
    return best;
}

/* Base of a rank v > 0. */
static int base_of(const struct chorale_circulant *c, int v)
{
    int k = c->rounds - 1;

    for (long left = v; left != c->skip[k]; k--)
        if (c->skip[k] < left)
            left -= c->skip[k];
    return k;
}

/* Compute the blocks that rank v > 0 receives in rounds 0 ... upto. */
static void receives(const struct chorale_circulant *c, int v, int upto,
                     int *block)
{
    int base = base_of(c, v), top = c->rounds;
    unsigned long used = 1UL << base;
    long end = 2 * (long)c->size;

    for (int k = 0; k <= upto; k++) {
        long hi = v + (long)c->size - c->skip[k];
        long lo = v + (long)c->size - c->skip[k + 1];
        int e = largest_base(c, used, 0, top, lo + 1, hi, end);

        if (e < 0)
            e = largest_base(c, used, 0, top, lo, lo, end);
        used |= 1UL << e;
        block[k] = e == top ? base : e - top;
    }
}

void chorale_circulant_init_recv(struct chorale_circulant *c, int v, int size)
{
    c->v = v;
    c->size = size;
    c->rounds = chorale_ceil_log2(size);
    c->skip[c->rounds] = size;
    for (int k = c->rounds; k > 0; k--)
        c->skip[k - 1] = (c->skip[k] + 1) / 2;
    if (v > 0)
        receives(c, v, c->rounds - 1, c->recv);
    for (int k = 0; k < c->rounds; k++) {
        c->send[k] = k; /* the root's; undefined for other ranks */
        if (v == 0)
            c->recv[k] = 0;
    }
}

void chorale_circulant_init(struct chorale_circulant *c, int v, int size)
{
    int block[CHORALE_CIRCULANT_MAX];

    chorale_circulant_init_recv(c, v, size);
    for (int k = 0; k < c->rounds; k++) {
        int to = (int)((v + c->skip[k]) % size);

        if (v > 0 && to > 0) {
            receives(c, to, k, block);
            c->send[k] = block[k];
        }
    }
}

int chorale_circulant_rounds(const struct chorale_circulant *c, int nblocks)
{
    return c->size > 1 ? nblocks + c->rounds - 1 : 0;
}

/* Phases are aligned so that the last round ends a phase. Blocks below 0 do not
 * exist, and blocks past the end are replaced by the last block. */
struct chorale_circulant_round
chorale_circulant_round(const struct chorale_circulant *c, int nblocks, int i)
{
    int missing = (c->rounds - (nblocks - 1) % c->rounds) % c->rounds;
    int k = (i + missing) % c->rounds;
    int first = i - k;
    struct chorale_circulant_round r = {
        .to = (int)((c->v + c->skip[k]) % c->size),
        .from = (int)((c->v + c->size - c->skip[k]) % c->size),
        .out = first + c->send[k],
        .in = first + c->recv[k],
    };

    if (r.out < 0 || r.to == 0)
        r.out = -1;
    if (r.in < 0 || c->v == 0)
        r.in = -1;
    if (r.out >= nblocks)
        r.out = nblocks - 1;
    if (r.in >= nblocks)
        r.in = nblocks - 1;
    return r;
}

const long chorale_circulant_nblocks_values[CHORALE_NNBLOCKS] = {
    0, 1, 2, 4, 8, 16, 32, 64
};

int chorale_circulant_nblocks(long param, size_t n, size_t unit)
{
    size_t want = param > 0 ? (size_t)param : n / 8192 + (n % 8192 != 0);

    if (unit == 0 || want > n / unit)
        want = unit == 0 ? 1 : n / unit;
    if (want > INT_MAX / 2)
        want = INT_MAX / 2;
    return want > 0 ? (int)want : 1;
}

int chorale_circulant_cost(const struct chorale_point *pt, int reduces,
                           struct chorale_term *term)
{
    size_t unit = reduces ? chorale_unit(pt) : 1;
    int nblocks = chorale_circulant_nblocks(pt->param[0], pt->msg_size,
                                            unit);
    double rounds = nblocks + chorale_ceil_log2(pt->comm_size) - 1.0;
    size_t offset, largest;

    if (pt->comm_size < 2)
        return 0;
    chorale_split(pt->msg_size / unit, nblocks, 0, &offset, &largest);
    term[0] = (struct chorale_term){
        .messages = rounds,
        .bytes = (double)largest * (double)unit,
    };
    term[0].reduced = reduces * rounds * term[0].bytes;
    return 1;
}
