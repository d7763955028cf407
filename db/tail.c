/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.c - what was stored since a copy was published, written: see tail.h. */
#include "config.h"

#include "db/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/byte_buffer.h"
#include "db/tail_record.h"

#define AGAIN_MAX (1 << 20) /* bytes that are tried again with the next */

/* A launch that is in the tail, with how much of its environment. */
struct known {
    sqlite3_int64 launch, facts;
};

struct chorale_tail {
    struct chorale_store *store;
    char file[PATH_MAX];
    int creates;             /* the file, where it is not there */
    sqlite3_stmt *from[CHORALE_NTAIL], *launches, *runs;
    sqlite3_int64 last;      /* runs up to this one are in it or in the copy */
    struct known *known;
    size_t nknown;
    struct chorale_bytes record; /* that is being made */
    int written;             /* of a point under way: there may be a file */
};

#define LAUNCH                                                               \
    "ordinal, comm_size, ppn, shape, siblings, part, seed, job_id, host_map," \
    " started, finished, status, reason"
#define RUN                                                                  \
    "status, reason, stop_reason, validity, first_call, sync, batch,"        \
    " separator, clock_error, skew"
#define SUMMARY                                                              \
    "nrep, nlate, median, lo, hi, mean, min, q25, q75, p95, p99, max"
#define SAMPLE "rep, seconds, first_in, last_in, root_out, root, flags"

const struct chorale_tail_table chorale_tail_table[CHORALE_NTAIL] = {
    [CHORALE_TAIL_LAUNCH] = {
        "SELECT (SELECT uuid FROM campaign k"
        "         WHERE k.campaign_id = launch.campaign_id),"
        " (SELECT uuid FROM system y WHERE y.system_id = launch.system_id),"
        " uuid, " LAUNCH " FROM launch WHERE launch_id = ?1",
        "INSERT INTO launch (campaign_id, system_id, uuid, " LAUNCH ") VALUES"
        " ((SELECT campaign_id FROM campaign WHERE uuid = ?1),"
        "  (SELECT system_id FROM system WHERE uuid = ?2),"
        "  ?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)"
        " ON CONFLICT (uuid) DO UPDATE SET host_map = excluded.host_map"
        "  WHERE host_map = ''", 16 },
    [CHORALE_TAIL_FACT] = {
        "SELECT (SELECT uuid FROM launch l"
        "         WHERE l.launch_id = environment.launch_id), key, value"
        " FROM environment WHERE launch_id = ?1",
        "INSERT INTO environment (launch_id, key, value) VALUES"
        " ((SELECT launch_id FROM launch WHERE uuid = ?1),?2,?3)"
        " ON CONFLICT DO NOTHING", 3 },
    [CHORALE_TAIL_RUN] = {
        "SELECT (SELECT uuid FROM cell c WHERE c.cell_id = run.cell_id),"
        " (SELECT uuid FROM launch l WHERE l.launch_id = run.launch_id),"
        " uuid, " RUN " FROM run WHERE run_id = ?1",
        "INSERT INTO run (cell_id, launch_id, uuid, " RUN ") VALUES"
        " ((SELECT cell_id FROM cell WHERE uuid = ?1),"
        "  (SELECT launch_id FROM launch WHERE uuid = ?2),"
        "  ?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13)"
        " ON CONFLICT DO NOTHING", 13 },
    [CHORALE_TAIL_SUMMARY] = {
        "SELECT " SUMMARY " FROM run_summary WHERE run_id = ?1",
        "INSERT INTO run_summary (run_id, " SUMMARY ") VALUES"
        " (?13,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)", 12 },
    [CHORALE_TAIL_SAMPLE] = {
        "SELECT " SAMPLE " FROM sample WHERE run_id = ?1",
        "INSERT INTO sample (run_id, " SAMPLE ") VALUES"
        " (?8,?1,?2,?3,?4,?5,?6,?7)", 7 },
    [CHORALE_TAIL_COUNTER] = {
        "SELECT rank, event, value FROM counter WHERE run_id = ?1",
        "INSERT INTO counter (run_id, rank, event, value) VALUES"
        " (?4,?1,?2,?3)", 3 },
};

