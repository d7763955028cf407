/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate.h - the model of Chen and Lee for replicated shared data on meshes
 * of N x N processing elements: the cost of each group size, and the best one.
 *
 * All M data are replicated on each element, which modifies each datum N_a
 * times (accesses) in N_b rounds (bands). Within a group of x rows and y
 * columns each element keeps the changes of M / (xy) data. In each band the
 * elements of a group exchange their changes (updating) and apply them
 * (modification). At the end the groups' parts are combined (integration): a
 * reduce-scatter over the elements at the same place of all groups. The result
 * is then sent to all (broadcasting): an allgather over all elements. Times are
 * per datum of M, in units of sending one datum between neighbours in
 * integration and broadcasting.
 *
 * Source: Chen and Lee, on replicating shared data on 2D meshes, propositions
 * 3.1 to 3.7. Counting slots and trying all group sizes settled these readings
 * of the paper:
 * - Brackets are ceilings.
 * - Equation (1) has the factor 1/(2x).
 * - On wrapped meshes the slower part of each stage counts.
 * - The second term under the root of 3.7's odd branch is added.
 *
 * Additions to the paper:
 * - Latency.
 * - One dimension. x rings of elements x apart share each link, so integration
 *   takes (1 - x/N) b/2 on a ring. On an array it takes twice that, as
 *   wrap-around messages return over the same links.
 * - Scatter allocation (section 3.1): N/x groups share each link while
 *   updating. On a wrapped system their rings are closed for any x. The rings
 *   of integration join neighbours and close as on an array.
 *
 * Real links (as_links) make some of the paper's rings slower:
 * - A wrapped group of x < N neighbours would overload its links. Its messages
 *   cross x (x^2 - 1) / 6 links each way; floor(x^2 / 4) / 2 slots of x links
 *   are fewer from x = 3 on. Its closing links lie outside the group, so it is
 *   open and updates as on a regular system.
 * - A ring through 3 x 3 elements or groups of a regular mesh must share a link
 *   (algorithms/engines/mesh_ring.h). It takes twice as long, or 1.5 times if
 *   a link carries one direction at a time.
 * - Between elements N/2 apart on a ring both ways are equally long, and a
 *   message takes one of them. If N/2 is odd, the busiest link carries at least
 *   (N/2 + 1) / (N/2) of the mean load. Integration of two groups a side,
 *   updating of two scattered elements a side, and with N = 2 everything take
 *   longer by this factor. */
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
    int link;                /* b: 1: links carry both directions at once (RS2,
                              * WS2); 2: one at a time (RS1, WS1) */
    long side;               /* N >= 1: elements in each dimension */
    double accesses;         /* N_a > 0 */
    double tx, tm;           /* T_x, T_m >= 0: sending a datum in a band, and
                              * modifying one */
    int divisors;            /* 1: groups' sides must divide N */
    int as_links;            /* 1: real links; 0: the paper's, in which all
                              * groups wrap and no ring shares a link */
    int scatter;             /* 1: a group's elements lie N / x apart, and sides
                              * divide N; 0: they are neighbours (aggregate) */
    double alpha;            /* latency of a message, or 0 */
    double data, bands;      /* M, N_b >= 1: relevant only with latency */
};

/* The parts of T_o; total is their sum. */
struct chorale_rep_cost {
    double updating, integration, broadcasting, modification, latency, total;
};

/* Returns 1 if the lines of such a network are rings. */
int chorale_rep_wraps(enum chorale_rep_net net);

/* floor(y^2 / 4): packets over the middle link of y elements. */
double chorale_rep_packets(long y);

/* T_ux / (s T_x): slots of updating in a group of x <= y; y is ignored in one
 * dimension. Propositions 3.1 to 3.4. */
double chorale_rep_slots(enum chorale_rep_net net, int link, long x, long y);

/* The cost with groups of x rows and y columns, 1 <= x <= y <= N. In one
 * dimension groups have x elements and y is ignored. */
void chorale_rep_cost(const struct chorale_rep *rep, long x, long y,
                      struct chorale_rep_cost *cost);

/* Returns 1 if groups may have sides of x. */
int chorale_rep_admits(const struct chorale_rep *rep, long x);

/* The best side of square groups, by trying all; the smaller one of equals.
 * Square groups are optimal by proposition 3.6. */
long chorale_rep_exhaustive(const struct chorale_rep *rep);

/* The zeros of dT_o/dx for even and for odd x, without latency. NAN if T_o
 * decreases up to N. */
void chorale_rep_roots(const struct chorale_rep *rep, double *even,
                       double *odd);

/* The best side in closed form: of the admissible even sides nearest to the
 * even root, and odd sides nearest to the odd root, the one with the least T_o.
 * Without latency it equals chorale_rep_exhaustive(), except with as_links. */
long chorale_rep_closed(const struct chorale_rep *rep);

/* The side that proposition 3.7 itself gives for sides 1 ... N of meshes, as
 * printed, or with the sign in its odd branch repaired. Returns 0 if undefined,
 * -1 for a root of a negative number. Below N_a T_x of about 2/3 it is wrong in
 * two of five cases. */
long chorale_rep_proposition(const struct chorale_rep *rep, int repaired);

#endif
