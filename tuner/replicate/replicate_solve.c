/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_solve.c - computes the best size of groups that share replicated
 * data. */
#include "tuner/replicate/replicate_solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/replicate/grid_platform.h"
#include "tuner/replicate/replicate_internal.h"
#include "tuner/run/smpi.h"
#include "tuner/base/suggest.h"
#include "tuner/base/units.h"

static const struct {
    const char *name;
    enum chorale_rep_net net;
    int link;
} nets[] = {
    { "RS1", CHORALE_REP_MESH, 2 },    { "RS2", CHORALE_REP_MESH, 1 },
    { "WS1", CHORALE_REP_TORUS, 2 },   { "WS2", CHORALE_REP_TORUS, 1 },
    { "array", CHORALE_REP_ARRAY, 1 }, { "ring", CHORALE_REP_RING, 1 },
    { "array1", CHORALE_REP_ARRAY, 2 }, { "ring1", CHORALE_REP_RING, 2 },
};

#define NNET (sizeof(nets) / sizeof(nets[0]))

/* Set the network by its name. */
static enum chorale_err named_net(struct chorale_rep_job *job,
                                  const char *name)
{
    job->known = strcmp(name, "measured") == 0;
    snprintf(job->name, sizeof(job->name), "%s", name);
    for (size_t i = 0; i < NNET; i++)
        if (strcmp(name, nets[i].name) == 0) {
            job->rep.net = nets[i].net;
            job->rep.link = nets[i].link;
            return CHORALE_OK;
        }
    if (job->known)
        return CHORALE_OK;
    return chorale_word_check("--system", name, "RS1,RS2,WS1,WS2,array,array1,"
                              "ring,ring1,measured", job->msg);
}

/* Set the network and its side; values that options lack come from the
 * database. */
static enum chorale_err find_net(struct chorale_rep_job *job,
                                 const char *path)
{
    const struct chorale_rep_opts *o = job->opts;
    enum chorale_err err = CHORALE_OK;

    job->rep.side = o->n;
    if (path == NULL || o->net != NULL)
        err = named_net(job, o->net != NULL ? o->net : "RS2");
    if (err != CHORALE_OK || path == NULL || job->known ||
        (o->net != NULL && o->n > 0))
        return err;
    err = chorale_rep_links(job, path);
    for (size_t i = 0; i < NNET && err == CHORALE_OK; i++)
        if (nets[i].net == job->rep.net && nets[i].link == job->rep.link)
            snprintf(job->name, sizeof(job->name), "%s", nets[i].name);
    return err;
}

/* Refuse options that would have no effect. */
static enum chorale_err check_pairs(const struct chorale_rep_job *job,
                                    const char *path)
{
    const struct chorale_rep_opts *o = job->opts;
    const char *alone = o->both              ? "--placements"
                        : o->nrep > 0        ? "--repetitions"
                        : o->ppn > 0         ? "--ppn"
                        : o->command != NULL ? "--launcher-cmd"
                        : o->save != NULL    ? NULL
                        : o->platform != NULL ? "--platform"
                        : strcmp(o->launcher, "mpiexec") != 0 ? "--launcher"
                                                              : NULL;

    if (!o->measure && alone != NULL)
        return chorale_fail(job->msg, CHORALE_USAGE, "%s applies only to runs; "
                            "add --measure", alone);
    if (path == NULL && o->in != NULL)
        return chorale_fail(job->msg, CHORALE_USAGE, "--in %.60s: a system "
                            "of a database; name the database too", o->in);
    return o->plot != NULL ? chorale_rep_draw_check(job) : CHORALE_OK;
}

