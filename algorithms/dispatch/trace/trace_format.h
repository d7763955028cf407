/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_format.h - words of a trace's columns, shared by the writer and the
 * readers. Does not include mpi.h. Types and operations begin with those of
 * dtypes.h. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_FORMAT_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_FORMAT_H

/* Version 1 lacks the columns of arrival; readers accept both. */
#define CHORALE_TRACE_VERSION 2

#define CHORALE_TRACE_COLUMNS_1                                              \
    "columns coll n comm_size shape type op root ran rank_calls calls "      \
    "seconds max_seconds"
#define CHORALE_TRACE_COLUMNS                                                \
    CHORALE_TRACE_COLUMNS_1 " skew late trend latest"

#define CHORALE_TRACE_TYPES                                                  \
    "byte", "int", "int64", "float", "double", "other", "derived"
#define CHORALE_TRACE_OPS                                                    \
    "-", "sum", "prod", "min", "max", "band", "bor", "bxor", "other", "user"
#define CHORALE_TRACE_ROOTS "-", "first", "middle", "last"
/* In the order of enum chorale_shape. */
#define CHORALE_TRACE_SHAPES                                                 \
    "unknown", "single-node", "one-per-node", "block", "cyclic", "irregular"

/* Bytes of the column `ran`, with the terminating 0. */
enum { CHORALE_TRACE_RAN = 80 };

#endif
