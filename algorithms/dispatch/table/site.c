/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - finds the dispatch table of a site. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/dispatch/table/site.h"

#define OTHER "default"
#define LETTERS                                                              \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

enum { LONGEST = 64 };

/* Prefixes of MPI_Get_library_version; longer prefixes before shorter ones. */
static const struct family {
    const char *says, *tag;
} family[] = {
    { "Open MPI", "openmpi" },
    { "Intel(R) MPI", "intelmpi" },
    { "MVAPICH", "mvapich" },
    { "MPICH Version", "mpich" },
    { "CRAY MPICH", "craympich" }
};

/* The first "MAJOR.MINOR" of the line: "4.0" in "v4.0.2" or "\t4.0.2". */
static int two_numbers(const char *text, char *number, size_t size)
{
    for (; *text != '\0' && *text != '\n'; text++) {
        size_t major = strspn(text, DIGITS), minor;

        if (major == 0)
            continue;
        minor = text[major] == '.' ? strspn(text + major + 1, DIGITS) : 0;
        if (minor > 0) {
            snprintf(number, size, "%.*s", (int)(major + 1 + minor), text);
            return 1;
        }
        text += major - 1;
    }
    return 0;
}

void chorale_site_mpi(const char *version, char *tag, size_t size)
{
    char number[24];

    for (size_t i = 0; i < sizeof(family) / sizeof(family[0]); i++) {
        const size_t n = strlen(family[i].says);

        if (strncmp(version, family[i].says, n) == 0 &&
            two_numbers(version + n, number, sizeof(number))) {
            snprintf(tag, size, "%s-%s", family[i].tag, number);
            return;
        }
    }
    snprintf(tag, size, "other");
}

int chorale_site_name(const char *name)
{
    const size_t n = strlen(name);

    return n >= 1 && n <= LONGEST && name[0] != '.' &&
           strspn(name, LETTERS DIGITS "_-.") == n;
}

void chorale_site_table_name(char name[64], long number, long before,
                             uint64_t content)
{
    snprintf(name, 64, "table-%ld-%ld-%016" PRIx64 ".so", number, before,
             content);
}

int chorale_site_table_read(const char *name, long *number, long *before,
                            uint64_t *content)
{
    char again[64];

    if (sscanf(name, "table-%ld-%ld-%" SCNx64 ".so", number, before,
               content) != 3)
        return 0;
    chorale_site_table_name(again, *number, *before, *content);
    return strcmp(again, name) == 0 && *number > 0 && *before >= 0 &&
           *before < *number;
}

/* The name if it is a safe folder name, else OTHER. */
static const char *folder_of(const char *variable, const char *name,
                             void (*warn)(const char *line))
{
    char line[256];

    if (name == NULL || name[0] == '\0')
        return OTHER;
    if (chorale_site_name(name))
        return name;
    snprintf(line, sizeof(line), "%s: a folder of site tables has at most %d "
             "letters, digits and _ - . in its name; using '%s'",
             variable, LONGEST, OTHER);
    if (warn != NULL)
        warn(line);
    return OTHER;
}

void chorale_site_find(const char *folder, const char *cluster,
                       const char *partition, const char *mpi, char *path,
                       size_t size, void (*warn)(const char *line))
{
    const char *level[3][2];

    cluster = folder_of("SLURM_CLUSTER_NAME", cluster, warn);
    partition = folder_of("SLURM_JOB_PARTITION", partition, warn);
    level[0][0] = level[1][0] = cluster;
    level[0][1] = partition;
    level[1][1] = level[2][0] = level[2][1] = OTHER;
    for (int i = 0; i < 3; i++) {
        const int n = snprintf(path, size, "%s/%s/%s/%s/current", folder,
                               level[i][0], level[i][1], mpi);

        if (n > 0 && (size_t)n < size && access(path, F_OK) == 0)
            return;
    }
    path[0] = '\0';
}
