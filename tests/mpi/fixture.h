/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.h - what the correctness matrix is made of: layouts of blocks in
 * memory, guarded buffers, and reductions with a plain definition. */
#ifndef CHORALE_TESTS_MPI_FIXTURE_H
#define CHORALE_TESTS_MPI_FIXTURE_H

#include <mpi.h>
#include <stddef.h>

#include "algorithms/alg.h"
#include "algorithms/context.h"

/* A unit is ints integers at byte disp[] from its start; units are extent
 * bytes apart. As MPI arguments a unit is per_unit elements of type. */
struct layout {
    const char *name;
    int ints, disp[4], extent, per_unit;
    MPI_Datatype type;
};

/* The first NMOVE have equal signatures: two integers a unit. */
enum {
    PLAIN,
    GAP,    /* between and after */
    BEFORE, /* its data begin after a gap, where lb can be so: lb > 0 */
    LOW,    /* below its address, or after a gap */
    TIGHT,  /* extent below true extent: units interleave */
    DUP,
    NMOVE,
    WIDE = NMOVE, /* a few thousand units pass 2^31 bytes of memory */
    EMPTY,  /* nothing in it, and no extent */
    HOLLOW, /* nothing in it, but of some extent */
    UNEVEN, /* two halves and a whole: elements of unlike sizes */
    ONE_INT,
    INT_PAIR,
    MATRIX,
    MATRIX_LOW,
    DOUBLE, /* two integers are its bytes */
    NLAYOUT
};

/* A reduction: layout of its operand, and what it does, left op right; nothing
 * of what has no plain definition. */
struct kind {
    const char *name;
    int layout, commutative;
    MPI_Op op;
    void (*combine)(int *left, const int *right);
    int (*value)(int rank, int unit, int k); /* operand of a rank */
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

/* Another type of the same layout, which no call has seen. Local. */
void fixture_renew(struct fixture *fix, int layout);

/* Memory of some units, with guards around; want is what it must be. Of wide
 * layouts only a window round each unit is memory at all: what touches the
 * rest ends the program. */
struct buffer {
    const struct layout *layout;
    char *base, *mem, *want; /* want of a wide layout: the windows, joined */
    int units;
    size_t bytes;
};

/* Its bytes, those of the gaps among them, are of a value that no other
 * buffer of the call has, on this rank or another one (up to 64): gaps that
 * are sent or copied along are seen. receives: 1, or 0 of what is sent. */
void buffer_init(struct buffer *b, const struct layout *layout, int units,
                 int rank, int receives);
void buffer_release(struct buffer *b);

/* Set integer k of a unit: what it is before the call (and so after it,
 * unless it changes), or what it must be after the call, or both. */
enum { IS = 1, WANT = 2 };
void buffer_set(struct buffer *b, int unit, int k, int value, int when);

/* Give units from `at` on the content that source has for dest; for layouts
 * of two integers, or of none. */
void buffer_fill(struct buffer *b, int at, int units, int source, int dest,
                 int when);

/* Units [from, to) may be anything after the call: take what they are. Their
 * gaps must be as before. */
void buffer_excuse(struct buffer *b, int from, int to);

/* 1 if any byte is not as wanted; *offset: where from base, the first. */
int buffer_wrong(const struct buffer *b, long *offset);

/* A well mixed non-negative number of three. */
int mix(int a, int b, int c);

#endif
