/* SPDX-License-Identifier: BSD-3-Clause */
/* shim_fortran.h - shared by the two files that define Fortran names. */
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

/* The next tool's function, or the library's, for "pmpi_x": first "mpi_x" in
 * later libraries, then "pmpi_x". NULL if neither exists. */
static inline void *find_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name + 1);

    return found != NULL ? found : chorale_pmpi_symbol(name);
}

/* Set ierror, which may be absent. */
static inline void set(MPI_Fint *ierr, int rc)
{
    if (ierr != NULL)
        *ierr = rc;
}

/* Define a function of mpif.h under all spellings of its name. */
#ifdef OPEN_MPI
/* Other spellings of a name: no underscore, two underscores, capitals. */
#define SPELLINGS(name, NAME, params)                                        \
    void mpi_##name params __attribute__((alias("mpi_" #name "_")));         \
    void mpi_##name##__ params __attribute__((alias("mpi_" #name "_")));     \
    void MPI_##NAME params __attribute__((alias("mpi_" #name "_")));

#define F77(name, NAME, params, body)                                        \
    void mpi_##name##_ params;                                               \
    void mpi_##name##_ params body SPELLINGS(name, NAME, params)
#else
#define F77(name, NAME, params, body) /* MPICH's functions call MPI's C names */
#endif

#endif
