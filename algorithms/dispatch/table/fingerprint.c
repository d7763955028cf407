/* SPDX-License-Identifier: BSD-3-Clause */
/* fingerprint.c - compares the system that a table was measured on with this
 * one. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "algorithms/dispatch/table/fingerprint.h"
#include "algorithms/mpi_name.h"

/* A library of another version than ours may return a longer text than
 * MPI_MAX_LIBRARY_VERSION_STRING of our mpi.h. */
enum { LIBRARY = 65536, LINE = 1024 };

void chorale_fingerprint_library(char *text, size_t size)
{
    char *all = malloc(LIBRARY);
    int length;

    text[0] = '\0';
    if (all != NULL && PMPI_Get_library_version(all, &length) == MPI_SUCCESS)
        snprintf(text, size, "%s", all);
    free(all);
}

/* Keep the first line and replace tabs by blanks, as the runner does when it
 * records these values. */
static void one_line(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    for (char *p = text; *p != '\0'; p++)
        if (*p == '\t' || *p == '\r')
            *p = ' ';
}

/* The device in MPICH's version text, such as "ch4:ucx"; "" if not stated. */
static void device_of(const char *library, char *text, size_t size)
{
    static const char word[] = "Device:";
    const char *at = strstr(library, word);

    text[0] = '\0';
    if (at == NULL)
        return;
    at += sizeof(word) - 1;
    at += strspn(at, " \t");
    snprintf(text, size, "%s", at);
    one_line(text);
}

/* The value of the first line "model name" of /proc/cpuinfo; "" if not
 * found. */
static void read_cpu(char *text, size_t size)
{
    static const char word[] = "model name";
    char line[LINE];
    FILE *in = fopen("/proc/cpuinfo", "re");

    text[0] = '\0';
    while (in != NULL && text[0] == '\0' &&
           fgets(line, sizeof(line), in) != NULL) {
        char *at = strchr(line, ':');

        if (strncmp(line, word, sizeof(word) - 1) != 0 || at == NULL)
            continue;
        one_line(line);
        snprintf(text, size, "%s", at + 1 + strspn(at + 1, " \t"));
    }
    if (in != NULL)
        fclose(in);
}

/* "NAME=value NAME=value" of the variables that are set. */
static void read_variables(char *text, size_t size)
{
    static const char *const name[] = {
#define X(name) #name,
        CHORALE_TABLE_VARIABLES(X)
#undef X
    };
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        const char *value = getenv(name[i]);

        if (value != NULL && value[0] != '\0' && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s",
                                     used > 0 ? " " : "", name[i], value);
    }
    one_line(text);
}

/* 1, and a line in why, if both values are known and differ. */
static int differ(const char *what, const char *theirs, const char *ours,
                  char *why, size_t why_size)
{
    if (theirs == NULL || theirs[0] == '\0' || ours[0] == '\0' ||
        strcmp(theirs, ours) == 0)
        return 0;
    snprintf(why, why_size, "was measured under another %s, '%.120s', here is "
             "'%.120s'; tune here, or set CHORALE_ANY_SYSTEM=1", what,
             theirs, ours);
    return 1;
}

/* The same for the library: by its short names, unless these are equal. */
static int differ_in_library(const char *theirs, const char *ours, char *why,
                             size_t why_size)
{
    char a[CHORALE_MPI_NAME], b[CHORALE_MPI_NAME];

    if (theirs == NULL || strcmp(theirs, ours) == 0)
        return 0;
    chorale_mpi_name(theirs, a);
    chorale_mpi_name(ours, b);
    return strcmp(a, b) == 0
               ? differ("MPI library", theirs, ours, why, why_size)
               : differ("MPI library", a, b, why, why_size);
}

int chorale_fingerprint_differs(const struct chorale_table *table, char *why,
                                size_t why_size)
{
    char library[4 * LINE], text[LINE];

    chorale_fingerprint_library(library, sizeof(library));
    device_of(library, text, sizeof(text));
    one_line(library);
    if (differ_in_library(table->mpi_library, library, why, why_size) ||
        differ("transport", table->transport, text, why, why_size))
        return 1;
    read_cpu(text, sizeof(text));
    if (differ("processor", table->cpu_model, text, why, why_size))
        return 1;
    read_variables(text, sizeof(text));
    if (table->variables == NULL || strcmp(table->variables, text) == 0)
        return 0;
    snprintf(why, why_size, "was measured with %.120s, here is %.120s; set "
             "the same, tune here, or set CHORALE_ANY_SYSTEM=1",
             table->variables[0] != '\0' ? table->variables
                                         : "no variable for the transport",
             text[0] != '\0' ? text : "no variable for the transport");
    return 1;
}
