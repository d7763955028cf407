/* SPDX-License-Identifier: BSD-3-Clause */
/* operator_new.c - preload that keeps SimGrid's C++ allocations out of the
 * address sanitizer. SimGrid calls the operators new and delete several times
 * per message, and the sanitizer's allocator is slow. The code under test is C
 * and calls malloc() and free(), so new and delete may use the C library
 * directly; that saves 40 % of the time. Without memory they return NULL and
 * throw no exception. Aligned new and its delete remain the sanitizer's. */
#include <stddef.h>

/* The GNU C library's own allocator, even if malloc() is replaced. */
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *memory);

/* The Itanium ABI's names of the operators: single, array, those that do not
 * throw, and with a size. */
void *_Znwm(size_t size);
void *_Znam(size_t size);
void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow);
void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow);
void _ZdlPv(void *memory);
void _ZdaPv(void *memory);
void _ZdlPvm(void *memory, size_t size);
void _ZdaPvm(void *memory, size_t size);

void *_Znwm(size_t size)
{
    return __libc_malloc(size);
}

void *_Znam(size_t size)
{
    return __libc_malloc(size);
}

void *_ZnwmRKSt9nothrow_t(size_t size, const void *nothrow)
{
    (void)nothrow;
    return __libc_malloc(size);
}

void *_ZnamRKSt9nothrow_t(size_t size, const void *nothrow)
{
    (void)nothrow;
    return __libc_malloc(size);
}

void _ZdlPv(void *memory)
{
    __libc_free(memory);
}

void _ZdaPv(void *memory)
{
    __libc_free(memory);
}

void _ZdlPvm(void *memory, size_t size)
{
    (void)size;
    __libc_free(memory);
}

void _ZdaPvm(void *memory, size_t size)
{
    (void)size;
    __libc_free(memory);
}
