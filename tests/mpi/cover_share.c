/* SPDX-License-Identifier: BSD-3-Clause */
/* cover_share.c - divide a variant's cover among launches. */
#include "tests/mpi/cover_share.h"

#include <stdlib.h>

#include "tests/mpi/pairs.h"

int share_parse(struct share *s, const char *text, int ranks)
{
    char *end;
    int known = 0;

    *s = (struct share){ .whole = (int)strtol(text, &end, 10) };
    if (end == text || *end != ':' || s->whole < 0)
        return -1;
    do {
        long p = strtol(end + 1, &end, 10);

        if (p < 1 || p > MAX_RANKS || s->n == MAX_LAUNCHES)
            return -1;
        s->ranks[s->n++] = (int)p;
        known |= p == ranks || ranks == 0;
    } while (*end == ',');
    return *end == '\0' && known ? 0 : -1;
}

/* 1 if alg accepts any call at that number of ranks. */
static int runs_anything(const struct chorale_alg *alg,
                         const struct fixture *fix, int ranks, int full)
{
    struct space s;
    struct asked ask = { &s, fix, ranks };

    space_init(&s, alg, ranks, 1, 1, full);
    return pairs_any(s.level, NFACTOR, space_runs_at, &ask);
}

int share_is_first(const struct share *s, const struct chorale_alg *alg,
                   const struct fixture *fix, int ranks)
{
    int i = 0;

    while (i < s->n && s->ranks[i] != ranks &&
           !runs_anything(alg, fix, s->ranks[i], 0))
        i++;
    return i == s->n || (s->ranks[i] == ranks &&
                         runs_anything(alg, fix, ranks, 0));
}

struct part share_part(const struct share *s, const struct chorale_alg *alg,
                       const struct fixture *fix, int ranks, int full)
{
    struct part part = { 0, 1 };
    int before = 0, all = 0; /* launches at which alg runs */

    for (int i = 0; i < s->n; i++) {
        if (!runs_anything(alg, fix, s->ranks[i], full)) {
            if (s->ranks[i] == ranks)
                return part;
            continue;
        }
        if (s->ranks[i] == ranks)
            before = all;
        all++;
    }
    if (before < s->whole || all == 0)
        return part;
    part.index = before - s->whole;
    part.of = all - s->whole;
    return part;
}
