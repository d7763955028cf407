/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_buffer.c - growable byte buffers and arrays. */
#include "config.h"

#include "db/byte_buffer.h"

#include <stdlib.h>
#include <string.h>

void chorale_bytes_add(struct chorale_bytes *b, const void *data,
                       size_t bytes)
{
    size_t room = b->room > 0 ? b->room : 4096;
    char *grown;

    while (room - b->len < bytes)
        room *= 2;
    if (room > b->room) {
        grown = realloc(b->byte, room);
        if (grown == NULL) {
            b->lacks = 1;
            return;
        }
        b->byte = grown;
        b->room = room;
    }
    if (bytes > 0)
        memcpy(b->byte + b->len, data, bytes);
    b->len += bytes;
}

void *chorale_array_grow(void *array, size_t count, size_t size)
{
    return (count & (count - 1)) == 0
               ? realloc(array, (count > 0 ? 2 * count : 1) * size)
               : array;
}
