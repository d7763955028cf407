/* SPDX-License-Identifier: BSD-3-Clause */
/* temp_folder.c - makes and removes a private temporary folder. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plots/figures.h"

enum chorale_err chorale_folder_make(char dir[PATH_MAX],
                                     struct chorale_errmsg *msg)
{
    const char *tmp = getenv("TMPDIR");
    int len = snprintf(dir, PATH_MAX, "%s/chorale-figures-XXXXXX",
                       tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");

    if (len >= PATH_MAX)
        return chorale_fail(msg, CHORALE_ENV, "TMPDIR: its path is too long; "
                            "set it to a folder nearer to /");
    if (mkdtemp(dir) == NULL)
        return chorale_fail(msg, CHORALE_ENV, "%s: %s; set TMPDIR to a "
                            "writable folder", dir, strerror(errno));
    return CHORALE_OK;
}

void chorale_folder_remove(const char *dir)
{
    DIR *list = opendir(dir);
    const struct dirent *entry;

    while (list != NULL && (entry = readdir(list)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list != NULL)
        closedir(list);
    rmdir(dir);
}
