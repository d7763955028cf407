/* SPDX-License-Identifier: BSD-3-Clause */
/* warn.h - warnings on stderr. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_WARN_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_WARN_H

/* Print one line on stderr with one write, so that lines of several ranks do
 * not mix. Adds the newline; longer lines are cut to 4398 characters. */
__attribute__((format(printf, 1, 2)))
void chorale_warn(const char *format, ...);

#endif
