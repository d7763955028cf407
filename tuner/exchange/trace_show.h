/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_show.h - print an imported trace. */
#ifndef CHORALE_TUNER_EXCHANGE_TRACE_SHOW_H
#define CHORALE_TUNER_EXCHANGE_TRACE_SHOW_H

#include "db/store.h"

/* Print the application's time, its share in collectives, and the points with
 * the largest times. CHORALE_ENV, CHORALE_DATA. */
enum chorale_err chorale_trace_show(struct chorale_store *store,
                                    sqlite3_int64 trace_id,
                                    struct chorale_errmsg *msg);

#endif
