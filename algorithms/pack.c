/* SPDX-License-Identifier: BSD-3-Clause */
/* pack.c - datatypes as bytes: sizes, layouts, packing and local copies.
 *
 * Ranks may describe one block by different type maps, so variants split,
 * collect and forward packed bytes. */
#include "algorithms/alg.h"
#include "algorithms/context.h"

#include <limits.h>
#include <string.h>

#ifndef CHORALE_COUNT_MAX
#define CHORALE_COUNT_MAX INT_MAX
#endif

enum { ALIGN = 64 };

/* Size of the most common types, without a call into the library. Such a call
 * is not possible while a schedule is recorded. 0: another type. */
static size_t basic_size(MPI_Datatype type)
{
    if (type == MPI_BYTE || type == MPI_PACKED || type == MPI_CHAR)
        return 1;
    if (type == MPI_DOUBLE || type == MPI_INT64_T)
        return 8;
    if (type == MPI_INT || type == MPI_FLOAT)
        return 4;
    return 0;
}

size_t chorale_type_size(MPI_Datatype type)
{
    MPI_Count size = (MPI_Count)basic_size(type);

    if (size > 0)
        return (size_t)size;
    if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (size_t)size;
}

MPI_Aint chorale_type_extent(MPI_Datatype type)
{
    MPI_Aint lb = 0, extent = (MPI_Aint)basic_size(type);

    if (extent == 0)
        PMPI_Type_get_extent(type, &lb, &extent);
    return extent;
}

void *chorale_scratch_typed(struct chorale_ctx *ctx, MPI_Count count,
                            MPI_Datatype type)
{
    MPI_Aint true_lb = 0, true_extent = 0;
    MPI_Aint extent = chorale_type_extent(type);
    MPI_Aint steps = count > 0 ? (MPI_Aint)(count - 1) : 0;
    MPI_Aint first, span, pad;
    char *mem;

    if (basic_size(type) > 0)
        return chorale_scratch(ctx, (size_t)(extent * (MPI_Aint)count));
    if (PMPI_Type_get_true_extent(type, &true_lb, &true_extent) !=
        MPI_SUCCESS)
        return NULL;
    /* With a negative extent the last element has the lowest address. */
    first = extent < 0 ? true_lb + steps * extent : true_lb;
    span = true_extent + steps * (extent < 0 ? -extent : extent);
    /* Keep the buffer argument aligned, so that struct members are aligned
     * too. */
    pad = (first % ALIGN + ALIGN) % ALIGN;
    mem = chorale_scratch(ctx, count > 0 ? (size_t)(span + pad) : 0);
    return mem == NULL ? NULL : mem + pad - first;
}

int chorale_layout_init(struct chorale_apart *a, MPI_Count count,
                        MPI_Datatype type)
{
    MPI_Aint true_lb, touched, extent = chorale_type_extent(type);
    MPI_Aint length = extent < 0 ? -extent : extent;
    MPI_Datatype vector;
    int err;

    *a = (struct chorale_apart){ count, type, extent * (MPI_Aint)count };
    if (count == 0 || basic_size(type) > 0)
        return MPI_SUCCESS;
    err = PMPI_Type_get_true_extent(type, &true_lb, &touched);
    if (err != MPI_SUCCESS || length >= touched)
        return err;
    err = chorale_type_big(count, type, &vector);
    if (err != MPI_SUCCESS)
        return err;
    touched += (MPI_Aint)(count - 1) * length;
    touched = (touched + ALIGN - 1) / ALIGN * ALIGN;
    err = PMPI_Type_create_resized(vector, 0, touched, &a->type);
    PMPI_Type_free(&vector);
    if (err == MPI_SUCCESS)
        err = PMPI_Type_commit(&a->type);
    else
        a->type = type;
    a->count = 1;
    a->stride = touched;
    return err;
}

void chorale_layout_free(struct chorale_apart *a, MPI_Datatype type)
{
    if (a->type != type)
        PMPI_Type_free(&a->type);
}

