/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_dtypes.c - MPI handles of the named datatypes and operations.
 *
 * In simulation built-in operations take no simulated time. There a user
 * operation wraps the built-in one and takes tau s for every byte. Every
 * provider reduces with it; otherwise the library's reductions would be free
 * and every comparison biased. */
#include "runners/measure/runner.h"

#include "algorithms/dtypes.h"

#ifdef CHORALE_SIM
#include <simgrid/host.h>
#include <smpi/smpi.h>
#endif

MPI_Datatype chorale_dtype_handle(int dtype)
{
    const MPI_Datatype handle[] = { MPI_BYTE, MPI_INT, MPI_INT64_T, MPI_FLOAT,
                                    MPI_DOUBLE };

    return handle[dtype];
}

MPI_Op chorale_op_plain(int op)
{
    const MPI_Op handle[] = { MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,
                              MPI_BAND, MPI_BOR,  MPI_BXOR };

    return handle[op];
}

#ifdef CHORALE_SIM
/* Shared by all ranks of a simulation, which have the same tau. */
static double charged_tau;

static void charge(void *in, void *inout, int *len, MPI_Datatype *type, int op)
{
    int size;

    PMPI_Type_size(*type, &size);
    smpi_execute_flops((double)*len * size * charged_tau *
                       sg_host_get_speed(sg_host_self()));
    PMPI_Reduce_local(in, inout, *len, *type, chorale_op_plain(op));
}

#define CHARGED(i)                                                           \
    static void charged_##i(void *in, void *inout, int *len,                \
                            MPI_Datatype *type)                              \
    {                                                                        \
        charge(in, inout, len, type, i);                                     \
    }
CHARGED(0)
CHARGED(1)
CHARGED(2)
CHARGED(3)
CHARGED(4)
CHARGED(5)
CHARGED(6)
static MPI_User_function *const charged[] = { charged_0, charged_1, charged_2,
                                              charged_3, charged_4, charged_5,
                                              charged_6 };

int chorale_op_new(int op, int dtype, double tau, MPI_Op *op_p)
{
    (void)dtype;
    charged_tau = tau;
    if (op < 0)
        *op_p = MPI_OP_NULL;
    else if (tau > 0)
        return PMPI_Op_create(charged[op], 1, op_p);
    else
        *op_p = chorale_op_plain(op);
    return MPI_SUCCESS;
}

void chorale_op_free(MPI_Op *op)
{
    if (charged_tau > 0 && *op != MPI_OP_NULL)
        PMPI_Op_free(op);
}
#else
int chorale_op_new(int op, int dtype, double tau, MPI_Op *op_p)
{
    (void)dtype;
    (void)tau;
    *op_p = op < 0 ? MPI_OP_NULL : chorale_op_plain(op);
    return MPI_SUCCESS;
}

void chorale_op_free(MPI_Op *op)
{
    *op = MPI_OP_NULL;
}
#endif
