/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.c - layouts, guarded buffers and reductions for the correctness
 * matrix. */
#include "tests/mpi/fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, PRIME = 13 };

/* Lower bound of layout LOW. SimGrid 3.32 strides elements of a type whose
 * lower bound is not 0 by too little or too much, whoever sends them; there
 * the layout has a gap in front instead. */
#ifdef CHORALE_SIM
enum { LOW_BOUND = 0, LOW_FIRST = 4, LOW_SECOND = 16 };
#else
enum { LOW_BOUND = -8, LOW_FIRST = -8, LOW_SECOND = 4 };
#endif

int mix(int a, int b, int c)
{
    unsigned x = (unsigned)a * 2654435761U ^ (unsigned)b * 40503U ^
                 (unsigned)c * 2246822519U;

    x ^= x >> 15;
    x *= 2246822519U;
    x ^= x >> 13;
    return (int)(x & 0x7fffffff);
}

/* --- reductions ------------------------------------------------------- */

static void sum(int *left, const int *right)
{
    left[0] += right[0];
}

static void bor(int *left, const int *right)
{
    left[0] |= right[0];
}

static void maxloc(int *left, const int *right)
{
    if (right[0] > left[0] || (right[0] == left[0] && right[1] < left[1])) {
        left[0] = right[0];
        left[1] = right[1];
    }
}

static void pair_sum(int *left, const int *right)
{
    left[0] += right[0];
    left[1] += right[1];
}

static void product(int *left, const int *right)
{
    int a = left[0], b = left[1], c = left[2], d = left[3];

    left[0] = (a * right[0] + b * right[2]) % PRIME;
    left[1] = (a * right[1] + b * right[3]) % PRIME;
    left[2] = (c * right[0] + d * right[2]) % PRIME;
    left[3] = (c * right[1] + d * right[3]) % PRIME;
}

static int small(int rank, int unit, int k)
{
    return mix(rank, unit, k) % PRIME;
}

static int value_and_rank(int rank, int unit, int k)
{
    return k == 0 ? mix(rank, unit, 0) % 4 : rank;
}

static const int low_disp[4] = { LOW_FIRST, LOW_SECOND };
static const int matrix_disp[4] = { 0, 4, 12, 16 };

/* MPI's user function from a plain one: inout = in op inout, with the
 * integers of an element at disp[]. */
static void apply(const char *in, char *inout, int len, int ints,
                  const int *disp, int extent,
                  void (*combine)(int *, const int *))
{
    for (int i = 0; i < len; i++) {
        int left[4] = { 0 }, right[4] = { 0 };

        for (int k = 0; k < ints; k++) {
            memcpy(&left[k], in + i * extent + disp[k], sizeof(int));
            memcpy(&right[k], inout + i * extent + disp[k], sizeof(int));
        }
        combine(left, right);
        for (int k = 0; k < ints; k++)
            memcpy(inout + i * extent + disp[k], &left[k], sizeof(int));
    }
}

static void pair_sum_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 2, low_disp, 24, pair_sum);
}

static void product_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 4, matrix_disp, 24, product);
}

/* --- layouts ---------------------------------------------------------- */

/* A type of single integers at l->disp, resized to start at lb. */
static void make_type(struct layout *l, MPI_Aint lb)
{
    MPI_Datatype raw, part[4];
    MPI_Aint at[4];
    int length[4];

    for (int k = 0; k < l->ints; k++) {
        part[k] = MPI_INT;
        at[k] = l->disp[k];
        length[k] = 1;
    }
    MPI_Type_create_struct(l->ints, length, at, part, &raw);
    MPI_Type_create_resized(raw, lb, l->extent, &l->type);
    MPI_Type_commit(&l->type);
    MPI_Type_free(&raw);
}

