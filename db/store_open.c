/* SPDX-License-Identifier: BSD-3-Clause */
/* store_open.c - the SQLite file: open, create, lock.
 *
 * Locks are open-file-description locks on single bytes far beyond the bytes
 * that SQLite locks or writes. They end when the last process that has the
 * descriptor ends, even by SIGKILL. On some file systems they do not exclude
 * processes of other nodes, and SQLite's locks do not either. Therefore a
 * writer that does not see another writer's LOCK_GUARD takes the lock file too.
 */
#include "config.h"

#include "db/store.h"

#include "db/lock_file.h"
#include "db/sqlite_error.h"
#include "db/migrate.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_BASE 0x7000000000000000LL
#define BUSY_MS 20000
#define KEEP (64 << 20)   /* bytes of freed heap kept by malloc */
#define STOP_STEPS 100000 /* instructions of SQLite's machine: a few ms */

/* A third lock, held while the schema is created. */
#define LOCK_CREATE ((enum chorale_lock)2)
/* Held by a writer while it has the lock file. */
#define LOCK_GUARD ((enum chorale_lock)3)
/* Taken and given back to find out whether the file can be locked. */
#define LOCK_PROBE ((enum chorale_lock)4)

struct chorale_store {
    sqlite3 *db;
    char *path;
    int (*asked)(void); /* 1: stop; may be NULL */
    int fd; /* holds the locks; closed after the connection, because closing
             * it drops SQLite's own locks */
    int reads;
    struct chorale_lock_file *lock; /* NULL: not taken */
};

static const char schema[] =
#include "db/schema.inc"
    ;

static enum chorale_err check_identity(struct chorale_store *store,
                                       enum chorale_store_mode mode,
                                       struct chorale_errmsg *msg)
{
    sqlite3_int64 id, version;
    enum chorale_err err;

    err = chorale_store_int(store, "PRAGMA application_id", 0, &id, msg);
    if (err == CHORALE_OK)
        err = chorale_store_int(store, "PRAGMA user_version", 0, &version,
                                msg);
    if (err != CHORALE_OK)
        return err;
    if (id != CHORALE_APPLICATION_ID)
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: a SQLite database of another program, not "
                            "of chorale; name another file", store->path);
    if (version < 0 || version > CHORALE_SCHEMA_VERSION)
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: has schema version %lld, this chorale reads "
                            "version %d; use the chorale that wrote it",
                            store->path, (long long)version,
                            CHORALE_SCHEMA_VERSION);
    if (version < CHORALE_SCHEMA_VERSION && mode == CHORALE_STORE_READ)
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: has the older schema version %lld, this "
                            "chorale reads version %d; keep a copy, then "
                            "`chorale decide` brings it up to date",
                            store->path, (long long)version,
                            CHORALE_SCHEMA_VERSION);
    if (version < CHORALE_SCHEMA_VERSION)
        return chorale_migrate(store, schema, msg);
    return CHORALE_OK;
}

static enum chorale_err create_schema(struct chorale_store *store,
                                      struct chorale_errmsg *msg)
{
    char pragma[128];
    enum chorale_err err = chorale_store_begin(store, msg);

    if (err != CHORALE_OK)
        return err;
    snprintf(pragma, sizeof(pragma),
             "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             CHORALE_APPLICATION_ID, CHORALE_SCHEMA_VERSION);
    err = chorale_store_exec(store, schema, msg);
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, pragma, msg);
    if (err == CHORALE_OK)
        err = chorale_store_commit(store, msg);
    if (err != CHORALE_OK)
        chorale_store_rollback(store);
    return err;
}

/* Replacement for SQLite's math functions, which older builds lack; the views
 * need them. */
static void math1(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double (*f)(double) = *(double (**)(double))sqlite3_user_data(ctx);

    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        sqlite3_result_null(ctx);
    else
        sqlite3_result_double(ctx, f(sqlite3_value_double(argv[0])));
}

