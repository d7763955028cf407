/* SPDX-License-Identifier: BSD-3-Clause */
/* table_manage.h - the stages of `chorale table`, which print what they did. */
#ifndef CHORALE_TUNER_SITE_TABLE_MANAGE_H
#define CHORALE_TUNER_SITE_TABLE_MANAGE_H

#include "db/err.h"

struct chorale_manage_opts {
    const char *folder;      /* of the site's tables */
    const char *cluster, *partition;
    const char *mpi;         /* its folder name; NULL: that of the table, or the
                              * only one there */
    const char *system;      /* of a database with several, or NULL */
    const char *named;       /* FILE as given, for output */
    int allow_patented;      /* for tables made from a database */
    int quiet;
};

/* Install the compiled table in file, or one made from the database file.
 * CHORALE_USAGE: its MPI library is unknown, or a word is no folder name.
 * CHORALE_STOPPED: interrupted, the current table is unchanged. Other errors as
 * of chorale_place_install(). */
enum chorale_err chorale_tables_install(const struct chorale_manage_opts *opts,
                                        const char *file,
                                        struct chorale_errmsg *msg);

/* Print where such a table chooses differently from the current table of its
 * place. CHORALE_DATA: the place has no table; errors as above. */
enum chorale_err chorale_tables_diff(const struct chorale_manage_opts *opts,
                                     const char *file,
                                     struct chorale_errmsg *msg);

/* List the current table of each place of the folder. */
enum chorale_err chorale_tables_list(const struct chorale_manage_opts *opts,
                                     struct chorale_errmsg *msg);

/* Restore the predecessor of a place's table, or remove its first table as
 * current. CHORALE_USAGE: the place has tables of no or several MPI
 * libraries. */
enum chorale_err
chorale_tables_rollback(const struct chorale_manage_opts *opts,
                        struct chorale_errmsg *msg);

/* Leave a place without a current table; the file of the table stays, since
 * programs may run with it. Errors as of rollback. */
enum chorale_err chorale_tables_remove(const struct chorale_manage_opts *opts,
                                       struct chorale_errmsg *msg);

#endif
