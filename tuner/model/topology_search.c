/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_search.c - find the topology that explains the measured kappas. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/topology.h"

/* A more complex geometry, or a further level, must reduce the error to BETTER
 * of the previous one, and by more than SAME, the accuracy of kappa. Message
 * latencies alone raise kappa by one ten-thousandth above the load. */
#define BETTER 0.8
#define SAME 1e-3

struct job {
    const struct chorale_wiring_measured *seen;
    size_t nseen;
    int nodes, ppn;
    double base;             /* kappa of the ports, if no link is shared */
    double *load;            /* [nseen] of a candidate with ways 1 */
    double *told;            /* [nseen] kappa explained so far */
    struct chorale_wiring best;
    double off, worst;       /* mean and largest |log| error of best */
    double judged;           /* off plus the error in the alphas */
};

/* Mean and largest |log| error of a candidate with the given ways, combined
 * with the kappa explained so far. */
static double miss(const struct job *job, double ways, double *worst_p)
{
    double sum = 0, worst = 0;

    for (size_t i = 0; i < job->nseen; i++) {
        double told = fmax(job->told[i], job->load[i] * ways);
        double off = fabs(log(told / job->seen[i].kappa));

        sum += off;
        worst = fmax(worst, off);
    }
    *worst_p = worst;
    return sum / (double)job->nseen;
}

/* Delay per link as a fraction of alpha; *off_p: mean |log| error of the empty
 * messages. */
static double hop_of(const struct job *job, const struct chorale_wiring *f,
                     double *off_p)
{
    struct chorale_wiring_delay d = chorale_wiring_delay(
        f, job->seen, job->nseen, job->nodes);

    *off_p = d.off;
    return d.first > 0 ? d.step / d.first : 0;
}

/* Compute the loads of a candidate and the ways with the least error; 0: it
 * explains nothing. ways <= 1: no link is slower than a single message. */
static double best_ways(struct job *job, const struct chorale_wiring *f,
                        double *off_p, double *worst_p)
{
    double best = 0, worst;

    *off_p = HUGE_VAL;
    for (size_t i = 0; i < job->nseen; i++)
        job->load[i] = chorale_wiring_pattern(f, job->nodes,
                                              job->seen[i].pattern,
                                              job->seen[i].places, job->ppn);
    for (size_t i = 0; i < job->nseen; i++) {
        double ways = job->load[i] > 0
                          ? fmin(1, job->seen[i].kappa / job->load[i]) : 0;
        double off;

        if (!(ways > 0) ||
            job->seen[i].kappa < CHORALE_WIRING_SHARED * job->base)
            continue;
        off = miss(job, ways, &worst);
        if (off < *off_p) {
            *off_p = off;
            *worst_p = worst;
            best = ways;
        }
    }
    return best;
}

/* Whether an error is sufficiently below the previous one. better: required
 * ratio; 1: any improvement counts. */
static int beats(double judged, double better, double before)
{
    return judged < better * before - (better < 1 ? SAME : 1e-9);
}

/* Keep f if beats() accepts it; f may be a tree with one more level. */
static void attempt(struct job *job, struct chorale_wiring f, double better)
{
    int level = f.kind == CHORALE_WIRING_TREE ? f.nlevel - 1 : 0;
    struct chorale_wiring one = f;
    double off, worst = 0, ways, late;

    if (f.kind == CHORALE_WIRING_TREE) { /* test the new level alone */
        one.nlevel = 1;
        one.width[0] = f.width[level];
    }
    one.ways[0] = 1;
    ways = best_ways(job, &one, &off, &worst);
    (void)hop_of(job, &f, &late);
    if (ways > 0 && beats(off + late, better, job->judged)) {
        f.ways[level] = ways;
        job->best = f;
        job->off = off;
        job->worst = worst;
        job->judged = off + late;
    }
}

static void grids(struct job *job)
{
    for (int rows = 1; rows <= job->nodes; rows++) {
        int cols = job->nodes / rows;

        if (rows * cols != job->nodes || (rows > 1 && cols == 1))
            continue;
        for (int k = 0; k < 4; k++)
            attempt(job, (struct chorale_wiring){
                .kind = CHORALE_WIRING_GRID, .rows = rows, .cols = cols,
                .wraps = k & 1, .one_way = k >> 1,
            }, BETTER);
    }
}

