/* SPDX-License-Identifier: BSD-3-Clause */
/* problem.h - one call of one variant, and its check against the plain
 * definition of its collective. */
#ifndef CHORALE_TESTS_MPI_PROBLEM_H
#define CHORALE_TESTS_MPI_PROBLEM_H

#include "tests/mpi/fixture.h"

enum { MAX_RANKS = 64 };

/* What a reduction of all ranks gives, once worked out. */
struct known {
    int units, rank, size;
    int *total, *prefix; /* of all ranks; of the ranks below this one */
};

/* One communicator's state: the first failure is kept. */
struct stage {
    struct fixture *fix;
    struct chorale_ctx *ctx;
    struct known known[NKIND];
    long calls;
    int bits_differed;       /* try_bits saw it */
    int trace;               /* name each call before it is made */
    int failed;
    char text[320];
};

__attribute__((format(printf, 2, 3))) void stage_fail(struct stage *st,
                                                      const char *format, ...);
void stage_release(struct stage *st);

/* Layouts of a data movement: one of fixture.h's, or another on each rank and
 * each side; nothing at all, in elements of some extent or of none; elements of
 * unlike sizes; or wide on one side of each rank and plain on the other. */
enum { MIXED = NMOVE, NOTHING, UNLIKE, NTYPE, HALF_WIDE = NTYPE };

/* Block sizes of an irregular collective, around the mean one. */
enum { EQUAL, RAMP, ZEROS, RANDOM, LONE, NSPREAD };

/* Where its blocks are in memory. */
enum { DENSE, HOLES, PERMUTED, NPLACE };

/* Nodes of the ranks, for variants that need some. */
enum { TWOS, THREES, CYCLIC, IRREGULAR, NNODES };

/* All bits set, none, NaNs of either precision: each source has another one,
 * and the pattern of a problem says which is the first one's. */
enum { NPATTERN = 4 };

/* One call: the parts of it that all ranks know alike. */
struct problem {
    const struct chorale_alg *alg;
    long param[CHORALE_MAX_PARAM];
    int root, units, in_place;
    int layouts;             /* of data movement */
    const struct kind *kind; /* of a reduction, else NULL */
    int spread, placing;     /* of an irregular collective */
    int nodes;
    int seed;                /* makes the data differ from call to call */
    int pattern;             /* of data movement, 1 to NPATTERN: blocks are of
                              * bits that an OR could spoil; 0: they are not */
};

/* Units of the block from source to dest, on a communicator of size n. */
int block_units(const struct problem *p, int n, int source, int dest);

/* What the variant may judge by to refuse: on the stage's communicator, or at
 * any number n of ranks. */
struct chorale_point problem_point(const struct stage *st,
                                   const struct problem *p);
struct chorale_point problem_point_at(const struct fixture *fix, int n,
                                      const struct problem *p);

/* Fill in the call's common parts and run it: an error, or scratch memory
 * that is not given back, is a failure. */
void problem_run(struct stage *st, const struct problem *p,
                 struct chorale_call *call);

/* A failure of this problem at this rank. */
void problem_fail(struct stage *st, const struct problem *p, const char *what,
                  long number);

/* It fails if the buffer is not as it must be. */
void problem_check(struct stage *st, const struct problem *p,
                   const struct buffer *b, const char *which);

/* A reduction's operand and what this rank gets of the result, in units. */
struct shape {
    int whole;
    int from, part; /* the result is of these units of the operand */
    int at_root;    /* has a result */
};

/* counts: [size], filled in for what scatters its result. */
struct shape shape_of(const struct stage *st, const struct problem *p,
                      MPI_Count *counts);

/* One call (of bits two) and its check: the variant must run at this point.
 * moves.c, reductions.c, bits.c, barrier.c. */
void try_move(struct stage *st, const struct problem *p);
void try_reduce(struct stage *st, const struct problem *p);
void try_bits(struct stage *st, const struct problem *p);
void try_barrier(struct stage *st, const struct problem *p);

/* The one of them that fits, if the variant does not refuse; a reason is then
 * demanded. Returns 1 if it ran. */
int try_problem(struct stage *st, const struct problem *p);

/* library.c: the MPI library's collectives as variants, NULL-terminated. */
extern const struct chorale_alg *const library_algs[];

/* together.c: variants one after the other without a pause, on several
 * communicators in turn and two at once, while the application waits for any
 * message on its own. */
void check_together(struct stage *world, struct stage *reversed,
                    const struct chorale_alg *const *alg);

/* copies.c: all layouts to all others. */
void check_copies(struct stage *st);

/* looks.c: a type of elements of unlike sizes and one of equal ones, which no
 * call has seen, are taken apart in a variant's first call at most, not in its
 * second one. In simulation no call does, so that these are calls like others.
 * Returns how many calls were made; *looks grows by the parts that the first
 * calls of this rank took. */
long check_looks(struct stage *st, const struct chorale_alg *alg, long *looks);

/* schedule.c: do the counters of a call match the variant's schedule, and its
 * scratch what it states? In simulation: does its time match its cost? With
 * default parameters and all sizes, or where launches share the work and no
 * number of ranks asks for all, a third of them; of the other parameter values
 * this slice, or where the defaults refuse all sizes, all of them.
 * Returns how many calls were made: 0 only where the variant refuses. */
long check_schedule(struct stage *st, const struct chorale_alg *alg,
                    int full, int slice, int nslice);

#endif
