/* SPDX-License-Identifier: BSD-3-Clause */
/* handing.c - rows from rank to rank: see handing.h.
 *
 * A parcel is the code of an error, 0: none, and either its line or rows, each
 * as the number of its table, the number of its columns, and of each column
 * its SQLite type, its length and its bytes. */
#include "runners/handing.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_WORK = 1, TAG_ROWS, TAG_END, TAG_ENDING };

struct chorale_parcel {
    struct chorale_parcel *next;
    MPI_Request request;
    size_t len, room;
    int lacks;
    char *byte;
};

/* What a launch writes. The first column of the first of them is the launch,
 * of the others but the last the run, whose number is a new one where it
 * comes to; the parents come first. */
static const struct {
    const char *from, *into;
    int is_run;
} table[] = {
    { "SELECT launch_id, host_map, status, finished FROM launch",
      "UPDATE launch SET host_map = ?2, status = ?3, finished = ?4"
      " WHERE launch_id = ?1", 0 },
    { "SELECT * FROM environment",
      "INSERT OR REPLACE INTO environment VALUES (?,?,?)", 0 },
    { "SELECT run_id, uuid, cell_id, launch_id, status, reason, stop_reason,"
      " validity, first_call, sync, batch, separator, clock_error, skew"
      " FROM run",
      "INSERT INTO run (run_id, uuid, cell_id, launch_id, status, reason,"
      " stop_reason, validity, first_call, sync, batch, separator,"
      " clock_error, skew) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 1 },
    { "SELECT * FROM run_summary",
      "INSERT INTO run_summary VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", 1 },
    { "SELECT * FROM sample", "INSERT INTO sample VALUES (?,?,?,?,?,?,?,?)",
      1 },
    { "SELECT * FROM counter", "INSERT INTO counter VALUES (?,?,?,?)", 1 },
};

#define NTABLE ((int)(sizeof(table) / sizeof(table[0])))

static const char forget[] =
    "DELETE FROM counter; DELETE FROM sample; DELETE FROM run_summary;"
    " DELETE FROM run; DELETE FROM environment";

/* A wait for what others measure, which is not to be disturbed: of 1 ms at
 * first, of 20 ms in the end. *naps: how many there were. */
static void nap(int *naps)
{
    long ms = *naps < 20 ? 1 : 20;

    ++*naps;
    nanosleep(&(struct timespec){ 0, ms * 1000000 }, NULL);
}

int chorale_idle_wait(MPI_Request *request)
{
    int done = 0, naps = 0, rc;

    while ((rc = PMPI_Test(request, &done, MPI_STATUS_IGNORE)) ==
               MPI_SUCCESS &&
           !done)
        nap(&naps);
    return rc;
}

/* --- the plan --------------------------------------------------------- */

int chorale_hand_work(struct chorale_hand *hand, int to,
                      const struct chorale_worklist *work)
{
    int rc = PMPI_Send(work, sizeof(*work), MPI_BYTE, to, TAG_WORK,
                       hand->comm);

    if (rc == MPI_SUCCESS)
        rc = PMPI_Send(work->task, work->ntask * (int)sizeof(*work->task),
                       MPI_BYTE, to, TAG_WORK, hand->comm);
    if (rc == MPI_SUCCESS)
        rc = PMPI_Send(work->cand, work->ncand * (int)sizeof(*work->cand),
                       MPI_BYTE, to, TAG_WORK, hand->comm);
    return rc;
}

static int take(struct chorale_hand *hand, void *buf, size_t bytes)
{
    return PMPI_Recv(buf, (int)bytes, MPI_BYTE, 0, TAG_WORK, hand->comm,
                     MPI_STATUS_IGNORE);
}

int chorale_take_work(struct chorale_hand *hand,
                      struct chorale_worklist *work)
{
    int rc = take(hand, work, sizeof(*work));

    work->task = NULL;
    work->cand = NULL;
    if (rc != MPI_SUCCESS)
        return rc;
    work->task = calloc((size_t)work->ntask + 1, sizeof(*work->task));
    work->cand = calloc((size_t)work->ncand + 1, sizeof(*work->cand));
    if (work->task == NULL || work->cand == NULL)
        return MPI_ERR_NO_MEM;
    rc = take(hand, work->task, (size_t)work->ntask * sizeof(*work->task));
    if (rc == MPI_SUCCESS)
        rc = take(hand, work->cand, (size_t)work->ncand * sizeof(*work->cand));
    return rc;
}

int chorale_hand_ending(struct chorale_hand *hand, int to,
                        MPI_Request *request)
{
    return PMPI_Isend(NULL, 0, MPI_BYTE, to, TAG_ENDING, hand->comm, request);
}

int chorale_take_ending(struct chorale_hand *hand, int wait, int *ends)
{
    int there = wait;
    int rc = wait ? MPI_SUCCESS
                  : PMPI_Iprobe(0, TAG_ENDING, hand->comm, &there,
                                MPI_STATUS_IGNORE);

    if (rc == MPI_SUCCESS && there)
        rc = PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_ENDING, hand->comm,
                       MPI_STATUS_IGNORE);
    *ends = rc == MPI_SUCCESS && there;
    return rc;
}

