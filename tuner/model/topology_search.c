/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_search.c - which links explain the measured kappas: see topology.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/topology.h"

/* A geometry that is less plain, or a further level, must be better by so
 * much, and by more than kappas can be measured: the heads of messages alone
 * make them one ten-thousandth larger than loads are. */
#define BETTER 0.8
#define SAME 1e-3

struct job {
    const struct chorale_wiring_seen *seen;
    size_t nseen;
    int nodes, ppn;
    double base;             /* kappa where no link is shared: the ports' */
    double *load;            /* [nseen] of a candidate, with ways 1 */
    double *told;            /* [nseen] kappa as counted so far */
    struct chorale_wiring best;
    double off, worst;       /* of best, and with what empty messages tell */
    double judged;
};

/* Mean and largest |log| of a candidate with those ways beside what is told
 * already. */
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

/* By how much of alpha a link makes a message later; *off_p: the mean |log| by
 * which that misses the empty messages. */
static double hop_of(const struct job *job, const struct chorale_wiring *f,
                     double *off_p)
{
    struct chorale_wiring_delay d = chorale_wiring_delay(
        f, job->seen, job->nseen, job->nodes);

    *off_p = d.off;
    return d.first > 0 ? d.step / d.first : 0;
}

/* The loads of a candidate, and the ways with which it misses least; 0: it
 * explains nothing. No link is slower than a message by itself. */
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

/* Does it miss by so much less than what was found before? Of equals (better:
 * 1) any difference will do. */
static int beats(double judged, double better, double before)
{
    return judged < better * before - (better < 1 ? SAME : 1e-9);
}

/* Is f, of a tree with a further level, so much better? */
static void attempt(struct job *job, struct chorale_wiring f, double better)
{
    int level = f.kind == CHORALE_WIRING_TREE ? f.nlevel - 1 : 0;
    struct chorale_wiring one = f;
    double off, worst = 0, ways, late;

    if (f.kind == CHORALE_WIRING_TREE) { /* that level by itself */
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

/* What is told by the levels of f. */
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

/* The width to add to f that explains most; 0: none is so much better. */
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

/* Level by level, each the one that explains most of what is left; and each
 * once more beside the others. */
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

int chorale_wiring_find(const struct chorale_wiring_seen *seen, size_t nseen,
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
