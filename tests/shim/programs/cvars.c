/* SPDX-License-Identifier: BSD-3-Clause */
/* cvars.c - checks that control variables and the environment are unchanged
 * after many collectives. Prints a digest of the variables, to compare with
 * another process. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

extern char **environ;

static uint64_t fold(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Add a variable that is not bound to an object. */
static uint64_t fold_variable(uint64_t hash, int index)
{
    int verbosity, bind, scope, count, length = 0, descr = 0;
    char value[4096] = "";
    MPI_T_cvar_handle handle;
    MPI_Datatype type;
    MPI_T_enum list;

    if (MPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type, &list,
                            NULL, &descr, &bind, &scope) != MPI_SUCCESS
        || bind != MPI_T_BIND_NO_OBJECT
        || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)
               != MPI_SUCCESS)
        return hash;
    if (count <= (type == MPI_CHAR ? (int)sizeof(value) : 16)
        && MPI_T_cvar_read(handle, value) == MPI_SUCCESS)
        hash = type == MPI_CHAR ? fold(hash, value, strlen(value))
                                : fold(hash, value, sizeof(value));
    MPI_T_cvar_handle_free(&handle);
    return hash;
}

static uint64_t variables(int *n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    MPI_T_cvar_get_num(n);
    for (int i = 0; i < *n; i++)
        hash = fold_variable(hash, i);
    return hash;
}

static uint64_t environment(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (char **e = environ; *e != NULL; e++)
        hash = fold(hash, *e, strlen(*e) + 1);
    return hash;
}

int main(int argc, char **argv)
{
    int provided, n = 0, x = 1, sum, rank, ret;
    uint64_t first, names = environment();

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    first = variables(&n);
    for (int i = 0; i < 12; i++) {
        MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    check(variables(&n) == first, "control variables changed", 0);
    check(environment() == names, "the environment changed", 0);
    check(n > 10, "there are control variables", n);
    if (rank == 0)
        printf("cvars: %016llx of %d\n", (unsigned long long)first, n);
    ret = check_done("cvars");
    MPI_Finalize();
    MPI_T_finalize();
    return ret != 0;
}
