/* SPDX-License-Identifier: BSD-3-Clause */
/* quiet.c - see quiet.h. A handler of MPI's has no argument of its own, so
 * there is one function for each handler of the application's that is stood
 * for at a time. What was made in a callback, by a call that we do not see, has
 * inherited ours: its first error gives it the application's back. */
#include "config.h"

#include <mpi.h>
#include <string.h>

#include "algorithms/dispatch/pmpi.h"
#include "algorithms/dispatch/quiet.h"

/* Room for any library's text: the bound of our mpi.h may not be its own. */
#define TEXT_ROOM 8192

#define COMM(word) ((MPI_Comm)(word))

/* Of the application's handlers the one that was last begun with longest ago
 * makes room for the next one. */
#define SLOTS(X)                                                             \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)      \
    X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)  \
    X(25) X(26) X(27) X(28) X(29) X(30) X(31)
enum { NSLOTS = 32 };

static struct slot {
    MPI_Errhandler users, ours; /* both held */
    unsigned long used;         /* when; 0: free */
} slots[NSLOTS];

static unsigned long uses;

static _Thread_local struct chorale_quiet *innermost CHORALE_TLS;

int chorale_quiet_full(int rc)
{
#ifdef OPEN_MPI
    (void)rc;
    return 0;
#else
    char text[TEXT_ROOM] = "";
    int length;

    return PMPI_Error_string(rc, text, &length) == MPI_SUCCESS
        && strstr(text, "oo many communicators") != NULL;
#endif
}

/* Of a word that is an int here only the lower half is the handle's. */
static struct chorale_quiet *frame_of(chorale_word comm)
{
    struct chorale_quiet *frame = innermost;

    while (frame != NULL && COMM(frame->comm) != COMM(comm))
        frame = frame->outer;
    return frame;
}

static struct slot *slot_of_ours(MPI_Errhandler handler)
{
    for (int i = 0; i < NSLOTS; i++)
        if (slots[i].used != 0 && slots[i].ours == handler)
            return &slots[i];
    return NULL;
}

/* Gives comm the application's handler, if it has ours. */
static void uncover(MPI_Comm comm)
{
    MPI_Errhandler has;
    struct slot *slot;

    if (PMPI_Comm_get_errhandler(comm, &has) != MPI_SUCCESS)
        return;
    slot = slot_of_ours(has);
    if (slot != NULL)
        PMPI_Comm_set_errhandler(comm, slot->users);
    PMPI_Errhandler_free(&has);
}

static int cover(MPI_Comm comm, int *rc);

static void told(int i, MPI_Comm *comm, int *rc)
{
    struct chorale_quiet *frame = frame_of((chorale_word)*comm);
    int ignored;

    if (frame != NULL && chorale_quiet_full(*rc)) {
        frame->kept = 1;
        return;
    }
    if (slots[i].used == 0) /* MPI_Finalize has begun: the code says it */
        return;
    PMPI_Comm_set_errhandler(*comm, slots[i].users);
    PMPI_Comm_call_errhandler(*comm, *rc);
    if (frame_of((chorale_word)*comm) != NULL)
        cover(*comm, &ignored);
}

#define X(i)                                                                 \
    static void told_##i(MPI_Comm *comm, int *rc, ...)                       \
    {                                                                        \
        told(i, comm, rc);                                                   \
    }
SLOTS(X)
#undef X

static MPI_Comm_errhandler_function *const functions[NSLOTS] = {
#define X(i) told_##i,
    SLOTS(X)
#undef X
};

static void empty(struct slot *slot)
{
    if (slot->used != 0) {
        PMPI_Errhandler_free(&slot->users);
        PMPI_Errhandler_free(&slot->ours);
    }
    slot->used = 0;
}

/* The slot of a handler that the caller holds, which is the slot's then. */
static struct slot *slot_for(MPI_Errhandler users)
{
    struct slot *oldest = &slots[0];

    for (int i = 0; i < NSLOTS; i++) {
        if (slots[i].used != 0 && slots[i].users == users) {
            PMPI_Errhandler_free(&users);
            return &slots[i];
        }
        if (slots[i].used < oldest->used)
            oldest = &slots[i];
    }
    empty(oldest);
    if (PMPI_Comm_create_errhandler(functions[oldest - slots], &oldest->ours)
        != MPI_SUCCESS) {
        PMPI_Errhandler_free(&users);
        return NULL;
    }
    oldest->users = users;
    return oldest;
}

/* Gives comm ours in place of the application's: 1 if its errors are kept, or
 * returned anyway. *rc is MPI's if comm is none. */
static int cover(MPI_Comm comm, int *rc)
{
    MPI_Errhandler has;
    struct slot *slot;

    *rc = PMPI_Comm_get_errhandler(comm, &has);
    if (*rc != MPI_SUCCESS)
        return 0;
    slot = slot_of_ours(has);
    if (has == MPI_ERRORS_RETURN || slot != NULL) {
        PMPI_Errhandler_free(&has);
    } else {
        slot = slot_for(has);
        if (slot == NULL)
            return 0;
        PMPI_Comm_set_errhandler(comm, slot->ours);
    }
    if (slot != NULL)
        slot->used = ++uses;
    return 1;
}

int chorale_quiet_begin(struct chorale_quiet *frame, chorale_word comm)
{
#ifndef OPEN_MPI
    if (!chorale_pmpi_ready() || COMM(comm) == MPI_COMM_NULL)
        return 0;
    if (!cover(COMM(comm), &frame->rc))
        return frame->rc == MPI_SUCCESS ? 0 : -1;
    frame->comm = comm;
    frame->kept = 0;
    frame->outer = innermost;
    innermost = frame;
    return 1;
#else
    (void)frame;
    (void)comm;
    return 0;
#endif
}

void chorale_quiet_end(struct chorale_quiet *frame, int rc, const void *made)
{
    innermost = frame->outer;
    if (rc == MPI_SUCCESS && made != NULL
        && *(const MPI_Comm *)made != MPI_COMM_NULL)
        uncover(*(const MPI_Comm *)made);
    uncover(COMM(frame->comm));
    if (rc != MPI_SUCCESS && frame->kept)
        PMPI_Comm_call_errhandler(COMM(frame->comm), rc);
    chorale_quiet_set(frame->comm); /* for a call round this one */
}

int chorale_quiet_open(chorale_word comm)
{
    return frame_of(comm) != NULL;
}

void chorale_quiet_set(chorale_word comm)
{
    int ignored;

    if (frame_of(comm) != NULL)
        cover(COMM(comm), &ignored);
}

void chorale_quiet_get(chorale_word comm, void *handler)
{
    MPI_Errhandler *got = handler;
    struct slot *slot = uses > 0 ? slot_of_ours(*got) : NULL;

    if (slot == NULL)
        return;
    PMPI_Errhandler_free(got);
    PMPI_Comm_set_errhandler(COMM(comm), slot->users);
    PMPI_Comm_get_errhandler(COMM(comm), got);
    chorale_quiet_set(comm);
}

void chorale_quiet_release(void)
{
    for (int i = 0; i < NSLOTS; i++)
        empty(&slots[i]);
}