/* Check that all required values are given. */
static enum chorale_err check(const struct chorale_rep_job *job,
                              const char *path)
{
    const struct chorale_rep_opts *o = job->opts;
    enum chorale_err err;

    if (job->known && path == NULL)
        return chorale_fail(job->msg, CHORALE_USAGE, "--system measured: no "
                            "database; name the database whose times to use");
    if (job->known && isnan(o->data))
        return chorale_fail(job->msg, CHORALE_USAGE, "--system measured: the "
                            "number of data is unknown; give --data");
    if (job->known && (o->measure || o->save != NULL))
        return chorale_fail(job->msg, CHORALE_USAGE, "--system measured: not a "
                            "network that can be run or built; name RS1, "
                            "RS2, WS1, WS2, array or ring");
    if (job->rep.side == 0 && !job->known)
        return chorale_fail(job->msg, CHORALE_USAGE, "--n: the number of "
                            "elements a side is unknown; see the examples of "
                            "`chorale replicate --help`");
    if (path == NULL && isnan(o->tm) && !o->measure && o->save == NULL)
        return chorale_fail(job->msg, CHORALE_USAGE, "--tm: unknown; give the "
                            "time of modifying a datum in units of sending "
                            "one, or name a database with a fitted model");
    err = chorale_word_check("--launcher", o->launcher,
                             "mpiexec,srun,smpirun,custom", job->msg);
    if (err == CHORALE_OK)
        err = chorale_word_check("--network", o->network, "hockney,loggp,smpi",
                                 job->msg);
    return err == CHORALE_OK ? check_pairs(job, path) : err;
}

static void fill(struct chorale_rep_job *job)
{
    const struct chorale_rep_opts *o = job->opts;
    struct chorale_rep *rep = &job->rep;

    rep->accesses = o->accesses;
    rep->tx = o->tx;
    rep->divisors = o->divisors;
    rep->as_links = o->open;
    rep->bands = o->bands;
    rep->data = isnan(o->data) ? 1 : o->data;
    rep->tm = o->tm;
    job->alpha_s = job->beta = job->tau = NAN;
}

/* Set T_m and the latency from options or the loaded model. */
static enum chorale_err take_model(struct chorale_rep_job *job)
{
    const struct chorale_rep_opts *o = job->opts;
    struct chorale_rep *rep = &job->rep;

    if (isnan(rep->tm) && job->beta > 0)
        rep->tm = job->tau / job->beta;
    rep->alpha = !isnan(o->alpha) ? o->alpha
                 : !isnan(o->data) && job->alpha_s > 0 && !job->known
                     ? job->alpha_s / (job->beta * (double)o->datum)
                     : 0;
    if (rep->alpha > 0 && isnan(o->data) && !o->measure)
        return chorale_fail(job->msg, CHORALE_USAGE, "--alpha %g: a latency is "
                            "spread over the data; give --data",
                            rep->alpha);
    return CHORALE_OK;
}

/* Fill a row for each admissible side by the model. */
static enum chorale_err predict(struct chorale_rep_job *job)
{
    for (long x = 1; x <= job->rep.side; x++) {
        struct chorale_rep_row *row;

        if (!chorale_rep_admits(&job->rep, x))
            continue;
        row = chorale_rep_add_row(job, x);
        if (row == NULL)
            return chorale_fail_memory(job->msg, NULL);
        chorale_rep_predict(job, row);
    }
    return CHORALE_OK;
}

static enum chorale_err work(struct chorale_rep_job *job, const char *path)
{
    enum chorale_err err = find_net(job, path);

    if (err == CHORALE_OK)
        err = check(job, path);
    if (err != CHORALE_OK)
        return err;
    fill(job);
    if (job->opts->save != NULL)
        return chorale_rep_save_platform(job);
    if (path != NULL)
        err = chorale_rep_fitted(job, path);
    if (err == CHORALE_OK)
        err = take_model(job);
    if (err == CHORALE_OK && job->opts->measure)
        err = chorale_rep_measure(job);
    else if (err == CHORALE_OK && !job->known)
        err = predict(job);
    if (err == CHORALE_OK)
        err = chorale_rep_show(job);
    if (err == CHORALE_OK && job->opts->plot != NULL)
        err = chorale_rep_draw(job);
    return err;
}

enum chorale_err chorale_rep_solve(const char *path,
                                   const struct chorale_rep_opts *opts,
                                   struct chorale_errmsg *msg)
{
    struct chorale_rep_job job = { .opts = opts, .msg = msg };
    enum chorale_err err = work(&job, path);

    free(job.row);
    return err;
}
