/* SPDX-License-Identifier: BSD-3-Clause */
/* native.h - the algorithms inside the MPI library, which its control
 * variables can force.
 *
 * Two ways are known, and what a library has is found out at run time: MPICH's
 * MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM, which holds from one call to the
 * next, and Open MPI's coll_tuned_<collective>_algorithm, which a communicator
 * takes over when it is made. Parameters of such algorithms (segments, radix)
 * stay at the library's defaults. SimGrid forces one
 * for a whole launch, which says so as its part, COLLECTIVE:ALGORITHM. */
#ifndef CHORALE_RUNNERS_NATIVE_NATIVE_H
#define CHORALE_RUNNERS_NATIVE_NATIVE_H

#include <mpi.h>
#include <stdio.h>

#include "algorithms/coll.h"

enum { CHORALE_NATIVE_NAME = 64 }; /* bytes of an algorithm's name */

struct chorale_native;

/* Before MPI_Init, in a program that will force algorithms: Open MPI reads
 * once whether it may. What is not forced goes on as before. */
void chorale_native_allow(void);

/* Find what can be forced, before or after MPI_Init; part is the launch's, "".
 * NULL: nothing, or no memory. Close it before MPI_Finalize, or without
 * MPI_Init. */
struct chorale_native *chorale_native_open(const char *part);
void chorale_native_close(struct chorale_native *native);

/* Lines "collective algorithm"; the number of them. native may be NULL. */
int chorale_native_print(const struct chorale_native *native, FILE *out);

/* Place of that algorithm, -1: the library has none of that name. */
int chorale_native_find(const struct chorale_native *native,
                        enum chorale_coll coll, const char *name);

/* On what an algorithm is to be called. */
struct chorale_native_point {
    size_t count;            /* elements of the operation's n */
    size_t type_size;        /* bytes of one */
    size_t segsize;          /* bytes, as the library is set; 0: whole */
    int size;                /* ranks */
    int levels;              /* the library sees several nodes and on some of
                              * them several ranks; chorale_native_levelled */
    int in_blocks;           /* the ranks of a node are neighbours */
};

/* Why an algorithm cannot be forced there (segsize is found out), or NULL;
 * local, and the same on all ranks. */
const char *chorale_native_refuses(const struct chorale_native *native,
                                   enum chorale_coll coll, int place,
                                   const struct chorale_native_point *pt);
/* topology_levels.c: how the library itself sees a communicator's nodes: ranks on this
 * rank's node, and whether they are no neighbours in rank. Collective, makes a
 * communicator. Returns an MPI error code. */
int chorale_native_look(MPI_Comm comm, int *on_node, int *apart);

/* It works on nodes and then between them: levels and in_blocks matter. */
int chorale_native_levelled(const struct chorale_native *native,
                            enum chorale_coll coll, int place);

/* Once before an algorithm is first called, where chorale_native_wanting():
 * the communicator that it is captured by, made from lib. Each rank prepares:
 * 0, or -1, the library does not let it be chosen. When all agree that all
 * could, they make it, collective over lib; else each only restores what the
 * library had. Returns an MPI error code. */
int chorale_native_wanting(const struct chorale_native *native,
                           enum chorale_coll coll, int place);
int chorale_native_prepare(struct chorale_native *native,
                           enum chorale_coll coll, int place);
int chorale_native_make(struct chorale_native *native, enum chorale_coll coll,
                        int place, int all_could, MPI_Comm lib);

/* From begin to end calls of this collective on that communicator are made by
 * the algorithm; lib is what the library itself runs on. Local, and not to be
 * timed. */
void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place);
void chorale_native_end(struct chorale_native *native,
                        enum chorale_coll coll);
MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib);

/* native_falls.c: what Open MPI's tuned does not run as it is named, and calls
 * another for without a word; or NULL. */
const char *chorale_native_falls(enum chorale_coll coll, const char *name,
                                 const struct chorale_native_point *pt);

/* native_names.c: algorithms in the text of one of MPICH's variables: each
 * name stands before " - ", glued to the end of the text before it, and its
 * place in the list is its value. */
struct chorale_native_words {
    char (*word)[CHORALE_NATIVE_NAME];
    int count;
};
/* Learn whole names from such a text. -1: out of memory. */
int chorale_native_learn(struct chorale_native_words *words, const char *text);
/* Name i of the text, by the words where the text is ambiguous; it may be
 * empty. 0: there are no more. */
int chorale_native_name(const struct chorale_native_words *words,
                        const char *text, int i,
                        char name[CHORALE_NATIVE_NAME]);

#endif
