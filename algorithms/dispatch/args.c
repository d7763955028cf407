/* SPDX-License-Identifier: BSD-3-Clause */
/* args.c - judges the arguments of a call.
 *
 * A wrong argument makes the call the library's, which reports it as it
 * always did. The checks must never turn down a correct call on one rank
 * only: what is not significant here is not looked at, and a null or a shared
 * address is wrong only with types whose data lies where the address says. */
#include "config.h"

#include "algorithms/ctx.h"
#include "algorithms/dispatch/args.h"

/* The groups of types in the standard's table of valid operations
 * (MPI 3.1, section 5.9.2). */
enum { INTEGER = 1, FLOATING = 2, LOGICAL = 4, COMPLEX = 8, BYTES = 16 };

struct type_row {
    MPI_Datatype type;
    unsigned group;
};

struct op_row {
    MPI_Op op;
    unsigned groups;
};

static const struct op_row op_rows[] = {
    { MPI_SUM, INTEGER | FLOATING | COMPLEX },
    { MPI_MAX, INTEGER | FLOATING },
    { MPI_MIN, INTEGER | FLOATING },
    { MPI_PROD, INTEGER | FLOATING | COMPLEX },
    { MPI_LAND, INTEGER | LOGICAL },
    { MPI_LOR, INTEGER | LOGICAL },
    { MPI_LXOR, INTEGER | LOGICAL },
    { MPI_BAND, INTEGER | BYTES },
    { MPI_BOR, INTEGER | BYTES },
    { MPI_BXOR, INTEGER | BYTES }
};

static const struct type_row type_rows[] = {
    { MPI_DOUBLE, FLOATING },
    { MPI_INT, INTEGER },
    { MPI_FLOAT, FLOATING },
    { MPI_LONG, INTEGER },
    { MPI_LONG_LONG, INTEGER },
    { MPI_UNSIGNED, INTEGER },
    { MPI_UNSIGNED_LONG, INTEGER },
    { MPI_UNSIGNED_LONG_LONG, INTEGER },
    { MPI_DOUBLE_PRECISION, FLOATING },
    { MPI_REAL, FLOATING },
    { MPI_INTEGER, INTEGER },
    { MPI_DOUBLE_COMPLEX, COMPLEX },
    { MPI_COMPLEX, COMPLEX },
    { MPI_LOGICAL, LOGICAL },
    { MPI_BYTE, BYTES },
    { MPI_SHORT, INTEGER },
    { MPI_UNSIGNED_SHORT, INTEGER },
    { MPI_SIGNED_CHAR, INTEGER },
    { MPI_UNSIGNED_CHAR, INTEGER },
    { MPI_INT8_T, INTEGER },
    { MPI_INT16_T, INTEGER },
    { MPI_INT32_T, INTEGER },
    { MPI_INT64_T, INTEGER },
    { MPI_UINT8_T, INTEGER },
    { MPI_UINT16_T, INTEGER },
    { MPI_UINT32_T, INTEGER },
    { MPI_UINT64_T, INTEGER },
    { MPI_AINT, INTEGER },
    { MPI_OFFSET, INTEGER },
    { MPI_COUNT, INTEGER },
    { MPI_LONG_DOUBLE, FLOATING },
    { MPI_C_BOOL, LOGICAL },
    { MPI_C_COMPLEX, COMPLEX },
    { MPI_C_FLOAT_COMPLEX, COMPLEX },
    { MPI_C_DOUBLE_COMPLEX, COMPLEX },
    { MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX }
};

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static unsigned type_group(MPI_Datatype type)
{
    for (size_t i = 0; i < LENGTH(type_rows); i++)
        if (type_rows[i].type == type)
            return type_rows[i].group;
    return 0;
}

int chorale_args_builtin(MPI_Op op, MPI_Datatype type)
{
    if (op == MPI_OP_NULL || type == MPI_DATATYPE_NULL)
        return 0;
    for (size_t i = 0; i < LENGTH(op_rows); i++)
        if (op_rows[i].op == op)
            return (op_rows[i].groups & type_group(type)) != 0;
    return 0;
}

int chorale_args_plain(MPI_Datatype type)
{
    return type_group(type) != 0 || type == MPI_CHAR || type == MPI_PACKED;
}

