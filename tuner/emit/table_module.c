/* SPDX-License-Identifier: BSD-3-Clause */
/* table_module.c - builds a temporary dispatch module from a database. */
#include "config.h"

#include "tuner/emit/table_module.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tuner/emit/compile_c.h"
#include "tuner/emit/generate.h"

#define FOLDER ".chorale-table-"
#define RANDOM "XXXXXX"

/* No command uses its table for longer than this. */
enum { LEFT_SECONDS = 7 * 24 * 3600 };

/* Delete a leftover folder of this user, if it is old enough: its files table.*,
 * then the folder, which stays if it has any other file. */
static void remove_left(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
                    O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    struct stat st;

    if (dir != NULL && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
        time(NULL) - st.st_mtime > LEFT_SECONDS) {
        while ((entry = readdir(dir)) != NULL)
            if (strncmp(entry->d_name, "table.", 6) == 0)
                unlinkat(fd, entry->d_name, 0);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    if (dir != NULL)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
}

/* Delete folders that killed commands left behind. */
static void tidy(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (strncmp(entry->d_name, FOLDER, strlen(FOLDER)) == 0 &&
            strlen(entry->d_name) == strlen(FOLDER RANDOM))
            remove_left(dirfd(dir), entry->d_name);
    if (dir != NULL)
        closedir(dir);
}

static enum chorale_err make_folder(struct chorale_module *module,
                                    const char *database,
                                    struct chorale_errmsg *msg)
{
    char real[PATH_MAX];
    int len;

    module->dir[0] = '\0';
    if (realpath(database, real) == NULL)
        return chorale_fail(msg, CHORALE_ENV, "%s: %s; name a database with "
                            "decisions", database, strerror(errno));
    strrchr(real, '/')[1] = '\0';
    tidy(real);
    len = snprintf(module->dir, sizeof(module->dir), "%s" FOLDER RANDOM, real);
    if (len >= (int)sizeof(module->dir)) {
        module->dir[0] = '\0';
        return chorale_fail_long(msg, database);
    }
    if (mkdtemp(module->dir) != NULL)
        return CHORALE_OK;
    module->dir[0] = '\0';
    return chorale_fail(msg, CHORALE_ENV, "%s: no folder can be made beside "
                        "it (%s)%s", database, strerror(errno),
                        chorale_err_unwritten(errno));
}

enum chorale_err chorale_module_make(struct chorale_module *module,
                                     const char *database,
                                     const char *system, int allow_patented,
                                     struct chorale_errmsg *msg)
{
    char source[PATH_MAX + 16], header[PATH_MAX + 16];
    const struct chorale_generate_opts opts = {
        .output = source, .system = system,
        .allow_patented = allow_patented, .quiet = 1,
    };
    enum chorale_err err = make_folder(module, database, msg);

    if (err != CHORALE_OK)
        return err;
    snprintf(source, sizeof(source), "%s/table.c", module->dir);
    snprintf(header, sizeof(header), "%s/table.h", module->dir);
    snprintf(module->path, sizeof(module->path), "%s/table.so", module->dir);
    err = chorale_table_generate(database, &opts, msg);
    if (err == CHORALE_OK)
        err = chorale_c_compile(source, module->path, msg);
    unlink(source);
    unlink(header);
    return err;
}

void chorale_module_remove(const struct chorale_module *module)
{
    if (module->dir[0] == '\0')
        return;
    unlink(module->path);
    rmdir(module->dir);
}
