/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue_show.h - prints the algorithms that can be planned. */
#ifndef CHORALE_TUNER_PLAN_CATALOGUE_SHOW_H
#define CHORALE_TUNER_PLAN_CATALOGUE_SHOW_H

#include "db/err.h"

struct chorale_list_opts {
    int json;                /* print JSON */
    int missing;             /* published algorithms that are left out */
    int counts;              /* only numbers of variants */
    int native, simulated;   /* algorithms of the MPI library, of SimGrid */
};

/* Print the catalogue, or what the options select, of collective coll; -1: of
 * all. CHORALE_ENV: the runner does not answer, for native and simulated. */
enum chorale_err chorale_catalogue_show(int coll,
                                        const struct chorale_list_opts *opts,
                                        struct chorale_errmsg *msg);

#endif
