/* SPDX-License-Identifier: BSD-3-Clause */
/* ompi_algs.h - what Open MPI's component tuned has, by number, and what rules for
 * it can say.
 *
 * A rule names an algorithm by its number, 0 being the library's own decision.
 * It cannot tell operations apart, and algorithms that reorder operands do not
 * look: they are left out unless the user promises that all operations
 * commute. */
#ifndef CHORALE_TUNER_RULES_OMPI_ALGS_H
#define CHORALE_TUNER_RULES_OMPI_ALGS_H

#include "tuner/rules/rules.h"

struct chorale_ompi_algorithm {
    enum chorale_coll coll;
    const char *name;        /* as MPI_T and the runner call it */
    int id, fanout;          /* chains: what the library itself begins with */
    int reorders;            /* operands, whatever the operation */
    int segments;            /* it is another one without a segment size */
};

/* NULL: there is none of that name. */
const struct chorale_ompi_algorithm *
chorale_ompi_find(enum chorale_coll coll, const char *name);

/* A collective's number, -1: tuned does not serve it. */
int chorale_ompi_id(enum chorale_coll coll);

/* What rules for it are held against: n; the mean of the ranks' blocks, rounded
 * down, whatever the documentation says; or nothing that all ranks know: then
 * the rule for size 0 serves. */
enum chorale_ompi_key { CHORALE_OMPI_NONE, CHORALE_OMPI_N, CHORALE_OMPI_MEAN };
enum chorale_ompi_key chorale_ompi_key(enum chorale_coll coll);

/* Bytes of n that are one of what is tested. */
int chorale_ompi_unit(enum chorale_coll coll, int comm_size);

/* Set left and projected: placements from shape on are not told apart, and
 * what they agree upon becomes rows of unknown shape. Errors as of
 * chorale_rule_format.prepare. */
enum chorale_err chorale_ompi_prepare(struct chorale_rules *rules,
                                      const struct chorale_rule_opts *opts,
                                      enum chorale_shape shape,
                                      struct chorale_errmsg *msg);

#endif
