/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_fortran.h - what the two files with Fortran's names share. */
#ifndef CHORALE_ALGORITHMS_DISPATCH_SHIM_SHIM_FORTRAN_H
#define CHORALE_ALGORITHMS_DISPATCH_SHIM_SHIM_FORTRAN_H

#include <dlfcn.h>
#include <stddef.h>

#include "algorithms/dispatch/base/pmpi.h"
#include "algorithms/dispatch/shim/shim.h"

static inline chorale_word comm_of(const MPI_Fint *comm)
{
#ifdef OPEN_MPI
    return (chorale_word)PMPI_Comm_f2c(*comm);
#else
    return (chorale_word)*comm;
#endif
}

/* The next tool's function, or the library's, of Fortran's name: "mpi_x" of
 * "pmpi_x" first. NULL if there is none. */
static inline void *find_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name + 1);

    return found != NULL ? found : chorale_pmpi_symbol(name);
}

/* ierror, which may be absent. */
static inline void set(MPI_Fint *ierr, int rc)
{
    if (ierr != NULL)
        *ierr = rc;
}

/* A function of mpif.h under all its names. */
#ifdef OPEN_MPI
/* The other spellings of one name: no, two, no underscores in capitals. */
#define SPELLINGS(name, NAME, params)                                        \
    void mpi_##name params __attribute__((alias("mpi_" #name "_")));         \
    void mpi_##name##__ params __attribute__((alias("mpi_" #name "_")));     \
    void MPI_##NAME params __attribute__((alias("mpi_" #name "_")));

#define F77(name, NAME, params, body)                                        \
    void mpi_##name##_ params;                                               \
    void mpi_##name##_ params body SPELLINGS(name, NAME, params)
#else
#define F77(name, NAME, params, body) /* MPICH's call MPI's C names */
#endif

#endif
