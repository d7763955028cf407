/* SPDX-License-Identifier: BSD-3-Clause */
/* site_tables.c - install and roll back dispatch tables of a site. */
#include "config.h"

#include "tuner/site/site_tables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "algorithms/dispatch/table/site.h"
#include "algorithms/dispatch/table/table_load.h"

enum { MAX_TABLES = 1000000, LEFT_SECONDS = 3600 };

/* Prefixes of temporary files and links. */
#define TEMPORARY ".table-"
#define FRESH ".current-"

static enum chorale_err fail(const char *path, const char *done,
                             struct chorale_errmsg *msg)
{
    const char *remedy = errno == EACCES || errno == EPERM || errno == EROFS
        ? "; run it as the owner of the tables, or name another --folder"
        : errno == ENOTDIR ? "; name a folder with --folder"
        : chorale_err_unwritten(errno);

    return chorale_fail(msg, CHORALE_ENV, "%s: %s: %s%s", path, done,
                        strerror(errno), remedy);
}

enum chorale_err chorale_place_set(struct chorale_place *place,
                                   const char *folder, const char *cluster,
                                   const char *partition, const char *mpi,
                                   struct chorale_errmsg *msg)
{
    const char *const word[][2] = { { "--cluster", cluster },
                                    { "--partition", partition },
                                    { "--mpi", mpi } };

    for (int i = 0; i < 3; i++)
        if (!chorale_site_name(word[i][1]))
            return chorale_fail(msg, CHORALE_USAGE, "%s '%.80s': a folder of "
                                "site tables has 1 to 64 letters, digits and "
                                "_ - . in its name, . not first", word[i][0],
                                word[i][1]);
    if (snprintf(place->path, sizeof(place->path), "%s/%s/%s/%s", folder,
                 cluster, partition, mpi) > (int)sizeof(place->path) - 64)
        return chorale_fail(msg, CHORALE_USAGE, "%.700s: is too long a path; "
                            "name a --folder nearer to /", folder);
    snprintf(place->cluster, sizeof(place->cluster), "%s", cluster);
    snprintf(place->partition, sizeof(place->partition), "%s", partition);
    snprintf(place->mpi, sizeof(place->mpi), "%s", mpi);
    return CHORALE_OK;
}

static enum chorale_err path_in(const struct chorale_place *place,
                                const char *name, char path[PATH_MAX],
                                struct chorale_errmsg *msg)
{
    return snprintf(path, PATH_MAX, "%s/%s", place->path, name) < PATH_MAX
               ? CHORALE_OK
               : chorale_fail(msg, CHORALE_USAGE, "%.700s: is too long a "
                              "path; name a --folder nearer to /",
                              place->path);
}

static int read_name(const char *name, long *number, long *before)
{
    uint64_t content;

    return chorale_site_table_read(name, number, before, &content) &&
           *number <= MAX_TABLES;
}

enum chorale_err chorale_place_current(const struct chorale_place *place,
                                       struct chorale_current *current,
                                       struct chorale_errmsg *msg)
{
    char path[PATH_MAX];
    struct stat st;
    ssize_t n;
    enum chorale_err err = path_in(place, "current", path, msg);