/* --- rows out --------------------------------------------------------- */

static void add(struct chorale_parcel *p, const void *data, size_t bytes)
{
    size_t room = p->room > 0 ? p->room : 4096;
    char *grown;

    while (room - p->len < bytes)
        room *= 2;
    if (room > p->room) {
        grown = realloc(p->byte, room);
        if (grown == NULL) {
            p->lacks = 1;
            return;
        }
        p->byte = grown;
        p->room = room;
    }
    if (bytes > 0)
        memcpy(p->byte + p->len, data, bytes);
    p->len += bytes;
}

static void add_int(struct chorale_parcel *p, int value)
{
    add(p, &value, sizeof(value));
}

static void add_column(struct chorale_parcel *p, sqlite3_stmt *stmt, int i)
{
    int type = sqlite3_column_type(stmt, i);
    sqlite3_int64 whole = sqlite3_column_int64(stmt, i);
    double real = sqlite3_column_double(stmt, i);

    add_int(p, type);
    if (type == SQLITE_INTEGER) {
        add_int(p, sizeof(whole));
        add(p, &whole, sizeof(whole));
    } else if (type == SQLITE_FLOAT) {
        add_int(p, sizeof(real));
        add(p, &real, sizeof(real));
    } else if (type == SQLITE_NULL) {
        add_int(p, 0);
    } else {
        const void *text = sqlite3_column_text(stmt, i);
        int bytes = sqlite3_column_bytes(stmt, i);

        add_int(p, bytes);
        add(p, text, (size_t)bytes);
    }
}

static enum chorale_err add_table(struct chorale_parcel *p, int t,
                                  struct chorale_store *store,
                                  struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_prepare(store, table[t].from, &stmt,
                                                 msg);

    while (err == CHORALE_OK) {
        err = chorale_store_step(store, stmt, &row, msg);
        if (err != CHORALE_OK || !row)
            break;
        add_int(p, t);
        add_int(p, sqlite3_column_count(stmt));
        for (int i = 0; i < sqlite3_column_count(stmt); i++)
            add_column(p, stmt, i);
    }
    sqlite3_finalize(stmt);
    return err;
}

static void drop(struct chorale_parcel *p)
{
    free(p->byte);
    free(p);
}

/* Send a parcel, which stays until it has gone. */
static enum chorale_err post(struct chorale_hand *hand,
                             struct chorale_parcel *p, int tag,
                             struct chorale_errmsg *msg)
{
    if (PMPI_Isend(p->byte, (int)p->len, MPI_BYTE, 0, tag, hand->comm,
                   &p->request) != MPI_SUCCESS) {
        drop(p);
        return chorale_fail(msg, CHORALE_ENV, "MPI fails at handing in what "
                            "was measured; `chorale doctor` shows whether it "
                            "does so elsewhere");
    }
    p->next = hand->sent;
    hand->sent = p;
    return CHORALE_OK;
}

