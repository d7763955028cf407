/* SPDX-License-Identifier: BSD-3-Clause */
/* parameters.c - does a variant do as its parameters say? Its schedule is
 * written down with one value of a parameter and with another one, all else
 * alike: at some point of a list it is another schedule, in a message, its
 * partner, the order or what is waited for when. And a limit on messages in
 * flight is kept, and reached. Radixes that do the same as others, at few ranks
 * or beside a word, are declared.
 *
 *     parameters.t [COLLECTIVE [VARIANT]]   only these */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/schedule/event_log.h"
#include "tests/tap.h"
#include "tests/unit/algorithms/values.h"
#include "tests/unit/algorithms/wanted.h"

/* 288 ranks are a mesh of 16 rows or fewer, 432 one of 16 rows that is not as
 * square as can be: come there only if fewer do not tell, and to the last only
 * with the default. */
static const int sizes[] = { 4, 5, 8, 12, 16, 24, 27, 36, 70, 96, 288, 432 };
static const size_t blocks[] = { 64, 384, 960, 4096, 98304, 16 << 20 };
enum {
    NSIZE = sizeof(sizes) / sizeof(sizes[0]),
    NBLOCK = sizeof(blocks) / sizeof(blocks[0])
};

/* Bytes of all blocks, which some variants take as scratch. */
enum { MOST_BYTES = 1 << 26 };

/* A value that no point takes: parts of one segment are those of `ring`. */
static int is_refused(const struct chorale_alg *alg, int k, long value)
{
    return alg->coll == CHORALE_ALLREDUCE && value == 0 &&
           strcmp(alg->name, "ring_segmented") == 0 &&
           strcmp(alg->param[k].name, "segsize") == 0;
}

/* --- two schedules ------------------------------------------------------ */

static int same_notes(const struct trace *a, const struct trace *b)
{
    if (a->n != b->n)
        return 0;
    for (int i = 0; i < a->n; i++)
        if (a->note[i].what != b->note[i].what ||
            a->note[i].peer != b->note[i].peer ||
            a->note[i].bytes != b->note[i].bytes)
            return 0;
    return 1;
}

/* Parts that the library does are all alike. */
static int same_schedules(const struct chorale_schedule *a,
                          const struct chorale_schedule *b)
{
    if (a->opaque || b->opaque)
        return a->opaque == b->opaque;
    for (int r = 0; r < a->size; r++)
        if (!same_notes(&a->trace[r], &b->trace[r]))
            return 0;
    return 1;
}

static void write_down(struct chorale_schedule *s,
                       const struct chorale_alg *alg,
                       const struct chorale_point *pt)
{
    size_t scratch = 0;

    *s = (struct chorale_schedule){ .alpha = 1e-6, .beta = 1e-10 };
    if (chorale_schedule_write(s, alg, pt, &scratch) == 0)
        return;
    printf("Bail out! %s %s at P=%d, m=%zu: it fails, or there is no memory\n",
           chorale_coll_info(alg->coll)->name, alg->name, pt->comm_size,
           pt->msg_size);
    exit(1);
}

/* --- the points --------------------------------------------------------- */

static struct chorale_point point(const struct chorale_alg *alg, int size,
                                  int block, int ppn)
{
    int dataless = chorale_coll_info(alg->coll)->dataless, p = sizes[size];
    size_t m = dataless ? 0 : blocks[block];
    struct chorale_point pt = {
        .comm_size = p,
        .msg_size = m,
        .n = chorale_coll_n(alg->coll, m, p),
        .type_size = 8,
        .commutative = 1,
        .ppn = chorale_alg_by_node(alg) ? ppn : 0,
    };

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    return pt;
}

/* Two values of parameter k, and at how many points both were taken. */
struct pair {
    int k;
    long a, b;
    int points;
};

/* 1: at this point they are different schedules. */
static int tell_apart(const struct chorale_alg *alg, struct chorale_point pt,
                      struct pair *pair)
{
    struct chorale_point other = pt;
    struct chorale_schedule s[2];
    int differ;

    pt.param[pair->k] = pair->a;
    other.param[pair->k] = pair->b;
    if ((size_t)pt.comm_size * pt.msg_size > MOST_BYTES ||
        chorale_alg_refuses(alg, &pt) != NULL ||
        chorale_alg_refuses(alg, &other) != NULL)
        return 0;
    pair->points++;
    write_down(&s[0], alg, &pt);
    write_down(&s[1], alg, &other);
    differ = !same_schedules(&s[0], &s[1]);
    chorale_schedule_release(&s[0]);
    chorale_schedule_release(&s[1]);
    return differ;
}

/* With the defaults of the other parameters, then with each other value of
 * one of them: what limits segments needs some. */
static int tell_apart_with(const struct chorale_alg *alg,
                           struct chorale_point pt, struct pair *pair)
{
    if (tell_apart(alg, pt, pair))
        return 1;
    for (int i = 0; i < alg->nparam; i++) {
        const struct chorale_param *param = &alg->param[i];

        for (int v = 0; i != pair->k && v < values_count(param); v++) {
            pt.param[i] = values_get(param, v);
            if (pt.param[i] != param->def && tell_apart(alg, pt, pair))
                return 1;
        }
        pt.param[i] = param->def;
    }
    return 0;
}

