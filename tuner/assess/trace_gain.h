/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_gain.h - predicts how much of an application's traced time in
 * collectives a table saves. */
#ifndef CHORALE_TUNER_ASSESS_TRACE_GAIN_H
#define CHORALE_TUNER_ASSESS_TRACE_GAIN_H

#include <stddef.h>

#include "db/store.h"

enum chorale_gain_kind {
    CHORALE_GAIN_TABLE,      /* a variant is chosen and was measured here */
    CHORALE_GAIN_LIBRARY,    /* the library's default is chosen */
    CHORALE_GAIN_UNKNOWN,    /* no measurement at this n and P */
    CHORALE_GAIN_TUNED       /* a variant already ran during the trace */
};

/* A traced point. Seconds are of one rank (mean), summed over its calls. */
struct chorale_gain_point {
    char coll[32], dtype[16], op[16], choice[256];
    long long n, msg_size;
    int comm_size;
    enum chorale_gain_kind kind;
    double seconds;          /* traced */
    double ratio;            /* chosen / library, measured; 1 unless TABLE */
    double won;              /* seconds (1 - ratio) */
};

struct chorale_gain {
    struct chorale_gain_point *point; /* most time first */
    size_t count;
    double seconds, won;     /* of all points */
    double covered;          /* seconds of TABLE and LIBRARY points */
    double wall;             /* run time of the traced programs */
};

/* Load all traces in the database and apply the decisions of a system.
 * CHORALE_DATA: there is no trace or no decision. Release *gain. */
enum chorale_err chorale_gain_load(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_gain *gain,
                                   struct chorale_errmsg *msg);
void chorale_gain_release(struct chorale_gain *gain);

#endif
