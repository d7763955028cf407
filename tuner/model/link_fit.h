/* SPDX-License-Identifier: BSD-3-Clause */
/* link_fit.h - do the model's two assumptions hold on a system: that alpha is
 * the same between any two ranks, and that a word takes far less time to
 * reduce than to send, and far less to send than a message takes? And in how
 * many ways links are shared when all ranks send at once.
 *
 * Launches tell what messages take by distance (runners/measure/hop_latency.c); of
 * several of as many ranks the quickest counts. What links they share on the
 * way is found from patterns of them (topology.h); a line through the times over
 * how many links they pass gives the time of a hop, or of a switch level. Where
 * none are shared but times differ, the geometry that explains the times alone
 * does; if none does, no such time is told. */
#ifndef CHORALE_TUNER_MODEL_LINK_FIT_H
#define CHORALE_TUNER_MODEL_LINK_FIT_H

#include <jansson.h>

#include "db/store.h"
#include "tuner/model/model.h"
#include "tuner/model/topology.h"

/* Above this relative difference alpha depends on distance; and less than so
 * many times as much is not far more. */
#define CHORALE_LINKS_SAME 0.10
#define CHORALE_LINKS_MUCH 10.0

enum { CHORALE_LINKS_MOST = 24 };

/* Of so many ranks, ppn a node. */
struct chorale_links {
    int comm_size, ppn;
    size_t n;                /* distances, ascending */
    struct {
        int places;
        double alpha;        /* s */
        double kappa;        /* ways, of a shift; NAN: unknown */
        double pairs;        /* ways, of pairs; NAN: unknown */
    } at[CHORALE_LINKS_MOST];
    double mirror;           /* ways, of r to P - 1 - r; NAN: unknown */
    int scattered;           /* ranks lie on nodes in no blocks */
    const char *unseen;      /* why links were not looked for; NULL: they were */
    int found;               /* the wiring was found from these, */
    struct chorale_wiring wiring;
    double off;              /* which misses their kappas by that */
    double spread;           /* largest alpha over the smallest, - 1 */
    struct chorale_wiring step_on; /* the wiring, or what explains alpha; flat:
                              * no step is told */
    double step;             /* s a hop; of a tree, a level */
};

/* Of each number of ranks on a node, ascending, the launches of most ranks, or
 * of these one alone (launch_id; 0: all).
 * *list_p, to be freed, may be NULL. Launches whose ranks lie in blocks; if
 * there are none, those of which no links can be found. The wiring of each is
 * found; the first of four nodes or more is the system's. */
enum chorale_err chorale_links_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    sqlite3_int64 launch_id,
                                    struct chorale_links **list_p,
                                    size_t *count_p,
                                    struct chorale_errmsg *msg);

/* The wiring of a system, flat if nothing else is known. */
enum chorale_err chorale_links_wiring(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      struct chorale_wiring *f,
                                      struct chorale_errmsg *msg);

/* The patterns of one, those between nodes, into seen of room for
 * CHORALE_LINKS_SEEN; returns how many. */
enum { CHORALE_LINKS_SEEN = 2 * CHORALE_LINKS_MOST + 1 };
size_t chorale_links_seen(const struct chorale_links *l,
                          struct chorale_wiring_seen *seen);

/* 95 % intervals of the kappas of one, over its launches: of the mean of their
 * logarithms (bootstrap.h), with the value itself, the least, in it. NAN: one
 * launch tells nothing, but that a simulated one is exact. A link's is of the
 * patterns in which it is the busiest. */
struct chorale_links_bounds {
    double lo, hi;
};
/* link_intervals.c: seen[] in the order of chorale_links_seen, ways[] of the
 * levels of l's wiring. */
enum chorale_err chorale_links_bounds(
    struct chorale_store *store, sqlite3_int64 system_id,
    const struct chorale_links *l,
    struct chorale_links_bounds seen[CHORALE_LINKS_SEEN],
    struct chorale_links_bounds ways[CHORALE_WIRING_LEVELS],
    struct chorale_errmsg *msg);

/* On standard output; as JSON (NULL: out of memory). */
void chorale_links_print(const struct chorale_links *list, size_t count,
                         const struct chorale_model *model);
json_t *chorale_links_json(const struct chorale_links *list, size_t count,
                           const struct chorale_model *model);

#endif
