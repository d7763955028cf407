/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - see clock.h. */
#include "config.h"

#include "runners/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/order.h"

#ifdef CHORALE_SIM
#include <simgrid/actor.h>
#else
#include <sched.h>
#endif

#define NTRIP 24             /* round trips of a reading */
#define NFIRST 8             /* readings of the agreement */
#define NSTEP 200

static double node_clock(void)
{
#ifdef CHORALE_SIM
    return PMPI_Wtime();
#else
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#endif
}

static double local_now(const struct chorale_clock *clock)
{
    return clock->read != NULL ? clock->read(clock->read_arg) : node_clock();
}

static double common(const struct chorale_clock *clock, double local)
{
    return local - clock->ahead - clock->drift * (local - clock->at);
}

double chorale_clock_now(const struct chorale_clock *clock)
{
    return common(clock, local_now(clock));
}

double chorale_clock_wait(const struct chorale_clock *clock, double t,
                          int gives)
{
    double now;

#ifdef CHORALE_SIM
    (void)gives;
    /* A local clock that runs fast or slow needs a second look. */
    while (t - (now = chorale_clock_now(clock)) > 1e-12)
        sg_actor_sleep_for(t - now);
#else
    while ((now = chorale_clock_now(clock)) < t)
        if (gives)
            sched_yield();
#endif
    return now;
}

/* --- readings --------------------------------------------------------- */

/* What the one that serves says. */
struct told {
    double now;              /* its common time */
    double error;            /* of it: how far its line is off its reading */
};

static int serve(const struct chorale_clock *clock, struct chorale_ctx *ctx,
                 int peer, double error)
{
    for (int i = 0; i < NTRIP; i++) {
        int rc = chorale_recv(ctx, NULL, 0, MPI_BYTE, peer);
        struct told told = { chorale_clock_now(clock), error };

        if (rc == MPI_SUCCESS)
            rc = chorale_send(ctx, &told, sizeof(told), MPI_BYTE, peer);
        if (rc != MPI_SUCCESS)
            return rc;
    }
    return MPI_SUCCESS;
}

/* The quickest round trip. *error: of the one that serves. */
static int ask(const struct chorale_clock *clock, struct chorale_ctx *ctx,
               int peer, struct chorale_reading *r, double *error)
{
    double best = INFINITY;

    memset(r, 0, sizeof(*r));
    for (int i = 0; i < NTRIP; i++) {
        double sent = local_now(clock), back;
        struct told told = { 0 };
        int rc = chorale_send(ctx, NULL, 0, MPI_BYTE, peer);

        if (rc == MPI_SUCCESS)
            rc = chorale_recv(ctx, &told, sizeof(told), MPI_BYTE, peer);
        if (rc != MPI_SUCCESS)
            return rc;
        back = local_now(clock);
        if (back - sent < best) {
            best = back - sent;
            r->at = (sent + back) / 2;
            r->ahead = r->at - told.now;
            r->bound = best / 2;
            *error = told.error;
        }
    }
    return MPI_SUCCESS;
}

/* --- the line --------------------------------------------------------- */

static double median(double *x, size_t n)
{
    chorale_sort(x, n);
    return chorale_quantile(x, n, 0.5);
}

void chorale_clock_line(const struct chorale_reading *reading, int n,
                        double *at, double *ahead, double *drift)
{
    enum { PAIRS = CHORALE_CLOCK_READINGS * (CHORALE_CLOCK_READINGS - 1) / 2 };
    double slope[PAIRS], rest[CHORALE_CLOCK_READINGS], off[PAIRS];
    double span = reading[n - 1].at - reading[0].at, noise;
    size_t pairs = 0;

    *at = reading[n - 1].at;
    *drift = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (reading[j].at > reading[i].at)
                slope[pairs++] = (reading[j].ahead - reading[i].ahead) /
                                 (reading[j].at - reading[i].at);
    if (n > 2 && pairs > 0)
        *drift = median(slope, pairs);
    for (int i = 0; i < n; i++)
        rest[i] = reading[i].ahead - *drift * (reading[i].at - *at);
    *ahead = median(rest, (size_t)n);
    /* Is the drift more than the scatter about the line explains? */
    for (int i = 0; i < n; i++)
        off[i] = fabs(reading[i].ahead - *ahead -
                      *drift * (reading[i].at - *at));
    noise = 3 * 1.4826 * median(off, (size_t)n);
    if (fabs(*drift) * span > noise || *drift == 0)
        return;
    *drift = 0;
    for (int i = 0; i < n; i++)
        rest[i] = reading[i].ahead;
    *ahead = median(rest, (size_t)n);
}

/* Keep a reading; of too many, every second one of the older goes. */
static void take(struct chorale_clock *clock, const struct chorale_reading *r)
{
    if (clock->nreading == CHORALE_CLOCK_READINGS) {
        int kept = 0;

        for (int i = 0; i < clock->nreading; i++)
            if (i % 2 == 0 || i >= clock->nreading / 2)
                clock->reading[kept++] = clock->reading[i];
        clock->nreading = kept;
    }
    clock->reading[clock->nreading++] = *r;
    chorale_clock_line(clock->reading, clock->nreading, &clock->at,
                       &clock->ahead, &clock->drift);
}

/* --- the hierarchy ---------------------------------------------------- */

static double off_line(const struct chorale_clock *clock,
                       const struct chorale_reading *r)
{
    return fabs(r->at - r->ahead - common(clock, r->at));
}

/* One pass over the nodes' first ranks. Each learns from one that has learnt
 * before it; *residual: how far off this one was until now. */
