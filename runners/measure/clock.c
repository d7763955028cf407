/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - common clock of all ranks. */
#include "config.h"

#include "runners/measure/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/quantiles.h"

#ifdef CHORALE_SIM
#include <simgrid/actor.h>
#else
#include <sched.h>
#endif

#define NTRIP 24             /* round trips of a reading */
#define NFIRST 4             /* readings before the pause; one less after it */
#define BASELINE 0.5         /* pause between them, s: makes a drift of 1 us/s
                              * as large as the scatter of readings */
#define MOST_DRIFT 1e-2      /* a larger drift is noise */
#define MEMORY 10.0          /* s that a reading is kept: drifts change */
#define LEAST_KEPT 8         /* readings kept at any age */
#define NSTEP 200            /* samples of the resolution */

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
    /* If the local clock runs fast or slow, one sleep is not enough. */
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

/* Answer of the serving rank. */
struct told {
    double now;              /* its common time, s */
    double error;            /* its own error: distance of its last reading
                              * from its line, s */
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

/* Take a reading: the fastest round trip. *error: of the serving rank. */
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

/* Slope between two readings, weighted by the time between them. */
struct slope {
    double value, weight;
};

static int compare_slopes(const void *a, const void *b)
{
    double x = ((const struct slope *)a)->value;
    double y = ((const struct slope *)b)->value;

    return (x > y) - (x < y);
}

static double median_slope(struct slope *slope, size_t n)
{
    double all = 0, below = 0;
    size_t i = 0;

    qsort(slope, n, sizeof(*slope), compare_slopes);
    for (size_t k = 0; k < n; k++)
        all += slope[k].weight;
    while (i + 1 < n && below + slope[i].weight < all / 2)
        below += slope[i++].weight;
    return slope[i].value;
}

static double drift_of(const struct chorale_reading *reading, int n)
{
    enum { PAIRS = CHORALE_CLOCK_READINGS * (CHORALE_CLOCK_READINGS - 1) / 2 };
    struct slope slope[PAIRS];
    size_t pairs = 0;
    double drift;

    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double apart = reading[j].at - reading[i].at;

            if (apart > 0)
                slope[pairs++] = (struct slope){
                    (reading[j].ahead - reading[i].ahead) / apart, apart };
        }
    /* A drift from few or close readings could make common time run
     * backwards. */
    if (n < 3 || pairs == 0 || reading[n - 1].at - reading[0].at < BASELINE / 2)
        return 0;
    drift = median_slope(slope, pairs);
    return fabs(drift) < MOST_DRIFT ? drift : 0;
}

void chorale_clock_line(const struct chorale_reading *reading, int n,
                        double *at, double *ahead, double *drift)
{
    double rest[CHORALE_CLOCK_READINGS], off[CHORALE_CLOCK_READINGS];
    double span = reading[n - 1].at - reading[0].at, noise;

    *at = reading[n - 1].at;
    *drift = drift_of(reading, n);
    for (int i = 0; i < n; i++)
        rest[i] = reading[i].ahead - *drift * (reading[i].at - *at);
    *ahead = median(rest, (size_t)n);
    /* Is the drift larger than the scatter about the line explains? */
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

/* Drop readings that are too old. */
static void forget(struct chorale_clock *clock, double now)
{
    int old = 0, n = clock->nreading;

    while (n - old > LEAST_KEPT && now - clock->reading[old].at > MEMORY)
        old++;
    memmove(clock->reading, clock->reading + old,
            (size_t)(n - old) * sizeof(*clock->reading));
    clock->nreading -= old;
}

/* Add a reading. If there are too many, drop every second one of the older
 * half. */
static void take(struct chorale_clock *clock, const struct chorale_reading *r)
{
    forget(clock, r->at);
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

/* One pass over the first ranks of the nodes: each takes a reading from a node
 * that was synchronised before it. *residual: error of this node until now. */
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
            /* The first reading has no line to compare with. */
            if (!first)
                *residual = error + off_line(clock, &r);
            take(clock, &r);
            left = error + off_line(clock, &r);
        }
    }
    return rc;
}

/* Send the line of a node to all of its ranks, which read the same clock. */
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

/* Maximum over all ranks, on all ranks, by a dissemination pattern. */
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

/* The residual to report. One check may hit a good moment of a bad clock: a
 * larger residual counts at once, and only several smaller ones lower it. */
static double residual_to_report(const struct chorale_clock *clock,
                                 double found)
{
    double last[CHORALE_CLOCK_CHECKS], usual;
    int n = clock->ncheck < CHORALE_CLOCK_CHECKS ? clock->ncheck
                                                 : CHORALE_CLOCK_CHECKS;

    memcpy(last, clock->last, sizeof(last));
    usual = median(last, (size_t)n);
    return found > usual ? found : usual;
}

int chorale_clock_check(struct chorale_clock *clock, struct chorale_ctx *ctx,
                        const int *node)
{
    double residual = 0;
    int rc;

    if (clock->shared)
        return MPI_SUCCESS;
    rc = pass(clock, ctx, &residual);
    if (rc == MPI_SUCCESS)
        rc = spread(clock, ctx, node);
    if (rc == MPI_SUCCESS)
        rc = most(ctx, &residual);
    clock->last[clock->ncheck++ % CHORALE_CLOCK_CHECKS] = residual;
    clock->residual = residual_to_report(clock, residual);
    return rc;
}

/* Resolution of the local clock, s; 0 in simulation. */
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

/* Find the first rank of each node. Returns 0, or -1 if out of memory. */
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
    if (rc == MPI_SUCCESS && !clock->shared) {
        chorale_clock_wait(clock, chorale_clock_now(clock) + BASELINE, 1);
        /* This check finds the drift, which is no residual of the new line. */
        rc = chorale_clock_check(clock, ctx, node);
        clock->ncheck = 0;
    }
    for (int i = 1; i < NFIRST && rc == MPI_SUCCESS; i++)
        rc = chorale_clock_check(clock, ctx, node);
    clock->first_residual = clock->residual;
    return rc;
}

void chorale_clock_release(struct chorale_clock *clock)
{
    free(clock->lead);
    clock->lead = NULL;
}
