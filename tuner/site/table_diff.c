/* SPDX-License-Identifier: BSD-3-Clause */
/* table_diff.c - print where two dispatch tables make different choices. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/coll.h"
#include "tuner/site/site_tables.h"
#include "tuner/base/units.h"

enum { EVERY = 64, MAX_RANKS = 1 << 24 };

static const struct chorale_selector *
selector_of(const struct chorale_table *t, const char *coll)
{
    for (int i = 0; i < t->nselector; i++)
        if (strcmp(t->selector[i].coll, coll) == 0)
            return &t->selector[i];
    return NULL;
}

/* The choice of a table, which is the library's outside the measured range. */
static const struct chorale_choice *
choice_of(const struct chorale_table *t, const struct chorale_selector *s,
          size_t n, int comm_size, enum chorale_shape shape, int ppn)
{
    const struct chorale_choice *c;
    int coll = s != NULL ? chorale_coll_find(s->coll) : -1;

    if (coll >= 0)
        n = chorale_coll_query_n((enum chorale_coll)coll, n, s->hull.n_lo);
    if (s == NULL || comm_size < s->hull.comm_size_lo ||
        comm_size > s->hull.comm_size_hi || n < s->hull.n_lo ||
        n > s->hull.n_hi)
        return &t->choice[0];
    c = shape == CHORALE_SHAPE_BLOCK
            ? s->select_ppn(n, comm_size, shape, ppn)
            : s->select_shape(n, comm_size, shape);
    /* A pointer that is not a choice of this table is ignored. */
    return c != NULL && c->index >= 0 && c->index < t->nchoice &&
                   c == &t->choice[c->index]
               ? c : &t->choice[0];
}

static int same(const struct chorale_choice *a, const struct chorale_choice *b)
{
    return strcmp(a->provider, b->provider) == 0 &&
           strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->params, b->params) == 0;
}

static void print_choice(const struct chorale_choice *c)
{
    if (strcmp(c->provider, "library") == 0)
        printf("library");
    else
        printf("%s%s%s", c->variant, c->params[0] != '\0' ? ":" : "",
               c->params);
}

/* The k-th compared n, up to top; 0: no more. */
static int nth_n(int k, unsigned long long top, size_t *n)
{
    unsigned long long power = 1ULL << (k / 3);

    if (k / 3 > 47)
        return 0;
    *n = (size_t)(k % 3 == 0 ? power - 1 : k % 3 == 1 ? power : power + 1);
    return power - 1 <= top;
}

/* Neighbouring sizes with the same pair of choices, printed as one line. */
struct run_of {
    const struct chorale_choice *a, *b;
    size_t lo, hi;
};

static void print_run(const struct run_of *run, const char *coll,
                      int comm_size, const char *shape)
{
    char lo[32], hi[32];

    printf("  %-20s P = %-6d %-16s n = %s ... %s: ", coll, comm_size, shape,
           chorale_human_bytes((double)run->lo, lo),
           chorale_human_bytes((double)run->hi, hi));
    print_choice(run->a);
    printf(" -> ");
    print_choice(run->b);
    printf("\n");
}

static long diff_line(const struct chorale_table *from,
                      const struct chorale_table *to, const char *coll,
                      int comm_size, enum chorale_shape shape, int ppn,
                      const char *name)
{
    const struct chorale_selector *s = selector_of(from, coll);
    const struct chorale_selector *t = selector_of(to, coll);
    unsigned long long top = s != NULL ? s->hull.n_hi : 0;
    struct run_of run = { NULL, NULL, 0, 0 };
    size_t n;
    long lines = 0;

    if (t != NULL && t->hull.n_hi > top)
        top = t->hull.n_hi;
    for (int k = 0; nth_n(k, top, &n); k++) {
        const struct chorale_choice *a =
            choice_of(from, s, n, comm_size, shape, ppn);
        const struct chorale_choice *b =
            choice_of(to, t, n, comm_size, shape, ppn);

        if (run.a != NULL && same(run.a, a) && same(run.b, b)) {
            run.hi = n;
            continue;
        }
        if (run.a != NULL && lines++ >= 0)
            print_run(&run, coll, comm_size, name);
        run = (struct run_of){ same(a, b) ? NULL : a, b, n, n };
    }
    if (run.a != NULL && lines++ >= 0)
        print_run(&run, coll, comm_size, name);
    return lines;
}

static long diff_ranks(const struct chorale_table *from,
                       const struct chorale_table *to, const char *coll,
                       int comm_size)
{
    static const struct {
        enum chorale_shape shape;
        const char *name;
    } row[] = { { CHORALE_SHAPE_SINGLE_NODE, "single-node" },
                { CHORALE_SHAPE_ONE_PER_NODE, "one-per-node" },
                { CHORALE_SHAPE_CYCLIC, "cyclic" },
                { CHORALE_SHAPE_IRREGULAR, "irregular" } };
    char name[40];
    long lines = 0;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        lines += diff_line(from, to, coll, comm_size, row[i].shape, 0,
                           row[i].name);
    for (int ppn = 2; ppn < comm_size; ppn *= 2) {
        snprintf(name, sizeof(name), "block of %d", ppn);
        lines += diff_line(from, to, coll, comm_size, CHORALE_SHAPE_BLOCK,
                           ppn, name);
    }
    return lines;
}

long chorale_table_diff(const struct chorale_table *from,
                        const struct chorale_table *to)
{
    long lines = 0;

    for (int i = 0; i < CHORALE_NCOLL; i++) {
        const char *coll = chorale_coll_info((enum chorale_coll)i)->name;
        const struct chorale_selector *s = selector_of(from, coll);
        const struct chorale_selector *t = selector_of(to, coll);
        int top = s != NULL ? s->hull.comm_size_hi : 0;

        if (t != NULL && t->hull.comm_size_hi > top)
            top = t->hull.comm_size_hi;
        if (top > MAX_RANKS)
            top = MAX_RANKS;
        for (int p = 2; p <= top; p += p < EVERY ? 1 : p)
            lines += diff_ranks(from, to, coll, p);
    }
    return lines;
}