uint64_t chorale_tail_sum(const char *data, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u, word;

    for (; bytes >= sizeof(word); bytes -= sizeof(word)) {
        memcpy(&word, data, sizeof(word));
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 29; /* high bits go down, too */
        data += sizeof(word);
    }
    word = 0;
    memcpy(&word, data, bytes);
    return (h ^ word ^ (uint64_t)bytes << 56) * 0x100000001b3u;
}

/* --- a record --------------------------------------------------------- */

static void put(struct chorale_tail *tail, const void *data, size_t bytes)
{
    chorale_bytes_add(&tail->record, data, bytes);
}

static void put_letter(struct chorale_tail *tail, int letter)
{
    char byte = (char)letter;

    put(tail, &byte, 1);
}

static void put_column(struct chorale_tail *tail, sqlite3_stmt *stmt, int i)
{
    int type = sqlite3_column_type(stmt, i);
    int64_t whole = sqlite3_column_int64(stmt, i);
    double real;
    const void *text;
    uint32_t bytes;

    if (type == SQLITE_NULL) {
        put_letter(tail, CHORALE_TAIL_NULL);
    } else if (type == SQLITE_INTEGER && whole >= 0 && whole < 256) {
        put_letter(tail, CHORALE_TAIL_BYTE);
        put_letter(tail, (int)whole);
    } else if (type == SQLITE_INTEGER) {
        put_letter(tail, CHORALE_TAIL_INT);
        put(tail, &whole, sizeof(whole));
    } else if (type == SQLITE_FLOAT) {
        real = sqlite3_column_double(stmt, i);
        put_letter(tail, CHORALE_TAIL_REAL);
        put(tail, &real, sizeof(real));
    } else {
        text = sqlite3_column_text(stmt, i);
        bytes = (uint32_t)sqlite3_column_bytes(stmt, i);
        put_letter(tail, CHORALE_TAIL_TEXT);
        put(tail, &bytes, sizeof(bytes));
        put(tail, text, bytes);
    }
}

/* All rows of a table that are of that launch or run; how many. */
static int put_rows(struct chorale_tail *tail, int table, sqlite3_int64 id)
{
    sqlite3_stmt *stmt = tail->from[table];
    int rows = 0, rc;

    sqlite3_bind_int64(stmt, 1, id);
    for (; (rc = sqlite3_step(stmt)) == SQLITE_ROW; rows++) {
        put_letter(tail, table);
        for (int i = 0; i < chorale_tail_table[table].columns; i++)
            put_column(tail, stmt, i);
    }
    tail->record.lacks |= rc != SQLITE_DONE;
    sqlite3_reset(stmt);
    return rows;
}

/* Launches of the new runs, unless they are in the tail with as much of their
 * environment. *added are, behind tail->nknown. */
static void put_launches(struct chorale_tail *tail, size_t *added)
{
    sqlite3_bind_int64(tail->launches, 1, tail->last);
    while (sqlite3_step(tail->launches) == SQLITE_ROW) {
        const struct known is = { sqlite3_column_int64(tail->launches, 0),
                                  sqlite3_column_int64(tail->launches, 1) };
        struct known *grown;
        size_t i = tail->nknown;

        while (i > 0 && tail->known[i - 1].launch != is.launch)
            i--;
        if (i > 0 && tail->known[i - 1].facts == is.facts)
            continue;
        grown = realloc(tail->known, (tail->nknown + *added + 1) *
                                         sizeof(*grown));
        tail->record.lacks |= grown == NULL;
        if (grown == NULL)
            continue;
        tail->known = grown;
        tail->known[tail->nknown + (*added)++] = is;
        put_rows(tail, CHORALE_TAIL_LAUNCH, is.launch);
        put_rows(tail, CHORALE_TAIL_FACT, is.launch);
    }
    sqlite3_reset(tail->launches);
}

