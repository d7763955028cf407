/* SPDX-License-Identifier: BSD-3-Clause */
/* first_touch.c - a recorded schedule tells which bytes of the call's buffers a
 * rank accesses first, and which bytes it copies. */
#include "algorithms/schedule/first_touch.h"

#include <string.h>

#include "algorithms/schedule/event_log.h"
#include "tests/tap.h"

enum { BYTES = 200 };

/* Random accesses against one flag per byte. */
static void test_ranges(void)
{
    static const char memory[BYTES];
    unsigned seed = 1;
    int wrong = 0;

    for (int trial = 0; trial < 200; trial++) {
        struct chorale_touched t = { NULL, 0, 0 };
        unsigned char seen[BYTES] = { 0 };

        for (int i = 0; i < 60; i++) {
            size_t at, n, want = 0, first = 0;

            seed = seed * 1103515245u + 12345u;
            at = seed / 65536 % BYTES;
            seed = seed * 1103515245u + 12345u;
            n = seed / 65536 % 20;
            n = n < BYTES - at ? n : BYTES - at;
            for (size_t k = at; k < at + n; k++) {
                want += !seen[k];
                seen[k] = 1;
            }
            wrong += chorale_touch(&t, memory + at, n, &first) != 0 ||
                     first != want;
        }
        for (size_t i = 1; i < t.n; i++)
            wrong += t.range[i].from <= t.range[i - 1].upto;
        chorale_touched_clear(&t);
        wrong += t.n != 0;
        chorale_touched_release(&t);
    }
    tap_ok(wrong == 0, "each byte is new at its first access only (%d wrong)",
           wrong);
}

/* Sums over the events of one kind at a rank. */
struct sums {
    size_t bytes, cold;
};

static struct sums sum(const struct chorale_schedule *s, int rank,
                       enum what what)
{
    struct sums got = { 0, 0 };

    for (int i = 0; i < s->trace[rank].n; i++)
        if (s->trace[rank].note[i].what == what) {
            got.bytes += s->trace[rank].note[i].bytes;
            got.cold += s->trace[rank].note[i].cold;
        }
    return got;
}

/* Cold bytes of all events and copies of a rank. */
static size_t all_cold(const struct chorale_schedule *s, int rank)
{
    const struct trace *t = &s->trace[rank];
    size_t cold = t->cold_trailing;

    for (int i = 0; i < t->n; i++)
        cold += t->note[i].cold + t->note[i].cold_copied;
    return cold;
}

static int record(struct chorale_schedule *s, enum chorale_coll coll,
                  const char *name, int p, size_t m)
{
    const struct chorale_alg *alg = chorale_alg_find(coll, name);
    struct chorale_point pt = {
        .comm_size = p, .msg_size = m, .n = chorale_coll_n(coll, m, p),
        .type_size = 8, .commutative = 1,
    };
    size_t scratch = 0;

    memset(s, 0, sizeof(*s));
    if (alg == NULL)
        return 0;
    chorale_alg_params_parse(alg, "", pt.param, NULL, 0);
    return chorale_schedule_write(s, alg, &pt, &scratch) == 0;
}

static void test_schedules(void)
{
    enum { M = 65536 };
    struct chorale_schedule s;
    struct sums a, b;

    if (tap_ok(record(&s, CHORALE_BCAST, "binomial", 4, M),
               "a broadcast is recorded")) {
        a = sum(&s, 0, SEND);
        tap_ok(a.bytes == 2 * M && a.cold == M,
               "the root sends its buffer twice, cold once");
        a = sum(&s, 1, RECV);
        b = sum(&s, 2, SEND);
        tap_ok(a.cold == M && b.bytes == M && b.cold == 0,
               "a rank receives into a cold buffer and forwards a warm one");
    }
    chorale_schedule_release(&s);
    if (tap_ok(record(&s, CHORALE_ALLGATHER, "ring", 2, M),
               "an allgather is recorded")) {
        tap_ok(s.trace[0].note[0].copied == M &&
                   s.trace[0].note[0].cold_copied == 2 * M &&
                   s.trace[0].copied == (long long)M,
               "the copy of the own block reads and writes cold bytes");
        a = sum(&s, 0, SEND);
        b = sum(&s, 0, RECV);
        tap_ok(a.cold == 0 && b.cold == M,
               "the copied block is sent warm, the other received cold");
    }
    chorale_schedule_release(&s);
    if (tap_ok(record(&s, CHORALE_REDUCE, "binomial", 2, M),
               "a reduction is recorded")) {
        tap_ok(all_cold(&s, 0) == 2 * M && all_cold(&s, 1) == M,
               "each buffer of both ranks is cold at its first access, and"
               " scratch never");
    }
    chorale_schedule_release(&s);
}

int main(void)
{
    test_ranges();
    test_schedules();
    return tap_done();
}