static int differ_somewhere(const struct chorale_alg *alg, struct pair *pair)
{
    int nblock = chorale_coll_info(alg->coll)->dataless ? 1 : NBLOCK;
    int nnode = chorale_alg_by_node(alg) ? 2 : 1;
    int nsize = pair->a == alg->param[pair->k].def ? NSIZE : NSIZE - 1;

    for (int i = 0; i < nsize; i++)
        for (int k = 0; k < nblock; k++)
            for (int w = 0; w < nnode; w++)
                if (tell_apart_with(alg, point(alg, i, k, 4 - 2 * w), pair))
                    return 1;
    return 0;
}

/* --- each parameter ----------------------------------------------------- */

/* Two values other than the default may have no point that takes both. */
static void check_pair(const struct chorale_alg *alg, struct pair *pair,
                       char *wrong, size_t size)
{
    int differ = differ_somewhere(alg, pair);

    if (is_refused(alg, pair->k, pair->b)) {
        if (pair->points > 0)
            snprintf(wrong, size, "%ld is not refused", pair->b);
    } else if (pair->points == 0 && pair->a == alg->param[pair->k].def)
        snprintf(wrong, size, "no point takes %ld, and %ld", pair->a, pair->b);
    else if (!differ && pair->points > 0)
        snprintf(wrong, size, "%ld does the same as %ld", pair->b, pair->a);
}

/* The default, then the others; returns how many. */
static int list_values(const struct chorale_param *param, long *value)
{
    int n = 0;

    value[n++] = param->def;
    for (int i = 0; i < values_count(param); i++)
        if (values_get(param, i) != param->def)
            value[n++] = values_get(param, i);
    return n;
}

static void check_values(const struct chorale_alg *alg, int k)
{
    const struct chorale_param *param = &alg->param[k];
    long *value = malloc(sizeof(*value) * ((size_t)values_count(param) + 1));
    int n = value == NULL ? 0 : list_values(param, value);
    char wrong[128] = "";

    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            struct pair pair = { k, value[i], value[j], 0 };

            check_pair(alg, &pair, wrong, sizeof(wrong));
        }
    free(value);
    if (!tap_ok(n > 1 && wrong[0] == '\0',
                "%s %s: %d values of %s, each does something else",
                chorale_coll_info(alg->coll)->name, alg->name, n,
                param->name))
        tap_diag("%s", n > 1 ? wrong : "there is nothing to compare");
}

/* --- what is declared ---------------------------------------------------- */

static int counts_ranks(const struct chorale_param *param)
{
    return param->word == NULL && (strstr(param->name, "radix") != NULL ||
                                   strncmp(param->name, "fan", 3) == 0);
}

/* 1: at p ranks, with these other parameters, two of its values are the same
 * whatever the block. */
static int same_at(const struct chorale_alg *alg, int size,
                   const struct chorale_point *with, int k)
{
    const struct chorale_param *param = &alg->param[k];
    int last = param->ncandidate - 1;
    struct pair pair = { k, param->candidate[last > 0 ? last - 1 : 0],
                         param->candidate[last], 0 };

    for (int b = 0; b < NBLOCK; b++) {
        struct chorale_point pt = point(alg, size, b, 2);

        memcpy(pt.param, with->param, sizeof(pt.param));
        if (tell_apart(alg, pt, &pair))
            return 0;
    }
    return last > 0 && pair.points > 0;
}

enum { FEW = 0, MANY = 7 }; /* of sizes: 4 and 36 ranks */

/* Where numbers of ranks do nothing: "radix", or a word of another parameter
 * beside which they do not; NULL: nowhere that is not declared. */
static const char *undeclared(const struct chorale_alg *alg, int k)
{
    const char *name = alg->param[k].name;
    const char *said = alg->fallback == NULL ? "" : alg->fallback;
    struct chorale_point with = point(alg, FEW, 0, 2);

    name = strstr(name, "radix") != NULL ? "radix" : name;
    if (strstr(said, name) == NULL && same_at(alg, FEW, &with, k))
        return name;
    for (int i = 0; i < alg->nparam; i++)
        for (int v = 0; alg->param[i].word != NULL &&
                        v < values_count(&alg->param[i]); v++) {
            long value = values_get(&alg->param[i], v);

            with = point(alg, FEW, 0, 2);
            with.param[i] = value;
            if (strstr(said, alg->param[i].word[value]) == NULL &&
                same_at(alg, MANY, &with, k))
                return alg->param[i].word[value];
        }
    return NULL;
}

static void check_declared(const struct chorale_alg *alg, int k)
{
    const char *where = undeclared(alg, k);

    if (!tap_ok(where == NULL,
                "%s %s: where values of %s are alike is declared",
                chorale_coll_info(alg->coll)->name, alg->name,
                alg->param[k].name))
        tap_diag("%s", where);
}

/* --- limits on what is in flight ---------------------------------------- */

