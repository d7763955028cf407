/* SPDX-License-Identifier: BSD-3-Clause */
/* checked.h - packets with a checksum that detects corrupted or misrouted data.
 *
 * A packet is the payload, then a checksum (FNV-1a, 64 bits) of the payload,
 * its length and a label that both ends know. The label lets a rank reject a
 * packet meant for another rank. Any change of a single byte is detected; other
 * changes pass undetected with probability 2^-64. */
#ifndef CHORALE_ALGORITHMS_ENGINES_CHECKED_H
#define CHORALE_ALGORITHMS_ENGINES_CHECKED_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a packet in addition to its payload. */
enum { CHORALE_CHECKED_EXTRA = 8 };

/* Write the checksum of packet[0 ... payload - 1] into the
 * CHORALE_CHECKED_EXTRA bytes that follow the payload. */
void chorale_checked_seal(char *packet, size_t payload, uint64_t label);

/* 1 if the packet's checksum matches its payload and label. */
int chorale_checked_good(const char *packet, size_t payload, uint64_t label);

#endif
