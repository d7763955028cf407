/* SPDX-License-Identifier: BSD-3-Clause */
/* table_load.c - opens a dispatch table after checking its file, because the
 * dynamic loader crashes the process on a file that was cut short. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/table/site.h"
#include "algorithms/dispatch/table/table_load.h"
#include "algorithms/fnv1a.h"

#define MAX_CHOICES 65536
#define MAX_FILE (64 << 20)

/* Buffer for the error line. */
struct reason {
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3)))
static int refuse(const struct reason *why, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(why->text, why->size, format, ap);
    va_end(ap);
    return -1;
}

/* Error line with the text of errno. */
static int fail_read(const struct reason *why)
{
    return refuse(why, "%s; name a table that was compiled, and that you may "
                  "read", strerror(errno));
}

static int check_owner(const struct stat *st, const struct reason *why)
{
    if (!S_ISREG(st->st_mode))
        return refuse(why, "not a regular file; name a table, FILE.so");
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return refuse(why, "belongs to user %lu, not to you or root; copy it",
                      (unsigned long)st->st_uid);
    if (st->st_mode & (S_IWGRP | S_IWOTH))
        return refuse(why, "others may write it; chmod go-w");
    return 0;
}

/* A user who may write the folder could replace the file; in a sticky folder,
 * such as /tmp, only the file's owner can. */
static int check_folder(const char *path, const struct reason *why)
{
    char folder[PATH_MAX];
    struct stat st;
    char *slash;

    snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    if (slash == NULL)
        return refuse(why, "not an absolute path; write it from / on");
    slash[slash == folder] = '\0';
    if (stat(folder, &st) != 0)
        return fail_read(why);
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return refuse(why, "its folder belongs to user %lu, not to you or "
                      "root; copy it", (unsigned long)st.st_uid);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
        return refuse(why, "others may write its folder; chmod go-w, or copy "
                      "it");
    return 0;
}

/* ELF header of the object with this code; the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* A shared object for this machine that is not cut short: linkers write the
 * section headers last. */
static int check_elf(const char *file, size_t size, const struct reason *why)
{
    ElfW(Ehdr) h;

    memset(&h, 0, sizeof(h));
    memcpy(&h, file, size < sizeof(h) ? size : sizeof(h));
    if (memcmp(h.e_ident, __ehdr_start.e_ident, EI_VERSION) != 0
        || h.e_machine != __ehdr_start.e_machine || h.e_type != ET_DYN)
        return refuse(why, "not a shared object for this machine; make one by "
                      "chorale generate --format c and compile it here");
    if (h.e_shoff > size
        || (size_t)h.e_shnum * h.e_shentsize > size - h.e_shoff)
        return refuse(why, "the file is cut short; copy it again");
    return 0;
}

/* Compare the file with the digest in its name, if `chorale table install` gave
 * it one. This also detects zeroed blocks of a full disk. */
static int check_content(const char *path, uint64_t content,
                         const struct reason *why)
{
    uint64_t want;
    long number, before;

    if (chorale_site_table_read(strrchr(path, '/') + 1, &number, &before,
                                &want) && want != content)
        return refuse(why, "is not what was installed (its digest differs); "
                      "install it again");
    return 0;
}

/* Read all of the file and check it. */
static int check_bytes(int fd, const char *path, off_t size,
                       uint64_t *content_p, const struct reason *why)
{
    char *file;
    off_t got = 0;
    ssize_t n = 1;
    int ret;

    if (size > MAX_FILE)
        return refuse(why, "%lld bytes are too many for a table; name a "
                      "compiled one", (long long)size);
    file = malloc((size_t)size + 1);
    if (file == NULL)
        return refuse(why, "out of memory; end other programs");
    while (got < size && n > 0) {
        n = pread(fd, file + got, (size_t)(size - got), got);
        got += n > 0 ? n : 0;
    }
    *content_p = chorale_fnv1a(CHORALE_FNV1A_START, file, (size_t)got);
    ret = n < 0 ? fail_read(why) : check_content(path, *content_p, why);
    if (ret == 0)
        ret = check_elf(file, (size_t)got, why);
    free(file);
    return ret;
}

