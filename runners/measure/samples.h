/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - the samples of a run as a table that SQL can read while they are
 * still in memory: one statement then stores all of them, twice as fast as
 * statements with parameters do. */
#ifndef CHORALE_RUNNERS_MEASURE_SAMPLES_H
#define CHORALE_RUNNERS_MEASURE_SAMPLES_H

#include "runners/measure/runner.h"

/* Bits of sample.flags. */
enum { CHORALE_SAMPLE_LATE = 1, CHORALE_SAMPLE_ASIDE = 2 };

/* What the table shows: what counts, then what is set aside. May be changed
 * between two statements. */
struct chorale_samples {
    int64_t run_id;
    int rooted;              /* root and root_out are not NULL */
    const struct chorale_result *result;
};

/* Make the table runner_sample, with the columns of sample, known to a
 * connection: it shows *samples, which must live as long as it is known.
 * NULL: it is no longer known. Returns an SQLite error code. */
int chorale_samples_table(sqlite3 *db, struct chorale_samples *samples);

#endif
