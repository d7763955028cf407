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
#ifndef CHORALE_RUNNERS_NATIVE_H
#define CHORALE_RUNNERS_NATIVE_H

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

/* Once before an algorithm is first called; collective over world. Returns an
 * MPI error code; *why_p: why it cannot be forced, NULL where it can. */
int chorale_native_admit(struct chorale_native *native, MPI_Comm world,
                         enum chorale_coll coll, int place,
                         const char **why_p);

/* From begin to end calls of this collective on that communicator are made by
 * the algorithm; lib is what the library itself runs on. Local, and not to be
 * timed. */
void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place);
void chorale_native_end(struct chorale_native *native,
                        enum chorale_coll coll);
MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib);

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
