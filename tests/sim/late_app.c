/* SPDX-License-Identifier: BSD-3-Clause */
/* late_app.c - an application with skew, in simulated time: steps of unequal
 * work and one collective, once for each algorithm of the command line.
 *
 *   late_app COLL BYTES PATTERN SKEW STEPS MEETS VARIANT...
 *
 * Each step a rank works for WORK, and longer by PATTERN (last: the last rank,
 * ascending: rank r by r / (P - 1), sync: no rank) of SKEW microseconds. Then
 * all ranks call COLL, allreduce (sum of doubles) or alltoall, with blocks of
 * BYTES. If MEETS is 1, they then work for WORK and meet in a barrier, so that
 * the rank that leaves the collective last determines the step. Otherwise a
 * late rank that leaves early begins the next step early. VARIANT is library,
 * or NAME:PARAMETERS of the catalogue. Rank 0 prints VARIANT and the time until
 * all ranks have finished all steps, us. */
#include <simgrid/actor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/context.h"

#define WORK 1e-3            /* s */

struct app {
    enum chorale_coll coll;
    size_t bytes;
    const char *pattern;
    double skew;             /* s */
    int steps, meets, rank, size;
    char *send, *recv;
};

static double share(const struct app *app)
{
    if (strcmp(app->pattern, "last") == 0)
        return app->rank == app->size - 1;
    if (strcmp(app->pattern, "ascending") == 0)
        return (double)app->rank / (app->size - 1);
    return 0;
}

static int collective(const struct app *app, struct chorale_ctx *ctx,
                      const struct chorale_alg *alg, const long *param)
{
    const int reduces = app->coll == CHORALE_ALLREDUCE;
    const int count = (int)(reduces ? app->bytes / sizeof(double)
                                    : app->bytes);
    const MPI_Datatype type = reduces ? MPI_DOUBLE : MPI_BYTE;
    struct chorale_call call = {
        .ctx = ctx, .sendbuf = app->send, .recvbuf = app->recv,
        .sendcount = count, .recvcount = count, .sendtype = type,
        .recvtype = type, .op = MPI_SUM, .commutative = 1, .param = param,
    };

    if (alg != NULL)
        return alg->run(&call);
    if (reduces)
        return PMPI_Allreduce(app->send, app->recv, count, type, MPI_SUM,
                              MPI_COMM_WORLD);
    return PMPI_Alltoall(app->send, count, type, app->recv, count, type,
                         MPI_COMM_WORLD);
}

/* Run all steps with one algorithm. Returns 0 if it is unknown or failed. */
static int run(const struct app *app, struct chorale_ctx *ctx,
               const char *variant)
{
    const struct chorale_alg *alg = NULL;
    long param[CHORALE_MAX_PARAM] = { 0 };
    size_t len = strcspn(variant, ":");
    char name[64], why[160];
    double begun, took, all = 0;
    int rc = MPI_SUCCESS;

    snprintf(name, sizeof(name), "%.*s", (int)len, variant);
    if (strcmp(name, "library") != 0) {
        alg = chorale_alg_find(app->coll, name);
        if (alg == NULL ||
            chorale_alg_params_parse(alg, variant + len + (variant[len] == ':'),
                                     param, why, sizeof(why)) != 0)
            return 0;
    }
    rc = collective(app, ctx, alg, param); /* the first call warms up */
    PMPI_Barrier(MPI_COMM_WORLD);
    begun = PMPI_Wtime();
    for (int i = 0; i < app->steps && rc == MPI_SUCCESS; i++) {
        sg_actor_sleep_for(WORK + share(app) * app->skew);
        rc = collective(app, ctx, alg, param);
        if (app->meets) {
            sg_actor_sleep_for(WORK);
            PMPI_Barrier(MPI_COMM_WORLD);
        }
    }
    took = PMPI_Wtime() - begun;
    PMPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (app->rank == 0)
        printf("%s %.3f\n", variant, 1e6 * all);
    return rc == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    struct app app = { 0 };
    struct chorale_ctx *ctx = NULL;
    int coll, right;

    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &app.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &app.size);
    coll = argc > 7 ? chorale_coll_find(argv[1]) : -1;
    if ((coll != CHORALE_ALLREDUCE && coll != CHORALE_ALLTOALL) ||
        chorale_ctx_new(MPI_COMM_WORLD, &ctx) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    app.coll = (enum chorale_coll)coll;
    app.bytes = strtoul(argv[2], NULL, 10);
    app.pattern = argv[3];
    app.skew = 1e-6 * strtod(argv[4], NULL);
    app.steps = atoi(argv[5]);
    app.meets = atoi(argv[6]);
    app.send = calloc((size_t)app.size, app.bytes);
    app.recv = calloc((size_t)app.size, app.bytes);
    right = app.send != NULL && app.recv != NULL;
    for (int i = 7; i < argc && right; i++)
        right = run(&app, ctx, argv[i]);
    chorale_ctx_free(ctx);
    free(app.send);
    free(app.recv);
    MPI_Finalize();
    return !right;
}
