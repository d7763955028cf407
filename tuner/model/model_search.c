/* SPDX-License-Identifier: BSD-3-Clause */
/* model_search.c - choose the network: one port or overlapped, and the capacity
 * of a node's port. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/model_internal.h"

#define ROUNDS 12            /* replays until the paths are final */
#define SOME_ROUNDS 3        /* replays per attempt */
#define LITTLE 1e-4          /* lack of fit that ends the search */

static void set_regime(struct chorale_net_regimes *r, double alpha,
                       double beta)
{
    *r = (struct chorale_net_regimes){ .n = 1, .upto = { HUGE_VAL },
                                       .alpha = { alpha }, .beta = { beta },
                                       .cold = { beta } };
}

/* Start from a typical network with the levels of the cells. */
static void first_guess(struct model_job *job)
{
    struct chorale_net *net = &job->model->net;
    int inner = 0, outer = 0;

    for (size_t i = 0; i < job->ncell; i++) {
        inner |= job->cell[i].ppn > 1;
        outer |= job->cell[i].nodes > 1;
    }
    memset(net, 0, sizeof(*net));
    net->ports = 1;
    net->memory = job->nrow > job->ncell;
    net->copy = net->cold = 1e-10;
    net->local = 3e-8;
    net->wiring = job->points->wiring;
    net->nlevel = inner && outer ? 2 : 1;
    net->level[0].name = inner && outer ? "node" : "all";
    net->level[1].name = "net";
    net->level[0].width = inner && outer ? 0 : -1;
    net->level[1].width = -1;
    for (int l = 0; l < 2; l++)
        set_regime(&net->level[l].regime, 1e-6, 1e-9);
    for (size_t t = 0; t < job->model->ntau; t++) {
        set_regime(&job->model->tau[t].regime, 0, 1e-10);
        job->model->tau[t].known = 1;
    }
}

/* An attempt whose parameters are not separable is rejected; other errors
 * remain errors. */
static enum chorale_err failed(enum chorale_err err)
{
    return err == CHORALE_DATA ? CHORALE_OK : err;
}

/* Increase the capacity of a node's port from 1 on while the fit improves. */
static enum chorale_err fit_node(struct model_job *job,
                                 struct chorale_errmsg *msg)
{
    struct model_state best;
    double most = 1, factor = 2;
    enum chorale_err err = CHORALE_OK;

    for (size_t i = 0; i < job->ncell; i++)
        if ((job->cell[i].nodes > 1 || job->model->net.inner_shared) &&
            job->cell[i].ppn > most)
            most = job->cell[i].ppn;
    chorale_model_save(job, &best);
    while (factor > 1.02 && most > 1 && best.lack > LITTLE) {
        double from = best.net.ports;
        int better = 0;

        for (int up = 1; up >= 0 && !better && err == CHORALE_OK; up--) {
            double ports = up ? from * factor : from / factor;

            if (ports < 1 || ports > most)
                continue;
            job->model->net = best.net;
            job->model->net.ports = ports;
            err = chorale_model_converge(job, SOME_ROUNDS, msg);
            if (err == CHORALE_OK && job->lack < 0.99 * best.lack) {
                chorale_model_save(job, &best);
                better = 1;
            }
            err = failed(err);
        }
        if (err != CHORALE_OK)
            return err;
        if (!better)
            factor = sqrt(factor);
    }
    return chorale_model_restore(job, &best, msg);
}

/* Critical paths depend on whether overheads start at zero: try both and keep
 * the better. */
static enum chorale_err try_parts(struct model_job *job,
                                  struct chorale_errmsg *msg)
{
    struct chorale_net *net = &job->model->net;
    double alpha = net->level[net->nlevel - 1].regime.alpha[0];
    struct model_state before;
    enum chorale_err err;

    if (net->overlap_upto < 0 || job->lack < LITTLE)
        return CHORALE_OK;
    chorale_model_save(job, &before);
    net->send_overhead = net->recv_overhead = 0.2 * alpha;
    net->gap = 0.01 * alpha;
    err = chorale_model_converge(job, ROUNDS, msg);
    if (err == CHORALE_DATA || (err == CHORALE_OK && job->lack > before.lack))
        err = chorale_model_restore(job, &before, msg);
    return err;
}

static int any_inner(const struct model_job *job)
{
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].ppn > 1)
            return 1;
    return 0;
}

/* The best network of one port model. If ranks share nodes, messages inside a
 * node are tried with and without sharing its ports. */
static enum chorale_err fit_ports(struct model_job *job, double overlap_upto,
                                  struct model_state *best,
                                  struct chorale_errmsg *msg)
{
    int ways = any_inner(job) ? 2 : 1;
    enum chorale_err err = CHORALE_OK;

    best->lack = HUGE_VAL;
    for (int shared = 0; shared < ways && best->lack > LITTLE &&
                         err == CHORALE_OK; shared++) {
        first_guess(job);
        job->model->net.overlap_upto = overlap_upto;
        job->model->net.inner_shared = shared;
        err = chorale_model_converge(job, ROUNDS, msg);
        if (err == CHORALE_OK)
            err = try_parts(job, msg);
        if (err == CHORALE_OK && job->lack < 2 * best->lack)
            err = fit_node(job, msg);
        if (err == CHORALE_OK && job->lack < best->lack)
            chorale_model_save(job, best);
        if (shared && isfinite(best->lack))
            err = failed(err);
    }
    return err;
}

