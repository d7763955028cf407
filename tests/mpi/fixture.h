/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.h - what the correctness matrix is made of: layouts of blocks in
 * memory, guarded buffers, and reductions with a plain definition. */
#ifndef CHORALE_TESTS_FIXTURE_H
#define CHORALE_TESTS_FIXTURE_H

#include <mpi.h>
#include <stddef.h>

#include "algorithms/alg.h"
#include "algorithms/ctx.h"

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
    GAP,
    LOW, /* below its address, or after a gap */
    DUP,
    NMOVE,
    ONE_INT = NMOVE,
    INT_PAIR,
    MATRIX,
    NLAYOUT
};

/* A reduction: layout of its operand, and what it does, left op right. */
struct kind {
    const char *name;
    int layout, commutative;
    MPI_Op op;
    void (*combine)(int *left, const int *right);
    int (*value)(int rank, int unit, int k); /* operand of a rank */
};

enum { SUM, BOR, MAXLOC, PAIR_SUM, PRODUCT, NKIND };

struct fixture {
    struct layout layout[NLAYOUT];
    struct kind kind[NKIND];
};

/* Make and free the types and operations. */
void fixture_init(struct fixture *fix);
void fixture_release(struct fixture *fix);

/* Memory of some units, with guards around; want is what it must be. */
struct buffer {
    const struct layout *layout;
    char *base, *mem, *want;
    size_t bytes;
};

void buffer_init(struct buffer *b, const struct layout *layout, int units);
void buffer_release(struct buffer *b);
/* Integer k of a unit: before the call, and so after it unless it changes. */
void buffer_put(struct buffer *b, int unit, int k, int value);
/* Integer k of a unit: after the call. */
void buffer_want(struct buffer *b, int unit, int k, int value);
/* Give a block of units its content, that of source's block for dest, by one
 * of the two functions above. For layouts of two integers. */
void buffer_fill(struct buffer *b, int units, int block, int source, int dest,
                 void (*set)(struct buffer *, int, int, int));
/* 1 if any byte is not as wanted; *offset: where from base, the first. */
int buffer_wrong(const struct buffer *b, long *offset);

/* A well mixed non-negative number of three. */
int mix(int a, int b, int c);

/* One communicator's state: the first failure is kept. */
struct stage {
    struct fixture *fix;
    struct chorale_ctx *ctx;
    int failed;
    char text[256];
};

__attribute__((format(printf, 2, 3))) void stage_fail(struct stage *st,
                                                      const char *format, ...);

/* copies.c: all layouts to all others. */
void check_copies(struct stage *st);

/* schedule.c: do the counters of a call match the published schedule, and its
 * scratch what it states? In simulation: does its time match its cost? */
void check_schedule(struct stage *st, const struct chorale_alg *alg);

#endif