static void add_math(sqlite3 *db)
{
    static double (*const f[])(double) = { log, exp, sqrt };
    static const char *const name[] = { "ln", "exp", "sqrt" };
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(db, "SELECT ln(2), exp(1), sqrt(2)", -1, &stmt,
                           NULL) == SQLITE_OK) {
        sqlite3_finalize(stmt);
        return;
    }
    for (int i = 0; i < 3; i++)
        sqlite3_create_function(db, name[i], 1,
                                SQLITE_UTF8 | SQLITE_DETERMINISTIC |
                                    SQLITE_INNOCUOUS,
                                (void *)(uintptr_t)&f[i], math1, NULL, NULL);
}

/* SQLite runs in one thread here, so it needs no mutexes, not even to allocate.
 * malloc keeps freed pages, because each transaction allocates and frees them.
 * Both together store samples a third faster. Simulations need a larger limit,
 * which tuner/run/smpi.c sets in their environment. */
static void settle_memory(void)
{
    static int done;

    if (done++ > 0)
        return;
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
#if defined(__GLIBC__) && !defined(CHORALE_SIM)
    mallopt(M_TRIM_THRESHOLD, KEEP);
    mallopt(M_TOP_PAD, KEEP / 16);
#endif
}

static int try_lock(int fd, int cmd, enum chorale_lock lock, int type)
{
    struct flock fl = { .l_type = (short)type,
                        .l_whence = SEEK_SET,
                        .l_start = (off_t)(LOCK_BASE + lock),
                        .l_len = 1 };

    if (fcntl(fd, cmd, &fl) != 0)
        return -1;
    return cmd == F_OFD_GETLK ? fl.l_type != F_UNLCK : 0;
}

/* Fail if the file system has no locks. EINVAL is ignored: some kernels lack
 * this kind of lock, and SQLite uses another kind. */
static enum chorale_err check_locks(const struct chorale_store *store,
                                    struct chorale_errmsg *msg)
{
    if (try_lock(store->fd, F_OFD_SETLK, LOCK_PROBE, F_RDLCK) == 0) {
        try_lock(store->fd, F_OFD_SETLK, LOCK_PROBE, F_UNLCK);
        return CHORALE_OK;
    }
    if (errno == EAGAIN || errno == EACCES || errno == EINVAL)
        return CHORALE_OK;
    return chorale_store_unlockable(store->path, errno, msg);
}

/* Exclude writers on other nodes. If the guard of another writer is visible,
 * locks work here, and SQLite's are sufficient. */
static enum chorale_err exclude_writers(struct chorale_store *store,
                                        enum chorale_store_mode mode,
                                        struct chorale_errmsg *msg)
{
    if (mode == CHORALE_STORE_READ || mode == CHORALE_STORE_LAUNCH)
        return CHORALE_OK;
    if (try_lock(store->fd, F_OFD_SETLK, LOCK_GUARD, F_WRLCK) != 0 &&
        (errno == EAGAIN || errno == EACCES))
        return CHORALE_OK;
    return chorale_lock_file_take(store->path, BUSY_MS / 1e3, &store->lock,
                                  msg);
}

/* 1 if another process writes the database but its guard is not visible here.
 * Then its journal must not be rolled back as that of a killed writer. */
static int written_unseen(const struct chorale_store *store)
{
    return chorale_lock_file_held(store->path) &&
           try_lock(store->fd, F_OFD_GETLK, LOCK_GUARD, F_WRLCK) == 0;
}

static enum chorale_err open_db(struct chorale_store *store,
                                enum chorale_store_mode mode, int fresh,
                                struct chorale_errmsg *msg)
{
    int flags = SQLITE_OPEN_NOMUTEX |
                (store->reads && written_unseen(store)
                     ? SQLITE_OPEN_READONLY
                     : SQLITE_OPEN_READWRITE);
    enum chorale_err err;
    int rc;

