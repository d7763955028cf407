/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.h - what there is of the point under way, kept for the case that the
 * launch is killed: SIGKILL asks nobody. A point of many candidates may take
 * minutes, and all of them end with it, as they are timed in turn.
 *
 * As soon as each candidate has as many repetitions as one whose time is over
 * (stop_rule.h), and now and then from there on, rank 0 writes the runs that
 * would come of the point if it ended there to a file of its own (db/tail.h,
 * "cut"), and takes it away when the point is stored. Where the point has taken
 * longer than one cell may and not all have so many, it writes the runs of
 * those that have any repetition, so that about a cell's time is lost at most.
 * The next `chorale run`, or the element's next attempt, takes in what is left
 * there, and so does one that ends its launch because it was told to. Such runs
 * are not verified a second time, nor counted.
 *
 * A launch that fell while `chorale run` lives on, since a rank was killed or
 * hangs, may have been ended by the cell that was being called: of it all but
 * that one is taken in. Rank 0 says in shared memory (db/mark.h) which cell it
 * is, once all ranks have left the one before and before it announces the next
 * start, or enters the barrier that they start from. In a row of windows nobody
 * knows, nor does a `run` on another machine than rank 0; then all is taken in
 * where a rank was killed by SIGKILL, and where one hangs the point is measured
 * again. So it is where a rank crashed: what a cell has spoiled may show in
 * another one.
 *
 * In simulation there is none of this. */
#ifndef CHORALE_RUNNERS_MEASURE_CUT_H
#define CHORALE_RUNNERS_MEASURE_CUT_H

#include "runners/measure/point.h"

struct chorale_cut;

/* Rank 0 of a launch, or the first of a group: beside names the published
 * copy, or the database; place as in db/tail.h. Without memory nothing is
 * kept. Sets bench->cut and bench->mark. */
void chorale_cut_open(struct chorale_bench *bench, struct chorale_store *store,
                      const char *beside, int place);
/* The point is stored, or is no more: its file goes. bench->cut may be NULL. */
void chorale_cut_drop(struct chorale_bench *bench);
/* No more points: sets both to NULL. */
void chorale_cut_close(struct chorale_bench *bench);

/* After a chunk has been judged: write the file if it is time to. What cannot
 * be written is left: the point itself says what is wrong when it is
 * stored. Returns 1 if it is time to, but a candidate is faster than messages
 * were when they were measured (on a busy machine, mostly), so that nothing of
 * the point is kept: all ranks are to measure them again, and rank 0 to call
 * chorale_cut_measured. Else 0. */
int chorale_cut_look(const struct chorale_timing *t);
/* They have: writes it, or a later look asks again after a while. */
void chorale_cut_measured(const struct chorale_timing *t);

#endif