/* Forget what has gone. */
static void sweep(struct chorale_hand *hand)
{
    struct chorale_parcel **at = &hand->sent;

    while (*at != NULL) {
        struct chorale_parcel *p = *at;
        int done = 0;

        if (PMPI_Test(&p->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
            done) {
            *at = p->next;
            drop(p);
        } else {
            at = &p->next;
        }
    }
}

enum chorale_err chorale_hand_open(int64_t launch_id,
                                   struct chorale_store **store_p,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_memory(store_p, msg);

    if (err == CHORALE_OK)
        err = chorale_store_prepare(
            *store_p, "INSERT INTO launch (launch_id, uuid, campaign_id,"
            " system_id, ordinal, comm_size, ppn, shape, seed, started,"
            " status) VALUES (?1, '', 0, 0, 0, 0, 0, '', 0, '', 'running')",
            &stmt, msg);
    if (err == CHORALE_OK) {
        sqlite3_bind_int64(stmt, 1, launch_id);
        err = chorale_store_step(*store_p, stmt, NULL, msg);
    }
    sqlite3_finalize(stmt);
    return err;
}

enum chorale_err chorale_hand_rows(struct chorale_hand *hand,
                                   struct chorale_store *store,
                                   struct chorale_errmsg *msg)
{
    struct chorale_parcel *p = calloc(1, sizeof(*p));
    enum chorale_err err = CHORALE_OK;

    sweep(hand);
    if (p == NULL)
        return chorale_fail_memory(msg, NULL);
    for (int t = 0; t < NTABLE && err == CHORALE_OK; t++)
        err = add_table(p, t, store, msg);
    if (err == CHORALE_OK && p->lacks)
        err = chorale_fail_memory(msg, NULL);
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, forget, msg);
    if (err != CHORALE_OK) {
        drop(p);
        return err;
    }
    return post(hand, p, TAG_ROWS, msg);
}

enum chorale_err chorale_hand_end(struct chorale_hand *hand,
                                  enum chorale_err err,
                                  struct chorale_errmsg *msg)
{
    struct chorale_parcel *p = calloc(1, sizeof(*p));
    struct chorale_errmsg why;
    int naps = 0;

    if (p != NULL) {
        add_int(p, (int)err);
        if (err != CHORALE_OK)
            add(p, msg->text, strlen(msg->text));
    }
    if (p == NULL || p->lacks || post(hand, p, TAG_END, &why) != CHORALE_OK)
        return CHORALE_ENV;
    while (hand->sent != NULL) {
        sweep(hand);
        if (hand->sent != NULL)
            nap(&naps);
    }
    return err;
}

/* --- rows in ---------------------------------------------------------- */

struct reader {
    const char *at, *end;
};

/* The next bytes, or NULL: it has fewer. */
static const char *read_bytes(struct reader *r, size_t bytes)
{
    const char *at = r->at;

    if ((size_t)(r->end - at) < bytes)
        return NULL;
    r->at += bytes;
    return at;
}

static int read_int(struct reader *r, int *value)
{
    const char *at = read_bytes(r, sizeof(*value));

    if (at == NULL)
        return -1;
    memcpy(value, at, sizeof(*value));
    return 0;
}

/* Bind the next column; base is added to a run's number. 0, or -1. */
static int bind_column(struct reader *r, sqlite3_stmt *stmt, int i,
                       sqlite3_int64 base)
{
    int type, bytes;
    const char *data;

    if (read_int(r, &type) != 0 || read_int(r, &bytes) != 0 || bytes < 0 ||
        (data = read_bytes(r, (size_t)bytes)) == NULL)
        return -1;
    if (type == SQLITE_INTEGER && bytes == sizeof(sqlite3_int64)) {
        sqlite3_int64 whole;

        memcpy(&whole, data, sizeof(whole));
        return sqlite3_bind_int64(stmt, i, whole + base) == SQLITE_OK ? 0 : -1;
    }
    if (type == SQLITE_FLOAT && bytes == sizeof(double)) {
        double real;

        memcpy(&real, data, sizeof(real));
        return sqlite3_bind_double(stmt, i, real) == SQLITE_OK ? 0 : -1;
    }
    if (type == SQLITE_NULL)
        return sqlite3_bind_null(stmt, i) == SQLITE_OK ? 0 : -1;
    return sqlite3_bind_text(stmt, i, data, bytes, SQLITE_STATIC) == SQLITE_OK
               ? 0
               : -1;
}

