/* SPDX-License-Identifier: BSD-3-Clause */
/* alg.h - what one variant of a collective is.
 *
 * A variant is one .c file that ends in one descriptor, and one row in
 * registry.c. Everything else (help text, the planner's space, the
 * correctness matrix, the dispatcher) reads the descriptors.
 *
 * Nothing in this folder keeps mutable state at file scope: simulated ranks
 * share one process, and applications use several threads.
 */
#ifndef CHORALE_ALGORITHMS_ALG_H
#define CHORALE_ALGORITHMS_ALG_H

#include <mpi.h>

#include "algorithms/coll.h"

#define CHORALE_MAX_PARAM 4
#define CHORALE_MAX_TERM 96

/* A tunable of a variant. Values are whole numbers in [min, max]. */
struct chorale_param {
    const char *name;        /* the field's word: segsize, radix, max_reqs */
    const char *unit;        /* "bytes", "requests", ...: for people */
    long def, min, max;      /* default and range */
    const long *candidate;   /* values worth measuring, ncandidate of them */
    int ncandidate;
};

/* The problem one call solves, as far as all ranks know it alike. */
struct chorale_point {
    int comm_size;
    size_t msg_size;         /* m, bytes of one rank's block */
    size_t n;                /* bytes of the operation: chorale_coll_n() */
    size_t type_size;        /* bytes of one element of the datatype */
    int commutative;         /* the op commutes (1 where nothing is reduced) */
    long param[CHORALE_MAX_PARAM]; /* in the descriptor's order */
};

/* A piece of the critical path: that many messages of that many bytes each,
 * one after the other, plus bytes reduced on the way.
 * Seconds: messages * (alpha + beta * kappa * bytes) + tau * reduced. */
struct chorale_term {
    int level;               /* 0: all ranks alike */
    double messages;
    double bytes;            /* of each message */
    double reduced;          /* bytes reduced, in all */
    double kappa;            /* messages sharing a link; 0 is read as 1 */
};

struct chorale_ctx;          /* ctx.h: a private communicator and scratch */

/* One call's arguments, as MPI gives them; unused fields are zero.
 *
 *   bcast                  recvbuf, recvcount, recvtype is the buffer
 *   reduce, allreduce      recvcount, recvtype, op
 *   reduce_scatter_block   recvcount per rank, recvtype, op
 *   gather, scatter,
 *   allgather              all six; significant where MPI says
 *
 * sendbuf (scatter's root: recvbuf) may be MPI_IN_PLACE where MPI allows it.
 * Arguments are those of a correct program: callers have checked them. */
struct chorale_call {
    struct chorale_ctx *ctx;
    const void *sendbuf;
    void *recvbuf;
    MPI_Count sendcount, recvcount;
    MPI_Datatype sendtype, recvtype;
    MPI_Op op;
    int commutative;         /* of op */
    int root;
    const long *param;       /* in the descriptor's order */
};

enum chorale_needs {
    CHORALE_NEEDS_COMMUTE = 1 << 0, /* a commutative operation */
    CHORALE_NEEDS_POW2 = 1 << 1,    /* comm_size a power of two */
    CHORALE_NEEDS_EVEN = 1 << 2     /* comm_size even */
};

struct chorale_alg {
    enum chorale_coll coll;
    const char *name;        /* stable: stored in every record */
    const char *summary;     /* one line for people */
    const char *formula;     /* cost for people, in alpha, beta, tau, P, n */
    const char *source;      /* where the algorithm is published */
    unsigned needs;          /* enum chorale_needs, or-ed */
    int overlaps;            /* one rank has several sends in flight: the
                              * one-port cost is only a bound, no fit uses it */
    int nparam;
    struct chorale_param param[CHORALE_MAX_PARAM];

    /* Run the collective. Returns an MPI error code. */
    int (*run)(const struct chorale_call *call);

    /* Critical path of one call on a one-port, full-duplex network: fills at
     * most CHORALE_MAX_TERM terms and returns how many. */
    int (*cost)(const struct chorale_point *pt, struct chorale_term *term);

    /* Further constraints: NULL if this variant can run at pt, else why not
     * (a static string). The hook itself may be NULL. */
    const char *(*refuses)(const struct chorale_point *pt);

    /* Bytes of scratch the busiest rank allocates at pt for contiguous
     * types. NULL: none. */
    size_t (*scratch)(const struct chorale_point *pt);
};

/* The catalogue, NULL-terminated, ordered by collective, then by
 * simplicity: of equals the earlier is preferred. */
extern const struct chorale_alg *const chorale_algs[];

/* The variant of that collective and name, or NULL. */
const struct chorale_alg *chorale_alg_find(enum chorale_coll coll,
                                           const char *name);

/* Position of a descriptor in chorale_algs, or -1. Not an identity: it may
 * change between versions. */
int chorale_alg_index(const struct chorale_alg *alg);

/* NULL if alg can run at pt, else the reason (static string). Depends only on
 * what all ranks of a communicator know alike. */
const char *chorale_alg_refuses(const struct chorale_alg *alg,
                                const struct chorale_point *pt);

/* Parse "name=value,name=value" into value[CHORALE_MAX_PARAM] in the
 * descriptor's order; missing ones get their default, "" is all defaults.
 * Values take the suffixes K, M, G (1024). Returns 0, or -1 with one line in
 * why (unknown name, not a number, out of range). */
int chorale_alg_params_parse(const struct chorale_alg *alg, const char *text,
                             long *value, char *why, size_t why_size);

/* The canonical text of parameter values: every parameter, sorted by name,
 * plain numbers; "" for none. Returns its length; text is cut at size. */
int chorale_alg_params_format(const struct chorale_alg *alg, const long *value,
                              char *text, size_t size);

/* Sums of the critical path: A messages, B bytes, C reduced bytes, so that
 * seconds = A alpha + B beta + C tau. */
void chorale_alg_cost_sums(const struct chorale_alg *alg,
                           const struct chorale_point *pt, double *messages,
                           double *bytes, double *reduced);

#endif
