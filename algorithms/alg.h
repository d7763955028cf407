/* SPDX-License-Identifier: BSD-3-Clause */
/* alg.h - what one variant of a collective is.
 *
 * A variant is one .c file that ends in one descriptor, and its row in the
 * folder's local.am. Everything else (help text, the planner's space, the
 * correctness matrix, the dispatcher) reads the descriptors.
 *
 * Nothing in this folder keeps mutable state at file scope: simulated ranks
 * share one process, and applications use several threads. What is known of
 * types under MPICH (mixed_cache.c) is the exception.
 */
#ifndef CHORALE_ALGORITHMS_ALG_H
#define CHORALE_ALGORITHMS_ALG_H

#include <mpi.h>

#include "algorithms/coll.h"

#define CHORALE_MAX_PARAM 4
#define CHORALE_MAX_TERM 96

/* How far above its schedule a stated bound may be, if the descriptor does not
 * say otherwise. */
#define CHORALE_WITHIN 1.25

/* Values worth measuring that depend on the point, or-ed. */
enum chorale_by {
    CHORALE_BY_ROOT = 1 << 0,   /* the square root of P, rounded up */
    CHORALE_BY_SIDES = 1 << 1,  /* the shorter sides of all meshes of P */
    CHORALE_BY_BLOCKS = 1 << 2, /* S*, its half and its double: the blocks of m
                                 * bytes, what one rank brings, that are best
                                 * for a circulant graph on a typical network */
    CHORALE_BY_HALVES = 1 << 3, /* a segment, in bytes, such that each half of
                                 * the vector has S* of a double tree, half and
                                 * twice as many */
    CHORALE_BY_FULL = 1 << 4    /* all of these in the full set only */
};

/* A tunable of a variant. Values are whole numbers in [min, max]. Where a
 * parameter chooses among things with names (the variant that does a part),
 * word[value] is that name: people and databases see the word. Words are only
 * ever added at the end. */
struct chorale_param {
    const char *name;        /* the field's word: segsize, radix, max_reqs */
    const char *unit;        /* "bytes", "requests", ...: for people */
    long def, min, max;      /* default and range */
    const long *candidate;   /* values worth measuring, ncandidate of them */
    int ncandidate;
    const char *const *word; /* max + 1 of them, or NULL: a number */
    const long *more;        /* further ones, of the full set only: nmore */
    int nmore;
    unsigned by;             /* enum chorale_by */
};

/* The problem one call solves, as far as all ranks know it alike. */
struct chorale_point {
    int comm_size;
    size_t msg_size;         /* m, bytes of one rank's block; the mean one */
    size_t n;                /* bytes of the operation: chorale_coll_n() */
    size_t type_size;        /* bytes of one element of the datatype */
    int commutative;         /* the op commutes (1 where nothing is reduced) */
    int in_place;            /* alltoall, alltoallv: MPI_IN_PLACE */
    int root;
    int ppn;                 /* ranks a node, placed in blocks; 0: one node,
                              * or not known */
    long param[CHORALE_MAX_PARAM]; /* in the descriptor's order */

    /* Where the critical path depends on them (a short last segment against a
     * longer way): seconds a message, a byte, a reduced byte. All 0: typical
     * ones. */
    double alpha, beta, tau;
};

