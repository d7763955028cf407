/* SPDX-License-Identifier: BSD-3-Clause */
/* native_none.c - native.h where MPI has no control variables: SimGrid. */
#include "runners/native.h"

void chorale_native_allow(void)
{
}

struct chorale_native *chorale_native_open(void)
{
    return NULL;
}

void chorale_native_close(struct chorale_native *native)
{
    (void)native;
}

int chorale_native_print(const struct chorale_native *native, FILE *out)
{
    (void)native;
    (void)out;
    return 0;
}

int chorale_native_find(const struct chorale_native *native,
                        enum chorale_coll coll, const char *name)
{
    (void)native;
    (void)coll;
    (void)name;
    return -1;
}

int chorale_native_admit(struct chorale_native *native, MPI_Comm world,
                         enum chorale_coll coll, int place,
                         const char **why_p)
{
    (void)native;
    (void)world;
    (void)coll;
    (void)place;
    *why_p = "in simulation algorithms are forced by --sim-selector";
    return MPI_SUCCESS;
}

void chorale_native_begin(struct chorale_native *native,
                          enum chorale_coll coll, int place)
{
    (void)native;
    (void)coll;
    (void)place;
}

void chorale_native_end(struct chorale_native *native, enum chorale_coll coll)
{
    (void)native;
    (void)coll;
}

MPI_Comm chorale_native_comm(const struct chorale_native *native,
                             enum chorale_coll coll, int place, MPI_Comm lib)
{
    (void)native;
    (void)coll;
    (void)place;
    return lib;
}
