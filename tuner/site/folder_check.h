/* SPDX-License-Identifier: BSD-3-Clause */
/* folder_check.h - whether a folder is suitable for databases: its file system
 * must flush files, and its locks must exclude other processes. */
#ifndef CHORALE_TUNER_SITE_FOLDER_CHECK_H
#define CHORALE_TUNER_SITE_FOLDER_CHECK_H

/* Findings about a folder. */
struct chorale_folder {
    int write_error;         /* errno of creating a file; 0: no error */
    int flush_error;         /* errno of fsync, or 0 */
    int lock_error;          /* errno of a lock, or 0 */
    int excludes;            /* 1: a lock excluded another process of this
                              * node */
    char type[64];           /* type of the file system; "": unknown */
    char local[64];          /* mount option by which locks exclude only
                              * processes of one node; "": not set */
};

/* Test the folder at path with a temporary file, which is removed, and read the
 * mount options of its file system. */
void chorale_folder_check(const char *path, struct chorale_folder *found);

#endif
