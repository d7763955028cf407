/* SPDX-License-Identifier: BSD-3-Clause */
/* size_exchange.c - carries message sizes in a recorded schedule. */
#include "algorithms/schedule/size_exchange.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A message of one rank; what is its data, NULL if not carried. */
struct parcel {
    int dest;
    size_t bytes;
    char *what;
};

/* All messages of a rank in one call, in order. */
struct said {
    struct parcel *parcel;
    int n, room;
};

/* Limit on the data held at a time; thousands of ranks may exceed it. */
#define HELD_MAX ((size_t)64 << 20)

struct chorale_mailbox {
    int size, rank;          /* ranks in the schedule; rank being run */
    const char *mem;
    size_t bytes;
    struct said *now;        /* messages of each rank in its last call */
    struct said before;      /* messages of the running rank in its previous
                              * call */
    int *got;                /* messages received so far by the running rank,
                              * per source */
    size_t held;             /* bytes of all carried data */
    int again, lacks;        /* a message changed; memory is exhausted */
};

/* Returns the bytes of data freed. */
static size_t said_free(struct said *said)
{
    size_t held = 0;

    for (int i = 0; i < said->n; i++) {
        held += said->parcel[i].what != NULL ? said->parcel[i].bytes : 0;
        free(said->parcel[i].what);
    }
    free(said->parcel);
    *said = (struct said){ NULL, 0, 0 };
    return held;
}

struct chorale_mailbox *chorale_mailbox_new(int size, const void *mem,
                                            size_t bytes)
{
    struct chorale_mailbox *told = calloc(1, sizeof(*told));

    if (told == NULL)
        return NULL;
    told->size = size;
    told->mem = mem;
    told->bytes = bytes;
    told->now = calloc((size_t)size, sizeof(*told->now));
    told->got = calloc((size_t)size, sizeof(*told->got));
    if (told->now != NULL && told->got != NULL)
        return told;
    chorale_mailbox_free(told);
    return NULL;
}

void chorale_mailbox_free(struct chorale_mailbox *told)
{
    if (told == NULL)
        return;
    for (int r = 0; told->now != NULL && r < told->size; r++)
        said_free(&told->now[r]);
    said_free(&told->before);
    free(told->now);
    free(told->got);
    free(told);
}

void chorale_mailbox_begin(struct chorale_mailbox *told, int rank)
{
    told->rank = rank;
    told->before = told->now[rank];
    told->now[rank] = (struct said){ NULL, 0, 0 };
    memset(told->got, 0, (size_t)told->size * sizeof(*told->got));
}

static int same(const struct said *a, const struct said *b)
{
    if (a->n != b->n)
        return 0;
    for (int i = 0; i < a->n; i++) {
        const struct parcel *p = &a->parcel[i], *q = &b->parcel[i];

        if (p->dest != q->dest || p->bytes != q->bytes ||
            (p->what == NULL) != (q->what == NULL) ||
            (p->what != NULL && memcmp(p->what, q->what, p->bytes) != 0))
            return 0;
    }
    return 1;
}

void chorale_mailbox_end(struct chorale_mailbox *told)
{
    told->again |= !same(&told->before, &told->now[told->rank]);
    told->held -= said_free(&told->before);
}

int chorale_mailbox_stable(struct chorale_mailbox *told)
{
    int again = told->again;

    told->again = 0;
    return told->lacks ? -1 : !again;
}

/* A message carries at most one size per rank. */
static int carries(const struct chorale_mailbox *told, const void *buf,
                   size_t bytes)
{
    const uintptr_t at = (uintptr_t)buf, mem = (uintptr_t)told->mem;

    return bytes > 0 && bytes <= (size_t)told->size * sizeof(int64_t) &&
           (at < mem || at >= mem + told->bytes);
}

static struct parcel *add(struct said *said)
{
    if (said->n == said->room) {
        int room = said->room > 0 ? 2 * said->room : 8;
        struct parcel *grown = realloc(said->parcel,
                                       sizeof(*grown) * (size_t)room);

        if (grown == NULL)
            return NULL;
        said->parcel = grown;
        said->room = room;
    }
    return &said->parcel[said->n++];
}

void chorale_mailbox_send(struct chorale_mailbox *told, const void *buf,
                          size_t bytes, int dest)
{
    struct parcel *p;

    if (told == NULL)
        return;
    p = add(&told->now[told->rank]);
    if (p == NULL) {
        told->lacks = 1;
        return;
    }
    *p = (struct parcel){ .dest = dest, .bytes = bytes };
    if (!carries(told, buf, bytes))
        return;
    if (bytes <= HELD_MAX - told->held)
        p->what = malloc(bytes);
    if (p->what == NULL) {
        told->lacks = 1;
        return;
    }
    memcpy(p->what, buf, bytes);
    told->held += bytes;
}

void chorale_mailbox_recv(struct chorale_mailbox *told, void *buf, size_t bytes,
                          int source)
{
    const struct said *said;
    int skip;

    if (told == NULL)
        return;
    skip = told->got[source]++;
    if (!carries(told, buf, bytes))
        return;
    memset(buf, 0, bytes);
    said = &told->now[source];
    for (int i = 0; i < said->n; i++) {
        const struct parcel *p = &said->parcel[i];

        if (p->dest != told->rank || skip-- > 0)
            continue;
        if (p->what != NULL)
            memcpy(buf, p->what, p->bytes < bytes ? p->bytes : bytes);
        return;
    }
}

void chorale_mailbox_copy(struct chorale_mailbox *told, void *to,
                          const void *from,
                          size_t bytes)
{
    if (told != NULL && carries(told, to, bytes) &&
        carries(told, from, bytes))
        memmove(to, from, bytes);
}

void chorale_mailbox_reduce(struct chorale_mailbox *told, const void *in,
                            void *inout, size_t bytes, MPI_Datatype type,
                            MPI_Op op)
{
    const int64_t *a = in;
    int64_t *b = inout;

    if (told == NULL || type != MPI_INT64_T || op != MPI_MAX ||
        !carries(told, in, bytes) || !carries(told, inout, bytes))
        return;
    for (size_t i = 0; i < bytes / sizeof(*a); i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}
