/* SPDX-License-Identifier: BSD-3-Clause */
/* for_each_system.c - run a stage for each system of a database. */
#include "tuner/base/for_each_system.h"
#include "tuner/base/rows.h"

#include <stdio.h>

enum chorale_err chorale_each_system(const char *path,
                                     const struct chorale_each_opts *opts,
                                     chorale_each_fn *fn, const void *arg,
                                     struct chorale_errmsg *msg)
{
    struct chorale_store *store = NULL;
    struct chorale_system_row *system = NULL;
    json_t *list = opts->json ? json_array() : NULL;
    size_t count = 0;
    int reads = opts->reads && !chorale_store_writable(path);
    enum chorale_err err;

    err = chorale_store_open(path, reads ? CHORALE_STORE_READ
                                         : CHORALE_STORE_WRITE, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_systems_load(store, opts->system, &system, &count, msg);
    for (size_t i = 0; i < count && err == CHORALE_OK; i++) {
        if (i > 0 && list == NULL && !opts->quiet)
            printf("\n");
        err = fn(store, &system[i], arg, list, msg);
    }
    if (err == CHORALE_OK && list != NULL)
        chorale_json_print(json_pack("{s:O}", "systems", list));
    json_decref(list);
    chorale_systems_free(system, count);
    chorale_store_close(store);
    return err;
}

enum chorale_err chorale_replace_begin(struct chorale_store *store,
                                       const char *remove,
                                       sqlite3_int64 system_id,
                                       const char *insert,
                                       sqlite3_stmt **insert_p,
                                       struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_begin(store, msg);

    *insert_p = NULL;
    if (err == CHORALE_OK)
        err = chorale_store_run(store, remove, CHORALE_FIELDS(system_id), msg);
    if (err == CHORALE_OK)
        err = chorale_store_query(store, insert, CHORALE_FIELDS(system_id),
                                  insert_p, msg);
    return err;
}

enum chorale_err chorale_replace_end(struct chorale_store *store,
                                     sqlite3_stmt *insert,
                                     enum chorale_err err,
                                     struct chorale_errmsg *msg)
{
    sqlite3_finalize(insert);
    return chorale_store_end(store, err, msg);
}
