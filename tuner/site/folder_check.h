/* SPDX-License-Identifier: BSD-3-Clause */
/* folder_check.h - whether a folder is suitable for databases: its file system
 * must flush files, and its locks must exclude other processes. */
#ifndef CHORALE_TUNER_SITE_FOLDER_CHECK_H
#define CHORALE_TUNER_SITE_FOLDER_CHECK_H

/* What was found out with a temporary file, which is removed. */
struct chorale_folder {
    int write_error;         /* errno of creating a file; 0: none */
    int flush_error;         /* of fsync */
    int lock_error;          /* of a lock */
    int excludes;            /* 1: a lock kept another process of this node
                              * away */
    char type[64];           /* of the file system; "" if it is unknown */
    char local[64];          /* the mount option by which locks exclude only
                              * processes of one node; "" without one */
};

void chorale_folder_check(const char *path, struct chorale_folder *found);

#endif
