/* SPDX-License-Identifier: BSD-3-Clause */
/* comm_messages.c - count the messages that Open MPI's collectives send.
 *
 * The table has been the same in versions 2 to 5, except for one more function
 * before those that send, since version 5. Each takes at most eight arguments,
 * all of them integers or pointers, so one type of wrapper passes them on. */
#include "config.h"

#include "runners/native/comm_messages.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/* The functions that may send: [FIRST, FIRST + WIDTH) of the table. Argument
 * COMM of a function that sends is the communicator. */
enum { FIRST = 10, WIDTH = 3 };

typedef intptr_t any_fn(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                        intptr_t, intptr_t, intptr_t);

static any_fn **table;       /* NULL: not found */
static any_fn *original[WIDTH];
static int sends[WIDTH];     /* 1: it sends */
static long calls[WIDTH];
static int last_mode, synchronous; /* how a message is sent; MPI_Ssend's way */
static MPI_Comm counted;
static struct chorale_comm_messages messages;

static void note_other(int mode, MPI_Comm comm)
{
    int i = 0;

    while (i < messages.others && messages.other[i].comm != comm)
        i++;
    if (i == CHORALE_COMM_OTHERS)
        return;
    if (i == messages.others)
        messages.others++;
    messages.other[i].comm = comm;
    messages.other[i].sent++;
    messages.other[i].synchronous += mode == synchronous;
}

static void count(int i, int mode, intptr_t comm)
{
    calls[i]++;
    last_mode = mode;
    if (!sends[i])
        return;
    if (comm == (intptr_t)counted) {
        messages.on++;
    } else {
        messages.elsewhere++;
        note_other(mode, (MPI_Comm)comm);
    }
}

#define WRAPPER(i)                                                           \
    static intptr_t wrapper_##i(intptr_t a, intptr_t b, intptr_t c,          \
                                intptr_t d, intptr_t e, intptr_t mode,       \
                                intptr_t comm, intptr_t h)                   \
    {                                                                        \
        count(i, (int)mode, comm);                                           \
        return original[i](a, b, c, d, e, mode, comm, h);                    \
    }
WRAPPER(0)
WRAPPER(1)
WRAPPER(2)
static any_fn *const wrapper[WIDTH] = { wrapper_0, wrapper_1, wrapper_2 };

static void wrap(int on)
{
    for (int i = 0; i < WIDTH; i++) {
        if (on)
            original[i] = table[FIRST + i];
        table[FIRST + i] = on ? wrapper[i] : original[i];
    }
}

enum way { SEND, SSEND, ISEND };

/* Send one message to this rank, with MPI_Send, MPI_Ssend or MPI_Isend, and
 * return the only function that was called, or -1. */
static int find(enum way way)
{
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    MPI_Status status[2];
    char out = 0, in;
    int found = -1;

    for (int i = 0; i < WIDTH; i++)
        calls[i] = 0;
    PMPI_Irecv(&in, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request[0]);
    wrap(1);
    if (way == SEND)
        PMPI_Send(&out, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    else if (way == SSEND)
        PMPI_Ssend(&out, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    else
        PMPI_Isend(&out, 1, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request[1]);
    wrap(0);
    PMPI_Waitall(2, request, status);
    for (int i = 0; i < WIDTH; i++)
        if (calls[i] > 0)
            found = found < 0 && calls[i] == 1 ? i : WIDTH;
    return found < WIDTH ? found : -1;
}

int chorale_comm_messages_open(void)
{
    static int opened;
    int send, isend, standard;

    if (opened++)
        return table != NULL ? 0 : -1;
    table = dlsym(RTLD_DEFAULT, "mca_pml");
    if (table == NULL)
        return -1;
    send = find(SEND);
    standard = last_mode;
    isend = find(ISEND);
    if (send < 0 || isend < 0 || send == isend || last_mode != standard ||
        find(SSEND) != send || last_mode == standard) {
        table = NULL;
        return -1;
    }
    sends[send] = sends[isend] = 1;
    synchronous = last_mode;
    counted = MPI_COMM_SELF;
    find(SEND);
    find(ISEND);
    if (messages.on != 2 || messages.elsewhere != 0)
        table = NULL;
    return table != NULL ? 0 : -1;
}

void chorale_comm_messages_begin(MPI_Comm comm)
{
    counted = comm;
    messages = (struct chorale_comm_messages){ 0 };
    wrap(1);
}

void chorale_comm_messages_end(struct chorale_comm_messages *seen)
{
    wrap(0);
    *seen = messages;
}
