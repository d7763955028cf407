/* SPDX-License-Identifier: BSD-3-Clause */
/* grid_platform.h - writes SimGrid platforms of the networks of replicate.h,
 * built from the links between neighbours.
 *
 * Links that carry both directions at once are SPLITDUPLEX, others SHARED.
 * Messages go along the row first and take the shorter way round on a wrapped
 * line. If both ways are equally long, messages go up from even places and down
 * from odd ones, so that all links carry equal loads. With a latency SimGrid
 * shares links unevenly: of two messages the one with the longer path gets less
 * bandwidth. */
#ifndef CHORALE_TUNER_REPLICATE_GRID_PLATFORM_H
#define CHORALE_TUNER_REPLICATE_GRID_PLATFORM_H

#include "db/err.h"
#include "tuner/replicate/replicate.h"

/* Most hosts of a platform; the file lists a full route for each pair of
 * hosts. */
#define CHORALE_GRID_HOSTS 256

/* Make the text of a platform with hosts n0, n1, ... row by row. bandwidth is
 * in bytes per second and latency in seconds, of each link. The caller frees
 * *text_p. CHORALE_USAGE: more hosts than CHORALE_GRID_HOSTS. */
enum chorale_err chorale_grid_platform(enum chorale_rep_net net, int link,
                                       long side, double bandwidth,
                                       double latency, char **text_p,
                                       struct chorale_errmsg *msg);

#endif
