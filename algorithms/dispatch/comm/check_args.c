/* SPDX-License-Identifier: BSD-3-Clause */
/* check_args.c - compares the arguments of all ranks. Each rank sends its
 * summary to all, each checks all, and the lowest rank that finds a difference
 * prints it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/dispatch/comm/check_args.h"
#include "algorithms/fnv1a.h"

enum { NOT_HERE = -1, WRONG = -2, LINE = 512, DEPTH = 16 };

static const struct {
    MPI_Op op;
    const char *name;
} ops[] = {
    { MPI_OP_NULL, "no operation" },
    { MPI_OP_NULL, "a user-defined operation" },
    { MPI_SUM, "MPI_SUM" }, { MPI_PROD, "MPI_PROD" }, { MPI_MIN, "MPI_MIN" },
    { MPI_MAX, "MPI_MAX" }, { MPI_BAND, "MPI_BAND" }, { MPI_BOR, "MPI_BOR" },
    { MPI_BXOR, "MPI_BXOR" }, { MPI_LAND, "MPI_LAND" },
    { MPI_LOR, "MPI_LOR" }, { MPI_LXOR, "MPI_LXOR" },
    { MPI_MINLOC, "MPI_MINLOC" }, { MPI_MAXLOC, "MPI_MAXLOC" }
};

enum { NOPS = sizeof(ops) / sizeof(ops[0]) };

/* --- summary of this rank's call ---------------------------------------- */

static int op_number(MPI_Op op)
{
    for (int i = 2; i < NOPS; i++)
        if (ops[i].op == op)
            return i;
    return op != MPI_OP_NULL;
}

