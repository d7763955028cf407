/* SPDX-License-Identifier: BSD-3-Clause */
/* read_file.c - read a text file of unknown origin into memory. */
#include "config.h"

#include "tuner/base/read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read up to max bytes, zero-terminated. NULL: out of memory. */
static char *slurp(FILE *in, size_t max, size_t *size_p)
{
    size_t size = 0, got = 1, room = 1 << 16;
    char *text = malloc(room);

    while (text != NULL && got > 0 && size < max) {
        char *more = room - size < 2 ? realloc(text, room *= 2) : text;

        if (more == NULL) {
            free(text);
            return NULL;
        }
        text = more;
        got = fread(text + size, 1, room - size - 1, in);
        size += got;
    }
    if (text != NULL)
        text[size] = '\0';
    *size_p = size;
    return text;
}

enum chorale_err chorale_file_text(const char *path, size_t max,
                                   char **text_p, size_t *size_p,
                                   struct chorale_errmsg *msg)
{
    FILE *in = fopen(path, "r");
    enum chorale_err err = CHORALE_OK;
    size_t size = 0;
    char *text;

    if (in == NULL)
        return chorale_fail(msg, CHORALE_ENV, "%s: %s; name a file that you "
                            "may read", path, strerror(errno));
    errno = 0;
    text = slurp(in, max, &size);
    if (text == NULL)
        err = chorale_fail_memory(msg, path);
    else if (ferror(in))
        err = chorale_fail_read(msg, path, errno);
    else if (size >= max)
        err = chorale_fail(msg, CHORALE_DATA, "%s: larger than %zu bytes, too "
                           "large to be imported; name another file", path,
                           max);
    fclose(in);
    if (err != CHORALE_OK) {
        free(text);
        return err;
    }
    *text_p = text;
    *size_p = size;
    return CHORALE_OK;
}
