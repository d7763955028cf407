/* SPDX-License-Identifier: BSD-3-Clause */
/* dtypes.h - names and properties of the datatypes and operations of cells.
 *
 * Does not use MPI; runners/measure/mpi_dtypes.c maps the names to handles. */
#ifndef CHORALE_ALGORITHMS_DTYPES_H
#define CHORALE_ALGORITHMS_DTYPES_H

#include <stddef.h>

struct chorale_dtype {
    const char *name;  /* byte, int, int64, float, double */
    size_t size;       /* bytes of an element */
    int integer;       /* 1: bitwise operations apply */
    int arithmetic;    /* 1: sum, prod, min, max apply */
};

struct chorale_opkind {
    const char *name;  /* sum, prod, min, max, band, bor, bxor */
    int bitwise;       /* 1: needs an integer type */
};

/* Row i of each table; NULL if there is no such row, such as -1. */
const struct chorale_dtype *chorale_dtype(int i);
const struct chorale_opkind *chorale_opkind(int i);

/* Index of the row with that name, or -1. */
int chorale_dtype_find(const char *name);
int chorale_opkind_find(const char *name);

/* Bytes of one element of the named type; 1 if the name is unknown. */
size_t chorale_dtype_size(const char *name);

#endif
