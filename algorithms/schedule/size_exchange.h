/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.h - carries message sizes between ranks in a recorded schedule.
 *
 * A recorded schedule moves no data. Some variants, however, send sizes ahead,
 * and the receivers derive their later messages from them (chorale_alg.tells).
 * For those, short messages from the variant's own memory are carried; the
 * call's buffers are inaccessible. The recorder runs all ranks repeatedly and
 * gives each the data that the others sent in the previous pass, until no
 * message changes. For thousands of ranks the data may exceed the memory limit;
 * the schedule is then unavailable. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_SIZE_EXCHANGE_H
#define CHORALE_ALGORITHMS_SCHEDULE_SIZE_EXCHANGE_H

#include <stddef.h>

#include <mpi.h>

#include "algorithms/context.h"

struct chorale_mailbox;

/* New exchange for size ranks; mem[bytes] is inaccessible. NULL: memory is
 * exhausted. */
struct chorale_mailbox *chorale_mailbox_new(int size, const void *mem,
                                            size_t bytes);
void chorale_mailbox_free(struct chorale_mailbox *told);

/* Bracket the call of one rank. */
void chorale_mailbox_begin(struct chorale_mailbox *told, int rank);
void chorale_mailbox_end(struct chorale_mailbox *told);
/* Returns 1 if no message of any rank has changed since the last query, 0 if
 * one has, -1 if memory is exhausted. */
int chorale_mailbox_stable(struct chorale_mailbox *told);

/* For event_log.c only: record and deliver messages, copies and reductions.
 * Peers are ranks in the schedule. Messages that are not carried read as zeros.
 * told may be NULL. */
void chorale_mailbox_send(struct chorale_mailbox *told, const void *buf,
                          size_t bytes, int dest);
void chorale_mailbox_recv(struct chorale_mailbox *told, void *buf, size_t bytes,
                          int source);
void chorale_mailbox_copy(struct chorale_mailbox *told, void *to,
                          const void *from,
                          size_t bytes);
/* Carries MPI_MAX of MPI_INT64_T only. */
void chorale_mailbox_reduce(struct chorale_mailbox *told, const void *in,
                            void *inout, size_t bytes, MPI_Datatype type,
                            MPI_Op op);

#endif
