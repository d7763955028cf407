/* SPDX-License-Identifier: BSD-3-Clause */
/* factor_levels.h - everything in which calls of one variant can differ, as
 * factors with levels. */
#ifndef CHORALE_TESTS_MPI_FACTOR_LEVELS_H
#define CHORALE_TESTS_MPI_FACTOR_LEVELS_H

#include "tests/mpi/problem.h"

enum factor {
    SLICE, /* the launch that makes the call */
    COMM,
    ROOT,
    UNITS,
    TYPE,  /* layout, or kind of reduction */
    PLACE, /* MPI_IN_PLACE */
    SPREAD,
    PLACING,
    NODES,
    PARAM, /* and the following ones */
    NFACTOR = PARAM + CHORALE_MAX_PARAM
};

enum { MAX_VALUES = 24 };

/* The levels of one variant's factors at one number of ranks. Level 0 of each
 * suits most variants: the largest count, the first type, not in place, the
 * default of a parameter. */
struct space {
    const struct chorale_alg *alg;
    int level[NFACTOR]; /* number of levels; 1: the factor is constant */
    int root[4], units[12];
    long value[CHORALE_MAX_PARAM][MAX_VALUES]; /* the default first */
};

/* Set the levels. full: try all values and the largest counts. These are 4097
 * units at up to 8 ranks (blocks: up to 4 ranks), 521 with more ranks, and 131
 * for blocks at more than 17 ranks. nslice: launches that share the work. */
void space_init(struct space *s, const struct chorale_alg *alg, int ranks,
                int ncomm, int nslice, int full);

/* 0 if value v of parameter i is only tried because it is the number of ranks
 * plus -1, 0 or 1; else 1. */
int space_is_fixed(const struct space *s, int i, int v, int ranks);

/* The problem at one level of each factor. */
struct problem space_problem(const struct space *s, const struct fixture *fix,
                             const int *at, int seed);

/* Argument of space_runs_at(): a variant at a number of ranks. */
struct asked {
    const struct space *s;
    const struct fixture *fix;
    int ranks;
};

/* A pairs_can: 1 if the variant runs at these levels. arg: struct asked. */
int space_runs_at(const void *arg, const int *at);

/* bits.c: sums of doubles on each communicator in turn, with the parameters of
 * base (a level per factor) and with every nslice-th other value of each
 * parameter, from slice on. Returns the number of calls that ran. */
long check_bits(struct stage *stage, int nstage, const struct space *s,
                const int *base, int slice, int nslice);

#endif
