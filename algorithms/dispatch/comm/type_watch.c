/* SPDX-License-Identifier: BSD-3-Clause */
/* type_watch.c - reports the end of watched datatypes by an attribute. */
#include "config.h"

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/comm/type_watch.h"

atomic_ullong chorale_types_ended;

static int key; /* valid after chorale_types_start() */

static int no_copy(MPI_Datatype type, int type_key, void *extra, void *in,
                   void *out, int *flag)
{
    (void)type;
    (void)type_key;
    (void)extra;
    (void)in;
    (void)out;
    *flag = 0;
    return MPI_SUCCESS;
}

/* Runs when the type is freed. It also runs if two threads begin to watch it
 * at once and one value replaces the other, which only drops cached entries. */
static int on_end(MPI_Datatype type, int type_key, void *value, void *extra)
{
    (void)type;
    (void)type_key;
    (void)value;
    (void)extra;
    atomic_fetch_add(&chorale_types_ended, 1);
    atomic_fetch_add(&chorale_epoch, CHORALE_EPOCH_STEP);
    return MPI_SUCCESS;
}

int chorale_types_start(void)
{
    return PMPI_Type_create_keyval(no_copy, on_end, &key, NULL)
           == MPI_SUCCESS;
}

void chorale_types_stop(void)
{
    PMPI_Type_free_keyval(&key);
}

int chorale_types_predefined(MPI_Datatype type)
{
    int n[3], combiner;

    return chorale_type_is_plain(type)
        || (PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner)
                == MPI_SUCCESS
            && combiner == MPI_COMBINER_NAMED);
}

int chorale_types_watch(MPI_Datatype type)
{
    void *value;
    int found;

    return (PMPI_Type_get_attr(type, key, &value, &found) == MPI_SUCCESS
            && found)
        || PMPI_Type_set_attr(type, key, &key) == MPI_SUCCESS;
}
