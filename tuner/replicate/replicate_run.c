/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_run.c - `chorale replicate --measure`: starts the runner, which
 * shares data in groups of each size, on ranks of this machine or in
 * simulation. Its protocol is in runners/launch/replication.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/replicate/grid_platform.h"
#include "tuner/run/bind.h"
#include "tuner/run/launcher.h"
#include "tuner/base/output.h"
#include "tuner/replicate/replicate_internal.h"
#include "tuner/plan/system.h"

#define DATA 65536           /* default number of data */
#define SILENCE 300          /* s without output before it is stopped */

/* The runner's messages. */
struct said {
    struct chorale_rep_job *job;
    char complaint[512];     /* last line of standard error */
    int ended, code, lacks;
};

static int whole(double x)
{
    return x >= 1 && x <= 1e6 && x - floor(x) <= 0;
}

static enum chorale_err check(const struct chorale_rep_job *job, int simulated)
{
    const struct chorale_rep *rep = &job->rep;

    if (!whole(rep->accesses) || !whole(rep->bands) || !whole(rep->tx))
        return chorale_fail(job->msg, CHORALE_USAGE,
                            "--measure: --accesses %g, --bands %g and --tx %g "
                            "must be whole numbers to be run",
                            rep->accesses, rep->bands, rep->tx);
    if (rep->side < 2)
        return chorale_fail(job->msg, CHORALE_USAGE, "--measure: --n %ld: "
                            "fewer than 2 elements share nothing; give --n 2 "
                            "or more", rep->side);
    if (job->opts->datum != 8)
        return chorale_fail(job->msg, CHORALE_USAGE, "--measure: --datum %ld: "
                            "data must be numbers of 8 bytes; write "
                            "--datum 8", job->opts->datum);
    if (simulated && isnan(rep->tm))
        return chorale_fail(job->msg, CHORALE_USAGE,
                            "--tm: unknown in simulation; give the time of "
                            "modifying a datum in units of sending one, or a "
                            "database");
    return CHORALE_OK;
}

/* The least number of data that all groups and bands divide evenly. */
static double rounded(const struct chorale_rep *rep, double data)
{
    double n = (double)rep->side, unit = 4 * rep->bands * n * n;

    return unit * ceil(data / unit);
}

static enum chorale_err platform(const struct chorale_rep_job *job,
                                 char **text_p)
{
    const struct chorale_rep_opts *o = job->opts;

    if (o->platform != NULL)
        return chorale_platform_read(o->platform, text_p, job->msg);
    return chorale_grid_platform(job->rep.net, job->rep.link, job->rep.side,
                                 o->bandwidth, o->latency, text_p, job->msg);
}

enum chorale_err chorale_rep_save_platform(struct chorale_rep_job *job)
{
    struct chorale_output file = { NULL, NULL, NULL };
    char *text = NULL;
    enum chorale_err err = platform(job, &text);

    if (err == CHORALE_OK)
        err = chorale_output_open(&file, job->opts->save, "", job->msg);
    if (err == CHORALE_OK) {
        fputs(text, file.stream);
        err = chorale_output_close(&file, job->msg);
    }
    if (err == CHORALE_OK)
        err = chorale_output_commit(&file, job->msg);
    chorale_output_release(&file);
    free(text);
    return err;
}

/* --- the runner's messages ---------------------------------------------- */

static struct chorale_rep_row *row_of(struct chorale_rep_job *job, long side)
{
    for (size_t i = 0; i < job->nrow; i++)
        if (job->row[i].side == side)
            return &job->row[i];
    return chorale_rep_add_row(job, side);
}

static void parse_group(struct said *said, const char *line)
{
    struct chorale_rep_cost c = { 0 };
    struct chorale_rep_row *row;
    char placement[16];
    long side;

    if (sscanf(line, "@group %ld %15s %lf %lf %lf %lf %lf", &side, placement,
               &c.total, &c.updating, &c.integration, &c.broadcasting,
               &c.modification) != 7)
        return;
    row = row_of(said->job, side);
    if (row == NULL)
        said->lacks = 1;
    else
        row->seen[strcmp(placement, "scatter") == 0] = c;
}

static int hear(void *arg, const char *line, int is_err)
{
    struct said *said = arg;
    struct chorale_rep_job *job = said->job;
    double alpha, beta, tau;
    int crowded;

    if (is_err) {
        snprintf(said->complaint, sizeof(said->complaint), "%s", line);
        return 0;
    }
    if (sscanf(line, "@link %lf %lf %lf %d", &alpha, &beta, &tau, &crowded) ==
        4) {
        job->alpha_s = alpha;
        job->beta = beta;
        job->tau = tau;
        job->crowded = crowded;
    }
    parse_group(said, line);
    if (sscanf(line, "@end %d", &said->code) == 1)
        said->ended = 1;
    return said->ended;
}

