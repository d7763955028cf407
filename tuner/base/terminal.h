/* SPDX-License-Identifier: BSD-3-Clause */
/* terminal.h - a terminal is steered by us alone. */
#ifndef CHORALE_TUNER_BASE_TERMINAL_H
#define CHORALE_TUNER_BASE_TERMINAL_H

/* From now on, where standard output is a terminal, control characters that
 * are printed show as '?', but for newlines, tabs and the colours of compare:
 * names and reasons come from databases. Files and pipes get what is printed.
 * Once, before anything is printed. */
void chorale_terminal_guard(void);

#endif
