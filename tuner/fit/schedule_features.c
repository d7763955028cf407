/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_features.c - schedules reduced to messages by level and size. */
#include "tuner/fit/schedule_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/coll.h"
#include "algorithms/schedule/event_log.h"

#define SHAPE_SIZE 65536 /* bytes of a block by which a shape is recorded */

/* Messages of one rank. */
struct load {
    double messages[CHORALE_LEVELS], bytes[CHORALE_LEVELS];
};

/* What of a schedule does not depend on the size. */
struct shape {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
    int comm_size, ppn;
    int known;               /* 0: there is no schedule */
    int rank;                /* the busiest of the first node */
    enum what what;          /* SEND or RECV: of which it has more */
    double messages, bytes;  /* between nodes: of the node, in units of those of
                              * the rank; 0: the rank sends none */
    double inner;            /* bytes inside the node, of all ranks, in units of
                              * those of the rank on both levels */
    int flat;                /* 1: the other ranks exchange one message with it,
                              * so its messages are in flight at once */
    double between;          /* share of the node's messages between nodes */
};

struct chorale_feature_cache {
    struct shape *shape;
    size_t count, room;
};

struct chorale_feature_cache *chorale_feature_cache_new(void)
{
    return calloc(1, sizeof(struct chorale_feature_cache));
}

void chorale_feature_cache_free(struct chorale_feature_cache *cache)
{
    if (cache != NULL)
        free(cache->shape);
    free(cache);
}

static int level_of(int a, int b, int ppn)
{
    return a / ppn == b / ppn ? CHORALE_LEVEL_NODE : CHORALE_LEVEL_NET;
}

static struct load load_of(const struct trace *t, int rank, int ppn,
                           enum what what)
{
    struct load load = { { 0 }, { 0 } };

    for (int i = 0; i < t->n; i++)
        if (t->note[i].what == what) {
            const int level = level_of(rank, t->note[i].peer, ppn);

            load.messages[level]++;
            load.bytes[level] += (double)t->note[i].bytes;
        }
    return load;
}

/* 1 if a is busier than b: has more messages between nodes, or as many and more
 * in all. */
static int is_busier(const struct load *a, const struct load *b)
{
    const double d = a->messages[CHORALE_LEVEL_NET] -
                     b->messages[CHORALE_LEVEL_NET];

    return d > 0 ||
           (!(d < 0) && a->messages[CHORALE_LEVEL_NODE] >
                            b->messages[CHORALE_LEVEL_NODE]);
}

static double ratio(double all, double one)
{
    return one > 0 ? all / one : 0;
}

/* 1 if the busiest rank exchanges messages with all others, of which none has
 * more than one message of each kind. */
static int is_flat(const struct shape *shape, const struct chorale_schedule *s)
{
    int most = 0, n;

    for (int r = 0; r < s->first; r++) {
        int count[2] = { 0, 0 };

        for (int i = 0; i < s->trace[r].n; i++)
            if (s->trace[r].note[i].what == SEND ||
                s->trace[r].note[i].what == RECV)
                count[s->trace[r].note[i].what == RECV]++;
        n = count[0] > count[1] ? count[0] : count[1];
        if (r != shape->rank && n > 1)
            return 0;
        most = r == shape->rank ? n : most;
    }
    return most > 1 && most >= shape->comm_size - 1;
}

/* Choose the busiest rank among those recorded. */
static void read_shape(struct shape *shape, const struct chorale_schedule *s)
{
    struct load most = { { -1, -1 }, { 0 } }, all[2];
    double node;

    memset(all, 0, sizeof(all));
    for (int r = 0; r < s->first && r < shape->ppn; r++)
        for (int k = 0; k < 2; k++) {
            const enum what what = k == 0 ? SEND : RECV;
            const struct load load = load_of(&s->trace[r], r, shape->ppn,
                                             what);

            for (int l = 0; l < CHORALE_LEVELS; l++) {
                all[k].messages[l] += load.messages[l];
                all[k].bytes[l] += load.bytes[l];
            }
            if (is_busier(&load, &most)) {
                most = load;
                shape->rank = r;
                shape->what = what;
            }
        }
    node = fmax(all[0].messages[CHORALE_LEVEL_NET],
                all[1].messages[CHORALE_LEVEL_NET]);
    shape->messages = ratio(node, most.messages[CHORALE_LEVEL_NET]);
    shape->bytes = ratio(fmax(all[0].bytes[CHORALE_LEVEL_NET],
                              all[1].bytes[CHORALE_LEVEL_NET]),
                         most.bytes[CHORALE_LEVEL_NET]);
    shape->inner = ratio(fmax(all[0].bytes[CHORALE_LEVEL_NODE],
                              all[1].bytes[CHORALE_LEVEL_NODE]),
                         most.bytes[CHORALE_LEVEL_NODE] +
                             most.bytes[CHORALE_LEVEL_NET]);
    shape->between = ratio(
        all[0].messages[CHORALE_LEVEL_NET] + all[1].messages[CHORALE_LEVEL_NET],
        all[0].messages[0] + all[0].messages[1] + all[1].messages[0] +
            all[1].messages[1]);
    shape->flat = is_flat(shape, s);
    shape->known = most.messages[0] >= 0;
}

/* The shape of pt's schedule, recorded with a usual size where alg runs with
 * it. NULL: out of memory. */
