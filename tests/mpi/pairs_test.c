/* SPDX-License-Identifier: BSD-3-Clause */
/* pairs_test.c - covers have all pairs, are small, and are always the same. */
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/pairs.h"
#include "tests/tap.h"

struct shape {
    int nfactor, levels[PAIRS_FACTORS];
    int most; /* rows that a good cover does not pass */
};

static const struct shape shapes[] = {
    { 1, { 5 }, 5 },
    { 2, { 1, 1 }, 1 },
    { 2, { 4, 7 }, 28 },
    { 4, { 3, 3, 3, 3 }, 12 },
    { 9, { 1, 2, 4, 8, 7, 2, 5, 3, 1 }, 75 },
    { 13, { 3, 2, 4, 9, 7, 2, 1, 1, 4, 14, 6, 1, 1 }, 190 },
    { 16, { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, 14 },
    { 3, { 32, 1, 32 }, 1024 },
};

static void test_shape(const struct shape *s)
{
    struct pairs p, again;
    long seen[PAIRS_LEVELS] = { 0 }, unseen = 0;

    if (!tap_ok(pairs_init(&p, s->levels, s->nfactor) == 0 &&
                    pairs_init(&again, s->levels, s->nfactor) == 0,
                "%d factors: a cover", s->nfactor))
        return;
    for (int r = 0; r < p.nrow; r++)
        seen[p.row[r][0]]++;
    for (int a = 0; a < s->levels[0]; a++)
        unseen += seen[a] == 0;
    tap_ok(pairs_missing(&p) == 0 && unseen == 0, "no pair is missing");
    tap_ok(p.nrow <= s->most, "%d rows, at most %d", p.nrow, s->most);
    tap_ok(p.nrow == again.nrow &&
               memcmp(p.row, again.row,
                      sizeof(*p.row) * (size_t)p.nrow) == 0,
           "the same again");
    pairs_release(&p);
    pairs_release(&again);
}

/* The check must see it if a row is left out. */
static void test_missing(void)
{
    const int levels[3] = { 3, 4, 2 };
    struct pairs p;

    if (pairs_init(&p, levels, 3) != 0)
        abort();
    p.nrow--;
    tap_ok(pairs_missing(&p) > 0, "without its last row pairs are missing");
    pairs_release(&p);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        test_shape(&shapes[i]);
    test_missing();
    return tap_done();
}