static int pass(struct chorale_clock *clock, struct chorale_ctx *ctx,
                double *residual)
{
    int rc = MPI_SUCCESS, me = clock->leader;
    double left = 0;

    *residual = 0;
    if (ctx->rank != clock->lead_rank)
        return MPI_SUCCESS;
    for (int step = 1; step < clock->nleaders && rc == MPI_SUCCESS;
         step *= 2) {
        if (me < step && me + step < clock->nleaders) {
            rc = serve(clock, ctx, clock->lead[me + step], left);
        } else if (me >= step && me < 2 * step) {
            struct chorale_reading r;
            double error = 0;
            int first = clock->nreading == 0;

            rc = ask(clock, ctx, clock->lead[me - step], &r, &error);
            if (rc != MPI_SUCCESS)
                break;
            /* Without a line there is nothing to compare with. */
            if (!first)
                *residual = error + off_line(clock, &r);
            take(clock, &r);
            left = error + off_line(clock, &r);
        }
    }
    return rc;
}

/* The node's line, to all its ranks: they read the same clock. */
static int spread(struct chorale_clock *clock, struct chorale_ctx *ctx,
                  const int *node)
{
    double line[3] = { clock->at, clock->ahead, clock->drift };
    int rc = MPI_SUCCESS;

    if (ctx->rank != clock->lead_rank)
        rc = chorale_recv(ctx, line, 3, MPI_DOUBLE, clock->lead_rank);
    for (int r = ctx->rank + 1;
         ctx->rank == clock->lead_rank && r < ctx->size && rc == MPI_SUCCESS;
         r++)
        if (node[r] == node[ctx->rank])
            rc = chorale_send(ctx, line, 3, MPI_DOUBLE, r);
    clock->at = line[0];
    clock->ahead = line[1];
    clock->drift = line[2];
    return rc;
}

/* Largest value of any rank, on all: up a chain of doubling steps. */
static int most(struct chorale_ctx *ctx, double *value)
{
    int rc = MPI_SUCCESS;

    for (int step = 1; step < ctx->size && rc == MPI_SUCCESS; step *= 2) {
        double theirs = 0;

        rc = chorale_sendrecv(ctx, value, 1, MPI_DOUBLE,
                              (ctx->rank + step) % ctx->size, &theirs, 1,
                              MPI_DOUBLE,
                              (ctx->rank - step + ctx->size) % ctx->size);
        *value = theirs > *value ? theirs : *value;
    }
    return rc;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* A single check may meet a good moment of a bad clock, or a delayed message
 * to a good one. */
static double usual(const struct chorale_clock *clock)
{
    double last[CHORALE_CLOCK_CHECKS];
    int n = clock->ncheck < CHORALE_CLOCK_CHECKS ? clock->ncheck
                                                 : CHORALE_CLOCK_CHECKS;

    memcpy(last, clock->last, sizeof(last));
    qsort(last, (size_t)n, sizeof(*last), compare);
    return chorale_quantile(last, (size_t)n, 0.5);
}

int chorale_clock_check(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node)
{
    double residual = 0;
    int rc;

    clock->checked = chorale_clock_now(clock);
    if (clock->shared)
        return MPI_SUCCESS;
    rc = pass(clock, ctx, &residual);
    if (rc == MPI_SUCCESS)
        rc = spread(clock, ctx, node);
    if (rc == MPI_SUCCESS)
        rc = most(ctx, &residual);
    clock->last[clock->ncheck++ % CHORALE_CLOCK_CHECKS] = residual;
    clock->residual = usual(clock);
    return rc;
}

/* Simulated time has none. */
static double smallest_step(const struct chorale_clock *clock)
{
#ifdef CHORALE_SIM
    (void)clock;
    return 0;
#else
    double step = INFINITY;

    for (int i = 0; i < NSTEP; i++) {
        double a = local_now(clock), b;
        int tries = 0;

        do
            b = local_now(clock);
        while (b <= a && ++tries < 1000);
        if (b > a && b - a < step)
            step = b - a;
    }
    return isfinite(step) ? step : 0;
#endif
}

/* Which ranks are first on their nodes. Returns 0, or -1: no memory. */
static int find_leaders(struct chorale_clock *clock, int rank, int size,
                        const int *node)
{
    clock->lead = calloc((size_t)size, sizeof(*clock->lead));
    if (clock->lead == NULL)
        return -1;
    clock->nleaders = 0;
    for (int r = 0; r < size; r++) {
        int i = 0;

        while (i < clock->nleaders && node[clock->lead[i]] != node[r])
            i++;
        if (i == clock->nleaders)
            clock->lead[clock->nleaders++] = r;
        if (r == rank) {
            clock->leader = i;
            clock->lead_rank = clock->lead[i];
        }
    }
    return 0;
}

int chorale_clock_agree(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node)
{
    double lacks = find_leaders(clock, ctx->rank, ctx->size, node) != 0;
    int rc = most(ctx, &lacks);

    if (rc == MPI_SUCCESS && lacks > 0)
        rc = MPI_ERR_NO_MEM;
    if (rc != MPI_SUCCESS)
        return rc;
    clock->nreading = clock->ncheck = 0;
    clock->at = clock->ahead = clock->drift = clock->residual = 0;
    clock->shared = clock->nleaders == 1;
    clock->resolution = smallest_step(clock);
    for (int i = 0; i < NFIRST && rc == MPI_SUCCESS; i++)
        rc = chorale_clock_check(clock, ctx, node);
    clock->first_residual = clock->residual;
    return rc;
}

void chorale_clock_release(struct chorale_clock *clock)
{
    free(clock->lead);
    clock->lead = NULL;
}
