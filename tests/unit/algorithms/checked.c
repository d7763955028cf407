/* SPDX-License-Identifier: BSD-3-Clause */
/* checked.c - corrupted packets are refused. */
#include "algorithms/engines/checked.h"
#include "algorithms/fnv1a.h"
#include "tests/tap.h"

#include <string.h>

enum { MOST = 300, LABEL = 5 };

/* Published test values of 64-bit FNV-1a. */
static const struct {
    const char *text;
    uint64_t hash;
} known[] = {
    { "", 0xcbf29ce484222325u },
    { "a", 0xaf63dc4c8601ec8cu },
    { "foobar", 0x85944171f73967e8u },
};

static void fill(char *packet, size_t payload)
{
    for (size_t i = 0; i < payload; i++)
        packet[i] = (char)(i * 37 + payload);
    chorale_checked_seal(packet, payload, LABEL);
}

/* Flip each bit of payload and checksum; count the undetected flips. */
static int unseen_flips(size_t payload)
{
    char packet[MOST + CHORALE_CHECKED_EXTRA];
    int unseen = 0;

    fill(packet, payload);
    for (size_t bit = 0; bit < 8 * (payload + CHORALE_CHECKED_EXTRA); bit++) {
        packet[bit / 8] = (char)(packet[bit / 8] ^ 1 << bit % 8);
        unseen += chorale_checked_good(packet, payload, LABEL);
        packet[bit / 8] = (char)(packet[bit / 8] ^ 1 << bit % 8);
    }
    return unseen + !chorale_checked_good(packet, payload, LABEL);
}

int main(void)
{
    static const size_t payloads[] = { 0, 1, 7, 8, 64, MOST };
    char packet[MOST + CHORALE_CHECKED_EXTRA];

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        tap_ok(chorale_fnv1a(CHORALE_FNV1A_START, known[i].text,
                             strlen(known[i].text)) == known[i].hash,
               "FNV-1a of \"%s\"", known[i].text);
    for (size_t i = 0; i < sizeof(payloads) / sizeof(*payloads); i++) {
        fill(packet, payloads[i]);
        tap_ok(chorale_checked_good(packet, payloads[i], LABEL),
               "a packet of %zu bytes is accepted", payloads[i]);
        tap_ok(unseen_flips(payloads[i]) == 0,
               "any flipped bit of it is detected");
    }
    fill(packet, 64);
    tap_ok(!chorale_checked_good(packet, 64, LABEL + 1),
           "a packet for another rank is refused");
    tap_ok(!chorale_checked_good(packet, 56, LABEL) &&
               !chorale_checked_good(packet, 72, LABEL),
           "a packet of another length is refused");
    memmove(packet + 8, packet, 32);
    tap_ok(!chorale_checked_good(packet, 64, LABEL),
           "swapped bytes are refused");
    memset(packet, 0, sizeof(packet));
    tap_ok(!chorale_checked_good(packet, 64, LABEL), "zeros are refused");
    return tap_done();
}
