/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c - reduces the recorded events of all ranks to 128 bits. */
#include "algorithms/schedule/digest.h"

#include <string.h>

#include "algorithms/schedule/event_log.h"

/* Finalizer of splitmix64. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void absorb(struct chorale_digest *d, uint64_t x)
{
    d->half[0] = mix(d->half[0] + 0x9e3779b97f4a7c15u + x);
    d->half[1] = mix((d->half[1] ^ x) * 0xc2b2ae3d27d4eb4fu + 1);
}

/* The order of waits without work in between does not matter: add them up from
 * *i on, by the number of the message end waited for. Leaves *i at the last. */
static void absorb_waits(struct chorale_digest *d, const struct trace *t,
                         int *i)
{
    uint64_t sum = 0;

    for (;; ++*i) {
        const struct note *end = &t->note[t->note[*i].peer];

        sum += mix(2 * (uint64_t)(unsigned)end->message + 1 +
                   ((uint64_t)t->note[*i].special << 40));
        if (*i + 1 == t->n || t->note[*i + 1].what != WAIT ||
            t->note[*i + 1].copied > 0)
            break;
    }
    absorb(d, WAIT);
    absorb(d, sum);
}

/* Message ends are numbered in the order posted. Copies count where the next
 * event follows; reductions of no bytes are not events. */
static void absorb_rank(struct chorale_digest *d, struct trace *t)
{
    size_t copied = 0;
    int ends = 0;

    for (int i = 0; i < t->n; i++) {
        struct note *note = &t->note[i];

        copied += note->copied;
        if (note->what == REDUCE && note->bytes == 0)
            continue;
        if (copied > 0) {
            absorb(d, 1 + (uint64_t)REDUCE);
            absorb(d, copied);
            copied = 0;
        }
        if (note->what == WAIT) {
            absorb_waits(d, t, &i);
            continue;
        }
        absorb(d, (uint64_t)note->what | (uint64_t)note->special << 8 |
                      (uint64_t)(unsigned)note->peer << 16);
        absorb(d, note->bytes);
        if (note->what != REDUCE)
            note->message = ends++;
    }
    absorb(d, copied + t->trailing);
    absorb(d, ~(uint64_t)0);
}

/* Absorb the schedule with one root. */
static int absorb_schedule(struct chorale_digest *d,
                           const struct chorale_alg *alg,
                           const struct chorale_point *pt,
                           enum chorale_digest_of of)
{
    struct chorale_schedule s = { .first = of == CHORALE_DIGEST_PART };
    int count = of == CHORALE_DIGEST_PART ? 1 : pt->comm_size;
    size_t scratch = 0;
    int bad = chorale_schedule_write(&s, alg, pt, &scratch) != 0 || s.opaque;

    for (int r = 0; r < count && !bad; r++)
        absorb_rank(d, &s.trace[r]);
    chorale_schedule_release(&s);
    return bad ? -1 : 0;
}

static int is_too_long(const struct chorale_alg *alg,
                       const struct chorale_point *pt)
{
    struct chorale_term term[CHORALE_MAX_TERM];
    double messages, bytes, reduced;

    chorale_term_sums(term, alg->cost(pt, term), &messages, &bytes, &reduced);
    return !(2 * messages * pt->comm_size <= CHORALE_DIGEST_EVENTS);
}

int chorale_schedule_digest(const struct chorale_alg *alg,
                            const struct chorale_point *pt, const char *policy,
                            enum chorale_digest_of of,
                            struct chorale_digest *digest_p)
{
    static const char *const name[3] = { "first", "middle", "last" };
    struct chorale_digest d = { { 0, 0 } };
    struct chorale_point at = *pt;
    int rooted = chorale_coll_info(alg->coll)->rooted, roots = 0;

    if (chorale_alg_refuses(alg, pt) != NULL ||
        chorale_alg_by_library(alg, pt) || is_too_long(alg, pt))
        return -1;
    for (int i = 0; i < 3 && rooted; i++) {
        if (strcmp(policy, "rotate") != 0 && strcmp(policy, name[i]) != 0)
            continue;
        at.root = chorale_coll_root(i, pt->comm_size, pt->ppn);
        if (absorb_schedule(&d, alg, &at, of) != 0)
            return -1;
        roots++;
        if (of == CHORALE_DIGEST_PART)
            break;
    }
    if (roots == 0 && absorb_schedule(&d, alg, pt, of) != 0)
        return -1;
    *digest_p = d;
    return 0;
}
