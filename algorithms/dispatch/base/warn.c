/* SPDX-License-Identifier: BSD-3-Clause */
/* warn.c - prints one line on stderr. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithms/dispatch/base/warn.h"

void chorale_warn(const char *format, ...)
{
    char line[4400];
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(line, sizeof(line) - 1, format, ap);
    va_end(ap);
    if (n < 0)
        return;
    if ((size_t)n > sizeof(line) - 2)
        n = (int)sizeof(line) - 2;
    line[n] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n + 1) < 0)
        return; /* nowhere to complain */
}
