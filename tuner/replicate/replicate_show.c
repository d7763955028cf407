/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_show.c - prints the result of the verb `replicate` as text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/rows.h"
#include "tuner/replicate/replicate_internal.h"

enum { AROUND = 2 };

int chorale_rep_one_dim(const struct chorale_rep_job *job)
{
    return job->rep.net == CHORALE_REP_ARRAY ||
           job->rep.net == CHORALE_REP_RING;
}

struct chorale_rep_row *chorale_rep_add_row(struct chorale_rep_job *job,
                                            long side)
{
    static const struct chorale_rep_cost none = { NAN, NAN, NAN,
                                                  NAN, NAN, NAN };
    struct chorale_rep_row *grown =
        realloc(job->row, (job->nrow + 1) * sizeof(*grown));

    if (grown == NULL)
        return NULL;
    job->row = grown;
    grown += job->nrow++;
    *grown = (struct chorale_rep_row){
        .side = side, .cost = none, .other = none, .apart = none,
        .seen = { none, none },
    };
    return grown;
}

void chorale_rep_predict(struct chorale_rep_job *job,
                         struct chorale_rep_row *row)
{
    struct chorale_rep other = job->rep, apart = job->rep;

    other.as_links = !job->rep.as_links;
    apart.scatter = apart.as_links = 1;
    chorale_rep_cost(&job->rep, row->side, row->side, &row->cost);
    chorale_rep_cost(&other, row->side, row->side, &row->other);
    chorale_rep_cost(&apart, row->side, row->side, &row->apart);
}

static double total_of(const struct chorale_rep_row *row, int which)
{
    return which == CHORALE_REP_COST    ? row->cost.total
           : which == CHORALE_REP_OTHER ? row->other.total
                                        : row->seen[which].total;
}

/* Returns 1 if the two forms of the model differ in a row. */
static int differs(const struct chorale_rep_row *row)
{
    return fabs(row->other.total - row->cost.total) > 1e-12 * row->cost.total;
}

static int forms_differ(const struct chorale_rep_job *job)
{
    for (size_t i = 0; i < job->nrow; i++)
        if (differs(&job->row[i]))
            return 1;
    return 0;
}

const struct chorale_rep_row *
chorale_rep_best(const struct chorale_rep_job *job, int which)
{
    const struct chorale_rep_row *best = NULL;

    for (size_t i = 0; i < job->nrow; i++) {
        const struct chorale_rep_row *row = &job->row[i];

        if (isfinite(total_of(row, which)) &&
            (best == NULL ||
             total_of(row, which) < total_of(best, which) * (1 - 1e-12)))
            best = row;
    }
    return best;
}

/* --- text --------------------------------------------------------------- */

static void group_text(const struct chorale_rep_job *job, long x, char *text,
                       size_t size)
{
    if (job->known || chorale_rep_one_dim(job))
        snprintf(text, size, "%ld", x);
    else
        snprintf(text, size, "%ld x %ld", x, x);
}

static const char *side_text(const struct chorale_rep_job *job)
{
    return job->known || chorale_rep_one_dim(job) ? "" : " a side";
}

static const char *form_text(int as_links)
{
    return as_links ? "as links allow" : "as in the paper";
}

/* Add one row; c is one of its costs. */
static void add_cost(struct chorale_rows *rows,
                     const struct chorale_rep_job *job,
                     const struct chorale_rep_row *row,
                     const struct chorale_rep_cost *c, double best)
{
    double unit = job->known ? 1e6 : 1;
    int known = row->why[0] == '\0';
    char group[48];

    group_text(job, row->side, group, sizeof(group));
    chorale_rows_add(
        rows,
        CHORALE_FIELDS(group, known ? unit * c->total : NAN,
                       unit * c->updating, unit * c->integration,
                       unit * c->broadcasting, unit * c->modification,
                       c->latency, known ? c->total / best - 1 : NAN,
                       known ? row->caveat : row->why));
}

/* Print the rows around the best one by `which`, and both ends; all rows of
 * measured data. */
static void print_around(const struct chorale_rep_job *job, int which)
{
    struct chorale_rows rows = {
        .columns = !job->known && job->rep.alpha > 0
                       ? "group|T_o|updating|integration|broadcast|"
                         "modification|latency|:%+.2f %%|"
                       : "group|T_o|updating|integration|broadcast|"
                         "modification|=latency|:%+.2f %%|",
    };
    const struct chorale_rep_row *best = chorale_rep_best(job, which);
    size_t at = (size_t)(best - job->row), last = job->nrow - 1;
    size_t from = at > AROUND ? at - AROUND : 0;
    size_t to = at + AROUND < last ? at + AROUND : last;

    for (size_t i = 0; i <= last; i++) {
        const struct chorale_rep_row *row = &job->row[i];

        if (job->known || i == 0 || i == last || (i >= from && i <= to))
            add_cost(&rows, job, row, which == CHORALE_REP_OTHER ? &row->other
                                                                 : &row->cost,
                     total_of(best, which));
    }
    chorale_rows_show(&rows, NULL);
}

