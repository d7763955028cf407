/* SPDX-License-Identifier: BSD-3-Clause */
/* badlocks.c - preload by which a command sees the locks of another file
 * system.
 * BADLOCKS is one of
 *   local   each lock succeeds at once and excludes no process, like locks of
 *           another node
 *   none    ENOLCK, as on NFS without a lock daemon
 *   fsync   locks work, fsync fails with EIO */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int is(const char *word)
{
    const char *how = getenv("BADLOCKS");

    return how != NULL && strcmp(how, word) == 0;
}

static int lock(const char *name, int fd, int cmd, void *arg)
{
    int asks = cmd == F_GETLK || cmd == F_OFD_GETLK;
    int sets = cmd == F_SETLK || cmd == F_SETLKW || cmd == F_OFD_SETLK ||
               cmd == F_OFD_SETLKW;

    if ((asks || sets) && is("none")) {
        errno = ENOLCK;
        return -1;
    }
    if (asks && is("local"))
        ((struct flock *)arg)->l_type = F_UNLCK;
    if ((asks || sets) && is("local"))
        return 0;
    return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, name))(fd, cmd, arg);
}

#define FCNTL(name)                                                          \
    int name(int fd, int cmd, ...)                                           \
    {                                                                        \
        va_list ap;                                                          \
        void *arg;                                                           \
                                                                             \
        va_start(ap, cmd);                                                   \
        arg = va_arg(ap, void *);                                            \
        va_end(ap);                                                          \
        return lock(#name, fd, cmd, arg);                                    \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

#define SYNC(name)                                                           \
    int name(int fd)                                                         \
    {                                                                        \
        if (is("fsync")) {                                                   \
            errno = EIO;                                                     \
            return -1;                                                       \
        }                                                                    \
        return ((int (*)(int))dlsym(RTLD_NEXT, #name))(fd);                  \
    }
SYNC(fsync)
SYNC(fdatasync)
