/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_cache.c - cache of the byte types that stand for mixed datatypes.
 *
 * The byte type of a derived type is stored in an attribute of that type. MPI
 * deletes the attribute when the type is freed, so a reused handle starts
 * without one; duplicates of a type do not inherit it. The byte types of the
 * few mixed predefined types are stored in this file.
 *
 * The attribute key is global to the process. With a key per context, a type
 * that outlives many communicators would collect attributes. This is therefore
 * the only state at file scope apart from the dispatcher's. Simulated ranks
 * share a process, but they use another MPI library and none of this code.
 *
 * Several threads may look up one type at once. A stored byte type is never
 * replaced, because another thread may be about to use it. The first one stored
 * stays; a thread that loses the race uses its own for the current message. No
 * thread waits for another: a thread that holds the flag may be inside the
 * library, in a callback, while another one waits for the library. */
#include "algorithms/mixed_types.h"

#ifdef MPICH_VERSION
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { NOT_YET, READY, OVER };
enum { NPAIR = 5 };

static struct {
    atomic_flag busy;      /* set while a thread writes the fields below */
    atomic_int stage;
    int key, last_key;     /* valid only if stage is READY */
    atomic_int pair[NPAIR]; /* byte type of each; MPI_DATATYPE_NULL: not stored
                             * yet */
} kept = {
    .busy = ATOMIC_FLAG_INIT,
    .pair = { MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL,
              MPI_DATATYPE_NULL, MPI_DATATYPE_NULL },
};

_Static_assert(sizeof(MPI_Datatype) <= sizeof(int),
               "a type fits into an attribute and into an atomic int");

/* Index of a mixed predefined type, else -1. */
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

/* --- callbacks from MPI --------------------------------------------------- */

/* The type is being freed, or its attribute replaced. */
static int on_type_end(MPI_Datatype type, int key, void *value, void *extra)
{
    MPI_Datatype bytes = (MPI_Datatype)(intptr_t)value;

    (void)type;
    (void)key;
    (void)extra;
    return bytes == MPI_DATATYPE_NULL ? MPI_SUCCESS : PMPI_Type_free(&bytes);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while all of MPI
 * still works and other threads no longer use it. Attributes on types keep
 * their key alive until they are deleted. */
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

/* --- cache ---------------------------------------------------------------- */

/* Returns 1 if the cache is READY. The caller must have set busy. */
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

/* Returns 1 if type is cached; *bytes_p is MPI_DATATYPE_NULL if it is not
 * mixed. */
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

/* Returns 1 if bytes is stored; the cache owns it then. */
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
