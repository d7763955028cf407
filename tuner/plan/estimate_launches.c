/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate_launches.c - assign launches to shared starts, and compute the cost
 * that each adds. */
#include "config.h"

#include "tuner/plan/estimate.h"

#include <stdlib.h>
#include <string.h>

static int nodes_of(const struct chorale_pending *p)
{
    return (p->comm_size + p->ppn - 1) / p->ppn;
}

/* The unassigned entry of a launch that shares a start. */
static struct chorale_estimate_launch *
launch_of(struct chorale_estimate_launch *launch, size_t n,
          const struct chorale_pending *p)
{
    for (size_t i = 0; i < n; i++)
        if (launch[i].shares && !launch[i].placed &&
            launch[i].p.ordinal == p->ordinal &&
            launch[i].p.comm_size == p->comm_size &&
            launch[i].p.ppn == p->ppn &&
            strcmp(launch[i].p.shape, p->shape) == 0)
            return &launch[i];
    return NULL;
}

/* Assign a launch to its own start. */
static void alone(struct chorale_estimate_launch *l, double start_up)
{
    l->placed = l->starts = 1;
    l->taken = start_up + l->seconds;
    l->node_taken = l->taken * nodes_of(&l->p);
}

/* Launches measured at once hold the nodes of the start for as long as the
 * longest takes; each is charged a share of that in proportion to its own
 * node-seconds. */
static void one_wave(struct chorale_estimate_launch **l, int count, int nodes)
{
    double longest = 0, work = 0;

    for (int i = 0; i < count; i++) {
        longest = l[i]->seconds > longest ? l[i]->seconds : longest;
        work += l[i]->seconds * nodes_of(&l[i]->p);
    }
    for (int i = 0; i < count; i++) {
        double part = work > 0 ? l[i]->seconds * nodes_of(&l[i]->p) / work
                               : 1.0 / count;

        l[i]->placed = 1;
        l[i]->taken = longest * part;
        l[i]->node_taken = longest * part * nodes;
    }
}

/* fellow[0] starts the program, the others share the start. */
static void together(struct chorale_estimate_launch *launch, size_t n,
                     const struct chorale_cosched *fellow, int count,
                     double start_up, struct chorale_estimate_launch **wave)
{
    struct chorale_estimate_launch *host = launch_of(launch, n,
                                                     &fellow[0].p);

    alone(host, start_up);
    for (int w = 1, seen = 1; seen < count; w++) {
        int size = 0;

        for (int i = 1; i < count; i++)
            if (fellow[i].wave == w)
                wave[size++] = launch_of(launch, n, &fellow[i].p);
        one_wave(wave, size, nodes_of(&host->p));
        seen += size;
    }
}

/* Make one start of an ordinal as `run` would: the first launch in launch[]
 * without a start, with all that can share it. 0: no launch is left. */
static int one_start(struct chorale_estimate_launch *launch, size_t n,
                     double start_up, int ordinal,
                     struct chorale_cosched *fellow,
                     struct chorale_estimate_launch **wave)
{
    struct chorale_estimate_launch *first = NULL;
    int count = 0;

    for (size_t i = 0; i < n; i++)
        if (launch[i].shares && !launch[i].placed &&
            launch[i].p.ordinal == ordinal) {
            first = first == NULL ? &launch[i] : first;
            fellow[count++] = (struct chorale_cosched){ .p = launch[i].p };
        }
    if (first == NULL)
        return 0;
    count = chorale_cosched_place(fellow, count);
    if (count < 0)
        return -1;
    if (count == 0)
        alone(first, start_up);
    else
        together(launch, n, fellow, count, start_up, wave);
    return 1;
}

enum chorale_err
chorale_estimate_starts(struct chorale_estimate_launch *launch, size_t n,
                        double start_up, struct chorale_errmsg *msg)
{
    struct chorale_cosched *fellow = calloc(n + 1, sizeof(*fellow));
    struct chorale_estimate_launch **wave = calloc(n + 1, sizeof(*wave));
    int rc = fellow == NULL || wave == NULL ? -1 : 0;

    for (size_t i = 0; rc >= 0 && i < n; i++) {
        if (launch[i].placed)
            continue;
        if (!launch[i].shares) {
            alone(&launch[i], start_up);
            continue;
        }
        while ((rc = one_start(launch, n, start_up, launch[i].p.ordinal,
                               fellow, wave)) > 0)
            ;
    }
    free(fellow);
    free(wave);
    return rc < 0 ? chorale_fail_memory(msg, NULL)
                  : CHORALE_OK;
}
