/* SPDX-License-Identifier: BSD-3-Clause */
/* factor_levels.h - the product of everything a call can differ in, for one variant:
 * factors and their levels. */
#ifndef CHORALE_TESTS_MPI_FACTOR_LEVELS_H
#define CHORALE_TESTS_MPI_FACTOR_LEVELS_H

#include "tests/mpi/problem.h"

enum factor {
    SLICE, /* which launch tries it */
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

/* What one variant's factors can be at one number of ranks. Level 0 of each is
 * what most variants can do: the largest count, the first type, not in place,
 * the default of a parameter. */
struct space {
    const struct chorale_alg *alg;
    int level[NFACTOR]; /* how many; 1: it does not differ */
    int root[4], units[12];
    long value[CHORALE_MAX_PARAM][MAX_VALUES]; /* the default first */
};

/* full: with the largest counts (4097 units at up to 8 ranks, blocks at up to
 * 4; 521 at more; blocks at more than 17 ranks 131) and all values. nslice: how
 * many launches share the work. */
void space_init(struct space *s, const struct chorale_alg *alg, int ranks,
                int ncomm, int nslice, int full);

/* Is value v of parameter i one of those that do not come and go with the
 * number of ranks, as one less or more than it does? */
int space_is_fixed(const struct space *s, int i, int v, int ranks);

/* The problem at one level of each factor. */
struct problem space_problem(const struct space *s, const struct fixture *fix,
                             const int *at, int seed);

/* The factors of a variant at a number of ranks, of which a cover is made. */
struct asked {
    const struct space *s;
    const struct fixture *fix;
    int ranks;
};

/* For pairs.h: does the variant run there? arg is an asked. */
int space_runs_at(const void *arg, const int *at);

/* bits.c: sums of doubles, on some communicators in turn, with the parameters
 * of base (a level each factor) and with each other value of each parameter,
 * of these every nslice-th. Returns how many calls ran. */
long check_bits(struct stage *stage, int nstage, const struct space *s,
                const int *base, int slice, int nslice);

#endif
