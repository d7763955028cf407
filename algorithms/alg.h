/* SPDX-License-Identifier: BSD-3-Clause */
/* alg.h - descriptor of a variant, one algorithm of one collective.
 *
 * A variant is one .c file that ends in one descriptor, and one row in its
 * folder's local.am. The help text, the planner, the correctness tests and the
 * dispatcher all read the descriptors.
 *
 * Nothing in this folder keeps mutable state at file scope, because simulated
 * ranks share one process and applications use several threads. The one
 * exception is the datatype cache for MPICH (mixed_cache.c).
 */
#ifndef CHORALE_ALGORITHMS_ALG_H
#define CHORALE_ALGORITHMS_ALG_H

#include <mpi.h>

#include "algorithms/coll.h"

#define CHORALE_MAX_PARAM 4
#define CHORALE_MAX_TERM 96

/* Default of chorale_alg.within: largest ratio of a stated upper bound to the
 * cost of the variant's schedule. */
#define CHORALE_WITHIN 1.25

/* Candidate parameter values that depend on the point; flags, or-ed. */
enum chorale_by {
    CHORALE_BY_ROOT = 1 << 0,   /* square root of P, rounded up */
    CHORALE_BY_SIDES = 1 << 1,  /* the shorter sides, from 2 on, of all meshes
                                 * of P ranks that are not square */
    CHORALE_BY_BLOCKS = 1 << 2, /* S*, half and twice as many. S* is the best
                                 * number of blocks for the m bytes of one rank,
                                 * on a circulant graph and a typical network */
    CHORALE_BY_HALVES = 1 << 3, /* segment sizes in bytes that cut each half of
                                 * the vector into S*, half or twice as many
                                 * segments. S* is best for a double tree */
    CHORALE_BY_FULL = 1 << 4    /* the values above are candidates in the full
                                 * set only */
};

/* A tunable parameter of a variant. Values are whole numbers in [min, max]. If
 * word is not NULL the values are named (for example, variants that serve as a
 * sub-algorithm): word[value] is the name that users and databases see. New
 * words are only ever appended. */
struct chorale_param {
    const char *name;        /* standard name: segsize, radix, max_reqs */
    const char *unit;        /* "bytes", "requests", ...; for display only */
    long def, min, max;      /* default and range */
    const long *candidate;   /* ncandidate values worth measuring */
    int ncandidate;
    const char *const *word; /* max + 1 names; NULL: plain numbers */
    const long *more;        /* nmore further values, in the full set only */
    int nmore;
    unsigned by;             /* enum chorale_by */
};

/* The problem that one call solves, restricted to facts that all ranks know and
 * agree on. */
struct chorale_point {
    int comm_size;
    size_t msg_size;         /* m, bytes of one rank's block; the mean if blocks
                              * differ */
    size_t n;                /* bytes of the operation: chorale_coll_n() */
    size_t type_size;        /* bytes of one element of the datatype */
    int commutative;         /* 1: the op commutes, or the collective has no
                              * op */
    int in_place;            /* alltoall, alltoallv: MPI_IN_PLACE */
    int root;
    int ppn;                 /* ranks per node, placed in blocks; 0: one node,
                              * or unknown */
    long param[CHORALE_MAX_PARAM]; /* values, in the descriptor's order */

    /* Seconds per message, per byte and per reduced byte. They matter where the
     * longest path depends on them, for example a short last segment on a
     * longer path. All 0: typical values. */
    double alpha, beta, tau;
};

/* Bytes of one element, at least 1: a safe divisor for datatypes of size 0. */
static inline size_t chorale_unit(const struct chorale_point *pt)
{
    return pt->type_size > 0 ? pt->type_size : 1;
}

/* A part of the critical path: equal messages sent one after the other, plus
 * bytes reduced on the way.
 * Seconds: messages * (alpha + beta * kappa * bytes) + tau * reduced. */
struct chorale_term {
    int level;               /* network level; 0: all ranks alike */
    double messages;
    double bytes;            /* of each message */
    double reduced;          /* total bytes reduced */
    double kappa;            /* messages sharing a link; 0 is treated as 1 */
};

