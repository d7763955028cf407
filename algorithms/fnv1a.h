/* SPDX-License-Identifier: BSD-3-Clause */
/* fnv1a.h - the hash FNV-1a with 64 bits (Fowler, Noll and Vo; RFC 9923). */
#ifndef CHORALE_ALGORITHMS_FNV1A_H
#define CHORALE_ALGORITHMS_FNV1A_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no data. */
#define CHORALE_FNV1A_START UINT64_C(0xcbf29ce484222325)

/* Continue the hash over size bytes of data. */
static inline uint64_t chorale_fnv1a(uint64_t hash, const void *data,
                                     size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