    settle_memory();
    rc = sqlite3_open_v2(store->path, &store->db, flags, NULL);
    if (rc != SQLITE_OK)
        return chorale_store_check(store, rc, msg);
    if (mode != CHORALE_STORE_READ && sqlite3_db_readonly(store->db, "main"))
        return chorale_store_check(store, SQLITE_READONLY, msg);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    add_math(store->db);
    if (fresh) {
        if (mode != CHORALE_STORE_CREATE)
            return chorale_fail(msg, CHORALE_DATA,
                                "%s: is empty; `chorale plan` or `chorale "
                                "tune` fills a database", store->path);
        err = create_schema(store, msg);
    } else {
        err = check_identity(store, mode, msg);
    }
    if (err != CHORALE_OK)
        return err;
    return chorale_store_exec(store, mode == CHORALE_STORE_READ
                                         ? "PRAGMA query_only = ON"
                                         : "PRAGMA foreign_keys = ON;"
                                           "PRAGMA journal_mode = DELETE",
                              msg);
}

enum chorale_err chorale_store_lock(struct chorale_store *store,
                                    enum chorale_lock lock, double seconds,
                                    struct chorale_errmsg *msg)
{
    static const char *const who[] = { "another chorale command",
                                       "a runner of an earlier command",
                                       "another chorale command" };
    const struct timespec nap = { 0, 50000000 };

    for (;; seconds -= 0.05) {
        if (try_lock(store->fd, F_OFD_SETLK, lock, F_WRLCK) == 0)
            return CHORALE_OK;
        if (errno != EAGAIN && errno != EACCES)
            return chorale_store_sysfail(store->path, errno, 0, msg);
        if (seconds <= 0)
            return chorale_fail(msg, CHORALE_ENV,
                                "%s: %s is working on it; wait for it or end "
                                "it, then repeat the command", store->path,
                                who[lock]);
        nanosleep(&nap, NULL);
    }
}

/* Remove a new file whose schema could not be stored. */
static void remove_unfinished(struct chorale_store *store)
{
    char *journal = NULL;
    struct stat st;

    sqlite3_close_v2(store->db);
    store->db = NULL;
    if (fstat(store->fd, &st) == 0 && st.st_size > 0 &&
        asprintf(&journal, "%s-journal", store->path) >= 0 &&
        access(journal, F_OK) == 0)
        unlink(journal); /* its rollback would empty the file */
    else if (st.st_size > 0) {
        free(journal);
        return;
    }
    unlink(store->path);
    free(journal);
}

enum chorale_err chorale_store_open(const char *path,
                                    enum chorale_store_mode mode,
                                    struct chorale_store **store_p,
                                    struct chorale_errmsg *msg)
{
    struct chorale_store *store = calloc(1, sizeof(*store));
    enum chorale_err err;
    int fresh = 0, made = 0;

