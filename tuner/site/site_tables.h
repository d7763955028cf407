/* SPDX-License-Identifier: BSD-3-Clause */
/* site_tables.h - the tables of a site, as the shim finds them: see
 * algorithms/dispatch/table/site.h.
 *
 *     FOLDER/CLUSTER/PARTITION/MPI/current -> table-4-2-0123456789abcdef.so
 *
 * A table is copied there once and never changed. Its name has its number in
 * the folder, the number of the table before it (0: no table) and the digest
 * of its bytes, which is compared before it is loaded. `current` is a link that
 * is made beside its place and renamed onto it, so that whoever looks sees the
 * old table or the new one, whenever the command ends. What a killed command
 * left there besides goes when a later one, an hour on, changes `current`.
 */
#ifndef CHORALE_TUNER_SITE_SITE_TABLES_H
#define CHORALE_TUNER_SITE_SITE_TABLES_H

#include <limits.h>

#include "algorithms/dispatch/table/table.h"
#include "db/err.h"

/* One place: a folder that may hold a current table. */
struct chorale_place {
    char path[PATH_MAX];
    char cluster[80], partition[80], mpi[80];
};

/* The words of a place are checked: CHORALE_USAGE where one can be no
 * folder's name. */
enum chorale_err chorale_place_set(struct chorale_place *place,
                                   const char *folder, const char *cluster,
                                   const char *partition, const char *mpi,
                                   struct chorale_errmsg *msg);

/* What `current` of a place is. number 0: there is no table. before: the one
 * that it was put in place of. name: what the link says, "" without. link: it
 * is a link of ours; 0 where it is a file or a link that somebody made by
 * hand. */
struct chorale_current {
    long number, before;
    int link;
    char name[256];
};

enum chorale_err chorale_place_current(const struct chorale_place *place,
                                       struct chorale_current *current,
                                       struct chorale_errmsg *msg);

/* Say that there is none at a place, and what puts one there: CHORALE_DATA. */
enum chorale_err chorale_place_empty(const struct chorale_place *place,
                                     struct chorale_errmsg *msg);

/* Load a table for its words and selectors, checked as the shim would check
 * it. CHORALE_DATA: it would be refused. */
enum chorale_err chorale_place_load(const char *path,
                                   const struct chorale_table **table_p,
                                   struct chorale_errmsg *msg);

/* Copy the table at path into the place and make it the current one.
 * name[256]: of its file there. CHORALE_DATA: the copy would be refused by the
 * shim; CHORALE_ENV: no permission, no space. In either case the current table
 * is the one of before. */
enum chorale_err chorale_place_install(const struct chorale_place *place,
                                       const char *path, char name[256],
                                       struct chorale_errmsg *msg);

/* Make the one before the current table current again; both names are told.
 * CHORALE_DATA: there is none. */
enum chorale_err chorale_place_rollback(const struct chorale_place *place,
                                        struct chorale_current *from,
                                        struct chorale_current *to,
                                        struct chorale_errmsg *msg);

/* Call fn for each place of a folder that has a `current`, in the order of
 * their names. fn's first error ends it. */
enum chorale_err
chorale_places_each(const char *folder,
                    enum chorale_err (*fn)(const struct chorale_place *place,
                                           void *arg,
                                           struct chorale_errmsg *msg),
                    void *arg, struct chorale_errmsg *msg);

/* table_diff.c. Print where two tables choose otherwise. Looked at are the
 * collectives of either, 2 to 64 ranks and then doubling up to what was
 * measured, all shapes, nodes of 2, 4, 8 ... ranks, and n = 0, the powers of
 * two and their neighbours. Returns how many lines were printed. */
long chorale_table_diff(const struct chorale_table *from,
                        const struct chorale_table *to);

#endif
