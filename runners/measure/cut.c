/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.c - see cut.h. */
#include "config.h"

#include "runners/measure/cut.h"

#include <math.h>
#include <stdlib.h>

#include "db/mark.h"
#include "db/tail.h"
#include "runners/measure/judge_samples.h"

#define PAUSE_SECONDS 0.25   /* between two times that it is written */
#define FIRST_SECONDS 1      /* of a point, until it is at the latest */
#define PAUSE_SHARE 50       /* or so many times what that took */
#define DOUBT_SHARE 20       /* so many times what messages take to measure */

struct chorale_cut {
    struct chorale_store *store;
    struct chorale_tail *tail;
    const struct chorale_task *task; /* the point under way, NULL: none */
    double next;             /* when to write, MPI_Wtime() */
    double asked;            /* when messages were to be measured again */
    double again;            /* the earliest for the next time */
};

void chorale_cut_open(struct chorale_bench *bench, struct chorale_store *store,
                      const char *beside, int place)
{
    struct chorale_cut *cut = calloc(1, sizeof(*cut));
    struct chorale_errmsg msg;

    if (cut == NULL)
        return;
    bench->mark = chorale_mark_open(bench->work.launch_uuid);
    cut->store = store;
    if (chorale_tail_cut_begin(store, beside, place, &cut->tail, &msg) !=
        CHORALE_OK) {
        free(cut);
        return;
    }
    bench->cut = cut;
}

void chorale_cut_drop(struct chorale_bench *bench)
{
    if (bench->cut == NULL)
        return;
    bench->cut->task = NULL;
    chorale_tail_cut_drop(bench->cut->tail);
}

void chorale_cut_close(struct chorale_bench *bench)
{
    if (bench->mark != NULL) {
        chorale_mark_close(bench->mark);
        bench->mark = NULL;
    }
    if (bench->cut == NULL)
        return;
    chorale_tail_end(bench->cut->tail);
    free(bench->cut);
    bench->cut = NULL;
}

/* Each candidate that can run has been timed enough to count; or more would be
 * lost than one cell may take: then whatever has been timed does. */
static int enough(const struct chorale_timing *t, double now)
{
    int all = 1, any = 0;

    for (int c = 0; c < t->ncand; c++) {
        all &= t->result[c].status != CHORALE_RUN_OK ||
               t->nsample[c] >= CHORALE_LEAST_TIMED;
        any |= t->nsample[c] > 0;
    }
    if (!all)
        all = any && now - t->begun > t->bench->work.set.stop.cell_seconds;
    return all && !t->lacking && !t->clock_lost && !chorale_clock_fails(t);
}

static void put(const struct chorale_timing *t, struct chorale_cut *cut)
{
    double start = MPI_Wtime();
    struct chorale_result *result = calloc((size_t)t->ncand, sizeof(*result));

    if (result != NULL && chorale_seen_so_far(t, result) == 0) {
        chorale_record_cut(cut->store, cut->tail, t->bench, t->task, result);
        for (int c = 0; c < t->ncand; c++)
            free(result[c].sample);
    }
    free(result);
    cut->next = MPI_Wtime() +
                fmax(PAUSE_SECONDS, PAUSE_SHARE * (MPI_Wtime() - start));
}

int chorale_cut_look(const struct chorale_timing *t)
{
    struct chorale_cut *cut = t->bench->cut;
    double now;

    if (cut == NULL)
        return 0;
    now = MPI_Wtime();
    if (cut->task != t->task) {
        cut->task = t->task;
        cut->next = fmax(cut->next, t->begun + PAUSE_SECONDS);
        cut->next = fmin(cut->next, t->begun + FIRST_SECONDS);
    }
    /* Repetitions that begin again are not believed any more. */
    if (!enough(t, now))
        chorale_tail_cut_drop(cut->tail);
    else if (now >= cut->next && !chorale_any_below(t))
        put(t, cut);
    else if (now >= cut->next && now >= cut->again) {
        cut->asked = now;
        return 1;
    }
    return 0;
}

void chorale_cut_measured(const struct chorale_timing *t)
{
    struct chorale_cut *cut = t->bench->cut;
    double now = MPI_Wtime();

    cut->again = now + fmax(PAUSE_SECONDS, DOUBT_SHARE * (now - cut->asked));
    if (!chorale_any_below(t))
        put(t, cut);
}
