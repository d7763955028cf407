/* SPDX-License-Identifier: BSD-3-Clause */
/* tail_record.h - between the files of the tail: what a record is.
 *
 * A head, then rows: the number of the table in a byte, and its columns in the
 * order of chorale_tail_table. A column is a letter of enum
 * chorale_tail_letter and its value. What hangs on a run follows it. */
#ifndef CHORALE_DB_TAIL_RECORD_H
#define CHORALE_DB_TAIL_RECORD_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "db/tail.h"

#define CHORALE_TAIL_MAGIC 0x315f6c6961746843u /* "Chtail_1" */
#define CHORALE_TAIL_MAX (64 << 20)            /* bytes of a record's rows */

struct chorale_tail_head {
    uint64_t magic;
    uint32_t schema;         /* CHORALE_SCHEMA_VERSION of the writer */
    uint32_t bytes;          /* of the rows */
    uint64_t sum;            /* of the rows: chorale_tail_sum() */
};

enum chorale_tail_letter {
    CHORALE_TAIL_NULL = 'n',
    CHORALE_TAIL_BYTE = 'b', /* an integer of 0 to 255 */
    CHORALE_TAIL_INT = 'i',  /* int64_t */
    CHORALE_TAIL_REAL = 'd', /* double */
    CHORALE_TAIL_TEXT = 't'  /* uint32_t bytes, and those */
};

enum {
    CHORALE_TAIL_LAUNCH,
    CHORALE_TAIL_FACT,
    CHORALE_TAIL_RUN,
    CHORALE_TAIL_SUMMARY,
    CHORALE_TAIL_SAMPLE,
    CHORALE_TAIL_COUNTER,
    CHORALE_NTAIL
};

/* from: the rows of a launch (LAUNCH, FACT) or run (the others), ?1. into: its
 * columns are ?1 to ?columns; of what hangs on a run, ?(columns + 1) is
 * that. */
struct chorale_tail_table {
    const char *from, *into;
    int columns;
};

extern const struct chorale_tail_table chorale_tail_table[CHORALE_NTAIL];

/* The name of a group's file. 0, or -1: it is too long. */
int chorale_tail_group_name(const char *published, int place,
                            char name[PATH_MAX]);

/* The same of a point under way; place 0: of no group. */
int chorale_tail_cut_name(const char *published, int place,
                          char name[PATH_MAX]);
/* Add those files to the ones that are open; take them away. */
enum chorale_err chorale_tail_open_cuts(const char *published,
                                        struct chorale_tail_files *files,
                                        struct chorale_errmsg *msg);
void chorale_tail_drop_cuts(const char *published);

/* Take all groups' files away, the last one first. */
void chorale_tail_drop_groups(const char *published);
/* Open one of the files: *fd_p, -1: it is not there or empty; *there_p. */
enum chorale_err chorale_tail_open_one(const char *name, int *fd_p,
                                       int *there_p,
                                       struct chorale_errmsg *msg);
/* Add the groups' files to those that are open. */
enum chorale_err chorale_tail_open_groups(const char *published,
                                          struct chorale_tail_files *files,
                                          struct chorale_errmsg *msg);
/* Add a file, which is closed if there is no memory for it. */
enum chorale_err chorale_tail_add_file(struct chorale_tail_files *files,
                                       int fd, struct chorale_errmsg *msg);

/* FNV-1a by words of eight bytes, the last one filled with zeros. */
uint64_t chorale_tail_sum(const char *data, size_t bytes);

#endif