static int named_is_packed(MPI_Datatype type)
{
    MPI_Aint lb = -1, extent = -1;

    if (PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS)
        return 0;
    return lb == 0 && (size_t)extent == chorale_type_size(type);
}

/* Whether a dup or contiguous type is packed follows from its inner type. */
static int inner_is_packed(MPI_Datatype type, int combiner)
{
    int integer[1], packed, ni, na, nd, kind;
    MPI_Aint address[1];
    MPI_Datatype inner;

    if (combiner != MPI_COMBINER_DUP && combiner != MPI_COMBINER_CONTIGUOUS)
        return 0;
    if (PMPI_Type_get_contents(type, combiner == MPI_COMBINER_CONTIGUOUS, 0,
                               1, integer, address, &inner) != MPI_SUCCESS)
        return 0;
    packed = chorale_type_is_packed(inner);
    if (PMPI_Type_get_envelope(inner, &ni, &na, &nd, &kind) == MPI_SUCCESS &&
        kind != MPI_COMBINER_NAMED)
        PMPI_Type_free(&inner);
    return packed;
}

int chorale_type_is_packed(MPI_Datatype type)
{
    int ni, na, nd, combiner;

    if (basic_size(type) > 0)
        return 1;
    if (PMPI_Type_get_envelope(type, &ni, &na, &nd, &combiner) !=
        MPI_SUCCESS)
        return 0;
    if (combiner == MPI_COMBINER_NAMED)
        return named_is_packed(type);
    return inner_is_packed(type, combiner);
}

/* MPI_Pack and MPI_Unpack cannot handle a single element above their int
 * limits, nor, in MPICH 4.0, data at MPI_BOTTOM. In these cases this rank sends
 * a message to itself. It is not counted, because it stands for a copy. */
static int pass_elements(struct chorale_ctx *ctx, const void *from,
                         MPI_Datatype from_type, MPI_Count from_count,
                         void *to, MPI_Datatype to_type, MPI_Count to_count)
{
    struct chorale_stat *stat = ctx->stat;
    int err;

    ctx->stat = NULL;
    err = chorale_sendrecv(ctx, from, from_count, from_type, ctx->rank, to,
                           to_count, to_type, ctx->rank);
    ctx->stat = stat;
    return err;
}

/* Number of elements of size bytes, at most left, that one MPI_Pack call
 * takes. */
static int piece_of(size_t size, MPI_Count left)
{
    MPI_Count most = size > 0 ? CHORALE_COUNT_MAX / (MPI_Count)size
                              : CHORALE_COUNT_MAX;

    return (int)(most < left ? most : left);
}

/* Returns 1 if a schedule is being recorded; the copy is then recorded too. */
static int noted(struct chorale_ctx *ctx, void *to, const void *from,
                 size_t bytes)
{
    if (ctx->recorder == NULL)
        return 0;
    ctx->recorder->copy(ctx, to, from, bytes);
    return 1;
}

int chorale_pack(struct chorale_ctx *ctx, const void *buf, MPI_Count count,
                 MPI_Datatype type, void *bytes)
{
    size_t size = chorale_type_size(type);
    MPI_Aint extent = chorale_type_extent(type);
    char *to = bytes;
    int err = MPI_SUCCESS;

    if (count == 0 || size == 0 ||
        noted(ctx, bytes, buf, size * (size_t)count))
        return MPI_SUCCESS;
    if (chorale_type_is_packed(type)) {
        memcpy(to, buf, size * (size_t)count);
        return MPI_SUCCESS;
    }
    for (MPI_Count done = 0; done < count && err == MPI_SUCCESS;) {
        const void *from = chorale_at(buf, extent, (MPI_Aint)done);
        int piece = piece_of(size, count - done);
        int by_message = piece == 0 || from == NULL;
        int position = 0;

        piece = piece > 0 ? piece : 1;
        if (!by_message)
            err = PMPI_Pack(from, piece, type, to, piece * (int)size,
                            &position, ctx->comm);
        else
            err = pass_elements(ctx, from, type, piece, to, MPI_PACKED,
                                (MPI_Count)size * piece);
        to += (size_t)piece * size;
        done += piece;
    }
    return err;
}