/* Bytes of an element to divide by: a datatype may hold none. */
static inline size_t chorale_unit(const struct chorale_point *pt)
{
    return pt->type_size > 0 ? pt->type_size : 1;
}

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
 * Displacements are in extents of their type. sendbuf (scatter's and
 * scatterv's root: recvbuf) may be MPI_IN_PLACE where MPI allows it.
 * Arguments are those of a correct program: callers have checked them. */
struct chorale_call {
    struct chorale_ctx *ctx;
    const void *sendbuf;
    void *recvbuf;
    MPI_Count sendcount, recvcount;
    const MPI_Count *sendcounts, *recvcounts;
    const MPI_Aint *sdispls, *rdispls;
    MPI_Datatype sendtype, recvtype;
    MPI_Op op;
    int commutative;         /* of op */
    int root;
    const long *param;       /* in the descriptor's order */
};

enum chorale_needs {
    CHORALE_NEEDS_COMMUTE = 1 << 0, /* a commutative operation */
    CHORALE_NEEDS_POW2 = 1 << 1,    /* comm_size a power of two */
    CHORALE_NEEDS_EVEN = 1 << 2,    /* comm_size even */
    CHORALE_NEEDS_PAIR = 1 << 3,    /* comm_size 2 */
    CHORALE_NEEDS_NODES = 1 << 4,   /* two nodes or more, with two ranks or
                                     * more on one of them, ranks placed in
                                     * blocks */
    CHORALE_NEEDS_SEPARATE = 1 << 5 /* no MPI_IN_PLACE (alltoall, -v) */
};

/* In which order a variant combines its operands. */
enum chorale_order {
    CHORALE_ORDER_NONE = 0, /* it reduces nothing */
    CHORALE_ORDER_RANK,     /* rank order: right for any associative op */
    CHORALE_ORDER_FIXED,    /* an order fixed by comm_size, n, root and the
                             * parameters: the same bits at every call */
    CHORALE_ORDER_TIMING    /* as messages come: never selectable */
};

/* What the stated cost is on a one-port, full-duplex network. */
enum chorale_cost_is {
    CHORALE_COST_EXACT = 0,  /* the critical path, where messages of one rank
                              * that overlap queue as they are posted; where
                              * overlaps_at says that they overlap a bound */
    CHORALE_COST_POW2,       /* exact at powers of two, else an upper bound */
    CHORALE_COST_BOUND       /* an upper bound */
};

/* In the default plan? At most six of a collective are, at any point. */
enum chorale_core {
    CHORALE_CORE_NOT = 0,
    CHORALE_CORE_ANY,
    CHORALE_CORE_FLAT,       /* not where several nodes hold several ranks */
    CHORALE_CORE_LEVELS      /* only there */
};

/* A formula is read by people, and by tests/unit/algorithms/formulas.c, which holds it
 * against cost at many points with P of 2 and more: clauses between "; ", a
 * later one in place of those before, or added to them if it begins with "+".
 *
 *     [condition: ] [<= ] [+ ] sum [, name = sum] [, words]
 *
 * "<=" makes it a bound, and has to be there where cost is one. A sum has
 * numbers, names, + - * / ^, a space for times, brackets, lg x, log_k x,
 * ceil(x), floor(x), min(x, y), max(x, y), u(x) = floor(x^2/4). In place of a
 * sum "as ..." says in words what no sum can (the cost of parts). Conditions,
 * several with ", " between: "P odd", "P a power of two", "P not a power of
 * two", "x < y", "x > y", "x = y", "parameter=value or value", "N ports" and
 * what holds there (on another network, so it is not held against anything).
 *
 * Names are parameters, what the formula defines, and
 *     alpha, beta, tau, P, n, m; root; M m_root: the largest, the root's block
 *     p N: ranks of a node, nodes; of a parameter group, groups, if it is
 *     not 0;  s S: bytes of a segment, segments
 *     G: bytes of the largest block, of the 2 largest, the 4, ... below P
 *     R: rounds of rings along the dimensions of a cubic torus
 *     W D: digits other than 0 of the numbers below P, to base 2 or radix;
 *          pairs of a place and such a digit */
struct chorale_alg {
    enum chorale_coll coll;
    const char *name;        /* stable: stored in every record */
    const char *summary;     /* one line for people */
    const char *formula;     /* cost for people: see below */
    const char *source;      /* where the algorithm is published */
    const char *patents;     /* numbers, "US 8,140,826"; NULL: none known */
    const char *unselectable; /* why it is measured but never chosen; NULL */
    const char *fallback;    /* where it does not do as its parameters say,
                              * and what it does there, segments in whole
                              * elements apart; NULL: nowhere */
    int bits_differ;         /* allreduce: ranks may end with different bits of
                              * floating-point numbers; never selectable */
    unsigned needs;          /* enum chorale_needs, or-ed */
    int by_node;             /* it asks which ranks share a node, if with some
                              * parameter values only: needs and refuses say
                              * what of them it demands. Those that need
                              * CHORALE_NEEDS_NODES do anyway */
    enum chorale_order order; /* at every point; see order_at */
    enum chorale_cost_is cost_is;
    double within;           /* where the cost is an upper bound: it is at most
                              * this many times what the variant's schedule
                              * takes on one port. 0: CHORALE_WITHIN */
    double within_default;   /* the same with default parameters; 0: as
                              * with others */
    enum chorale_core core;
    int overlaps;            /* one rank has several sends or receives in
                              * flight: the one-port cost is only a bound, no
                              * fit uses it. See overlaps_at */
    struct {
        double each, some;
    } copies;                /* one rank copies at most (each P + some) m bytes
                              * inside its memory where types are their packed
                              * bytes; both 0: no more than each variant of
                              * the collective has to */
    int tells;               /* ranks tell each other sizes, on which later
                              * messages depend: its schedule carries what is
                              * told (size_exchange.h) */
    int nparam;
    struct chorale_param param[CHORALE_MAX_PARAM];

    /* Run the collective. Returns an MPI error code. */
    int (*run)(const struct chorale_call *call);

    /* The stated critical path of one call on a one-port, full-duplex
     * network: fills at most CHORALE_MAX_TERM terms and returns how many.
     * Irregular collectives: with the blocks of chorale_ramp(). */
    int (*cost)(const struct chorale_point *pt, struct chorale_term *term);

    /* 1 where it overlaps (see there) with some parameter values only. The
     * hook itself may be NULL. */
    int (*overlaps_at)(const struct chorale_point *pt);

    /* The order at a point, where it depends on the parameters (a part that
     * they choose), the root or the operation; order is then the weakest of
     * them. The hook itself may be NULL. */
    enum chorale_order (*order_at)(const struct chorale_point *pt);

    /* Further constraints: NULL if this variant can run at pt, else why not
     * (a static string). The hook itself may be NULL; constraint is what it
     * demands, in a few words for people, and is there with the hook only. */
    const char *(*refuses)(const struct chorale_point *pt);
    const char *constraint;

    /* Bytes of scratch the busiest rank allocates at pt for contiguous
     * types; an upper bound, but for what alignment costs, of calls in place
     * and not, with an operation that commutes or not as pt says. At most
     * about twice what is used (tests/unit/algorithms/schedule.c), but by two levels,
     * which may be placed in any way. NULL: none. */
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

/* 1 if alg is in the core set of communicators of comm_size ranks, ppn on each
 * node in blocks (0: on one node, or not known). */
int chorale_alg_core(const struct chorale_alg *alg, int comm_size, int ppn);

/* NULL if alg can run at pt, else the reason (static string). Depends only on
 * what all ranks of a communicator know alike. */
const char *chorale_alg_refuses(const struct chorale_alg *alg,
                                const struct chorale_point *pt);

/* 1 if it asks, with some parameter values at least, which ranks share a
 * node. */
int chorale_alg_by_node(const struct chorale_alg *alg);

/* In which order it combines operands at pt. */
enum chorale_order chorale_alg_order(const struct chorale_alg *alg,
                                     const struct chorale_point *pt);

/* NULL if alg may enter a table, else why not (static string): patents need
 * allow_patented, and some variants are only ever measured. */
const char *chorale_alg_unselectable(const struct chorale_alg *alg,
                                     int allow_patented);

/* Parse "name=value,name=value" into value[CHORALE_MAX_PARAM] in the
 * descriptor's order; missing ones get their default, "" is all defaults.
 * Numbers take the suffixes K, M, G (1024); parameters with words the word.
 * Returns 0, or -1 with one line in why (unknown name, not a number, out of
 * range). */
int chorale_alg_params_parse(const struct chorale_alg *alg, const char *text,
                             long *value, char *why, size_t why_size);

/* The canonical text of parameter values: every parameter, sorted by name,
 * plain numbers or words; "" for none. Returns its length; text is cut at
 * size. */
int chorale_alg_params_format(const struct chorale_alg *alg, const long *value,
                              char *text, size_t size);

/* 1 if it overlaps at pt, always or there. */
int chorale_alg_overlaps(const struct chorale_alg *alg,
                         const struct chorale_point *pt);

/* 1 if the MPI library does a part of it at pt, as a parameter says by the word
 * "library": what that takes is not known. The stated cost is then neither the
 * critical path nor a bound; some part of ours stands in for the library's. */
int chorale_alg_by_library(const struct chorale_alg *alg,
                           const struct chorale_point *pt);

/* 1 if the stated cost at pt is the critical path, 0 if it is a bound, or where
 * the library does a part nothing that is known. */
int chorale_alg_exact(const struct chorale_alg *alg,
                      const struct chorale_point *pt);

/* 1 if its time at pt can be foretold from alpha, beta and tau: 0 where sends
 * overlap, where the library does a part, and where there is only a bound. */
int chorale_alg_modelled(const struct chorale_alg *alg,
                         const struct chorale_point *pt);

/* The same for terms at hand. */
void chorale_term_sums(const struct chorale_term *term, int nterm,
                       double *messages, double *bytes, double *reduced);

#endif
