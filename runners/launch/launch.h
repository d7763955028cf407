/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.h - one launch: every pending point of it, by the ranks of one
 * communicator. The steps are collective over those, in this order; those of
 * rank 0 alone say so. An error of any rank comes back on all. */
#ifndef CHORALE_RUNNERS_LAUNCH_LAUNCH_H
#define CHORALE_RUNNERS_LAUNCH_LAUNCH_H

#include "runners/measure/runner.h"

/* Rank 0 of all: the database, to be measured into. published: the name of its
 * copy, to whose tail (db/tail.h) goes what is stored; NULL: there is none.
 * CHORALE_ENV: another runner does so. */
enum chorale_err chorale_launch_store(const char *path,
                                      const char *published,
                                      struct chorale_store **store,
                                      struct chorale_errmsg *msg);
/* There: what is pending in that launch. */
enum chorale_err chorale_launch_load(struct chorale_store *store,
                                     const char *uuid,
                                     struct chorale_worklist *work,
                                     struct chorale_errmsg *msg);

/* bench->world, of these ranks, and the runner's own traffic. */
enum chorale_err chorale_launch_set_up(struct chorale_bench *bench,
                                       MPI_Comm ranks,
                                       struct chorale_errmsg *msg);
/* Rank 0, which has the list: it is for as many ranks. */
enum chorale_err chorale_launch_fits(const struct chorale_bench *bench,
                                     struct chorale_errmsg *msg);
/* The communicators that are measured, nodes, clocks, and how fast messages
 * are: part of chorale_launch_measure(). */
enum chorale_err chorale_launch_survey(struct chorale_bench *bench,
                                       struct chorale_errmsg *msg);
/* Measure all of rank 0's list and store it there; argv is written down. The
 * list is freed. */
enum chorale_err chorale_launch_measure(struct chorale_bench *bench,
                                        struct chorale_store *store, int argc,
                                        char **argv,
                                        struct chorale_errmsg *msg);
/* Rank 0: who measures into the database of the path arg is asked to end
 * early, by a file beside it. For chorale_bench.ending. */
int chorale_launch_asked(void *arg);

/* Free what the others made, but for communicators. */
void chorale_launch_close(struct chorale_bench *bench);

/* An error of any rank, on all. */
enum chorale_err chorale_launch_agree(struct chorale_bench *bench,
                                      enum chorale_err err);
/* An MPI error code as an error of ours: what was being done. */
enum chorale_err chorale_launch_mpi(int rc, const char *what,
                                    struct chorale_errmsg *msg);

#endif
