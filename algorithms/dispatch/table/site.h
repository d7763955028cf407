/* SPDX-License-Identifier: BSD-3-Clause */
/* site.h - finds the table of a site: one folder for each cluster, partition
 * and MPI library, where the file `current` is the table in force.
 *
 *     FOLDER/CLUSTER/PARTITION/MPI/current
 *
 * FOLDER is sysconfdir/chorale, or CHORALE_SITE. CLUSTER and PARTITION are
 * SLURM_CLUSTER_NAME and SLURM_JOB_PARTITION, or `default` if unset. MPI is
 * the library with the first two numbers of its version: `mpich-4.0`,
 * `openmpi-4.1`. The first existing file is used, in this order:
 *
 *     CLUSTER/PARTITION  CLUSTER/default  default/default */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_SITE_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_SITE_H

#include <stddef.h>
#include <stdint.h>

/* Name of the MPI folder from the text of MPI_Get_library_version: `mpich-4.0`
 * from "MPICH Version:\t4.0.2\n...". "other" for an unknown library. */
void chorale_site_mpi(const char *version, char *tag, size_t size);

/* 1 if the name of a cluster or partition is a safe folder name: 1 to 64 of
 * A-Z a-z 0-9 _ - and . (not first). Such a path cannot leave the tree. */
int chorale_site_name(const char *name);

/* The file name of an installed table: table-4-2-0123456789abcdef.so is the
 * fourth of its folder, was installed over the second (0: over no table), and
 * has that FNV-1a hash of its bytes. */
void chorale_site_table_name(char name[64], long number, long before,
                             uint64_t content);
/* Read such a name. Returns 1, or 0 for any other name. */
int chorale_site_table_read(const char *name, long *number, long *before,
                            uint64_t *content);

/* Path of the table in force, "" if there is no such file.
 *
 * folder, mpi          as above
 * cluster, partition   from the environment, or NULL. A name that is not a
 *                      safe folder name counts as `default`.
 * warn                 receives one line about such a name; may be NULL
 *
 * Tests only whether files exist. */
void chorale_site_find(const char *folder, const char *cluster,
                       const char *partition, const char *mpi, char *path,
                       size_t size, void (*warn)(const char *line));

#endif
