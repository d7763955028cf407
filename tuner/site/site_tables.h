/* SPDX-License-Identifier: BSD-3-Clause */
/* site_tables.h - install, list and roll back the dispatch tables of a site,
 * where the shim finds them (algorithms/dispatch/table/site.h).
 *
 *     FOLDER/CLUSTER/PARTITION/MPI/current -> table-4-2-0123456789abcdef.so
 *
 * An installed table is never modified. Its name has its number in the folder,
 * the number of the table that it replaced (0: no predecessor) and the digest
 * of its bytes, which is compared before loading. `current` is a link that
 * is created beside its place and renamed: readers see the old or the new
 * table, even if the command is killed. Temporary files of a killed command are
 * removed by a later one that changes `current`, if they are an hour old.
 */
#ifndef CHORALE_TUNER_SITE_SITE_TABLES_H
#define CHORALE_TUNER_SITE_SITE_TABLES_H

#include <limits.h>

#include "algorithms/dispatch/table/table.h"
#include "db/err.h"

/* A place: a folder that may contain a current table. */
struct chorale_place {
    char path[PATH_MAX];
    char cluster[80], partition[80], mpi[80];
};

/* Set a place from its words. CHORALE_USAGE: a word is no valid folder name. */
enum chorale_err chorale_place_set(struct chorale_place *place,
                                   const char *folder, const char *cluster,
                                   const char *partition, const char *mpi,
                                   struct chorale_errmsg *msg);

/* The current table of a place.
 * number: 0 if there is no table. before: the number of its predecessor.
 * link: `current` is a link made by Chorale; 0: a file or a link made by hand.
 * name: the target of the link; "current" for a file; "" without a table. */
struct chorale_current {
    long number, before;
    int link;
    char name[256];
};

enum chorale_err chorale_place_current(const struct chorale_place *place,
                                       struct chorale_current *current,
                                       struct chorale_errmsg *msg);

/* Report that a place has no table, with the remedy; returns CHORALE_DATA. */
enum chorale_err chorale_place_empty(const struct chorale_place *place,
                                     struct chorale_errmsg *msg);

/* Load a table with the same checks as the shim. CHORALE_DATA: the shim would
 * refuse it. CHORALE_ENV: the file cannot be read. */
enum chorale_err chorale_place_load(const char *path,
                                    const struct chorale_table **table_p,
                                    struct chorale_errmsg *msg);

/* Copy the table at path to the place and make it current. name: its file name
 * there. CHORALE_DATA: the shim would refuse the copy, or `current` was made by
 * hand; CHORALE_ENV: no permission or no space. On error the current table is
 * unchanged. */
enum chorale_err chorale_place_install(const struct chorale_place *place,
                                       const char *path, char name[256],
                                       struct chorale_errmsg *msg);

/* Make the predecessor of the current table current again; *from and *to
 * receive both. A table that was installed while no table was current has no
 * predecessor: its rollback leaves the place without a current table, and
 * to->name is "". This is so for the first table and for the first one after
 * chorale_place_remove(). CHORALE_DATA: the predecessor is missing, or the shim
 * would refuse it. */
enum chorale_err chorale_place_rollback(const struct chorale_place *place,
                                        struct chorale_current *from,
                                        struct chorale_current *to,
                                        struct chorale_errmsg *msg);

/* Remove the link to the current table, which *from receives; the table stays.
 * CHORALE_DATA: the place has no current table, or it was put there by hand. */
enum chorale_err chorale_place_remove(const struct chorale_place *place,
                                      struct chorale_current *from,
                                      struct chorale_errmsg *msg);

/* Call fn for each place of a folder that has a `current`, sorted by name, up
 * to its first error. CHORALE_ENV: the folder cannot be read. */
enum chorale_err
chorale_places_each(const char *folder,
                    enum chorale_err (*fn)(const struct chorale_place *place,
                                           void *arg,
                                           struct chorale_errmsg *msg),
                    void *arg, struct chorale_errmsg *msg);

/* table_diff.c. Print where two tables make different choices. Compared points:
 * the collectives of either table; 2 to 64 ranks, then doubling up to the
 * largest measured; all shapes; 2, 4, 8, ... ranks per node; n = 0 and the
 * powers of two with their neighbours. Returns the number of lines printed. */
long chorale_table_diff(const struct chorale_table *from,
                        const struct chorale_table *to);

#endif
