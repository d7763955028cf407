/* SPDX-License-Identifier: BSD-3-Clause */
/* model_show.c - print a fitted model as text. */
#include "tuner/model/model_show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/model/predict.h"
#include "tuner/base/units.h"
#include "tuner/base/rows.h"

static void add_line(struct chorale_rows *rows, const char *name, double scale,
                     const char *u, double value, double lo, double hi,
                     const char *human)
{
    char text[64] = "[interval unknown]";

    if (!isnan(lo) && !isnan(hi))
        snprintf(text, sizeof(text), "[%.6g, %.6g]", lo * scale, hi * scale);
    chorale_rows_add(rows, CHORALE_FIELDS(name, value * scale, u, text, human));
}

static void rate(double seconds_per_byte, char human[64])
{
    if (seconds_per_byte > 0)
        snprintf(human, 64, "%.4g GB/s", 1e-9 / seconds_per_byte);
    else
        snprintf(human, 64, "free: no time per byte seen");
}

/* Name of a parameter: level, type and operation, sizes. */
static void name_param(const struct chorale_model *m,
                       const struct chorale_model_param *p, char name[120])
{
    char size[32] = "", text[48] = "";

    if (p->tau >= 0)
        snprintf(text, sizeof(text), " %s/%s", m->tau[p->tau].dtype,
                 m->tau[p->tau].op);
    else if (strcmp(p->level, "all") != 0)
        snprintf(text, sizeof(text), " %s", p->level);
    if (p->ppn > 0)
        snprintf(size, sizeof(size), " ppn %d", p->ppn);
    else if (isfinite(p->upto))
        snprintf(size, sizeof(size), " to %.0f", p->upto);
    else if (p->from >= 0)
        snprintf(size, sizeof(size), " over %.0f", p->from);
    snprintf(name, 120, "%s%s%s", p->name, text, size);
}

static void add_param(struct chorale_rows *rows, const struct chorale_model *m,
                      const struct chorale_model_param *p)
{
    char human[64], name[120];
    size_t type_size;

    name_param(m, p, name);
    if (strcmp(p->name, "kappa") == 0) {
        add_line(rows, name, 1, "ways", p->value, p->lo, p->hi, "");
        return;
    }
    if (strcmp(p->name, "beta") != 0 && strcmp(p->name, "copy") != 0 &&
        strcmp(p->name, "cold") != 0 && p->tau < 0) {
        chorale_human_seconds(p->value, human);
        add_line(rows, name, 1, "s", p->value, p->lo, p->hi, human);
        return;
    }
    rate(p->value, human);
    add_line(rows, name, 1, "s/byte", p->value, p->lo, p->hi, human);
    if (p->tau < 0)
        return;
    type_size = m->tau[p->tau].type_size;
    snprintf(human, sizeof(human), "%.4g ns an element",
             p->value * (double)type_size * 1e9);
    add_line(rows, "", (double)type_size, "s/op", p->value, p->lo, p->hi,
             human);
}

/* An error in percent, or a dash; "!" marks errors above the bound. */
static const char *percent(double error, char text[24])
{
    if (isnan(error))
        snprintf(text, 24, "-");
    else
        snprintf(text, 24, "%.2f %%%s", 100 * error, error > 0.1 ? "!" : " ");
    return text;
}

static void print_variants(const struct chorale_model *m)
{
    struct chorale_rows rows = {
        .columns = "by variant:|points|median|worst|predicted|lack|reach:%.3g",
        .indent = 2,
    };
    char a[24], b[24], c[24], lack[24];

    for (size_t i = 0; i < m->nvariant; i++) {
        const struct chorale_model_variant *v = &m->variant[i];
        char name[80];

        snprintf(name, sizeof(name), "%s %s%s",
                 chorale_coll_info(v->alg->coll)->name, v->alg->name,
                 v->ppn == 0 ? " (one node)" : "");
        if (v->ppn > 1)
            snprintf(name, sizeof(name), "%s %s (ppn %d)",
                     chorale_coll_info(v->alg->coll)->name, v->alg->name,
                     v->ppn);
        snprintf(lack, sizeof(lack), "-");
        if (!isnan(v->lack))
            snprintf(lack, sizeof(lack), "%.2g%s", v->lack,
                     v->lacks ? "!" : " ");
        chorale_rows_add(&rows, CHORALE_FIELDS(name, v->npoints,
                                               percent(v->median_error, a),
                                               percent(v->worst_error, b),
                                               percent(v->loo_error, c), lack,
                                               v->reach));
    }
    chorale_rows_show(&rows, NULL);
}

