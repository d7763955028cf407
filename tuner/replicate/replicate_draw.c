/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_draw.c - draws the picture of the verb `replicate`. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/gnuplot.h"
#include "tuner/base/output.h"
#include "tuner/replicate/replicate_internal.h"

static enum chorale_err write_data(const struct chorale_rep_job *job,
                                   const char *path)
{
    struct chorale_output file = { NULL, NULL, NULL };
    double unit = job->opts->measure ? 1e-6 * chorale_rep_unit_us(job) : 1;
    enum chorale_err err = chorale_output_open(&file, path, "", job->msg);

    if (err == CHORALE_OK) {
        fprintf(file.stream, "# side T_o updating integration broadcasting"
                             " modification latency measured scatter\n");
        for (size_t i = 0; i < job->nrow; i++) {
            const struct chorale_rep_row *row = &job->row[i];
            const struct chorale_rep_cost *c = &row->cost;

            if (!isfinite(c->total))
                continue;
            fprintf(file.stream, "%ld %.9g %.9g %.9g %.9g %.9g %.9g %.9g "
                    "%.9g\n", row->side, c->total, c->updating,
                    c->integration, c->broadcasting, c->modification,
                    c->latency, row->seen[0].total / unit,
                    row->seen[1].total / unit);
        }
        err = chorale_output_close(&file, job->msg);
    }
    if (err == CHORALE_OK)
        err = chorale_output_commit(&file, job->msg);
    chorale_output_release(&file);
    return err;
}

enum chorale_err chorale_rep_draw_check(const struct chorale_rep_job *job)
{
    const char *plot = job->opts->plot, *suffix = strrchr(plot, '.');

    if (suffix == NULL || (strcmp(suffix, ".svg") != 0 &&
                           strcmp(suffix, ".png") != 0 &&
                           strcmp(suffix, ".pdf") != 0) ||
        strlen(plot) > PATH_MAX - 8)
        return chorale_fail(job->msg, CHORALE_USAGE, "--plot %.200s: name a "
                            "file that ends in .svg, .png or .pdf", plot);
    return CHORALE_OK;
}

/* Write FILE.svg, FILE.png or FILE.pdf, and FILE.dat beside it. */
enum chorale_err chorale_rep_draw(const struct chorale_rep_job *job)
{
    const char *suffix = strrchr(job->opts->plot, '.');
    char data[PATH_MAX], picture[PATH_MAX], script[PATH_MAX], title[160];
    char dash_c[] = "-c", dash_d[] = "-d", format[8], best[32], unit[64];
    char points[16];
    char *argv[] = { NULL, dash_d, dash_c, script, data, picture, format,
                     title, best, unit, points, NULL };
    int missing = 0;
    enum chorale_err err;

    snprintf(format, sizeof(format), "%s", suffix + 1);
    snprintf(picture, sizeof(picture), "%s", job->opts->plot);
    snprintf(data, sizeof(data), "%.*s.dat", (int)(suffix - job->opts->plot),
             job->opts->plot);
    snprintf(title, sizeof(title), "%s, N = %ld, N_a = %g, T_x = %g, T_m = %g",
             job->name, job->rep.side, job->rep.accesses, job->rep.tx,
             job->rep.tm);
    if (job->known)
        snprintf(title, sizeof(title), "measured, P = %ld, N_a = %g, M = %g",
                 job->rep.side, job->rep.accesses, job->rep.data);
    snprintf(best, sizeof(best), "%ld", chorale_rep_best(job, -1)->side);
    snprintf(unit, sizeof(unit), "%s", job->known
                 ? "time, s"
                 : "time per datum, in units of sending one");
    snprintf(points, sizeof(points), "%s", !job->opts->measure ? "none"
                                           : job->opts->both   ? "both"
                                                               : "aggregate");
    err = chorale_gnuplot_script("replicate.gp", script, sizeof(script),
                                 job->msg);
    if (err == CHORALE_OK)
        err = write_data(job, data);
    if (err == CHORALE_OK)
        err = chorale_gnuplot_run(".", argv, &missing, job->msg);
    return err;
}
