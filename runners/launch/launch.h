/* SPDX-License-Identifier: BSD-3-Clause */
/* launch.h - one launch: measure all of its pending points with the ranks of
 * one communicator. Call the functions in this order. They are collective over
 * that communicator unless marked "rank 0"; an error of any rank is returned on
 * all. */
#ifndef CHORALE_RUNNERS_LAUNCH_LAUNCH_H
#define CHORALE_RUNNERS_LAUNCH_LAUNCH_H

#include "runners/measure/runner.h"

/* Rank 0: open the database for measuring. CHORALE_ENV: another runner is
 * measuring into it. */
enum chorale_err chorale_launch_store(const char *path,
                                      struct chorale_store **store,
                                      struct chorale_errmsg *msg);
/* Rank 0: load the pending cells of that launch. */
enum chorale_err chorale_launch_load(struct chorale_store *store,
                                     const char *uuid,
                                     struct chorale_worklist *work,
                                     struct chorale_errmsg *msg);

/* Create bench->world from these ranks, and the runner's own context. */
enum chorale_err chorale_launch_set_up(struct chorale_bench *bench,
                                       MPI_Comm ranks,
                                       struct chorale_errmsg *msg);
/* Rank 0, after loading: check that the launch is planned for this number of
 * ranks. */
enum chorale_err chorale_launch_fits(const struct chorale_bench *bench,
                                     struct chorale_errmsg *msg);
/* Create the measured communicators, find the nodes, synchronise the clocks,
 * measure messages and copies. chorale_launch_measure() calls it. */
enum chorale_err chorale_launch_survey(struct chorale_bench *bench,
                                       struct chorale_errmsg *msg);
/* Measure the points of rank 0's list and store them in rank 0's store. argv is
 * recorded. The list is freed. */
enum chorale_err chorale_launch_measure(struct chorale_bench *bench,
                                        struct chorale_store *store, int argc,
                                        char **argv,
                                        struct chorale_errmsg *msg);
/* Rank 0: 1 if a file beside the database of path arg asks its runner to end
 * early. A chorale_ending_fn. */
int chorale_launch_stop_file(void *arg);

/* Free everything except communicators. */
void chorale_launch_close(struct chorale_bench *bench);

/* The largest error code of all ranks, on all ranks. */
enum chorale_err chorale_launch_agree(struct chorale_bench *bench,
                                      enum chorale_err err);
/* Convert an MPI error code; what: the failed action, for the message. */
enum chorale_err chorale_launch_mpi(int rc, const char *what,
                                    struct chorale_errmsg *msg);

#endif
