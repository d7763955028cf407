/* SPDX-License-Identifier: BSD-3-Clause */
/* model_memory.c - adds operations in the memory of a node to the rows of a
 * fit. */
#include <math.h>
#include <stdlib.h>

#include "db/quantiles.h"
#include "tuner/model/model_internal.h"

#define MANY_LAUNCHES 64     /* later ones are not used */

static int same_operation(const struct chorale_memory_row *a,
                          const struct chorale_memory_row *b)
{
    return a->kind == b->kind && a->bytes == b->bytes;
}

size_t chorale_model_memory_count(const struct chorale_points *points)
{
    const struct chorale_memory_row *row = points->memory;
    size_t n = 0;

    for (size_t i = 0; i < points->nmemory; i++)
        n += i == 0 || !same_operation(&row[i - 1], &row[i]);
    return n;
}

double chorale_model_memory_seconds(const struct model_job *job,
                                    const struct model_cell *row, int ordinal)
{
    const struct chorale_memory_row *memory = job->points->memory;
    double seconds[MANY_LAUNCHES];
    size_t n = 0;

    for (size_t i = row->first; i < row->last && n < MANY_LAUNCHES; i++)
        if (ordinal < 0 || memory[i].ordinal == ordinal)
            seconds[n++] = memory[i].seconds;
    chorale_sort(seconds, n);
    return n > 0 ? chorale_quantile(seconds, n, 0.5) : 0;
}

static int any_inner(const struct model_job *job)
{
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].ppn > 1)
            return 1;
    return 0;
}

enum chorale_err chorale_model_memory_rows(struct model_job *job,
                                           struct chorale_errmsg *msg)
{
    const struct chorale_memory_row *row = job->points->memory;
    size_t end;

    job->nrow = job->ncell;
    if (job->opts.exact || !any_inner(job))
        return CHORALE_OK;
    for (size_t i = 0; i < job->points->nmemory; i = end) {
        struct model_cell cell = {
            .first = i, .memory = 1, .ppn = 2, .nodes = 1, .tau = -1,
            .coarse = 1, .place = CHORALE_NET_BLOCK,
            .pt = { .comm_size = 2, .msg_size = row[i].bytes },
        };

        for (end = i; end < job->points->nmemory &&
                      same_operation(&row[i], &row[end]); end++)
            continue;
        cell.last = end;
        cell.seconds = chorale_model_memory_seconds(job, &cell, -1);
        cell.score[0] = chorale_memory_recording(row[i].kind, row[i].bytes);
        if (cell.score[0] == NULL)
            return chorale_fail_memory(msg, "fit");
        job->cell[job->nrow++] = cell;
    }
    return CHORALE_OK;
}

/* The limit of the regime after which the time exceeds a proportional increase
 * by most; HUGE_VAL if it does nowhere. */
static double sudden_increase(const double *bytes, const double *seconds,
                              size_t n, const double *upto, int k)
{
    double most = 0, at = HUGE_VAL;
    int r = 0;

    for (size_t i = 0; i + 1 < n && r + 1 < k; i++) {
        double more = seconds[i + 1] - seconds[i] * bytes[i + 1] / bytes[i];

        if (bytes[i + 1] <= upto[r])
            continue;
        if (more > most) {
            most = more;
            at = upto[r];
        }
        r++;
    }
    return at;
}

int chorale_model_memory_regimes(struct model_job *job, double *upto_p)
{
    const struct chorale_memory_row *row = job->points->memory;
    struct chorale_net_regimes *r = &job->model->net.level[0].regime;
    double bytes[CHORALE_NET_REGIMES], seconds[CHORALE_NET_REGIMES];
    double upto[CHORALE_NET_REGIMES];
    size_t n = 0;
    int k;

    for (size_t i = job->ncell; i < job->nrow && n < CHORALE_NET_REGIMES; i++)
        if (row[job->cell[i].first].kind == CHORALE_MEMORY_MESSAGE) {
            bytes[n] = (double)job->cell[i].pt.msg_size;
            seconds[n++] = job->cell[i].seconds;
        }
    k = chorale_memory_regimes(bytes, seconds, n, upto);
    if (k < 2)
        return 0;
    for (int i = 0; i < k; i++) {
        r->upto[i] = upto[i];
        r->alpha[i] = r->alpha[0];
        r->beta[i] = r->beta[0];
        r->cold[i] = r->cold[0];
    }
    r->n = k;
    *upto_p = sudden_increase(bytes, seconds, n, upto, k);
    return 1;
}
