/* SPDX-License-Identifier: BSD-3-Clause */
/* maps.h - random datatypes of a given signature, and send or receive buffers
 * of such a type, in memory where every byte is known. */
#ifndef CHORALE_TESTS_SHIM_PROGRAMS_MAPS_H
#define CHORALE_TESTS_SHIM_PROGRAMS_MAPS_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 0x5a, GUARD = 256, MAX_SIZE = 16 };

/* The next random number of a stream, 0 ... below - 1. (Steele, Lea, Flood:
 * Fast splittable pseudorandom number generators, 2014.) */
static inline int draw(uint64_t *stream, int below)
{
    uint64_t x = *stream += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (int)((x ^ x >> 31) % (uint64_t)below);
}

/* e elements of base in a few blocks with gaps between them. turned: the first
 * blocks of the type map lie behind the others. */
static inline MPI_Datatype blocks_of(uint64_t *stream, MPI_Datatype base, int e,
                              int how, int turned)
{
    MPI_Datatype part[4] = { base, base, base, base }, made;
    int length[4], place[4], n = 0, at = 0;
    MPI_Aint low, extent, far[4];

    MPI_Type_get_extent(base, &low, &extent);
    for (int left = e; left > 0; n++) {
        length[n] = n == 3 ? left : 1 + draw(stream, left);
        left -= length[n];
        at += draw(stream, 3);
        place[n] = at;
        at += length[n];
    }
    for (int i = 0; i < n; i++) {
        if (turned)
            place[i] = at - place[i] - length[i];
        far[i] = place[i] * extent;
    }
    if (how == 0)
        MPI_Type_indexed(n, length, place, base, &made);
    else if (how == 1)
        MPI_Type_create_hindexed(n, length, far, base, &made);
    else
        MPI_Type_create_struct(n, length, far, part, &made);
    return made;
}

/* A type resized to random bounds; the lower one may precede the data. */
static inline MPI_Datatype bounded(uint64_t *stream, MPI_Datatype made)
{
    MPI_Datatype wider;
    MPI_Aint low, extent;

    MPI_Type_get_extent(made, &low, &extent);
    MPI_Type_create_resized(made, low - 16 * draw(stream, 3),
                            extent + 16 * (2 + draw(stream, 3)), &wider);
    MPI_Type_free(&made);
    return wider;
}

/* A random type of e elements of base, in order. Up to `span` of this type in
 * a row do not overlap. */
static inline MPI_Datatype map_of(uint64_t *stream, MPI_Datatype base, int e,
                           int span)
{
    MPI_Datatype made, inner;
    MPI_Aint low, extent;
    const int how = draw(stream, 9), step = 1 + draw(stream, 3);

    MPI_Type_get_extent(base, &low, &extent);
    if (how == 0)
        MPI_Type_contiguous(e, base, &made);
    else if (how == 1)
        MPI_Type_vector(e, 1, step, base, &made);
    else if (how == 2)
        MPI_Type_vector(e, 1, -step, base, &made);
    else if (how == 3)
        MPI_Type_create_hvector(e, 1, -extent * step, base, &made);
    else if (how == 4) { /* elements interleave */
        MPI_Type_vector(e, 1, span, base, &inner);
        MPI_Type_create_resized(inner, 0, extent, &made);
        MPI_Type_free(&inner);
    } else {
        made = blocks_of(stream, base, e, how % 3, draw(stream, 2));
    }
    if (how != 4 && draw(stream, 3) == 0)
        made = bounded(stream, made);
    return made;
}

/* The data that a rank sends or receives, in blocks: block b has size[b]
 * elements of base. */
struct side {
    MPI_Datatype type;       /* type and */
    void *buf;               /* buffer passed to the call */
    int count[MAX_SIZE], displ[MAX_SIZE]; /* in units of type; count[0] if
                                           * equal */
    int blocks, borrowed;    /* borrowed: the caller owns type */
    MPI_Datatype whole;      /* all blocks, relative to at */
    char *memory, *at;
    size_t room, nbyte;      /* bytes of memory; bytes of data */
};

