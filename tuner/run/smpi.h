/* SPDX-License-Identifier: BSD-3-Clause */
/* smpi.h - launches on a simulated network: smpirun, the SimGrid network models
 * of --network, the hosts of a platform. */
#ifndef CHORALE_TUNER_RUN_SMPI_H
#define CHORALE_TUNER_RUN_SMPI_H

#include "db/err.h"
#include "tuner/base/process.h"

/* A SimGrid network model of --network. */
struct chorale_network {
    const char *name;
    const char *summary;
    const char *const *flag; /* NULL-terminated options of smpirun */
};

/* The i-th model, NULL past the end; the one with that name, or NULL. */
const struct chorale_network *chorale_network(int i);
const struct chorale_network *chorale_network_find(const char *name);

/* The simulation settings of a campaign. */
struct chorale_simulation {
    char *platform;          /* text of the platform file */
    const char *network;     /* name of a network model */
    const char *selector;    /* SimGrid's coll-selector, optionally with forced
                              * algorithms: mpich,bcast:ompi_pipeline */
    const char *forced;      /* COLLECTIVE:ALGORITHM, or NULL */
};

/* In-memory files of a simulated launch, open while it needs them. */
struct chorale_sim_files {
    int platform_fd, hosts_fd;    /* 0: not open */
    char platform[64], hosts[64]; /* paths that child processes can open */
    char *still;                  /* path of the library built from
                                   * runners/launch/frozen_clock.c, or NULL */
};
void chorale_sim_files_close(struct chorale_sim_files *files);

/* Command line of a simulation of comm_size ranks, ppn per host, up to the
 * program. db_path is used in messages. Close files afterwards, also on error.
 * CHORALE_ENV: a program is missing; CHORALE_USAGE: more nodes than hosts;
 * CHORALE_DATA: unknown network, or the platform cannot be parsed. */
enum chorale_err chorale_sim_args(const struct chorale_simulation *sim,
                                  int comm_size, int ppn, const char *db_path,
                                  struct chorale_args *args,
                                  struct chorale_sim_files *files,
                                  struct chorale_errmsg *msg);

/* Get the platform's hosts from smpirun. network: a model's name, not checked.
 * *host_p: array of *nhost_p names in natural order (n2 before n10), freed by
 * chorale_sim_hosts_free(). version receives SimGrid's version. CHORALE_DATA:
 * the platform cannot be parsed. */
enum chorale_err chorale_sim_hosts(const char *platform_text,
                                   const char *network, char ***host_p,
                                   int *nhost_p, char version[64],
                                   struct chorale_errmsg *msg);
void chorale_sim_hosts_free(char **host, int nhost);

/* Store in text[size] SimGrid's error message for an unknown forced algorithm
 * of coll, which lists the known ones. CHORALE_ENV: SimGrid cannot be
 * started. */
enum chorale_err chorale_sim_complaint(const char *coll, char *text,
                                       size_t size,
                                       struct chorale_errmsg *msg);

/* 1 if forced has the form COLLECTIVE:ALGORITHM. */
int chorale_forced_valid(const char *forced);

/* 1 if selector is valid for --sim-selector: mpich, ompi, mvapich2 or impi,
 * then any number of ,COLLECTIVE:ALGORITHM. */
int chorale_selector_ok(const char *selector);

#endif
