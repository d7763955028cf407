/* SPDX-License-Identifier: BSD-3-Clause */
/* baddisk.c - preload that simulates a failing file system for users who cannot
 * mount one; disk.t preloads it into the command and its runner. Once the file
 * SPOILT exists, the folder DISK is read-only if SPOILT is empty; else it is
 * full: files can be created, but writes fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The errno of a change of the path; 0: it succeeds. */
static int fault(const char *path)
{
    const char *disk = getenv("DISK"), *spoilt = getenv("SPOILT");
    struct stat st;

    if (path == NULL || disk == NULL || spoilt == NULL ||
        strncmp(path, disk, strlen(disk)) != 0 || stat(spoilt, &st) != 0)
        return 0;
    return st.st_size == 0 ? EROFS : ENOSPC;
}

static int fault_of(int fd)
{
    char link[64], path[4096];
    ssize_t len;
    int keep = errno, is;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, path, sizeof(path) - 1);
    path[len > 0 ? len : 0] = '\0';
    is = fault(path);
    errno = keep;
    return is;
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))
#define FAIL(error)                                                          \
    do {                                                                     \
        int is = (error);                                                    \
                                                                             \
        if (is != 0) {                                                       \
            errno = is;                                                      \
            return -1;                                                       \
        }                                                                    \
    } while (0)

ssize_t write(int fd, const void *buf, size_t n)
{
    FAIL(fault_of(fd));
    return NEXT(ssize_t (*)(int, const void *, size_t), "write")(fd, buf, n);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    FAIL(fault_of(fd));
    return NEXT(ssize_t (*)(int, const void *, size_t, off_t),
                "pwrite")(fd, buf, n, at);
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
    FAIL(fault_of(fd));
    return NEXT(ssize_t (*)(int, const void *, size_t, off64_t),
                "pwrite64")(fd, buf, n, at);
}

int unlink(const char *path)
{
    FAIL(fault(path) == EROFS ? EROFS : 0);
    return NEXT(int (*)(const char *), "unlink")(path);
}

int access(const char *path, int mode)
{
    FAIL((mode & W_OK) != 0 && fault(path) == EROFS ? EROFS : 0);
    return NEXT(int (*)(const char *, int), "access")(path, mode);
}

int mkstemp(char *name)
{
    FAIL(fault(name) == EROFS ? EROFS : 0);
    return NEXT(int (*)(char *), "mkstemp")(name);
}

static int open_file(const char *name, const char *path, int flags,
                     mode_t mode)
{
    if ((flags & (O_ACCMODE | O_CREAT)) != 0)
        FAIL(fault(path) == EROFS ? EROFS : 0);
    return NEXT(int (*)(const char *, int, ...), name)(path, flags, mode);
}

static mode_t mode_of(int flags, va_list ap)
{
    return (flags & O_CREAT) != 0 ? va_arg(ap, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = mode_of(flags, ap);
    va_end(ap);
    return open_file("open", path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list ap;
    mode_t mode;

    va_start(ap, flags);
    mode = mode_of(flags, ap);
    va_end(ap);
    return open_file("open64", path, flags, mode);
}