static enum chorale_err put_rows(struct chorale_store *store,
                                 struct reader *r, sqlite3_stmt **stmt,
                                 struct chorale_errmsg *msg)
{
    sqlite3_int64 base = 0;
    enum chorale_err err = chorale_store_int(
        store, "SELECT coalesce(max(run_id), 0) FROM run", 0, &base, msg);

    while (err == CHORALE_OK && r->at < r->end) {
        int t = -1, n = 0, bad = read_int(r, &t) != 0 || read_int(r, &n) != 0;

        bad = bad || t < 0 || t >= NTABLE;
        if (!bad && stmt[t] == NULL)
            err = chorale_store_prepare(store, table[t].into, &stmt[t], msg);
        bad = bad || (err == CHORALE_OK &&
                      n != sqlite3_bind_parameter_count(stmt[t]));
        for (int i = 1; i <= n && !bad && err == CHORALE_OK; i++)
            bad = bind_column(r, stmt[t], i,
                              i == 1 && table[t].is_run ? base : 0) != 0;
        if (bad)
            return chorale_fail(msg, CHORALE_ENV, "what a group of the launch "
                                "handed in did not come whole; the same "
                                "command measures it again");
        if (err == CHORALE_OK)
            err = chorale_store_step(store, stmt[t], NULL, msg);
    }
    return err;
}

/* All rows of a parcel, or none. */
static enum chorale_err put_parcel(struct chorale_store *store,
                                   const char *byte, int len,
                                   struct chorale_errmsg *msg)
{
    struct reader r = { byte, byte + len };
    sqlite3_stmt *stmt[NTABLE] = { NULL };
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err == CHORALE_OK)
        err = put_rows(store, &r, stmt, msg);
    for (int t = 0; t < NTABLE; t++)
        sqlite3_finalize(stmt[t]);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK)
        chorale_store_rollback(store);
    return err;
}

/* A message that is there. */
static enum chorale_err take_one(struct chorale_hand *hand,
                                 struct chorale_store *store,
                                 const MPI_Status *status, int *nopen,
                                 struct chorale_errmsg *msg)
{
    int len = 0, code = 0;
    char *byte;
    enum chorale_err err = CHORALE_OK;

    PMPI_Get_count(status, MPI_BYTE, &len);
    byte = malloc((size_t)len + 1);
    if (byte == NULL)
        return chorale_fail_memory(msg, NULL);
    if (PMPI_Recv(byte, len, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG,
                  hand->comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        err = chorale_fail(msg, CHORALE_ENV, "MPI fails at taking what a "
                           "group of the launch has measured; `chorale "
                           "doctor` shows whether it does so elsewhere");
    else if (status->MPI_TAG == TAG_ROWS)
        err = put_parcel(store, byte, len, msg);
    else {
        byte[len] = '\0';
        --*nopen;
        memcpy(&code, byte, sizeof(code));
        if (code != 0)
            err = chorale_fail(msg, (enum chorale_err)code, "%.700s",
                               byte + sizeof(code));
    }
    free(byte);
    return err;
}

enum chorale_err chorale_take_rows(struct chorale_hand *hand,
                                   struct chorale_store *store, int *nopen,
                                   int wait, struct chorale_errmsg *msg)
{
    enum chorale_err first = CHORALE_OK;
    int naps = 0;

    while (*nopen > 0) {
        struct chorale_errmsg why = { "" };
        MPI_Status status;
        int there = 0;
        enum chorale_err err = CHORALE_OK;

        if (PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, hand->comm, &there,
                        &status) != MPI_SUCCESS)
            return chorale_fail(msg, CHORALE_ENV, "MPI fails at asking for "
                                "what other groups have measured; `chorale "
                                "doctor` shows whether it does so elsewhere");
        if (!there && !wait)
            break;
        if (there)
            err = take_one(hand, store, &status, nopen, &why);
        else
            nap(&naps);
        if (!there && hand->idle != NULL)
            hand->idle(hand->idle_arg);
        if (err != CHORALE_OK && first == CHORALE_OK) {
            first = err;
            *msg = why;
        }
    }
    return first;
}
