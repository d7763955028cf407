/* SPDX-License-Identifier: BSD-3-Clause */
/* tail.h - what was stored since a copy of a database was published
 * (publish.h): a file beside the copy, FILE-tail, to which who measures appends
 * the runs of each transaction. With it a copy lacks nothing that is stored,
 * however large it is and however seldom it is made.
 *
 * The file is a sequence of records, one a transaction: new runs with all that
 * hangs on them, and launches with their environment when their first run
 * comes. All in a record is known by UUIDs: one that a copy has is skipped
 * and one whose launch or cell it has not is left out, so that a tail adds to
 * any copy what fits there, and nothing twice. A record counts whole or not at
 * all: the last one may be torn by a kill. Numbers are in the order of bytes
 * of the machine; what was written with another order is no record, and one of
 * another schema is read by the chorale that wrote it alone.
 *
 * To publish ends a tail in three steps, and may be killed between any two:
 * FILE-tail becomes FILE-tail-before, unless there is one; the copy is made and
 * renamed; then FILE-tail-before goes. A record follows its commit and is
 * appended to the file that had the name after it, so what goes is all in the
 * copy. Readers take the two files before the copy, the younger one first.
 *
 * Where one start measures several launches (runners/launch/groups.h) the first rank
 * of each group but rank 0's has a file of its own, FILE-tail-1, -2 and so on
 * without a gap: machines that append to one file over a network file system
 * overwrite each other. It has what is not in the database yet, so to publish
 * leaves it alone. Rank 0 makes these files and, when it has stored all, takes
 * them away, the last one first; after a kill the next `chorale run` takes in
 * what they have. A database that is measured into without a copy has them
 * beside itself. Readers take them before the other two.
 *
 * What there is of a point under way (runners/measure/cut.h) is a record, too, the only
 * one of FILE-tail-cut, or FILE-tail-1-cut and so on of a group: each takes the
 * place of the one before it, and the last one goes when the point is stored.
 * It is for who goes on measuring, the next `chorale run`, the element's next
 * attempt or a run whose launch was stopped, and for who knows that nobody
 * does, as the job that gathers (CHORALE_SHARD_ENDED, foreign_db.h): other readers
 * may come while the point is still measured, and would have a part of it for
 * the whole. Of a launch that fell by itself it adds all but the cell that was
 * being called; nothing if it is not known which (mark.h) and no rank was
 * killed, if the launch has failed before, or where all of its cells have
 * been measured again since. */
#ifndef CHORALE_DB_TAIL_H
#define CHORALE_DB_TAIL_H

#include <stdint.h>

#include "db/store.h"

#define CHORALE_TAIL_SUFFIX "-tail"
#define CHORALE_TAIL_BEFORE CHORALE_TAIL_SUFFIX "-before"
#define CHORALE_TAIL_CUT "-cut"
#define CHORALE_TAIL_NEW ".new" /* until it is whole */

struct chorale_tail;

/* Of a store that is being measured into, from here on; the copy under the
 * name published has all that it has now. place: 0, or of a group's file, which
 * is appended to as long as it is there. CHORALE_ENV: no memory, a path that is
 * too long. chorale_store_tail() is what to call. */
enum chorale_err chorale_tail_begin(struct chorale_store *store,
                                    const char *published, int place,
                                    struct chorale_tail **tail_p,
                                    struct chorale_errmsg *msg);
/* A transaction is committed: append its runs, and bring them to the disk.
 * What fails is tried again with the next one: to publish says what is
 * wrong. */
void chorale_tail_add(struct chorale_tail *tail);
/* The store has no runs any more: the next ones' numbers may begin again. */
void chorale_tail_emptied(struct chorale_tail *tail);
/* Of a store that is being measured into: what there is of a point under way,
 * as above; place: 0, or of a group. */
enum chorale_err chorale_tail_cut_begin(struct chorale_store *store,
                                        const char *published, int place,
                                        struct chorale_tail **tail_p,
                                        struct chorale_errmsg *msg);
/* In the transaction that has stored it, and will be taken back: the runs after
 * that one become the file, with their launch. 0, or -1: they cannot be
 * written, or are more than CHORALE_TAIL_MAX; the file before stays. */
int chorale_tail_cut(struct chorale_tail *tail, sqlite3_int64 after);
/* The file goes, if there is one. */
void chorale_tail_cut_drop(struct chorale_tail *tail);

/* Before the store is closed; NULL does nothing. */
void chorale_tail_end(struct chorale_tail *tail);

/* The first and the last step of publishing. all: nobody is measuring, all
 * files go. */
void chorale_tail_turn(const char *published);
void chorale_tail_drop(const char *published, int all);

/* Rank 0: empty files for groups 1 to n. id[i - 1]: what the file system knows
 * that of group i by, 0: it and the later ones could not be made. Take them
 * away, if they still are those. */
void chorale_tail_make(const char *published, int n, uint64_t *id);
void chorale_tail_unmake(const char *published, int n, const uint64_t *id);
/* The first rank of a group, perhaps on another machine: 1 if the file that it
 * sees under that name is the one rank 0 made. */
int chorale_tail_seen(const char *published, int place, uint64_t id);

/* Points under way: none is taken in; all of their cells, as somebody ended
 * their launches; of launches that fell the cells that were not being called
 * (mark.h), and nothing where it is not known which was; or all of them there,
 * as a rank was killed by SIGKILL, which no cell does by itself. */
enum chorale_cuts {
    CHORALE_CUTS_NONE,
    CHORALE_CUTS_ALL,
    CHORALE_CUTS_MARKED,
    CHORALE_CUTS_KILLED
};

/* The files beside a copy, in the order in which they are applied; all 0:
 * there is none, or nothing in them. */
struct chorale_tail_files {
    int *fd;                 /* [count] */
    int count;
    int ncut;                /* the last ones, of points under way; */
    enum chorale_cuts cuts;  /* what of these */
    unsigned other;          /* schema version of records left out */
};

/* Open them. CHORALE_ENV: one is there and cannot be read, no memory. */
enum chorale_err chorale_tail_open(const char *published,
                                   struct chorale_tail_files *files,
                                   struct chorale_errmsg *msg);
/* 1 if there is something in them. */
int chorale_tail_there(const struct chorale_tail_files *files);
/* Add to store, a private copy of the published one with the tables of the
 * schema, what it has not, in one transaction. What is no record is skipped,
 * after CHORALE_TAIL_BROKEN such pieces the rest is: the files may come from
 * anywhere. *runs_p, unless NULL: how many runs came. files->other: the schema
 * version of whole records that are another's, or 0. CHORALE_ENV: the copy
 * cannot be written. */
#define CHORALE_TAIL_BROKEN 64
enum chorale_err chorale_tail_apply(struct chorale_tail_files *files,
                                    struct chorale_store *store,
                                    sqlite3_int64 *runs_p,
                                    struct chorale_errmsg *msg);
void chorale_tail_close(struct chorale_tail_files *files);

/* Of a store that nobody measures into: add what killed groups have left
 * beside that name, and points under way, and take all of these files away.
 * *runs_p: how many came; *other_p as files->other. CHORALE_ENV: they cannot be
 * read, or the store not be written; they stay, but for those of points under
 * way of launches that fell. */
enum chorale_err chorale_tail_take_in(struct chorale_store *store,
                                      const char *published,
                                      enum chorale_cuts cuts,
                                      sqlite3_int64 *runs_p,
                                      unsigned *other_p,
                                      struct chorale_errmsg *msg);

#endif
