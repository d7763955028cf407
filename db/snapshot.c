/* SPDX-License-Identifier: BSD-3-Clause */
/* snapshot.c - private copy of a database. */
#include "config.h"

#include "db/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const suffix[] = { "", "-journal", "-wal", "-shm" };

#define NSUFFIX (sizeof(suffix) / sizeof(suffix[0]))
#define NCOPIED 3 /* -shm is never copied; SQLite creates it in the copy */

enum chorale_err chorale_copy_folder(struct chorale_copy *copy,
                                     struct chorale_errmsg *msg)
{
    const char *tmp = getenv("TMPDIR");
    int len;

    if (tmp == NULL || tmp[0] == '\0')
        tmp = P_tmpdir;
    len = snprintf(copy->dir, sizeof(copy->dir), "%s/chorale-XXXXXX", tmp);
    if (len < 0 || (size_t)len >= sizeof(copy->dir)) {
        copy->dir[0] = '\0';
        return chorale_fail(msg, CHORALE_ENV, "TMPDIR: %.700s: is too long a "
                            "path; set it to a folder nearer to /", tmp);
    }
    if (mkdtemp(copy->dir) == NULL) {
        copy->dir[0] = '\0';
        return chorale_fail(msg, CHORALE_ENV, "%s: cannot make a folder there"
                            " (%s); set TMPDIR to a folder with space", tmp,
                            strerror(errno));
    }
    snprintf(copy->file, sizeof(copy->file), "%s/copy.db", copy->dir);
    return CHORALE_OK;
}

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, data, size);

        if (put < 0 && errno != EINTR)
            return -1;
        data += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
    return 0;
}

static enum chorale_err copy_fail(const char *path, int in_copy,
                                  struct chorale_errmsg *msg)
{
    int error = errno;

    return in_copy
               ? chorale_fail(msg, CHORALE_ENV, "%s: cannot be copied (%s); "
                              "set TMPDIR to a folder with space for the "
                              "whole file", path, strerror(error))
               : chorale_fail_read(msg, path, error);
}

static enum chorale_err copy_bytes(const char *path, int in, int out,
                                   struct chorale_errmsg *msg)
{
    const size_t size = 1 << 18;
    char *block = malloc(size);
    enum chorale_err err = CHORALE_OK;
    ssize_t got = 0;

    if (block == NULL)
        return chorale_fail_memory(msg, path);
    do {
        got = read(in, block, size);
        if (got < 0 && errno != EINTR)
            err = copy_fail(path, 0, msg);
        else if (got > 0 && write_all(out, block, (size_t)got) != 0)
            err = copy_fail(path, 1, msg);
    } while (err == CHORALE_OK && got != 0);
    free(block);
    return err;
}

/* The journal of a transaction over several files names another file, which
 * SQLite would look for and delete. Chorale never writes such a journal. */
static int journal_names_files(int fd)
{
    static const unsigned char magic[8] = { 0xd9, 0xd5, 0x05, 0xf9,
                                            0x20, 0xa1, 0x63, 0xd7 };
    unsigned char tail[8];
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_size >= 8 &&
           pread(fd, tail, 8, st.st_size - 8) == 8 &&
           memcmp(tail, magic, 8) == 0;
}

/* Copy one of the files; a missing journal or log is skipped. */
static enum chorale_err copy_file(const struct chorale_copy *copy,
                                  const char *path, const char *end,
                                  struct chorale_errmsg *msg)
{
    char *from = NULL, to[sizeof(copy->file) + 16];
    int in = -1, out = -1;
    enum chorale_err err = CHORALE_OK;

    if (asprintf(&from, "%s%s", path, end) < 0)
        return chorale_fail_memory(msg, path);
    snprintf(to, sizeof(to), "%s%s", copy->file, end);
    in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (in < 0 && errno == ENOENT && end[0] != '\0')
        goto out;
    if (in < 0) {
        err = copy_fail(from, 0, msg);
        goto out;
    }
    if (strcmp(end, "-journal") == 0 && journal_names_files(in)) {
        err = chorale_fail(msg, CHORALE_DATA, "%s: a journal that refers to "
                           "other files, not written by chorale; restore a "
                           "copy of %s", from, path);
        goto out;
    }
    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    err = out < 0 ? copy_fail(path, 1, msg)
                  : copy_bytes(from, in, out, msg);
    if (out >= 0 && close(out) != 0 && err == CHORALE_OK)
        err = copy_fail(path, 1, msg);
out:
    if (in >= 0)
        close(in);
    free(from);
    return err;
}

enum chorale_err chorale_copy_make(struct chorale_copy *copy, const char *path,
                                   int with_journal,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_copy_folder(copy, msg);

    for (size_t i = 0; i < (with_journal ? NCOPIED : 1) && err == CHORALE_OK;
         i++)
        err = copy_file(copy, path, suffix[i], msg);
    if (err != CHORALE_OK)
        chorale_copy_remove(copy);
    return err;
}

void chorale_copy_remove(struct chorale_copy *copy)
{
    char name[sizeof(copy->file) + 16];

    if (copy->dir[0] == '\0')
        return;
    for (size_t i = 0; i < NSUFFIX; i++) {
        snprintf(name, sizeof(name), "%s%s", copy->file, suffix[i]);
        unlink(name);
    }
    rmdir(copy->dir);
    copy->dir[0] = '\0';
}

void chorale_copy_rename(const struct chorale_copy *copy, const char *path,
                         struct chorale_errmsg *msg)
{
    size_t len = strlen(copy->file);
    struct chorale_errmsg line;

    if (len == 0 || strncmp(msg->text, copy->file, len) != 0)
        return;
    line = *msg;
    chorale_fail(msg, CHORALE_OK, "%s%s", path, line.text + len);
}