static int has_width(const struct chorale_wiring *f, int width)
{
    for (int i = 0; i < f->nlevel; i++)
        if (f->width[i] == width)
            return 1;
    return 0;
}

static void sort_levels(struct chorale_wiring *f)
{
    for (int i = 0; i < f->nlevel; i++)
        for (int k = i + 1; k < f->nlevel; k++)
            if (f->width[k] < f->width[i]) {
                int width = f->width[i];
                double ways = f->ways[i];

                f->width[i] = f->width[k];
                f->ways[i] = f->ways[k];
                f->width[k] = width;
                f->ways[k] = ways;
            }
}

/* Set job->told to the kappa that the levels of f explain. */
static void tell(struct job *job, const struct chorale_wiring *f)
{
    for (size_t i = 0; i < job->nseen; i++) {
        job->told[i] = job->base;
        if (f->nlevel > 0)
            job->told[i] = fmax(job->base,
                                chorale_wiring_pattern(
                                    f, job->nodes, job->seen[i].pattern,
                                    job->seen[i].places, job->ppn));
    }
}

/* Add the level to f that explains most. 0: no width improves enough. */
static int add_level(struct job *job, struct chorale_wiring f, double better)
{
    int found = 0;

    tell(job, &f);
    f.nlevel++;
    for (int width = 2; width <= job->nodes / 2; width++) {
        double judged = job->judged;

        if (has_width(&f, width))
            continue;
        f.width[f.nlevel - 1] = width;
        attempt(job, f, found ? 1 : better);
        found |= job->judged < judged;
        f.width[f.nlevel - 1] = 0;
    }
    return found;
}

/* Add levels one by one, each the one that explains most of the rest; refit
 * each level given the others. */
static void trees(struct job *job)
{
    struct chorale_wiring sofar = { .kind = CHORALE_WIRING_TREE };

    while (sofar.nlevel < CHORALE_WIRING_LEVELS &&
           add_level(job, sofar, BETTER)) {
        for (int i = 0, n = job->best.nlevel; i < n && n > 1; i++) {
            struct chorale_wiring others = job->best;

            others.nlevel--;
            others.width[i] = others.width[others.nlevel];
            others.ways[i] = others.ways[others.nlevel];
            others.width[others.nlevel] = 0;
            if (add_level(job, others, 1))
                i = -1;
        }
        sofar = job->best;
    }
    sort_levels(&job->best);
}

int chorale_wiring_find(const struct chorale_wiring_measured *seen,
                        size_t nseen,
                        int nodes, int ppn, struct chorale_wiring *f,
                        double *off_p)
{
    struct job job = { .seen = seen, .nseen = nseen, .nodes = nodes,
                       .ppn = ppn, .base = HUGE_VAL };
    struct job tree;
    double most = 0, flat = 0, late;
    int pairs = 0;

    memset(f, 0, sizeof(*f));
    *off_p = 0;
    for (size_t i = 0; i < nseen; i++) {
        job.base = fmin(job.base, fmax(1, seen[i].kappa));
        most = fmax(most, seen[i].kappa);
        pairs |= seen[i].pattern == CHORALE_PATTERN_PAIRS;
    }
    if (nseen < CHORALE_WIRING_SEEN || nodes < 3)
        return 0;
    for (size_t i = 0; i < nseen; i++)
        flat += fabs(log(seen[i].kappa / job.base)) / (double)nseen;
    *off_p = flat;
    if (!pairs || most < CHORALE_WIRING_SHARED * job.base)
        return 0;
    job.load = malloc(nseen * sizeof(*job.load));
    job.told = malloc(nseen * sizeof(*job.told));
    for (size_t i = 0; job.told != NULL && i < nseen; i++)
        job.told[i] = job.base;
    if (job.load == NULL || job.told == NULL) {
        free(job.load);
        free(job.told);
        return -1;
    }
    job.off = flat;
    (void)hop_of(&job, f, &late);
    job.judged = flat + late;
    tree = job;
    grids(&job);
    trees(&tree);
    if (beats(tree.judged, BETTER, job.judged))
        job = tree;
    if (job.best.kind != CHORALE_WIRING_FLAT &&
        job.off <= CHORALE_WIRING_MEAN && job.worst <= CHORALE_WIRING_WORST &&
        job.off <= flat / 2) {
        *f = job.best;
        f->hop = hop_of(&job, f, &late);
        *off_p = job.off;
    }
    free(job.load);
    free(job.told);
    return 0;
}
