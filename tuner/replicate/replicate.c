/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate.c - the cost model of replicated shared data and its optima. */
#include "tuner/replicate/replicate.h"

#include <gsl/gsl_poly.h>
#include <math.h>

#define EQUAL 1e-12          /* relative difference of equal times */

static int flat(const struct chorale_rep *rep)
{
    return rep->net == CHORALE_REP_ARRAY || rep->net == CHORALE_REP_RING;
}

int chorale_rep_wraps(enum chorale_rep_net net)
{
    return net == CHORALE_REP_TORUS || net == CHORALE_REP_RING;
}

/* The factor `a` of both kinds of communication. */
static double factor(const struct chorale_rep *rep)
{
    return chorale_rep_wraps(rep->net) ? rep->link / 2.0 : rep->link;
}

/* With as_links, the factor by which a ring slows down whose steps go `far` on
 * a wrapped side. It is above 1 only if far is half of the side and odd; both
 * ways are then equally long and cannot be loaded evenly. */
static double odd_half_factor(const struct chorale_rep *rep, long far)
{
    return rep->as_links && chorale_rep_wraps(rep->net) &&
                   2 * far == rep->side && far % 2 != 0
               ? (double)(far + 1) / (double)far
               : 1;
}

/* The same for a regular mesh of `length` elements or groups a side. */
static double corner(const struct chorale_rep *rep, double length)
{
    if (!rep->as_links || rep->net != CHORALE_REP_MESH || fabs(length - 3) > 0)
        return 1;
    return rep->link == 1 ? 2 : 1.5;
}

/* The factor of updating, times the number of groups that share a link. */
static double updating_factor(const struct chorale_rep *rep, long y)
{
    if (rep->scatter)
        return factor(rep) * (double)rep->side / (double)y *
               odd_half_factor(rep, rep->side / y);
    return rep->as_links && y < rep->side ? rep->link
                                          : factor(rep) * odd_half_factor(rep,
                                                                          1);
}

double chorale_rep_packets(long y)
{
    return floor((double)y * (double)y / 4);
}

double chorale_rep_slots(enum chorale_rep_net net, int link, long x, long y)
{
    switch (net) {
    case CHORALE_REP_ARRAY:
        return link * chorale_rep_packets(x);
    case CHORALE_REP_RING:
        return link * chorale_rep_packets(x) / 2;
    case CHORALE_REP_MESH:
        return link * (double)x * chorale_rep_packets(y);
    case CHORALE_REP_TORUS:
        break;
    }
    return link * (double)x * chorale_rep_packets(y) / 2;
}

/* Equation (1): a ring through all elements, in both directions if links
 * allow. */
static void mesh_parts(const struct chorale_rep *rep, double x, double y,
                       struct chorale_rep_cost *cost)
{
    double n = (double)rep->side, b = rep->link;

    cost->integration = b / (2 * x) * (1 - x * y / (n * n));
    cost->broadcasting = b / 2 * (1 - 1 / (n * n));
}

/* Equation (2) with the parts of proposition 3.5. s1 takes the columns first
 * and s2 the rows; each stage lasts as long as the slower of the two. */
static void torus_parts(const struct chorale_rep *rep, double x, double y,
                        struct chorale_rep_cost *cost)
{
    double n = (double)rep->side, b = rep->link;
    double d = y * (n - y) + x * (n - x);
    double s1 = d > 0 ? y * (n - y) / d : 0.5, s2 = 1 - s1;

    cost->integration =
        fmax(b * s1 * (1 - x / n) / (2 * y), b * s2 * (1 - y / n) / (2 * x)) +
        fmax(b * s1 * (1 - y / n) / (2 * n), b * s2 * (1 - x / n) / (2 * n));
    cost->broadcasting = b / 4 * (1 - 1 / (n * n));
}

/* Integration among neighbours on open lines: wrap-around messages return over
 * the same links. Groups have x elements, or x by x in two dimensions. */
