/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - the common clock compared with the true simulated time. Each node's
 * clock has its own offset and drift. Delays after a reading make one direction
 * of a round trip longer than the other. */
#include <math.h>
#include <simgrid/actor.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "algorithms/context.h"
#include "runners/measure/clock.h"

#define PPN 2
#define CHECKS 12
#define PAUSE 1.0            /* s between two checks */
#define ALWAYS 3e-7          /* s, mean delay after a reading */
#define RARE 20e-6           /* s, mean delay after 30 % of the readings */
#define BENDS 4              /* checks after the clocks' rates have changed */
#define BEND 5e-5            /* change of the rates, s/s */

struct source {
    double offset, drift;
    double bent;             /* when its rate changed, s; 0: never */
    int jitters;
    uint64_t random;
};

static double next(uint64_t *s)
{
    uint64_t x = *s += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static double read_source(void *arg)
{
    struct source *s = arg;
    double t = PMPI_Wtime();

    if (s->jitters)
        sg_actor_sleep_for(-log(1 - next(&s->random)) *
                           (next(&s->random) < 0.3 ? RARE : ALWAYS));
    return t * (1 + s->drift) + s->offset +
           (s->bent > 0 ? (t - s->bent) * BEND : 0);
}

static void describe(struct source *s, int node)
{
    uint64_t seed = (uint64_t)node * 7919u + 1;

    s->offset = node == 0 ? 0 : 200 * next(&seed) - 100;
    s->drift = node == 0 ? 3e-6 : 4e-5 * next(&seed) - 2e-5;
}

/* Error of this rank's common time against rank 0's node, s. */
static double error(struct chorale_clock *clock, struct source *s)
{
    struct source root = { 0 };
    double truth, now;
    int jitters = s->jitters;

    describe(&root, 0);
    s->jitters = 0;
    truth = PMPI_Wtime() * (1 + root.drift) + root.offset;
    now = chorale_clock_now(clock);
    s->jitters = jitters;
    return fabs(now - truth);
}

static double worst(double mine)
{
    double all = 0;

    PMPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int check(struct chorale_clock *clock, struct chorale_ctx *ctx,
                 const int *node, struct source *source, const char *what,
                 int i)
{
    double off;
    int rc;

    sg_actor_sleep_for(PAUSE);
    off = worst(error(clock, source)); /* the check should find it */
    rc = chorale_clock_check(clock, ctx, node);
    if (ctx->rank == 0)
        printf("%s %d %d %.3g %.3g\n", what, i, rc, off, clock->residual);
    return rc;
}

int main(int argc, char **argv)
{
    struct chorale_clock clock = { 0 };
    struct chorale_ctx *ctx;
    struct source source = { 0 };
    int rank, size, *node, rc;
    double off, drift;

    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    node = calloc((size_t)size, sizeof(*node));
    for (int r = 0; r < size; r++)
        node[r] = r / PPN;
    describe(&source, rank / PPN);
    source.jitters = 1;
    source.random = (uint64_t)rank + 99;
    clock.read = read_source;
    clock.read_arg = &source;
    chorale_ctx_new(MPI_COMM_WORLD, &ctx);
    rc = chorale_clock_agree(&clock, ctx, node);
    off = worst(error(&clock, &source));
    if (rank == 0)
        printf("agreed %d %.3g %.3g\n", rc, off, clock.first_residual);
    for (int i = 0; i < CHECKS && rc == MPI_SUCCESS; i++)
        rc = check(&clock, ctx, node, &source, "check", i);
    off = worst(error(&clock, &source));
    drift = worst(fabs(clock.drift * (1 + source.drift) -
                       (source.drift - 3e-6)));
    if (rank == 0)
        printf("end %d %.3g %.3g\n", rc, off, drift);
    source.bent = rank / PPN == 0 ? 0 : PMPI_Wtime();
    for (int i = 0; i < BENDS && rc == MPI_SUCCESS; i++)
        rc = check(&clock, ctx, node, &source, "bent", i);
    chorale_clock_release(&clock);
    chorale_ctx_free(ctx);
    free(node);
    MPI_Finalize();
    return 0;
}
