/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_buffer.h - bytes one behind the other, in memory that grows. */
#ifndef CHORALE_DB_BYTE_BUFFER_H
#define CHORALE_DB_BYTE_BUFFER_H

#include <stddef.h>

/* All zero: empty. free(byte) is what ends it. */
struct chorale_bytes {
    char *byte;
    size_t len, room;
    int lacks;               /* memory: what was added is not all there */
};

/* More of them, which may be none. Without memory lacks is 1 from then on. */
void chorale_bytes_add(struct chorale_bytes *b, const void *data,
                       size_t bytes);

#endif
