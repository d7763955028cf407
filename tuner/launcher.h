/* SPDX-License-Identifier: BSD-3-Clause */
/* launcher.h - how a launch becomes a command line: mpiexec, srun, a command
 * of the user's, or smpirun on a simulated network. */
#ifndef CHORALE_TUNER_LAUNCHER_H
#define CHORALE_TUNER_LAUNCHER_H

#include <stdint.h>

#include "db/err.h"
#include "tuner/spawn.h"

/* A SimGrid network model that --network names. */
struct chorale_network {
    const char *name;
    const char *summary;
    const char *const *flag; /* NULL-terminated, for smpirun */
};

/* Row i, or NULL past the end; row of that name, or NULL. */
const struct chorale_network *chorale_network(int i);
const struct chorale_network *chorale_network_find(const char *name);

/* What a campaign says of its launches. */
struct chorale_launcher {
    char kind[16];           /* mpiexec, srun, smpirun, custom */
    const char *command;     /* of kind custom: '{P}', '{ppn}', '{nodes}' */
    char *platform;          /* of smpirun: text of the platform file */
    const char *network;     /* a row's name */
    const char *selector;    /* SimGrid's coll-selector, and algorithms that
                              * it is to use: mpich,bcast:ompi_pipeline */
    int native;              /* it may force the library's algorithms */
    const char *module;      /* the shim shall serve this dispatch table, NULL:
                              * no shim; not of smpirun */
    int served;              /* the library's default by the table, too */
    const char *forced;      /* of smpirun: COLLECTIVE:ALGORITHM, or NULL */
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

/* Files of a simulated launch, in memory: open while they are needed. */
struct chorale_sim_files {
    int platform_fd, hosts_fd;    /* 0 where there is none */
    char platform[64], hosts[64]; /* paths that children can open */
    char *still;                  /* what runners/still.c became, or NULL */
};
void chorale_sim_files_close(struct chorale_sim_files *files);

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

/* Ask smpirun for the platform's hosts: *host_p is an array of *nhost_p names
 * in natural order (n2 before n10); free each and the array. version[64]
 * gets SimGrid's. CHORALE_DATA: the platform does not parse. */
enum chorale_err chorale_sim_hosts(const char *platform_text,
                                   const char *network, char ***host_p,
                                   int *nhost_p, char version[64],
                                   struct chorale_errmsg *msg);
void chorale_sim_hosts_free(char **host, int nhost);

/* What SimGrid says when an algorithm is forced that no collective has:
 * text[size] gets it. CHORALE_ENV: it cannot be asked. */
enum chorale_err chorale_sim_complaint(const char *coll, char *text,
                                       size_t size,
                                       struct chorale_errmsg *msg);

/* 1 if it is COLLECTIVE:ALGORITHM as SimGrid could name it. */
int chorale_forced_ok(const char *forced);

/* 1 if it is what --sim-selector takes: mpich, ompi, mvapich2 or impi, then
 * any number of ,COLLECTIVE:ALGORITHM as SimGrid names them. */
int chorale_selector_ok(const char *selector);

#endif
