/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_key.c - computes the key of a call. Unlike call_args.c it accepts
 * every call that the library accepts, with any type and operation. */
#include "config.h"

#include "algorithms/dispatch/base/call_args.h"
#include "algorithms/dispatch/trace/trace_key.h"

enum { BYTE, INT, INT64, FLOAT, DOUBLE, OTHER, DERIVED };
enum { NO_ROOT, FIRST, MIDDLE, LAST };
enum { OP_OTHER = 8, OP_USER };

const char *const chorale_trace_type[] = { CHORALE_TRACE_TYPES };
const char *const chorale_trace_op[] = { CHORALE_TRACE_OPS };
const char *const chorale_trace_root[] = { CHORALE_TRACE_ROOTS };
const char *const chorale_trace_shape[] = { CHORALE_TRACE_SHAPES };

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

struct type_info {
    MPI_Datatype type;
    MPI_Count size;
    uint8_t class;
};

static uint8_t op_class(MPI_Op op)
{
    static const MPI_Op known[] = { MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX,
                                    MPI_BAND, MPI_BOR, MPI_BXOR };
    static const MPI_Op other[] = { MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC,
                                    MPI_MAXLOC };

    for (size_t i = 0; i < LENGTH(known); i++)
        if (known[i] == op)
            return (uint8_t)(i + 1);
    for (size_t i = 0; i < LENGTH(other); i++)
        if (other[i] == op)
            return OP_OTHER;
    return OP_USER;
}

/* Class of a plain type (chorale_type_is_plain()). */
static uint8_t plain_class(MPI_Datatype type, MPI_Count size)
{
    const char holds = chorale_type_kind(type);

    if (holds == 'f')
        return size == sizeof(double)  ? DOUBLE
               : size == sizeof(float) ? FLOAT : OTHER;
    if (holds == 'o')
        return OTHER;
    return size == 1 ? BYTE : size == 4 ? INT : size == 8 ? INT64 : OTHER;
}

/* Facts of the type. A thread caches those of its last plain type, whose
 * handle is never reused. */
static int look_up(MPI_Datatype type, struct type_info *info)
{
    static _Thread_local struct type_info last;
    static _Thread_local int have_last;
    int a, b, c, combiner;

    if (have_last && last.type == type) {
        *info = last;
        return 1;
    }
    if (type == MPI_DATATYPE_NULL
        || PMPI_Type_size_x(type, &info->size) != MPI_SUCCESS
        || info->size < 0)
        return 0;
    info->type = type;
    if (!chorale_type_is_plain(type)) {
        info->class = PMPI_Type_get_envelope(type, &a, &b, &c, &combiner)
                              == MPI_SUCCESS
                          && combiner == MPI_COMBINER_NAMED
                      ? OTHER : DERIVED;
        return 1;
    }
    info->class = plain_class(type, info->size);
    last = *info;
    have_last = 1;
    return 1;
}

int chorale_trace_blind(enum chorale_coll coll)
{
    return chorale_coll_info(coll)->blind;
}

/* Entry i of the array that is not NULL; -1 if both are. */
static MPI_Count one(const MPI_Count *count, const int *ints, int i)
{
    return count != NULL ? count[i] : ints != NULL ? ints[i] : -1;
}

static MPI_Count sum(const MPI_Count *count, const int *ints, int size)
{
    MPI_Count all = 0;

    for (int i = 0; i < size; i++)
        all += one(count, ints, i);
    return count != NULL || ints != NULL ? all : -1;
}

/* Number of elements that stand for the call, and their type: one block, or
 * for irregular collectives all that this rank knows of. */
static MPI_Count elements(enum chorale_coll coll,
                          const struct chorale_call *c,
                          const struct chorale_ints *ints,
                          const struct chorale_trace_comm *comm,
                          MPI_Datatype *type)
{
    const int is_root = c->root == comm->rank;

    *type = c->recvtype;
    switch (coll) {
    case CHORALE_GATHER:
        if (is_root)
            break;
        *type = c->sendtype;
        return c->sendcount;
    case CHORALE_SCATTER:
        if (!is_root)
            break;
        *type = c->sendtype;
        return c->sendcount;
    case CHORALE_ALLGATHERV:
    case CHORALE_REDUCE_SCATTER:
        return sum(c->recvcounts, ints->recvcounts, comm->size);
    case CHORALE_GATHERV:
        if (is_root && c->sendbuf == MPI_IN_PLACE)
            return one(c->recvcounts, ints->recvcounts, comm->rank);
        *type = c->sendtype;
        return c->sendcount;
    case CHORALE_SCATTERV:
        if (!is_root || c->recvbuf != MPI_IN_PLACE)
            break;
        *type = c->sendtype;
        return one(c->sendcounts, ints->sendcounts, comm->rank);
    case CHORALE_ALLTOALLV:
        if (c->sendbuf == MPI_IN_PLACE)
            return sum(c->recvcounts, ints->recvcounts, comm->size);
        *type = c->sendtype;
        return sum(c->sendcounts, ints->sendcounts, comm->size);
    default:
        break;
    }
    return c->recvcount;
}

static uint8_t root_class(int root, int size)
{
    return root == 0 ? FIRST : root == size - 1 ? LAST : MIDDLE;
}

int chorale_trace_key_of(enum chorale_coll coll,
                         const struct chorale_call *call,
                         const struct chorale_ints *ints,
                         const struct chorale_trace_comm *comm,
                         struct chorale_trace_key *key, uint64_t *bytes)
{
    static const struct chorale_ints none;
    const struct chorale_coll_info *info = chorale_coll_info(coll);
    struct type_info type = {0};
    MPI_Datatype handle;
    MPI_Count count;

    *bytes = 0;
    *key = (struct chorale_trace_key){ .coll = (uint8_t)coll,
                                       .comm_size = comm->size,
                                       .shape = (uint8_t)comm->shape };
    if (info->dataless)
        return 1;
    if (info->rooted && (call->root < 0 || call->root >= comm->size))
        return 0;
    count = elements(coll, call, ints != NULL ? ints : &none, comm, &handle);
    if (count < 0 || !look_up(handle, &type))
        return 0;
    key->type = type.class;
    key->op = info->reduces ? op_class(call->op) : 0;
    key->root = info->rooted ? root_class(call->root, comm->size) : NO_ROOT;
    if (chorale_trace_blind(coll))
        *bytes = (uint64_t)count * (uint64_t)type.size;
    else if (info->irregular)
        key->n = (uint64_t)count * (uint64_t)type.size;
    else
        key->n = chorale_coll_n(coll, (size_t)count * (size_t)type.size,
                                comm->size);
    return 1;
}
