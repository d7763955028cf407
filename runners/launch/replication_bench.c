/* SPDX-License-Identifier: BSD-3-Clause */
/* replication_bench.c - time all group sizes of shared replicated data. */
#include "runners/launch/replication.h"

#include <stdio.h>
#include <stdlib.h>

#include "algorithms/dtypes.h"
#include "db/quantiles.h"
#include "runners/launch/launch.h"
#include "runners/measure/comm_create.h"

#define TIMES 5              /* repetitions; the shortest counts */
#define LONG (1 << 20)       /* bytes; long enough that alpha is small */

enum part { TOTAL, UPDATING, INTEGRATION, BROADCASTING, MODIFICATION, NPART };

/* State of all group sizes. */
struct job {
    struct chorale_bench *bench;
    struct chorale_sharing_spec spec;
    struct chorale_ctx *ctx; /* of the Cartesian communicator */
    MPI_Op op;
    double link[3];          /* alpha, beta, tau */
    double *seconds[NPART];  /* [nrep] */
};

static double begin(struct job *job)
{
    double in;
    int late;

    return chorale_sync_start(job->bench, CHORALE_SYNC_ROUNDTIME, 0, &in,
                              &late);
}

/* Add the time until the last rank has finished. */
static int end(struct job *job, double start, double *seconds)
{
    double out = chorale_now_common(job->bench);
    int rc = chorale_p2p_allreduce(job->bench, &out, 1, 0);

    *seconds += out - start;
    return rc;
}

static int whole(struct job *job, struct chorale_sharing *s, double *seconds)
{
    double start;
    int rc = MPI_SUCCESS;

    chorale_sharing_clear(s);
    start = begin(job);
    for (long band = 0; band < job->spec.bands && rc == MPI_SUCCESS; band++) {
        rc = chorale_sharing_update(s);
        if (rc == MPI_SUCCESS)
            rc = chorale_sharing_modify(s, band);
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_sharing_integrate(s);
    if (rc == MPI_SUCCESS)
        rc = chorale_sharing_broadcast(s);
    return rc == MPI_SUCCESS ? end(job, start, seconds) : rc;
}

static int phase(struct job *job, struct chorale_sharing *s, enum part part,
                 long band, double *seconds)
{
    double start = begin(job);
    int rc = part == UPDATING       ? chorale_sharing_update(s)
             : part == MODIFICATION ? chorale_sharing_modify(s, band)
             : part == INTEGRATION  ? chorale_sharing_integrate(s)
                                    : chorale_sharing_broadcast(s);

    return rc == MPI_SUCCESS ? end(job, start, seconds) : rc;
}

static int parts(struct job *job, struct chorale_sharing *s,
                 double seconds[NPART])
{
    int rc = MPI_SUCCESS;

    chorale_sharing_clear(s);
    for (long band = 0; band < job->spec.bands && rc == MPI_SUCCESS; band++) {
        rc = phase(job, s, UPDATING, band, &seconds[UPDATING]);
        if (rc == MPI_SUCCESS)
            rc = phase(job, s, MODIFICATION, band, &seconds[MODIFICATION]);
    }
    if (rc == MPI_SUCCESS)
        rc = phase(job, s, INTEGRATION, 0, &seconds[INTEGRATION]);
    if (rc == MPI_SUCCESS)
        rc = phase(job, s, BROADCASTING, 0, &seconds[BROADCASTING]);
    return rc;
}

/* Check that every rank has all data. */
static enum chorale_err verify(struct job *job,
                               const struct chorale_sharing *s,
                               struct chorale_errmsg *msg)
{
    double wrong = (double)chorale_sharing_wrong(s);
    int rc = chorale_p2p_allreduce(job->bench, &wrong, 1, 0);

    if (rc == MPI_SUCCESS && wrong > 0)
        return chorale_fail(msg, CHORALE_DATA, "groups of %d%s: %.0f of %ld "
                            "items are wrong on some rank; repair the MPI "
                            "library, or use another",
                            s->x, s->scatter ? ", scattered" : "", wrong,
                            job->spec.items);
    return chorale_launch_mpi(rc, "comparing the shared data", msg);
}

static double median(double *x, int n)
{
    struct chorale_summary s;

    chorale_summarise(x, (size_t)n, &s);
    return s.median;
}

static void print(struct job *job, const struct chorale_sharing *s)
{
    if (job->bench->world_rank != 0)
        return;
    printf("@group %d %s", s->x, s->scatter ? "scatter" : "aggregate");
    for (int p = 0; p < NPART; p++)
        printf(" %.9g", median(job->seconds[p], job->spec.nrep));
    printf("\n");
    fflush(stdout);
}

static int repeat(struct job *job, struct chorale_sharing *s)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < job->spec.nrep && rc == MPI_SUCCESS; i++) {
        double seconds[NPART] = { 0 };

        rc = parts(job, s, seconds);
        if (rc == MPI_SUCCESS)
            rc = whole(job, s, &seconds[TOTAL]);
        for (int p = 0; p < NPART; p++)
            job->seconds[p][i] = seconds[p];
    }
    return rc;
}