/* Bytes of count elements; -1: wrong, let the library say so. */
static MPI_Count bytes_of(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size;

    if (count < 0 || type == MPI_DATATYPE_NULL
        || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return -1;
    return count * size;
}

/* A side that is read or written here: 0 if it cannot be right. */
static int side_ok(const void *buf, MPI_Count count, MPI_Datatype type,
                   int may_be_in_place)
{
    if (buf == MPI_IN_PLACE)
        return may_be_in_place;
    if (count < 0 || type == MPI_DATATYPE_NULL)
        return 0;
    return buf != NULL || count == 0 || !chorale_args_plain(type);
}

/* Two sides at one address, which MPI forbids. */
static int aliased(const struct chorale_call *c)
{
    return c->sendbuf == c->recvbuf && chorale_args_plain(c->recvtype)
        && (c->sendtype == c->recvtype || chorale_args_plain(c->sendtype));
}

static int judge_reduction(enum chorale_coll coll,
                           const struct chorale_call *c, int rank)
{
    const int root = coll == CHORALE_REDUCE ? c->root : rank;

    if (!chorale_args_builtin(c->op, c->recvtype)
        || !side_ok(c->sendbuf, c->recvcount, c->recvtype, rank == root))
        return 0;
    return rank != root
        || (side_ok(c->recvbuf, c->recvcount, c->recvtype, 0)
            && c->sendbuf != c->recvbuf);
}

static int judge_gather(const struct chorale_call *c, int rank)
{
    if (rank != c->root)
        return side_ok(c->sendbuf, c->sendcount, c->sendtype, 0);
    return side_ok(c->sendbuf, c->sendcount, c->sendtype, 1)
        && side_ok(c->recvbuf, c->recvcount, c->recvtype, 0) && !aliased(c);
}

static int judge_scatter(const struct chorale_call *c, int rank)
{
    if (rank != c->root)
        return side_ok(c->recvbuf, c->recvcount, c->recvtype, 0);
    return side_ok(c->recvbuf, c->recvcount, c->recvtype, 1)
        && side_ok(c->sendbuf, c->sendcount, c->sendtype, 0) && !aliased(c);
}

static int judge_sides(enum chorale_coll coll, const struct chorale_call *c,
                       int rank)
{
    switch (coll) {
    case CHORALE_BCAST:
        return side_ok(c->recvbuf, c->recvcount, c->recvtype, 0);
    case CHORALE_REDUCE:
    case CHORALE_ALLREDUCE:
    case CHORALE_REDUCE_SCATTER_BLOCK:
        return judge_reduction(coll, c, rank);
    case CHORALE_GATHER:
        return judge_gather(c, rank);
    case CHORALE_SCATTER:
        return judge_scatter(c, rank);
    case CHORALE_ALLGATHER:
        return side_ok(c->sendbuf, c->sendcount, c->sendtype, 1)
            && side_ok(c->recvbuf, c->recvcount, c->recvtype, 0)
            && !aliased(c);
    default: /* not interposed */
        break;
    }
    return 0;
}

/* Bytes of one block, from the side that is significant on this rank: MPI
 * makes the two sides' signatures equal. */
static MPI_Count block_bytes(enum chorale_coll coll,
                             const struct chorale_call *c, int rank)
{
    if ((coll == CHORALE_GATHER && rank != c->root)
        || (coll == CHORALE_SCATTER && rank == c->root))
        return bytes_of(c->sendcount, c->sendtype);
    return bytes_of(c->recvcount, c->recvtype);
}

int chorale_args_judge(enum chorale_coll coll,
                       const struct chorale_call *call, int rank, int size,
                       struct chorale_point *pt)
{
    const struct chorale_coll_info *info = chorale_coll_info(coll);
    MPI_Count block;

    if (info->rooted && (call->root < 0 || call->root >= size))
        return 0;
    if (!judge_sides(coll, call, rank))
        return 0;
    block = block_bytes(coll, call, rank);
    if (block <= 0)
        return 0;
    pt->comm_size = size;
    pt->msg_size = (size_t)block;
    pt->n = chorale_coll_n(coll, pt->msg_size, size);
    /* Without a reduction only signatures agree, not the types. */
    pt->type_size = info->reduces
                        ? (size_t)(block / call->recvcount) : 1;
    pt->commutative = 1;
    return 1;
}
