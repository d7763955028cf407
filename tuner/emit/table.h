/* SPDX-License-Identifier: BSD-3-Clause */
/* table.h - a decision table made ready for writing as C. Only names that the
 * catalogue knows enter; the rest is left to the library. */
#ifndef CHORALE_TUNER_EMIT_TABLE_H
#define CHORALE_TUNER_EMIT_TABLE_H

#include <stdio.h>

#include "algorithms/alg.h"
#include "algorithms/dispatch/table/table.h"
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

/* From n = from on, up to the next band, choose that. */
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

/* Rules of one collective for one shape, ascending in comm_size, neighbours
 * different. Shape
 * CHORALE_SHAPE_UNKNOWN holds the projection: what all shapes agree upon. A
 * comm_size without a rule is the library's. */
struct chorale_emit_group {
    struct chorale_emit_rule *rule;
    size_t nrule;
};

/* Rules for ranks in blocks of that many a node. */
struct chorale_emit_ppn {
    int ppn;
    struct chorale_emit_group group;
};

struct chorale_emit_table {
    struct chorale_origin origin;
    struct chorale_served_kind kind[CHORALE_NCOLL];
    char *coverage[CHORALE_NCOLL]; /* for people; "" where nothing is */
    struct chorale_hull hull[CHORALE_NCOLL]; /* of the rows, by each side */
    struct chorale_emit_choice *choice;
    size_t nchoice;
    struct chorale_emit_band *band;
    size_t nband;
    struct chorale_emit_group group[CHORALE_NCOLL][CHORALE_EMIT_SHAPES];
    struct chorale_emit_ppn *ppn[CHORALE_NCOLL]; /* ascending: all that have
                              * rows of shape block */
    size_t nppn[CHORALE_NCOLL];
};

/* Load the decisions of a system. Of a collective measured with several
 * types and operations the one of double and sum is taken (byte where nothing
 * is reduced), or else the first by name. Of each number of ranks a node in
 * blocks the table has rules of its own; who asks for the shape alone gets what
 * they agree upon, else the library, and likewise where shapes disagree, in the
 * projection. Of rows of one placement that
 * overlap the one counts that begins last, and behind its end the library.
 * CHORALE_DATA: no decisions. */
enum chorale_err chorale_emit_load(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_emit_table *table,
                                   struct chorale_errmsg *msg);
void chorale_emit_release(struct chorale_emit_table *table);

/* What the written table answers: an index of table->choice. ppn as of
 * select_ppn in table.h. */
size_t chorale_emit_select(const struct chorale_emit_table *table,
                           enum chorale_coll coll, enum chorale_shape shape,
                           int ppn, unsigned long long n, int comm_size);

/* The shape of that name in the database, -1 if there is none. */
int chorale_emit_shape(const char *name);
const char *chorale_emit_shape_name(enum chorale_shape shape);

/* Basenames, for the command in the heading; path-free so that the same
 * database gives the same bytes. */
struct chorale_emit_names {
    const char *source, *header, *database;
    const char *said;        /* of the checks, lines */
};

/* The digest that the C table carries; equal tables, equal digests.
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

/* Members of enum chorale_shape as C has them. */
extern const char *const chorale_emit_shape_member[CHORALE_EMIT_SHAPES];

/* Write text so that no comment or literal of C can end in it: at most limit
 * characters, printable ASCII only, no trigraph. */
void chorale_emit_comment(FILE *out, const char *text, size_t limit);
void chorale_emit_literal(FILE *out, const char *text, size_t limit);

/* Lines of such comments, each after prefix; text may be NULL. */
void chorale_emit_lines(FILE *out, const char *prefix, const char *text);

#endif
