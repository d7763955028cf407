/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_key.h - what a call poses, as a trace tells calls apart. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_KEY_H
#define CHORALE_ALGORITHMS_DISPATCH_TRACE_TRACE_KEY_H

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/table/settings.h"
#include "algorithms/dispatch/trace/trace_format.h"

/* Words of a trace's columns, by the numbers below; shapes by that of the
 * dispatch table's enum. */
extern const char *const chorale_trace_type[];
extern const char *const chorale_trace_op[];
extern const char *const chorale_trace_root[];
extern const char *const chorale_trace_shape[];

/* Compared as bytes: no holes. */
struct chorale_trace_key {
    uint64_t n;               /* 0 where no rank knows it (blind) */
    const struct chorale_plan *plan; /* NULL: the library */
    int32_t comm_size;
    uint8_t coll, type, op, root;
    uint8_t shape, unused[7]; /* 0 */
};

struct chorale_trace_comm {
    int rank, size, shape;
    int inter;               /* its calls are not traced */
};

/* 1 if single ranks do not know the bytes of the whole operation. */
int chorale_trace_blind(enum chorale_coll coll);

/* *key but for its plan; ints: arrays that are not in call, or NULL; *bytes: of
 * a blind collective what this rank adds to n. Returns 0 if the arguments make
 * no sense. */
int chorale_trace_key_of(enum chorale_coll coll,
                         const struct chorale_call *call,
                         const struct chorale_ints *ints,
                         const struct chorale_trace_comm *comm,
                         struct chorale_trace_key *key, uint64_t *bytes);

#endif