/* One untimed run to set up connections; skipped in simulation. */
static enum chorale_err try_once(struct job *job, struct chorale_sharing *s,
                                 struct chorale_errmsg *msg)
{
    double first = 0;
    enum chorale_err err = CHORALE_OK;

    if (!chorale_simulated())
        err = chorale_launch_mpi(whole(job, s, &first),
                                 "sharing data in groups", msg);
    return err == CHORALE_OK && !chorale_simulated()
               ? verify(job, s, msg)
               : err;
}

/* Measure groups of x. */
static enum chorale_err one_size(struct job *job, int x, int scatter,
                                 struct chorale_errmsg *msg)
{
    struct chorale_sharing s;
    int rc = chorale_sharing_init(&s, job->ctx, &job->spec, x, scatter,
                                  job->op);
    int lacks = rc != MPI_SUCCESS;
    enum chorale_err err;

    rc = chorale_p2p_max(job->bench, &lacks);
    err = chorale_launch_mpi(rc, "setting up the groups", msg);
    if (err == CHORALE_OK && lacks)
        err = chorale_fail(msg, CHORALE_ENV, "groups of %d: out of memory; "
                           "ask for less --data", x);
    if (err == CHORALE_OK)
        err = try_once(job, &s, msg);
    if (err == CHORALE_OK)
        err = chorale_launch_mpi(repeat(job, &s), "sharing data in groups",
                                 msg);
    if (err == CHORALE_OK)
        err = verify(job, &s, msg);
    if (err == CHORALE_OK)
        print(job, &s);
    chorale_sharing_release(&s);
    return err;
}

static int dims_of(const struct chorale_sharing_spec *spec)
{
    return spec->net == CHORALE_SHARING_ARRAY ||
                   spec->net == CHORALE_SHARING_RING
               ? 1
               : 2;
}

/* Create the Cartesian communicator; the library may reorder the ranks. */
static enum chorale_err make_grid(struct job *job, struct chorale_errmsg *msg)
{
    int side = job->spec.side, dims = dims_of(&job->spec);
    int length[2] = { side, side }, rc;
    int wraps = job->spec.net == CHORALE_SHARING_RING ||
                job->spec.net == CHORALE_SHARING_TORUS;
    int period[2] = { wraps, wraps };
    MPI_Comm cart;

    if (job->bench->world_size != (dims == 2 ? side * side : side))
        return chorale_fail(msg, CHORALE_ENV,
                            "%d ranks were started for a grid of %d; the "
                            "launcher must belong to the MPI that "
                            "chorale-runner is built with (`chorale doctor` "
                            "names both)", job->bench->world_size,
                            dims == 2 ? side * side : side);
    rc = chorale_comm_cart(job->bench->world, dims, length, period, &cart);
    if (rc == MPI_SUCCESS)
        rc = chorale_ctx_new(cart, &job->ctx);
    return chorale_launch_mpi(rc, "making a Cartesian communicator", msg);
}

/* Time of modifying, s per byte, of the slowest rank. */
static int time_modifying(struct job *job)
{
    size_t n = (size_t)job->spec.items;
    int64_t *from = calloc(n, sizeof(*from)), *to = calloc(n, sizeof(*to));
    int lacks = from == NULL || to == NULL, rc;
    double best = 0;

    rc = chorale_p2p_max(job->bench, &lacks);
    for (int i = 0; i < TIMES && rc == MPI_SUCCESS && !lacks; i++) {
        double start = chorale_now_common(job->bench), took;

        rc = chorale_reduce_local(job->ctx, from, to, (MPI_Count)n,
                                  MPI_INT64_T, job->op);
        took = chorale_now_common(job->bench) - start;
        best = i == 0 || took < best ? took : best;
    }
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_allreduce(job->bench, &best, 1, 0);
    job->link[2] = best / (double)(n * sizeof(*to));
    free(from);
    free(to);
    return rc;
}

