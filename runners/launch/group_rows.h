/* SPDX-License-Identifier: BSD-3-Clause */
/* group_rows.h - a launch of several groups has one database, which rank 0 of
 * all ranks writes. Rank 0 reads the cells of each group. The first rank of
 * another group stores its results in memory, and sends their rows to rank 0
 * after each point. Rank 0 stores them between two chunks of its own point, so
 * a kill loses at most the points being measured. Unless stated otherwise, no
 * function waits for a rank that may be measuring. */
#ifndef CHORALE_RUNNERS_LAUNCH_GROUP_ROWS_H
#define CHORALE_RUNNERS_LAUNCH_GROUP_ROWS_H

#include "runners/measure/runner.h"

struct chorale_rowbuf;

/* One rank's end of it. */
struct chorale_channel {
    MPI_Comm comm;           /* all ranks; messages of this file only */
    int rank;                /* in it */
    struct chorale_rowbuf *sent; /* that may still be under way */
    sqlite3_int64 facts;     /* of the launch, that have been handed in */
    void (*idle)(void *arg); /* while rank 0 waits for others, or NULL */
    void *idle_arg;
};

/* What one group gets. */
struct chorale_work {
    struct chorale_worklist work;
    struct chorale_rowbuf *known; /* of another group: what rank 0 knows of the
                              * launch */
};

/* Rank 0: read what a launch is to measure; away: it is another group's. */
enum chorale_err chorale_work_load(struct chorale_store *store,
                                   const char *uuid, int away,
                                   struct chorale_work *gift,
                                   struct chorale_errmsg *msg);
/* Rank 0 gives it to rank to of comm. Returns an MPI error code. */
int chorale_work_send(struct chorale_channel *hand, int to,
                      const struct chorale_work *gift);
void chorale_work_free(struct chorale_work *gift);

/* The first rank of another group receives it, with a store in memory for the
 * launch. */
enum chorale_err chorale_work_recv(struct chorale_channel *hand,
                                   struct chorale_worklist *work,
                                   struct chorale_store **store_p,
                                   struct chorale_errmsg *msg);
/* There: what the store has got since is handed in. */
enum chorale_err chorale_rows_send(struct chorale_channel *hand,
                                   struct chorale_store *store,
                                   struct chorale_errmsg *msg);
/* The last word of a group, with what became of it; waits until all is
 * there. */
enum chorale_err chorale_rows_end(struct chorale_channel *hand,
                                  enum chorale_err err,
                                  struct chorale_errmsg *msg);

/* Rank 0: tell `chorale run` that a transaction has been stored. */
void chorale_stored_report(void);

/* Rank 0: store what has come; *nopen groups have not ended. With wait until
 * they all have. The first error of any of them, or of storing, comes back at
 * the end: what others hand in is stored all the same. */
enum chorale_err chorale_rows_recv(struct chorale_channel *hand,
                                   struct chorale_store *store, int *nopen,
                                   int wait, struct chorale_errmsg *msg);

/* Rank 0 asks rank to, the first of a group, to end early: done with *request.
 * There: has it? With wait until it has. Return an MPI error code. */
int chorale_ending_send(struct chorale_channel *hand, int to,
                        MPI_Request *request);
int chorale_ending_recv(struct chorale_channel *hand, int wait, int *ends);

/* Wait without keeping the processor busy, or the network: until request is
 * done, or a message is there. Return an MPI error code. */
int chorale_idle_wait(MPI_Request *request);

#endif
