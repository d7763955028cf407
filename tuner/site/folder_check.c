/* SPDX-License-Identifier: BSD-3-Clause */
/* folder_check.c - tests locks and fsync in a folder. */
#include "config.h"

#include "tuner/site/folder_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Mount options of NFS and Lustre by which locks exclude only one node.
 * local_lock=flock is harmless: it concerns locks of another kind. */
static const char *const local_options[] = {
    "local_lock=all", "local_lock=posix", "nolock", "localflock", "noflock",
};

/* Lock the first byte of a file. Locks of open file descriptions exclude the
 * locks of processes, which SQLite uses, and the reverse. */
static int lock(int fd, int cmd)
{
    struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

    return fcntl(fd, cmd, &fl);
}

/* 1 if another process cannot lock the file while this process has a lock. */
static int excludes(const char *name)
{
    int status = 0, fd;
    pid_t pid = fork();

    if (pid == 0) {
        fd = open(name, O_RDWR | O_CLOEXEC);
        _exit(fd >= 0 && lock(fd, F_SETLK) != 0 &&
              (errno == EAGAIN || errno == EACCES));
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 1;
}

static void try_file(const char *path, struct chorale_folder *found)
{
    char name[PATH_MAX];
    int fd;

    if (snprintf(name, sizeof(name), "%s/.chorale-XXXXXX", path) >=
        (int)sizeof(name)) {
        found->write_error = ENAMETOOLONG;
        return;
    }
    fd = mkstemp(name);
    if (fd < 0 || write(fd, "x", 1) != 1)
        found->write_error = errno;
    if (fd < 0)
        return;
    if (fsync(fd) != 0)
        found->flush_error = errno;
    if (lock(fd, F_OFD_SETLK) != 0)
        found->lock_error = errno;
    else
        found->excludes = excludes(name);
    close(fd);
    unlink(name);
}

/* The length of dir if the folder is below it, else 0. */
static size_t is_below(const char *folder, const char *dir)
{
    size_t n = strlen(dir);

    if (strcmp(dir, "/") == 0)
        return 1;
    return strncmp(folder, dir, n) == 0 &&
           (folder[n] == '/' || folder[n] == '\0') ? n : 0;
}

static void read_mount(const char *path, struct chorale_folder *found)
{
    const char *root = getenv("CHORALE_SYSROOT");
    char mounts[PATH_MAX], *real = realpath(path, NULL);
    struct mntent *entry;
    size_t longest = 0, n;
    FILE *in;

    snprintf(mounts, sizeof(mounts), "%s/proc/self/mounts",
             root != NULL ? root : "");
    in = real != NULL ? setmntent(mounts, "re") : NULL;
    while (in != NULL && (entry = getmntent(in)) != NULL) {
        n = is_below(real, entry->mnt_dir);
        if (n == 0 || n < longest)
            continue;
        longest = n;
        snprintf(found->type, sizeof(found->type), "%.63s", entry->mnt_type);
        found->local[0] = '\0';
        for (size_t i = 0; i < sizeof(local_options) / sizeof(*local_options);
             i++) {
            const char *at = strstr(entry->mnt_opts, local_options[i]);
            size_t len = strlen(local_options[i]);

            if (at != NULL && (at == entry->mnt_opts || at[-1] == ',') &&
                (at[len] == ',' || at[len] == '\0'))
                snprintf(found->local, sizeof(found->local), "%s",
                         local_options[i]);
        }
    }
    if (in != NULL)
        endmntent(in);
    free(real);
}

void chorale_folder_check(const char *path, struct chorale_folder *found)
{
    memset(found, 0, sizeof(*found));
    try_file(path, found);
    read_mount(path, found);
}
