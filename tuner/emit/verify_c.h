/* SPDX-License-Identifier: BSD-3-Clause */
/* verify_c.h - checks a written dispatch table against the decisions in the
 * database, which are read independently of the emitter. The check queries
 * every border of every row: n - 1, n and n + 1 by P - 1, P and P + 1. It does
 * so for each shape and for the unknown shape. For blocks it queries each
 * number of ranks a node, one less and one more. */
#ifndef CHORALE_TUNER_EMIT_VERIFY_C_H
#define CHORALE_TUNER_EMIT_VERIFY_C_H

#include "tuner/emit/table.h"

struct chorale_emit_check;

/* Read the decisions of a system. CHORALE_DATA: two rows of one placement begin
 * at the same n and P. Free *check_p also after an error. */
enum chorale_err chorale_emit_check_load(struct chorale_store *store,
                                         sqlite3_int64 system_id,
                                         struct chorale_emit_check **check_p,
                                         struct chorale_errmsg *msg);
void chorale_emit_check_free(struct chorale_emit_check *check);

/* The number of points queried. */
size_t chorale_emit_check_points(const struct chorale_emit_check *check);

/* The number of rows whose variant this build does not know; the table uses the
 * library's default for them. */
size_t chorale_emit_check_unknown(const struct chorale_emit_check *check);

/* A function that looks up as a dispatch table does; from: its context. */
typedef void chorale_emit_answer(const void *from, enum chorale_coll coll,
                                 enum chorale_shape shape, int ppn,
                                 unsigned long long n, int comm_size,
                                 struct chorale_choice *got);

/* Answers by chorale_emit_select(); from is a struct chorale_emit_table. */
chorale_emit_answer chorale_emit_check_table;

/* Compare the answers at all points with the rows. CHORALE_DATA: an answer
 * differs; msg names the first such point. CHORALE_ENV: out of memory. */
enum chorale_err chorale_emit_check(const struct chorale_emit_check *check,
                                    chorale_emit_answer *answer,
                                    const void *from,
                                    struct chorale_errmsg *msg);

/* The same for a compiled table, and for the hulls that it states. */
enum chorale_err chorale_emit_check_compiled(
    const struct chorale_emit_check *check, const struct chorale_table *table,
    struct chorale_errmsg *msg);

#endif