static int check_file(const char *path, uint64_t *content_p,
                      const struct reason *why)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

    if (fd < 0)
        return fail_read(why);
    ret = fstat(fd, &st) != 0 ? fail_read(why)
                              : check_owner(&st, why);
    if (ret == 0)
        ret = check_folder(path, why);
    if (ret == 0)
        ret = check_bytes(fd, path, st.st_size, content_p, why);
    close(fd);
    return ret;
}

static int check_choices(const struct chorale_table *t,
                         const struct reason *why)
{
    if (t->digest == NULL || t->nchoice < 1 || t->nchoice > MAX_CHOICES
        || t->choice == NULL || t->nselector < 0
        || t->nselector > CHORALE_NCOLL
        || (t->nselector > 0 && t->selector == NULL))
        return refuse(why, "chorale_table is not filled in; generate it again");
    for (int i = 0; i < t->nchoice; i++) {
        const struct chorale_choice *c = &t->choice[i];

        if (c->provider == NULL || c->variant == NULL || c->params == NULL
            || c->index != i)
            return refuse(why, "choice %d is not filled in; generate it again",
                          i);
    }
    if (strcmp(t->choice[0].provider, "library") != 0)
        return refuse(why, "choice 0 is not the library; generate it again");
    return 0;
}

/* 1 if this function lies in the same object as the table. Otherwise a
 * function of the same name in another object has taken its place. */
static int same_object(const void *function, const struct chorale_table *t)
{
    Dl_info ours, its;

    return dladdr(t, &ours) != 0 && dladdr(function, &its) != 0
        && ours.dli_fbase == its.dli_fbase;
}

static int check_selectors(const struct chorale_table *t,
                           const struct reason *why)
{
    for (int i = 0; i < t->nselector; i++) {
        const struct chorale_selector *s = &t->selector[i];
        const void *plain, *shape, *ppn;

        memcpy(&plain, &s->select, sizeof(plain));
        memcpy(&shape, &s->select_shape, sizeof(shape));
        memcpy(&ppn, &s->select_ppn, sizeof(ppn));
        if (s->coll == NULL || plain == NULL || shape == NULL || ppn == NULL)
            return refuse(why, "selector %d is not filled in; generate it "
                          "again", i);
        if (!same_object(plain, t) || !same_object(shape, t)
            || !same_object(ppn, t))
            return refuse(why, "the program has functions of the same names; "
                          "link the table with -Wl,-Bsymbolic");
        if (s->hull.comm_size_lo < 0 || s->hull.n_lo > s->hull.n_hi
            || s->hull.comm_size_lo > s->hull.comm_size_hi)
            return refuse(why, "selector %d has an empty range; generate it "
                          "again", i);
    }
    return 0;
}

static int check_table(const struct chorale_table *t,
                       const struct reason *why)
{
    if (t->abi != CHORALE_TABLE_ABI)
        return refuse(why, "written for table interface %d, this is %d; "
                      "generate it again", t->abi, CHORALE_TABLE_ABI);
    return check_choices(t, why) != 0 ? -1 : check_selectors(t, why);
}

int chorale_table_load(const char *path, const struct chorale_table **table_p,
                       uint64_t *content_p, char *why_text, size_t why_size)
{
    const struct reason why = { why_text, why_size };
    const struct chorale_table *table;
    uint64_t content = 0;
    char real[PATH_MAX];
    void *module;

    if (realpath(path, real) == NULL)
        return fail_read(&why);
    if (check_file(real, &content, &why) != 0)
        return -1;
    module = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        return refuse(&why, "%s; compile it again here", dlerror());
    table = dlsym(module, "chorale_table");
    if (table == NULL || !same_object(table, table)) {
        dlclose(module);
        return refuse(&why, "has no symbol chorale_table; make it by chorale "
                      "generate --format c");
    }
    if (check_table(table, &why) != 0) {
        dlclose(module);
        return -1;
    }
    *table_p = table;
    if (content_p != NULL)
        *content_p = content;
    return 0;
}