struct chorale_ctx;          /* context.h: a private communicator and scratch */

/* One call's arguments, as MPI gives them; unused fields are zero.
 *
 *   barrier                nothing
 *   bcast                  recvbuf, recvcount, recvtype is the buffer
 *   reduce, allreduce,
 *   scan, exscan           recvcount, recvtype, op
 *   reduce_scatter_block   recvcount per rank, recvtype, op
 *   reduce_scatter         recvcounts, recvtype, op
 *   gather, scatter,
 *   allgather, alltoall    all six; significant where MPI says
 *   gatherv                send side; at the root recvcounts, rdispls
 *   scatterv               receive side; at the root sendcounts, sdispls
 *   allgatherv             send side, recvcounts, rdispls
 *   alltoallv              sendcounts, sdispls, recvcounts, rdispls
 *
 * Displacements are in extents of their type. sendbuf may be MPI_IN_PLACE where
 * MPI allows it; for scatter and scatterv, the root's recvbuf may. Callers have
 * already checked the arguments for correctness. */
struct chorale_call {
    struct chorale_ctx *ctx;
    const void *sendbuf;
    void *recvbuf;
    MPI_Count sendcount, recvcount;
    const MPI_Count *sendcounts, *recvcounts;
    const MPI_Aint *sdispls, *rdispls;
    MPI_Datatype sendtype, recvtype;
    MPI_Op op;
    int commutative;         /* 1: op commutes */
    int root;
    const long *param;       /* values, in the descriptor's order */
};

enum chorale_needs {
    CHORALE_NEEDS_COMMUTE = 1 << 0, /* a commutative operation */
    CHORALE_NEEDS_POW2 = 1 << 1,    /* comm_size a power of two */
    CHORALE_NEEDS_EVEN = 1 << 2,    /* comm_size even */
    CHORALE_NEEDS_PAIR = 1 << 3,    /* comm_size 2 */
    CHORALE_NEEDS_NODES = 1 << 4,   /* two nodes or more, ranks placed in
                                     * blocks, and two or more ranks on some
                                     * node */
    CHORALE_NEEDS_SEPARATE = 1 << 5 /* no MPI_IN_PLACE (alltoall, alltoallv) */
};

/* Order in which a variant combines its operands. */
enum chorale_order {
    CHORALE_ORDER_NONE = 0, /* no reduction */
    CHORALE_ORDER_RANK,     /* rank order: valid for any associative op */
    CHORALE_ORDER_FIXED,    /* an order fixed by comm_size, n, root and the
                             * parameters: bitwise reproducible */
    CHORALE_ORDER_TIMING    /* order of message arrival: never selectable */
};

/* Accuracy of the stated cost on a one-port, full-duplex network. */
enum chorale_cost_is {
    CHORALE_COST_EXACT = 0,  /* the critical path; overlapping messages of one
                              * rank queue in the order posted. Only a bound
                              * where overlaps_at returns 1 */
    CHORALE_COST_POW2,       /* exact at powers of two, else an upper bound */
    CHORALE_COST_BOUND       /* an upper bound */
};

/* Membership in the default plan. At most six variants of a collective belong
 * to it at any point. */
enum chorale_core {
    CHORALE_CORE_NOT = 0,
    CHORALE_CORE_ANY,
    CHORALE_CORE_FLAT,       /* unless several nodes hold several ranks each */
    CHORALE_CORE_LEVELS      /* only if several nodes hold several ranks each */
};