static void print_closed(const struct chorale_rep_job *job, long x)
{
    long closed = chorale_rep_closed(&job->rep), says;
    double even, odd;

    chorale_rep_roots(&job->rep, &even, &odd);
    printf("\nclosed form: %ld", closed);
    if (isnan(even) && isnan(odd))
        printf(" (more communication than replication saves: no root)");
    else
        printf(" (T_o falls to %.4f for even sides, %.4f for odd ones)", even,
               odd);
    if (closed != x)
        printf("; it ignores %s", job->rep.as_links ? "missing links"
                                                      : "latency");
    printf("\n");
    if (chorale_rep_one_dim(job) || job->rep.divisors || job->rep.alpha > 0)
        return;
    says = chorale_rep_proposition(&job->rep, 0);
    printf("proposition 3.7 as printed: ");
    if (says == 0)
        printf("undefined\n");
    else if (says < 0)
        printf("a root of a negative number; repaired: %ld\n",
               chorale_rep_proposition(&job->rep, 1));
    else
        printf("%ld%s\n", says, says == x ? "" : ", which is not the best");
}

static void print_problem(const struct chorale_rep_job *job)
{
    const struct chorale_rep *rep = &job->rep;

    printf("%s, %ld %s%s, N_a = %g", job->name, rep->side,
           job->known ? "processes" : "elements",
           job->known || chorale_rep_one_dim(job) ? "" : " a side",
           rep->accesses);
    if (!job->known)
        printf(", T_x = %g, T_m = %g", rep->tx, rep->tm);
    if (!job->known && rep->alpha > 0)
        printf(", alpha = %g", rep->alpha);
    if (job->known || rep->alpha > 0 || job->opts->measure)
        printf(", M = %.10g, N_b = %g", rep->data, rep->bands);
    printf("\n");
    if (job->links[0] != '\0')
        printf("fitted links between nodes: %s\n", job->links);
}

static void print_model(const struct chorale_rep_job *job,
                        const struct chorale_rep_row *best)
{
    printf("times per datum, in units of sending one datum to a neighbour");
    if (job->beta > 0)
        printf(" (%.4g s for %ld bytes)",
               job->beta * (double)job->opts->datum, job->opts->datum);
    printf("\n\nbest groups: %ld%s", best->side, side_text(job));
    if (forms_differ(job))
        printf(" %s, %ld%s %s", form_text(job->rep.as_links),
               chorale_rep_best(job, CHORALE_REP_OTHER)->side, side_text(job),
               form_text(!job->rep.as_links));
    printf("\n\n");
    if (forms_differ(job))
        printf("%s:\n", form_text(job->rep.as_links));
    print_around(job, CHORALE_REP_COST);
    print_closed(job, best->side);
    if (forms_differ(job)) {
        printf("\n%s:\n", form_text(!job->rep.as_links));
        print_around(job, CHORALE_REP_OTHER);
    }
}

static void print_known(const struct chorale_rep_job *job,
                        const struct chorale_rep_row *best)
{
    printf("times in us, of data of %ld bytes; integration with its "
           "additions\n\nbest groups: %ld\n\n", job->opts->datum, best->side);
    print_around(job, CHORALE_REP_COST);
    printf("\neach phase runs with all groups of a node at once; if nodes "
           "share links, groups on other\nnodes slow it down further\n");
}

/* --- prediction and measurement ----------------------------------------- */

double chorale_rep_unit_us(const struct chorale_rep_job *job)
{
    return 1e6 * job->rep.data * job->beta * (double)job->opts->datum;
}

/* Add a predicted line below a measured one. Integration includes its
 * additions, which the model counts as modification. */
static void add_predicted(struct chorale_rows *rows,
                          const struct chorale_rep_job *job, const char *word,
                          const struct chorale_rep_cost *seen,
                          const struct chorale_rep_cost *cost)
{
    double us = chorale_rep_unit_us(job), add;

    add = cost->modification - job->rep.accesses * job->rep.tm;
    chorale_rows_add(
        rows, CHORALE_FIELDS("", "", word, us * cost->total,
                             us * cost->updating,
                             us * (cost->integration + add),
                             us * cost->broadcasting,
                             us * (cost->modification - add),
                             us * cost->total / (1e6 * seen->total) - 1));
}