static double neighbour_integration(const struct chorale_rep *rep, double x)
{
    double n = (double)rep->side, b = rep->link;

    if (flat(rep))
        return b * (1 - x / n) / x;
    return b / (2 * x * x) * (1 - x * x / (n * n));
}

/* The number of messages in sequence. */
static double messages(const struct chorale_rep *rep, double x, double y)
{
    double n = (double)rep->side;

    if (rep->as_links && !rep->scatter && y < n) /* updates as if open */
        return rep->bands * (flat(rep) ? 1 : 2) * floor(y * y / 4) +
               messages(&(struct chorale_rep){ .net = rep->net,
                                               .side = rep->side }, x, y);
    switch (rep->net) {
    case CHORALE_REP_ARRAY:
        return rep->bands * floor(x * x / 4) + (n / x - 1) + (n - 1);
    case CHORALE_REP_RING:
        return rep->bands * floor(x / 2) + (n / x - 1) + (n - 1);
    case CHORALE_REP_MESH:
        return rep->bands * 2 * floor(y * y / 4) + (n * n / (x * y) - 1) +
               (n * n - 1);
    case CHORALE_REP_TORUS:
        break;
    }
    return rep->bands * 2 * floor(y / 2) + (n / x - 1) + (n / y - 1) +
           2 * (n - 1);
}

void chorale_rep_cost(const struct chorale_rep *rep, long x, long y,
                      struct chorale_rep_cost *cost)
{
    double n = (double)rep->side, all = flat(rep) ? n : n * n;
    double group;

    if (flat(rep))
        y = x;
    group = flat(rep) ? (double)x : (double)x * (double)y;
    *cost = (struct chorale_rep_cost){
        .updating = updating_factor(rep, y) * chorale_rep_packets(y) *
                    rep->accesses * rep->tx / (double)y,
        .modification = rep->accesses * rep->tm +
                        (1 / group - 1 / all) * rep->tm,
    };
    if (flat(rep)) {
        cost->integration = factor(rep) * (1 - (double)x / n);
        cost->broadcasting = factor(rep) * (1 - 1 / n);
    } else if (rep->net == CHORALE_REP_MESH) {
        mesh_parts(rep, (double)x, (double)y, cost);
    } else {
        torus_parts(rep, (double)x, (double)y, cost);
    }
    if (rep->scatter && x > 1)
        cost->integration = neighbour_integration(rep, (double)x);
    else
        cost->integration *= odd_half_factor(rep, x);
    if (x == y)
        cost->integration *= corner(rep, n / (double)x);
    cost->broadcasting *= odd_half_factor(rep, 1) * corner(rep, n);
    if (rep->alpha > 0)
        cost->latency = rep->alpha * messages(rep, (double)x, (double)y) /
                        rep->data;
    cost->total = cost->updating + cost->integration + cost->broadcasting +
                  cost->modification + cost->latency;
}

int chorale_rep_admits(const struct chorale_rep *rep, long x)
{
    return x >= 1 && x <= rep->side &&
           (!rep->divisors || rep->side % x == 0);
}

/* Set *best to x if x is better; 0 means none yet. Ties go to the smaller
 * side. */
static void take(const struct chorale_rep *rep, long x, long *best)
{
    struct chorale_rep_cost mine, other;

    if (!chorale_rep_admits(rep, x))
        return;
    if (*best != 0) {
        double margin;

        chorale_rep_cost(rep, x, x, &mine);
        chorale_rep_cost(rep, *best, *best, &other);
        margin = EQUAL * other.total;
        if (mine.total > other.total + margin ||
            (mine.total >= other.total - margin && x > *best))
            return;
    }
    *best = x;
}

long chorale_rep_exhaustive(const struct chorale_rep *rep)
{
    long best = 0;

    for (long x = 1; x <= rep->side; x++)
        take(rep, x, &best);
    return best;
}

