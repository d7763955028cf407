/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_key.h - the key by which a trace sums calls. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_KEY_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_KEY_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/table/settings.h"
#include "algorithms/dispatch/trace/trace_format.h"

/* Words of a trace's columns, indexed by the fields of struct
 * chorale_trace_key; shapes by enum chorale_shape. */
extern const char *const chorale_trace_type[];
extern const char *const chorale_trace_op[];
extern const char *const chorale_trace_root[];
extern const char *const chorale_trace_shape[];

/* Compared as bytes, so it has no padding. */
struct chorale_trace_key {
    uint64_t n;               /* 0 if no rank knows it (blind collectives) */
    const struct chorale_plan *plan; /* NULL: the library */
    int32_t comm_size;
    uint8_t coll, type, op, root;
    uint8_t shape, unused[7]; /* 0 */
};

struct chorale_trace_comm {
    int rank, size, shape;
    int inter;               /* inter-communicator: its calls are not traced */
};

/* 1 if no single rank knows the bytes of the whole operation. */
int chorale_trace_blind(enum chorale_coll coll);

/* Compute the key of a call, without its plan.
 *
 * ints   arrays that are not in call, or NULL
 * bytes  out: for a blind collective this rank's part of n; else 0
 *
 * Returns 1, or 0 if arguments are invalid. */
int chorale_trace_key_of(enum chorale_coll coll,
                         const struct chorale_call *call,
                         const struct chorale_ints *ints,
                         const struct chorale_trace_comm *comm,
                         struct chorale_trace_key *key, uint64_t *bytes);

#endif
