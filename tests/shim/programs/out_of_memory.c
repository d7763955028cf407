/* SPDX-License-Identifier: BSD-3-Clause */
/* out_of_memory.c - preloaded library that refuses memory to Chorale's
 * libraries. The process prints how often it refused. POOR selects the
 * allocation:
 *
 *   comm      the state of a communicator, allocated in whole cache lines
 *   scratch   scratch memory of a variant, if larger than POOR_ABOVE bytes */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refused;

/* 1 if POOR selects this kind and the caller is in one of Chorale's
 * libraries. */
static int refuses(const char *what, const void *caller)
{
    const char *poor = getenv("POOR");
    Dl_info info;

    if (poor == NULL || strcmp(poor, what) != 0
        || dladdr(caller, &info) == 0 || info.dli_fname == NULL
        || strstr(info.dli_fname, "libchorale") == NULL)
        return 0;
    __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return 1;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    void *(*call)(size_t, size_t);

    if (refuses("comm", __builtin_return_address(0)))
        return NULL;
    *(void **)&call = next("aligned_alloc");
    return call(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    const char *above = getenv("POOR_ABOVE");
    int (*call)(void **, size_t, size_t);

    if (size > (above != NULL ? strtoul(above, NULL, 10) : 0)
        && refuses("scratch", __builtin_return_address(0)))
        return ENOMEM;
    *(void **)&call = next("posix_memalign");
    return call(p, alignment, size);
}

__attribute__((destructor)) static void say(void)
{
    if (refused > 0)
        fprintf(stderr, "poor: %d times\n", refused);
}
