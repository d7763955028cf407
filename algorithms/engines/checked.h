/* SPDX-License-Identifier: BSD-3-Clause */
/* checked.h - packets that tell whether they arrived as they were sent:
 * payload, then a checksum (FNV-1a, 64 bits) of the payload, its length and a
 * label that both ends know, so that a packet for somebody else is refused as
 * well. A change of any one byte is always seen, others but for 1 in 2^64. */
#ifndef CHORALE_ALGORITHMS_ENGINES_CHECKED_H
#define CHORALE_ALGORITHMS_ENGINES_CHECKED_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that a packet has besides its payload. */
enum { CHORALE_CHECKED_EXTRA = 8 };

/* FNV-1a over n bytes, going on from hash; start with CHORALE_FNV_START. */
#define CHORALE_FNV_START 0xcbf29ce484222325u
uint64_t chorale_fnv1a(uint64_t hash, const void *bytes, size_t n);

/* Seal packet[0 ... payload - 1]: writes the CHORALE_CHECKED_EXTRA bytes
 * behind. */
void chorale_checked_seal(char *packet, size_t payload, uint64_t label);

/* 1 if the packet is as it was sealed, with that payload and label. */
int chorale_checked_good(const char *packet, size_t payload, uint64_t label);

#endif
