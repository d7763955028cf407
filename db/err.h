/* SPDX-License-Identifier: BSD-3-Clause */
/* err.h - error classes, which are also exit codes, and one-line messages
 * written by the function that detects the error. */
#ifndef CHORALE_DB_ERR_H
#define CHORALE_DB_ERR_H

/* The documented exit codes of every program. */
enum chorale_err {
    CHORALE_OK = 0,
    CHORALE_NO = 1,          /* the answer is no */
    CHORALE_USAGE = 2,       /* wrong usage */
    CHORALE_ENV = 3,         /* the environment lacks something */
    CHORALE_DATA = 4,        /* unusable data */
    CHORALE_STOPPED = 75     /* stopped early; the same command resumes */
};

#define CHORALE_ERRMSG_SIZE 1024

/* The message of a failing function: one line without newline or program name,
 * in the form "object: problem; remedy". */
struct chorale_errmsg {
    char text[CHORALE_ERRMSG_SIZE];
};

/* The remedy for a file that could not be written with this errno, to append
 * to a message: "; ...". */
const char *chorale_err_unwritten(int error);

/* Write the message and return err, for use as
 * return chorale_fail(msg, CHORALE_DATA, "%s: ...", path); msg may be NULL. A
 * message with long paths is shortened in the middle, marked " ... ", so that
 * the remedy at its end survives. */
enum chorale_err chorale_fail(struct chorale_errmsg *msg, enum chorale_err err,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Shared messages with their remedies. All return CHORALE_ENV; msg may be
 * NULL. */

/* Out of memory. what: verb or file that needed it, or NULL. */
enum chorale_err chorale_fail_memory(struct chorale_errmsg *msg,
                                     const char *what);

/* A file or folder that could not be written or created; error: errno. */
enum chorale_err chorale_fail_written(struct chorale_errmsg *msg,
                                      const char *path, int error);

/* An existing file that could not be read; error: errno. */
enum chorale_err chorale_fail_read(struct chorale_errmsg *msg,
                                   const char *path, int error);

/* A path too long to append a file name to. */
enum chorale_err chorale_fail_long(struct chorale_errmsg *msg,
                                   const char *path);

/* Writing standard output or an output file of the user failed. what: the verb
 * or NULL. */
enum chorale_err chorale_fail_output(struct chorale_errmsg *msg,
                                     const char *what);

/* The system refused a resource, such as a process or a pipe; error: errno. */
enum chorale_err chorale_fail_system(struct chorale_errmsg *msg,
                                     const char *what, int error);

/* Replace the bytes of a text from a file that are not printable ASCII by '?',
 * before a message quotes it. */
void chorale_printable(char *text);

#endif
