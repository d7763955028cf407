/* SPDX-License-Identifier: BSD-3-Clause */
/* uuid.c - UUIDs and time stamps of rows. */
#include "config.h"

#include "db/store.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static void format_uuid(unsigned char b[16], int version,
                        char uuid[CHORALE_UUID_SIZE])
{
    b[6] = (unsigned char)((b[6] & 0x0f) | version << 4);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(uuid, CHORALE_UUID_SIZE,
             "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
             "%02x%02x%02x%02x%02x%02x",
             b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9],
             b[10], b[11], b[12], b[13], b[14], b[15]);
}

void chorale_uuid(char uuid[CHORALE_UUID_SIZE])
{
    unsigned char b[16];

    /* Once the kernel's generator is seeded, getrandom() of 16 bytes always
     * succeeds; SQLite's generator is the fallback. */
    if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
        sqlite3_randomness(sizeof(b), b);
    format_uuid(b, 4, uuid);
}

void chorale_uuid_of(const char *text, char uuid[CHORALE_UUID_SIZE])
{
    unsigned char b[16];

    /* Two FNV-1a hashes with different offsets. */
    for (int half = 0; half < 2; half++) {
        uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)half * 0x9e3779b97f4a7c15u;

        for (const char *p = text; *p != '\0'; p++)
            h = (h ^ (unsigned char)*p) * 0x100000001b3u;
        memcpy(b + 8 * half, &h, 8);
    }
    format_uuid(b, 8, uuid);
}

void chorale_uuid_near(const char *with, int64_t number,
                       char uuid[CHORALE_UUID_SIZE])
{
    enum { SHARED = 18 }; /* characters: 60 random bits, version, hyphens */
    char text[CHORALE_UUID_SIZE + 24];

    if (strlen(with) != CHORALE_UUID_SIZE - 1) {
        chorale_uuid(uuid);
        return;
    }
    snprintf(text, sizeof(text), "%s %lld", with, (long long)number);
    chorale_uuid_of(text, uuid);
    memcpy(uuid, with, SHARED);
    uuid[14] = '8';
}

void chorale_time_now(char text[32])
{
    time_t now = time(NULL);
    struct tm tm;

    gmtime_r(&now, &tm);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
