/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.h - between the interposed names and the dispatcher. No mpi.h: MPI
 * handles pass as machine words, see shim.c. */
#ifndef CHORALE_ALGORITHMS_SHIM_H
#define CHORALE_ALGORITHMS_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef intptr_t chorale_word;

/* X(name, parameters, arguments): the collectives, with MPI's parameters. */
#define CHORALE_SHIM_LIST(X)                                                 \
    X(Bcast,                                                                 \
      (void *buf, int count, chorale_word type, int root,                    \
       chorale_word comm),                                                   \
      (buf, count, type, root, comm))                                        \
    X(Reduce,                                                                \
      (const void *sendbuf, void *recvbuf, int count, chorale_word type,     \
       chorale_word op, int root, chorale_word comm),                        \
      (sendbuf, recvbuf, count, type, op, root, comm))                       \
    X(Allreduce,                                                             \
      (const void *sendbuf, void *recvbuf, int count, chorale_word type,     \
       chorale_word op, chorale_word comm),                                  \
      (sendbuf, recvbuf, count, type, op, comm))                             \
    X(Reduce_scatter_block,                                                  \
      (const void *sendbuf, void *recvbuf, int count, chorale_word type,     \
       chorale_word op, chorale_word comm),                                  \
      (sendbuf, recvbuf, count, type, op, comm))                             \
    X(Gather,                                                                \
      (const void *sendbuf, int sendcount, chorale_word sendtype,            \
       void *recvbuf, int recvcount, chorale_word recvtype, int root,        \
       chorale_word comm),                                                   \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,     \
       comm))                                                                \
    X(Scatter,                                                               \
      (const void *sendbuf, int sendcount, chorale_word sendtype,            \
       void *recvbuf, int recvcount, chorale_word recvtype, int root,        \
       chorale_word comm),                                                   \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,     \
       comm))                                                                \
    X(Allgather,                                                             \
      (const void *sendbuf, int sendcount, chorale_word sendtype,            \
       void *recvbuf, int recvcount, chorale_word recvtype,                  \
       chorale_word comm),                                                   \
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))

/* A call on its way through: chorale_shim_X(&rc, ...) returns 1 if the
 * catalogue ran it (rc is MPI's), 0 if it is to be passed on. */
#define CHORALE_SHIM_UNWRAP(...) __VA_ARGS__
#define X(name, params, args)                                                \
    int chorale_shim_##name(int *rc, CHORALE_SHIM_UNWRAP params);
CHORALE_SHIM_LIST(X)
#undef X

/* chorale_dispatch_last() for `chorale validate`, whose runner looks the name
 * up: the only one that the shim exports beside MPI's. */
int chorale_shim_ran(int coll, chorale_word comm, size_t msg_size, char *text,
                     size_t size);

/* After MPI_Init. */
void chorale_shim_started(void);

/* Before MPI_Finalize and MPI_Abort. */
void chorale_shim_finish(void);
void chorale_shim_abort(void);

/* As in pmpi.h. */
void *chorale_pmpi_symbol(const char *name);

#endif
