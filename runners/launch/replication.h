/* SPDX-License-Identifier: BSD-3-Clause */
/* replication.h - run groups of ranks that share replicated data, as described
 * by Chen and Lee. tuner/replicate/replicate.h predicts the cost of this
 * pattern.
 *
 * The ranks form a Cartesian communicator of side^d places, d = 1 or 2. In a
 * group of x^d ranks each rank owns data / x^d items.
 * - In each band the ranks of a group send each other a packet of changes
 *   (updating, an alltoall between neighbours) and apply the received changes
 *   (modification).
 * - Then the ranks at the same place of all groups add up their items
 *   (integration, a reduce-scatter).
 * - Finally all ranks get all items (broadcasting, an allgather).
 *
 * Items have 8 bytes. The ranks of an aggregate group are neighbours; those of
 * a scatter allocation are side / x apart.
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

/* The work to run: "NET:SIDE:ITEMS:ACCESSES:BANDS:TX:TM:NREP:BOTH". */
struct chorale_sharing_spec {
    int net;                 /* enum chorale_sharing_net */
    int side;
    long items;              /* M: a multiple of 4 bands side^2 */
    long accesses, bands;    /* N_a, N_b */
    long tx;                 /* words sent for each change */
    double tm;               /* in simulation: time to modify an item, relative
                              * to the time of sending it */
    int nrep;                /* repetitions */
    int both;                /* 1: scatter allocations too */
};

/* State of one group size. */
struct chorale_sharing {
    const struct chorale_sharing_spec *spec;
    struct chorale_ctx *ctx; /* of the Cartesian communicator */
    int x, scatter;
    int members, peers;      /* ranks in a group; number of groups */
    int place, group;        /* of this rank */
    long chunk, block;       /* items of a rank; after integration */
    long packet;             /* changes for each member in a band */
    int64_t *own;            /* [chunk] */
    int64_t *out, *in;       /* [members * packet * tx] */
    int64_t *mine, *all;     /* [block], [items] */
    MPI_Op op;
    int *map;                /* rank lists of the three views */
    struct chorale_ctx inside, across, ring; /* the group; the same place of
                              * all groups; all ranks */
};

/* Parse; returns 0, or -1 if word is malformed. */
int chorale_sharing_parse(const char *word,
                          struct chorale_sharing_spec *spec);

/* Set up groups of x, a divisor of the side. Returns an MPI error code;
 * release in any case. */
int chorale_sharing_init(struct chorale_sharing *s, struct chorale_ctx *ctx,
                         const struct chorale_sharing_spec *spec, int x,
                         int scatter, MPI_Op op);
void chorale_sharing_release(struct chorale_sharing *s);

/* Reset all items to 0; then run the phases in this order; band: 0 ... bands -
 * 1. Each phase returns an MPI error code. */
void chorale_sharing_clear(struct chorale_sharing *s);
int chorale_sharing_update(struct chorale_sharing *s);
int chorale_sharing_modify(struct chorale_sharing *s, long band);
int chorale_sharing_integrate(struct chorale_sharing *s);
int chorale_sharing_broadcast(struct chorale_sharing *s);

/* Number of items on this rank that are not the sum of all ranks' changes. */
long chorale_sharing_wrong(const struct chorale_sharing *s);

/* Run all group sizes, collective over bench->world, and print in seconds:
 *
 *     @link ALPHA BETA TAU CROWDED   message and modification costs; CROWDED
 *                                    1: more ranks than processors
 *     @group X PLACEMENT TOTAL UPDATING INTEGRATION BROADCASTING MODIFICATION
 *
 * The times are medians over the repetitions. The parts come from repetitions
 * in which the ranks synchronise between the phases. */
enum chorale_err chorale_sharing_measure(struct chorale_bench *bench,
                                         const char *word,
                                         struct chorale_errmsg *msg);

#endif
