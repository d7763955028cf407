/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.h - one call of one variant, and its check against the plain
 * definition of its collective. */
#ifndef CHORALE_TESTS_MPI_PROBLEM_H
#define CHORALE_TESTS_MPI_PROBLEM_H

#include "tests/mpi/fixture.h"

enum { MAX_RANKS = 64 };

/* Cached result of a reduction. */
struct known {
    int units, rank, size;
    int *total, *prefix; /* over all ranks; over the ranks below this one */
};

/* State of one communicator. text: its first failure. */
struct stage {
    struct fixture *fix;
    struct chorale_ctx *ctx;
    struct known known[NKIND];
    long calls;
    int bits_differed;       /* set by try_bits() */
    int trace;               /* name each call before it is made */
    int failed;
    char text[320];
};

__attribute__((format(printf, 2, 3))) void stage_fail(struct stage *st,
                                                      const char *format, ...);
void stage_release(struct stage *st);

/* Layouts of a data movement: one of fixture.h's, or
 *   MIXED      another layout on each rank and side
 *   NOTHING    elements without data, some with an extent
 *   UNLIKE     elements of different sizes
 *   HALF_WIDE  wide on one side of each rank, plain on the other */
enum { MIXED = NMOVE, NOTHING, UNLIKE, NTYPE, HALF_WIDE = NTYPE };

/* Block sizes of an irregular collective, relative to the mean. */
enum { EQUAL, RAMP, ZEROS, RANDOM, LONE, NSPREAD };

/* Positions of its blocks in memory. */
enum { DENSE, HOLES, PERMUTED, NPLACE };

/* Nodes of the ranks, for variants that depend on them. */
enum { TWOS, THREES, CYCLIC, IRREGULAR, NNODES };

/* Bit patterns: all bits set, no bit set, NaNs of either precision. Each source
 * has another one; the problem's pattern selects that of the first source. */
enum { NPATTERN = 4 };

/* One call: the properties that are equal on all ranks. */
struct problem {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
    int root, units, in_place;
    int layouts;             /* of data movement */
    const struct kind *kind; /* of a reduction, else NULL */
    int spread, placing;     /* of an irregular collective */
    int nodes;
    int seed;                /* makes the data differ from call to call */
    int pattern;             /* of data movement, 1 to NPATTERN: blocks are bit
                              * patterns that an OR could damage; 0: no */
};

/* Units of the block from source to dest, with n ranks. */
int block_units(const struct problem *p, int n, int source, int dest);

/* The point by which the variant may refuse: on the stage's communicator, or
 * with n ranks. */
struct chorale_point problem_point(const struct stage *st,
                                   const struct problem *p);
struct chorale_point problem_point_at(const struct fixture *fix, int n,
                                      const struct problem *p);

/* Fill in the call's common parts and run it. An error, or scratch memory that
 * is not released, is a failure. */
void problem_run(struct stage *st, const struct problem *p,
                 struct chorale_call *call);

/* Record a failure of this problem at this rank. */
void problem_fail(struct stage *st, const struct problem *p, const char *what,
                  long number);

/* Record a failure if the buffer is not as expected. */
void problem_check(struct stage *st, const struct problem *p,
                   const struct buffer *b, const char *which);

/* A reduction's operand and this rank's part of the result, in units. */
struct shape {
    int whole;
    int from, part; /* the result is of these units of the operand */
    int at_root;    /* this rank has a result */
};

/* counts: [size], filled in for collectives that scatter the result. */
struct shape shape_of(const struct stage *st, const struct problem *p,
                      MPI_Count *counts);

/* Make one call (try_bits: two) and check it; the variant must run at this
 * point. In data_movement.c, reductions.c, bits.c, barrier.c. */
void try_move(struct stage *st, const struct problem *p);
void try_reduce(struct stage *st, const struct problem *p);
void try_bits(struct stage *st, const struct problem *p);
void try_barrier(struct stage *st, const struct problem *p);

/* Call the matching function, unless the variant refuses, for which it must
 * state a reason. Returns 1 if the call ran. */
int try_problem(struct stage *st, const struct problem *p);

/* concurrent_calls.c: call variants back to back on several communicators in
 * turn and on two at once, while the application has a receive with
 * MPI_ANY_SOURCE and MPI_ANY_TAG open on its own. */
void check_together(struct stage *world, struct stage *reversed,
                    const struct chorale_alg *const *alg);

/* copies.c: copy between all pairs of layouts. */
void check_copies(struct stage *st);

/* type_decoding.c: decode new types, with elements of different and of equal
 * sizes. Only a variant's first call with a type may decode it, not the second.
 * In simulation no call decodes types. Returns the number of calls; *looks
 * grows by the types that this rank decoded in first calls. */
long check_looks(struct stage *st, const struct chorale_alg *alg, long *looks);

/* schedule.c: do the counters of a call match the variant's schedule, and its
 * scratch the stated bytes? In simulation: does its time match its cost?
 * Launches that share the work try some sizes each with default parameters, or
 * all sizes at some numbers of ranks. They try one slice of the other parameter
 * values, or all if the defaults refuse all sizes. Returns the number of calls:
 * 0 only if the variant refuses. */
long check_schedule(struct stage *st, const struct chorale_alg *alg,
                    int full, int slice, int nslice);

#endif
