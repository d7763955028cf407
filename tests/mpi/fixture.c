/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.c - layouts, guarded buffers and reductions for the correctness
 * matrix. */
#include "tests/mpi/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GUARD = 64, PRIME = 13, WIDE_EXTENT = 1 << 20 };

/* Mapped bytes of a wide unit, including the guard before it. */
enum { WINDOW = 2 * GUARD };

/* Byte value of the gaps of rank 0's send buffer. */
enum { FIRST_FILL = 0x60 };

/* Lower bounds and extents of some layouts. SimGrid 3.32 misplaces elements of
 * a type whose lower bound is not 0; there the layouts start with a gap
 * instead. It also takes a type's extent for its true extent, so that no data
 * may lie beyond the extent. */
#ifdef CHORALE_SIM
enum { LOW_BOUND = 0, LOW_FIRST = 4, LOW_SECOND = 16, BEFORE_BOUND = 0,
       TIGHT_EXTENT = 16 };
#else
enum { LOW_BOUND = -8, LOW_FIRST = -8, LOW_SECOND = 4, BEFORE_BOUND = 8,
       TIGHT_EXTENT = 8 };
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

/* Reduction of elements without data. */
static void nothing(int *left, const int *right)
{
    (void)left;
    (void)right;
}

static int value_and_rank(int rank, int unit, int k)
{
    return k == 0 ? mix(rank, unit, 0) % 4 : rank;
}

static const int low_disp[4] = { LOW_FIRST, LOW_SECOND };
static const int tight_disp[4] = { 0, 12 };
static const int wide_disp[4] = { 0, 8 };
static const int uneven_disp[4] = { 0, 8 };
static const int matrix_disp[4] = { 0, 4, 12, 16 };
static const int matrix_low_disp[4] = { LOW_FIRST, LOW_FIRST + 4, LOW_SECOND,
                                        LOW_SECOND + 4 };

/* Build MPI's user function from a plain one: inout = in op inout. The integers
 * of an element are at disp[]. */
static void apply(const char *in, char *inout, int len, int ints,
                  const int *disp, int extent,
                  void (*combine)(int *, const int *))
{
    for (long i = 0; i < len; i++) {
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

static void low_sum_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 2, low_disp, 24, pair_sum);
}

static void tight_sum_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 2, tight_disp, TIGHT_EXTENT, pair_sum);
}

static void empty_sum_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 0, tight_disp, 0, nothing);
}

static void uneven_sum_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 2, uneven_disp, 16, pair_sum);
}

static void wide_sum_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 2, wide_disp, WIDE_EXTENT, pair_sum);
}

static void product_op(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 4, matrix_disp, 24, product);
}

static void low_product_op(void *in, void *inout, int *len,
                           MPI_Datatype *type)
{
    (void)type;
    apply(in, inout, *len, 4, matrix_low_disp, 32, product);
}

/* --- layouts ---------------------------------------------------------- */

/* Make a type of single integers at l->disp, with lower bound lb. */
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

/* Make a type with the first integer as two halves. */
static void make_uneven(struct layout *l)
{
    MPI_Datatype part[2] = { MPI_INT16_T, MPI_INT }, raw;
    MPI_Aint at[2] = { l->disp[0], l->disp[1] };
    int length[2] = { 2, 1 };

    MPI_Type_create_struct(2, length, at, part, &raw);
    MPI_Type_create_resized(raw, 0, l->extent, &l->type);
    MPI_Type_commit(&l->type);
    MPI_Type_free(&raw);
}

static void make_empty(struct layout *l)
{
    MPI_Datatype raw;

    MPI_Type_contiguous(0, MPI_INT, &raw);
    MPI_Type_create_resized(raw, 0, l->extent, &l->type);
    MPI_Type_commit(&l->type);
    MPI_Type_free(&raw);
}

static const int made[] = { GAP,   BEFORE, LOW,    TIGHT,  DUP,       WIDE,
                            EMPTY, HOLLOW, UNEVEN, MATRIX, MATRIX_LOW };
enum { NMADE = sizeof(made) / sizeof(*made) };

