/* SPDX-License-Identifier: BSD-3-Clause */
/* table_config.h - settings and table of this process, resolved against the
 * catalogue: what the dispatcher looks at. Immutable once loaded. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_CONFIG_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_TABLE_CONFIG_H

#include <stdint.h>

#include "algorithms/dispatch/table/settings.h"
#include "algorithms/dispatch/table/table.h"

struct chorale_tuning {
    struct chorale_settings set;
    const struct chorale_table *table;
    uint64_t content;        /* of the file that the table is from, or 0 */
    const struct chorale_selector *selector[CHORALE_NCOLL]; /* or NULL */
    struct chorale_plan *plan; /* [CHORALE_NCOLL][table->nchoice] */
    uint64_t digest;         /* of table, catalogue, settings */
    unsigned serves;         /* bit per collective: not only the library's */
    int idle;                /* nothing but the library is ever chosen */
};

/* Read the settings, find and load the table, resolve its choices. Whatever
 * is wrong costs one line to warn() and leaves the library in charge.
 *
 * path  the table, or NULL: what the environment says
 * ok_p  out, may be NULL: 0 if path could not be used */
void chorale_tuning_load(struct chorale_tuning *t, const char *path,
                         void (*warn)(const char *line), int *ok_p);

/* Choice i of the table for a collective. */
const struct chorale_plan *chorale_tuning_plan(const struct chorale_tuning *t,
                                               enum chorale_coll coll, int i);

#endif
