/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - atomic output files: written beside the target, then renamed. */
#include "config.h"

#include "tuner/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum chorale_err chorale_output_fail(const struct chorale_output *out,
                                     int error, struct chorale_errmsg *msg)
{
    return chorale_fail(msg, CHORALE_ENV, "%s: %s; no file was written%s",
                        out->path, strerror(error),
                        chorale_err_unwritten(error));
}

void chorale_output_prefix(const char *path, char *prefix, size_t size)
{
    size_t len;

    snprintf(prefix, size, "%s", path);
    len = strlen(prefix);
    if (len > 3 && strcmp(prefix + len - 3, ".db") == 0)
        prefix[len - 3] = '\0';
}

const char *chorale_output_name(const char *given)
{
    return given != NULL && strcmp(given, "-") == 0 ? NULL : given;
}

const char *chorale_output_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

int chorale_output_same(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

enum chorale_err chorale_output_file(const char *path, const char *database,
                                     struct chorale_errmsg *msg)
{
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: is not a file; name a"
                            " file to write", path);
    if (database != NULL && chorale_output_same(path, database))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: is the database "
                            "itself; name another file", path);
    return CHORALE_OK;
}

enum chorale_err chorale_output_check(const char *path,
                                      struct chorale_errmsg *msg)
{
    static const char magic[16] = "SQLite format 3";
    char begin[sizeof(magic)] = "";
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got;

    if (strcmp(path, "-") == 0) {
        if (fd >= 0)
            close(fd);
        return chorale_fail(msg, CHORALE_USAGE, "-: this output must be a file, "
                            "not standard output; name one, or ./- for a file "
                            "of that name");
    }
    if (fd < 0)
        return CHORALE_OK;
    got = read(fd, begin, sizeof(begin));
    close(fd);
    return got == sizeof(begin) && memcmp(begin, magic, sizeof(magic)) == 0
               ? chorale_fail(msg, CHORALE_USAGE, "%s: is a database and "
                              "would be overwritten; name another file to write",
                              path)
               : CHORALE_OK;
}

enum chorale_err chorale_output_open(struct chorale_output *out,
                                     const char *path, const char *suffix,
                                     struct chorale_errmsg *msg)
{
    size_t len = strlen(path), add = strlen(suffix);
    mode_t mask = umask(0);
    int fd;

    enum chorale_err err;

    umask(mask);
    out->path = malloc(len + add + 1);
    out->temporary = malloc(len + add + sizeof(".XXXXXX"));
    if (out->path == NULL || out->temporary == NULL) {
        free(out->temporary);
        out->temporary = NULL;
        return chorale_fail_memory(msg, path);
    }
    memcpy(out->path, path, len);
    memcpy(out->path + len, suffix, add + 1);
    memcpy(out->temporary, out->path, len + add);
    memcpy(out->temporary + len + add, ".XXXXXX", sizeof(".XXXXXX"));
    err = chorale_output_check(out->path, msg);
    if (err != CHORALE_OK) {
        free(out->temporary);
        out->temporary = NULL;
        return err;
    }
    fd = mkstemp(out->temporary);
    if (fd < 0) {
        int error = errno;

        free(out->temporary);
        out->temporary = NULL;
        return chorale_output_fail(out, error, msg);
    }
    if (fchmod(fd, 0666 & ~mask) != 0 ||
        (out->stream = fdopen(fd, "w")) == NULL) {
        int error = errno;

        close(fd);
        return chorale_output_fail(out, error, msg);
    }
    return CHORALE_OK;
}

enum chorale_err chorale_output_close(struct chorale_output *out,
                                      struct chorale_errmsg *msg)
{
    int bad = ferror(out->stream), error = bad ? ENOSPC : 0;

    if (fflush(out->stream) != 0 || fsync(fileno(out->stream)) != 0)
        error = errno;
    if (fclose(out->stream) != 0 && error == 0)
        error = errno;
    out->stream = NULL;
    return error != 0 ? chorale_output_fail(out, error, msg) : CHORALE_OK;
}

enum chorale_err chorale_output_commit(struct chorale_output *out,
                                       struct chorale_errmsg *msg)
{
    if (rename(out->temporary, out->path) != 0)
        return chorale_output_fail(out, errno, msg);
    free(out->temporary);
    out->temporary = NULL;
    return CHORALE_OK;
}

void chorale_output_release(struct chorale_output *out)
{
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->temporary != NULL)
        unlink(out->temporary);
    free(out->temporary);
    free(out->path);
}