static const struct shape *shape_of(struct chorale_feature_cache *cache,
                                    const struct chorale_alg *alg,
                                    const struct chorale_point *pt, int ppn)
{
    struct chorale_point at = *pt;
    /* The node, and two ranks at least for is_flat(). */
    const int first = ppn > 2 ? ppn : 2;
    struct chorale_schedule s = { .first = first < pt->comm_size
                                               ? first : pt->comm_size };
    struct shape *shape;
    size_t scratch = 0;

    for (size_t i = 0; i < cache->count; i++) {
        shape = &cache->shape[i];
        if (shape->alg == alg && shape->comm_size == pt->comm_size &&
            shape->ppn == ppn &&
            memcmp(shape->param, pt->param, sizeof(pt->param)) == 0)
            return shape;
    }
    if (cache->count == cache->room) {
        const size_t room = cache->room > 0 ? 2 * cache->room : 64;

        shape = realloc(cache->shape, room * sizeof(*shape));
        if (shape == NULL)
            return NULL;
        cache->shape = shape;
        cache->room = room;
    }
    shape = &cache->shape[cache->count++];
    *shape = (struct shape){ .alg = alg, .comm_size = pt->comm_size,
                             .ppn = ppn };
    memcpy(shape->param, pt->param, sizeof(pt->param));
    if (!chorale_coll_info(alg->coll)->dataless) {
        at.msg_size = SHAPE_SIZE;
        at.n = chorale_coll_n(alg->coll, at.msg_size, at.comm_size);
    }
    if (chorale_alg_refuses(alg, &at) != NULL)
        at = *pt;
    if (chorale_schedule_write(&s, alg, &at, &scratch) == 0 && !s.opaque)
        read_shape(shape, &s);
    chorale_schedule_release(&s);
    return shape;
}

/* Add messages of a size. If there are too many sizes, the nearest one of that
 * level takes them, by their number of bytes in all. */
static void add(struct chorale_features *f, int level, double bytes,
                double count)
{
    int best = -1;

    for (int i = 0; i < f->nsize; i++)
        if (f->size[i].level == level &&
            (best < 0 || fabs(f->size[i].bytes - bytes) <
                             fabs(f->size[best].bytes - bytes)))
            best = i;
    if (best < 0 || (f->nsize < CHORALE_FEATURE_SIZES - 1 &&
                     fabs(f->size[best].bytes - bytes) > 0)) {
        best = f->nsize++;
        f->size[best].level = level;
        f->size[best].bytes = bytes;
        f->size[best].count = 0;
    }
    f->size[best].bytes =
        (f->size[best].bytes * f->size[best].count + bytes * count) /
        (f->size[best].count + count);
    f->size[best].count += count;
}

/* Add the messages of the stated critical path beyond the given ones. */
static void add_rest(struct chorale_features *f, const struct shape *shape,
                     const struct chorale_term *term, int nterm,
                     double messages, double bytes)
{
    double a, b, c, each;

    chorale_term_sums(term, nterm, &a, &b, &c);
    f->reduced = c;
    if (!(a > messages))
        return;
    each = fmax(0, b - bytes) / (a - messages);
    if (shape->between < 1)
        add(f, CHORALE_LEVEL_NODE, each, (a - messages) * (1 - shape->between));
    if (shape->between > 0)
        add(f, CHORALE_LEVEL_NET, each, (a - messages) * shape->between);
}

int chorale_features_of(struct chorale_feature_cache *cache,
                        const struct chorale_alg *alg,
                        const struct chorale_point *pt, int ppn,
                        struct chorale_features *f)
{
    const struct shape *shape;
    struct chorale_schedule s = { .first = 0 };
    struct chorale_term term[CHORALE_MAX_TERM];
    size_t scratch = 0;
    int bad;

    if (chorale_alg_refuses(alg, pt) != NULL)
        return -1;
    shape = shape_of(cache, alg, pt, ppn);
    if (shape == NULL || !shape->known)
        return -1;
    memset(f, 0, sizeof(*f));
    s.from = shape->rank;
    s.first = shape->rank + 1;
    bad = chorale_schedule_write(&s, alg, pt, &scratch) != 0 || s.opaque;
    if (!bad) {
        const struct trace *t = &s.trace[shape->rank];
        const struct load load = load_of(t, shape->rank, ppn, shape->what);

        for (int i = 0; i < t->n; i++)
            if (t->note[i].what == shape->what)
                add(f, level_of(shape->rank, t->note[i].peer, ppn),
                    (double)t->note[i].bytes, 1);
        f->port_messages = fmax(0, shape->messages - 1) *
                           load.messages[CHORALE_LEVEL_NET];
        f->port_bytes = fmax(0, shape->bytes - 1) *
                        load.bytes[CHORALE_LEVEL_NET];
        f->inner_bytes = shape->inner * (load.bytes[CHORALE_LEVEL_NODE] +
                                         load.bytes[CHORALE_LEVEL_NET]);
        f->copied = (double)t->copied;
        f->overlaps = shape->flat || chorale_alg_overlaps(alg, pt);
        add_rest(f, shape, term, alg->cost(pt, term),
                 load.messages[0] + load.messages[1],
                 load.bytes[0] + load.bytes[1]);
    }
    chorale_schedule_release(&s);
    return bad ? -1 : 0;
}