/* Try one port, overlapped and, if neither fits, overlapped up to a size. */
static enum chorale_err choose_ports(struct model_job *job,
                                     const double *edge, size_t nedge,
                                     struct chorale_errmsg *msg)
{
    struct chorale_model *model = job->model;
    struct model_state best = { .lack = HUGE_VAL }, one;
    enum chorale_err err = CHORALE_OK;

    model->lack[0] = model->lack[1] = NAN;
    for (int over = 0; over < 2 && err == CHORALE_OK; over++) {
        if (job->opts.ports == 2 - over)
            continue;
        chorale_model_progress(job, over, over ? "overlapped" : "one port");
        err = fit_ports(job, over ? HUGE_VAL : -1, &one, msg);
        if (over && job->opts.ports == 0 && err == CHORALE_DATA) {
            err = CHORALE_OK;
            continue;
        }
        model->lack[over] = one.lack;
        if (err == CHORALE_OK &&
            one.lack < (over ? 0.98 : 1) * best.lack - (over ? 1e-9 : 0))
            best = one;
    }
    chorale_model_progress(job, 1, "overlapped up to a size");
    for (size_t i = 2; err == CHORALE_OK && job->opts.ports == 0 &&
                       best.lack > 0.02 && i < nedge; i += 3) {
        model->net = best.net;
        model->net.overlap_upto = edge[i];
        err = chorale_model_converge(job, SOME_ROUNDS, msg);
        if (err == CHORALE_OK && job->lack < 0.9 * best.lack)
            chorale_model_save(job, &best);
        err = failed(err);
    }
    return err == CHORALE_OK ? chorale_model_restore(job, &best, msg) : err;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Geometric midpoints between measured block sizes, fewer than the regimes that
 * a level may have. */
static size_t candidates(const struct model_job *job, double *edge)
{
    double *size = malloc((job->ncell + 1) * sizeof(*size));
    size_t n = 0, k = 0, every;

    if (size == NULL)
        return 0;
    for (size_t i = 0; i < job->ncell; i++)
        if (job->cell[i].pt.msg_size > 0)
            size[n++] = (double)job->cell[i].pt.msg_size;
    qsort(size, n, sizeof(*size), compare);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || size[i] > size[k - 1])
            size[k++] = size[i];
    every = k / (CHORALE_NET_REGIMES - 1) + 1;
    n = 0;
    for (size_t i = every; i < k; i += every)
        edge[n++] = floor(sqrt(size[i - 1] * size[i]));
    free(size);
    return n;
}

/* Fit the job's network, and keep it in *best if it fits better. */
static enum chorale_err try_network(struct model_job *job,
                                    struct model_state *best,
                                    struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_model_converge(job, ROUNDS, msg);

    if (err == CHORALE_OK && job->lack < best->lack)
        chorale_model_save(job, best);
    return failed(err);
}

/* Try the size regimes of the measured messages inside a node: for messages
 * that use ports, and for messages that ranks copy, up to the measured limit
 * twice, or all of them twice. */
static enum chorale_err try_memory_regimes(struct model_job *job,
                                           struct chorale_errmsg *msg)
{
    struct chorale_net *net = &job->model->net;
    double alpha = net->level[0].regime.alpha[0], upto[2] = { 0, HUGE_VAL };
    struct model_state best, first;
    enum chorale_err err;

    chorale_model_save(job, &best);
    if (!chorale_model_memory_regimes(job, &upto[0]))
        return CHORALE_OK;
    chorale_model_save(job, &first);
    err = try_network(job, &best, msg);
    for (int i = isinf(upto[0]) ? 1 : 0; i < 2 && err == CHORALE_OK; i++) {
        *net = first.net;
        memcpy(job->model->tau, first.tau, sizeof(first.tau));
        net->copied_upto = upto[i];
        net->inner_shared = 0;
        net->send_overhead = net->recv_overhead = 0.2 * alpha;
        net->gap = 0.1 * alpha;
        err = try_network(job, &best, msg);
    }
    return err == CHORALE_OK ? chorale_model_restore(job, &best, msg) : err;
}

enum chorale_err chorale_model_search(struct model_job *job,
                                      struct chorale_errmsg *msg)
{
    double edge[CHORALE_NET_REGIMES];
    size_t nedge = candidates(job, edge);
    enum chorale_err err;

    job->coarse = 1;
    err = choose_ports(job, edge, nedge, msg);
    job->coarse = 0;
    chorale_model_progress(job, 1, "the network of all %zu cells", job->ncell);
    for (size_t t = 0; t < job->model->ntau; t++)
        if (!job->model->tau[t].known) {
            set_regime(&job->model->tau[t].regime, 0, 1e-10);
            job->model->tau[t].known = 1;
        }
    if (err == CHORALE_OK)
        err = chorale_model_converge(job, ROUNDS, msg);
    chorale_model_progress(job, 1, "breakpoints");
    if (err == CHORALE_OK && !job->opts.no_breaks)
        err = try_memory_regimes(job, msg);
    if (err == CHORALE_OK && !job->opts.no_breaks)
        err = chorale_model_add_breaks(job, edge, nedge, msg);
    return err;
}
