/* SPDX-License-Identifier: BSD-3-Clause */
/* native_found.h - the algorithms that native_find.c found in the library, for
 * native.c, which forces them. */
#ifndef CHORALE_RUNNERS_NATIVE_NATIVE_FOUND_H
#define CHORALE_RUNNERS_NATIVE_NATIVE_FOUND_H

#include "algorithms/coll.h"
#include "runners/native/comm_messages.h"
#include "runners/native/native_names.h"
#include "runners/native/native_variables.h"

struct chorale_native_algorithm {
    char name[CHORALE_NATIVE_NAME];
    int value;               /* value of the control variable */
    int han;                 /* of Open MPI's component han, not of tuned */
    struct chorale_knob param;       /* of its parameter, if open */
    int setting;             /* value of that parameter */
    size_t segsize;          /* the same if it is a segment size; 0: default */
    MPI_Comm comm;           /* made while it was forced; tuned only */
    int up, low;             /* han: 1 where its module is adapt, or sm */
    char part[96];           /* of its own launches, or "" */
    int unset;               /* the library does not have that part's value */
};

struct chorale_native {
    struct chorale_knob knob[CHORALE_NCOLL];
    struct chorale_native_algorithm *algorithm[CHORALE_NCOLL];
    int count[CHORALE_NCOLL];
    struct chorale_knob device, fallback; /* MPICH */
    int no_device, fail;     /* values for device and fallback */
    int silent;              /* value of fallback for algorithms that call the
                              * same collective on each node, where they cannot
                              * run themselves; -1: unknown */
    int by_comm;             /* 1: Open MPI's way */
    struct chorale_knob han[CHORALE_NCOLL]; /* Open MPI: read at each call */
    MPI_Comm han_comm;       /* of all algorithms of han */
    MPI_Group node;          /* the ranks of this rank's node; for han_comm */
    int counts;              /* messages can be counted */
    int overruled;           /* tuned has a rules file, which comes first */
    struct chorale_comm_messages seen; /* in the last watched call */
};

#endif
