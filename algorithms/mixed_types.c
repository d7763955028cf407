/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_types.c - decodes a datatype and rebuilds it from bytes. */
#include "algorithms/mixed_types.h"

#ifdef MPICH_VERSION /* only MPICH needs this */
#include <stddef.h>
#include <stdlib.h>

/* Arguments of a type's constructor. */
struct contents {
    int combiner, nint, naddress, ntype;
    int *integer;
    MPI_Aint *address;
    MPI_Datatype *type;
    int *ours;               /* [ntype] 1: must be freed (derived, or made
                              * here) */
};

static int make(MPI_Datatype type, MPI_Datatype *made_p);

/* Returns 1 if type is a predefined pair of value and index; sets the bytes of
 * the value and the displacement of the index. */
static int is_pair(MPI_Datatype type, int *bytes, MPI_Aint *at)
{
    static const struct {
        MPI_Datatype pair;
        int bytes;
        MPI_Aint at;
    } row[] = {
        { MPI_DOUBLE_INT, sizeof(double), sizeof(double) },
        { MPI_LONG_INT, sizeof(long), sizeof(long) },
        { MPI_FLOAT_INT, sizeof(float), sizeof(float) },
        { MPI_SHORT_INT, sizeof(short), sizeof(int) },
        { MPI_LONG_DOUBLE_INT, sizeof(long double), sizeof(long double) }
    };

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].pair == type) {
            *bytes = row[i].bytes;
            *at = row[i].at;
            return 1;
        }
    return 0;
}

/* Make the byte type of an element. */
static int make_element(MPI_Datatype type, MPI_Datatype *made_p)
{
    int length[2] = { 0, sizeof(int) }, size, rc;
    MPI_Aint at[2] = { 0, 0 }, lb, extent;
    MPI_Datatype bytes;

    if (!is_pair(type, &length[0], &at[1]))
        return PMPI_Type_size(type, &size) == MPI_SUCCESS
            && PMPI_Type_contiguous(size, MPI_BYTE, made_p) == MPI_SUCCESS;
    if (PMPI_Type_get_extent(type, &lb, &extent) != MPI_SUCCESS
        || PMPI_Type_create_hindexed(2, length, at, MPI_BYTE, &bytes)
               != MPI_SUCCESS)
        return 0;
    rc = PMPI_Type_create_resized(bytes, 0, extent, made_p);
    PMPI_Type_free(&bytes);
    return rc == MPI_SUCCESS;
}

/* Elements are predefined types: named ones, and Fortran types parameterised by
 * precision. They have no parts and cannot be freed. */
static int is_element(int combiner)
{
    return combiner == MPI_COMBINER_NAMED
        || combiner == MPI_COMBINER_F90_REAL
        || combiner == MPI_COMBINER_F90_COMPLEX
        || combiner == MPI_COMBINER_F90_INTEGER;
}

static int is_predefined(MPI_Datatype type)
{
    int n[3], combiner;

    return PMPI_Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner)
               != MPI_SUCCESS
        || is_element(combiner);
}

static void contents_free(struct contents *c)
{
    for (int i = 0; c->ours != NULL && i < c->ntype; i++)
        if (c->ours[i])
            PMPI_Type_free(&c->type[i]);
    free(c->integer);
    free(c->address);
    free(c->type);
    free(c->ours);
}

/* Returns 1 if *c is filled. Derived types returned by MPI_Type_get_contents
 * must be freed, predefined ones must not. */
static int contents_read(MPI_Datatype type, struct contents *c)
{
    c->integer = calloc((size_t)c->nint + 1, sizeof(*c->integer));
    c->address = calloc((size_t)c->naddress + 1, sizeof(*c->address));
    c->type = calloc((size_t)c->ntype + 1, sizeof(*c->type));
    if (c->integer == NULL || c->address == NULL || c->type == NULL
        || PMPI_Type_get_contents(type, c->nint, c->naddress, c->ntype,
                                  c->integer, c->address, c->type)
               != MPI_SUCCESS)
        return 0;
    c->ours = calloc((size_t)c->ntype + 1, sizeof(*c->ours));
    for (int i = 0; i < c->ntype; i++) {
        const int predefined = is_predefined(c->type[i]);

        if (c->ours != NULL)
            c->ours[i] = !predefined;
        else if (!predefined)
            PMPI_Type_free(&c->type[i]);
    }
    return c->ours != NULL;
}

/* Replace every part by its byte type. Returns 1 on success. */
static int replace_parts(struct contents *c)
{
    for (int i = 0; i < c->ntype; i++) {
        MPI_Datatype made;

        if (!make(c->type[i], &made))
            return 0;
        if (c->ours[i])
            PMPI_Type_free(&c->type[i]);
        c->type[i] = made;
        c->ours[i] = 1;
    }
    return 1;
}

/* Rebuild subarrays and distributed arrays; their integers are returned in the
 * order of the constructor's arguments. */
