/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_buffer.h - growable byte buffer. */
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

#endif
