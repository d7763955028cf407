/* SPDX-License-Identifier: BSD-3-Clause */
/* leak_tool.c - preloaded library that counts the MPI objects made and freed
 * by the PMPI_ names, which the shim uses and the application does not. Prints
 * how many are left at the end of the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int comms, most, groups, keys, handlers, types;

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define MAKES(kind, name, params, args)                                      \
    int PMPI_##name params                                                   \
    {                                                                        \
        int (*call) params, rc;                                              \
                                                                             \
        *(void **)&call = next("PMPI_" #name);                               \
        rc = call args;                                                      \
        kind += rc == MPI_SUCCESS;                                           \
        most = comms > most ? comms : most;                                  \
        return rc;                                                           \
    }
#define FREES(kind, name, params, args)                                      \
    int PMPI_##name params                                                   \
    {                                                                        \
        int (*call) params;                                                  \
                                                                             \
        *(void **)&call = next("PMPI_" #name);                               \
        kind--;                                                              \
        return call args;                                                    \
    }

MAKES(comms, Comm_create_group,
      (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
      (comm, group, tag, made))
MAKES(comms, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made),
      (comm, group, made))
MAKES(comms, Comm_split_type,
      (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
FREES(comms, Comm_free, (MPI_Comm *comm), (comm))
MAKES(groups, Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
MAKES(groups, Comm_remote_group, (MPI_Comm comm, MPI_Group *group),
      (comm, group))
MAKES(groups, Group_union, (MPI_Group one, MPI_Group other, MPI_Group *group),
      (one, other, group))
FREES(groups, Group_free, (MPI_Group *group), (group))
MAKES(keys, Comm_create_keyval,
      (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
       int *key, void *extra), (copy, drop, key, extra))
FREES(keys, Comm_free_keyval, (int *key), (key))
MAKES(handlers, Comm_get_errhandler,
      (MPI_Comm comm, MPI_Errhandler *handler), (comm, handler))
MAKES(handlers, Comm_create_errhandler,
      (MPI_Comm_errhandler_function *function, MPI_Errhandler *handler),
      (function, handler))
FREES(handlers, Errhandler_free, (MPI_Errhandler *handler), (handler))
MAKES(types, Type_contiguous, (int n, MPI_Datatype of, MPI_Datatype *type),
      (n, of, type))
MAKES(types, Type_create_resized,
      (MPI_Datatype of, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *type),
      (of, lb, extent, type))
MAKES(types, Type_vector,
      (int n, int length, int stride, MPI_Datatype of, MPI_Datatype *type),
      (n, length, stride, of, type))
MAKES(types, Type_create_hvector,
      (int n, int length, MPI_Aint stride, MPI_Datatype of,
       MPI_Datatype *type), (n, length, stride, of, type))
MAKES(types, Type_create_hindexed,
      (int n, const int *length, const MPI_Aint *at, MPI_Datatype of,
       MPI_Datatype *type), (n, length, at, of, type))
MAKES(types, Type_create_struct,
      (int n, const int *length, const MPI_Aint *at, const MPI_Datatype *of,
       MPI_Datatype *type), (n, length, at, of, type))
FREES(types, Type_free, (MPI_Datatype *type), (type))

__attribute__((destructor)) static void say(void)
{
    if (most > 0)
        fprintf(stderr, "left of %d: comms=%d groups=%d keys=%d handlers=%d "
                "types=%d\n", most, comms, groups, keys, handlers, types);
}
