/* SPDX-License-Identifier: BSD-3-Clause */
/* damaged.c - a dispatch table with zeroes where a full disk left holes, or
 * without its end, as the loader gets it. Each copy is loaded in a process of
 * its own, and if it is taken, all selectors are asked.
 *
 *     damaged FILE COPY
 *
 * Damage: each block of 4096 bytes by itself; each with all that follows; the
 * first blocks up to each; the file cut every 64 bytes. Says of each kind how
 * many copies there were, were refused, ran as FILE does, ran otherwise, and
 * ended the process; and the first of the bad ones. Exits with 1 if there are
 * any, or if FILE itself is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static char *file, *copy_path;
static size_t size;

/* A copy with zeroes at from ... to - 1, of length bytes. */
static enum result try(size_t from, size_t to, size_t length,
                       unsigned long long want, char *why, size_t why_size)
{
    char *copy = malloc(size + 1);
    int fd;

    unlink(copy_path);
    fd = open(copy_path, O_WRONLY | O_CREAT | O_EXCL, 0700);
    memcpy(copy, file, size);
    memset(copy + from, 0, to - from);
    if (fd < 0 || write(fd, copy, length) != (ssize_t)length)
        exit(99);
    close(fd);
    free(copy);
    return load(copy_path, want, why, why_size);
}

static const struct chorale_table *take(const char *path)
{
    const struct chorale_table *table;
    char why[200];

    if (chorale_table_load(path, &table, NULL, why, sizeof(why)) == 0)
        return table;
    printf("not damaged: %s\n", why);
    return NULL;
}

int main(int argc, char **argv)
{
    static const char *const kind[] = { "block", "block and all behind",
                                        "block and all before", "end" };
    const struct chorale_table *table;
    unsigned long long want;
    struct stat st;
    int fd, bad = 0;

    if (argc < 3 || (fd = open(argv[1], O_RDONLY)) < 0 || fstat(fd, &st) != 0)
        return 99;
    size = (size_t)st.st_size;
    file = malloc(size);
    copy_path = argv[2];
    if (read(fd, file, size) != (ssize_t)size
        || (table = take(argv[1])) == NULL)
        return 1;
    want = digest_of(table);
    for (int k = 0; k < 4; k++) {
        const size_t step = k < 3 ? BLOCK : STEP;
        int count[NRESULT] = {0}, all = 0, told = 0;

        for (size_t at = 0; at < size; at += step, all++) {
            const size_t next = at + step < size ? at + step : size;
            char why[200];
            enum result got = try(k < 2 ? at : 0,
                                  k == 3 ? 0 : k == 1 ? size : next,
                                  k == 3 ? at : size, want, why, sizeof(why));

            count[got]++;
            if (got >= OTHER && !told++)
                printf("first bad: %s at %zu\n", kind[k], at);
            if (getenv("DAMAGED_TELL") != NULL)
                printf("%s %zu: %s\n", kind[k], at,
                       got == REFUSED ? why : got == SAME ? "same" : "bad");
        }
        printf("%s: %d tried, %d refused, %d the same, %d other, %d ended\n",
               kind[k], all, count[REFUSED], count[SAME], count[OTHER],
               count[ENDED]);
        bad += count[OTHER] + count[ENDED];
    }
    unlink(copy_path);
    return bad > 0;
}
