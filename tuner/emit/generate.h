/* SPDX-License-Identifier: BSD-3-Clause */
/* generate.h - the stage `generate --format c`: writes the decisions of a
 * system as C source and header. */
#ifndef CHORALE_TUNER_EMIT_GENERATE_H
#define CHORALE_TUNER_EMIT_GENERATE_H

#include "db/store.h"

/* Options; zero is the default of each, except of output. */
struct chorale_generate_opts {
    const char *output;      /* source file; its header goes beside it */
    const char *system;      /* name; NULL: the only system */
    int allow_patented;
    int quiet;               /* do not print the checks */
};

/* Refuse a name to write a table or rules to, with CHORALE_USAGE: NULL or "",
 * "-", *.h, no regular file, a database. */
enum chorale_err chorale_generate_check(const char *output,
                                        struct chorale_errmsg *msg);

/* Print what users of a system's table should know of its measurements
 * (db/remarks.h), a line each. */
enum chorale_err chorale_generate_remarks(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          struct chorale_errmsg *msg);

/* Write the table of the database at path. Both files are replaced only when
 * complete and checked. CHORALE_DATA: no decisions, or one that may not be used
 * here; CHORALE_ENV: a file cannot be written; or an error of
 * chorale_generate_check(). */
enum chorale_err chorale_table_generate(
    const char *path, const struct chorale_generate_opts *opts,
    struct chorale_errmsg *msg);

#endif
