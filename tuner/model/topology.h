/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - the links between nodes that messages share: a line, a ring, a
 * grid, or the levels of a tree of switches. What it tells is kappa, in how
 * many ways a link is shared, of any pattern of messages; network.h plays
 * schedules on it.
 *
 * It is found from patterns that were timed (runners/measure/hop_latency.c): of shifts,
 * pairs and mirrored ranks over growing distances the geometry is taken whose
 * counted loads explain the measured kappas; of several the plainest. Nothing
 * that explains them: a flat network, as without it. */
#ifndef CHORALE_TUNER_MODEL_TOPOLOGY_H
#define CHORALE_TUNER_MODEL_TOPOLOGY_H

#include <stddef.h>

/* Levels of switches above the nodes that may be told apart. */
#define CHORALE_WIRING_LEVELS 3

/* The measured kappas are explained if the mean of |log(counted / measured)|
 * is at most this, and half of a flat network's, and no one is off by more
 * than that: a tree whose switches have several ways up is none of these, but
 * nearer to one than to a flat network. Whether schedules are foretold on it is
 * for the fit to say. */
#define CHORALE_WIRING_MEAN 0.25
#define CHORALE_WIRING_WORST 0.75
/* Fewer patterns tell nothing, and of more nodes it would take too long. */
#define CHORALE_WIRING_SEEN 3
#define CHORALE_WIRING_NODES 2048
/* Below it nothing is shared: a flat network. */
#define CHORALE_WIRING_SHARED 1.25

enum chorale_wiring_kind {
    CHORALE_WIRING_FLAT,
    CHORALE_WIRING_GRID,     /* rows x cols, nodes row by row; along the row
                              * first; one row: a line, or a ring */
    CHORALE_WIRING_TREE      /* blocks of nodes, each with a way out and in */
};

struct chorale_wiring {
    enum chorale_wiring_kind kind;
    int rows, cols;          /* of a grid */
    int wraps;               /* it is a ring, or a torus: the shorter way
                              * round; as long ones up from even places */
    int one_way;             /* both directions of a link share it */
    int nlevel;              /* of a tree, from the nodes upwards */
    int width[CHORALE_WIRING_LEVELS]; /* nodes of a block */
    double ways[CHORALE_WIRING_LEVELS]; /* of its port's rate a message takes
                              * of a link, as a part of the link's: 1, a link
                              * is as fast as a node's port; a grid's is [0] */
    double hop;              /* by how much of alpha each link beyond the first
                              * (of a tree: each link) makes a message later */
};

/* Links among so many nodes, numbered from 0; 0 of a flat network. A grid of
 * more nodes than it was measured with has more rows, a line or ring more
 * places. */
int chorale_wiring_links(const struct chorale_wiring *f, int nodes);

/* The links of a message from one node to another into link (of room for
 * chorale_wiring_longest; NULL: only count). Returns how many. */
int chorale_wiring_route(const struct chorale_wiring *f, int nodes, int src,
                         int dst, int *link);
int chorale_wiring_longest(const struct chorale_wiring *f, int nodes);

/* Ports' worth of bytes that a link carries at once: 1 / ways. */
double chorale_wiring_size(const struct chorale_wiring *f, int nodes,
                           int link);

/* Links that delay a message beyond alpha: see hop. */
int chorale_wiring_hops(const struct chorale_wiring *f, int nlink);

/* Patterns in which all nodes send at once. */
enum chorale_pattern {
    CHORALE_PATTERN_SHIFT,   /* r to (r + places) mod nodes */
    CHORALE_PATTERN_PAIRS,   /* r to r xor places, where there is such a node */
    CHORALE_PATTERN_MIRROR   /* r to nodes - 1 - r */
};
#define CHORALE_PATTERNS 3
extern const char *const chorale_pattern_name[CHORALE_PATTERNS];

/* The node that r sends to, or -1. */
int chorale_pattern_to(enum chorale_pattern pattern, int places, int nodes,
                       int r);

/* kappa where node r sends `each` messages to node to[r] (-1: none) at once:
 * the largest load of a link, times its ways; 0 on a flat network, and at
 * least 1 of a node's port is not in it. NAN: no memory. */
double chorale_wiring_kappa(const struct chorale_wiring *f, int nodes,
                            const int *to, int each);
/* The same of a pattern. */
double chorale_wiring_pattern(const struct chorale_wiring *f, int nodes,
                              enum chorale_pattern pattern, int places,
                              int each);

/* One measured kappa, between nodes. */
struct chorale_wiring_seen {
    enum chorale_pattern pattern;
    int places;              /* nodes; 0 of the mirror */
    double kappa;
    double alpha;            /* s, of an empty message so many places on; NAN:
                              * not measured, or not of a shift */
};

/* alpha = first + step * links (chorale_wiring_hops), in s, through the empty
 * messages of seen: least squares, step not below 0; off: the mean |log| by
 * which it misses them. first is 0 if there are none. */
struct chorale_wiring_delay {
    double first, step, off;
};
struct chorale_wiring_delay
chorale_wiring_delay(const struct chorale_wiring *f,
                     const struct chorale_wiring_seen *seen, size_t nseen,
                     int nodes);

/* The plainest geometry that explains the alphas of four distances or more, of
 * which it says nothing about kappa (ways are 1); flat if none does. */
void chorale_wiring_by_alpha(const struct chorale_wiring_seen *seen,
                             size_t nseen, int nodes,
                             struct chorale_wiring *f);

/* Find the wiring of so many nodes with so many ranks each, every one of which
 * sent; *off_p: the mean |log(counted / measured)| of what is returned. Flat
 * where nothing is shared, where nothing explains it, and where no pairs were
 * measured (shifts do not tell a line from a tree). -1: no memory. */
int chorale_wiring_find(const struct chorale_wiring_seen *seen, size_t nseen,
                        int nodes, int ppn, struct chorale_wiring *f,
                        double *off_p);

/* Its name, "line 16", "ring 16", "grid 4x4", "torus 4x4", "tree 8", with
 * " one-way" where both directions share a link; of a tree by its levels from
 * 0 to nlevel - 1, else level 0. text: 48 characters. Read adds a level to f,
 * which begins as zeroes: 0, or -1: not such a name, or of more than 65536
 * nodes. */
const char *chorale_wiring_name(const struct chorale_wiring *f, int level,
                                char *text);
int chorale_wiring_read(struct chorale_wiring *f, const char *text,
                        double ways);

#endif
