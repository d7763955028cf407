/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_latency.c - the delay per link, and the geometry that explains alpha
 * alone. */
#include <math.h>

#include "tuner/model/topology.h"

/* A geometry needs LEAST distances between nodes and must leave at most
 * EXPLAINS of the error of a flat network. A more complex one must reduce the
 * error to BETTER of the simpler one's. */
#define LEAST 4
#define EXPLAINS 0.1
#define BETTER 0.8
#define SAME 1e-3

/* Number of delaying links of the measured message. */
static double hops(const struct chorale_wiring *f, int nodes,
                   const struct chorale_wiring_measured *s)
{
    return chorale_wiring_hops(f, chorale_wiring_route(
                                      f, nodes, 0, s->places % nodes, NULL));
}

static int has_alpha(const struct chorale_wiring_measured *s)
{
    return s->pattern == CHORALE_PATTERN_SHIFT && s->alpha > 0;
}

struct chorale_wiring_delay
chorale_wiring_delay(const struct chorale_wiring *f,
                     const struct chorale_wiring_measured *seen, size_t nseen,
                     int nodes)
{
    struct chorale_wiring_delay d = { .off = 0 };
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;

    for (size_t i = 0; i < nseen; i++) {
        double x = hops(f, nodes, &seen[i]), y = seen[i].alpha;

        if (!has_alpha(&seen[i]))
            continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    if (!(n > 0))
        return d;
    if (n * sxx - sx * sx > 0)
        d.step = fmax(0, (n * sxy - sx * sy) / (n * sxx - sx * sx));
    d.first = (sy - d.step * sx) / n;
    if (!(d.first > 0)) {
        d.step = 0;
        d.first = sy / n;
    }
    for (size_t i = 0; i < nseen; i++)
        if (has_alpha(&seen[i]))
            d.off += fabs(log((d.first + d.step * hops(f, nodes, &seen[i])) /
                              seen[i].alpha)) / n;
    return d;
}

/* --- by alpha alone ------------------------------------------------------ */

struct job {
    const struct chorale_wiring_measured *seen;
    size_t nseen;
    int nodes;
    struct chorale_wiring best;
    double off;              /* of best */
};

static void attempt(struct job *job, const struct chorale_wiring *f)
{
    double off = chorale_wiring_delay(f, job->seen, job->nseen,
                                      job->nodes).off;

    if (off < BETTER * job->off - SAME) {
        job->best = *f;
        job->off = off;
    }
}

/* Try f with each measured width from the i-th on as its next level, and
 * recursively with further levels. */
static void levels(struct job *job, struct chorale_wiring f, size_t i)
{
    int level = f.nlevel++;

    for (; i < job->nseen; i++) {
        f.width[level] = job->seen[i].places;
        f.ways[level] = 1;
        if (!has_alpha(&job->seen[i]) || f.width[level] < 2)
            continue;
        attempt(job, &f);
        if (f.nlevel < CHORALE_WIRING_LEVELS)
            levels(job, f, i + 1);
    }
}

void chorale_wiring_by_alpha(const struct chorale_wiring_measured *seen,
                             size_t nseen, int nodes,
                             struct chorale_wiring *f)
{
    const struct chorale_wiring flat = { .kind = CHORALE_WIRING_FLAT };
    struct job job = { .seen = seen, .nseen = nseen, .nodes = nodes };
    double all, n = 0;

    *f = flat;
    all = job.off = chorale_wiring_delay(&flat, seen, nseen, nodes).off;
    for (size_t i = 0; i < nseen; i++)
        n += has_alpha(&seen[i]);
    if (n < LEAST)
        return;
    for (int rows = 1; rows <= nodes; rows++)
        for (int wraps = 0; nodes % rows == 0 && wraps < 2; wraps++)
            attempt(&job, &(struct chorale_wiring){
                .kind = CHORALE_WIRING_GRID, .rows = rows,
                .cols = nodes / rows, .wraps = wraps, .ways = { 1 },
            });
    levels(&job, (struct chorale_wiring){ .kind = CHORALE_WIRING_TREE }, 0);
    if (job.off <= EXPLAINS * all)
        *f = job.best;
}
