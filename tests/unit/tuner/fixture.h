/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture.h - a database of simulated measurements for tests of decide and of
 * the emitters. */
#ifndef CHORALE_TESTS_UNIT_TUNER_FIXTURE_H
#define CHORALE_TESTS_UNIT_TUNER_FIXTURE_H

#include "db/store.h"

struct fixture {
    struct chorale_store *store;
    char dir[64], path[96];
};

/* One run. NULL: status "ok", dtype "byte", op "", shape "one-per-node". */
struct fixture_run {
    const char *coll, *provider, *variant, *params;
    int comm_size, ppn;
    long m;
    int ordinal;
    double seconds;
    const char *status, *dtype, *op, *shape;
};

/* Create an empty database with one system in a temporary folder. On failure,
 * these functions end the program with TAP's "Bail out!". */
void fixture_open(struct fixture *f, const char *system, int simulated);

/* Add a run, with its cell and launch as needed. */
void fixture_add(struct fixture *f, const struct fixture_run *run);

/* Execute SQL. */
void fixture_exec(struct fixture *f, const char *sql);

/* First column of the first row as text, "" without a row. The text is in a
 * static buffer. */
const char *fixture_text(struct fixture *f, const char *sql);

/* Call a verb with words that end in NULL. Its output goes to out.txt in the
 * folder, its error line to msg. In words, "@db" and "@dir/..." are replaced by
 * the paths. The connection stays open. */
struct chorale_verb;
enum chorale_err fixture_verb(struct fixture *f,
                              const struct chorale_verb *verb,
                              struct chorale_errmsg *msg, ...);

/* 1 if the output of the last verb contains the text. */
int fixture_output_has(const struct fixture *f, const char *text);

/* The first 256 KiB of a file of the folder, "" without the file. The text is
 * in a static buffer. */
const char *fixture_file(const struct fixture *f, const char *name);

/* Close the database and remove the folder. */
void fixture_close(struct fixture *f);

#endif
