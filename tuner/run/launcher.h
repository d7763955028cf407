/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - how a launch becomes a command line: mpiexec, srun, a command
 * of the user's, or smpirun on a simulated network. */
#ifndef CHORALE_TUNER_RUN_LAUNCHER_H
#define CHORALE_TUNER_RUN_LAUNCHER_H

#include <stdint.h>

#include "db/err.h"
#include "tuner/run/smpi.h"
#include "tuner/base/process.h"

/* What a campaign says of its launches. */
struct chorale_launcher {
    char kind[16];           /* mpiexec, srun, smpirun, custom */
    const char *command;     /* of kind custom: '{P}', '{ppn}', '{nodes}' */
    struct chorale_simulation sim; /* of smpirun */
    int native;              /* it may force the library's algorithms */
    const char *module;      /* the shim shall serve this dispatch table, NULL:
                              * no shim; not of smpirun */
    int served;              /* the library's default by the table, too */
    const char *mpi;         /* of srun: for its --mpi, or NULL */
    int bind;                /* of srun and mpiexec: each rank to a core */
    int outlives;            /* of srun and mpiexec: its ranks ignore SIGTERM,
                              * and SIGINT is what ends it */
    const char *published;   /* the database's copy, to whose tail (db/tail.h)
                              * what is stored goes; NULL: none */
    int turns;               /* a launch of that ordinal has its nodes in an */
    int ordinal;             /* order of its own, by that seed */
    uint64_t seed;
};

/* The MPI launcher's name: $CHORALE_MPIEXEC, else that of the build. */
const char *chorale_mpiexec(void);

/* The MPI library of chorale-runner, first line of its version. */
enum chorale_err chorale_runner_probe(char *text, size_t size,
                                      struct chorale_errmsg *msg);

/* The shim beside this program's build, or the installed one: its path, which
 * need not exist. */
void chorale_find_shim(char *path, size_t size);

/* Whether the program of that --launcher-cmd is there, NULL: none was given.
 * CHORALE_ENV: it is not; CHORALE_USAGE: it is no command. */
enum chorale_err chorale_launcher_there(const char *command,
                                        struct chorale_errmsg *msg);

/* Command line of a launch of P ranks, ppn a node. announce: the runner shall
 * name the cell of every repetition. Free args; close files after the launch.
 * CHORALE_ENV: a program is missing; CHORALE_USAGE: more nodes than hosts. */
enum chorale_err chorale_launcher_args(const struct chorale_launcher *launcher,
                                       int comm_size, int ppn,
                                       const char *db_path, const char *launch,
                                       int announce,
                                       struct chorale_args *args,
                                       struct chorale_sim_files *files,
                                       struct chorale_errmsg *msg);

#endif
