/* SPDX-License-Identifier: BSD-3-Clause */
/* arrival.h - arrival patterns of ranks: their names in options and in the
 * database, and the pattern that a trace of an application implies. */
#ifndef CHORALE_TUNER_BASE_ARRIVAL_H
#define CHORALE_TUNER_BASE_ARRIVAL_H

#include <stddef.h>

#define CHORALE_ARRIVAL_SIZE 32

/* The patterns that `plan --arrival robust` measures. */
#define CHORALE_ARRIVAL_ROBUST "sync,last:1,ascending:1"

/* The arrival patterns by which `chorale decide` compares times. */
enum chorale_arrival_policy {
    CHORALE_ARRIVALS_SYNC,   /* all ranks enter together */
    CHORALE_ARRIVALS_TRACED, /* as in the imported traces, point by point */
    CHORALE_ARRIVALS_ROBUST, /* largest loss over sync, last, ascending */
    CHORALE_NARRIVALS
};

/* The policy of that name (NULL: sync), or -1. The name of a policy. */
int chorale_arrival_policy_find(const char *name);
const char *chorale_arrival_policy_name(enum chorale_arrival_policy policy);

/* Spell a pattern as the database does: sync, or first, last, random or
 * ascending with the latest rank's delay. The delay is a factor of the
 * library's duration, at most 100 (last:0.5; last alone is last:1), or a time
 * of at most 10 s (last:50us; ms and s are converted). Returns 1, or 0 if word
 * is not such a pattern. */
int chorale_arrival_spell(const char *word, char text[CHORALE_ARRIVAL_SIZE]);

/* Expand the words of a list of patterns into list[size]. `robust` becomes
 * CHORALE_ARRIVAL_ROBUST. `traced` becomes sync and the pattern in traced, or
 * sync alone if that is "" or "sync". A list that does not fit is cut after a
 * whole word. */
void chorale_arrival_expand(const char *words, const char *traced, char *list,
                            size_t size);

/* The pattern of a row of a trace.
 *
 * comm_size  ranks, at least 2
 * skew       s, between the ranks that on average enter first and last
 * late       mean lateness of the ranks, relative to the first one, as a share
 *            of skew
 * trend      slope of the lateness over the ranks: 1 if rank r is late by
 *            r / (P - 1) of skew
 * latest     rank that enters last
 * call       s, mean time of a call on a rank
 * text       out: the pattern; its delay is skew, at most 10 s, with two digits
 *
 * - sync: skew is below CHORALE_ARRIVAL_LEAST of call, or below 1 us;
 * - first or last: about one rank is late (late <= 1.5 / P), and it is rank 0
 *   or another one;
 * - ascending: trend is at least CHORALE_ARRIVAL_TREND;
 * - random: in all other cases. */
#define CHORALE_ARRIVAL_LEAST 0.1
#define CHORALE_ARRIVAL_TREND 0.75
void chorale_arrival_of_trace(int comm_size, double skew, double late,
                              double trend, int latest, double call,
                              char text[CHORALE_ARRIVAL_SIZE]);

#endif
