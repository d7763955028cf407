/* SPDX-License-Identifier: BSD-3-Clause */
/* inherit_runs.c - copies runs to the unmeasured members of a class, and
 * averages those of measured members. */
#include "db/byte_buffer.h"
#include "tuner/decide/inherit_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/decide/decide.h"
#include "tuner/decide/family.h"

/* Candidates of one family, at one size. */
struct member {
    const struct chorale_run_point *run; /* any run of it */
    size_t first, count;     /* its rows at this size; count 0: not measured */
    size_t leader;           /* first member of its class */
};

struct kin {
    const struct chorale_run_point *point; /* any run of the family */
    struct member *member;
    size_t count;
};

struct job {
    const struct chorale_points *points;
    struct kin *kin;
    size_t nkin;
    struct chorale_run_point *row; /* the new rows */
    size_t count;
};

struct chorale_class_point
chorale_run_class_point(const struct chorale_run_point *run)
{
    static const long none[CHORALE_MAX_PARAM];
    struct chorale_class_point at = {
        .pt = chorale_decide_point(run, none, run->n, run->comm_size),
        .shape = run->shape, .policy = run->conditions,
    };

    at.pt.msg_size = run->msg_size;
    at.pt.ppn = run->ppn;
    return at;
}

static int same_size(const struct chorale_run_point *a,
                     const struct chorale_run_point *b)
{
    return a->comm_size == b->comm_size && a->n == b->n &&
           chorale_family_same(a, b);
}

/* The family of a run, or NULL. */
static struct kin *find_kin(const struct job *job,
                            const struct chorale_run_point *run)
{
    for (size_t i = job->nkin; i-- > 0;)
        if (chorale_family_same(job->kin[i].point, run))
            return &job->kin[i];
    return NULL;
}

/* The member that a run belongs to, or NULL. */
static struct member *find_member(const struct kin *kin,
                                  const struct chorale_run_point *run)
{
    for (size_t i = 0; i < kin->count; i++)
        if (chorale_run_same_candidate(kin->member[i].run, run))
            return &kin->member[i];
    return NULL;
}

static int add_kin(struct job *job, const struct chorale_run_point *run)
{
    struct kin *more = chorale_array_grow(job->kin, job->nkin, sizeof(*more));

    if (more == NULL)
        return -1;
    job->kin = more;
    job->kin[job->nkin++] = (struct kin){ .point = run };
    return 0;
}

/* Find all candidates of all families. */
static int find_members(struct job *job)
{
    const struct chorale_run_point *row = job->points->row;

    for (size_t i = 0; i < job->points->count; i++) {
        struct member *more;
        struct kin *kin;

        if (row[i].config.alg == NULL ||
            (i > 0 && same_size(&row[i - 1], &row[i]) &&
             chorale_run_same_candidate(&row[i - 1], &row[i])))
            continue;
        if (find_kin(job, &row[i]) == NULL && add_kin(job, &row[i]) != 0)
            return -1;
        kin = find_kin(job, &row[i]);
        if (find_member(kin, &row[i]) != NULL)
            continue;
        more = chorale_array_grow(kin->member, kin->count, sizeof(*more));
        if (more == NULL)
            return -1;
        kin->member = more;
        kin->member[kin->count++] = (struct member){ .run = &row[i] };
    }
    return 0;
}

/* Find the rows [first, end) of each member, and the classes. */
static int find_classes(const struct job *job, struct kin *kin, size_t first,
                        size_t end)
{
    const struct chorale_run_point *row = job->points->row;
    const struct chorale_class_point at = chorale_run_class_point(&row[first]);
    struct chorale_alg_config *config =
        malloc((kin->count + 1) * sizeof(*config));
    size_t *leader = malloc((kin->count + 1) * sizeof(*leader));
    struct member *m = NULL;
    int bad = config == NULL || leader == NULL;

    for (size_t k = 0; k < kin->count && !bad; k++) {
        config[k] = kin->member[k].run->config;
        kin->member[k].count = 0;
    }
    bad = bad || chorale_classes_find(&at, config, kin->count, leader) != 0;
    for (size_t k = 0; k < kin->count && !bad; k++)
        kin->member[k].leader = leader[k];
    for (size_t i = first; i < end && !bad; i++) {
        if (row[i].config.alg == NULL)
            continue;
        if (m == NULL || !chorale_run_same_candidate(m->run, &row[i]))
            m = find_member(kin, &row[i]);
        if (m->count++ == 0)
            m->first = i;
    }
    free(config);
    free(leader);
    return bad ? -1 : 0;
}

