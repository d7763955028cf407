/* SPDX-License-Identifier: BSD-3-Clause */
/* tap.h - the needed part of the Test Anything Protocol, version 12. */
#ifndef CHORALE_TESTS_TAP_H
#define CHORALE_TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* One test: passes if cond holds; the rest is its name, as for printf. */
__attribute__((format(printf, 2, 3), unused)) static int
tap_ok(int cond, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("%sok %d - ", cond ? "" : "not ", ++tap_count);
    vprintf(format, ap);
    printf("\n");
    fflush(stdout);
    va_end(ap);
    tap_failed += !cond;
    return cond;
}

/* Print a diagnostic line. */
__attribute__((format(printf, 1, 2), unused)) static void
tap_diag(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    printf("# ");
    vprintf(format, ap);
    printf("\n");
    va_end(ap);
}

/* Print the plan at the end: return tap_done() from main(). */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif
