/* SPDX-License-Identifier: BSD-3-Clause */
/* parameters.c - parameters have the effect that they state.
 *
 * Two values of a parameter, all else equal, give different schedules at some
 * point of a list: in a message, its partner, the order, or what is waited for
 * when. A limit on messages in flight is kept, and reached. Values that act
 * like others, with few ranks or beside a certain word, are declared.
 *
 *     parameters.t [COLLECTIVE [VARIANT]]   default: all */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/schedule/event_log.h"
#include "tests/tap.h"
#include "tests/unit/algorithms/values.h"
#include "tests/unit/algorithms/wanted.h"

/* 288 ranks form a mesh of at most 16 rows; 432 ranks form one of 16 rows that
 * is not as square as possible. These are tried only if smaller sizes show no
 * difference, and the last only with the default. */
static const int sizes[] = { 4, 5, 8, 12, 16, 24, 27, 36, 70, 96, 288, 432 };
static const size_t blocks[] = { 64, 384, 960, 4096, 98304, 16 << 20 };
enum {
    NSIZE = sizeof(sizes) / sizeof(sizes[0]),
    NBLOCK = sizeof(blocks) / sizeof(blocks[0])
};

/* Limit on the bytes of all blocks, which some variants need as scratch. */
enum { MOST_BYTES = 1 << 26 };

/* 1 for a value that no point accepts: parts of one segment act like `ring`. */
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

/* Parts that the library does count as equal. */
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

/* Two values of parameter k, and the number of points that accept both. */
struct pair {
    int k;
    long a, b;
    int points;
};

/* 1 if the schedules of the two values differ at this point. */
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

/* Try the defaults of the other parameters, then each other value of one of
 * them; a limit on segments, for instance, needs several segments. */
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

/* Two values other than the default need no point that accepts both. */
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

/* List the default, then the others; returns how many. */
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
                "%s %s: all %d values of %s give different schedules",
                chorale_coll_info(alg->coll)->name, alg->name, n,
                param->name))
        tap_diag("%s", n > 1 ? wrong : "the parameter has a single value");
}

/* --- what is declared ---------------------------------------------------- */

static int counts_ranks(const struct chorale_param *param)
{
    return param->word == NULL && (strstr(param->name, "radix") != NULL ||
                                   strncmp(param->name, "fan", 3) == 0);
}

/* 1 if, at p ranks with these other parameters, two of its values are the same
 * for all block sizes. */
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

/* Find where the value has no effect although the descriptor does not declare
 * it: returns "radix" (few ranks), or the word of another parameter beside
 * which it has no effect; NULL if all is declared. */
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
                "%s %s: values of %s without effect are declared",
                chorale_coll_info(alg->coll)->name, alg->name,
                alg->param[k].name))
        tap_diag("%s", where);
}

/* --- limits on messages in flight --------------------------------------- */

/* The messages that a value of max_reqs limits. */
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

/* Largest number of one kind that a rank has open at a time. */
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

/* Longest sequence of sends without a wait for one of them at once. */
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

/* Limited messages in flight at the busiest rank. */
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

/* Check the values of max_reqs. 0 means no limit, and 1 no overlap anywhere.
 * Where every max_reqs-th send blocks, one less is in a row. */
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
                "%s %s: %d values of max_reqs are kept and reached",
                chorale_coll_info(alg->coll)->name, alg->name, n))
        tap_diag("%s", n > 0 ? wrong : "no value was tried");
}

/* --- all ---------------------------------------------------------------- */

/* Returns how many parameters were checked. Retries have no effect without
 * damage: tests/mpi/damage.c tests them. */
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
        tap_ok(seen >= 140, "%d parameters were checked", seen);
    return tap_done();
}