/* Descriptor of a variant. The syntax of formula is read by people and by
 * tests/unit/algorithms/formulas.c, which compares it with cost at many points
 * with P >= 2. A formula is a list of clauses separated by "; ". A later clause
 * replaces the earlier ones, or is added to them if it begins with "+".
 *
 *     [condition: ] [<= ] [+ ] sum [, name = sum] [, words]
 *
 * "<=" marks an upper bound; it is required where cost is one. A sum consists
 * of numbers, names, + - * / ^, a space for multiplication, brackets, lg x,
 * log_k x, ceil(x), floor(x), min(x, y), max(x, y), u(x) = floor(x^2/4). In
 * place of a sum, "as ..." names a cost in words (the cost of sub-algorithms).
 * Conditions are separated by ", ": "P odd", "P a power of two", "P not a power
 * of two", "x < y", "x > y", "x = y", "parameter=value or value". A clause with
 * the condition "N ports" describes another network and is not tested.
 *
 * Names are parameters, names defined in the formula, and
 *     alpha, beta, tau, P, n, m; root; k: parameter radix, 2 without one
 *     M m_0 m_root: the largest block, that of rank 0, that of the root
 *     p N: ranks of a node, nodes; of a parameter group, groups, if it is
 *     not 0;  s S: bytes of a segment, segments
 *     G: bytes of the largest block, of the 2 largest, the 4, ... below P
 *     R: rounds of rings along the dimensions of a cubic torus
 *     W D: digits other than 0 of the numbers below P, to base 2 or radix;
 *          pairs of a place and such a digit */
struct chorale_alg {
    enum chorale_coll coll;
    const char *name;        /* stable: stored in every database record */
    const char *summary;     /* one line for display */
    const char *formula;     /* cost for display; syntax above */
    const char *source;      /* publication of the algorithm */
    const char *patents;     /* patent numbers, "US 8,140,826"; NULL: none
                              * known */
    const char *unselectable; /* why it may be measured but never chosen; NULL:
                               * selectable */
    const char *fallback;    /* where the variant deviates from its parameters,
                              * and how it behaves there (rounding segments to
                              * whole elements is not listed); NULL: never */
    int bits_differ;         /* allreduce: ranks may end with different bits of
                              * floating-point results; never selectable */
    unsigned needs;          /* enum chorale_needs, or-ed */
    int by_node;             /* 1: uses the node of each rank, at least with
                              * some parameter values; needs and refuses
                              * state the requirements. Implied by
                              * CHORALE_NEEDS_NODES */
    enum chorale_order order; /* at every point, unless order_at is set */
    enum chorale_cost_is cost_is;
    double within;           /* where cost is an upper bound: largest ratio of
                              * it to the cost of the variant's schedule on one
                              * port. 0: CHORALE_WITHIN */
    double within_default;   /* the same with default parameters; 0: same as
                              * within */
    enum chorale_core core;
    int overlaps;            /* 1: one rank has several sends or receives in
                              * flight. A real network may overlap them, so the
                              * one-port cost is not used in fits. See
                              * overlaps_at */
    struct {
        double each, some;
    } copies;                /* a rank copies at most (each P + some) m bytes
                              * in its memory if types are packed; both 0: no
                              * more than every variant must copy */
    int tells;               /* 1: sizes of later messages depend on received
                              * data; the schedule is found by iteration
                              * (size_exchange.h) */
    int nparam;
    struct chorale_param param[CHORALE_MAX_PARAM];

    /* Run the collective. Returns an MPI error code. */
    int (*run)(const struct chorale_call *call);

    /* The stated critical path of one call on a one-port, full-duplex network:
     * fills at most CHORALE_MAX_TERM terms and returns how many. Irregular
     * collectives: for the block sizes of chorale_ramp(). */
    int (*cost)(const struct chorale_point *pt, struct chorale_term *term);

    /* 1 if sends or receives overlap at pt; used where this depends on
     * parameter values. The hook itself may be NULL. */
    int (*overlaps_at)(const struct chorale_point *pt);

    /* The order at pt, if it depends on the parameters (a sub-algorithm), the
     * root or the operation; the field order is then the weakest of them. The
     * hook itself may be NULL. */
    enum chorale_order (*order_at)(const struct chorale_point *pt);

    /* Further constraints: NULL if this variant can run at pt, else the reason
     * (a static string). The hook itself may be NULL. constraint describes the
     * requirement in a few words; it is set if and only if the hook is. */
    const char *(*refuses)(const struct chorale_point *pt);
    const char *constraint;

