/* SPDX-License-Identifier: BSD-3-Clause */
/* systems.c - the systems in a database, and selecting one by name. */
#include "config.h"

#include "db/systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum chorale_err no_system(struct chorale_store *store,
                                  const char *name,
                                  struct chorale_errmsg *msg)
{
    const char *path = chorale_store_path(store);

    if (name == NULL)
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: no system; measure first with `chorale plan`"
                            " and `chorale run`", path);
    return chorale_fail(msg, CHORALE_USAGE,
                        "--system %s: %s has no system of that name;"
                        " `chorale status %s` lists them", name, path, path);
}

enum chorale_err chorale_systems_load(struct chorale_store *store,
                                      const char *name,
                                      struct chorale_system_row **list_p,
                                      size_t *count_p,
                                      struct chorale_errmsg *msg)
{
    struct chorale_system_row *list = NULL, *more;
    sqlite3_stmt *stmt = NULL;
    size_t count = 0;
    enum chorale_err err = chorale_store_query(
        store, "SELECT system_id, kind = 'simulated', name,"
        " signature GLOB 'imported*' FROM system"
        " WHERE ?1 IS NULL OR name = ?1 ORDER BY name", CHORALE_FIELDS(name),
        &stmt, msg);

    while (chorale_store_next(store, stmt, &err, msg)) {
        const char *text = (const char *)sqlite3_column_text(stmt, 2);

        more = realloc(list, (count + 1) * sizeof(*list));
        if (more != NULL)
            list = more;
        if (more == NULL || text == NULL ||
            (list[count].name = strdup(text)) == NULL) {
            err = chorale_fail_memory(msg, chorale_store_path(store));
            goto out;
        }
        list[count].id = sqlite3_column_int64(stmt, 0);
        list[count].imported = sqlite3_column_int(stmt, 3);
        list[count++].simulated = sqlite3_column_int(stmt, 1);
    }
    if (err == CHORALE_OK && count == 0)
        err = no_system(store, name, msg);
    if (err != CHORALE_OK)
        goto out;
    *list_p = list;
    *count_p = count;
    list = NULL;
    count = 0;
out:
    sqlite3_finalize(stmt);
    chorale_systems_free(list, count);
    return err;
}

void chorale_systems_free(struct chorale_system_row *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].name);
    free(list);
}

enum chorale_err chorale_store_system(struct chorale_store *store,
                                      const char *name,
                                      sqlite3_int64 *system_id_p,
                                      int *simulated_p,
                                      struct chorale_errmsg *msg)
{
    struct chorale_system_row *list = NULL;
    size_t count = 0, len = 0;
    char names[512] = "";
    enum chorale_err err = chorale_systems_load(store, name, &list, &count,
                                                msg);

    if (err != CHORALE_OK)
        return err;
    if (count > 1) {
        for (size_t i = 0; i < count && len < sizeof(names); i++)
            len += (size_t)snprintf(names + len, sizeof(names) - len, "%s'%s'",
                                    i > 0 ? ", " : "", list[i].name);
        err = chorale_fail(msg, CHORALE_USAGE,
                           "%s: holds several systems; choose one of %s with "
                           "--system", chorale_store_path(store), names);
    } else {
        *system_id_p = list[0].id;
        if (simulated_p != NULL)
            *simulated_p = list[0].simulated;
    }
    chorale_systems_free(list, count);
    return err;
}

enum chorale_err chorale_systems_measurable(struct chorale_store *store,
                                            const char *name,
                                            struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT min(name) FROM system WHERE ?1 IS NULL OR name = ?1"
        " HAVING count(*) > 0 AND min(signature GLOB 'imported*')",
        CHORALE_FIELDS(name), &stmt, msg);

    if (chorale_store_next(store, stmt, &err, msg))
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: system '%.100s' was imported and cannot be "
                           "measured; `chorale plan` adds another",
                           chorale_store_path(store), chorale_text(stmt, 0));
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_store_open_system(const char *path, const char *name,
                                           struct chorale_store **store_p,
                                           sqlite3_int64 *system_id_p,
                                           int *simulated_p,
                                           struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ, store_p,
                                              msg);

    return err == CHORALE_OK ? chorale_store_system(*store_p, name, system_id_p,
                                                    simulated_p, msg)
                             : err;
}

/* The first fact in which launch ?1 differs from the first launch of its system
 * that has this fact. */
#define OTHERWISE                                                            \
    "SELECT k.what, mine.value, first.value, y.name"                         \
    "  FROM launch m JOIN system y USING (system_id)"                        \
    "  CROSS JOIN " CHORALE_SYSTEM_FACTS " k"                                \
    "  JOIN environment mine ON mine.launch_id = m.launch_id"                \
    "   AND mine.key = k.key"                                                \
    "  JOIN environment first ON first.key = k.key AND first.launch_id ="    \
    "       (SELECT l.launch_id FROM launch l"                               \
    "         WHERE l.system_id = m.system_id AND l.launch_id <> ?1"         \
    "           AND EXISTS (SELECT 1 FROM environment e WHERE"               \
    "               e.launch_id = l.launch_id AND e.key = k.key)"            \
    "         ORDER BY l.launch_id LIMIT 1)"                                 \
    " WHERE m.launch_id = ?1 AND mine.value <> first.value LIMIT 1"

enum chorale_err chorale_system_agrees(struct chorale_store *store,
                                       sqlite3_int64 launch_id,
                                       struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        store, OTHERWISE, CHORALE_FIELDS(launch_id), &stmt, msg);

    if (chorale_store_next(store, stmt, &err, msg))
        err = chorale_fail(msg, CHORALE_ENV,
                           "%s of the launch is '%.120s', that of earlier ones "
                           "of system %.100s '%.120s'; start it there, or plan "
                           "into another database",
                           chorale_text(stmt, 0),
                           chorale_text(stmt, 1), chorale_text(stmt, 3),
                           chorale_text(stmt, 2));
    sqlite3_finalize(stmt);
    return err;
}
