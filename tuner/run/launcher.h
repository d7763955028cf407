/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - the command line of a launch: mpiexec, srun, a user's command,
 * or smpirun on a simulated network. */
#ifndef CHORALE_TUNER_RUN_LAUNCHER_H
#define CHORALE_TUNER_RUN_LAUNCHER_H

#include <stdint.h>

#include "db/err.h"
#include "tuner/run/smpi.h"
#include "tuner/base/process.h"

/* How the launches of a campaign are started. */
struct chorale_launcher {
    char kind[16];           /* mpiexec, srun, smpirun, custom */
    const char *command;     /* for custom: with '{P}', '{ppn}', '{nodes}' */
    struct chorale_simulation sim; /* for smpirun */
    int native;              /* the runner may force native algorithms */
    const char *module;      /* dispatch table for the shim; NULL: no shim; not
                              * for smpirun */
    const char *setting;     /* VARIABLE=VALUE in the environment of the
                              * runner, or NULL */
    int served;              /* the table also serves the library's default */
    const char *mpi;         /* argument of srun --mpi, or NULL */
    int bind;                /* srun, mpiexec: bind each rank to a core if
                              * positive (tuner/run/bind.h) */
    int bound;               /* with bind: the launch fails with unbound
                              * ranks */
    int outlives;            /* srun, mpiexec: ranks ignore SIGTERM, the launch
                              * is ended by SIGINT */
    int turns;               /* permute the nodes of each launch */
    int ordinal;             /* of the launch, for turns */
    uint64_t seed;           /* for turns */
};

/* The MPI launcher: $CHORALE_MPIEXEC, else that of the build. */
const char *chorale_mpiexec(void);

/* The MPI library of chorale-runner: first line of its version. */
enum chorale_err chorale_runner_probe(char *text, size_t size,
                                      struct chorale_errmsg *msg);

/* 1 if a launch's part sets a variable that may be set: of a parameter that the
 * MPI library reads in MPI_Init only, to a word of small letters, digits and
 * '_'. The part comes from a database, which may come from someone else. */
int chorale_setting_valid(const char *part);

/* Path of the shim: beside this build, else the installed one. The file need
 * not exist. */
void chorale_shim_locate(char *path, size_t size);

/* Check that the program of --launcher-cmd exists; command may be NULL.
 * CHORALE_ENV: it does not; CHORALE_USAGE: not a command. */
enum chorale_err chorale_launcher_check(const char *command,
                                        struct chorale_errmsg *msg);

/* Command line of a launch of comm_size ranks, ppn per node. announce: the
 * runner must name the cell before every repetition. Free args; close files
 * after the launch. CHORALE_ENV: a program is missing; CHORALE_USAGE: more
 * nodes than hosts. */
enum chorale_err chorale_launcher_args(const struct chorale_launcher *launcher,
                                       int comm_size, int ppn,
                                       const char *db_path, const char *launch,
                                       int announce,
                                       struct chorale_args *args,
                                       struct chorale_sim_files *files,
                                       struct chorale_errmsg *msg);

#endif