/* Time of a long message between the first two neighbours, s per byte, on all
 * ranks; the shortest counts. */
static int time_sending(struct job *job)
{
    struct chorale_ctx *ctx = job->ctx;
    char *buf = calloc(LONG, 1);
    int lacks = buf == NULL, rc = chorale_p2p_max(job->bench, &lacks);
    double best = 0;

    for (int i = 0; i < TIMES && ctx->rank < 2 && rc == MPI_SUCCESS && !lacks;
         i++) {
        double start = chorale_now_common(job->bench), took;

        if (ctx->rank == 0)
            rc = chorale_send(ctx, buf, LONG, MPI_BYTE, 1);
        if (rc == MPI_SUCCESS)
            rc = chorale_recv(ctx, buf, LONG, MPI_BYTE, !ctx->rank);
        if (rc == MPI_SUCCESS && ctx->rank == 1)
            rc = chorale_send(ctx, buf, LONG, MPI_BYTE, 0);
        took = (chorale_now_common(job->bench) - start) / 2;
        best = i == 0 || took < best ? took : best;
    }
    if (ctx->rank == 1)
        best = 0;
    if (rc == MPI_SUCCESS)
        rc = chorale_p2p_allreduce(job->bench, &best, 1, 0);
    /* Subtract alpha if it is plausible: empty messages may have been
     * delayed. */
    if (best > 2 * job->link[0])
        best -= job->link[0];
    job->link[1] = best / LONG;
    free(buf);
    return rc;
}

/* Find alpha and beta of messages between neighbours. In simulation tau follows
 * from them; on a real machine it is timed. */
static enum chorale_err measure_link(struct job *job,
                                     struct chorale_errmsg *msg)
{
    struct chorale_bench *bench = job->bench;
    int op = chorale_opkind_find("sum"), type = chorale_dtype_find("int64");
    int rc;

    job->link[0] = bench->floor_alpha;
    rc = chorale_p2p_bcast(bench, job->link, sizeof(job->link), 0);
    if (rc == MPI_SUCCESS)
        rc = time_sending(job);
    if (rc == MPI_SUCCESS)
        rc = chorale_op_new(op, type, job->spec.tm * job->link[1], &job->op);
    if (rc == MPI_SUCCESS)
        rc = time_modifying(job);
    if (rc == MPI_SUCCESS && bench->world_rank == 0) {
        printf("@link %.9g %.9g %.9g %d\n", job->link[0], job->link[1],
               job->link[2], bench->oversubscribed);
        fflush(stdout);
    }
    return chorale_launch_mpi(rc, "timing additions", msg);
}

static enum chorale_err all_sizes(struct job *job, struct chorale_errmsg *msg)
{
    int side = job->spec.side;
    enum chorale_err err = CHORALE_OK;

    for (int p = 0; p < NPART; p++) {
        job->seconds[p] = calloc((size_t)job->spec.nrep, sizeof(double));
        if (job->seconds[p] == NULL)
            err = chorale_fail_memory(msg, NULL);
    }
    err = chorale_launch_agree(job->bench, err);
    for (int x = 1; x <= side && err == CHORALE_OK; x++) {
        if (side % x != 0)
            continue;
        err = one_size(job, x, 0, msg);
        if (err == CHORALE_OK && job->spec.both && x > 1 && x < side)
            err = one_size(job, x, 1, msg);
    }
    for (int p = 0; p < NPART; p++)
        free(job->seconds[p]);
    return err;
}

enum chorale_err chorale_sharing_measure(struct chorale_bench *bench,
                                         const char *word,
                                         struct chorale_errmsg *msg)
{
    struct job job = { .bench = bench, .op = MPI_OP_NULL };
    enum chorale_err err =
        chorale_launch_set_up(bench, MPI_COMM_WORLD, msg);

    if (err == CHORALE_OK && chorale_sharing_parse(word, &job.spec) != 0)
        err = chorale_fail(msg, CHORALE_USAGE, "--sharing '%.100s': malformed; "
                           "`chorale replicate --measure` writes it",
                           word);
    bench->work.siblings = 1;
    if (err == CHORALE_OK)
        err = make_grid(&job, msg);
    if (err == CHORALE_OK)
        err = chorale_launch_survey(bench, msg);
    if (err == CHORALE_OK)
        err = measure_link(&job, msg);
    if (err == CHORALE_OK)
        err = all_sizes(&job, msg);
    chorale_op_free(&job.op);
    chorale_ctx_free(job.ctx);
    return err;
}