/* Add a measured line and the prediction. */
static void add_pair(struct chorale_rows *rows,
                     const struct chorale_rep_job *job, const char *group,
                     const char *placement,
                     const struct chorale_rep_cost *seen,
                     const struct chorale_rep_cost *cost)
{
    chorale_rows_add(
        rows, CHORALE_FIELDS(group, placement, "measured", 1e6 * seen->total,
                             1e6 * seen->updating, 1e6 * seen->integration,
                             1e6 * seen->broadcasting,
                             1e6 * seen->modification, ""));
    add_predicted(rows, job, "model", seen, cost);
}

static void print_optima(const struct chorale_rep_job *job)
{
    const struct chorale_rep_row *told =
        chorale_rep_best(job, CHORALE_REP_COST);
    const struct chorale_rep_row *paper =
        chorale_rep_best(job, CHORALE_REP_OTHER);
    const struct chorale_rep_row *seen = chorale_rep_best(job, 0);

    printf("\nbest groups: predicted %ld%s, measured %ld%s", told->side,
           side_text(job), seen->side, side_text(job));
    if (told != seen)
        printf(", where the predicted ones take %.2f %% longer",
               100 * (told->seen[0].total / seen->seen[0].total - 1));
    printf("\n");
    if (!forms_differ(job))
        return;
    printf("%s, with no ring slowed by links: %ld%s", form_text(0), paper->side,
           side_text(job));
    if (paper != seen)
        printf(", which take %.2f %% longer than the best",
               100 * (paper->seen[0].total / seen->seen[0].total - 1));
    printf("\n");
}

/* Report the sizes at which scattered groups are faster. */
static void print_placements(const struct chorale_rep_job *job)
{
    int better = 0, compared = 0;

    for (size_t i = 0; i < job->nrow; i++) {
        const struct chorale_rep_row *row = &job->row[i];
        double ratio = row->seen[1].total / row->seen[0].total;

        if (!isfinite(ratio))
            continue;
        compared++;
        if (!(ratio < 1 - 1e-9))
            continue;
        better++;
        printf("scatter allocation is %.2f %% faster than aggregate with "
               "groups of %ld%s\n", 100 * (1 - ratio), row->side,
               side_text(job));
    }
    if (compared > 0 && better == 0)
        printf("scatter allocation is never faster than aggregate\n");
}

static void print_measured(const struct chorale_rep_job *job)
{
    struct chorale_rows rows = {
        .columns = "group|placement||T_o|updating|integration|broadcast|"
                   "modification|:%+.2f %%",
    };

    printf("measured with %s; times in us, of data of %ld bytes: alpha = "
           "%.4g us, beta = %.4g s/B, tau = %.4g s/B\n\n", job->system,
           job->opts->datum, 1e6 * job->alpha_s, job->beta, job->tau);
    for (size_t i = 0; i < job->nrow; i++) {
        const struct chorale_rep_row *row = &job->row[i];
        char group[48];

        group_text(job, row->side, group, sizeof(group));
        add_pair(&rows, job, group, "aggregate", &row->seen[0], &row->cost);
        if (differs(row))
            add_predicted(&rows, job, "in paper", &row->seen[0], &row->other);
        if (isfinite(row->seen[1].total))
            add_pair(&rows, job, "", "scatter", &row->seen[1], &row->apart);
    }
    chorale_rows_show(&rows, NULL);
    print_optima(job);
    print_placements(job);
    if (job->crowded)
        printf("more ranks than processors ran: they wait for their turn, "
               "which the model ignores;\nmeasure with as many "
               "processors as ranks, or with --launcher smpirun\n");
}

enum chorale_err chorale_rep_show(const struct chorale_rep_job *job)
{
    const struct chorale_rep_row *best =
        chorale_rep_best(job, CHORALE_REP_COST);

    if (best == NULL && !job->known)
        return chorale_fail(job->msg, CHORALE_DATA,
                            "T_o is not finite with T_m = %g and alpha = "
                            "%g, in units of sending a datum; give --tm and "
                            "--alpha if the database has no valid model",
                            job->rep.tm, job->rep.alpha);
    if (best == NULL)
        return chorale_fail(job->msg, CHORALE_DATA,
                            "groups of %ld: %s; measure these collectives at "
                            "the numbers of processes and sizes that groups "
                            "need, or give other --data",
                            job->row[0].side, job->row[0].why);
    if (job->opts->json)
        return chorale_rep_json(job, best);
    print_problem(job);
    if (job->known)
        print_known(job, best);
    else if (job->opts->measure)
        print_measured(job);
    else
        print_model(job, best);
    return CHORALE_OK;
}
