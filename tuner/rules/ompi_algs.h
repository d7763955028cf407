/* SPDX-License-Identifier: BSD-3-Clause */
/* ompi_algs.h - the limits of the rules of Open MPI's component tuned.
 *
 * A rule names an algorithm by its number; 0 is the library's own decision.
 * Rules cannot test the operation, and some algorithms reorder operands even if
 * the operation does not commute. Such algorithms are left out unless the user
 * promises that all operations commute (--commutative). */
#ifndef CHORALE_TUNER_RULES_OMPI_ALGS_H
#define CHORALE_TUNER_RULES_OMPI_ALGS_H

#include "tuner/base/ompi_names.h"
#include "tuner/rules/rules.h"

/* A collective's number, or -1 if tuned does not serve it. */
int chorale_ompi_id(enum chorale_coll coll);

/* The size that rules of a collective compare: n, or the mean block of the
 * ranks rounded down (the code does this whatever the documentation states).
 * NONE: no size is known to all ranks, and the rule for size 0 is used. */
enum chorale_ompi_key { CHORALE_OMPI_NONE, CHORALE_OMPI_N, CHORALE_OMPI_MEAN };
enum chorale_ompi_key chorale_ompi_key(enum chorale_coll coll);

/* Bytes of n for one unit of the compared size. */
int chorale_ompi_unit(enum chorale_coll coll, int comm_size);

/* The numbers of a rule for NAME or NAME:PARAMETER=VALUE. */
struct chorale_ompi_numbers {
    long algorithm;          /* 0: the library's own decision */
    long fanout, segment;    /* segment: bytes; 0: whole messages */
    long requests;           /* at once; 0: no limit */
};
struct chorale_ompi_numbers chorale_ompi_numbers(enum chorale_coll coll,
                                                 const char *name);

/* The component han, which serves calls on several nodes. Its algorithms are
 * named han_NAME (runners/native/native_find.c). */
enum { CHORALE_OMPI_HAN = 4 }; /* bytes of the prefix "han_" */
int chorale_ompi_is_han(const char *name);

/* 1 if han has algorithms for a collective; it passes on all other calls. */
int chorale_ompi_han_serves(enum chorale_coll coll);

/* The size that han's rules compare, of the first call with at least n bytes:
 * n, or a rank's block. */
unsigned long long chorale_ompi_han_key(enum chorale_coll coll, int comm_size,
                                        unsigned long long n);

/* 1 if a rule was decided on several nodes. */
int chorale_ompi_on_nodes(const struct chorale_rule *rule);

/* Warn that the component han, the default on several nodes from version 5 on,
 * asks the rules of tuned for the communicators that it makes, of the ranks of a
 * node and of one rank a node. Names the numbers of ranks that have rules and
 * are those of such a communicator of a placement decided. See struct
 * chorale_rule_format. */
void chorale_ompi_warn(FILE *out, const char *prefix,
                       const struct chorale_rules *rules);

/* Major version of the measured Open MPI; 0: unknown. */
int chorale_ompi_version(const struct chorale_rules *rules);

/* Set left and projected of all rules, and round the limits of those that
 * compare the mean block. Placements from shape on cannot be distinguished; the
 * choices they agree on are added as rows of unknown shape. Errors are those of
 * chorale_rule_format.prepare. */
enum chorale_err chorale_ompi_prepare(struct chorale_rules *rules,
                                      const struct chorale_rule_opts *opts,
                                      enum chorale_shape shape,
                                      struct chorale_errmsg *msg);

#endif
