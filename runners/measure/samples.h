/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - the samples of a run as a virtual SQL table, so that one
 * statement stores all of them: twice as fast as one statement for each
 * sample. */
#ifndef CHORALE_RUNNERS_MEASURE_SAMPLES_H
#define CHORALE_RUNNERS_MEASURE_SAMPLES_H

#include "runners/measure/runner.h"

/* Bits of sample.flags. */
enum { CHORALE_SAMPLE_LATE = 1, CHORALE_SAMPLE_ASIDE = 2 };

/* Contents of the table: samples that count, then those set aside. May change
 * between statements. */
struct chorale_samples {
    int64_t run_id;
    int rooted;              /* 0: root and root_out are NULL */
    const struct chorale_result *result;
};

/* Register the table runner_sample, with the columns of sample, on a
 * connection. It shows *samples, which must stay valid until the table is
 * removed by a call with NULL. Returns an SQLite error code. */
int chorale_samples_table(sqlite3 *db, struct chorale_samples *samples);

#endif
