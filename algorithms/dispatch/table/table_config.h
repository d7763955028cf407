/* SPDX-License-Identifier: BSD-3-Clause */
/* table_config.h - settings and table of this process, resolved against the
 * catalogue: the input of the dispatcher. Immutable once loaded. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_CONFIG_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_CONFIG_H

#include <stdint.h>

#include "algorithms/dispatch/table/settings.h"
#include "algorithms/dispatch/table/table.h"

struct chorale_tuning {
    struct chorale_settings set;
    const struct chorale_table *table;
    uint64_t content;        /* hash of the table's file, or 0 */
    const struct chorale_selector *selector[CHORALE_NCOLL]; /* or NULL */
    struct chorale_plan *plan; /* [CHORALE_NCOLL][table->nchoice] */
    uint64_t digest;         /* of table, catalogue, settings */
    unsigned serves;         /* bit per collective: a variant may be chosen */
    int idle;                /* only the library is ever chosen, and
                              * CHORALE_CHECK is unset */
};

/* Read the settings, find and load the table, resolve its choices. Each
 * problem is reported by one line to warn(), which may be NULL; the
 * collectives or the table concerned are left to the library.
 *
 * path  the table, or NULL: found from the environment
 * ok_p  out, may be NULL: 0 if a table was found but could not be used, or
 *       memory ran out */
void chorale_tuning_load(struct chorale_tuning *t, const char *path,
                         void (*warn)(const char *line), int *ok_p);

/* Choice i of the table, resolved for a collective. An i outside the table
 * gives choice 0, the library. */
const struct chorale_plan *chorale_tuning_plan(const struct chorale_tuning *t,
                                               enum chorale_coll coll, int i);

#endif
