/* SPDX-License-Identifier: BSD-3-Clause */
/* mixed_types.c - datatypes with elements of different sizes are recognised,
 * and converted to byte types with the same layout, including Fortran types by
 * precision. One process, without a launcher. */
#include "algorithms/mixed_types.h"
#include "tests/tap.h"

#include <string.h>

#ifdef MPICH_VERSION
enum { MANY = 5, ROOM = 4096 };

static MPI_Datatype two(MPI_Datatype first, MPI_Datatype second, MPI_Aint at)
{
    const int length[2] = { 1, 1 };
    const MPI_Aint place[2] = { 0, at };
    const MPI_Datatype part[2] = { first, second };
    MPI_Datatype made;

    MPI_Type_create_struct(2, length, place, part, &made);
    return made;
}

/* 1 if both types move the same bytes to the same places. */
static int moves_alike(MPI_Datatype type, MPI_Datatype bytes)
{
    static char packed[ROOM], one[ROOM], other[ROOM];
    int at = 0, size, size_too;
    MPI_Aint low, extent, low_too, extent_too;

    MPI_Type_size(type, &size);
    MPI_Type_size(bytes, &size_too);
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_extent(bytes, &low_too, &extent_too);
    if (size != size_too || low != low_too || extent != extent_too)
        return 0;
    for (int i = 0; i < ROOM; i++)
        packed[i] = (char)(i % 251 + 1);
    memset(one, 0, ROOM);
    memset(other, 0, ROOM);
    MPI_Unpack(packed, MANY * size, &at, one, MANY, type, MPI_COMM_SELF);
    at = 0;
    MPI_Unpack(packed, MANY * size, &at, other, MANY, bytes, MPI_COMM_SELF);
    return memcmp(one, other, ROOM) == 0;
}

/* Frees type, unless it is predefined. */
static void check(MPI_Datatype type, int predefined, int mixed,
                  const char *what)
{
    MPI_Datatype bytes = MPI_DATATYPE_NULL;
    int made;

    if (!predefined)
        MPI_Type_commit(&type);
    made = chorale_mixed_make(type, &bytes);
    tap_ok(made == mixed, "%s: %s", what, mixed ? "mixed" : "not mixed");
    if (made == 1) {
        tap_ok(moves_alike(type, bytes),
               "%s: the byte type moves the same data", what);
        MPI_Type_free(&bytes);
    }
    if (!predefined)
        MPI_Type_free(&type);
}

/* Returns 1 if the library has Fortran types. */
static int fortran_types(MPI_Datatype *real, MPI_Datatype *complex,
                         MPI_Datatype *integer)
{
    return MPI_Type_create_f90_real(15, MPI_UNDEFINED, real) == MPI_SUCCESS
        && MPI_Type_create_f90_complex(15, MPI_UNDEFINED, complex)
               == MPI_SUCCESS
        && MPI_Type_create_f90_integer(4, integer) == MPI_SUCCESS;
}

static MPI_Datatype times(int n, MPI_Datatype type)
{
    MPI_Datatype made;

    MPI_Type_contiguous(n, type, &made);
    return made;
}

int main(void)
{
    MPI_Datatype real, complex, integer;

    MPI_Init(NULL, NULL);
    check(MPI_DOUBLE, 1, 0, "a double");
    check(MPI_DOUBLE_INT, 1, 1, "a double and an int");
    check(two(MPI_DOUBLE, MPI_INT64_T, 8), 0, 0, "a double and 8 bytes");
    check(two(MPI_DOUBLE, MPI_INT, 8), 0, 1, "a struct of different elements");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (fortran_types(&real, &complex, &integer)) {
        check(real, 1, 0, "a real by its precision");
        check(times(3, real), 0, 0, "three reals");
        check(two(real, MPI_DOUBLE, 8), 0, 0, "a real and a double");
        check(two(real, MPI_INT, 8), 0, 1, "a real and an int");
        check(two(integer, MPI_DOUBLE, 8), 0, 1,
              "an integer by its range and a double");
        check(complex, 1, 1, "a complex by its precision, of 16 bytes");
    } else {
        tap_diag("no Fortran types in this library");
    }
    MPI_Finalize();
    return tap_done();
}
#else
int main(void)
{
    printf("1..0 # SKIP types are decoded only under MPICH\n");
    return 0;
}
#endif
