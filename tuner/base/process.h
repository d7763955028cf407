/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - child programs: started without a shell, in a process group of
 * their own, and never outliving us. */
#ifndef CHORALE_TUNER_BASE_PROCESS_H
#define CHORALE_TUNER_BASE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "db/err.h"

#define CHORALE_MAX_ARGS 128

/* An argument vector under construction; words are owned. */
struct chorale_args {
    char *word[CHORALE_MAX_ARGS + 1]; /* NULL-terminated */
    int count;
    int overflow;                     /* too many words or out of memory */
    const char *tunables;             /* GLIBC_TUNABLES of who has none, or
                                       * NULL: as here; not owned */
    const char *preload;              /* a library behind those of LD_PRELOAD,
                                       * or NULL: none; not owned */
};

/* Append one word, formatted. */
void chorale_args_add(struct chorale_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void chorale_args_free(struct chorale_args *args);

/* A running child. Lines of its output come to the callbacks of the wait. */
struct chorale_child {
    pid_t pid;               /* leader of its own group; 0: ended */
    int out, err;            /* read ends of its standard output and error */
    int lasting;             /* SIGTERM is blocked in it */
};

/* Start args->word[0], found in PATH. It is killed when we die.
 * CHORALE_ENV: no such program (msg says how to mend, remedy may add to it,
 * or be NULL). */
enum chorale_err chorale_spawn(const struct chorale_args *args,
                               const char *remedy,
                               struct chorale_child *child,
                               struct chorale_errmsg *msg);

/* Called for each whole line, without its newline; is_err: standard error.
 * Returns nonzero to begin the end grace period (the child said it is done). */
typedef int chorale_line_fn(void *arg, const char *line, int is_err);

enum chorale_ending {
    CHORALE_ENDED,           /* by itself */
    CHORALE_ENDED_LATE,      /* said it was done, hung, and was ended */
    CHORALE_ENDED_STALLED,   /* silent for too long, and was ended */
    CHORALE_ENDED_STOPPED    /* chorale_stop_requested() */
};

/* Pass the child's lines to fn until it ends. *silence: the seconds that it
 * may be silent now; fn may change them. *status_p is as of waitpid. */
enum chorale_ending chorale_child_wait(struct chorale_child *child,
                                       const double *silence,
                                       chorale_line_fn *fn, void *arg,
                                       int *status_p);

/* Run to the end and keep its standard output in text[size] if it exits with
 * 0, else the first line of its standard error (of its output, if it said
 * nothing there). Returns as chorale_spawn; *status_p as of waitpid. Killed
 * after 60 silent seconds. */
enum chorale_err chorale_capture(const struct chorale_args *args,
                                 const char *remedy, char *text, size_t size,
                                 int *status_p, struct chorale_errmsg *msg);

/* From now on SIGINT, SIGTERM, SIGHUP and SIGUSR1 only set a flag. */
void chorale_stop_catch(void);
/* From now on SIGUSR1 makes an empty file of that name, which asks the child
 * that is waited for to end early; it is ended only when it has not done so
 * usr1_seconds later. So does SIGTERM, with term_seconds; 0: it ends the child
 * at once. With more than 0 children are started with SIGTERM blocked, as a
 * batch system sends it to all at once, and ended by SIGINT. NULL: no longer,
 * and the file is removed. */
void chorale_stop_gently(const char *file, double usr1_seconds,
                         double term_seconds);
/* 0, or the signal that came; SIGUSR1 only if no other one did. */
int chorale_stop_requested(void);
/* Without a signal: chorale_stop_requested() is SIGALRM from that many seconds
 * on; 0: no longer. */
void chorale_stop_after(double seconds);
/* What was asked for is being done: children are waited for again. */
void chorale_stop_forget(void);

/* Absolute path of a program of ours: beside this one, else in the installed
 * folder dir. CHORALE_ENV if it is in neither. */
enum chorale_err chorale_find_program(const char *name, const char *dir,
                                      char *path, size_t size,
                                      struct chorale_errmsg *msg);

/* 1 if name is an executable, a path or in PATH. */
int chorale_in_path(const char *name);

#endif
