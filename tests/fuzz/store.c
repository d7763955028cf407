/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - fuzzing target: databases that come from elsewhere are opened,
 * read by the views, and merged into one in memory. */
#include <string.h>

#include "db/merge.h"
#include "db/systems.h"
#include "tests/fuzz/fuzz.h"

static int never(void)
{
    return 0;
}

static void said(enum chorale_err err, const struct chorale_errmsg *msg)
{
    if (err != CHORALE_OK &&
        (msg->text[0] == '\0' || strchr(msg->text, '\n') != NULL))
        chorale_fuzz_broken("an error without its line");
}

/* All rows of a query, with their text. */
static void read_all(struct chorale_store *store, const char *sql)
{
    struct chorale_errmsg msg = { "" };
    sqlite3_stmt *stmt = NULL;
    int row = 1;
    enum chorale_err err = chorale_store_prepare(store, sql, &stmt, &msg);

    for (int n = 0; err == CHORALE_OK && row && n < 1000; n++) {
        err = chorale_store_step(store, stmt, &row, &msg);
        for (int i = 0; err == CHORALE_OK && row &&
                        i < sqlite3_column_count(stmt); i++)
            chorale_text(stmt, i);
    }
    said(err, &msg);
    sqlite3_finalize(stmt);
}

static void read_it(const char *path)
{
    static const char *const sql[] = {
        "SELECT * FROM v_summary", "SELECT * FROM v_best",
        "SELECT * FROM v_progress", "SELECT * FROM decision",
    };
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    struct chorale_system_row *list = NULL;
    size_t count = 0;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ, &store,
                                              &msg);

    if (err == CHORALE_OK) {
        err = chorale_systems_load(store, NULL, &list, &count, &msg);
        for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++)
            read_all(store, sql[i]);
        chorale_systems_free(list, count);
    }
    said(err, &msg);
    chorale_store_close(store);
}

static void merge_it(const char *path)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    struct chorale_shard *shard = NULL;
    struct chorale_merged merged;
    int stop = 0;
    enum chorale_err err = chorale_shard_open(path, never, &shard, &msg);

    if (err == CHORALE_OK)
        err = chorale_store_memory(&store, &msg);
    if (err == CHORALE_OK)
        err = chorale_merge(store, "memory", shard, 0, NULL,
                            &merged, &stop, &msg);
    said(err, &msg);
    chorale_shard_close(shard);
    chorale_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = chorale_fuzz_file(data, size);

    if (path == NULL)
        return 0;
    read_it(path);
    merge_it(path);
    return 0;
}
