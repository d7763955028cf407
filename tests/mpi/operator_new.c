/* SPDX-License-Identifier: BSD-3-Clause */
/* operator_new.c - a preload for simulations under the address sanitizer. SimGrid
 * takes all it needs with C++'s operators new and delete, several times for
 * every message, and the sanitizer's allocator is slow. What is looked for is
 * in our C, which calls malloc() and free(): so new and delete go past the
 * sanitizer, straight to the C library. It takes two fifths off the time. Out
 * of memory they return NULL and throw nothing. What asks for an alignment
 * stays the sanitizer's, as does its delete. */
#include <stddef.h>

/* Of the GNU C library: its own allocator, whoever has replaced malloc(). */
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