    memset(current, 0, sizeof(*current));
    if (err != CHORALE_OK)
        return err;
    if (lstat(path, &st) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? CHORALE_OK : fail(path, "cannot be read", msg);
    if (!S_ISLNK(st.st_mode)) {
        snprintf(current->name, sizeof(current->name), "current");
        return CHORALE_OK;
    }
    n = readlink(path, current->name, sizeof(current->name) - 1);
    if (n < 0)
        return fail(path, "cannot be read", msg);
    current->name[n] = '\0';
    current->link = read_name(current->name, &current->number,
                              &current->before);
    if (!current->link)
        current->number = current->before = 0;
    return CHORALE_OK;
}

enum chorale_err chorale_place_empty(const struct chorale_place *place,
                                     struct chorale_errmsg *msg)
{
    return chorale_fail(msg, CHORALE_DATA, "%s: has no table; `chorale table "
                        "install` puts one there", place->path);
}

/* content_p may be NULL. */
static enum chorale_err load(const char *path,
                             const struct chorale_table **table_p,
                             uint64_t *content_p, struct chorale_errmsg *msg)
{
    const int there = access(path, R_OK) == 0;
    char why[300];

    if (chorale_table_load(path, table_p, content_p, why, sizeof(why)) == 0)
        return CHORALE_OK;
    return chorale_fail(msg, there ? CHORALE_DATA : CHORALE_ENV, "%s: %s%s",
                        path, why, strchr(why, ';') != NULL ? ""
                        : there ? "; make one by `chorale generate --format "
                                  "c`"
                                : "; name a table that was compiled, or a "
                                  "database");
}

enum chorale_err chorale_place_load(const char *path,
                                    const struct chorale_table **table_p,
                                    struct chorale_errmsg *msg)
{
    return load(path, table_p, NULL, msg);
}

/* Create a folder readable by all from the start, independent of umask. */
static int make_folder(const char *path)
{
    mode_t mask = umask(022);
    int rc = mkdir(path, 0755), error = errno;

    umask(mask);
    errno = error;
    return rc;
}

/* Create all folders down to the place. */
static enum chorale_err make_folders(const struct chorale_place *place,
                                     struct chorale_errmsg *msg)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s", place->path);
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        if (make_folder(path) != 0 && errno != EEXIST)
            return fail(path, "cannot be made", msg);
        if (slash == NULL)
            return CHORALE_OK;
        *slash = '/';
    }
}

static int copy_bytes(int from, int to)
{
    char buffer[1 << 16];
    ssize_t got;

    while ((got = read(from, buffer, sizeof(buffer))) > 0)
        for (ssize_t done = 0, n; done < got; done += n)
            if ((n = write(to, buffer + done, (size_t)(got - done))) < 0)
                return -1;
    return got < 0 ? -1 : 0;
}

/* Copy the table to a temporary file in the place, synchronised to disk. */
static enum chorale_err copy_in(const char *from, char *temporary,
                                struct chorale_errmsg *msg)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out;
    enum chorale_err err = CHORALE_OK;

    if (in < 0)
        return fail(from, "cannot be read", msg);
    out = mkstemp(temporary);
    if (out < 0)
        err = fail(temporary, "cannot be made", msg);
    else if (copy_bytes(in, out) != 0 || fchmod(out, 0644) != 0 ||
             fsync(out) != 0)
        err = fail(temporary, "cannot be written", msg);
    if (out >= 0)
        close(out);
    if (out >= 0 && err != CHORALE_OK)
        unlink(temporary);
    close(in);
    return err;
}

/* Remove temporary files and links that killed commands left, if they are too
 * old to be in use. */
static void tidy(const struct chorale_place *place)
{
    DIR *dir = opendir(place->path);
    time_t now = time(NULL);
    struct dirent *entry;
    struct stat st;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if ((strncmp(entry->d_name, TEMPORARY, strlen(TEMPORARY)) == 0 ||
             strncmp(entry->d_name, FRESH, strlen(FRESH)) == 0) &&
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ==
                0 &&
            (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) &&
            now - st.st_mtime > LEFT_SECONDS)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir != NULL)
        closedir(dir);
}

/* The largest number of a table in the place. */
static long last_number(const struct chorale_place *place)
{
    DIR *dir = opendir(place->path);
    struct dirent *entry;
    long last = 0, number, before;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (read_name(entry->d_name, &number, &before) && number > last)
            last = number;
    if (dir != NULL)
        closedir(dir);
    return last;
}

/* Give the table its final name; a concurrent command may have used the
 * number. */
static enum chorale_err give_final_name(const struct chorale_place *place,
                                        const char *temporary, long before,
                                        uint64_t content, char name[256],
                                        struct chorale_errmsg *msg)
{
    char path[PATH_MAX];
    enum chorale_err err;

