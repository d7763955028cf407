/* SPDX-License-Identifier: BSD-3-Clause */
/* native.h - force algorithms inside the MPI library through its control
 * variables.
 *
 * The algorithms of a library are discovered at run time, in one of two ways:
 * - MPICH: MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM, which takes effect at the
 *   next call;
 * - Open MPI: coll_tuned_<collective>_algorithm, which a communicator reads
 *   when it is created, and coll_han_use_<collective>_algorithm, which takes
 *   effect at the next call. Calls use communicators that prefer the component
 *   (tuned or han), and their messages prove that it serves them.
 * Parameters of these algorithms (segment size, radix) are the library's
 * defaults; an algorithm with another value of one is listed as a further one,
 * NAME:PARAMETER=VALUE. The library reads some parameters in MPI_Init only.
 * Such an algorithm has launches of its own, whose part is VARIABLE=VALUE:
 * `chorale run` starts the runner with that environment variable. In simulation
 * SimGrid forces one algorithm for a launch, named by the launch's part,
 * COLLECTIVE:ALGORITHM. */
#ifndef CHORALE_RUNNERS_NATIVE_NATIVE_H
#define CHORALE_RUNNERS_NATIVE_NATIVE_H

#include <mpi.h>
#include <stdio.h>

#include "algorithms/coll.h"
#include "runners/native/native_names.h"

struct chorale_native;

/* Call before MPI_Init in a program that will force algorithms: Open MPI reads
 * its permission only once. Algorithms that are not forced stay. */
void chorale_native_allow(void);

/* Find the algorithms that can be forced, before or after MPI_Init. part: the
 * launch's part, or "". Returns NULL if nothing can be forced, or out of
 * memory. Close it before MPI_Finalize, if MPI_Init was called. */
struct chorale_native *chorale_native_open(const char *part);
void chorale_native_close(struct chorale_native *native);

/* Print lines "collective algorithm", "collective algorithm parameter=value",
 * or the latter with " part" if it needs launches of its own. Returns their
 * number. native may be NULL. */
int chorale_native_print(const struct chorale_native *native, FILE *out);

/* Index of an algorithm ("place"), or -1 if the library lacks that
 * name. */
int chorale_native_find(const struct chorale_native *native,
                        enum chorale_coll coll, const char *name);

/* The call for which an algorithm is to be forced. */
struct chorale_native_point {
    size_t count;            /* elements of the operation (n) */
    size_t type_size;        /* bytes of an element */
    size_t segsize;          /* the library's segment size, bytes; 0: none */
    int size;                /* ranks */
    int levels;              /* 1: the library sees several nodes, at least one
                              * of them with several ranks; read if the
                              * algorithm is hierarchical */
    int in_blocks;           /* 1: the ranks of each node are consecutive */
};

/* The reason why an algorithm cannot be forced there, or NULL (a static
 * string). pt->segsize is not read: the library's present value is used. Local,
 * with the same result on all ranks. */
const char *chorale_native_refuses(const struct chorale_native *native,
                                   enum chorale_coll coll, int place,
                                   const struct chorale_native_point *pt);
/* topology_levels.c: how the library sees a communicator's nodes. *on_node: the
 * number of ranks on this rank's node; *apart: 1 if they are not consecutive.
 * Collective, creates a communicator. Returns an MPI error code. */
int chorale_native_topology(MPI_Comm comm, int *on_node, int *apart);
/* The same for the group of the ranks on this rank's node, which the caller
 * frees; MPI_GROUP_NULL after an error. */
int chorale_native_node(MPI_Comm comm, MPI_Group *node);

/* 1 if the algorithm is hierarchical (within nodes, then between them), so that
 * levels and in_blocks matter. */
int chorale_native_is_hierarchical(const struct chorale_native *native,
                                   enum chorale_coll coll, int place);