/* Print at which points the fit is poor, and which effects the model lacks. */
static void print_poor(const struct chorale_model *m)
{
    struct chorale_rows rows = {
        .columns = "poor fit, over 30 %:|points|of|too fast|worst|from|to",
        .indent = 2,
    };
    char worst[24], lo[32], hi[32];
    size_t n = 0;

    for (size_t i = 0; i < m->nvariant; i++) {
        const struct chorale_model_variant *v = &m->variant[i];
        char name[80];

        if (v->npoor == 0)
            continue;
        snprintf(name, sizeof(name), "%s %s",
                 chorale_coll_info(v->alg->coll)->name, v->alg->name);
        chorale_rows_add(&rows, CHORALE_FIELDS(
            name, v->npoor, v->npoints, v->nfast,
            percent(v->worst_error, worst),
            chorale_human_bytes((double)v->poor_lo, lo),
            chorale_human_bytes((double)v->poor_hi, hi)));
        n += v->npoor;
    }
    if (n == 0)
        return;
    chorale_rows_show(&rows, NULL);
    printf("  too fast: how many of these points the model predicts too fast."
           " It has no term for:\n  copies of several ranks that slow each"
           " other; data of a call that outgrow a cache;\n  buffers that are"
           " partly in a cache; ranks that other programs delay; protocols\n"
           "  that the library adapts\n");
}

static void print_crossval(const struct chorale_model *m)
{
    struct chorale_rows rows = {
        .columns = "variant|P|points|without|ahead|sizes", .indent = 4,
    };
    char a[24], b[24], lo[32], hi[32];

    printf("  Cross-validation, worst errors at P: without = of a fit without"
           " that P; ahead = of a\n  fit to at most P/2; ! = over 10 %%:"
           " predictions of this fit alone are not used\n  there; last:"
           " block sizes with valid predictions\n");
    for (size_t i = 0; i < m->nvariant; i++) {
        const struct chorale_model_variant *v = &m->variant[i];
        char name[80], sizes[120];

        snprintf(name, sizeof(name), "%s %s",
                 chorale_coll_info(v->alg->coll)->name, v->alg->name);
        for (size_t k = 0; k < v->nranks; k++) {
            const struct chorale_model_ranks *r = &v->ranks[k];
            size_t len = r->m_lo > r->m_hi
                             ? (size_t)snprintf(sizes, sizeof(sizes), "none")
                             : (size_t)snprintf(
                                   sizes, sizeof(sizes), "%s to %s",
                                   chorale_human_bytes((double)r->m_lo, lo),
                                   chorale_human_bytes((double)r->m_hi, hi));

            if (r->nwild > 0)
                snprintf(sizes + len, sizeof(sizes) - len,
                         "; %zu not counted", r->nwild);
            chorale_rows_add(&rows,
                             CHORALE_FIELDS(name, r->comm_size, r->npoints,
                                            percent(r->error, a),
                                            percent(r->ahead, b), sizes));
        }
    }
    chorale_rows_show(&rows, NULL);
}

static void warn_params(const struct chorale_model *m)
{
    for (size_t j = 0; j < m->ntau; j++)
        if (!m->tau[j].known)
            printf("  note: tau of %s %s is not separable from beta and was"
                   " left out with its points;\n  measure a second variant of"
                   " the reduction\n", m->tau[j].dtype, m->tau[j].op);
    for (size_t i = 0; i < m->nparam; i++) {
        const struct chorale_model_param *p = &m->param[i];
        char name[120];

        name_param(m, p, name);
        if (p->value > 0 && p->ppn == 0 &&
            (!(p->lo > 0) || p->hi > CHORALE_MODEL_SPAN * p->lo))
            printf("  warning: %s is not determined by these measurements: its"
                   " interval is too wide;\n  measure more sizes, process"
                   " counts or variants\n", name);
    }
}

static void print_warnings(const struct chorale_model *m)
{
    const struct chorale_run_point *w = &m->worst;
    size_t bad = 0, lacking = 0, wild = 0;

    warn_params(m);
    for (size_t i = 0; i < m->nvariant; i++) {
        bad += m->variant[i].loo_error <= CHORALE_PREDICT_BOUND ? 0 : 1;
        lacking += m->variant[i].lacks ? 1 : 0;
        wild += m->variant[i].nwild;
    }
    if (wild > 0)
        printf("  note: %zu point%s whose messages just meet or just miss %s"
               " left out of the\n  predictions (--crossval shows where)\n",
               wild, chorale_plural((long long)wild),
               wild == 1 ? "was" : "were");
    if (lacking > 0)
        printf("  note: %zu of %zu variant%s lack%s fit (p < %g and worst over"
               " 10 %%; lack with a !), so\n  only what was measured is"
               " predicted\n", lacking, m->nvariant,
               chorale_plural((long long)m->nvariant),
               lacking == 1 ? "s" : "", CHORALE_MODEL_LACK);
    if (bad > 0)
        printf("  note: %zu of %zu variant%s %s not predicted within 10 %%"
               " (--crossval shows where): there\n  only what is measured"
               " decides\n", bad, m->nvariant,
               chorale_plural((long long)m->nvariant),
               bad == 1 ? "was" : "were");
    if (m->nopaque > 0)
        printf("  note: %zu run%s left out, of variants without a known"
               " schedule\n", m->nopaque, m->nopaque == 1 ? " was" : "s were");
    if (m->nskipped > 0)
        printf("  note: %zu run%s left out, of unknown variants, parameters,"
               " types or shapes\n", m->nskipped,
               m->nskipped == 1 ? " was" : "s were");
    if (!m->trusted)
        printf("  warning: the model misses the measurements by %.1f %% in"
               " the median, by more than\n  %.1f %% at a tenth of them"
               " (trusted up to %.0f %% and %.0f %%); do not predict by it."
               "\n  Worst is %s %s at P = %d, n = %zu bytes\n",
               100 * m->fit.median_error, 100 * m->fit.tail_error,
               100 * CHORALE_MODEL_TRUST, 100 * CHORALE_MODEL_TRUST_TAIL,
               chorale_coll_info(w->coll)->name, w->variant, w->comm_size,
               w->n);
}

