/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.h - what there is of the point under way, kept for the case that the
 * launch is killed: SIGKILL asks nobody. A point of many candidates may take
 * minutes, and all of them end with it, as they are timed in turn.
 *
 * As soon as each candidate has as many repetitions as one whose time is over
 * (stopping.h), and now and then from there on, rank 0 writes the runs that
 * would come of the point if it ended there to a file of its own (db/tail.h,
 * "cut"), and takes it away when the point is stored. The next `chorale run`,
 * or the element's next attempt, takes in what is left there, and so does one
 * that ends its launch because it was told to. Such runs are not verified a
 * second time, nor counted; a launch that fails of itself has none, as the cell
 * that ended it might be among them. In simulation there are none. */
#ifndef CHORALE_RUNNERS_CUT_H
#define CHORALE_RUNNERS_CUT_H

#include "runners/point.h"

struct chorale_cut;

/* Rank 0 of a launch, or the first of a group: beside names the published
 * copy, or the database; place as in db/tail.h. Without memory nothing is
 * kept. Sets bench->cut. */
void chorale_cut_open(struct chorale_bench *bench, struct chorale_store *store,
                      const char *beside, int place);
/* The point is stored, or is no more: its file goes. bench->cut may be NULL. */
void chorale_cut_drop(struct chorale_bench *bench);
void chorale_cut_close(struct chorale_bench *bench);

/* After a chunk has been judged: write the file if it is time to. What cannot
 * be written is left: the point itself says what is wrong when it is
 * stored. */
void chorale_cut_look(const struct chorale_timing *t);

#endif
