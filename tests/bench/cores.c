/* SPDX-License-Identifier: BSD-3-Clause */
/* cores.c - preload: sched_getaffinity() reports CHORALE_LAB_CORES cores, so
 * that more ranks than cores do not count as oversubscribed. */
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/types.h>

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    const char *said = getenv("CHORALE_LAB_CORES");
    int (*real)(pid_t, size_t, cpu_set_t *);
    int rc;

    *(void **)&real = dlsym(RTLD_NEXT, "sched_getaffinity");
    rc = real(pid, size, set);
    for (int i = 0; rc == 0 && said != NULL && i < atoi(said); i++)
        CPU_SET_S((size_t)i, size, set);
    return rc;
}