static void make_layouts(struct layout *l)
{
    MPI_Datatype two;

    l[PLAIN] = (struct layout){ "plain", 2, { 0, 4 }, 8, 2, MPI_INT };
    l[GAP] = (struct layout){ "gap", 2, { 0, 8 }, 16, 1, MPI_INT };
    l[BEFORE] = (struct layout){ "gap before", 2, { 8, 12 }, 16, 1, MPI_INT };
    l[LOW] = (struct layout){ "low", 2, { LOW_FIRST, LOW_SECOND }, 24, 1,
                              MPI_INT };
    l[TIGHT] = (struct layout){ "tight", 2, { 0, 12 }, TIGHT_EXTENT, 1,
                                MPI_INT };
    l[DUP] = (struct layout){ "dup", 2, { 0, 4 }, 8, 1, MPI_INT };
    l[WIDE] = (struct layout){ "wide", 2, { 0, 8 }, WIDE_EXTENT, 1, MPI_INT };
    l[EMPTY] = (struct layout){ "empty", 0, { 0 }, 0, 1, MPI_INT };
    l[HOLLOW] = (struct layout){ "hollow", 0, { 0 }, 16, 1, MPI_INT };
    l[UNEVEN] = (struct layout){ "uneven", 2, { 0, 8 }, 16, 1, MPI_INT };
    l[ONE_INT] = (struct layout){ "int", 1, { 0 }, 4, 1, MPI_INT };
    l[INT_PAIR] = (struct layout){ "2int", 2, { 0, 4 }, 8, 1, MPI_2INT };
    l[MATRIX] = (struct layout){ "matrix", 4, { 0, 4, 12, 16 }, 24, 1,
                                 MPI_INT };
    l[MATRIX_LOW] = (struct layout){ "low matrix", 4, { 0 }, 32, 1, MPI_INT };
    memcpy(l[MATRIX_LOW].disp, matrix_low_disp, sizeof(matrix_low_disp));
    l[DOUBLE] = (struct layout){ "double", 2, { 0, 4 }, 8, 1, MPI_DOUBLE };
    make_type(&l[GAP], 0);
    make_type(&l[BEFORE], BEFORE_BOUND);
    make_type(&l[LOW], LOW_BOUND);
    make_type(&l[TIGHT], 0);
    make_type(&l[WIDE], 0);
    MPI_Type_contiguous(0, MPI_INT, &l[EMPTY].type);
    MPI_Type_commit(&l[EMPTY].type);
    make_empty(&l[HOLLOW]);
    make_uneven(&l[UNEVEN]);
    make_type(&l[MATRIX], 0);
    make_type(&l[MATRIX_LOW], LOW_BOUND);
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_dup(two, &l[DUP].type);
    MPI_Type_commit(&l[DUP].type);
    MPI_Type_free(&two);
}

void fixture_init(struct fixture *fix)
{
    struct kind *k = fix->kind;

    make_layouts(fix->layout);
    k[SUM] = (struct kind){ "sum", ONE_INT, 1, MPI_SUM, sum, small };
    k[BOR] = (struct kind){ "bor", ONE_INT, 1, MPI_BOR, bor, mix };
    k[MAXLOC] = (struct kind){ "maxloc", INT_PAIR, 1, MPI_MAXLOC, maxloc,
                               value_and_rank };
    k[LOW_SUM] = (struct kind){ "sum of low pairs", LOW, 1, MPI_OP_NULL,
                                pair_sum, small };
    k[TIGHT_SUM] = (struct kind){ "sum of tight pairs", TIGHT, 1, MPI_OP_NULL,
                                  pair_sum, small };
    k[PRODUCT] = (struct kind){ "matrix product", MATRIX, 0, MPI_OP_NULL,
                                product, small };
    k[LOW_PRODUCT] = (struct kind){ "low matrix product", MATRIX_LOW, 0,
                                    MPI_OP_NULL, product, small };
    k[EMPTY_SUM] = (struct kind){ "sum of nothing", EMPTY, 1, MPI_OP_NULL,
                                  nothing, small };
    k[HOLLOW_SUM] = (struct kind){ "sum of hollow elements", HOLLOW, 0,
                                   MPI_OP_NULL, nothing, small };
    k[UNEVEN_SUM] = (struct kind){ "sum of uneven pairs", UNEVEN, 1,
                                   MPI_OP_NULL, pair_sum, small };
    k[WIDE_SUM] = (struct kind){ "sum of wide pairs", WIDE, 1, MPI_OP_NULL,
                                 pair_sum, small };
    k[BITS] = (struct kind){ "sum of doubles", DOUBLE, 1, MPI_SUM, NULL,
                             NULL };
    MPI_Op_create(low_sum_op, 1, &k[LOW_SUM].op);
    MPI_Op_create(tight_sum_op, 1, &k[TIGHT_SUM].op);
    MPI_Op_create(empty_sum_op, 1, &k[EMPTY_SUM].op);
    MPI_Op_create(empty_sum_op, 0, &k[HOLLOW_SUM].op);
    MPI_Op_create(uneven_sum_op, 1, &k[UNEVEN_SUM].op);
    MPI_Op_create(wide_sum_op, 1, &k[WIDE_SUM].op);
    MPI_Op_create(product_op, 0, &k[PRODUCT].op);
    MPI_Op_create(low_product_op, 0, &k[LOW_PRODUCT].op);
}

