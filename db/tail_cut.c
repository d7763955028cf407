/* SPDX-License-Identifier: BSD-3-Clause */
/* tail_cut.c - the files of points under way: see tail.h. */
#include "config.h"

#include "db/tail.h"

#include <ctype.h>
#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "db/tail_record.h"

int chorale_tail_cut_name(const char *published, int place,
                          char name[PATH_MAX])
{
    int len = place > 0
                  ? snprintf(name, PATH_MAX, "%s" CHORALE_TAIL_SUFFIX "-%d"
                             CHORALE_TAIL_CUT, published, place)
                  : snprintf(name, PATH_MAX, "%s" CHORALE_TAIL_SUFFIX
                             CHORALE_TAIL_CUT, published);

    return len < PATH_MAX - (int)sizeof(CHORALE_TAIL_NEW) ? 0 : -1;
}

/* What follows the name of the copy is that of such a file. */
static int is_cut(const char *rest)
{
    const char *at = rest + strlen(CHORALE_TAIL_SUFFIX);

    if (strncmp(rest, CHORALE_TAIL_SUFFIX, strlen(CHORALE_TAIL_SUFFIX)) != 0)
        return 0;
    if (at[0] == '-' && isdigit((unsigned char)at[1]))
        at += 1 + strspn(at + 1, "0123456789");
    return strcmp(at, CHORALE_TAIL_CUT) == 0 ||
           strcmp(at, CHORALE_TAIL_CUT CHORALE_TAIL_NEW) == 0;
}

/* Call with the name of each. */
static enum chorale_err each(const char *published,
                             enum chorale_err (*call)(const char *name,
                                                      void *arg,
                                                      struct chorale_errmsg *),
                             void *arg, struct chorale_errmsg *msg)
{
    char folder[PATH_MAX], base[PATH_MAX], name[2 * PATH_MAX];
    const char *head, *file;
    enum chorale_err err = CHORALE_OK;
    struct dirent *entry;
    DIR *dir;

    if (strlen(published) >= sizeof(folder))
        return CHORALE_OK; /* nor could they be written */
    strcpy(folder, published);
    strcpy(base, published);
    head = dirname(folder);
    file = basename(base);
    dir = opendir(head);
    if (dir == NULL)
        return CHORALE_OK;
    while (err == CHORALE_OK && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, file, strlen(file)) != 0 ||
            !is_cut(entry->d_name + strlen(file)))
            continue;
        snprintf(name, sizeof(name), "%s/%s", head, entry->d_name);
        err = call(name, arg, msg);
    }
    closedir(dir);
    return err;
}

static enum chorale_err open_it(const char *name, void *arg,
                                struct chorale_errmsg *msg)
{
    int fd, there;
    enum chorale_err err = chorale_tail_open_one(name, &fd, &there, msg);

    return err == CHORALE_OK ? chorale_tail_add_file(arg, fd, msg) : err;
}

enum chorale_err chorale_tail_open_cuts(const char *published,
                                        struct chorale_tail_files *files,
                                        struct chorale_errmsg *msg)
{
    int count = files->count;
    enum chorale_err err = each(published, open_it, files, msg);

    files->ncut = files->count - count;
    return err;
}

static enum chorale_err drop_it(const char *name, void *arg,
                                struct chorale_errmsg *msg)
{
    (void)arg;
    (void)msg;
    unlink(name);
    return CHORALE_OK;
}

void chorale_tail_drop_cuts(const char *published)
{
    struct chorale_errmsg msg;

    each(published, drop_it, NULL, &msg);
}