static long long bytes_of(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size;

    if (count < 0 || type == MPI_DATATYPE_NULL
        || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return WRONG;
    return (long long)(count * size);
}

/* counts[i], or -1 for a null array. Arrays of large counts come unchecked
 * from the program, and a wrong call may pass NULL. */
static MPI_Count count_at(const MPI_Count *counts, int i)
{
    return counts != NULL ? counts[i] : -1;
}

static int same_basics(MPI_Datatype type, int depth, int ni, int na, int nd,
                       MPI_Datatype *basic);

/* Find the only basic type of type. Returns 0, or -1 if there are several or
 * it is unknown. *basic: MPI_DATATYPE_NULL, or the type found so far. */
static int basic_of(MPI_Datatype type, int depth, MPI_Datatype *basic)
{
    int ni, na, nd, combiner;

    if (type == MPI_DATATYPE_NULL || depth > DEPTH
        || PMPI_Type_get_envelope(type, &ni, &na, &nd, &combiner)
               != MPI_SUCCESS)
        return -1;
    if (combiner != MPI_COMBINER_NAMED)
        return nd > 0 ? same_basics(type, depth, ni, na, nd, basic) : -1;
    if (*basic != MPI_DATATYPE_NULL && *basic != type)
        return -1;
    *basic = type;
    return 0;
}

static void free_derived_type(MPI_Datatype *type)
{
    int ni, na, nd, combiner;

    if (PMPI_Type_get_envelope(*type, &ni, &na, &nd, &combiner) == MPI_SUCCESS
        && combiner != MPI_COMBINER_NAMED)
        PMPI_Type_free(type);
}

static int same_basics(MPI_Datatype type, int depth, int ni, int na, int nd,
                       MPI_Datatype *basic)
{
    int *integer = calloc((size_t)ni + 1, sizeof(*integer)), rc = -1;
    MPI_Aint *address = calloc((size_t)na + 1, sizeof(*address));
    MPI_Datatype *part = calloc((size_t)nd, sizeof(*part));

    if (integer != NULL && address != NULL && part != NULL
        && PMPI_Type_get_contents(type, ni, na, nd, integer, address, part)
               == MPI_SUCCESS) {
        rc = 0;
        for (int i = 0; i < nd; i++) {
            rc = rc != 0 ? rc : basic_of(part[i], depth + 1, basic);
            free_derived_type(&part[i]);
        }
    }
    free(integer);
    free(address);
    free(part);
    return rc;
}

/* Name of the only basic type. MPI_BYTE and MPI_PACKED match any type, so they
 * have no name. */
static void name_type(MPI_Datatype type, char *name, size_t size)
{
    char full[MPI_MAX_OBJECT_NAME] = "";
    MPI_Datatype basic = MPI_DATATYPE_NULL;
    int length;

    if (basic_of(type, 0, &basic) == 0 && basic != MPI_BYTE
        && basic != MPI_PACKED && PMPI_Type_get_name(basic, full, &length)
                                      == MPI_SUCCESS)
        snprintf(name, size, "%.*s", (int)size - 1, full);
}

/* FNV-1a hash of the bytes of each block. */
static unsigned long long digest(const MPI_Count *count, int n,
                                 MPI_Datatype type)
{
    uint64_t hash = CHORALE_FNV1A_START;

    for (int i = 0; i < n; i++) {
        const long long bytes = bytes_of(count_at(count, i), type);

        hash = chorale_fnv1a(hash, &bytes, sizeof(bytes));
    }
    return hash;
}

static void record_block_sizes(struct chorale_check_record *r,
                               const struct chorale_call *c, int sends,
                               int takes,
                               MPI_Count takes_count)
{
    if (c->sendbuf == MPI_IN_PLACE)
        sends = 0;
    if (c->recvbuf == MPI_IN_PLACE)
        takes = 0;
    r->sends = sends ? bytes_of(c->sendcount, c->sendtype) : NOT_HERE;
    r->takes = takes ? bytes_of(takes_count, c->recvtype) : NOT_HERE;
    if (sends)
        name_type(c->sendtype, r->type, sizeof(r->type));
    else if (takes)
        name_type(c->recvtype, r->type, sizeof(r->type));
}

static void tell(struct chorale_check_record *r, enum chorale_coll coll,
                 const struct chorale_call *c, int rank, int size)
{
    const int root = chorale_coll_info(coll)->rooted;

    memset(r, 0, sizeof(*r));
    r->coll = (int)coll;
    r->root = root ? c->root : 0;
    r->op = chorale_coll_info(coll)->reduces ? op_number(c->op) : 0;
    r->sends = r->takes = NOT_HERE;
    switch (coll) {
    case CHORALE_BARRIER:
        break;
    case CHORALE_GATHER:
        record_block_sizes(r, c, 1, rank == c->root, c->recvcount);
        break;
    case CHORALE_SCATTER:
        record_block_sizes(r, c, rank == c->root, 1, c->recvcount);
        break;
    case CHORALE_ALLGATHER:
    case CHORALE_ALLTOALL:
        record_block_sizes(r, c, 1, 1, c->recvcount);
        break;
    case CHORALE_GATHERV:
        record_block_sizes(r, c, 1, 0, 0);
        break;
    case CHORALE_SCATTERV:
        record_block_sizes(r, c, 0, 1, c->recvcount);
        break;
    case CHORALE_ALLGATHERV:
        record_block_sizes(r, c, 1, 1, count_at(c->recvcounts, rank));
        r->counts = digest(c->recvcounts, size, c->recvtype);
        break;
    case CHORALE_ALLTOALLV:
        name_type(c->recvtype, r->type, sizeof(r->type));
        break;
    case CHORALE_REDUCE_SCATTER:
        r->takes = bytes_of(count_at(c->recvcounts, rank), c->recvtype);
        r->counts = digest(c->recvcounts, size, c->recvtype);
        name_type(c->recvtype, r->type, sizeof(r->type));
        break;
    default: /* one buffer of the same length on all ranks */
        r->takes = bytes_of(c->recvcount, c->recvtype);
        name_type(c->recvtype, r->type, sizeof(r->type));
        break;
    }
}

/* --- comparison ---------------------------------------------------------- */

static void describe(const struct chorale_check_record *r, char *text,
                     size_t size)
{
    const struct chorale_coll_info *info =
        chorale_coll_info((enum chorale_coll)r->coll);
    size_t n = (size_t)snprintf(text, size, "%s", info->name);
    const long long bytes = r->sends != NOT_HERE ? r->sends : r->takes;

    if (info->rooted)
        n += (size_t)snprintf(text + n, size - n, ", root %d", r->root);
    if (info->reduces)
        n += (size_t)snprintf(text + n, size - n, ", %s",
                              ops[r->op >= 0 && r->op < NOPS ? r->op : 1]
                                  .name);
    if (bytes == WRONG)
        n += (size_t)snprintf(text + n, size - n, ", an invalid count or type");
    else if (bytes != NOT_HERE)
        n += (size_t)snprintf(text + n, size - n, ", %lld bytes", bytes);
    if (r->type[0] != '\0')
        snprintf(text + n, size - n, " of %.39s", r->type);
}

/* 1 if the arguments that must be equal on all ranks are equal. */
static int alike(const struct chorale_check_record *a,
                 const struct chorale_check_record *b)
{
    return a->coll == b->coll && a->root == b->root && a->op == b->op
        && a->counts == b->counts
        && (a->type[0] == '\0' || b->type[0] == '\0'
            || strcmp(a->type, b->type) == 0);
}

/* 1 if the blocks are of one size wherever they are significant. */
static int fits(const struct chorale_check_record *a,
                const struct chorale_check_record *b)
{
    const long long x[2] = { a->sends, a->takes };
    const long long y[2] = { b->sends, b->takes };

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (x[i] != NOT_HERE && y[k] != NOT_HERE && x[i] != y[k])
                return 0;
    return 1;
}

/* 1 if block sizes differ between ranks. */
static int has_unequal_blocks(enum chorale_coll coll)
{
    return coll == CHORALE_GATHERV || coll == CHORALE_SCATTERV
        || coll == CHORALE_ALLGATHERV || coll == CHORALE_ALLTOALLV
        || coll == CHORALE_REDUCE_SCATTER;
}

/* The first rank whose call does not match this rank's, or -1. */
static int find_other(const struct chorale_check_record *all, int rank,
                      int size)
{
    const struct chorale_check_record *own = &all[rank];
    const int ragged = has_unequal_blocks((enum chorale_coll)own->coll);

    for (int i = 0; i < size; i++)
        if (!alike(own, &all[i]) || (!ragged && !fits(own, &all[i]))
            || (i == rank && own->coll == CHORALE_ALLGATHERV
                && !fits(own, own)))
            return i;
    return -1;
}

/* At the root: the first rank whose block differs from the size given at the
 * root, or -1. *want: out, the root's bytes. */
static int find_block(const struct chorale_check_record *all,
                      enum chorale_coll coll, const struct chorale_call *c,
                      int rank, int size, long long *want)
{
    const int gathers = coll == CHORALE_GATHERV;

    if ((!gathers && coll != CHORALE_SCATTERV) || rank != c->root)
        return -1;
    for (int i = 0; i < size; i++) {
        const long long theirs = gathers ? all[i].sends : all[i].takes;

        *want = gathers ? bytes_of(count_at(c->recvcounts, i), c->recvtype)
                        : bytes_of(count_at(c->sendcounts, i), c->sendtype);
        if (theirs != NOT_HERE && theirs != *want)
            return i;
    }
    return -1;
}

/* For alltoallv: the first rank that sends another size to this rank than it
 * expects, or -1. *want: out, the bytes that rank sends. */
static int find_pair(struct chorale_state *st, const struct chorale_call *c,
                     long long *want)
{
    long long *send = st->check_bytes, *take = send + st->size;
    int found = -1;

    for (int i = 0; i < st->size; i++)
        send[i] = c->sendbuf == MPI_IN_PLACE
                      ? bytes_of(count_at(c->recvcounts, i), c->recvtype)
                      : bytes_of(count_at(c->sendcounts, i), c->sendtype);
    if (PMPI_Alltoall(send, 1, MPI_LONG_LONG, take, 1, MPI_LONG_LONG,
                      st->comm) != MPI_SUCCESS)
        return -1;
    for (int i = st->size - 1; i >= 0; i--)
        if (take[i] != bytes_of(count_at(c->recvcounts, i), c->recvtype)) {
            found = i;
            *want = take[i];
        }
    return found;
}

static void say(const struct chorale_state *st, int other, const char *text)
{
    char line[3 * LINE];
    int n = snprintf(line, sizeof(line), "chorale: CHORALE_CHECK: on a "
                     "communicator of %d ranks rank %d and rank %d do not "
                     "agree: %s; the call goes to the library\n", st->size,
                     st->rank, other, text);

    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        return; /* stderr is closed */
}

/* Phrase for a block of that many bytes. */
static const char *block_text(long long bytes, char *text, size_t size)
{
    if (bytes == WRONG)
        return "a block of an invalid count or type";
    snprintf(text, size, "a block of %lld bytes", bytes);
    return text;
}

/* Print both calls. If given is not NOT_HERE, also the sizes of the block:
 * want here, given at the other rank. */
static void print_both_calls(const struct chorale_state *st,
                             const struct chorale_check_record *all, int other,
                             long long given, long long want)
{
    char own[LINE], its[LINE], text[2 * LINE + 64], here[40], there[40];

    describe(&all[st->rank], own, sizeof(own));
    describe(&all[other], its, sizeof(its));
    if (given == NOT_HERE)
        snprintf(text, sizeof(text), "%s here, %s there", own, its);
    else
        snprintf(text, sizeof(text), "%s, %s here, %s there", own,
                 block_text(want, here, sizeof(here)),
                 block_text(given, there, sizeof(there)));
    say(st, other, text);
}

int chorale_check_call(struct chorale_state *st, enum chorale_coll coll,
                       const struct chorale_call *call)
{
    struct chorale_check_record *all = st->check, *own = all + st->size;
    long long want = NOT_HERE, given = NOT_HERE;
    int other, mine, lowest;

    tell(own, coll, call, st->rank, st->size);
    if (PMPI_Allgather(own, (int)sizeof(*own), MPI_BYTE, all,
                       (int)sizeof(*own), MPI_BYTE, st->comm) != MPI_SUCCESS)
        return 0;
    other = find_other(all, st->rank, st->size);
    mine = other >= 0 ? st->rank : st->size;
    if (PMPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, st->comm)
        != MPI_SUCCESS)
        return 0;
    if (lowest == st->size && has_unequal_blocks(coll)) {
        if (coll == CHORALE_ALLTOALLV) {
            other = find_pair(st, call, &given);
            if (other >= 0)
                want = bytes_of(count_at(call->recvcounts, other),
                                call->recvtype);
        } else {
            other = find_block(all, coll, call, st->rank, st->size, &want);
            if (other >= 0)
                given = coll == CHORALE_GATHERV ? all[other].sends
                                                : all[other].takes;
        }
        mine = other >= 0 ? st->rank : st->size;
        if (PMPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, st->comm)
            != MPI_SUCCESS)
            return 0;
    }
    if (lowest == st->rank)
        print_both_calls(st, all, other, given, want);
    return lowest == st->size;
}