/* New runs; the last one's number. */
static sqlite3_int64 put_runs(struct chorale_tail *tail)
{
    sqlite3_int64 last = tail->last;

    sqlite3_bind_int64(tail->runs, 1, tail->last);
    while (sqlite3_step(tail->runs) == SQLITE_ROW) {
        last = sqlite3_column_int64(tail->runs, 0);
        for (int t = CHORALE_TAIL_RUN; t < CHORALE_NTAIL; t++)
            put_rows(tail, t, last);
    }
    sqlite3_reset(tail->runs);
    return last;
}

/* --- the file --------------------------------------------------------- */

/* One call, so that what others append lies before or behind it. 0, or -1: it
 * is as it was, as far as that can be. */
static int append(const struct chorale_tail *tail)
{
    int creates = tail->creates ? O_CREAT : 0;
    int fd = open(tail->file, O_WRONLY | O_APPEND | O_CLOEXEC | creates, 0666);
    off_t before = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    ssize_t put = -1;

    if (fd < 0)
        return -1;
    do
        put = write(fd, tail->record.byte, tail->record.len);
    while (put < 0 && errno == EINTR);
    if (put != (ssize_t)tail->record.len) {
        if (put > 0 && ftruncate(fd, before) != 0)
            put = -1;
        close(fd);
        return -1;
    }
    put = fdatasync(fd);
    return close(fd) != 0 || put != 0 ? -1 : 0;
}

/* Of the runs after the last one; *last_p: the new last one. Bytes of its rows,
 * 0: there is none. *added_p: launches. */
static size_t make_record(struct chorale_tail *tail, sqlite3_int64 *last_p,
                          size_t *added_p)
{
    struct chorale_tail_head head = { .magic = CHORALE_TAIL_MAGIC,
                                      .schema = CHORALE_SCHEMA_VERSION };
    size_t rows;

    *added_p = 0;
    tail->record.len = 0;
    tail->record.lacks = 0;
    put(tail, &head, sizeof(head));
    put_launches(tail, added_p);
    *last_p = put_runs(tail);
    if (*last_p == tail->last || tail->record.lacks)
        return 0;
    rows = tail->record.len - sizeof(head);
    head.bytes = (uint32_t)rows;
    head.sum = chorale_tail_sum(tail->record.byte + sizeof(head), rows);
    memcpy(tail->record.byte, &head, sizeof(head));
    return rows;
}

void chorale_tail_add(struct chorale_tail *tail)
{
    sqlite3_int64 last;
    size_t added, rows = make_record(tail, &last, &added);

    if (rows == 0)
        return;
    if (rows <= CHORALE_TAIL_MAX && append(tail) == 0) {
        tail->last = last;
        tail->nknown += added;
    } else if (rows > AGAIN_MAX) {
        tail->last = last;
    }
}

/* name_rc: 0, or tail->file is too long. */
static enum chorale_err begin(struct chorale_tail *tail, int name_rc,
                              struct chorale_store *store,
                              const char *published,
                              struct chorale_tail **tail_p,
                              struct chorale_errmsg *msg)
{
    enum chorale_err err;

    if (name_rc != 0) {
        free(tail);
        return chorale_fail_long(msg, published);
    }
    tail->store = store;
    err = chorale_store_int(store, "SELECT coalesce(max(run_id), 0) FROM run",
                            0, &tail->last, msg);
    for (int t = 0; t < CHORALE_NTAIL && err == CHORALE_OK; t++)
        err = chorale_store_prepare(store, chorale_tail_table[t].from,
                                    &tail->from[t], msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            /* By the runs' own numbers, not through all of an index. */
            store, "SELECT launch_id, (SELECT count(*) FROM environment e"
            "  WHERE e.launch_id = r.launch_id) FROM (SELECT DISTINCT"
            "  launch_id FROM run NOT INDEXED WHERE run_id > ?1) r",
            &tail->launches, msg);
    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            store, "SELECT run_id FROM run WHERE run_id > ?1 ORDER BY run_id",
            &tail->runs, msg);
    if (err == CHORALE_OK)
        *tail_p = tail;
    else
        chorale_tail_end(tail);
    return err;
}

enum chorale_err chorale_tail_begin(struct chorale_store *store,
                                    const char *published, int place,
                                    struct chorale_tail **tail_p,
                                    struct chorale_errmsg *msg)
{
    struct chorale_tail *tail = calloc(1, sizeof(*tail));
    int rc;

