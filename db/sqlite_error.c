/* SPDX-License-Identifier: BSD-3-Clause */
/* sqlite_error.c - messages for SQLite and system errors on a database. */
#include "config.h"

#include "db/sqlite_error.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Does the folder of this path exist? */
static int has_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    struct stat st;

    if (slash == NULL || slash == path)
        return 1;
    return snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path),
                    path) < (int)sizeof(folder) &&
           stat(folder, &st) == 0;
}

enum chorale_err chorale_store_sysfail(const char *path, int error, int create,
                                       struct chorale_errmsg *msg)
{
    const char *remedy = chorale_err_unwritten(error);

    if (error == ENOTDIR || (error == ENOENT && !has_folder(path)))
        remedy = "; name a database in a folder that is there, or make it first";
    else if (error == ENOENT && !create)
        remedy = "; `chorale plan` or `chorale tune` makes a database";
    else if (error == ENOENT || error == EROFS || error == EACCES)
        remedy = "; choose a folder and file that you may write";
    return chorale_fail(msg, CHORALE_ENV, "%s: %s%s", path, strerror(error),
                        remedy);
}

enum chorale_err chorale_store_unlockable(const char *path, int error,
                                          struct chorale_errmsg *msg)
{
    return chorale_fail(msg, CHORALE_ENV, "%s: its file system cannot lock it "
                        "(%s); copy it to another one, or mount this one with "
                        "locks", path, strerror(error));
}

/* Report which operation failed, by an extended code of SQLITE_IOERR. error:
 * the errno, or 0, since SQLite often loses it. */
static enum chorale_err io_error(const char *path, int code, int error,
                                 struct chorale_errmsg *msg)
{
    static const struct {
        int code;
        const char *what;
    } row[] = {
        { SQLITE_IOERR_FSYNC, "cannot be flushed to the disk" },
        { SQLITE_IOERR_DIR_FSYNC, "its folder cannot be flushed to the disk" },
        { SQLITE_IOERR_READ, "cannot be read" },
        { SQLITE_IOERR_SHORT_READ, "cannot be read to its end" },
        { SQLITE_IOERR_WRITE, "cannot be written" },
        { SQLITE_IOERR_TRUNCATE, "cannot be shortened" },
        { SQLITE_IOERR_DELETE, "its journal cannot be removed" },
        { SQLITE_IOERR_LOCK, "" }, { SQLITE_IOERR_RDLOCK, "" },
        { SQLITE_IOERR_UNLOCK, "" }, { SQLITE_IOERR_CHECKRESERVEDLOCK, "" },
    };
    const char *what = "cannot be read or written";

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].code == code)
            what = row[i].what;
    if (error == 0)
        error = EIO;
    if (what[0] == '\0')
        return chorale_store_unlockable(path, error, msg);
    return chorale_fail(msg, CHORALE_ENV, "%s: %s (%s), stored data is safe; "
                        "repair the disk or raise its quota, and repeat the "
                        "command", path, what, strerror(error));
}

/* Find out why SQLite cannot create its journal beside the file. SQLite tries
 * several ways and keeps only the errno of the last. Returns 0, or -1 and
 * errno. */
static int probe_folder(const char *path)
{
    char name[PATH_MAX];
    int fd;

    if (snprintf(name, sizeof(name), "%s-XXXXXX", path) >= (int)sizeof(name))
        return 0;
    fd = mkstemp(name);
    if (fd < 0)
        return -1;
    close(fd);
    unlink(name);
    return 0;
}

enum chorale_err chorale_store_check(struct chorale_store *store, int rc,
                                     struct chorale_errmsg *msg)
{
    const char *path = chorale_store_path(store);
    sqlite3 *db = chorale_store_db(store);

    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return CHORALE_OK;
    case SQLITE_FULL:
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: the disk is full; what was stored before is "
                            "safe: free some space and repeat the command",
                            path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        if (rc == SQLITE_READONLY_ROLLBACK)
            return chorale_fail(msg, CHORALE_ENV, "%s: a command on another "
                                "node is writing it; repeat the command",
                                path);
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: cannot be written; make the file and its "
                            "folder writable, or copy it to where you may "
                            "write", path);
    case SQLITE_CANTOPEN:
        if (probe_folder(path) != 0)
            return chorale_store_sysfail(path, errno, 0, msg);
        return chorale_fail(msg, CHORALE_ENV, "%s: cannot open it or its "
                            "journal; make its folder writable, or copy it to "
                            "where you may write", path);
    case SQLITE_IOERR:
        return io_error(path, rc, sqlite3_system_errno(db), msg);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return chorale_fail(msg, CHORALE_ENV,
                            "%s: another program keeps it locked; close it "
                            "and repeat the command", path);
    case SQLITE_CORRUPT:
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: the file is damaged (%s); restore a copy, "
                            "or rescue what is left with `sqlite3 FILE "
                            ".recover`", path, sqlite3_errmsg(db));
    case SQLITE_NOTADB:
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: not a SQLite database; name the file that "
                            "`chorale plan` or `chorale tune` made", path);
    case SQLITE_CONSTRAINT:
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: a row does not fit (%s); correct it with "
                            "sqlite3 or restore a copy", path,
                            sqlite3_errmsg(db));
    case SQLITE_NOMEM:
        return chorale_fail_memory(msg, path);
    case SQLITE_INTERRUPT:
        return chorale_fail(msg, CHORALE_STOPPED, "%s: stopped before the "
                            "end; repeat the command for the rest", path);
    default:
        return chorale_fail(msg, CHORALE_DATA, "%s: %s; restore a copy, or "
                            "rescue what is left with `sqlite3 FILE .recover`",
                            path, sqlite3_errmsg(db));
    }
}

enum chorale_err chorale_store_header(const char *path, int fd, int *fresh_p,
                                      struct chorale_errmsg *msg)
{
    unsigned char head[32];
    struct stat st;
    ssize_t got;

    if (fstat(fd, &st) != 0)
        return chorale_store_sysfail(path, errno, 0, msg);
    if (S_ISDIR(st.st_mode))
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s: is a folder; name a database file", path);
    *fresh_p = st.st_size == 0;
    if (*fresh_p)
        return CHORALE_OK;
    got = pread(fd, head, sizeof(head), 0);
    if (got < 0)
        return chorale_store_sysfail(path, errno, 0, msg);
    if (got < (ssize_t)sizeof(head) || memcmp(head, "SQLite format 3", 16))
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: not a SQLite database; name the file that "
                            "`chorale plan` or `chorale tune` made", path);
    uint32_t page = (uint32_t)head[16] << 8 | head[17];
    uint32_t pages = (uint32_t)head[28] << 24 | (uint32_t)head[29] << 16 |
                     (uint32_t)head[30] << 8 | head[31];
    if (page == 1)
        page = 65536;
    if ((uint64_t)page * pages > (uint64_t)st.st_size) {
        /* A journal beside it may restore the missing pages. */
        char journal[4096];
        int len = snprintf(journal, sizeof(journal), "%s-journal", path);

        if (len > 0 && (size_t)len < sizeof(journal) &&
            access(journal, F_OK) == 0)
            return CHORALE_OK;
        return chorale_fail(msg, CHORALE_DATA,
                            "%s: truncated, %lld bytes of %llu; restore a "
                            "whole copy", path, (long long)st.st_size,
                            (unsigned long long)page * pages);
    }
    return CHORALE_OK;
}
