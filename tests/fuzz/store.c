/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c - fuzzing target: foreign databases are opened, read by the views,
 * merged into one in memory whose rows are numbered, exported and reported.
 * tests/fuzz/seed.sh makes the initial corpus. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/merge.h"
#include "db/canonical_ids.h"
#include "db/systems.h"
#include "plots/stages.h"
#include "tests/fuzz/fuzz.h"
#include "tuner/exchange/export.h"

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

/* Read all rows of a query as text. */
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

static void read_views(struct chorale_store *store)
{
    static const char *const sql[] = {
        "SELECT * FROM v_summary", "SELECT * FROM v_best",
        "SELECT * FROM v_progress", "SELECT * FROM v_speedup",
        "SELECT * FROM v_paired", "SELECT * FROM v_untouched",
        "SELECT * FROM v_trace", "SELECT * FROM v_decision",
        "SELECT * FROM v_run", "SELECT * FROM v_proof",
        "SELECT * FROM decision",
    };

    for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++)
        read_all(store, sql[i]);
}

/* Returns 1 if the database can be read. */
static int read_it(const char *path)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    struct chorale_system_row *list = NULL;
    size_t count = 0;
    enum chorale_err err = chorale_store_open(path, CHORALE_STORE_READ, &store,
                                              &msg);
    int opened = err == CHORALE_OK;

    if (opened) {
        err = chorale_systems_load(store, NULL, &list, &count, &msg);
        read_views(store);
        chorale_systems_free(list, count);
    }
    said(err, &msg);
    chorale_store_close(store);
    return opened;
}

/* Returns 1 if its rows were merged into a database. */
static int merge_it(const char *path)
{
    struct chorale_errmsg msg = { "" };
    struct chorale_store *store = NULL;
    struct chorale_shard *shard = NULL;
    struct chorale_merged merged;
    int stop = 0, sound = 0;
    enum chorale_err err = chorale_shard_open(path, never,
                                              &shard, &msg);

    if (err == CHORALE_OK)
        err = chorale_store_memory(&store, &msg);
    if (err == CHORALE_OK)
        err = chorale_merge(store, "memory", shard, 0, NULL,
                            &merged, &stop, &msg);
    if (err == CHORALE_OK) {
        err = chorale_ids_renumber(store, &msg);
        read_views(store);
        sound = err == CHORALE_OK;
    }
    said(err, &msg);
    chorale_shard_close(shard);
    chorale_store_close(store);
    return sound;
}

/* 1 if the input takes this turn of n. With libFuzzer each input takes one
 * turn, by its bytes, so that more inputs can be tried; inputs from files take
 * all. */
static int takes(const uint8_t *data, size_t size, size_t turn, size_t n)
{
#ifdef CHORALE_LIBFUZZER
    size_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return sum % n == turn;
#else
    (void)data, (void)size, (void)turn, (void)n;
    return 1;
#endif
}

static void export_it(const char *path, const uint8_t *data, size_t size)
{
    static const char *const what[] = {
        "summary", "samples", "speedup", "best", "runs", "counters",
        "environment", "decisions", "cells",
    };
    const size_t n = sizeof(what) / sizeof(what[0]);
    char output[PATH_MAX];

    snprintf(output, sizeof(output), "%s-out", path);
    for (size_t i = 0; i < n; i++) {
        const struct chorale_export_opts opts = {
            .what = what[i], .output = output, .csv = i % 2 == 1,
            .json = i % 2 == 0, .anonymize = i % 3 == 0,
        };
        struct chorale_errmsg msg = { "" };

        if (!takes(data, size, i, n))
            continue;
        said(chorale_database_export(path, &opts, &msg), &msg);
        unlink(output);
    }
}

static void report_it(const char *path, const uint8_t *data, size_t size)
{
    char output[PATH_MAX];
    struct chorale_page_opts opts = { .output = output, .quiet = 1 };

    setenv("GNUPLOT", "/nonexistent", 1);
    snprintf(output, sizeof(output), "%s-out", path);
    for (size_t n = 1; n <= 2; n++) {
        struct chorale_errmsg msg = { "" };

        if (!takes(data, size, n, 4))
            continue;
        opts.anonymize = n == 2;
        said(chorale_report_make(path, &opts, &msg), &msg);
        unlink(output);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = chorale_fuzz_file(data, size);

    if (path == NULL)
        return 0;
    if (read_it(path)) {
        export_it(path, data, size);
        report_it(path, data, size);
    }
    if (merge_it(path) && getenv("CHORALE_FUZZ_MERGED") != NULL)
        printf("merged: ");
    return 0;
}

#ifdef CHORALE_LIBFUZZER
/* Most of a database is its schema, and one with another schema is refused at
 * once. So mutate mostly the inside of one page that contains a b-tree. The
 * first page has the file header. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed)
{
    const size_t page = 512, npage = size / page;

    if (seed % 8 == 0 || npage < 2)
        return LLVMFuzzerMutate(data, size, max);
    for (size_t tries = 0; tries < npage; tries++) {
        const size_t k = 1 + (seed / 8 + tries) % (npage - 1);
        uint8_t *at = data + k * page;
        const size_t rows = (size_t)at[5] << 8 | at[6]; /* first row */

        if ((at[0] == 0x0d || at[0] == 0x0a) && rows < page) {
            const size_t skip = seed % 8 == 1 ? 0 : rows;

            LLVMFuzzerMutate(at + skip, page - skip, page - skip);
            break;
        }
    }
    return size;
}
#endif
