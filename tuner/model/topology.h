/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - the links between nodes that messages share: a line, a ring, a
 * grid, or a tree of switches. It gives kappa, the factor by which a link is
 * shared, for any pattern of messages; network.h replays schedules on it.
 *
 * The topology is found from timed patterns (runners/measure/hop_latency.c):
 * shifts, pairs and mirrored ranks over growing distances. The simplest
 * geometry whose link loads explain the measured kappas is chosen; if none
 * does, the network is flat. */
#ifndef CHORALE_TUNER_MODEL_TOPOLOGY_H
#define CHORALE_TUNER_MODEL_TOPOLOGY_H

#include <stddef.h>

/* Most levels of switches above the nodes that are distinguished. */
#define CHORALE_WIRING_LEVELS 3

/* A geometry explains the measured kappas if the mean |log(counted / measured)|
 * is at most MEAN and at most half that of a flat network, and the largest is
 * at most WORST. The bounds are loose: a tree whose switches have several
 * uplinks fits no geometry here, but is nearer to one than to a flat
 * network. The fit then tests whether the geometry predicts schedules. */
#define CHORALE_WIRING_MEAN 0.25
#define CHORALE_WIRING_WORST 0.75
/* Limits of the search: fewest patterns, most nodes (for its run time). */
#define CHORALE_WIRING_SEEN 3
#define CHORALE_WIRING_NODES 2048
/* Below this kappa no link is shared: a flat network. */
#define CHORALE_WIRING_SHARED 1.25

enum chorale_wiring_kind {
    CHORALE_WIRING_FLAT,
    CHORALE_WIRING_GRID,     /* rows x cols, nodes row by row; routed along the
                              * row first; one row: a line or a ring */
    CHORALE_WIRING_TREE      /* blocks of nodes, each with an up- and a
                              * downlink */
};

struct chorale_wiring {
    enum chorale_wiring_kind kind;
    int rows, cols;          /* of a grid */
    int wraps;               /* ring or torus, routed the shorter way; on a tie
                              * upwards from even positions */
    int one_way;             /* both directions share one link */
    int nlevel;              /* of a tree, from the nodes upwards */
    int width[CHORALE_WIRING_LEVELS]; /* nodes of a block */
    double ways[CHORALE_WIRING_LEVELS]; /* share of a link that one message at
                              * its port's full rate takes; 1: a link is as
                              * fast as a port. A grid uses [0] */
    double hop;              /* delay of a message by each link beyond the first
                              * (tree: each link), as a fraction of alpha */
};

/* Number of links among nodes numbered from 0; 0 for a flat network. With more
 * nodes than it was measured with, a grid grows by rows, a line or ring by
 * length. */
int chorale_wiring_links(const struct chorale_wiring *f, int nodes);

/* Store the links of a message from node src to dst in link
 * [chorale_wiring_longest()] (NULL: only count). Returns their number. */
int chorale_wiring_route(const struct chorale_wiring *f, int nodes, int src,
                         int dst, int *link);
int chorale_wiring_longest(const struct chorale_wiring *f, int nodes);

/* Capacity of a link in units of a port's rate: 1 / ways. */
double chorale_wiring_size(const struct chorale_wiring *f, int nodes,
                           int link);

/* Number of links that delay a message beyond alpha (see hop). */
int chorale_wiring_hops(const struct chorale_wiring *f, int nlink);

/* Patterns in which all nodes send at once. */
enum chorale_pattern {
    CHORALE_PATTERN_SHIFT,   /* r to (r + places) mod nodes */
    CHORALE_PATTERN_PAIRS,   /* r to r xor places, if that node exists */
    CHORALE_PATTERN_MIRROR   /* r to nodes - 1 - r */
};
#define CHORALE_PATTERNS 3
extern const char *const chorale_pattern_name[CHORALE_PATTERNS];

/* The destination of node r, or -1. */
int chorale_pattern_to(enum chorale_pattern pattern, int places, int nodes,
                       int r);

/* kappa if each node r sends `each` messages to node to[r] (-1: none) at once:
 * the largest load of a link times its ways. 0 for a flat network; the node's
 * port (kappa >= 1) is not included. NAN: out of memory. */
double chorale_wiring_kappa(const struct chorale_wiring *f, int nodes,
                            const int *to, int each);
/* The same for a pattern. */
double chorale_wiring_pattern(const struct chorale_wiring *f, int nodes,
                              enum chorale_pattern pattern, int places,
                              int each);

/* One measured pattern between nodes. */
struct chorale_wiring_measured {
    enum chorale_pattern pattern;
    int places;              /* distance in nodes; 0 for the mirror */
    double kappa;
    double alpha;            /* s, of an empty message over that distance; NAN:
                              * not measured, or not a shift */
};

/* Least-squares line alpha = first + step * chorale_wiring_hops(), in seconds,
 * through the empty messages of seen, with step >= 0. off: the mean |log|
 * error. first is 0 without such messages. */
struct chorale_wiring_delay {
    double first, step, off;
};
struct chorale_wiring_delay
chorale_wiring_delay(const struct chorale_wiring *f,
                     const struct chorale_wiring_measured *seen, size_t nseen,
                     int nodes);

/* The simplest geometry that explains the alphas of at least four distances;
 * flat if none does. Its ways are all 1: alpha does not determine kappa. */
void chorale_wiring_by_alpha(const struct chorale_wiring_measured *seen,
                             size_t nseen, int nodes,
                             struct chorale_wiring *f);

/* Find the topology of nodes with ppn ranks each, all of which sent. *off_p:
 * the mean |log(counted / measured)| of the result. The result is flat if no
 * link is shared or no geometry explains the kappas. It is flat without pairs,
 * since shifts do not distinguish a line from a tree. With fewer than 3
 * nodes or CHORALE_WIRING_SEEN patterns it is flat and *off_p 0. -1: out of
 * memory. */
int chorale_wiring_find(const struct chorale_wiring_measured *seen,
                        size_t nseen,
                        int nodes, int ppn, struct chorale_wiring *f,
                        double *off_p);

/* Name of a level: "line 16", "ring 16", "grid 4x4", "torus 4x4", "tree 8",
 * with " one-way" if both directions share a link. A tree has levels 0 to
 * nlevel - 1, other kinds level 0. text: 48 characters.
 * chorale_wiring_read() parses such a name and adds the level to f, which must
 * start zeroed. Returns 0, or -1: not a name, or more than 65536 nodes. */
const char *chorale_wiring_name(const struct chorale_wiring *f, int level,
                                char *text);
int chorale_wiring_read(struct chorale_wiring *f, const char *text,
                        double ways);

#endif
