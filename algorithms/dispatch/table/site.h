/* SPDX-License-Identifier: BSD-3-Clause */
/* site.h - where a site keeps its tables: one folder for a cluster, a
 * partition and an MPI library, in which `current` is the table in force.
 *
 *     FOLDER/CLUSTER/PARTITION/MPI/current
 *
 * FOLDER is sysconfdir/chorale, or CHORALE_SITE. CLUSTER and PARTITION are
 * SLURM_CLUSTER_NAME and SLURM_JOB_PARTITION, `default` where they are not
 * set. MPI is the library and its version without what mends only:
 * `mpich-4.0`, `openmpi-4.1`. The first that is there is used, of
 *
 *     CLUSTER/PARTITION  CLUSTER/default  default/default
 */
#ifndef CHORALE_ALGORITHMS_DISPATCH_TABLE_SITE_H
#define CHORALE_ALGORITHMS_DISPATCH_TABLE_SITE_H

#include <stddef.h>
#include <stdint.h>

/* The MPI part, of what MPI_Get_library_version says: `mpich-4.0` of "MPICH
 * Version:\t4.0.2\n...". "other" for a library that is not known. */
void chorale_site_mpi(const char *version, char *tag, size_t size);

/* 1 if a name of a cluster or partition can be that of a folder: 1 to 64 of
 * A-Z a-z 0-9 _ - and . (not the first), so that nothing leaves the tree. */
int chorale_site_name(const char *name);

/* The file name of an installed table: table-4-2-0123456789abcdef.so is the
 * fourth of its folder, was installed over the second (0: over no table), and
 * has that chorale_fold() of its bytes. */
void chorale_site_table_name(char name[64], long number, long before,
                             uint64_t content);
/* Read such a name. Returns 1, or 0 for any other name. */
int chorale_site_table_read(const char *name, long *number, long *before,
                            uint64_t *content);

/* Path of the table in force, "" if there is none. folder, mpi: as above;
 * cluster and partition: of the environment, or NULL; a name that can be no
 * folder's is `default`, for one line to warn(), which may be NULL. Reads
 * only whether files are there. */
void chorale_site_find(const char *folder, const char *cluster,
                       const char *partition, const char *mpi, char *path,
                       size_t size, void (*warn)(const char *line));

#endif
