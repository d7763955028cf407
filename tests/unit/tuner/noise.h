/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.h - machines as they are, invented: launches of many cells on which
 * comparisons are tried. One seed, one history.
 *
 * A machine has a speed that all cells feel, each by a factor of its own from 0
 * to 1.5: it wanders from launch to launch (drift), and stays slow for a while
 * now and then (regimes). On top of it a launch shifts all its cells alike
 * (launch), the cells of one collective alike (block, 50 cells), each cell by
 * itself (sigma), and some by a lot, upwards (outliers). All in log units of
 * the launch's median.
 */
#ifndef CHORALE_TESTS_UNIT_TUNER_NOISE_H
#define CHORALE_TESTS_UNIT_TUNER_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct noise {
    double sigma, launch, block, drift, regime, outlier;
    double enter, leave;     /* P of a regime's begin and end before a launch */
};

/* Nothing but the cell's own noise; and all there is. */
#define NOISE_PLAIN { .sigma = 0.015 }
#define NOISE_FULL                                                           \
    {                                                                        \
        .sigma = 0.015, .launch = 0.01, .block = 0.005, .drift = 0.004,      \
        .regime = 0.08, .outlier = 0.02, .enter = 0.1, .leave = 0.3          \
    }

struct random {
    uint64_t state;
    double spare;
    int has_spare;
};

/* splitmix64. */
static uint64_t random_bits(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double random_unit(struct random *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

/* Standard normal, by the polar method. */
static double random_normal(struct random *r)
{
    double u, v, s;

    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    do {
        u = 2 * random_unit(r) - 1;
        v = 2 * random_unit(r) - 1;
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    s = sqrt(-2 * log(s) / s);
    r->spare = v * s;
    r->has_spare = 1;
    return u * s;
}

/* The machine's state at a launch. */
struct machine {
    struct random random;
    double speed;            /* drift so far */
    int slow;                /* in a regime */
    double launch;           /* of this launch */
    uint64_t block_seed;
};

__attribute__((unused)) static void
machine_launch(struct machine *m, const struct noise *noise)
{
    double change = random_unit(&m->random);

    m->slow = m->slow ? change >= noise->leave : change < noise->enter;
    m->speed += noise->drift * random_normal(&m->random);
    m->launch = noise->launch * random_normal(&m->random);
    m->block_seed = random_bits(&m->random);
}

/* How much of the machine's speed a cell feels. */
__attribute__((unused)) static double machine_factor(size_t cell)
{
    struct random own = { .state = cell * UINT64_C(0x2545f4914f6cdd1d) };

    return 1.5 * random_unit(&own);
}

/* A cell's time in this launch, without its own noise... */
__attribute__((unused)) static double machine_common(const struct machine *m,
                             const struct noise *noise, double factor)
{
    return m->launch + factor * (m->speed + (m->slow ? noise->regime : 0));
}

/* ...what its block shares, and its own. */
__attribute__((unused)) static double machine_block(const struct machine *m,
                            const struct noise *noise, size_t cell)
{
    struct random own = { .state = m->block_seed + cell / 50 };

    return noise->block > 0 ? noise->block * random_normal(&own) : 0;
}

__attribute__((unused)) static double
machine_own(struct machine *m, const struct noise *noise)
{
    double x = noise->sigma * random_normal(&m->random);

    if (noise->outlier > 0 && random_unit(&m->random) < noise->outlier)
        x += 0.05 + 0.45 * random_unit(&m->random);
    return x;
}

#endif