/* Where chorale_native_needs_comm() returns 1, an algorithm needs another
 * communicator, made from lib once before its first call. Each rank calls
 * prepare: 0, or -1 if the library does not allow forcing it. All ranks then
 * agree whether all succeeded and call make, collective over lib; if one
 * failed, make only restores the library's setting. Returns an MPI error
 * code. */
int chorale_native_needs_comm(const struct chorale_native *native,
                              enum chorale_coll coll, int place);
int chorale_native_prepare(struct chorale_native *native,
                           enum chorale_coll coll, int place);
int chorale_native_make(struct chorale_native *native, enum chorale_coll coll,
                        int place, int all_could, MPI_Comm lib);

/* Between begin and end, calls of this collective on chorale_native_comm() run
 * the algorithm. lib: the communicator of the library's own calls. Local;
 * outside the timed part. */
void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place);
void chorale_native_end(struct chorale_native *native,
                        enum chorale_coll coll, int place);
MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib);

/* Numbers of messages that a rank sent in the watched call. BETWEEN and
 * SYNCHRONOUS are 0 if ON is not, or if no communicator of han was made. */
enum chorale_native_sent {
    CHORALE_SENT_ON,          /* on chorale_native_comm(), as tuned does */
    CHORALE_SENT_ELSEWHERE,   /* on other communicators, as han does */
    CHORALE_SENT_BETWEEN,     /* of ELSEWHERE: on those that span nodes */
    CHORALE_SENT_ON_NODE,     /* ELSEWHERE without BETWEEN */
    CHORALE_SENT_SYNCHRONOUS, /* of BETWEEN: in synchronous mode, as adapt */
    CHORALE_NSENT
};

/* Count the messages of a call between watch, directly before it, and unwatch.
 * Local; not in the timed part. sent: 0, and sent[] unset, if no proof is
 * needed, as MPICH reports all other cases by an error; otherwise 1. unproved:
 * from the maxima over the ranks, why it is not proved that the algorithm's
 * component served the call, or NULL. n: bytes of the operation; with a segment
 * size of han each segment needs a message between nodes. Of han's modules, sm
 * sends no message within a node, and adapt begins with synchronous ones. Han
 * makes its communicators in the first call, which proves nothing. */
void chorale_native_watch(struct chorale_native *native,
                          enum chorale_coll coll, int place, MPI_Comm lib);
void chorale_native_unwatch(struct chorale_native *native);
int chorale_native_sent(const struct chorale_native *native,
                        double sent[CHORALE_NSENT]);
const char *chorale_native_unproved(const struct chorale_native *native,
                                    enum chorale_coll coll, int place,
                                    const double most[CHORALE_NSENT],
                                    size_t n);

/* native_falls.c: the reason why Open MPI's tuned module would silently run
 * another algorithm than the named one, or NULL. */
const char *chorale_native_fallback(enum chorale_coll coll, const char *name,
                                    const struct chorale_native_point *pt);

/* native_params.c: the parameters of algorithms, in no order. */
struct chorale_native_param {
    enum chorale_coll coll;
    const char *algorithm, *name;
    const char *variable;    /* end of the variable's name, or of MPICH the
                              * whole name */
    int value[2];            /* to measure besides the library's default */
};
/* Parameter i, from 0, and the full name of its variable; NULL after the
 * last. */
const struct chorale_native_param *chorale_native_param(size_t i,
                                                        char variable[96]);

/* A value of a parameter that the library reads in MPI_Init only. In its
 * launches the algorithm is refused if the library has another value: by MPI_T,
 * or for MPICH by the environment, since its MPI_T reports defaults. */
struct chorale_native_start {
    enum chorale_coll coll;
    const char *algorithm, *name, *value;
    const char *told;        /* in the variable's description, or the library
                              * lacks the value */
};
/* Value i, from 0, and the part of its launches; NULL after the last. Of Open
 * MPI the variable's name follows OMPI_MCA_. */
const struct chorale_native_start *chorale_native_start(size_t i,
                                                        char part[96]);

#endif