/* Whose messages a value of max_reqs limits. */
enum limits { SENDS, RECEIVES, LEAF_SENDS, SENDS_IN_A_ROW };

static enum limits limits_what(const struct chorale_param *param)
{
    if (strncmp(param->unit, "every so many-th send", 21) == 0)
        return SENDS_IN_A_ROW;
    if (strncmp(param->unit, "sends of a leaf", 15) == 0)
        return LEAF_SENDS;
    return strncmp(param->unit, "receives", 8) == 0 ? RECEIVES : SENDS;
}

static int receives_any(const struct trace *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->note[i].what == RECV)
            return 1;
    return 0;
}

/* The most of one kind that a rank has open at a time. */
static int most_open(const struct trace *t, enum what kind)
{
    int open = 0, most = 0;

    for (int i = 0; i < t->n; i++) {
        const struct note *note = &t->note[i];

        if (note->what == kind && ++open > most)
            most = open;
        if (note->what == WAIT && t->note[note->peer].what == kind)
            open--;
    }
    return most;
}

/* The most sends one after the other of which none is waited for at once. */
static int most_in_a_row(const struct trace *t)
{
    int sends = 0, most = 0;

    for (int i = 0; i + 1 < t->n; i++) {
        if (t->note[i].what != SEND)
            continue;
        if (t->note[i + 1].what == WAIT && t->note[i + 1].peer == i)
            sends = 0;
        else if (++sends > most)
            most = sends;
    }
    return most;
}

/* How many the busiest rank has in flight, of those that are limited. */
static int in_flight(const struct chorale_alg *alg,
                     const struct chorale_point *pt, enum limits limits)
{
    struct chorale_schedule s;
    int most = 0;

    write_down(&s, alg, pt);
    for (int r = 0; r < s.size; r++) {
        const struct trace *t = &s.trace[r];
        int n = limits == SENDS_IN_A_ROW ? most_in_a_row(t)
                : limits == RECEIVES     ? most_open(t, RECV)
                                         : most_open(t, SEND);

        if (n > most && (limits != LEAF_SENDS || !receives_any(t)))
            most = n;
    }
    chorale_schedule_release(&s);
    return most;
}

/* Up to 70 ranks, blocks of one segment and of 96. */
enum { ENOUGH = 70, ONE_SEGMENT = 0, MANY_SEGMENTS = 4 };

static int most_in_flight(const struct chorale_alg *alg, int k, long value)
{
    enum limits limits = limits_what(&alg->param[k]);
    int most = 0;

    for (int i = 0; i < NSIZE && sizes[i] <= ENOUGH; i++)
        for (int b = ONE_SEGMENT; b <= MANY_SEGMENTS; b += MANY_SEGMENTS) {
            struct chorale_point pt = point(alg, i, b, 0);
            int n;

            for (int j = 0; j < alg->nparam; j++)
                if (strcmp(alg->param[j].name, "segsize") == 0)
                    pt.param[j] = 1024;
            pt.param[k] = value;
            if (chorale_alg_refuses(alg, &pt) != NULL)
                continue;
            n = in_flight(alg, &pt, limits);
            most = n > most ? n : most;
        }
    return most;
}

/* 0 is no limit, and 1 none everywhere. Of sends of which every so many-th
 * blocks there is one less in a row. */
static void check_limit(const struct chorale_alg *alg, int k)
{
    const struct chorale_param *param = &alg->param[k];
    int less = limits_what(param) == SENDS_IN_A_ROW, n = 0;
    char wrong[128] = "";

    for (int i = 0; i < param->ncandidate + param->nmore; i++) {
        long value = i < param->ncandidate
                         ? param->candidate[i]
                         : param->more[i - param->ncandidate];
        int most = value < 2 ? 0 : most_in_flight(alg, k, value);

        n += value >= 2;
        if (value >= 2 && most != value - less)
            snprintf(wrong, sizeof(wrong), "with %ld there are %d in flight",
                     value, most);
    }
    if (!tap_ok(n > 0 && wrong[0] == '\0',
                "%s %s: %d values of max_reqs, kept and reached",
                chorale_coll_info(alg->coll)->name, alg->name, n))
        tap_diag("%s", n > 0 ? wrong : "there are no values");
}

/* --- all ---------------------------------------------------------------- */

/* Returns how many parameters were looked at. Where all is well nothing is sent
 * again: what retries do tests/mpi/damage.c shows. */
static int check(const struct chorale_alg *alg)
{
    for (int k = 0; k < alg->nparam; k++) {
        if (strcmp(alg->param[k].name, "retries") != 0)
            check_values(alg, k);
        if (counts_ranks(&alg->param[k]))
            check_declared(alg, k);
        if (strcmp(alg->param[k].name, "max_reqs") == 0)
            check_limit(alg, k);
    }
    return alg->nparam;
}

int main(int argc, char **argv)
{
    int seen = 0;

    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (wanted(argc, argv, chorale_algs[i]))
            seen += check(chorale_algs[i]);
    if (argc == 1)
        tap_ok(seen >= 140, "%d parameters", seen);
    return tap_done();
}
