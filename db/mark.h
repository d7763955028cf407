/* SPDX-License-Identifier: BSD-3-Clause */
/* mark.h - which cell a launch is calling: a word in memory that rank 0, or the
 * first rank of a group, shares with the `chorale run` that started it, where
 * both are on one machine. It outlives a rank that is killed, so that the one
 * cell which may be to blame is known and the others keep what they have
 * (runners/measure/cut.h). Writing it is a store: no call of the system, no disk. */
#ifndef CHORALE_DB_MARK_H
#define CHORALE_DB_MARK_H

#include <stdint.h>

/* Instead of a cell's id: it may be any; nor does it call one. */
#define CHORALE_MARK_ANY 0
#define CHORALE_MARK_NONE (-1)

/* `chorale run`, before that launch starts: its mark says CHORALE_MARK_ANY. What
 * fails is left: then nobody will know. */
void chorale_mark_make(const char *launch_uuid);
/* The runner: store the cell's id there. NULL: on this machine none was made. */
volatile int64_t *chorale_mark_open(const char *launch_uuid);
/* No one looks any more, or this process is not to; NULL does nothing. */
void chorale_mark_close(volatile int64_t *mark);

/* What it says; CHORALE_MARK_ANY also if there is no such mark on this
 * machine. */
int64_t chorale_mark_read(const char *launch_uuid);
/* Take it away, if there is one. */
void chorale_mark_drop(const char *launch_uuid);

#endif
