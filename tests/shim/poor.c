/* SPDX-License-Identifier: BSD-3-Clause */
/* poor.c - a preloaded library: memory that is asked for in whole cache lines,
 * as the dispatcher does for a communicator, is not there where POOR is set. */
#include <errno.h>
#include <stdlib.h>

void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;

    if (getenv("POOR") != NULL) {
        errno = ENOMEM;
        return NULL;
    }
    return posix_memalign(&p, alignment, size) == 0 ? p : NULL;
}