/* Print each alpha without the time of SimGrid's header, which is the
 * platform's latency. */
static void print_header(const struct chorale_model *m)
{
    for (size_t i = 0; i < m->nparam; i++) {
        const struct chorale_model_param *a = &m->param[i];
        char name[120], own[32], rest[32];
        size_t k = 0;

        if (strcmp(a->name, "alpha") != 0)
            continue;
        while (k < m->nparam && (strcmp(m->param[k].name, "beta") != 0 ||
                                 strcmp(m->param[k].level, a->level) != 0 ||
                                 m->param[k].from < a->from ||
                                 m->param[k].from > a->from))
            k++;
        if (k == m->nparam)
            continue;
        name_param(m, a, name);
        chorale_human_seconds(CHORALE_MODEL_SIM_HEADER * m->param[k].value,
                              own);
        chorale_human_seconds(a->value - CHORALE_MODEL_SIM_HEADER *
                                             m->param[k].value, rest);
        printf("  note: SimGrid adds a header of %d bytes to each message;"
               " without their %s\n  %s is %s\n", CHORALE_MODEL_SIM_HEADER,
               own, name, rest);
    }
}

/* Print the port model and why it was chosen. */
static void print_ports(const struct chorale_model *m)
{
    char text[48];

    printf("  ports: %s", chorale_model_ports(&m->net, text));
    if (!isnan(m->lack[0]) && !isnan(m->lack[1]))
        printf(" (one_port misses by %.2g %%, overlapped by %.2g %% in the"
               " mean)", 100 * m->lack[0], 100 * m->lack[1]);
    printf("\n");
    if (isinf(m->net.copied_upto))
        printf("  messages inside a node: copied by the sender, then by the"
               " receiver\n");
    else if (m->net.copied_upto > 0)
        printf("  messages inside a node: copied by the sender, then by the"
               " receiver, up to %.0f bytes;\n  longer ones by the receiver"
               " only\n", m->net.copied_upto);
}

void chorale_fit_print(const struct chorale_system_row *system,
                       const struct chorale_model *m, int crossval)
{
    struct chorale_rows rows = {
        .columns = "parameter|value|unit|95 % interval|", .indent = 2,
    };
    char bytes[32], of[64] = "";

    if (m->ncell > m->npoints)
        snprintf(of, sizeof(of), " of %zu", m->ncell);
    printf("System %s (%s): %zu point%s%s, %zu launch%s\n", system->name,
           system->simulated ? "simulated" : "real", m->npoints,
           *of != '\0' ? "s" : chorale_plural((long long)m->npoints), of,
           m->nlaunch, m->nlaunch == 1 ? "" : "es");
    print_ports(m);
    for (size_t i = 0; i < m->nparam; i++)
        add_param(&rows, m, &m->param[i]);
    chorale_rows_show(&rows, NULL);
    if (system->simulated)
        print_header(m);
    printf("  |model / measured - 1|: median %.2f %%, 90th percentile %.2f %%,"
           " worst %.2f %% (%s %s, P = %d, n = %s)\n",
           100 * m->fit.median_error, 100 * m->fit.tail_error,
           100 * m->fit.worst_error, chorale_coll_info(m->worst.coll)->name,
           m->worst.variant, m->worst.comm_size,
           chorale_human_bytes((double)m->worst.n, bytes));
    if (m->beyond.npoints > 0)
        printf("  predicted with more ranks, %zu point%s: median %.2f %%,"
               " worst %.2f %% (%s %s, P = %d, n = %s)\n", m->beyond.npoints,
               chorale_plural((long long)m->beyond.npoints),
               100 * m->beyond.median, 100 * m->beyond.worst,
               chorale_coll_info(m->beyond.at.coll)->name,
               m->beyond.at.variant, m->beyond.at.comm_size,
               chorale_human_bytes((double)m->beyond.at.n, bytes));
    if (m->sizes.npoints > 0)
        printf("  sizes predicted from other sizes, %zu points: median"
               " %.2f %%, 90th percentile %.2f %%\n", m->sizes.npoints,
               100 * m->sizes.median, 100 * m->sizes.tail);
    print_variants(m);
    print_poor(m);
    if (crossval)
        print_crossval(m);
    print_warnings(m);
}