    if (tail == NULL)
        return chorale_fail_memory(msg, published);
    tail->creates = place == 0;
    rc = place > 0 ? chorale_tail_group_name(published, place, tail->file)
                   : -(snprintf(tail->file, sizeof(tail->file),
                                "%s" CHORALE_TAIL_SUFFIX, published) >=
                       (int)sizeof(tail->file));
    return begin(tail, rc, store, published, tail_p, msg);
}

enum chorale_err chorale_tail_cut_begin(struct chorale_store *store,
                                        const char *published, int place,
                                        struct chorale_tail **tail_p,
                                        struct chorale_errmsg *msg)
{
    struct chorale_tail *tail = calloc(1, sizeof(*tail));
    enum chorale_err err;

    if (tail == NULL)
        return chorale_fail_memory(msg, published);
    tail->written = 1; /* perhaps by one who was killed */
    err = begin(tail, chorale_tail_cut_name(published, place, tail->file),
                store, published, tail_p, msg);
    if (err != CHORALE_OK)
        return err;
    /* A transaction that will be taken back is to stay in memory. */
    err = chorale_store_exec(store, "PRAGMA cache_spill = OFF", msg);
    if (err != CHORALE_OK)
        chorale_tail_end(*tail_p);
    return err;
}

/* The record to that file, which it makes anew. 0, or -1. */
static int write_new(const struct chorale_tail *tail, const char *name)
{
    FILE *f = fopen(name, "we");
    size_t put;

    if (f == NULL)
        return -1;
    put = fwrite(tail->record.byte, 1, tail->record.len, f);
    if (fflush(f) != 0 || fdatasync(fileno(f)) != 0)
        put = 0;
    return fclose(f) == 0 && put == tail->record.len ? 0 : -1;
}

int chorale_tail_cut(struct chorale_tail *tail, sqlite3_int64 after)
{
    char name[PATH_MAX];
    sqlite3_int64 last;
    size_t added, rows;

    snprintf(name, sizeof(name), "%.*s" CHORALE_TAIL_NEW,
             PATH_MAX - (int)sizeof(CHORALE_TAIL_NEW), tail->file);
    tail->last = after;
    tail->nknown = 0;
    rows = make_record(tail, &last, &added);
    if (rows > 0 && rows <= CHORALE_TAIL_MAX && write_new(tail, name) == 0 &&
        rename(name, tail->file) == 0) {
        tail->written = 1;
        return 0;
    }
    unlink(name);
    return -1;
}

void chorale_tail_cut_drop(struct chorale_tail *tail)
{
    if (tail->written)
        unlink(tail->file);
    tail->written = 0;
}

void chorale_tail_emptied(struct chorale_tail *tail)
{
    tail->last = 0;
}

void chorale_tail_end(struct chorale_tail *tail)
{
    if (tail == NULL)
        return;
    for (int t = 0; t < CHORALE_NTAIL; t++)
        sqlite3_finalize(tail->from[t]);
    sqlite3_finalize(tail->launches);
    sqlite3_finalize(tail->runs);
    free(tail->known);
    free(tail->record.byte);
    free(tail);
}

static int names(const char *published, char name[PATH_MAX],
                 char before[PATH_MAX])
{
    return snprintf(name, PATH_MAX, "%s" CHORALE_TAIL_SUFFIX, published) <
               PATH_MAX &&
           snprintf(before, PATH_MAX, "%s" CHORALE_TAIL_BEFORE, published) <
               PATH_MAX;
}

void chorale_tail_turn(const char *published)
{
    char name[PATH_MAX], before[PATH_MAX];

    if (names(published, name, before) && access(before, F_OK) != 0)
        rename(name, before);
}

void chorale_tail_drop(const char *published, int all)
{
    char name[PATH_MAX], before[PATH_MAX];

    if (!names(published, name, before))
        return;
    unlink(before);
    if (!all)
        return;
    unlink(name);
    chorale_tail_drop_cuts(published);
    chorale_tail_drop_groups(published);
}
