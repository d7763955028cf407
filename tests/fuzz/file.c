/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c - write a fuzzer's input to a file. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/dev/shm/chorale-fuzz-XXXXXX";
static char path[sizeof(folder) + 16];

static void leave(void)
{
    char journal[sizeof(path) + 16];

    snprintf(journal, sizeof(journal), "%s-journal", path);
    unlink(journal);
    unlink(path);
    rmdir(folder);
}

const char *chorale_fuzz_file(const uint8_t *data, size_t size)
{
    int fd;

    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL)
            return NULL;
        snprintf(path, sizeof(path), "%s/input", folder);
        atexit(leave);
    }
    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return NULL;
    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n <= 0)
            break;
        data += n;
        size -= (size_t)n;
    }
    close(fd);
    return size == 0 ? path : NULL;
}

void chorale_fuzz_broken(const char *what)
{
    fprintf(stderr, "broken: %s\n", what);
    abort();
}
