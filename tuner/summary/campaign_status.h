/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign_status.h - prints what is done, pending and failed in a database. */
#ifndef CHORALE_TUNER_SUMMARY_CAMPAIGN_STATUS_H
#define CHORALE_TUNER_SUMMARY_CAMPAIGN_STATUS_H

#include <jansson.h>

#include "db/store.h"

/* Print planned and finished runs of each system, collective and process count,
 * then imported and failed runs, and problems of launches. If list is not NULL,
 * append the counts to it instead. CHORALE_DATA: a name is not UTF-8. */
enum chorale_err chorale_campaigns_show(struct chorale_store *store,
                                        json_t *list,
                                        struct chorale_errmsg *msg);

/* The same for the rounds of adaptive plans, with their cost in seconds and
 * node-seconds; all: also round 0, the other plans. */
enum chorale_err chorale_rounds_show(struct chorale_store *store, int all,
                                     json_t *list, struct chorale_errmsg *msg);

#endif