/* The member of the class of k whose runs its unmeasured members get; NULL: no
 * member was measured. */
static const struct member *source(const struct job *job,
                                   const struct kin *kin, size_t k)
{
    const struct chorale_run_point *row = job->points->row;
    const struct member *best = NULL;
    int least = 0;

    for (size_t j = 0; j < kin->count; j++) {
        const struct member *m = &kin->member[j];
        int place = chorale_alg_config_place(&m->run->config);

        if (m->leader != kin->member[k].leader || m->count == 0)
            continue;
        for (size_t i = m->first; i < m->first + m->count; i++)
            place |= row[i].ok ? 0 : 1 << 30;
        if (best == NULL || place < least) {
            best = m;
            least = place;
        }
    }
    return best;
}

/* Average a run of member k over the class. */
static void pool(const struct job *job, const struct kin *kin, size_t k,
                 struct chorale_run_point *run)
{
    double sum = 0, count = 0;

    for (size_t j = 0; j < kin->count; j++) {
        const struct member *m = &kin->member[j];

        for (size_t i = m->first;
             m->leader == kin->member[k].leader && i < m->first + m->count;
             i++) {
            const struct chorale_run_point *other = &job->points->row[i];

            if (!other->ok || other->launch != run->launch ||
                other->conditions != run->conditions)
                continue;
            sum += other->seconds;
            count++;
            run->late = fmax(run->late, other->late);
            run->patterns = other->patterns > run->patterns ? other->patterns
                                                            : run->patterns;
        }
    }
    if (run->ok && count > 0)
        run->seconds = sum / count;
}

static int append(struct job *job, const struct chorale_run_point *run)
{
    struct chorale_run_point *more =
        chorale_array_grow(job->row, job->count, sizeof(*more));

    if (more == NULL)
        return -1;
    job->row = more;
    job->row[job->count++] = *run;
    return 0;
}

/* Append the runs of a member. */
static int append_member(struct job *job, const struct kin *kin, size_t k)
{
    const struct member *own = &kin->member[k];
    const struct member *from = own->count > 0 ? own : source(job, kin, k);

    for (size_t i = 0; from != NULL && i < from->count; i++) {
        struct chorale_run_point run = job->points->row[from->first + i];

        pool(job, kin, k, &run);
        run.inherited = from != own;
        run.provider = own->run->provider;
        run.variant = own->run->variant;
        run.params = own->run->params;
        run.config = own->run->config;
        if (append(job, &run) != 0)
            return -1;
    }
    return 0;
}

/* The order of chorale_points_load() within a size. */
static int compare(const void *x, const void *y)
{
    const struct chorale_run_point *a = x, *b = y;
    int d = strcmp(a->provider, b->provider);

    d = d != 0 ? d : strcmp(a->variant, b->variant);
    d = d != 0 ? d : strcmp(a->params, b->params);
    d = d != 0 ? d : strcmp(a->conditions, b->conditions);
    d = d != 0 ? d : (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
    d = d != 0 ? d : strcmp(a->launch, b->launch);
    return d != 0 ? d : (a->launch_id > b->launch_id) -
                            (a->launch_id < b->launch_id);
}

/* Append the rows of one size. */
static int append_size(struct job *job, size_t first, size_t end)
{
    const struct chorale_run_point *row = job->points->row;
    struct kin *kin = find_kin(job, &row[first]);
    const size_t begin = job->count;

    if (row[first].comm_size < 2)
        kin = NULL;
    for (size_t i = first; i < end; i++)
        if ((kin == NULL || row[i].config.alg == NULL) &&
            append(job, &row[i]) != 0)
            return -1;
    if (kin != NULL && find_classes(job, kin, first, end) != 0)
        return -1;
    for (size_t k = 0; kin != NULL && k < kin->count; k++)
        if (append_member(job, kin, k) != 0)
            return -1;
    qsort(job->row + begin, job->count - begin, sizeof(*row), compare);
    return 0;
}

int chorale_points_inherit(struct chorale_points *points)
{
    struct job job = { .points = points };
    int bad = find_members(&job) != 0;

    for (size_t i = 0, end; i < points->count && !bad; i = end) {
        for (end = i; end < points->count &&
                      same_size(&points->row[i], &points->row[end]); end++)
            continue;
        bad = append_size(&job, i, end) != 0;
    }
    for (size_t i = 0; i < job.nkin; i++)
        free(job.kin[i].member);
    free(job.kin);
    if (bad || job.count == 0) {
        free(job.row);
        return bad ? -1 : 0;
    }
    free(points->row);
    points->row = job.row;
    points->count = job.count;
    return 0;
}
