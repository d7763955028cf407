/* SPDX-License-Identifier: BSD-3-Clause */
/* err.h - errors: a class, which is also the exit code, and one line of text
 * written by the function that knew first. */
#ifndef CHORALE_DB_ERR_H
#define CHORALE_DB_ERR_H

/* X(name, value, text): the documented exit codes of every program. */
#define CHORALE_ERR_LIST(X)                                                  \
    X(CHORALE_OK, 0, "done")                                                 \
    X(CHORALE_NO, 1, "the answer is no")                                     \
    X(CHORALE_USAGE, 2, "wrong usage")                                       \
    X(CHORALE_ENV, 3, "the environment lacks something")                     \
    X(CHORALE_DATA, 4, "unusable data")                                      \
    X(CHORALE_STOPPED, 75, "stopped early; the same command resumes")

enum chorale_err {
#define X(name, value, text) name = value,
    CHORALE_ERR_LIST(X)
#undef X
};

#define CHORALE_ERRMSG_SIZE 1024

/* Where a failing function leaves its one line: no newline, no prefix of the
 * program. Says what is wrong, where, and how to mend it. */
struct chorale_errmsg {
    char text[CHORALE_ERRMSG_SIZE];
};

/* Text of an error class. */
const char *chorale_err_text(enum chorale_err err);

/* What mends a file that could not be written for this errno: "; ..." to end a
 * message with. */
const char *chorale_err_unwritten(int error);

/* Write the line and return err, so that callers say
 * return chorale_fail(msg, CHORALE_DATA, "%s: ...", path); msg may be NULL. One
 * that is too long, of long paths, has " ... " for its middle: its remedy, at
 * the end, stays. */
enum chorale_err chorale_fail(struct chorale_errmsg *msg, enum chorale_err err,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Messages that many places share, each with its remedy. All return
 * CHORALE_ENV; msg may be NULL. */

/* No memory for what, a verb or a file; NULL: it goes without saying. */
enum chorale_err chorale_fail_memory(struct chorale_errmsg *msg,
                                     const char *what);

/* A file or folder that could not be written or made, with its errno. */
enum chorale_err chorale_fail_written(struct chorale_errmsg *msg,
                                      const char *path, int error);

/* A file that is there and could not be read, with its errno. */
enum chorale_err chorale_fail_read(struct chorale_errmsg *msg,
                                   const char *path, int error);

/* A path with which no other can be made. */
enum chorale_err chorale_fail_long(struct chorale_errmsg *msg,
                                   const char *path);

/* Standard output, or a stream that goes to a file of the user's, took not
 * all. what: the verb. */
enum chorale_err chorale_fail_output(struct chorale_errmsg *msg,
                                     const char *what);

/* The system refuses a process, a pipe or the like, with its errno. */
enum chorale_err chorale_fail_system(struct chorale_errmsg *msg,
                                     const char *what, int error);

#endif