    /* SQLite gives ":..." and "file:..." a meaning; here they name files. */
    if (store == NULL ||
        asprintf(&store->path, "%s%s",
                 path[0] == ':' || strncmp(path, "file:", 5) == 0 ? "./" : "",
                 path) < 0) {
        free(store);
        return chorale_fail_memory(msg, path);
    }
    path = store->path;
    store->reads = mode == CHORALE_STORE_READ;
    store->fd = open(path, O_RDWR | O_CLOEXEC);
    if (store->fd < 0 && errno == ENOENT && mode == CHORALE_STORE_CREATE) {
        store->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        made = store->fd >= 0;
        if (!made) /* another command has created it meanwhile */
            store->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    }
    if (store->fd < 0 && mode == CHORALE_STORE_READ)
        store->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (store->fd < 0) {
        err = errno == EISDIR
                  ? chorale_fail(msg, CHORALE_USAGE,
                                 "%s: is a folder; name a database file",
                                 path)
                  : chorale_store_sysfail(path, errno,
                                          mode == CHORALE_STORE_CREATE, msg);
        goto out;
    }
    err = chorale_store_header(path, store->fd, &fresh, msg);
    if (err == CHORALE_OK)
        err = check_locks(store, msg);
    if (err == CHORALE_OK) {
        err = exclude_writers(store, mode, msg);
        made = made && err == CHORALE_OK; /* else another command uses it */
    }
    if (err == CHORALE_OK && fresh && mode == CHORALE_STORE_CREATE) {
        /* Several first commands may start at once: one creates the schema,
         * the others wait for it. */
        err = chorale_store_lock(store, LOCK_CREATE, BUSY_MS / 1e3, msg);
        made = made && err == CHORALE_OK;
        if (err == CHORALE_OK)
            err = chorale_store_header(path, store->fd, &fresh, msg);
    }
    if (err == CHORALE_OK)
        err = open_db(store, mode, fresh, msg);
    try_lock(store->fd, F_OFD_SETLK, LOCK_CREATE, F_UNLCK);
    if (err != CHORALE_OK)
        goto out;
    *store_p = store;
    return CHORALE_OK;
out:
    if (made)
        remove_unfinished(store);
    chorale_store_close(store);
    return err;
}

enum chorale_err chorale_store_memory(struct chorale_store **store_p,
                                      struct chorale_errmsg *msg)
{
    struct chorale_store *store = calloc(1, sizeof(*store));
    enum chorale_err err = CHORALE_OK;

    if (store != NULL)
        store->path = strdup("rows in memory");
    if (store == NULL || store->path == NULL) {
        free(store);
        return chorale_fail_memory(msg, NULL);
    }
    store->fd = -1;
    settle_memory();
    err = chorale_store_check(store, sqlite3_open(":memory:", &store->db),
                              msg);
    if (err == CHORALE_OK)
        err = chorale_store_exec(store, "PRAGMA foreign_keys = OFF", msg);
    if (err == CHORALE_OK)
        err = create_schema(store, msg);
    if (err == CHORALE_OK)
        *store_p = store;
    else
        chorale_store_close(store);
    return err;
}

void chorale_store_close(struct chorale_store *store)
{
    if (store == NULL)
        return;
    sqlite3_close_v2(store->db);
    chorale_lock_file_release(store->lock); /* before the guard ends */
    if (store->fd >= 0)
        close(store->fd);
    free(store->path);
    free(store);
}

int chorale_store_writable(const char *path)
{
    char *real = realpath(path, NULL), *slash;
    int may = real == NULL || access(real, W_OK) == 0;

    if (real != NULL && may) {
        slash = strrchr(real, '/');
        slash[slash == real] = '\0';
        may = access(real, W_OK) == 0;
    }
    free(real);
    return may;
}

int chorale_store_reads(const struct chorale_store *store)
{
    return store->reads;
}

sqlite3 *chorale_store_db(struct chorale_store *store)
{
    return store->db;
}

const char *chorale_store_path(const struct chorale_store *store)
{
    return store->path;
}

int chorale_store_locked(struct chorale_store *store, enum chorale_lock lock)
{
    return try_lock(store->fd, F_OFD_GETLK, lock, F_WRLCK) == 1;
}

int chorale_store_share(int fd)
{
    int rc = try_lock(fd, F_OFD_SETLK, CHORALE_LOCK_CAMPAIGN, F_RDLCK);

    return rc == 0 ? try_lock(fd, F_OFD_SETLK, CHORALE_LOCK_RUNNER, F_RDLCK)
                   : rc;
}

static int on_steps(void *arg)
{
    const struct chorale_store *store = arg;

    return store->asked();
}

void chorale_store_stop(struct chorale_store *store, int (*asked)(void))
{
    store->asked = asked;
    sqlite3_progress_handler(store->db, STOP_STEPS, on_steps, store);
}

const char *chorale_store_schema(void)
{
    return schema;
}
