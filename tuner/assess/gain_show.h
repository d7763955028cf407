/* SPDX-License-Identifier: BSD-3-Clause */
/* gain_show.h - a gain for people, and for programs. */
#ifndef CHORALE_TUNER_GAIN_SHOW_H
#define CHORALE_TUNER_GAIN_SHOW_H

#include "tuner/assess/gain.h"

/* Print it; points: each of them, else the ten that took most. 0, or -1: out
 * of memory. */
int chorale_gain_show(const struct chorale_gain *gain, int points, int json);

#endif
