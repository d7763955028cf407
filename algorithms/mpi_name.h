/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_name.h - the short name of an MPI library, for output to people. In a
 * header, because the shim and the command print it and share no object. */
#ifndef CHORALE_ALGORITHMS_MPI_NAME_H
#define CHORALE_ALGORITHMS_MPI_NAME_H

#include <stdio.h>
#include <string.h>

enum { CHORALE_MPI_NAME = 256 };

/* A library's name and version in short form, which is equal for different
 * spellings: "MPICH 4.0.2" for "MPICH Version:      4.0.2", "Open MPI 4.1.4"
 * for "Open MPI v4.1.4, package: ...". For an unknown library it is the first
 * line. Output for people has this form. The text of MPI_Get_library_version is
 * stored and compared. */
static inline void chorale_mpi_name(const char *library, char name[CHORALE_MPI_NAME])
{
    static const char *const spelled[][2] = {
        { "MPICH Version", "MPICH" },     { "Open MPI v", "Open MPI" },
        { "MVAPICH2 Version", "MVAPICH" }, { "MVAPICH Version", "MVAPICH" },
        { "CRAY MPICH", "Cray MPICH" },
    };
    const char *rest = library, *family = "";
    int len;

    for (size_t i = 0; i < sizeof(spelled) / sizeof(spelled[0]); i++)
        if (strncmp(library, spelled[i][0], strlen(spelled[i][0])) == 0) {
            rest = library + strlen(spelled[i][0]);
            rest += strspn(rest, " \t:");
            family = spelled[i][1];
        }
    /* The version of a known family is one word. A stored text may have blanks
     * in place of tabs and line ends. */
    len = (int)strcspn(rest, *family != '\0' ? " ,;\n\t" : "\n");
    snprintf(name, CHORALE_MPI_NAME, "%s%s%.*s", family,
             *family != '\0' ? " " : "", len, rest);
}

#endif