    /* Upper bound on the bytes of scratch that the busiest rank allocates at pt
     * for contiguous types, without alignment padding. It covers calls with and
     * without MPI_IN_PLACE; pt tells whether the operation commutes. The bound
     * is at most about twice the use (tests/unit/algorithms/schedule.c);
     * two-level variants are exempt, since their ranks may be placed in any
     * way. NULL: no scratch. */
    size_t (*scratch)(const struct chorale_point *pt);
};

/* The catalogue, NULL-terminated, ordered by collective, then by simplicity:
 * among equals the earlier variant is preferred. */
extern const struct chorale_alg *const chorale_algs[];

/* The variant of the given collective and name, or NULL. */
const struct chorale_alg *chorale_alg_find(enum chorale_coll coll,
                                           const char *name);

/* Position of a descriptor in chorale_algs, or -1. Not an identity: it may
 * change between versions. */
int chorale_alg_index(const struct chorale_alg *alg);

/* 1 if alg is in the core set for comm_size ranks with ppn ranks per node in
 * blocks (0: on one node, or unknown). */
int chorale_alg_core(const struct chorale_alg *alg, int comm_size, int ppn);

/* NULL if alg can run at pt, else the reason (static string). Depends only on
 * facts that all ranks of a communicator agree on. */
const char *chorale_alg_refuses(const struct chorale_alg *alg,
                                const struct chorale_point *pt);

/* 1 if the variant uses the node of each rank, at least with some parameter
 * values. */
int chorale_alg_by_node(const struct chorale_alg *alg);

/* Order in which alg combines operands at pt. */
enum chorale_order chorale_alg_order(const struct chorale_alg *alg,
                                     const struct chorale_point *pt);

/* NULL if alg may enter a decision table, else the reason (static string).
 * Patented variants need allow_patented; some variants are only measured. */
const char *chorale_alg_unselectable(const struct chorale_alg *alg,
                                     int allow_patented);

/* Parse "name=value,name=value" into value[CHORALE_MAX_PARAM], in the
 * descriptor's order. Missing parameters get their default; "" means all
 * defaults. Numbers take the suffixes K, M, G (powers of 1024); named values
 * are given by their word.
 * Returns 0, or -1 with a one-line reason in why and value unchanged: a name
 * that is unknown or given twice, an unknown word, not a number, out of range,
 * or a comma at the end. */
int chorale_alg_params_parse(const struct chorale_alg *alg, const char *text,
                             long *value, char *why, size_t why_size);

/* Canonical text of parameter values: every parameter, sorted by name, as plain
 * number or word; "" without parameters. Returns its length; text is truncated
 * to size bytes. */
int chorale_alg_params_format(const struct chorale_alg *alg, const long *value,
                              char *text, size_t size);

/* 1 if sends or receives of one rank overlap at pt. */
int chorale_alg_overlaps(const struct chorale_alg *alg,
                         const struct chorale_point *pt);

/* 1 if a parameter has the value "library" at pt: the MPI library then runs a
 * part of the collective, in unknown time. The stated cost is neither the
 * critical path nor a bound then; a variant of this catalogue stands in for the
 * library's part. */
int chorale_alg_by_library(const struct chorale_alg *alg,
                           const struct chorale_point *pt);

/* 1 if the stated cost at pt is the critical path; 0 if it is only a bound, or
 * if the MPI library runs a part. */
int chorale_alg_exact(const struct chorale_alg *alg,
                      const struct chorale_point *pt);

/* 1 if the time at pt can be predicted from alpha, beta and tau: 0 if sends
 * overlap or if the MPI library runs a part. */
int chorale_alg_modelled(const struct chorale_alg *alg,
                         const struct chorale_point *pt);

/* The sums A, B and C over given terms (schedule/path_cost.h). */
void chorale_term_sums(const struct chorale_term *term, int nterm,
                       double *messages, double *bytes, double *reduced);

#endif
