/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - child processes, started without a shell in their own process
 * group; they are killed when this process dies. */
#ifndef CHORALE_TUNER_BASE_PROCESS_H
#define CHORALE_TUNER_BASE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "db/err.h"

#define CHORALE_MAX_ARGS 128

/* An argument vector under construction; it owns its words. */
struct chorale_args {
    char *word[CHORALE_MAX_ARGS + 1]; /* NULL-terminated */
    int count;
    int overflow;                     /* too many words or out of memory */
    const char *tunables;             /* GLIBC_TUNABLES, if unset in the
                                       * environment; NULL: leave it; not
                                       * owned */
    const char *preload;              /* library appended to LD_PRELOAD; NULL:
                                       * leave it; not owned */
    int bind;                         /* 1: the launchers of MPICH and Open MPI
                                       * bind ranks to cores; -1: they leave
                                       * ranks on the processors of this
                                       * process; 0: as they do by default.
                                       * Variables and options of the user
                                       * override it */
};

/* Append one word, formatted by printf rules; sets overflow on failure. */
void chorale_args_add(struct chorale_args *args, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void chorale_args_free(struct chorale_args *args);

/* A running child process; chorale_child_wait() passes on its output. */
struct chorale_child {
    pid_t pid;               /* leader of its process group; 0: has ended */
    int out, err;            /* read ends of its standard output and error */
    int lasting;             /* SIGTERM is blocked in it */
};

/* Start args->word[0], found in PATH; the child is killed when this process
 * dies. CHORALE_ENV: no such program, in which case remedy (NULL: a general
 * one) completes the message; or the system refused a process or pipe.
 * CHORALE_USAGE: args is empty or has overflowed. */
enum chorale_err chorale_spawn(const struct chorale_args *args,
                               const char *remedy,
                               struct chorale_child *child,
                               struct chorale_errmsg *msg);

/* Called for each line, without newline and carriage returns; a line of more
 * than 4095 bytes arrives in parts. is_err: it came from standard error.
 * Returns nonzero when the line reports that the child has finished: it must
 * then exit within a grace period. */
typedef int chorale_line_fn(void *arg, const char *line, int is_err);

enum chorale_ending {
    CHORALE_ENDED,           /* exited by itself */
    CHORALE_ENDED_LATE,      /* reported its end, did not exit, was killed */
    CHORALE_ENDED_STALLED,   /* silent for too long, was killed */
    CHORALE_ENDED_STOPPED    /* killed after chorale_stop_requested() */
};

/* Pass the child's lines to fn until it ends. *silence: seconds without output
 * after which it counts as stalled; fn may change it. *status_p: the status of
 * waitpid(). */
enum chorale_ending chorale_child_wait(struct chorale_child *child,
                                       const double *silence,
                                       chorale_line_fn *fn, void *arg,
                                       int *status_p);

/* Run a program to its end. If it exits with 0, text[size] receives its
 * standard output; else the first line of its standard error, or its standard
 * output if that is empty. *status_p: the status of waitpid(), or 0 if the
 * runner printed "@end 0", as its MPI library may still abort in MPI_Finalize.
 * Errors of chorale_spawn(); CHORALE_ENV after 60 s without output;
 * CHORALE_STOPPED. */
enum chorale_err chorale_capture(const struct chorale_args *args,
                                 const char *remedy, char *text, size_t size,
                                 int *status_p, struct chorale_errmsg *msg);

/* From now on SIGINT, SIGTERM, SIGHUP and SIGUSR1 only set a flag, read by
 * chorale_stop_requested(). */
void chorale_stop_catch(void);
/* Let children end by themselves on a stop request.
 * file: created (empty) on SIGUSR1 or SIGTERM to ask the child to end early.
 *   NULL: end children at once again, and remove the file.
 * usr1_seconds, term_seconds: time from the request by that signal to the
 *   forced end; 0: end the child at once.
 * With term_seconds > 0 children start with SIGTERM blocked, since a batch
 * system sends it to all processes at once; they are ended by SIGINT. */
void chorale_stop_gently(const char *file, double usr1_seconds,
                         double term_seconds);
/* 0, or the signal that requested a stop; SIGALRM: the deadline of
 * chorale_stop_after() passed. Any other signal takes precedence over
 * SIGUSR1. */
int chorale_stop_requested(void);
/* Request a stop, seconds from now (0: cancel the deadline). */
void chorale_stop_after(double seconds);
/* Clear a request by a signal, so that the clean-up can wait for new children.
 * A deadline that has passed still counts as a request. */
void chorale_stop_forget(void);

/* Store in path[size] the absolute name of a program of Chorale: beside this
 * executable, else in the installed folder dir. CHORALE_ENV: in neither. */
enum chorale_err chorale_find_program(const char *name, const char *dir,
                                      char *path, size_t size,
                                      struct chorale_errmsg *msg);

/* Remove the shim from LD_PRELOAD, with a line on stderr. Also unset
 * CHORALE_TRACE, CHORALE_TRACE_SIGNAL, CHORALE_DISPATCH, CHORALE_FORCE,
 * CHORALE_DISABLE and CHORALE_AFTER. Programs that are started later then run
 * without the shim; else a runner would overwrite the trace of the user's
 * application. The shim's other variables stay, for a table that a verb
 * preloads. Other preloads stay. */
void chorale_shim_forget(void);
/* 1 if chorale_shim_forget() removes the setting NAME=VALUE, or the shim from
 * it. */
int chorale_shim_forgets(const char *word);

/* 1 if name is executable: as a path, or found in PATH. */
int chorale_in_path(const char *name);

#endif
