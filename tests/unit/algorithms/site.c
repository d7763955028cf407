/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - location of a site's table: the tag of an MPI library, names that
 * can be folders, and the order of the levels. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/dispatch/table/site.h"
#include "tests/tap.h"

static char said[512];

static void warn(const char *line)
{
    snprintf(said, sizeof(said), "%s", line);
}

static void test_tags(void)
{
    static const struct {
        const char *version, *tag;
    } row[] = {
        { "MPICH Version:\t4.0.2\nMPICH Release date:\t2022", "mpich-4.0" },
        { "MPICH Version:      3.4\n", "mpich-3.4" },
        { "MPICH Version:\t4.2.0rc1\n", "mpich-4.2" },
        { "Open MPI v4.1.4, package: Debian, ident: 4.1.4", "openmpi-4.1" },
        { "Open MPI v10.12.4a1", "openmpi-10.12" },
        { "Intel(R) MPI Library 2021.9 for Linux* OS\n", "intelmpi-2021.9" },
        { "MVAPICH2 Version      :\t2.3.7\n", "mvapich-2.3" },
        { "MPICH Version:\tnone\n1.2", "other" },
        { "Some MPI 1.0", "other" },
        { "MPICH Version:\t../../etc 4\n", "other" },
        { "", "other" }
    };
    char tag[64];

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        chorale_site_mpi(row[i].version, tag, sizeof(tag));
        tap_ok(strcmp(tag, row[i].tag) == 0, "%.*s is %s: %s",
               (int)strcspn(row[i].version, "\t\n"), row[i].version,
               row[i].tag, tag);
        tap_ok(chorale_site_name(tag), "that tag can be a folder");
    }
}

static void test_names(void)
{
    static const char *const good[] = { "a", "gpu-long", "N_2.x", "0" };
    static const char *const bad[] = {
        "", ".", "..", ".hidden", "a/b", "../x", "a b", "a\n", "a;b", "$x",
        "\xc3\xa9",
        "0123456789012345678901234567890123456789012345678901234567890123"
        "4"
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        tap_ok(chorale_site_name(good[i]), "%s can be a folder", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        tap_ok(!chorale_site_name(bad[i]), "bad name %zu cannot", i);
}

/* DIR/CLUSTER/PARTITION/mpich-4.0/current */
static void put(const char *dir, const char *cluster, const char *partition)
{
    char command[512];

    snprintf(command, sizeof(command), "mkdir -p %s/%s/%s/mpich-4.0 && "
             "touch %s/%s/%s/mpich-4.0/current", dir, cluster, partition, dir,
             cluster, partition);
    if (system(command) != 0)
        tap_diag("cannot make a folder");
}

static void is_at(const char *dir, const char *cluster, const char *partition,
                  const char *mpi, const char *want, int lines)
{
    char path[256], full[256] = "";

    if (want[0] != '\0')
        snprintf(full, sizeof(full), "%s/%s/%s/current", dir, want, mpi);
    said[0] = '\0';
    chorale_site_find(dir, cluster, partition, mpi, path, sizeof(path), warn);
    tap_ok(strcmp(path, full) == 0 && (said[0] != '\0') == lines,
           "%s, %s: '%s' %s", cluster ? cluster : "none",
           partition ? partition : "none", want, said);
}

static void test_levels(void)
{
    char dir[] = "unit-site-XXXXXX", command[64];
    static const char mpi[] = "mpich-4.0";

    if (mkdtemp(dir) == NULL)
        tap_diag("no folder");
    is_at(dir, "c", "p", mpi, "", 0);
    put(dir, "default", "default");
    is_at(dir, "c", "p", mpi, "default/default", 0);
    is_at(dir, NULL, NULL, mpi, "default/default", 0);
    is_at(dir, "", "", mpi, "default/default", 0);
    put(dir, "c", "default");
    is_at(dir, "c", "p", mpi, "c/default", 0);
    is_at(dir, "d", "p", mpi, "default/default", 0);
    put(dir, "c", "p");
    is_at(dir, "c", "p", mpi, "c/p", 0);
    is_at(dir, "c", "q", mpi, "c/default", 0);
    is_at(dir, "c", NULL, mpi, "c/default", 0);
    is_at(dir, "c", "p", "openmpi-4.1", "", 0);
    is_at(dir, "../c", "p", mpi, "default/default", 1);
    is_at(dir, "c", "p/../p", mpi, "c/default", 1);
    snprintf(command, sizeof(command), "rm -r %s", dir);
    tap_ok(system(command) == 0, "all files are in that folder");
}

static void test_table_names(void)
{
    static const char *const wrong[] = {
        "table-1-0.so", "table-1-1-0123456789abcdef.so",
        "table-0-0-0123456789abcdef.so", "table-1-0-123456789abcdef.so",
        "table-1-0-0123456789ABCDEF.so", "table-1-0-0123456789abcdef.sox",
        "table-+1-0-0123456789abcdef.so", "current"
    };
    uint64_t content = 0;
    long number = 0, before = 0;
    char name[64];
    int taken = 0;

    chorale_site_table_name(name, 12, 3, UINT64_C(0x0123456789abcdef));
    tap_ok(strcmp(name, "table-12-3-0123456789abcdef.so") == 0 &&
           chorale_site_table_read(name, &number, &before, &content) &&
           number == 12 && before == 3 &&
           content == UINT64_C(0x0123456789abcdef),
           "the name of an installed table is read again: %s", name);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        taken += chorale_site_table_read(wrong[i], &number, &before, &content);
    tap_ok(taken == 0, "other names are not names of installed tables");
}

int main(void)
{
    test_tags();
    test_names();
    test_table_names();
    test_levels();
    return tap_done();
}
