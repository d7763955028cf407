/* SPDX-License-Identifier: BSD-3-Clause */
/* call_args_ops.c - predefined operations and types, and the valid
 * combinations. */
#include "config.h"

#include <stdint.h>

#include "algorithms/dispatch/base/call_args.h"

/* Groups of types in the standard's table of valid operations (MPI 3.1,
 * section 5.9.2). */
enum { INTEGER = 1, FLOATING = 2, LOGICAL = 4, COMPLEX = 8, BYTES = 16 };

struct type_row {
    MPI_Datatype type;
    unsigned group;
};

struct op_row {
    MPI_Op op;
    unsigned groups;
};

static const struct op_row op_rows[] = {
    { MPI_SUM, INTEGER | FLOATING | COMPLEX },
    { MPI_MAX, INTEGER | FLOATING },
    { MPI_MIN, INTEGER | FLOATING },
    { MPI_PROD, INTEGER | FLOATING | COMPLEX },
    { MPI_LAND, INTEGER | LOGICAL },
    { MPI_LOR, INTEGER | LOGICAL },
    { MPI_LXOR, INTEGER | LOGICAL },
    { MPI_BAND, INTEGER | BYTES },
    { MPI_BOR, INTEGER | BYTES },
    { MPI_BXOR, INTEGER | BYTES }
};

static const struct type_row type_rows[] = {
    { MPI_DOUBLE, FLOATING },
    { MPI_INT, INTEGER },
    { MPI_FLOAT, FLOATING },
    { MPI_LONG, INTEGER },
    { MPI_LONG_LONG, INTEGER },
    { MPI_UNSIGNED, INTEGER },
    { MPI_UNSIGNED_LONG, INTEGER },
    { MPI_UNSIGNED_LONG_LONG, INTEGER },
    { MPI_DOUBLE_PRECISION, FLOATING },
    { MPI_REAL, FLOATING },
    { MPI_INTEGER, INTEGER },
    { MPI_DOUBLE_COMPLEX, COMPLEX },
    { MPI_COMPLEX, COMPLEX },
    { MPI_LOGICAL, LOGICAL },
    { MPI_BYTE, BYTES },
    { MPI_SHORT, INTEGER },
    { MPI_UNSIGNED_SHORT, INTEGER },
    { MPI_SIGNED_CHAR, INTEGER },
    { MPI_UNSIGNED_CHAR, INTEGER },
    { MPI_INT8_T, INTEGER },
    { MPI_INT16_T, INTEGER },
    { MPI_INT32_T, INTEGER },
    { MPI_INT64_T, INTEGER },
    { MPI_UINT8_T, INTEGER },
    { MPI_UINT16_T, INTEGER },
    { MPI_UINT32_T, INTEGER },
    { MPI_UINT64_T, INTEGER },
    { MPI_AINT, INTEGER },
    { MPI_OFFSET, INTEGER },
    { MPI_COUNT, INTEGER },
    { MPI_LONG_DOUBLE, FLOATING },
    { MPI_C_BOOL, LOGICAL },
    { MPI_C_COMPLEX, COMPLEX },
    { MPI_C_FLOAT_COMPLEX, COMPLEX },
    { MPI_C_DOUBLE_COMPLEX, COMPLEX },
    { MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX },
/* Fortran types of a fixed size: defined only if the Fortran compiler has
 * them. */
#ifdef MPI_REAL4
    { MPI_REAL4, FLOATING },
    { MPI_COMPLEX8, COMPLEX },
#endif
#ifdef MPI_REAL8
    { MPI_REAL8, FLOATING },
    { MPI_COMPLEX16, COMPLEX },
#endif
#ifdef MPI_INTEGER1
    { MPI_INTEGER1, INTEGER },
#endif
#ifdef MPI_INTEGER2
    { MPI_INTEGER2, INTEGER },
#endif
#ifdef MPI_INTEGER4
    { MPI_INTEGER4, INTEGER },
#endif
#ifdef MPI_INTEGER8
    { MPI_INTEGER8, INTEGER },
#endif
};

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static unsigned type_group(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL) /* MPICH's value of a type that it lacks */
        return 0;
    for (size_t i = 0; i < LENGTH(type_rows); i++)
        if (type_rows[i].type == type)
            return type_rows[i].group;
    return 0;
}

/* MPI_MAXLOC and MPI_MINLOC are defined on value-index pairs. */
static int is_pair(MPI_Datatype type)
{
    static const MPI_Datatype pair[] = {
        MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT,
        MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_2INTEGER
    };

    for (size_t i = 0; i < LENGTH(pair); i++)
        if (pair[i] == type)
            return 1;
    return 0;
}

enum chorale_opclass chorale_op_class(MPI_Op op, MPI_Datatype type)
{
    if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL)
        return CHORALE_OP_WRONG;
    for (size_t i = 0; i < LENGTH(op_rows); i++)
        if (op_rows[i].op == op)
            return (op_rows[i].groups & type_group(type)) != 0
                       ? CHORALE_OP_BUILTIN : CHORALE_OP_WRONG;
    if (op == MPI_MAXLOC || op == MPI_MINLOC)
        return is_pair(type) ? CHORALE_OP_PAIR : CHORALE_OP_WRONG;
    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return CHORALE_OP_WRONG;
    return CHORALE_OP_USER;
}

int chorale_op_is_builtin(MPI_Op op)
{
    for (size_t i = 0; i < LENGTH(op_rows); i++)
        if (op_rows[i].op == op)
            return 1;
    return 0;
}

/* Range of the predefined handles, taken as numbers. The application's handles
 * lie outside, so they need not be compared one by one. Before
 * chorale_call_args_init(): all numbers. */
static uintptr_t lowest, highest = UINTPTR_MAX;

static void include(MPI_Datatype type, int *any)
{
    const uintptr_t number = (uintptr_t)type;

    if (type == MPI_DATATYPE_NULL)
        return;
    lowest = !*any || number < lowest ? number : lowest;
    highest = !*any || number > highest ? number : highest;
    *any = 1;
}

void chorale_call_args_init(void)
{
    int any = 0;

    for (size_t i = 0; i < LENGTH(type_rows); i++)
        include(type_rows[i].type, &any);
    include(MPI_CHAR, &any);
    include(MPI_PACKED, &any);
}

int chorale_type_is_plain(MPI_Datatype type)
{
    if ((uintptr_t)type - lowest > highest - lowest)
        return 0;
    return type_group(type) != 0 || type == MPI_CHAR || type == MPI_PACKED;
}

char chorale_type_kind(MPI_Datatype type)
{
    const unsigned group = type_group(type);

    return group == FLOATING ? 'f' : group & (LOGICAL | COMPLEX) ? 'o' : 'i';
}
