/* SPDX-License-Identifier: BSD-3-Clause */
/* circulant.c - simulate the circulant broadcast schedule. In every round the
 * receiver expects the block that is sent, no block is sent before it was
 * received, and in the end every rank has received every block once. */
#include "algorithms/engines/rooted/circulant.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 300 };

static const int counts[] = { 1, 2, 3, 4, 5, 7, 8, 9, 16, 21, 64 };

/* Simulate all ranks of one broadcast, in has[v * nblocks + b]. Returns the
 * error, or NULL. */
static const char *play(const struct chorale_circulant *c, int p, int nblocks,
                        char *has)
{
    size_t n = (size_t)nblocks;
    int rounds = chorale_circulant_rounds(c, nblocks);

    memset(has, 0, n * (size_t)p);
    memset(has, 1, n);
    for (int i = 0; i < rounds; i++) {
        for (int v = 0; v < p; v++) {
            struct chorale_circulant_round r =
                chorale_circulant_round(&c[v], nblocks, i);
            struct chorale_circulant_round to =
                chorale_circulant_round(&c[r.to], nblocks, i);

            if (to.from != v || to.in != r.out)
                return "the receiver expects another block";
            if (r.out >= 0 && has[n * (size_t)v + (size_t)r.out] != 1)
                return "sent before it was received";
            if (r.in >= 0 && has[n * (size_t)v + (size_t)r.in] != 0)
                return "received twice";
            if (r.in >= 0)
                has[n * (size_t)v + (size_t)r.in] = 2; /* at its end */
        }
        for (size_t at = 0; at < n * (size_t)p; at++)
            has[at] = has[at] != 0;
    }
    for (size_t at = 0; at < n * (size_t)p; at++)
        if (has[at] != 1)
            return "a block is missing";
    return NULL;
}

static void test_size(int p, struct chorale_circulant *c, char *has,
                      int *played)
{
    for (int v = 0; v < p; v++)
        chorale_circulant_init(&c[v], v, p);
    for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
        const char *wrong = play(c, p, counts[k], has);

        ++*played;
        if (wrong != NULL)
            tap_ok(0, "P=%d S=%d: %s", p, counts[k], wrong);
    }
}

int main(void)
{
    struct chorale_circulant *c = calloc(MOST, sizeof(*c));
    char *has = malloc(MOST * 64);
    int played = 0;

    if (c == NULL || has == NULL)
        return 99;
    for (int p = 1; p <= MOST; p++)
        test_size(p, c, has, &played);
    tap_ok(played == MOST * (int)(sizeof(counts) / sizeof(*counts)),
           "all %d broadcasts on the circulant graph are right", played);
    tap_ok(chorale_circulant_nblocks(0, 0, 1) == 1 &&
               chorale_circulant_nblocks(0, 8193, 1) == 2 &&
               chorale_circulant_nblocks(64, 7, 1) == 7 &&
               chorale_circulant_nblocks(64, 56, 8) == 7 &&
               chorale_circulant_nblocks(3, 56, 0) == 1,
           "block counts follow segment size and limit");
    free(c);
    free(has);
    return tap_done();
}
