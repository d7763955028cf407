/* SPDX-License-Identifier: BSD-3-Clause */
/* verify_c.h - hold a dispatch table against the rows of decision, read for
 * this alone: at every border of every row, n - 1, n and n + 1 by P - 1, P and
 * P + 1, for each shape and for none, and of blocks for each number of ranks a
 * node, one less and one more. */
#ifndef CHORALE_TUNER_EMIT_VERIFY_C_H
#define CHORALE_TUNER_EMIT_VERIFY_C_H

#include "tuner/emit/table.h"

struct chorale_emit_check;

/* Read the rows of a system. CHORALE_DATA: two of one placement begin at the
 * same n and P. Free it in any case. */
enum chorale_err chorale_emit_check_load(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_emit_check **check_p,
                                         struct chorale_errmsg *msg);
void chorale_emit_check_free(struct chorale_emit_check *check);

/* How many points there are. */
size_t chorale_emit_check_points(const struct chorale_emit_check *check);

/* How many rows choose what this build does not know: the library's. */
size_t chorale_emit_check_unknown(const struct chorale_emit_check *check);

/* What is asked: something that answers as a table does. */
typedef void chorale_emit_answer(const void *from, enum chorale_coll coll,
                                 enum chorale_shape shape, int ppn,
                                 unsigned long long n, int comm_size,
                                 struct chorale_choice *got);

/* chorale_emit_select as one: from is a struct chorale_emit_table. */
chorale_emit_answer chorale_emit_check_table;

/* Ask at all points. CHORALE_DATA: an answer is not what the rows say; msg
 * names the first such point. CHORALE_ENV: out of memory. */
enum chorale_err chorale_emit_check(const struct chorale_emit_check *check,
                                    chorale_emit_answer *answer,
                                    const void *from,
                                    struct chorale_errmsg *msg);

/* The same for a compiled table, and for the hulls that it states. */
enum chorale_err chorale_emit_check_compiled(
    const struct chorale_emit_check *check, const struct chorale_table *table,
    struct chorale_errmsg *msg);

#endif
