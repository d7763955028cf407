/* SPDX-License-Identifier: BSD-3-Clause */
/* papi_events.h - Chorale's own events for PAPI. */
#ifndef CHORALE_RUNNERS_PAPI_PAPI_EVENTS_H
#define CHORALE_RUNNERS_PAPI_PAPI_EVENTS_H

#include <sde_lib.h>

#include "runners/measure/counters.h"

/* Register Chorale's own events, which read stat, through the functions of
 * *papi. */
papi_handle_t chorale_papi_describe(papi_sde_fptr_struct_t *papi,
                                    struct chorale_stat *stat);

#endif