    for (long number = last_number(place) + 1; number <= MAX_TABLES;
         number++) {
        chorale_site_table_name(name, number, before, content);
        err = path_in(place, name, path, msg);
        if (err != CHORALE_OK)
            return err;
        if (link(temporary, path) == 0)
            return CHORALE_OK;
        if (errno != EEXIST)
            return fail(path, "cannot be made", msg);
    }
    return chorale_fail(msg, CHORALE_ENV, "%s: %d tables were installed here; "
                        "remove old ones", place->path, (int)MAX_TABLES);
}

static void sync_folder(const struct chorale_place *place)
{
    int fd = open(place->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Replace the link by rename, so that it always exists. */
static enum chorale_err point_at(const struct chorale_place *place,
                                 const char *name,
                                 struct chorale_errmsg *msg)
{
    char path[PATH_MAX], fresh[PATH_MAX], word[64];
    enum chorale_err err = path_in(place, "current", path, msg);

    snprintf(word, sizeof(word), FRESH "%ld", (long)getpid());
    if (err == CHORALE_OK)
        err = path_in(place, word, fresh, msg);
    if (err != CHORALE_OK)
        return err;
    tidy(place);
    unlink(fresh);
    if (symlink(name, fresh) != 0)
        return fail(fresh, "cannot be made", msg);
    sync_folder(place);
    if (rename(fresh, path) != 0) {
        err = fail(path, "cannot be replaced", msg);
        unlink(fresh);
        return err;
    }
    sync_folder(place);
    return CHORALE_OK;
}

enum chorale_err chorale_place_install(const struct chorale_place *place,
                                       const char *path, char name[256],
                                       struct chorale_errmsg *msg)
{
    const struct chorale_table *table;
    struct chorale_current current;
    uint64_t content = 0;
    char temporary[PATH_MAX];
    enum chorale_err err = make_folders(place, msg);

    if (err == CHORALE_OK)
        err = chorale_place_current(place, &current, msg);
    if (err == CHORALE_OK && current.name[0] != '\0' && !current.link)
        return chorale_fail(msg, CHORALE_DATA, "%s/current: was put there by "
                            "hand; move it away, then install it and this",
                            place->path);
    if (err == CHORALE_OK)
        err = path_in(place, TEMPORARY "XXXXXX", temporary, msg);
    if (err == CHORALE_OK)
        err = copy_in(path, temporary, msg);
    if (err != CHORALE_OK)
        return err;
    /* Check the copied bytes, at their destination. */
    err = load(temporary, &table, &content, msg);
    if (err == CHORALE_OK)
        err = give_final_name(place, temporary, current.number, content, name,
                              msg);
    unlink(temporary);
    return err == CHORALE_OK ? point_at(place, name, msg) : err;
}

/* Find the name of the table with that number; 0: not found. */
static int find_number(const struct chorale_place *place, long wanted,
                       struct chorale_current *found)
{
    DIR *dir = opendir(place->path);
    struct dirent *entry;
    long number, before;
    int got = 0;

    while (dir != NULL && !got && (entry = readdir(dir)) != NULL)
        if (read_name(entry->d_name, &number, &before) && number == wanted) {
            *found = (struct chorale_current){ number, before, 1, "" };
            snprintf(found->name, sizeof(found->name), "%s", entry->d_name);
            got = 1;
        }
    if (dir != NULL)
        closedir(dir);
    return got;
}

/* Read the current table of a place, for a command that changes it. by_hand:
 * end of the message if the table was put there by hand, with the remedy. */
static enum chorale_err find_changeable(const struct chorale_place *place,
                                        const char *by_hand,
                                        struct chorale_current *from,
                                        struct chorale_errmsg *msg)
{
    enum chorale_err err = chorale_place_current(place, from, msg);

    if (err != CHORALE_OK)
        return err;
    if (from->name[0] == '\0')
        return chorale_place_empty(place, msg);
    if (!from->link)
        return chorale_fail(msg, CHORALE_DATA, "%s/current: was put there by "
                            "hand%s", place->path, by_hand);
    return CHORALE_OK;
}

/* Remove the link; the table stays. */
static enum chorale_err unlink_current(const struct chorale_place *place,
                                       struct chorale_errmsg *msg)
{
    char path[PATH_MAX];
    enum chorale_err err = path_in(place, "current", path, msg);

    if (err != CHORALE_OK)
        return err;
    if (unlink(path) != 0)
        return fail(path, "cannot be removed", msg);
    sync_folder(place);
    return CHORALE_OK;
}

enum chorale_err chorale_place_remove(const struct chorale_place *place,
                                      struct chorale_current *from,
                                      struct chorale_errmsg *msg)
{
    enum chorale_err err = find_changeable(place, "; move it away by hand",
                                           from, msg);

    return err == CHORALE_OK ? unlink_current(place, msg) : err;
}

enum chorale_err chorale_place_rollback(const struct chorale_place *place,
                                        struct chorale_current *from,
                                        struct chorale_current *to,
                                        struct chorale_errmsg *msg)
{
    const struct chorale_table *table;
    char path[PATH_MAX];
    enum chorale_err err = find_changeable(
        place, ", its predecessor is unknown; move it away, then install the "
        "table that it should be", from, msg);

    if (err != CHORALE_OK)
        return err;
    if (from->before == 0) {
        to->name[0] = '\0';
        return unlink_current(place, msg);
    }
    if (!find_number(place, from->before, to))
        return chorale_fail(msg, CHORALE_DATA, "%s: table %ld, the "
                            "predecessor of %s, is missing; install it again",
                            place->path, from->before, from->name);
    err = path_in(place, to->name, path, msg);
    if (err == CHORALE_OK)
        err = chorale_place_load(path, &table, msg);
    return err == CHORALE_OK ? point_at(place, to->name, msg) : err;
}

/* Cut off and return the last word of a path. */
static const char *cut_word(char *path)
{
    char *slash = strrchr(path, '/');

    *slash = '\0';
    return slash + 1;
}

enum chorale_err
chorale_places_each(const char *folder,
                    enum chorale_err (*fn)(const struct chorale_place *place,
                                           void *arg,
                                           struct chorale_errmsg *msg),
                    void *arg, struct chorale_errmsg *msg)
{
    DIR *dir = opendir(folder);
    char here[PATH_MAX];
    glob_t found;
    enum chorale_err err = CHORALE_OK;

    if (dir == NULL && errno == ENOENT)
        return chorale_fail(msg, CHORALE_ENV, "%s: is not there; `chorale "
                            "table install` makes it", folder);
    if (dir == NULL)
        return fail(folder, "cannot be read", msg);
    closedir(dir);
    /* chdir: the folder's own name must not be taken as a pattern. */
    if (getcwd(here, sizeof(here)) == NULL || chdir(folder) != 0)
        return fail(folder, "cannot be entered", msg);
    if (glob("*/*/*/current", 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    if (chdir(here) != 0)
        err = fail(here, "cannot be entered", msg);
    for (size_t i = 0; i < found.gl_pathc && err == CHORALE_OK; i++) {
        const char *mpi, *partition;
        struct chorale_place place;

        cut_word(found.gl_pathv[i]);
        mpi = cut_word(found.gl_pathv[i]);
        partition = cut_word(found.gl_pathv[i]);
        if (!chorale_site_name(mpi) || !chorale_site_name(partition) ||
            !chorale_site_name(found.gl_pathv[i]))
            continue;
        err = chorale_place_set(&place, folder, found.gl_pathv[i], partition,
                                mpi, msg);
        if (err == CHORALE_OK)
            err = fn(&place, arg, msg);
    }
    if (found.gl_pathc > 0)
        globfree(&found);
    return err;
}
