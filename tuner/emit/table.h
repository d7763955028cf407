/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h - a decision table prepared for writing as C. A variant that the
 * catalogue does not know becomes the library's default. */
#ifndef CHORALE_TUNER_EMIT_TABLE_H
#define CHORALE_TUNER_EMIT_TABLE_H

#include <stdio.h>

#include "algorithms/alg.h"
#include "algorithms/dispatch/table/table.h"
#include "db/remarks.h"
#include "db/store.h"
#include "tuner/decide/served_kinds.h"
#include "tuner/emit/provenance.h"

#define CHORALE_EMIT_SHAPES (CHORALE_SHAPE_IRREGULAR + 1)

/* Choice 0 is the library's default: alg is NULL. */
struct chorale_emit_choice {
    const struct chorale_alg *alg;
    long value[CHORALE_MAX_PARAM];
    char params[160];        /* canonical text */
};

/* One threshold: choose `choice` from n = from up to the next band. */
struct chorale_emit_band {
    unsigned long long from;
    size_t choice;
};

/* At comm_size ... comm_size_hi ranks: bands first ... first + count - 1, the
 * first of which starts at 0. */
struct chorale_emit_rule {
    int comm_size, comm_size_hi;
    size_t first, count;
};

/* Rules of one collective for one shape, ascending in comm_size; adjacent rules
 * differ. Shape CHORALE_SHAPE_UNKNOWN holds the projection, the choices that
 * all shapes agree on. Without a rule for a comm_size the library's default is
 * used. */
struct chorale_emit_group {
    struct chorale_emit_rule *rule;
    size_t nrule;
};

/* Rules for ranks in blocks of `ppn` ranks a node. */
struct chorale_emit_ppn {
    int ppn;
    struct chorale_emit_group group;
};

struct chorale_emit_table {
    struct chorale_origin origin;
    char exploratory[CHORALE_EXPLORATORY_TEXT]; /* the mark, or "" */
    struct chorale_served_kind kind[CHORALE_NCOLL];
    char *coverage[CHORALE_NCOLL]; /* readable text; NULL if not covered */
    struct chorale_hull hull[CHORALE_NCOLL]; /* bounding box of the rows */
    struct chorale_emit_choice *choice;
    size_t nchoice;
    struct chorale_emit_band *band;
    size_t nband;
    struct chorale_emit_group group[CHORALE_NCOLL][CHORALE_EMIT_SHAPES];
    struct chorale_emit_ppn *ppn[CHORALE_NCOLL]; /* ascending; every ppn with
                              * rows of shape block */
    size_t nppn[CHORALE_NCOLL];
};

/* Load the decisions of a system.
 * - If a collective was measured with several types and operations, those of
 *   double and sum are used (byte without reduction), else the first by name.
 * - Each number of ranks a node of shape block has its own rules. A query by
 *   shape alone gets the choice that all of them agree on, else the library's
 *   default. The projection over shapes follows the same rule.
 * - Where rows of one placement overlap, the row with the largest n_lo counts.
 *   Beyond its n_hi the library's default is used.
 * CHORALE_DATA: the system has no decisions. *table is unchanged on error. */
enum chorale_err chorale_emit_load(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_emit_table *table,
                                   struct chorale_errmsg *msg);
void chorale_emit_release(struct chorale_emit_table *table);

/* The choice that the written table returns, as an index of table->choice. ppn
 * is as in select_ppn of the dispatcher's table.h. */
size_t chorale_emit_select(const struct chorale_emit_table *table,
                           enum chorale_coll coll, enum chorale_shape shape,
                           int ppn, unsigned long long n, int comm_size);

/* The shape with this name in the database, or -1. */
int chorale_emit_shape(const char *name);
const char *chorale_emit_shape_name(enum chorale_shape shape);

/* File names for the command line in the heading. They have no folder, so that
 * the same database gives the same bytes. */
struct chorale_emit_names {
    const char *source, *header, *database;
    const char *said;        /* results of the checks, one a line */
};

/* Compute the digest that the C table carries; equal tables have equal digests.
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_emit_digest(const struct chorale_emit_table *table,
                                     char digest[17],
                                     struct chorale_errmsg *msg);

/* Write the C file and its header. The caller checks the streams for errors.
 * CHORALE_ENV: out of memory. */
enum chorale_err chorale_emit_c(const struct chorale_emit_table *table,
                                const struct chorale_emit_names *names,
                                FILE *source, FILE *header,
                                struct chorale_errmsg *msg);

/* C names of the members of enum chorale_shape. */
extern const char *const chorale_emit_shape_member[CHORALE_EMIT_SHAPES];

/* Write text so that no comment or literal of C can end in it: at most limit
 * characters, printable ASCII only, no trigraph. */
void chorale_emit_comment(FILE *out, const char *text, size_t limit);
void chorale_emit_literal(FILE *out, const char *text, size_t limit);

/* Write lines of text as comment lines, each after prefix; text may be NULL. */
void chorale_emit_lines(FILE *out, const char *prefix, const char *text);

#endif
