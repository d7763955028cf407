/* SPDX-License-Identifier: BSD-3-Clause */
/* shared_ports.c - time of a schedule on the simulator's network. */
#include "tests/mpi/shared_ports.h"

#include <math.h>

#ifdef CHORALE_SIM
#include "tuner/model/network.h"

double shared_seconds(const struct chorale_alg *alg,
                      const struct chorale_point *pt)
{
    struct chorale_net net = {
        .nlevel = 1,
        .level[0] = { .name = "all",
                      .width = -1,
                      .regime = { .n = 1,
                                  .upto[0] = HUGE_VAL,
                                  .alpha[0] = pt->alpha,
                                  .beta[0] = pt->beta } },
        .overlap_upto = -1,
        .gap = SHARED_HEADER * pt->beta,
        .ports = 1,
        .tau = { .n = 1, .upto[0] = HUGE_VAL, .beta[0] = pt->tau },
    };
    struct chorale_score *score =
        chorale_recording_new(alg, pt, 1, CHORALE_NET_BLOCK, 0, NULL);
    double seconds = NAN;

    if (score != NULL)
        seconds = chorale_recording_replay(score, &net, NULL);
    chorale_recording_free(score);
    return seconds;
}
#else
double shared_seconds(const struct chorale_alg *alg,
                      const struct chorale_point *pt)
{
    (void)alg;
    (void)pt;
    return NAN;
}
#endif
