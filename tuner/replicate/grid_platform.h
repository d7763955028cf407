/* SPDX-License-Identifier: BSD-3-Clause */
/* grid_platform.h - SimGrid platforms of the networks of replicate.h, built
 * from the links between neighbours.
 *
 * Links that carry both directions at once are SPLITDUPLEX, those that carry
 * one at a time SHARED. Messages go along the row first, the shorter way round
 * where it wraps; where both ways are as long, those from even places go up
 * and those from odd ones down, so that all links have as much to carry. With a
 * latency SimGrid shares links unevenly: of two messages the one with the
 * longer way gets less. */
#ifndef CHORALE_TUNER_REPLICATE_GRID_PLATFORM_H
#define CHORALE_TUNER_REPLICATE_GRID_PLATFORM_H

#include "db/err.h"
#include "tuner/replicate/replicate.h"

/* Hosts that a platform may have: each two of them have a route, in full. */
#define CHORALE_GRID_HOSTS 256

/* Hosts n0, n1, ... of that network, row by row; links of so many bytes a
 * second and seconds of latency. *text_p is the file, to be freed.
 * CHORALE_USAGE: more hosts than CHORALE_GRID_HOSTS. */
enum chorale_err chorale_grid_platform(enum chorale_rep_net net, int link,
                                       long side, double bandwidth,
                                       double latency, char **text_p,
                                       struct chorale_errmsg *msg);

#endif
