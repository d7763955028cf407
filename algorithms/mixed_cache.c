/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_cache.c - a type is taken apart once: what was found is kept with it.
 *
 * A derived type keeps it in an attribute, which goes when the type does, so
 * that a handle that is used again is another type; a copy of the type is
 * looked at anew. The few predefined types that are mixed are kept here.
 *
 * The key is one of the process: were it one of each context, a type that
 * outlives many communicators would collect attributes. So this is the one
 * state at file scope beside the dispatcher's; simulated ranks, which share a
 * process, have another MPI library and none of this.
 *
 * Several threads may look at one type at once. What is kept is never replaced,
 * as another thread may be about to use it: the first one stays, the others
 * use their own for this message. Nobody waits: a thread may be inside the
 * library, in a callback, while another one waits for the library. */
#include "algorithms/mixed_types.h"

#ifdef MPICH_VERSION
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { NOT_YET, READY, OVER };
enum { NPAIR = 5 };

static struct {
    atomic_flag busy;      /* some thread writes what follows */
    atomic_int stage;
    int key, last_key;     /* read only where stage is READY */
    atomic_int pair[NPAIR]; /* bytes for it; MPI_DATATYPE_NULL: not yet */
} kept = {
    .busy = ATOMIC_FLAG_INIT,
    .pair = { MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL,
              MPI_DATATYPE_NULL, MPI_DATATYPE_NULL },
};

_Static_assert(sizeof(MPI_Datatype) <= sizeof(int),
               "a type fits into an attribute and into an atomic int");

/* Of a predefined type; -1: of none that is mixed. */
static int pair_index(MPI_Datatype type)
{
    static const MPI_Datatype pair[NPAIR] = {
        MPI_DOUBLE_INT, MPI_LONG_INT, MPI_FLOAT_INT, MPI_SHORT_INT,
        MPI_LONG_DOUBLE_INT
    };

    for (int i = 0; i < NPAIR; i++)
        if (pair[i] == type)
            return i;
    return -1;
}

/* --- what MPI calls --------------------------------------------------- */

/* The type is freed, or the attribute would be replaced. */
static int on_type_end(MPI_Datatype type, int key, void *value, void *extra)
{
    MPI_Datatype bytes = (MPI_Datatype)(intptr_t)value;

    (void)type;
    (void)key;
    (void)extra;
    return bytes == MPI_DATATYPE_NULL ? MPI_SUCCESS : PMPI_Type_free(&bytes);
}

/* MPI_Finalize takes MPI_COMM_SELF's attributes first, while all of MPI still
 * works, and other threads are done with it. What types have keeps its key
 * until they go. */
static int on_end(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self;
    (void)key;
    (void)value;
    (void)extra;
    atomic_store(&kept.stage, OVER);
    for (int i = 0; i < NPAIR; i++) {
        MPI_Datatype bytes = atomic_exchange(&kept.pair[i],
                                             MPI_DATATYPE_NULL);

        if (bytes != MPI_DATATYPE_NULL)
            PMPI_Type_free(&bytes);
    }
    PMPI_Type_free_keyval(&kept.key);
    return PMPI_Comm_free_keyval(&kept.last_key);
}

/* --- what is kept ----------------------------------------------------- */

/* 1: READY now. Only for who has set busy. */
static int begin(void)
{
    if (atomic_load(&kept.stage) != NOT_YET)
        return atomic_load(&kept.stage) == READY;
    atomic_store(&kept.stage, OVER); /* if this fails it is not tried again */
    if (PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_end, &kept.key,
                                NULL) != MPI_SUCCESS)
        return 0;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_end, &kept.last_key,
                                NULL) != MPI_SUCCESS) {
        PMPI_Type_free_keyval(&kept.key);
        return 0;
    }
    if (PMPI_Comm_set_attr(MPI_COMM_SELF, kept.last_key, NULL)
        != MPI_SUCCESS) {
        PMPI_Type_free_keyval(&kept.key);
        PMPI_Comm_free_keyval(&kept.last_key);
        return 0;
    }
    atomic_store_explicit(&kept.stage, READY, memory_order_release);
    return 1;
}

/* 1: known. *bytes_p is MPI_DATATYPE_NULL if the type is not mixed. */
static int get(MPI_Datatype type, int pair, MPI_Datatype *bytes_p)
{
    void *value;
    int found;

    if (atomic_load_explicit(&kept.stage, memory_order_acquire) != READY)
        return 0;
    if (pair >= 0) {
        *bytes_p = atomic_load(&kept.pair[pair]);
        return *bytes_p != MPI_DATATYPE_NULL;
    }
    if (PMPI_Type_get_attr(type, kept.key, &value, &found) != MPI_SUCCESS
        || !found)
        return 0;
    *bytes_p = (MPI_Datatype)(intptr_t)value;
    return 1;
}

/* 1: it is kept, and no longer the caller's. */
static int put(MPI_Datatype type, int pair, MPI_Datatype bytes)
{
    MPI_Datatype other;
    int done;

    if (atomic_flag_test_and_set(&kept.busy))
        return 0;
    done = begin() && !get(type, pair, &other);
    if (done && pair >= 0)
        atomic_store(&kept.pair[pair], bytes);
    else if (done)
        done = PMPI_Type_set_attr(type, kept.key, (void *)(intptr_t)bytes)
                   == MPI_SUCCESS;
    atomic_flag_clear(&kept.busy);
    return done;
}

int chorale_mixed_as_bytes(MPI_Datatype type, MPI_Datatype *bytes_p)
{
    MPI_Datatype bytes = MPI_DATATYPE_NULL;
    const int pair = pair_index(type);
    int known = get(type, pair, &bytes), ours = 0;

    if (!known) {
        if (chorale_mixed_make(type, &bytes) < 0)
            return 0;
        known = put(type, pair, bytes);
        ours = !known && bytes != MPI_DATATYPE_NULL;
    }
    if (bytes != MPI_DATATYPE_NULL)
        *bytes_p = bytes;
    return ours;
}
#endif
