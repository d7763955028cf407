/* SPDX-License-Identifier: BSD-3-Clause */
/* gain_show.h - prints the gain of a table for a traced application. */
#ifndef CHORALE_TUNER_ASSESS_GAIN_SHOW_H
#define CHORALE_TUNER_ASSESS_GAIN_SHOW_H

#include "tuner/assess/trace_gain.h"

/* Print the gain as text or JSON. points: list every point in the text, else
 * the ten with the most time; JSON lists all. Returns 0, or -1 if the JSON
 * could not be made or printed. */
int chorale_gain_show(const struct chorale_gain *gain, int points, int json);

#endif
