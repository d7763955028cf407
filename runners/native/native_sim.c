/* SPDX-License-Identifier: BSD-3-Clause */
/* native_sim.c - native.h in simulation. SimGrid takes one algorithm for the
 * whole program, --cfg=smpi/COLLECTIVE:ALGORITHM, and `chorale run` starts a
 * launch for each. This file only needs to know the algorithm of this launch.
 * SimGrid ends the program at start if it does not know that algorithm. */
#include "runners/native/native.h"

#include <stdlib.h>
#include <string.h>

struct chorale_native {
    enum chorale_coll coll;
    char name[CHORALE_NATIVE_NAME];
};

void chorale_native_allow(void)
{
}

struct chorale_native *chorale_native_open(const char *part)
{
    struct chorale_native *native;
    const char *colon = strchr(part, ':');
    char coll[32] = "";
    int found = -1;

    if (colon != NULL && (size_t)(colon - part) < sizeof(coll)) {
        memcpy(coll, part, (size_t)(colon - part));
        found = chorale_coll_find(coll);
    }
    if (found < 0 || strlen(colon + 1) >= sizeof(native->name))
        return NULL;
    native = calloc(1, sizeof(*native));
    if (native == NULL)
        return NULL;
    native->coll = (enum chorale_coll)found;
    strcpy(native->name, colon + 1);
    return native;
}

void chorale_native_close(struct chorale_native *native)
{
    free(native);
}

int chorale_native_print(const struct chorale_native *native, FILE *out)
{
    if (native != NULL)
        fprintf(out, "%s %s\n", chorale_coll_info(native->coll)->name,
                native->name);
    return native != NULL;
}

int chorale_native_find(const struct chorale_native *native,
                        enum chorale_coll coll, const char *name)
{
    return native != NULL && native->coll == coll &&
                   strcmp(native->name, name) == 0
               ? 0
               : -1;
}

const char *chorale_native_refuses(const struct chorale_native *native,
                                   enum chorale_coll coll, int place,
                                   const struct chorale_native_point *pt)
{
    (void)native;
    (void)coll;
    (void)pt;
    return place < 0 ? "this launch does not force it" : NULL;
}

int chorale_native_is_hierarchical(const struct chorale_native *native,
                                   enum chorale_coll coll, int place)
{
    (void)native;
    (void)coll;
    (void)place;
    return 0; /* SimGrid's also run with one rank per node */
}

int chorale_native_needs_comm(const struct chorale_native *native,
                              enum chorale_coll coll, int place)
{
    (void)native;
    (void)coll;
    (void)place;
    return 0;
}

int chorale_native_prepare(struct chorale_native *native,
                           enum chorale_coll coll, int place)
{
    (void)native;
    (void)coll;
    (void)place;
    return 0;
}

int chorale_native_make(struct chorale_native *native, enum chorale_coll coll,
                        int place, int all_could, MPI_Comm lib)
{
    (void)native;
    (void)coll;
    (void)place;
    (void)all_could;
    (void)lib;
    return MPI_SUCCESS;
}

void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place)
{
    (void)native;
    (void)coll;
    (void)place;
}

void chorale_native_end(struct chorale_native *native, enum chorale_coll coll,
                        int place)
{
    (void)native;
    (void)coll;
    (void)place;
}

void chorale_native_watch(struct chorale_native *native,
                          enum chorale_coll coll, int place, MPI_Comm lib)
{
    (void)lib;
    (void)native;
    (void)coll;
    (void)place;
}

void chorale_native_unwatch(struct chorale_native *native)
{
    (void)native;
}

int chorale_native_sent(const struct chorale_native *native,
                        double sent[CHORALE_NSENT])
{
    (void)native;
    (void)sent;
    return 0; /* SimGrid forces it, or ends the program */
}

const char *chorale_native_unproved(const struct chorale_native *native,
                                    enum chorale_coll coll, int place,
                                    const double most[CHORALE_NSENT],
                                    size_t n)
{
    (void)native;
    (void)coll;
    (void)place;
    (void)most;
    (void)n;
    return NULL;
}

MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib)
{
    (void)native;
    (void)coll;
    (void)place;
    return lib;
}
