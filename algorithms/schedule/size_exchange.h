/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.h - what ranks tell each other, where a schedule is written down.
 *
 * A schedule has no data. Some variants send sizes ahead, though, and who gets
 * them sees from these what it sends next (chorale_alg.tells). Of those the
 * short messages carry what they say, as long as it is in the variant's own
 * memory: the call's buffers cannot be touched. All ranks are called again and
 * again, each with what the others said the last time, until nobody says
 * anything else than before: then every rank has been told what it would be.
 * Thousands of ranks may tell more than is held here; then there is none. */
#ifndef CHORALE_ALGORITHMS_SCHEDULE_SIZE_EXCHANGE_H
#define CHORALE_ALGORITHMS_SCHEDULE_SIZE_EXCHANGE_H

#include <stddef.h>

#include <mpi.h>

#include "algorithms/context.h"

struct chorale_told;

/* For so many ranks; mem[bytes] cannot be touched. NULL: there is no memory. */
struct chorale_told *chorale_told_new(int size, const void *mem, size_t bytes);
void chorale_told_free(struct chorale_told *told);

/* A rank is called: between these it says all that it has to say. */
void chorale_told_begin(struct chorale_told *told, int rank);
void chorale_told_end(struct chorale_told *told);
/* All have been called since this was asked. Returns 1 if each has said what it
 * said before; 0: not yet; -1: there is no memory for it. */
int chorale_told_settled(struct chorale_told *told);

/* For event_log.c, which does nothing else with them; peers are ranks in the
 * schedule. What was not carried reads as zeros. told may be NULL. */
void chorale_told_send(struct chorale_told *told, const void *buf,
                       size_t bytes, int dest);
void chorale_told_recv(struct chorale_told *told, void *buf, size_t bytes,
                       int source);
void chorale_told_copy(struct chorale_told *told, void *to, const void *from,
                       size_t bytes);
/* The largest of sizes; other operations are not carried. */
void chorale_told_reduce(struct chorale_told *told, const void *in,
                         void *inout, size_t bytes, MPI_Datatype type,
                         MPI_Op op);

#endif
