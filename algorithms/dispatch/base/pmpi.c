/* SPDX-License-Identifier: BSD-3-Clause */
/* pmpi.c - finds the MPI library of this process and checks that it is the
 * library whose mpi.h this file was compiled with. */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/dispatch/base/pmpi.h"

/* The version string (MPI_Get_library_version) of the library whose mpi.h is
 * included here begins with FAMILY, then END. Open MPI changes its ABI between
 * major versions. Intel MPI and MVAPICH2 define MPICH_VERSION too. */
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#if defined(OPEN_MPI)
#define FAMILY "Open MPI v" TEXT(OMPI_MAJOR_VERSION)
#define END "."
#elif defined(I_MPI_VERSION)
#define FAMILY "Intel(R) MPI"
#define END ""
#elif defined(MVAPICH2_VERSION)
#define FAMILY "MVAPICH2"
#define END ""
#elif defined(MPICH_VERSION)
#define FAMILY "MPICH"
#define END " Version:"
#else
#define FAMILY ""
#define END ""
#endif

#define MAX_NAMES 8
#define MAX_PATH 1024

/* Any library may be loaded, so MPI_MAX_LIBRARY_VERSION_STRING of our mpi.h is
 * no bound for its version string. */
#define VERSION_ROOM 65536

const char chorale_pmpi_family[] = FAMILY;

struct chorale_pmpi chorale_pmpi;

atomic_int chorale_pmpi_found;

static pthread_once_t once = PTHREAD_ONCE_INIT;

struct names {
    int n;
    char path[MAX_NAMES][MAX_PATH];
};

static int collect(struct dl_phdr_info *info, size_t size, void *data)
{
    struct names *names = data;
    const char *base;

    (void)size;
    if (info->dlpi_name == NULL || names->n == MAX_NAMES)
        return 0;
    base = strrchr(info->dlpi_name, '/');
    base = base != NULL ? base + 1 : info->dlpi_name;
    if (strstr(base, "mpi") == NULL || strstr(base, "chorale") != NULL
        || strlen(info->dlpi_name) >= MAX_PATH)
        return 0;
    strcpy(names->path[names->n++], info->dlpi_name);
    return 0;
}

/* dlsym(RTLD_DEFAULT) does not search libraries that were loaded with
 * RTLD_LOCAL. The names are collected first: dlopen under the lock of
 * dl_iterate_phdr could deadlock with another thread that takes the two locks
 * in the other order. */
static void *search_private(const char *symbol)
{
    struct names names = {0};
    void *found = NULL;

    dl_iterate_phdr(collect, &names);
    for (int i = 0; i < names.n && found == NULL; i++) {
        void *handle = dlopen(names.path[i], RTLD_LAZY | RTLD_NOLOAD);

        if (handle == NULL)
            continue;
        found = dlsym(handle, symbol);
        dlclose(handle); /* still open by its loader */
    }
    return found;
}

void *chorale_pmpi_symbol(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    return found != NULL ? found : search_private(name);
}

/* First line of the version string; written inside pthread_once only. */
static char text[VERSION_ROOM];

static int is_family(void)
{
    return strncmp(text, FAMILY END, strlen(FAMILY END)) == 0;
}

static int same_library(void)
{
    int (*version)(char *, int *);
    int length = 0;

    *(void **)&version = chorale_pmpi_symbol("PMPI_Get_library_version");
    if (version == NULL || version(text, &length) != 0)
        return 0;
    text[strcspn(text, "\n")] = '\0';
#ifdef OPEN_MPI
    if (MPI_COMM_WORLD == NULL) /* loaded too late for the weak symbols */
        return 0;
#endif
    return is_family();
}

static void find(void)
{
    int missing = 0;

    if (!same_library()) {
        atomic_store(&chorale_pmpi_found, -1);
        return;
    }
#define X(name)                                                              \
    *(void **)&chorale_pmpi.name = chorale_pmpi_symbol("PMPI_" #name);       \
    missing += chorale_pmpi.name == NULL;
    CHORALE_PMPI_LIST(X)
#undef X
    atomic_store(&chorale_pmpi_found, missing == 0 ? 1 : -1);
}

const char *chorale_pmpi_other(void)
{
    return chorale_pmpi_ready() || text[0] == '\0' || is_family() ? NULL : text;
}

int chorale_pmpi_find(void)
{
    pthread_once(&once, find);
    return atomic_load(&chorale_pmpi_found) > 0;
}