void fixture_init(struct fixture *fix)
{
    struct layout *l = fix->layout;
    struct kind *k = fix->kind;
    MPI_Datatype two;

    l[PLAIN] = (struct layout){ "plain", 2, { 0, 4 }, 8, 2, MPI_INT };
    l[GAP] = (struct layout){ "gap", 2, { 0, 8 }, 16, 1, MPI_INT };
    l[LOW] = (struct layout){ "low", 2, { LOW_FIRST, LOW_SECOND }, 24, 1,
                              MPI_INT };
    l[DUP] = (struct layout){ "dup", 2, { 0, 4 }, 8, 1, MPI_INT };
    l[ONE_INT] = (struct layout){ "int", 1, { 0 }, 4, 1, MPI_INT };
    l[INT_PAIR] = (struct layout){ "2int", 2, { 0, 4 }, 8, 1, MPI_2INT };
    l[MATRIX] = (struct layout){ "matrix", 4, { 0, 4, 12, 16 }, 24, 1,
                                 MPI_INT };
    make_type(&l[GAP], 0);
    make_type(&l[LOW], LOW_BOUND);
    make_type(&l[MATRIX], 0);
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_dup(two, &l[DUP].type);
    MPI_Type_commit(&l[DUP].type);
    MPI_Type_free(&two);

    k[SUM] = (struct kind){ "sum", ONE_INT, 1, MPI_SUM, sum, small };
    k[BOR] = (struct kind){ "bor", ONE_INT, 1, MPI_BOR, bor, mix };
    k[MAXLOC] = (struct kind){ "maxloc", INT_PAIR, 1, MPI_MAXLOC, maxloc,
                               value_and_rank };
    k[PAIR_SUM] = (struct kind){ "sum of low pairs", LOW, 1,
                                 MPI_OP_NULL, pair_sum, small };
    k[PRODUCT] = (struct kind){ "matrix product", MATRIX, 0, MPI_OP_NULL,
                                product, small };
    MPI_Op_create(pair_sum_op, 1, &k[PAIR_SUM].op);
    MPI_Op_create(product_op, 0, &k[PRODUCT].op);
}

void fixture_release(struct fixture *fix)
{
    MPI_Op_free(&fix->kind[PAIR_SUM].op);
    MPI_Op_free(&fix->kind[PRODUCT].op);
    MPI_Type_free(&fix->layout[GAP].type);
    MPI_Type_free(&fix->layout[LOW].type);
    MPI_Type_free(&fix->layout[MATRIX].type);
    MPI_Type_free(&fix->layout[DUP].type);
}

/* --- buffers ---------------------------------------------------------- */

void buffer_init(struct buffer *b, const struct layout *layout, int units)
{
    b->layout = layout;
    b->bytes = 2 * GUARD + (size_t)units * (size_t)layout->extent;
    b->mem = malloc(b->bytes);
    b->want = malloc(b->bytes);
    if (b->mem == NULL || b->want == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < b->bytes; i++)
        b->mem[i] = (char)(0xa5 ^ (i * 31));
    memcpy(b->want, b->mem, b->bytes);
    b->base = b->mem + GUARD;
}

void buffer_release(struct buffer *b)
{
    free(b->mem);
    free(b->want);
    *b = (struct buffer){ 0 };
}

static size_t place(const struct buffer *b, int unit, int k)
{
    return (size_t)(GUARD + (long)unit * b->layout->extent +
                    b->layout->disp[k]);
}

void buffer_put(struct buffer *b, int unit, int k, int value)
{
    memcpy(b->mem + place(b, unit, k), &value, sizeof(value));
    buffer_want(b, unit, k, value);
}

void buffer_want(struct buffer *b, int unit, int k, int value)
{
    memcpy(b->want + place(b, unit, k), &value, sizeof(value));
}

void buffer_fill(struct buffer *b, int units, int block, int source,
                 int dest, void (*set)(struct buffer *, int, int, int))
{
    for (int u = 0; u < units; u++)
        for (int k = 0; k < 2; k++)
            set(b, block * units + u, k, mix(source, dest, 2 * u + k));
}

int buffer_wrong(const struct buffer *b, long *offset)
{
    size_t i = 0;

    if (b->mem == NULL || memcmp(b->mem, b->want, b->bytes) == 0)
        return 0;
    while (b->mem[i] == b->want[i])
        i++;
    *offset = (long)i - GUARD;
    return 1;
}

void stage_fail(struct stage *st, const char *format, ...)
{
    va_list ap;

    if (st->failed)
        return;
    st->failed = 1;
    va_start(ap, format);
    vsnprintf(st->text, sizeof(st->text), format, ap);
    va_end(ap);
}
