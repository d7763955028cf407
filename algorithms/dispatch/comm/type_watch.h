/* SPDX-License-Identifier: BSD-3-Clause */
/* type_watch.h - watches datatypes that the call cache depends on.
 *
 * The handle of a freed type may be reused for another type, on some ranks
 * earlier than on others. Cached choices for it must be dropped before. An
 * attribute on the type reports its end, whichever function frees it.
 *
 * Operations need no watch: a choice depends only on whether an operation is
 * predefined, and that follows from its handle at any time. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_TYPE_WATCH_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_TYPE_WATCH_H

#include <stdatomic.h>

#include "algorithms/dispatch/comm/fast_path.h"

/* Grows by one when a watched type is freed, before chorale_epoch grows: a
 * thread that sees the new epoch also sees this change. */
extern atomic_ullong chorale_types_ended CHORALE_HIDDEN;

/* Call start once after MPI_Init; it returns 0 on failure. Call stop at the
 * end. */
int chorale_types_start(void);
void chorale_types_stop(void);

/* 1 if the handle keeps its meaning until MPI_Finalize: a predefined type.
 * type must be valid for messages. */
int chorale_types_predefined(MPI_Datatype type);

/* Watch such a type until it is freed. Returns 1 if it is watched.
 * Thread-safe. */
int chorale_types_watch(MPI_Datatype type);

#endif
