/* SPDX-License-Identifier: BSD-3-Clause */
/* warn.h - what people are told. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_BASE_WARN_H
#define CHORALE_ALGORITHMS_DISPATCH_BASE_WARN_H

/* A line on stderr, in one piece, whatever other ranks write. The newline is
 * added; at most 4398 characters. */
__attribute__((format(printf, 1, 2)))
void chorale_say(const char *format, ...);

#endif
