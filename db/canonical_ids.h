/* SPDX-License-Identifier: BSD-3-Clause */
/* canonical_ids.h - row ids that do not tell in which order databases were merged.
 */
#ifndef CHORALE_DB_CANONICAL_IDS_H
#define CHORALE_DB_CANONICAL_IDS_H

#include "db/store.h"

/* Number systems, campaigns, cells, launches and traces from 1 in an order
 * that is of their content alone: systems, campaigns and traces by time and
 * UUID, cells by their point and variant, launches by when they were started.
 * Rows that refer to them follow, in one transaction; where all is in order,
 * nothing is written. Queries and exports that go by row ids, and sums in their
 * order, are then the same to the last digit whatever the order of merges.
 * Runs keep their ids: inside a launch they are in order, and readers go by
 * launch and run.
 *
 * The caller holds both locks of the store. CHORALE_STOPPED, CHORALE_ENV (full
 * disk), CHORALE_DATA (damaged): store is as it was. */
enum chorale_err chorale_renumber(struct chorale_store *store,
                                  struct chorale_errmsg *msg);

#endif
