/* SPDX-License-Identifier: BSD-3-Clause */
/* group_rows.h - transfer work and results between rank 0 of all ranks, which
 * alone uses the database, and the first ranks of other groups. Rank 0 sends
 * the cells of a group. The group stores its results in memory and sends the
 * rows after each point. Rank 0 stores them between two chunks of its own
 * point, so a kill loses at most the points being measured. Unless stated
 * otherwise, no function waits for a rank that may be measuring. */
#ifndef CHORALE_RUNNERS_LAUNCH_GROUP_ROWS_H
#define CHORALE_RUNNERS_LAUNCH_GROUP_ROWS_H

#include "runners/measure/runner.h"

struct chorale_rowbuf;

/* State of one rank. */
struct chorale_channel {
    MPI_Comm comm;           /* all ranks; messages of this file only */
    int rank;                /* in comm */
    struct chorale_rowbuf *sent; /* list of pending sends */
    sqlite3_int64 facts;     /* number of facts sent to rank 0 */
    void (*idle)(void *arg); /* called while rank 0 waits, or NULL */
    void *idle_arg;
};

/* Work of one group. */
struct chorale_work {
    struct chorale_worklist work;
    struct chorale_rowbuf *known; /* packed plan; NULL for rank 0's group */
};

/* Rank 0: load a launch's work. away: 1 for a group without rank 0. */
enum chorale_err chorale_work_load(struct chorale_store *store,
                                   const char *uuid, int away,
                                   struct chorale_work *plan,
                                   struct chorale_errmsg *msg);
/* Rank 0: send plan to rank `to`. Returns an MPI error code. */
int chorale_work_send(struct chorale_channel *channel, int to,
                      const struct chorale_work *plan);
void chorale_work_free(struct chorale_work *plan);

/* First rank of another group: receive its work, and make *store_p, in memory,
 * for it. */
enum chorale_err chorale_work_recv(struct chorale_channel *channel,
                                   struct chorale_worklist *work,
                                   struct chorale_store **store_p,
                                   struct chorale_errmsg *msg);
/* On that rank: send the store's new rows to rank 0. */
enum chorale_err chorale_rows_send(struct chorale_channel *channel,
                                   struct chorale_store *store,
                                   struct chorale_errmsg *msg);
/* On that rank, at the end: send the group's error code; waits until all sends
 * are complete. */
enum chorale_err chorale_rows_end(struct chorale_channel *channel,
                                  enum chorale_err err,
                                  struct chorale_errmsg *msg);

/* Rank 0: tell `chorale run` that a transaction has been stored. */
void chorale_stored_report(void);

/* Rank 0: store the received rows. wait: until *nopen, the number of groups not
 * ended, is 0. Returns the first error of a group or of storing; rows of other
 * groups are stored nevertheless. */
enum chorale_err chorale_rows_recv(struct chorale_channel *channel,
                                   struct chorale_store *store, int *nopen,
                                   int wait, struct chorale_errmsg *msg);

/* Rank 0: ask rank `to`, the first of a group, to end early; complete *request.
 * That rank: *ends: 1 if asked; wait: until asked. Return an MPI error code. */
int chorale_ending_send(struct chorale_channel *channel, int to,
                        MPI_Request *request);
int chorale_ending_recv(struct chorale_channel *channel, int wait, int *ends);

/* Wait for a request, sleeping between tests so that processor and network stay
 * free. Returns an MPI error code. */
int chorale_idle_wait(MPI_Request *request);

#endif
