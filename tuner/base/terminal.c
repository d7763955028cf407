/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal.c - filter control characters from output to a terminal. */
#include "config.h"

#include "tuner/base/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The escape sequences printed by compare_show.c. */
static const char *const ours[] = { "\033[31m", "\033[32m", "\033[33m",
                                    "\033[0m" };

static struct {
    char held[8];            /* a possible escape sequence, incomplete */
    size_t nheld;
    int first;               /* previous byte was C2: in UTF-8, C2 80 to
                              * C2 9F are control characters */
    char text[4096];
    size_t len;
} guard;

static int write_out(void)
{
    size_t at = 0;

    while (at < guard.len) {
        ssize_t n = write(1, guard.text + at, guard.len - at);

        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? (size_t)n : 0;
    }
    guard.len = 0;
    return 0;
}

/* Returns nonzero if the output cannot be written. */
static int put(char c)
{
    guard.text[guard.len++] = c;
    return guard.len == sizeof(guard.text) ? write_out() : 0;
}

/* 1: held is the beginning of an allowed sequence; 2: it is complete. */
static int known(void)
{
    int is = 0;

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strncmp(ours[i], guard.held, guard.nheld) == 0)
            is = strlen(ours[i]) == guard.nheld ? 2 : 1;
    return is;
}

/* The sequence is not allowed: replace ESC by '?' and print the rest. */
static int give_up(void)
{
    int bad = put('?');

    for (size_t i = 1; i < guard.nheld && !bad; i++)
        bad = put(guard.held[i]);
    guard.nheld = 0;
    return bad;
}

/* Print a byte outside an escape sequence. The second byte of a UTF-8 control
 * character is changed so that it encodes a printable one. */
static int plain(unsigned char c)
{
    int second = guard.first && c >= 0x80 && c < 0xA0;

    guard.first = c == 0xC2;
    if (second)
        return put((char)0xBF);
    return put((c < ' ' && c != '\n' && c != '\t') || c == 0x7F ? '?'
                                                                : (char)c);
}

static ssize_t pass(void *cookie, const char *text, size_t size)
{
    int bad = 0;

    (void)cookie;
    for (size_t i = 0; i < size && !bad; i++) {
        if (guard.nheld == 0 && text[i] != '\033') {
            bad = plain((unsigned char)text[i]);
            continue;
        }
        if (guard.nheld > 0 && text[i] == '\033')
            bad = give_up();
        guard.held[guard.nheld++] = text[i];
        if (known() == 2) {
            for (size_t k = 0; k < guard.nheld && !bad; k++)
                bad = put(guard.held[k]);
            guard.nheld = 0;
        } else if (known() == 0) {
            char last = guard.held[--guard.nheld];

            bad = bad || give_up() || plain((unsigned char)last);
        }
    }
    return bad || write_out() != 0 ? 0 : (ssize_t)size;
}

void chorale_terminal_guard(void)
{
    const cookie_io_functions_t io = { .write = pass };
    FILE *out = isatty(1) ? fopencookie(NULL, "w", io) : NULL;

    if (out == NULL)
        return;
    setvbuf(out, NULL, _IOLBF, BUFSIZ);
    stdout = out;
}
