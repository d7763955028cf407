/* SPDX-License-Identifier: BSD-3-Clause */
/* show_gain.h - a gain for people, and for programs. */
#ifndef CHORALE_TUNER_ASSESS_SHOW_GAIN_H
#define CHORALE_TUNER_ASSESS_SHOW_GAIN_H

#include "tuner/assess/trace_gain.h"

/* Print it; points: each of them, else the ten that took most. 0, or -1: out
 * of memory. */
int chorale_gain_show(const struct chorale_gain *gain, int points, int json);

#endif
