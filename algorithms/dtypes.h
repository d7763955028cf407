/* SPDX-License-Identifier: BSD-3-Clause */
/* dtypes.h - the datatypes and operations that cells name. No MPI here;
 * runners/measure/mpi_dtypes.c maps them to handles. */
#ifndef CHORALE_ALGORITHMS_DTYPES_H
#define CHORALE_ALGORITHMS_DTYPES_H

#include <stddef.h>

struct chorale_dtype {
    const char *name;  /* byte, int, int64, float, double */
    size_t size;       /* bytes of an element */
    int integer;       /* bitwise operations apply */
    int arithmetic;    /* sum, prod, min, max apply */
};

struct chorale_opkind {
    const char *name;  /* sum, prod, min, max, band, bor, bxor */
    int bitwise;       /* needs an integer type */
};

/* Row i of each table, or NULL past its end. */
const struct chorale_dtype *chorale_dtype(int i);
const struct chorale_opkind *chorale_opkind(int i);

/* Row of that name, or -1. */
int chorale_dtype_find(const char *name);
int chorale_opkind_find(const char *name);

/* Bytes of an element of the named type, 1 if it is unknown. */
size_t chorale_dtype_size(const char *name);

#endif
