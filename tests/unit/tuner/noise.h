/* SPDX-License-Identifier: BSD-3-Clause */
/* noise.h - simulated noise of real machines: launches of many cells for tests
 * of comparisons. A seed determines all values.
 *
 * A machine has a speed that affects all cells, each multiplied by the cell's
 * own factor from 0 to 1.5. The speed drifts from launch to launch (drift) and
 * is lower for several launches now and then (regime). Further noise:
 *   launch   shifts all cells of a launch alike
 *   block    shifts the cells of one collective alike (50 cells)
 *   sigma    shifts each cell independently
 *   outlier  slows a few cells a lot, with this probability
 * All are in log units of the launch's median.
 */
#ifndef CHORALE_TESTS_UNIT_TUNER_NOISE_H
#define CHORALE_TESTS_UNIT_TUNER_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct noise {
    double sigma, launch, block, drift, regime, outlier;
    double enter, leave;     /* probability per launch: a regime begins, ends */
};

/* Only the cells' independent noise; all kinds of noise. */
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

/* Factor by which the machine's speed affects a cell, 0 to 1.5. */
__attribute__((unused)) static double machine_factor(size_t cell)
{
    struct random own = { .state = cell * UINT64_C(0x2545f4914f6cdd1d) };

    return 1.5 * random_unit(&own);
}

/* A cell's log time in this launch: launch and speed only. */
__attribute__((unused)) static double machine_common(const struct machine *m,
                             const struct noise *noise, double factor)
{
    return m->launch + factor * (m->speed + (m->slow ? noise->regime : 0));
}

/* The shift that the cell's block of 50 shares. */
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
