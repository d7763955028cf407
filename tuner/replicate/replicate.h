/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate.h - how large groups should be that share replicated data: the
 * model of Chen and Lee for meshes of N x N processing elements.
 *
 * All of M data are replicated on each element, which modifies each of them
 * accesses (N_a) times in bands (N_b) rounds. In groups of x rows and y columns
 * each element keeps the changes of M / (xy) data: in each band the elements of
 * a group send each other their changes (updating) and make them
 * (modification). At the end the groups' parts are brought together
 * (integration: a reduce-scatter over the elements at the same place of all
 * groups), and the result goes to all (broadcasting: an allgather over all
 * elements). Times are per datum of M, in units of sending one datum between
 * neighbours in integration and broadcasting.
 *
 * Source  Chen and Lee, on replicating shared data on 2D meshes: propositions
 * 3.1 to 3.7, in the readings that counting slots and trying all group sizes
 * settle: brackets are ceilings, equation (1) has its 1/(2x), wrapped meshes
 * take the larger of each stage's loads, and the second term of the odd
 * branch's root has the sign of its derivative. Latency and one dimension are
 * additions: a ring of x elements at a distance shares each link x times, so
 * integration takes (1 - x/N) b/2 on a ring; on an array, where what wraps runs
 * back over the same links, twice that. Scatter allocation (section 3.1) is an
 * addition too: N/x groups share each link while they update, the rings of a
 * wrapped system are closed for any x, and those of integration lie among
 * neighbours, where what wraps runs back.
 *
 * As links allow (as_links) some of the paper's rings take longer:
 * - A wrapped group of x < N neighbours would need more of its links than they
 *   carry: x (x^2 - 1) / 6 links each way are crossed, and u(x)/2 slots of x
 *   links are fewer from x = 3 on. What closes it lies outside, so it is open,
 *   and updates as on a regular system.
 * - No ring through 3 x 3 elements of a regular mesh, or groups, goes without
 *   sharing a link (engines/mesh_ring.h): it takes twice as long, and where a
 *   link carries one direction at a time half as long again.
 * - Between elements N/2 apart on a ring both ways are as long, and a message
 *   takes one of them. If N/2 is odd, the busiest link cannot have less than
 *   (N/2 + 1) / (N/2) of the mean: so much longer takes the integration of two
 *   groups a side, the updating of two scattered elements a side, and with
 *   N = 2 everything. */
#ifndef CHORALE_TUNER_REPLICATE_REPLICATE_H
#define CHORALE_TUNER_REPLICATE_REPLICATE_H

enum chorale_rep_net {
    CHORALE_REP_MESH,        /* regular: RS */
    CHORALE_REP_TORUS,       /* wrapped: WS */
    CHORALE_REP_ARRAY,       /* one dimension */
    CHORALE_REP_RING
};

struct chorale_rep {
    enum chorale_rep_net net;
    int link;                /* b: 1, links carry both directions at once (RS2,
                              * WS2); 2, one at a time (RS1, WS1) */
    long side;               /* N >= 1: elements in each dimension */
    double accesses;         /* N_a > 0 */
    double tx, tm;           /* T_x, T_m >= 0: sending a datum in a band, and
                              * modifying one */
    int divisors;            /* groups' sides divide N; else they need not */
    int as_links;            /* as links allow; 0: the paper's, all groups
                              * wrap and all rings are free */
    int scatter;             /* a group's elements lie N / x apart, sides divide
                              * N; 0: they are neighbours (aggregate) */
    double alpha;            /* latency of a message, 0: none */
    double data, bands;      /* M, N_b >= 1: they matter with a latency only */
};

/* The parts of T_o; their sum is total. */
struct chorale_rep_cost {
    double updating, integration, broadcasting, modification, latency, total;
};

/* 1 if lines of such a network are rings. */
int chorale_rep_wraps(enum chorale_rep_net net);

/* floor(y^2 / 4): packets over the middle link of y elements. */
double chorale_rep_u(long y);

/* T_ux / (s T_x): slots of updating in a group of x <= y; y is not read in one
 * dimension. Propositions 3.1 to 3.4. */
double chorale_rep_slots(enum chorale_rep_net net, int link, long x, long y);

/* The cost with groups of x rows and y columns, 1 <= x <= y <= N; in one
 * dimension of x elements, and y is not read. */
void chorale_rep_cost(const struct chorale_rep *rep, long x, long y,
                      struct chorale_rep_cost *cost);

/* 1 if groups may have sides of x. */
int chorale_rep_admits(const struct chorale_rep *rep, long x);

/* The best side of square groups (which are the best, proposition 3.6) by
 * trying all; the smaller of equals. */
long chorale_rep_exhaustive(const struct chorale_rep *rep);

/* Where dT_o/dx is zero if x is even, and if it is odd, without latency; NAN
 * where T_o falls to the end. */
void chorale_rep_roots(const struct chorale_rep *rep, double *even,
                       double *odd);

/* The best side in closed form: of the nearest admissible even sides round the
 * even root, and odd ones round the odd root, the one with the least T_o.
 * Without latency it is what trying all finds, but as links allow. */
long chorale_rep_closed(const struct chorale_rep *rep);

/* What proposition 3.7 itself says of the sides 1 ... N of meshes, with the
 * sign in its odd branch repaired or as printed. 0: undefined; -1: a root of
 * a negative number. Below N_a T_x of about 2/3 it is wrong in two cases of
 * five. */
long chorale_rep_proposition(const struct chorale_rep *rep, int repaired);

#endif
