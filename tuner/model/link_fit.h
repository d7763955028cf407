/* SPDX-License-Identifier: BSD-3-Clause */
/* link_fit.h - check two assumptions of the model on a system and find the
 * topology of its links.
 *
 * Assumption 1: alpha is the same between any two ranks. Assumption 2:
 * tau << beta << alpha for one word. In addition, kappa is reported: the
 * factor by which links are shared when all ranks send at once.
 *
 * Launches record message times by distance (runners/measure/hop_latency.c).
 * Of launches with equally many ranks the minimum is used. The shared links
 * are found from communication patterns (topology.h). A regression of alpha on
 * the number of links gives the time of a hop, or of a switch level. If no link
 * is shared but alpha differs, the geometry is the one that explains alpha
 * alone; if no geometry explains it, no such time is reported. */
#ifndef CHORALE_TUNER_MODEL_LINK_FIT_H
#define CHORALE_TUNER_MODEL_LINK_FIT_H

#include <jansson.h>

#include "db/store.h"
#include "tuner/model/model.h"
#include "tuner/model/topology.h"

/* A relative difference of alpha above SAME means that it depends on distance.
 * "Far more" (<<) means at least MUCH times as much. */
#define CHORALE_LINKS_SAME 0.10
#define CHORALE_LINKS_MUCH 10.0

enum { CHORALE_LINKS_MOST = 24 };

/* Measurements for one number of ranks, ppn per node. */
struct chorale_links {
    int comm_size, ppn;
    size_t n;                /* distances, ascending */
    struct {
        int places;          /* distance in ranks */
        double alpha;        /* s */
        double kappa;        /* of a shift pattern; NAN: not measured */
        double pairs;        /* of pairs (topology.h); NAN as above */
    } at[CHORALE_LINKS_MOST];
    double mirror;           /* kappa of r to P - 1 - r; NAN: not measured */
    int scattered;           /* ranks are not placed on nodes in blocks */
    const char *unseen;      /* reason why no topology was searched, or NULL */
    int found;               /* wiring was searched; it may be flat */
    struct chorale_wiring wiring;
    double off;              /* mean |log| error of kappa with wiring */
    double spread;           /* largest alpha / smallest alpha - 1 */
    struct chorale_wiring step_on; /* wiring, or the geometry that explains
                              * alpha; flat: step is unset */
    double step;             /* s per hop, or per level of a tree */
};

/* Load the measurements of a system (or of one launch if launch_id is not 0):
 * for each ppn, ascending, those with the most ranks. Launches with block
 * placement take precedence over other placements, for which no topology can
 * be found. *list_p is freed by the caller and may be NULL. The topology is
 * searched for each entry; the first entry with found set is the system's. */
enum chorale_err chorale_links_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    sqlite3_int64 launch_id,
                                    struct chorale_links **list_p,
                                    size_t *count_p,
                                    struct chorale_errmsg *msg);

/* The topology of a system; flat if it was not found. */
enum chorale_err chorale_links_wiring(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      struct chorale_wiring *f,
                                      struct chorale_errmsg *msg);

/* Copy the patterns between nodes into seen [CHORALE_LINKS_SEEN]; returns their
 * number. */
enum { CHORALE_LINKS_SEEN = 2 * CHORALE_LINKS_MOST + 1 };
size_t chorale_links_seen(const struct chorale_links *l,
                          struct chorale_wiring_measured *seen);

/* 95 % intervals of kappa over launches: of the mean logarithm (bootstrap.h),
 * extended to include the reported value, which is the smallest. NAN: only one
 * launch, unless it is simulated and therefore exact. The interval of a link
 * uses the patterns in which that link is the busiest. */
struct chorale_links_bounds {
    double lo, hi;
};
/* seen[] is in the order of chorale_links_seen(), ways[] has one entry per
 * level of l's wiring. Defined in link_intervals.c. */
enum chorale_err chorale_links_bounds(
    struct chorale_store *store, sqlite3_int64 system_id,
    const struct chorale_links *l,
    struct chorale_links_bounds seen[CHORALE_LINKS_SEEN],
    struct chorale_links_bounds ways[CHORALE_WIRING_LEVELS],
    struct chorale_errmsg *msg);

/* Print to standard output; or as JSON (NULL: out of memory). */
void chorale_links_print(const struct chorale_links *list, size_t count,
                         const struct chorale_model *model);
json_t *chorale_links_json(const struct chorale_links *list, size_t count,
                           const struct chorale_model *model);

#endif
