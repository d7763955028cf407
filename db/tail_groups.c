/* SPDX-License-Identifier: BSD-3-Clause */
/* tail_groups.c - the files of groups that measure at once: see tail.h. */
#include "config.h"

#include "db/tail.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db/tail_record.h"

int chorale_tail_group_name(const char *published, int place,
                            char name[PATH_MAX])
{
    return snprintf(name, PATH_MAX, "%s" CHORALE_TAIL_SUFFIX "-%d", published,
                    place) < PATH_MAX
               ? 0
               : -1;
}

/* What the file system knows a file by, in all machines alike; 0: it is not
 * there. */
static uint64_t id_of(const char *name, off_t *size)
{
    /* To open it asks the server of a network file system. */
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    uint64_t id = 0;

    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        *size = st.st_size;
        id = (uint64_t)st.st_ino;
    }
    close(fd);
    return id;
}

void chorale_tail_make(const char *published, int n, uint64_t *id)
{
    char name[PATH_MAX];
    off_t size;
    int fd = 0;

    for (int i = 0; i < n; i++) {
        id[i] = 0;
        if (fd < 0 || chorale_tail_group_name(published, i + 1, name) != 0)
            continue;
        fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            id[i] = id_of(name, &size);
        }
    }
}

void chorale_tail_unmake(const char *published, int n, const uint64_t *id)
{
    char name[PATH_MAX];
    off_t size;

    for (int i = n; i > 0; i--)
        if (id[i - 1] != 0 &&
            chorale_tail_group_name(published, i, name) == 0 &&
            id_of(name, &size) == id[i - 1])
            unlink(name);
}

int chorale_tail_seen(const char *published, int place, uint64_t id)
{
    char name[PATH_MAX];
    off_t size = 0;

    return id != 0 && chorale_tail_group_name(published, place, name) == 0 &&
           id_of(name, &size) == id && size == 0;
}

void chorale_tail_drop_groups(const char *published)
{
    char name[PATH_MAX];
    int n = 0;

    while (chorale_tail_group_name(published, n + 1, name) == 0 &&
           access(name, F_OK) == 0)
        n++;
    for (; n > 0; n--)
        if (chorale_tail_group_name(published, n, name) == 0)
            unlink(name);
}

enum chorale_err chorale_tail_open_groups(const char *published,
                                          struct chorale_tail_files *files,
                                          struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    char name[PATH_MAX];
    int there = 1;

    for (int i = 1; there && err == CHORALE_OK; i++) {
        int fd = -1;

        if (chorale_tail_group_name(published, i, name) != 0)
            break; /* nor could it be written */
        err = chorale_tail_open_one(name, &fd, &there, msg);
        if (err == CHORALE_OK)
            err = chorale_tail_add_file(files, fd, msg);
    }
    return err;
}

enum chorale_err chorale_tail_take_in(struct chorale_store *store,
                                      const char *published,
                                      enum chorale_cuts cuts,
                                      sqlite3_int64 *runs_p,
                                      unsigned *other_p,
                                      struct chorale_errmsg *msg)
{
    struct chorale_tail_files files = {
        .cuts = cuts,
    };
    enum chorale_err err;

    *runs_p = 0;
    if (cuts == CHORALE_CUTS_NONE)
        chorale_tail_drop_cuts(published);
    err = chorale_tail_open_groups(published, &files, msg);
    /* After what is whole: of a cell and a launch the first run stays. */
    if (err == CHORALE_OK && cuts != CHORALE_CUTS_NONE)
        err = chorale_tail_open_cuts(published, &files, msg);
    if (err == CHORALE_OK && chorale_tail_there(&files))
        err = chorale_tail_apply(&files, store, runs_p, msg);
    *other_p = files.other;
    chorale_tail_close(&files);
    /* Who comes later would take all of a launch that fell. */
    if (err == CHORALE_OK || cuts == CHORALE_CUTS_MARKED ||
        cuts == CHORALE_CUTS_KILLED)
        chorale_tail_drop_cuts(published);
    if (err == CHORALE_OK)
        chorale_tail_drop_groups(published);
    return err;
}
