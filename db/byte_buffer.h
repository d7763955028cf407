/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_buffer.h - growable byte buffers and arrays. */
#ifndef CHORALE_DB_BYTE_BUFFER_H
#define CHORALE_DB_BYTE_BUFFER_H

#include <stddef.h>

/* Zero-initialise for an empty buffer. The owner frees `byte`. */
struct chorale_bytes {
    char *byte;
    size_t len, room;
    int lacks;               /* 1: an append ran out of memory */
};

/* Append `bytes` bytes of data; 0 is allowed. If memory runs out, the data is
 * dropped and lacks stays 1. */
void chorale_bytes_add(struct chorale_bytes *b, const void *data,
                       size_t bytes);

/* Make room in an array of count elements of `size` bytes for one more. Returns
 * the array, possibly moved, or NULL if out of memory, when it is unchanged.
 * The capacity is that of the next power of two, so an array must begin as NULL
 * and grow by this function only. */
void *chorale_array_grow(void *array, size_t count, size_t size);

#endif
