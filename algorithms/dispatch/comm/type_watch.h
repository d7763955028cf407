/* SPDX-License-Identifier: BSD-3-Clause */
/* type_watch.h - datatypes of which something is remembered. A handle that is freed
 * may be another type's afterwards, on some ranks earlier than on others: what
 * is remembered of it must go before. MPI tells of that by an attribute, who
 * ever frees the type, by whatever name.
 *
 * Of operations nothing of the kind is remembered: what a choice hangs on is
 * whether one is predefined, which its handle tells for good. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_COMM_TYPE_WATCH_H
#define CHORALE_ALGORITHMS_DISPATCH_COMM_TYPE_WATCH_H

#include <stdatomic.h>

#include "algorithms/dispatch/comm/fast_path.h"

/* Goes on by one when a type that is watched ends, before chorale_epoch does:
 * who finds that changed finds this changed. */
extern atomic_ullong chorale_types_ended CHORALE_HIDDEN;

/* After MPI_Init, once; 0: it cannot be. And at the end. */
int chorale_types_start(void);
void chorale_types_stop(void);

/* 1 if the handle means the same as long as MPI runs. type: one that messages
 * can be made of. */
int chorale_types_last(MPI_Datatype type);

/* Watch such a type until it is freed: 1, this will be told. Thread-safe. */
int chorale_types_watch(MPI_Datatype type);

#endif