static enum chorale_err start(struct chorale_rep_job *job,
                              const struct chorale_args *args)
{
    struct said said = { .job = job };
    struct chorale_child child = { .pid = 0, .out = -1, .err = -1 };
    const double silence = SILENCE;
    enum chorale_ending ending;
    int status = 0;
    enum chorale_err err;

    chorale_stop_catch();
    err = chorale_spawn(args, NULL, &child, job->msg);
    if (err != CHORALE_OK)
        return err;
    ending = chorale_child_wait(&child, &silence, hear, &said, &status);
    if (ending == CHORALE_ENDED_STOPPED)
        return chorale_fail(job->msg, CHORALE_STOPPED, "replicate: stopped; "
                            "repeat the command to start again");
    if (ending == CHORALE_ENDED_STALLED)
        return chorale_fail(job->msg, CHORALE_ENV, "replicate: the runner "
                            "printed nothing for %d s and was stopped; try "
                            "less --data", SILENCE);
    if (said.lacks)
        return chorale_fail_memory(job->msg, NULL);
    if (said.ended && said.code == 0 && job->nrow > 0)
        return CHORALE_OK;
    return chorale_fail(job->msg, said.ended && said.code != 0
                                      ? (enum chorale_err)said.code
                                      : CHORALE_ENV, "%s",
                        said.complaint[0] != '\0'
                            ? said.complaint
                            : "replicate: the runner ended before it was done; "
                              "`chorale doctor` shows whether it starts");
}

static enum chorale_err launch(struct chorale_rep_job *job, int simulated)
{
    static const char *const nets[] = { "mesh", "torus", "array", "ring" };
    const struct chorale_rep_opts *o = job->opts;
    const struct chorale_rep *rep = &job->rep;
    struct chorale_launcher way = { .command = o->command,
                                    .sim.network = o->network,
                                    .sim.selector = "mpich" };
    struct chorale_sim_files files = { 0, 0, "", "", NULL };
    struct chorale_args args = { .count = 0 };
    int size = (int)(chorale_rep_one_dim(job) ? rep->side
                                           : rep->side * rep->side);
    int ppn = o->ppn > 0 ? (int)o->ppn : simulated ? 1 : size;
    char word[160], request[CHORALE_BIND_TEXT];
    enum chorale_err err = CHORALE_OK;

    snprintf(way.kind, sizeof(way.kind), "%s", o->launcher);
    snprintf(word, sizeof(word), "%s:%ld:%.0f:%.0f:%.0f:%.0f:%.9g:%ld:%d",
             nets[rep->net], rep->side, rep->data, rep->accesses, rep->bands,
             rep->tx, simulated ? rep->tm : 0,
             o->nrep > 0 ? o->nrep : simulated ? 1L : 9L, o->both);
    if (!o->no_bind)
        way.bind = chorale_bind_wanted(way.kind, ppn < size ? ppn : size,
                                       request);
    if (simulated)
        err = platform(job, &way.sim.platform);
    if (err == CHORALE_OK)
        err = chorale_launcher_args(&way, size, ppn, "--sharing", word, 0,
                                    &args, &files, job->msg);
    if (err == CHORALE_OK)
        err = start(job, &args);
    chorale_sim_files_close(&files);
    chorale_args_free(&args);
    free(way.sim.platform);
    return err;
}

/* Order rows by side; the runner may report them in another order. */
static int by_side(const void *a, const void *b)
{
    const struct chorale_rep_row *x = a, *y = b;

    return (x->side > y->side) - (x->side < y->side);
}

enum chorale_err chorale_rep_measure(struct chorale_rep_job *job)
{
    struct chorale_rep *rep = &job->rep;
    const struct chorale_rep_opts *o = job->opts;
    int simulated = strcmp(o->launcher, "smpirun") == 0;
    enum chorale_err err = check(job, simulated);

    if (err != CHORALE_OK)
        return err;
    rep->divisors = 1;
    rep->as_links = 1;
    rep->data = rounded(rep, isnan(o->data) ? DATA : o->data);
    err = launch(job, simulated);
    if (err == CHORALE_OK && !(job->beta > 0))
        err = chorale_fail(job->msg, CHORALE_ENV, "replicate: a byte takes no "
                           "time between ranks, so the model has no time "
                           "unit; choose a network with --launcher "
                           "smpirun");
    if (err != CHORALE_OK)
        return err;
    qsort(job->row, job->nrow, sizeof(*job->row), by_side);
    snprintf(job->system, sizeof(job->system), "%s%s%s", o->launcher,
             simulated ? ", network " : "", simulated ? o->network : "");
    if (isnan(rep->tm))
        rep->tm = job->tau / job->beta;
    if (isnan(o->alpha))
        rep->alpha = job->alpha_s / (job->beta * (double)o->datum);
    for (size_t i = 0; i < job->nrow; i++)
        chorale_rep_predict(job, &job->row[i]);
    return CHORALE_OK;
}