static int build_array(const struct contents *c, MPI_Datatype *made_p)
{
    const int *i = c->integer;
    const int n = i[c->combiner == MPI_COMBINER_DARRAY ? 2 : 0];

    if (c->combiner == MPI_COMBINER_SUBARRAY)
        return PMPI_Type_create_subarray(n, i + 1, i + 1 + n, i + 1 + 2 * n,
                                         i[1 + 3 * n], c->type[0], made_p);
    return PMPI_Type_create_darray(i[0], i[1], n, i + 3, i + 3 + n,
                                   i + 3 + 2 * n, i + 3 + 3 * n,
                                   i[3 + 4 * n], c->type[0], made_p);
}

/* Call the type's constructor again with the replaced parts. */
static int build(const struct contents *c, MPI_Datatype *made_p)
{
    const int *i = c->integer;
    const MPI_Aint *a = c->address;
    const MPI_Datatype part = c->type[0];

    switch (c->combiner) {
    case MPI_COMBINER_DUP:
        return PMPI_Type_contiguous(1, part, made_p);
    case MPI_COMBINER_CONTIGUOUS:
        return PMPI_Type_contiguous(i[0], part, made_p);
    case MPI_COMBINER_VECTOR:
        return PMPI_Type_vector(i[0], i[1], i[2], part, made_p);
    case MPI_COMBINER_HVECTOR:
        return PMPI_Type_create_hvector(i[0], i[1], a[0], part, made_p);
    case MPI_COMBINER_INDEXED:
        return PMPI_Type_indexed(i[0], i + 1, i + 1 + i[0], part, made_p);
    case MPI_COMBINER_HINDEXED:
        return PMPI_Type_create_hindexed(i[0], i + 1, a, part, made_p);
    case MPI_COMBINER_INDEXED_BLOCK:
        return PMPI_Type_create_indexed_block(i[0], i[1], i + 2, part,
                                              made_p);
    case MPI_COMBINER_HINDEXED_BLOCK:
        return PMPI_Type_create_hindexed_block(i[0], i[1], a, part, made_p);
    case MPI_COMBINER_STRUCT:
        return PMPI_Type_create_struct(i[0], i + 1, a, c->type, made_p);
    case MPI_COMBINER_RESIZED:
        return PMPI_Type_create_resized(part, a[0], a[1], made_p);
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        return build_array(c, made_p);
    default:
        return MPI_ERR_TYPE;
    }
}

/* A struct's extent is padded to the alignment of its largest element, which is
 * lost when its elements are bytes: restore lower bound and extent. */
static int same_extent(MPI_Datatype type, MPI_Datatype *made_p)
{
    MPI_Aint lb[2], extent[2];
    MPI_Datatype narrow = *made_p;
    int ok;

    ok = PMPI_Type_get_extent(type, &lb[0], &extent[0]) == MPI_SUCCESS
      && PMPI_Type_get_extent(narrow, &lb[1], &extent[1]) == MPI_SUCCESS;
    if (ok && lb[0] == lb[1] && extent[0] == extent[1])
        return 1;
    ok = ok && PMPI_Type_create_resized(narrow, lb[0], extent[0], made_p)
                   == MPI_SUCCESS;
    PMPI_Type_free(&narrow);
    return ok;
}

/* Like chorale_mixed_make(), but for any type and without the commit. */
static int make(MPI_Datatype type, MPI_Datatype *made_p)
{
    struct contents c = {0};
    int made = 0;

    if (PMPI_Type_get_envelope(type, &c.nint, &c.naddress, &c.ntype,
                               &c.combiner) != MPI_SUCCESS)
        return 0;
    if (is_element(c.combiner))
        return make_element(type, made_p);
    if (contents_read(type, &c) && replace_parts(&c))
        made = build(&c, made_p) == MPI_SUCCESS && same_extent(type, made_p);
    contents_free(&c);
    return made;
}

/* Sizes of a type's elements as bits: 1, 2, 4, 8 bytes, which divide the size
 * of a piece; OTHER: any other size; UNKNOWN: the type could not be decoded. */
enum { OTHER = 1 << 4, UNKNOWN = 1 << 5 };

static unsigned sizes_of(MPI_Datatype type)
{
    struct contents c = {0};
    unsigned found = 0;
    MPI_Aint at;
    int size;

    if (PMPI_Type_get_envelope(type, &c.nint, &c.naddress, &c.ntype,
                               &c.combiner) != MPI_SUCCESS)
        return UNKNOWN;
    if (is_element(c.combiner)) {
        if (is_pair(type, &size, &at)
            || PMPI_Type_size(type, &size) != MPI_SUCCESS)
            return OTHER;
        return size == 1 ? 1 : size == 2 ? 2 : size == 4 ? 4
             : size == 8 ? 8 : OTHER;
    }
    if (contents_read(type, &c))
        for (int i = 0; i < c.ntype; i++)
            found |= sizes_of(c.type[i]);
    else
        found = UNKNOWN;
    contents_free(&c);
    return found;
}

int chorale_mixed_make(MPI_Datatype type, MPI_Datatype *bytes_p)
{
    const unsigned sizes = sizes_of(type);
    MPI_Datatype made;

    if ((sizes & (sizes - 1)) == 0 && sizes < OTHER)
        return 0;
    if (!make(type, &made))
        return -1;
    if (PMPI_Type_commit(&made) != MPI_SUCCESS) {
        PMPI_Type_free(&made);
        return -1;
    }
    *bytes_p = made;
    return 1;
}
#endif
