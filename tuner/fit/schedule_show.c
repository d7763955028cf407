/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule_show.c - print a fit of known schedules as text or as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/rows.h"
#include "tuner/base/units.h"
#include "tuner/fit/schedule_fit.h"

static const char *errors(const struct chorale_schedule_error *e,
                          char text[32])
{
    if (e->npoints == 0)
        return NULL;
    snprintf(text, 32, "%.1f / %.1f %%", 100 * e->median, 100 * e->tail);
    return text;
}

static void print_params(const struct chorale_schedule_fit *fit)
{
    struct chorale_rows rows = { .columns = "parameter|value|unit|",
                                 .indent = 2 };

    for (size_t j = 0; j < fit->ncol; j++) {
        char human[64];

        if (!(fit->value[j] > 0))
            continue;
        if (strcmp(fit->unit[j], "s") == 0)
            chorale_human_seconds(fit->value[j], human);
        else
            snprintf(human, sizeof(human), "%.4g GB/s", 1e-9 / fit->value[j]);
        chorale_rows_add(&rows, CHORALE_FIELDS(fit->name[j], fit->value[j],
                                               fit->unit[j], human));
    }
    chorale_rows_show(&rows, NULL);
}

/* Print the algorithms without a known schedule, a line for each
 * collective. */
static void print_unknown(const struct chorale_schedule_fit *fit)
{
    int last = -1;

    for (size_t r = 0; r < fit->nrow; r++) {
        const struct chorale_schedule_row *row = &fit->row[r];

        if (row->schedule != NULL)
            continue;
        if (last >= 0 && last != (int)row->coll)
            printf("\n");
        if (last != (int)row->coll)
            printf("  no known schedule: %s ",
                   chorale_coll_info(row->coll)->name);
        else
            printf(", ");
        printf("%s%s%s", row->variant, *row->params != '\0' ? ":" : "",
               row->params);
        last = (int)row->coll;
    }
    if (last >= 0)
        printf("\n");
}

void chorale_schedule_fit_print(const char *system,
                                const struct chorale_schedule_fit *fit)
{
    struct chorale_rows rows = {
        .columns = "by algorithm:|schedule|points|model|P left out|ends|"
                   "corrected, P left out|ends", .indent = 2,
    };

    printf("System %s, imported times of known schedules: %zu point%s\n",
           system, fit->npoints, chorale_plural((long long)fit->npoints));
    print_params(fit);
    printf("  |predicted / measured - 1|, median / 90th percentile: of the"
           " model; with each P left out;\n  with the first or last P left"
           " out (extrapolated); corrected by residuals at other P\n");
    for (size_t r = 0; r < fit->nrow; r++) {
        const struct chorale_schedule_row *row = &fit->row[r];
        char name[80], e[5][32];

        if (row->schedule == NULL)
            continue;
        snprintf(name, sizeof(name), "%s %s",
                 chorale_coll_info(row->coll)->name, row->variant);
        chorale_rows_add(&rows, CHORALE_FIELDS(
            name, row->schedule, row->model[CHORALE_SAMPLE_IN].npoints,
            errors(&row->model[CHORALE_SAMPLE_IN], e[0]),
            errors(&row->model[CHORALE_SAMPLE_OUT], e[1]),
            errors(&row->model[CHORALE_SAMPLE_END], e[2]),
            errors(&row->corrected[CHORALE_SAMPLE_OUT], e[3]),
            errors(&row->corrected[CHORALE_SAMPLE_END], e[4])));
    }
    chorale_rows_show(&rows, NULL);
    print_unknown(fit);
    if (fit->nmean > 0)
        printf("  note: %zu run%s left out: a mean over the ranks of a rooted"
               " collective is not a duration\n", fit->nmean,
               fit->nmean == 1 ? " was" : "s were");
}

static json_t *sample_json(const struct chorale_schedule_error *e)
{
    return json_pack("{s:I, s:o, s:o}", "points", (json_int_t)e->npoints,
                     "median_error", chorale_json(e->median),
                     "tail_error", chorale_json(e->tail));
}

static json_t *samples_json(const struct chorale_schedule_error *e)
{
    return json_pack("{s:o, s:o, s:o}",
                     "fitted", sample_json(&e[CHORALE_SAMPLE_IN]),
                     "left_out", sample_json(&e[CHORALE_SAMPLE_OUT]),
                     "ends", sample_json(&e[CHORALE_SAMPLE_END]));
}

json_t *chorale_schedule_fit_json(const char *system,
                                  const struct chorale_schedule_fit *fit)
{
    json_t *params = json_array(), *rows = json_array();

    for (size_t j = 0; j < fit->ncol; j++)
        json_array_append_new(params, json_pack(
            "{s:s, s:f, s:s}", "name", fit->name[j], "value", fit->value[j],
            "unit", fit->unit[j]));
    for (size_t r = 0; r < fit->nrow; r++) {
        const struct chorale_schedule_row *row = &fit->row[r];

        json_array_append_new(rows, json_pack(
            "{s:s, s:s, s:s, s:s, s:s?, s:o, s:o}",
            "coll", chorale_coll_info(row->coll)->name,
            "provider", row->provider, "variant", row->variant,
            "params", row->params, "schedule", row->schedule,
            "model", samples_json(row->model),
            "corrected", samples_json(row->corrected)));
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:o}", "system", system,
                     "kind", "imported",
                     "points", (json_int_t)fit->npoints, "parameters", params,
                     "algorithms", rows);
}