static inline int divisor(uint64_t *stream, int unit)
{
    int e;

    do
        e = 1 + draw(stream, unit);
    while (unit % e != 0);
    return e;
}

/* Place the blocks; scattered: in any order, with gaps. Returns the number of
 * elements of the type that they span. */
static inline int place_blocks(uint64_t *stream, struct side *s, int scattered)
{
    int order[MAX_SIZE], at = 0;

    for (int b = 0; b < s->blocks; b++)
        order[b] = b;
    for (int b = s->blocks - 1; b > 0 && scattered; b--) {
        const int k = draw(stream, b + 1), was = order[b];

        order[b] = order[k];
        order[k] = was;
    }
    for (int b = 0; b < s->blocks; b++) {
        at += scattered ? draw(stream, 3) : 0;
        s->displ[order[b]] = at;
        at += s->count[order[b]];
    }
    return at > 0 ? at : 1;
}

/* Allocate its memory. bottom: the call gets MPI_BOTTOM and a type with
 * addresses, instead of a buffer. */
static inline void side_memory(struct side *s, int bottom)
{
    MPI_Aint low, extent, where;
    const int once = 1;
    int size;

    MPI_Type_indexed(s->blocks, s->count, s->displ, s->type, &s->whole);
    MPI_Type_commit(&s->whole);
    MPI_Type_size(s->whole, &size);
    MPI_Type_get_true_extent(s->whole, &low, &extent);
    if (size == 0)
        low = extent = 0;
    s->nbyte = (size_t)size;
    s->room = (size_t)extent + 2 * GUARD;
    s->memory = malloc(s->room);
    memset(s->memory, GAP, s->room);
    s->at = s->memory + GUARD - low;
    s->buf = s->at;
    if (bottom) {
        MPI_Datatype here;

        MPI_Get_address(s->at, &where);
        MPI_Type_create_hindexed(1, &once, &where, s->type, &here);
        MPI_Type_free(&s->type);
        s->type = here;
        s->buf = MPI_BOTTOM;
    }
    if (!s->borrowed)
        MPI_Type_commit(&s->type);
}

/* A random side. unit divides all sizes. */
static inline struct side side_new(uint64_t *stream, MPI_Datatype base,
                                   int unit, const int *size, int blocks,
                                   int scattered)
{
    const int e = divisor(stream, unit);
    struct side s = { .blocks = blocks };
    int span;

    for (int b = 0; b < blocks; b++)
        s.count[b] = size[b] / e;
    span = place_blocks(stream, &s, scattered);
    s.type = map_of(stream, base, e, span);
    side_memory(&s, draw(stream, 4) == 0);
    return s;
}

/* A side with an existing type, owned by the caller. */
static inline struct side side_of(MPI_Datatype type, int count)
{
    struct side s = { .type = type, .count = { count }, .blocks = 1,
                      .borrowed = 1 };

    side_memory(&s, 0);
    return s;
}

/* Store packed bytes, block after block. */
static inline void side_put(struct side *s, char *memory, const char *bytes)
{
    int at = 0;

    if (s->nbyte > 0)
        MPI_Unpack(bytes, (int)s->nbyte, &at, memory + (s->at - s->memory), 1,
                   s->whole, MPI_COMM_SELF);
}

/* 1 if the memory equals was with these bytes stored in it (NULL: no bytes). */
static inline int side_is(struct side *s, const char *was, const char *bytes)
{
    char *want = malloc(s->room);
    int same;

    memcpy(want, was, s->room);
    if (bytes != NULL)
        side_put(s, want, bytes);
    same = memcmp(want, s->memory, s->room) == 0;
    free(want);
    return same;
}

static inline char *side_copy(const struct side *s)
{
    char *copy = malloc(s->room);

    memcpy(copy, s->memory, s->room);
    return copy;
}

static inline void side_free(struct side *s)
{
    MPI_Type_free(&s->whole);
    if (!s->borrowed)
        MPI_Type_free(&s->type);
    free(s->memory);
}

#endif
