/* SPDX-License-Identifier: BSD-3-Clause */
/* runner_query.h - what the runner can say without a launcher. */
#ifndef CHORALE_TUNER_RUN_RUNNER_QUERY_H
#define CHORALE_TUNER_RUN_RUNNER_QUERY_H

#include <stddef.h>

#include "db/err.h"

/* Start `chorale-runner option value` (value may be NULL) as one process and
 * keep what it prints, cut at size bytes with the NUL: what the MPI library
 * can force (--natives), which events cannot be counted (--counters LIST).
 * Errors: CHORALE_ENV, the runner is not found, or fails. */
enum chorale_err chorale_ask_runner(const char *option, const char *value,
                                    char *text, size_t size,
                                    struct chorale_errmsg *msg);

#endif
