/* SPDX-License-Identifier: BSD-3-Clause */
/* checked.c - packets with a checksum, stored in little-endian byte order. */
#include "algorithms/engines/checked.h"

#include "algorithms/fnv1a.h"

static void store(unsigned char byte[8], uint64_t value)
{
    for (int i = 0; i < 8; i++)
        byte[i] = (unsigned char)(value >> (8 * i) & 0xff);
}

static uint64_t checksum(const char *packet, size_t payload, uint64_t label)
{
    unsigned char byte[16];
    uint64_t hash = chorale_fnv1a(CHORALE_FNV1A_START, packet, payload);

    store(byte, payload);
    store(byte + 8, label);
    return chorale_fnv1a(hash, byte, sizeof(byte));
}

void chorale_checked_seal(char *packet, size_t payload, uint64_t label)
{
    store((unsigned char *)packet + payload,
          checksum(packet, payload, label));
}

int chorale_checked_good(const char *packet, size_t payload, uint64_t label)
{
    const unsigned char *stored = (const unsigned char *)packet + payload;
    unsigned char own[8];
    int same = 1;

    store(own, checksum(packet, payload, label));
    for (int i = 0; i < 8; i++)
        same &= own[i] == stored[i];
    return same;
}
