/* SPDX-License-Identifier: BSD-3-Clause */
/* replication.h - groups of ranks that share replicated data, run as Chen and Lee
 * describe them: the pattern whose cost tuner/replicate/replicate.h foretells.
 *
 * The ranks are a Cartesian communicator of side^1 or side^2 places. In groups
 * of x (in two dimensions x rows and x columns) each rank keeps the changes of
 * data / x^d items. In each band the ranks of a group send each other a packet
 * of changes (updating, an alltoall between neighbours) and make those they
 * got (modification). Then ranks at the same place of all groups add up what
 * they have (integration, a reduce-scatter), and all get all (broadcasting, an
 * allgather).
 *
 * Items are of 8 bytes. Aggregate groups are of neighbours; those of a scatter
 * allocation have their ranks side / x apart.
 *
 * Source  Chen and Lee, on replicating shared data on 2D meshes, sections 2
 * and 3. */
#ifndef CHORALE_RUNNERS_LAUNCH_REPLICATION_H
#define CHORALE_RUNNERS_LAUNCH_REPLICATION_H

#include <stdint.h>

#include "db/err.h"
#include "runners/measure/runner.h"

enum chorale_sharing_net {
    CHORALE_SHARING_ARRAY,
    CHORALE_SHARING_RING,
    CHORALE_SHARING_MESH,
    CHORALE_SHARING_TORUS
};

/* What is to be run: "NET:SIDE:ITEMS:ACCESSES:BANDS:TX:TM:NREP:BOTH". */
struct chorale_sharing_spec {
    int net;                 /* enum chorale_sharing_net */
    int side;
    long items;              /* M: a multiple of 4 bands side^2 */
    long accesses, bands;    /* N_a, N_b */
    long tx;                 /* words that a change is sent as */
    double tm;               /* in simulation: modifying an item takes that
                              * many times what sending it does */
    int nrep;
    int both;                /* scatter allocations too */
};

/* One group size while it is run. */
struct chorale_sharing {
    const struct chorale_sharing_spec *spec;
    struct chorale_ctx *ctx; /* of the Cartesian communicator */
    int x, scatter;
    int members, peers;      /* ranks of a group; groups */
    int place, group;        /* this rank's */
    long chunk, block;       /* items of a rank, and after integration */
    long packet;             /* changes for each member in a band */
    int64_t *own;            /* [chunk] */
    int64_t *out, *in;       /* [members * packet * tx] */
    int64_t *mine, *all;     /* [block], [items] */
    MPI_Op op;
    int *map;                /* of the three views */
    struct chorale_ctx inside, across, ring; /* the group; the same place of
                              * all groups; all ranks */
};

/* Parse; 0, or -1: it is no such word. */
int chorale_sharing_parse(const char *word,
                          struct chorale_sharing_spec *spec);

/* Set up groups of x, a divisor of the side. Returns an MPI error code;
 * release in any case. */
int chorale_sharing_init(struct chorale_sharing *s, struct chorale_ctx *ctx,
                         const struct chorale_sharing_spec *spec, int x,
                         int scatter, MPI_Op op);
void chorale_sharing_release(struct chorale_sharing *s);

/* Forget all changes. Then the phases in their order; band: 0 ... bands - 1.
 * Each returns an MPI error code. */
void chorale_sharing_clear(struct chorale_sharing *s);
int chorale_sharing_update(struct chorale_sharing *s);
int chorale_sharing_modify(struct chorale_sharing *s, long band);
int chorale_sharing_integrate(struct chorale_sharing *s);
int chorale_sharing_broadcast(struct chorale_sharing *s);

/* Items at this rank that are not the sum of all ranks' changes. */
long chorale_sharing_wrong(const struct chorale_sharing *s);

/* Run all group sizes, collective over bench->world, and print:
 *
 *     @link ALPHA BETA TAU CROWDED   of neighbours' messages and of modifying,
 *                                    s; 1: more ranks than processors
 *     @group X PLACEMENT TOTAL UPDATING INTEGRATION BROADCASTING MODIFICATION
 *
 * in seconds: medians over the repetitions; the parts are of repetitions in
 * which all wait for each other between them. */
enum chorale_err chorale_sharing_measure(struct chorale_bench *bench,
                                         const char *word,
                                         struct chorale_errmsg *msg);

#endif
