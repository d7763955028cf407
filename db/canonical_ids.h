/* SPDX-License-Identifier: BSD-3-Clause */
/* canonical_ids.h - row ids that do not depend on the order of merges. */
#ifndef CHORALE_DB_CANONICAL_IDS_H
#define CHORALE_DB_CANONICAL_IDS_H

#include "db/store.h"

/* Renumber systems, campaigns, cells, launches and traces from 1 in an order
 * that depends on their content only:
 * - systems and traces by time and UUID;
 * - campaigns by time, adaptive round, kind and UUID;
 * - cells by their point and variant;
 * - launches by their start time.
 * References to these rows are updated in the same transaction; if all ids are
 * already in order, the file is not written. Queries, exports and floating-
 * point sums ordered by row id then give the same digits after any order of
 * merges. Run ids stay: they are in order inside a launch, and readers sort by
 * launch and run.
 *
 * The caller holds both locks of the store. Errors: CHORALE_STOPPED;
 * CHORALE_ENV: disk full; CHORALE_DATA: file damaged. After an error the store
 * is unchanged. */
enum chorale_err chorale_ids_renumber(struct chorale_store *store,
                                      struct chorale_errmsg *msg);

#endif