int chorale_unpack(struct chorale_ctx *ctx, const void *bytes, void *buf,
                   MPI_Count count, MPI_Datatype type)
{
    size_t size = chorale_type_size(type);
    MPI_Aint extent = chorale_type_extent(type);
    const char *from = bytes;
    int err = MPI_SUCCESS;

    if (count == 0 || size == 0 ||
        noted(ctx, buf, bytes, size * (size_t)count))
        return MPI_SUCCESS;
    if (chorale_type_is_packed(type)) {
        memcpy(buf, from, size * (size_t)count);
        return MPI_SUCCESS;
    }
    for (MPI_Count done = 0; done < count && err == MPI_SUCCESS;) {
        void *to = chorale_at(buf, extent, (MPI_Aint)done);
        int piece = piece_of(size, count - done);
        int by_message = piece == 0 || to == NULL;
        int position = 0;

        piece = piece > 0 ? piece : 1;
        if (!by_message)
            err = PMPI_Unpack(from, piece * (int)size, &position, to, piece,
                              type, ctx->comm);
        else
            err = pass_elements(ctx, from, MPI_PACKED,
                                (MPI_Count)size * piece, to, type, piece);
        from += (size_t)piece * size;
        done += piece;
    }
    return err;
}

int chorale_copy(struct chorale_ctx *ctx, const void *from,
                 MPI_Count from_count, MPI_Datatype from_type, void *to,
                 MPI_Count to_count, MPI_Datatype to_type)
{
    size_t mark = chorale_scratch_mark(ctx);
    size_t bytes = chorale_type_size(from_type) * (size_t)from_count;
    char *tmp;
    int err;

    if (bytes == 0 || noted(ctx, to, from, bytes))
        return MPI_SUCCESS;
    if (from_type == to_type
            ? from_count > to_count
            : bytes > chorale_type_size(to_type) * (size_t)to_count)
        return chorale_recv_check(ctx, MPI_ERR_TRUNCATE);
    if (chorale_type_is_packed(to_type))
        return chorale_pack(ctx, from, from_count, from_type, to);
    if (chorale_type_is_packed(from_type))
        return chorale_unpack(ctx, from, to, to_count, to_type);
    tmp = chorale_scratch(ctx, bytes);
    err = tmp ? chorale_pack(ctx, from, from_count, from_type, tmp)
              : MPI_ERR_NO_MEM;
    if (err == MPI_SUCCESS)
        err = chorale_unpack(ctx, tmp, to, to_count, to_type);
    chorale_scratch_release(ctx, mark);
    return err;
}

void chorale_memmove(struct chorale_ctx *ctx, void *to, const void *from,
                     size_t bytes)
{
    if (bytes > 0 && to != from && !noted(ctx, to, from, bytes))
        memmove(to, from, bytes);
}

void chorale_memzero(struct chorale_ctx *ctx, void *to, size_t bytes)
{
    if (bytes > 0 && ctx->recorder == NULL)
        memset(to, 0, bytes);
}

int chorale_gather_own(const struct chorale_call *call, int block)
{
    MPI_Aint stride = chorale_type_extent(call->recvtype) *
                      (MPI_Aint)call->recvcount;

    if (call->sendbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return chorale_copy(call->ctx, call->sendbuf, call->sendcount,
                        call->sendtype,
                        chorale_at(call->recvbuf, stride, block),
                        call->recvcount, call->recvtype);
}

int chorale_scatter_own(const struct chorale_call *call)
{
    MPI_Aint stride = chorale_type_extent(call->sendtype) *
                      (MPI_Aint)call->sendcount;

    if (call->recvbuf == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return chorale_copy(call->ctx,
                        chorale_at(call->sendbuf, stride, call->root),
                        call->sendcount, call->sendtype, call->recvbuf,
                        call->recvcount, call->recvtype);
}
