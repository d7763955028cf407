/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.h - what is to be known of a machine and a process to repeat a
 * measurement, as keys and values. The runner stores them with each launch
 * (table environment), `chorale doctor` judges the same ones.
 *
 * Files of the system are read below the folder that the environment variable
 * CHORALE_SYSROOT names, if it is set: the tests' invented machines.
 */
#ifndef CHORALE_DB_ENVIRONMENT_H
#define CHORALE_DB_ENVIRONMENT_H

#include <stddef.h>

struct chorale_fact {
    char *key, *value;
};

/* Zeroed, it is empty. */
struct chorale_facts {
    struct chorale_fact *fact;
    int count, room;
    int lacks;               /* out of memory: some facts are missing */
};

/* Set a fact; tabs and line ends become blanks. A value that is NULL or empty
 * is none. */
void chorale_facts_put(struct chorale_facts *facts, const char *key,
                       const char *value);
void chorale_facts_putf(struct chorale_facts *facts, const char *key,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL: there is no such fact. */
const char *chorale_facts_get(const struct chorale_facts *facts,
                              const char *key);
void chorale_facts_release(struct chorale_facts *facts);

/* The first line of a system's file, or what stands behind the colon in its
 * first line that starts with prefix. 0, or -1: there is none. */
int chorale_facts_line(const char *path, const char *prefix, char *value,
                       size_t size);

/* host_facts.c. Of this node: kernel, cpu_model, cpu_governor (those of all
 * processors, each once), cpu_frequency_mhz, cpu_frequency_max_mhz, cpu_turbo,
 * processors, processors_usable (by this process), smt, huge_pages,
 * clock_source, clock_disciplined (by NTP or PTP), virtual_machine (no, or
 * which), fabric (below); and the load, as in /proc/loadavg. */
void chorale_facts_machine(struct chorale_facts *facts);
void chorale_facts_load(struct chorale_facts *facts, const char *key);

/* The switches above this node as Slurm names them, "spine.leaf.node"; NULL:
 * none is named, or they are not known. address: SLURM_TOPOLOGY_ADDR, which under mpiexec all ranks have
 * from the job's first node, so its last component must be this node, named by
 * host or by that without its domain. */
const char *chorale_facts_switch(const char *address, const char *host);

/* fabric.c. The network between nodes as this one's devices tell it: kinds and
 * rates of those under /sys/class/infiniband and /sys/class/cxi, each once, as
 * in "InfiniBand 100 Gb/sec (4X EDR)", "Omni-Path ...", "RoCE ...", "EFA ...",
 * "Slingshot"; where there is none of them, the fastest Ethernet that says how
 * fast it is, "Ethernet 25000 Mb/s"; "": nothing tells. */
void chorale_fabric(char *text, size_t size);
/* "NAME=value NAME=value" of the variables that choose among devices and
 * protocols, those that are set. */
void chorale_fabric_choice(char *text, size_t size);

/* Of this process's environment: variables that change what an MPI library
 * does or say where a job runs, as env:NAME, by a list of names. Of others
 * that look as if they belong there variables_not_recorded names the names
 * alone: their values may be keys or passwords. */
void chorale_facts_variables(struct chorale_facts *facts);
/* 1 if that variable is in the list. */
int chorale_facts_allowed(const char *name);

#endif
