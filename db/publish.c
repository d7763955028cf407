/* SPDX-License-Identifier: BSD-3-Clause */
/* publish.c - publish a copy of a database. */
#include "config.h"

#include "db/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Back up to a file; SQLite's commit syncs it to the disk. */
static enum chorale_err back_up(struct chorale_store *store, const char *name,
                                struct chorale_errmsg *msg)
{
    sqlite3 *to = NULL;
    sqlite3_backup *backup = NULL;
    int rc = sqlite3_open_v2(name, &to, SQLITE_OPEN_READWRITE |
                                        SQLITE_OPEN_CREATE, NULL);
    enum chorale_err err = CHORALE_OK;

    if (rc == SQLITE_OK)
        rc = sqlite3_exec(to, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        backup = sqlite3_backup_init(to, "main", chorale_store_db(store),
                                     "main");
    if (backup != NULL) {
        sqlite3_backup_step(backup, -1);
        rc = sqlite3_backup_finish(backup);
    } else if (rc == SQLITE_OK) {
        rc = sqlite3_errcode(to);
    }
    if (rc != SQLITE_OK)
        err = chorale_fail(msg, CHORALE_ENV, "%s: %s; make room there, or name "
                           "another file", name,
                           to != NULL ? sqlite3_errmsg(to)
                                      : sqlite3_errstr(rc));
    sqlite3_close(to);
    return err;
}

/* Sync the folder, as far as the file system can. */
static void sync_folder_of(const char *file)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int fd;

    snprintf(folder, sizeof(folder), "%.*s",
             slash != NULL ? (int)(slash - file) + 1 : 1,
             slash != NULL ? file : ".");
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

enum chorale_err chorale_publish(struct chorale_store *store, const char *file,
                                 struct chorale_errmsg *msg)
{
    char name[PATH_MAX];
    enum chorale_err err;

    if (snprintf(name, sizeof(name), "%s.new", file) >= (int)sizeof(name))
        return chorale_fail_long(msg, file);
    unlink(name); /* left by a killed process */
    err = back_up(store, name, msg);
    if (err == CHORALE_OK && rename(name, file) != 0)
        err = chorale_fail_written(msg, file, errno);
    if (err != CHORALE_OK) {
        unlink(name);
        return err;
    }
    sync_folder_of(file);
    return CHORALE_OK;
}
