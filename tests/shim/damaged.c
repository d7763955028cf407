/* SPDX-License-Identifier: BSD-3-Clause */
/* damaged.c - loads damaged copies of a dispatch table, each in a process of
 * its own, and asks all selectors of those that are loaded.
 *
 *     damaged FILE FOLDER
 *
 * A full disk leaves blocks of zeroes, or a file without its end. Copies have
 * the name that `chorale table install` gives FILE, and each block of 4096
 * bytes is zeroed by itself, or the file is cut every 64 bytes; or they have
 * the name copy.so, and the file is cut. Prints for each kind how many copies
 * were tried, were refused, answered as FILE does, answered otherwise, and
 * ended the process. Exit code 1 if there was a copy of the last two kinds. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/dispatch/table/site.h"
#include "algorithms/dispatch/table/table_load.h"

enum { BLOCK = 4096, STEP = 64 };
enum result { REFUSED, SAME, OTHER, ENDED, NRESULT };

static unsigned long long digest_of(const struct chorale_table *t)
{
    unsigned long long hash = 0xcbf29ce484222325ull;

    for (int i = 0; i < t->nselector; i++)
        for (int shape = 0; shape < 6; shape++)
            for (int k = 0; k < 4000; k++) {
                const struct chorale_choice *c = t->selector[i].select_ppn(
                    (size_t)1 << k % 40 | (size_t)(k % 3), k % 133,
                    (enum chorale_shape)shape, k % 5);
                const char *text[] = { c->provider, c->variant, c->params };

                for (int w = 0; w < 3; w++)
                    for (const char *p = text[w]; *p != '\0'; p++)
                        hash = (hash ^ (unsigned char)*p)
                             * 0x100000001b3ull;
            }
    for (int i = 0; i < t->nselector; i++)
        hash = (hash ^ t->selector[i].hull.n_hi
                ^ (unsigned long long)t->selector[i].hull.comm_size_hi)
             * 0x100000001b3ull;
    return hash;
}

/* In another process, which says the digest of what it loaded, or why not. */
static enum result load(const char *path, unsigned long long want, char *why,
                        size_t size)
{
    unsigned long long got = 0;
    int ends[2], status = 0;
    pid_t pid;

    if (pipe(ends) != 0 || (pid = fork()) < 0)
        exit(99);
    if (pid == 0) {
        const struct chorale_table *table;

        if (chorale_table_load(path, &table, NULL, why, size) != 0) {
            if (write(ends[1], why, strlen(why) + 1) < 0)
                _exit(99);
            _exit(1);
        }
        got = digest_of(table);
        _exit(write(ends[1], &got, sizeof(got)) == sizeof(got) ? 0 : 99);
    }
    close(ends[1]);
    memset(why, 0, size);
    if (read(ends[0], why, size) >= (ssize_t)sizeof(got))
        memcpy(&got, why, sizeof(got));
    close(ends[0]);
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status))
        return ENDED;
    if (WEXITSTATUS(status) == 1)
        return why[0] != '\0' && strchr(why, '\n') == NULL ? REFUSED : ENDED;
    return WEXITSTATUS(status) == 0 && got == want ? SAME : OTHER;
}

static char *file;
static size_t size;

/* A copy with zeroes at from ... to - 1, of length bytes. */
static enum result try(const char *path, size_t from, size_t to, size_t length,
                       unsigned long long want, char *why, size_t why_size)
{
    char *copy = malloc(size + 1);
    int fd;

    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
    memcpy(copy, file, size);
    memset(copy + from, 0, to - from);
    if (fd < 0 || write(fd, copy, length) != (ssize_t)length)
        exit(99);
    close(fd);
    free(copy);
    return load(path, want, why, why_size);
}

int main(int argc, char **argv)
{
    static const char *const kind[] = { "installed, zeroes", "installed, cut",
                                        "cut" };
    const struct chorale_table *table;
    unsigned long long want;
    uint64_t content;
    struct stat st;
    char why[200], name[64], path[3][4096];
    int fd, bad = 0;

    if (argc < 3 || (fd = open(argv[1], O_RDONLY)) < 0 || fstat(fd, &st) != 0)
        return 99;
    size = (size_t)st.st_size;
    file = malloc(size);
    if (read(fd, file, size) != (ssize_t)size)
        return 99;
    if (chorale_table_load(argv[1], &table, &content, why, sizeof(why)) != 0) {
        printf("not damaged: %s\n", why);
        return 1;
    }
    want = digest_of(table);
    chorale_site_table_name(name, 1, 0, content);
    for (int k = 0; k < 3; k++)
        snprintf(path[k], sizeof(path[k]), "%s/%s", argv[2],
                 k < 2 ? name : "copy.so");
    for (int k = 0; k < 3; k++) {
        const size_t step = k == 0 ? BLOCK : STEP;
        int count[NRESULT] = {0}, all = 0;

        for (size_t at = 0; at < size; at += step, all++) {
            const size_t next = at + step < size ? at + step : size;

            count[try(path[k], k == 0 ? at : 0, k == 0 ? next : 0,
                      k == 0 ? size : at, want, why, sizeof(why))]++;
        }
        printf("%s: %d tried, %d refused, %d the same, %d other, %d ended\n",
               kind[k], all, count[REFUSED], count[SAME], count[OTHER],
               count[ENDED]);
        bad += count[OTHER] + count[ENDED];
        unlink(path[k]);
    }
    return bad > 0;
}
