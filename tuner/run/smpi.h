/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi.h - launches on a simulated network: smpirun, the network models
 * of SimGrid's that plans name, the hosts of a platform. */
#ifndef CHORALE_TUNER_RUN_SMPI_H
#define CHORALE_TUNER_RUN_SMPI_H

#include "db/err.h"
#include "tuner/base/process.h"

/* A SimGrid network model that --network names. */
struct chorale_network {
    const char *name;
    const char *summary;
    const char *const *flag; /* NULL-terminated, for smpirun */
};

/* Row i, or NULL past the end; row of that name, or NULL. */
const struct chorale_network *chorale_network(int i);
const struct chorale_network *chorale_network_find(const char *name);

/* What a campaign says of its simulations. */
struct chorale_simulation {
    char *platform;          /* text of the platform file */
    const char *network;     /* a row's name */
    const char *selector;    /* SimGrid's coll-selector, and algorithms that
                              * it is to use: mpich,bcast:ompi_pipeline */
    const char *forced;      /* COLLECTIVE:ALGORITHM, or NULL */
};

/* Files of a simulated launch, in memory: open while they are needed. */
struct chorale_sim_files {
    int platform_fd, hosts_fd;    /* 0 where there is none */
    char platform[64], hosts[64]; /* paths that children can open */
    char *still;                  /* what runners/launch/frozen_clock.c became, or NULL */
};
void chorale_sim_files_close(struct chorale_sim_files *files);

/* Command line of a simulation of P ranks, ppn a host, as far as the program;
 * db_path for messages. Close files after it, even where this fails.
 * CHORALE_ENV: a program is missing; CHORALE_USAGE: more nodes than hosts;
 * CHORALE_DATA: there is no such network, or the platform does not parse. */
enum chorale_err chorale_sim_args(const struct chorale_simulation *sim,
                                  int comm_size, int ppn, const char *db_path,
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
