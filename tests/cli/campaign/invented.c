/* SPDX-License-Identifier: BSD-3-Clause */
/* invented.c - preload that makes the MPI library look like another one.
 * INVENTED_LIBRARY: its version text. INVENTED_CVAR: the name of a further
 * control variable, with the value INVENTED_VALUE. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int invented;         /* index of the variable, after the real ones */
static int handle_storage;
#define HANDLE ((MPI_T_cvar_handle)(void *)&handle_storage)

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (found == NULL)
        abort();
    return found;
}

int PMPI_Get_library_version(char *version, int *length)
{
    const char *text = getenv("INVENTED_LIBRARY");
    int (*real)(char *, int *);

    *(void **)&real = next("PMPI_Get_library_version");
    if (text == NULL)
        return real(version, length);
    snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s", text);
    *length = (int)strlen(version);
    return MPI_SUCCESS;
}

int MPI_T_cvar_get_num(int *count)
{
    int (*real)(int *), rc;

    *(void **)&real = next("MPI_T_cvar_get_num");
    rc = real(count);
    if (rc == MPI_SUCCESS && getenv("INVENTED_CVAR") != NULL)
        invented = (*count)++;
    return rc;
}

int MPI_T_cvar_get_info(int index, char *name, int *name_length,
                        int *verbosity, MPI_Datatype *type, MPI_T_enum *items,
                        char *text, int *text_length, int *bind, int *scope)
{
    int (*real)(int, char *, int *, int *, MPI_Datatype *, MPI_T_enum *,
                char *, int *, int *, int *);

    *(void **)&real = next("MPI_T_cvar_get_info");
    if (invented == 0 || index != invented)
        return real(index, name, name_length, verbosity, type, items, text,
                    text_length, bind, scope);
    snprintf(name, (size_t)*name_length, "%s", getenv("INVENTED_CVAR"));
    *type = MPI_INT;
    *items = MPI_T_ENUM_NULL;
    *bind = MPI_T_BIND_NO_OBJECT;
    if (text != NULL && *text_length > 0)
        text[0] = '\0';
    return MPI_SUCCESS;
}

int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle,
                            int *count)
{
    int (*real)(int, void *, MPI_T_cvar_handle *, int *);

    *(void **)&real = next("MPI_T_cvar_handle_alloc");
    if (invented == 0 || index != invented)
        return real(index, object, handle, count);
    *handle = HANDLE;
    *count = 1;
    return MPI_SUCCESS;
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *value)
{
    int (*real)(MPI_T_cvar_handle, void *);

    *(void **)&real = next("MPI_T_cvar_read");
    if (handle != HANDLE)
        return real(handle, value);
    *(int *)value = atoi(getenv("INVENTED_VALUE"));
    return MPI_SUCCESS;
}

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    int (*real)(MPI_T_cvar_handle *);

    *(void **)&real = next("MPI_T_cvar_handle_free");
    return *handle == HANDLE ? MPI_SUCCESS : real(handle);
}
