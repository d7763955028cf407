/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.h - parts of the correctness matrix: layouts of blocks in memory,
 * guarded buffers, and reductions with a plain definition. */
#ifndef CHORALE_TESTS_MPI_FIXTURE_H
#define CHORALE_TESTS_MPI_FIXTURE_H

#include <mpi.h>
#include <stddef.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* A unit has ints integers, at byte disp[] from its start; units are extent
 * bytes apart. As MPI arguments a unit is per_unit elements of type. */
struct layout {
    const char *name;
    int ints, disp[4], extent, per_unit;
    MPI_Datatype type;
};

/* The first NMOVE have equal signatures: two integers a unit. */
enum {
    PLAIN,
    GAP,    /* gaps between the integers and after them */
    BEFORE, /* the data begin after a gap; lb > 0 where the library allows it */
    LOW,    /* lb < 0, or a gap in front in simulation */
    TIGHT,  /* extent below true extent: units interleave */
    DUP,
    NMOVE,
    WIDE = NMOVE, /* a few thousand units span more than 2^31 bytes */
    EMPTY,  /* no data, extent 0 */
    HOLLOW, /* no data, extent above 0 */
    UNEVEN, /* elements of different sizes: two halves and a whole */
    ONE_INT,
    INT_PAIR,
    MATRIX,
    MATRIX_LOW,
    DOUBLE, /* compared as two integers */
    NLAYOUT
};

/* A reduction: the layout of its operand, and the plain definition of left op
 * right. combine and value are NULL without a plain definition. */
struct kind {
    const char *name;
    int layout, commutative;
    MPI_Op op;
    void (*combine)(int *left, const int *right);
    int (*value)(int rank, int unit, int k); /* of rank's operand */
};

enum {
    SUM,
    BOR,
    MAXLOC,
    LOW_SUM,
    TIGHT_SUM,
    PRODUCT,
    LOW_PRODUCT,
    EMPTY_SUM,
    HOLLOW_SUM,
    UNEVEN_SUM,
    NUSUAL,
    WIDE_SUM = NUSUAL,
    BITS, /* sums that depend on the order of adding: bits.c */
    NKIND
};

struct fixture {
    struct layout layout[NLAYOUT];
    struct kind kind[NKIND];
};

/* Make and free the types and operations. */
void fixture_init(struct fixture *fix);
void fixture_release(struct fixture *fix);

/* Replace the type by a new one of the same layout. Local. */
void fixture_renew(struct fixture *fix, int layout);

/* Memory of some units between guards; want is the expected content after the
 * call. In wide layouts only a window around each unit is mapped: an access
 * elsewhere ends the program. */
struct buffer {
    const struct layout *layout;
    char *base, *mem, *want; /* want of a wide layout: the windows, joined */
    int units;
    size_t bytes;
};

/* Allocate. All bytes, also those of gaps, get a value that no other buffer of
 * the call has on any of up to 64 ranks, so that sent or copied gaps are
 * detected. receives: 1 for a receive buffer, 0 for a send buffer. */
void buffer_init(struct buffer *b, const struct layout *layout, int units,
                 int rank, int receives);
void buffer_release(struct buffer *b);

/* Set integer k of a unit: IS, its value before the call (expected unchanged
 * unless WANT is set); WANT, its expected value after the call; or both. */
enum { IS = 1, WANT = 2 };
void buffer_set(struct buffer *b, int unit, int k, int value, int when);

/* Set units from `at` on to the content that source has for dest; for layouts
 * of two integers or without data. */
void buffer_fill(struct buffer *b, int at, int units, int source, int dest,
                 int when);

/* Accept any integers in units [from, to): expect the present ones. Gaps must
 * still be unchanged. */
void buffer_excuse(struct buffer *b, int from, int to);

/* 1 if a byte differs from want; *offset: the first one, from base. */
int buffer_wrong(const struct buffer *b, long *offset);

/* A non-negative hash of three numbers. */
int mix(int a, int b, int c);

#endif
