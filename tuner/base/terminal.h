/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal.h - filter control characters from output to a terminal. */
#ifndef CHORALE_TUNER_BASE_TERMINAL_H
#define CHORALE_TUNER_BASE_TERMINAL_H

/* If standard output is a terminal, replace control characters from now on,
 * since names and reasons come from databases. Those of ASCII become '?', those
 * of UTF-8 U+00BF. Newlines, tabs and the colours of `compare` pass. Files and
 * pipes are not filtered. Call once, before any output. */
void chorale_terminal_guard(void);

#endif
