/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_messages.h - count the messages that Open MPI's collectives send, by
 * communicator. Profilers cannot see these messages. They are counted in the
 * table of functions of the library's point-to-point layer (symbol mca_pml), so
 * a call has no additional cost outside of begin and end. The place of a
 * function in the table depends on the version, and is found by messages of
 * this rank to itself. */
#ifndef CHORALE_RUNNERS_NATIVE_COMM_MESSAGES_H
#define CHORALE_RUNNERS_NATIVE_COMM_MESSAGES_H

#include <mpi.h>

/* Find the functions once; later calls return the same. After MPI_Init. Returns
 * 0, or -1 if the library has no such table or an unknown one. */
int chorale_comm_messages_open(void);

enum { CHORALE_COMM_OTHERS = 8 };

/* Sends of this rank. */
struct chorale_comm_messages {
    long on, elsewhere;      /* on the watched communicator, and on others */
    struct {
        MPI_Comm comm;
        long sent;
        long synchronous;    /* of these, how many wait for the receiver */
    } other[CHORALE_COMM_OTHERS]; /* the first of the others */
    int others;              /* their number; further ones are left out */
};

/* Count between begin, which watches comm, and end. Local; one calling
 * thread. */
void chorale_comm_messages_begin(MPI_Comm comm);
void chorale_comm_messages_end(struct chorale_comm_messages *seen);

#endif