void fixture_release(struct fixture *fix)
{
    for (int i = LOW_SUM; i <= WIDE_SUM; i++)
        MPI_Op_free(&fix->kind[i].op);
    for (int i = 0; i < NMADE; i++)
        MPI_Type_free(&fix->layout[made[i]].type);
}

void fixture_renew(struct fixture *fix, int layout)
{
    struct layout *l = &fix->layout[layout];

    MPI_Type_free(&l->type);
    if (layout == UNEVEN)
        make_uneven(l);
    else
        make_type(l, 0);
}

/* --- buffers ---------------------------------------------------------- */

static int is_wide(const struct buffer *b)
{
    return b->layout->extent == WIDE_EXTENT;
}

/* Reserve address space and map only each unit's window. */
static void init_wide(struct buffer *b, int fill)
{
    size_t windows = (size_t)b->units * WINDOW;

    b->bytes = ((size_t)b->units + 1) * WIDE_EXTENT;
    b->mem = mmap(NULL, b->bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    b->want = malloc(windows + 1);
    if (b->mem == MAP_FAILED || b->want == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(b->want, fill, windows);
    for (int u = 0; u < b->units; u++) {
        char *window = b->mem + (size_t)u * WIDE_EXTENT;

        if (mprotect(window, WINDOW, PROT_READ | PROT_WRITE) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        memset(window, fill, WINDOW);
    }
}

void buffer_init(struct buffer *b, const struct layout *layout, int units,
                 int rank, int receives)
{
    int fill = FIRST_FILL + 2 * rank + receives;

    *b = (struct buffer){ .layout = layout, .units = units };
    b->bytes = 2 * GUARD + (size_t)units * (size_t)layout->extent;
    if (is_wide(b))
        init_wide(b, fill);
    else {
        b->mem = malloc(b->bytes);
        b->want = malloc(b->bytes);
        if (b->mem == NULL || b->want == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
        memset(b->mem, fill, b->bytes);
        memset(b->want, fill, b->bytes);
    }
    b->base = b->mem + GUARD;
}

void buffer_release(struct buffer *b)
{
    if (b->mem != NULL && is_wide(b))
        munmap(b->mem, b->bytes);
    else
        free(b->mem);
    free(b->want);
    *b = (struct buffer){ 0 };
}

/* Offset of integer k of a unit in memory whose units are extent apart. */
static size_t place(const struct buffer *b, int unit, int k, int extent)
{
    return (size_t)(GUARD + (long)unit * extent + b->layout->disp[k]);
}

void buffer_set(struct buffer *b, int unit, int k, int value, int when)
{
    int extent = b->layout->extent;

    if (when & IS)
        memcpy(b->mem + place(b, unit, k, extent), &value, sizeof(value));
    if (when & WANT)
        memcpy(b->want + place(b, unit, k, is_wide(b) ? WINDOW : extent),
               &value, sizeof(value));
}

void buffer_fill(struct buffer *b, int at, int units, int source, int dest,
                 int when)
{
    for (int u = 0; u < units; u++)
        for (int k = 0; k < b->layout->ints; k++)
            buffer_set(b, at + u, k, mix(source, dest, 2 * u + k), when);
}

void buffer_excuse(struct buffer *b, int from, int to)
{
    for (int u = from; u < to; u++)
        for (int k = 0; k < b->layout->ints; k++) {
            int is;

            memcpy(&is, b->mem + place(b, u, k, b->layout->extent),
                   sizeof(is));
            buffer_set(b, u, k, is, WANT);
        }
}

/* Index of the first byte that differs from want, or n. */
static size_t first_wrong(const char *is, const char *want, size_t n)
{
    size_t i = 0;

    if (memcmp(is, want, n) == 0)
        return n;
    while (is[i] == want[i])
        i++;
    return i;
}

int buffer_wrong(const struct buffer *b, long *offset)
{
    size_t piece, apart, n, i;

    if (b->mem == NULL)
        return 0;
    n = is_wide(b) ? (size_t)b->units : 1;
    piece = is_wide(b) ? WINDOW : b->bytes;
    apart = is_wide(b) ? WIDE_EXTENT : b->bytes;
    for (size_t u = 0; u < n; u++) {
        i = first_wrong(b->mem + u * apart, b->want + u * piece, piece);
        if (i < piece) {
            *offset = (long)(u * apart + i) - GUARD;
            return 1;
        }
    }
    return 0;
}
