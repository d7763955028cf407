/* SPDX-License-Identifier: BSD-3-Clause */
/* runner_query.h - ask the runner about its MPI library, without a launcher. */
#ifndef CHORALE_TUNER_RUN_RUNNER_QUERY_H
#define CHORALE_TUNER_RUN_RUNNER_QUERY_H

#include <stddef.h>

#include "db/err.h"

/* Run `chorale-runner option value` (value may be NULL) as one process and
 * store its output, cut to size bytes with the NUL: native algorithms that can
 * be forced (--natives), or unavailable events (--counters LIST). CHORALE_ENV:
 * the runner is missing or fails. */
enum chorale_err chorale_runner_query(const char *option, const char *value,
                                      char *text, size_t size,
                                      struct chorale_errmsg *msg);

#endif