/* The root in one dimension, of a (N_a T_x x / 4 - x / N) + D / x. */
static double flat_root(const struct chorale_rep *rep, double d)
{
    double a = factor(rep) *
               (rep->accesses * rep->tx / 4 - 1 / (double)rep->side);

    return !(a > 0) ? NAN : d > 0 ? sqrt(d / a) : 0;
}

static double largest_root(double b, double c)
{
    double root[3] = { 0, 0, 0 };
    int n = gsl_poly_solve_cubic(0, b, c, &root[0], &root[1], &root[2]);

    return root[n - 1];
}

void chorale_rep_roots(const struct chorale_rep *rep, double *even,
                       double *odd)
{
    double n2 = (double)rep->side * (double)rep->side, a = factor(rep);
    double s = rep->accesses * rep->tx, k;

    if (flat(rep)) {
        *even = flat_root(rep, rep->tm);
        *odd = flat_root(rep, rep->tm - a * s / 4);
        return;
    }
    *even = *odd = NAN;
    if (!(n2 * s > 2))
        return;
    k = 2 * n2 / (n2 * s - 2);
    *even = largest_root(-k, -4 * k * rep->tm / a);
    *odd = largest_root(k * (s - 2) / 2, -4 * k * rep->tm / a);
}

/* Take the first admissible side of that parity from x on, in steps of step. */
static void take_first(const struct chorale_rep *rep, long x, long step,
                       int parity, long *best)
{
    for (; x >= 1 && x <= rep->side; x += step)
        if (x % 2 == parity && chorale_rep_admits(rep, x)) {
            take(rep, x, best);
            return;
        }
}

/* Take the admissible sides of that parity next to root on both sides; without
 * a root those at the ends. */
static void take_round(const struct chorale_rep *rep, double root, int parity,
                       long *best)
{
    long below = rep->side;

    if (root < (double)rep->side)
        below = (long)root;
    take_first(rep, below, -1, parity, best);
    take_first(rep, isnan(root) ? 1 : below + 1, 1, parity, best);
}

long chorale_rep_closed(const struct chorale_rep *rep)
{
    struct chorale_rep plain = *rep;
    double even, odd;
    long best = 0;

    plain.alpha = 0;
    chorale_rep_roots(&plain, &even, &odd);
    take_round(&plain, even, 0, &best);
    take_round(&plain, odd, 1, &best);
    return best;
}

/* Cardano's sum, with K^(1/3) as a common factor. */
static double cardano(double k, double half, double radicand)
{
    double g = sqrt(radicand);

    return cbrt(k) * (cbrt(half + g) + cbrt(half - g));
}

long chorale_rep_proposition(const struct chorale_rep *rep, int repaired)
{
    struct chorale_rep any = *rep;
    double n2 = (double)rep->side * (double)rep->side, a = factor(rep);
    double s = rep->accesses * rep->tx, t = rep->tm, d = n2 * s - 2, k;
    double even = 2, odd = 1;
    long best = 0;

    if (flat(rep) || !(d > 0))
        return 0;
    k = 2 * n2 / d;
    if (54 * s * n2 * t * t - a * a * n2 - 108 * t * t >= 0)
        even = cardano(k, 2 * t / a, 4 * t * t / (a * a) - 2 * n2 / (27 * d));
    if (432 * d * t * t + a * a * n2 * pow(s - 2, 3) >= 0)
        odd = cardano(k, 2 * t / a,
                      4 * t * t / (a * a) + (repaired ? 1 : -1) * n2 *
                                                pow(s - 2, 3) / (108 * d));
    if (isnan(even) || isnan(odd))
        return -1;
    any.divisors = any.as_links = 0;
    any.alpha = 0;
    for (int i = 0; i < 4; i++) {
        double x = i < 2 ? even : odd;

        x = i % 2 == 0 ? ceil(x) : floor(x);
        take(&any, (long)fmax(1, fmin(x, (double)rep->side)), &best);
    }
    return best;
}
