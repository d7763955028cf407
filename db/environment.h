/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.h - facts about a machine and a process, as keys and values, that
 * are needed to repeat a measurement. The runner stores them with each launch
 * (table environment); `chorale doctor` judges the same facts.
 *
 * If the environment variable CHORALE_SYSROOT is set, system files are read
 * below that folder. The tests describe made-up machines that way.
 */
#ifndef CHORALE_DB_ENVIRONMENT_H
#define CHORALE_DB_ENVIRONMENT_H

#include <stddef.h>

#include "db/store.h"

struct chorale_fact {
    char *key, *value;
};

/* Zero-initialise for an empty list. */
struct chorale_facts {
    struct chorale_fact *fact;
    int count, room;
    int lacks;               /* 1: some facts are missing, out of memory */
};

/* Set a fact, replacing an earlier value. Tabs and line ends become blanks. A
 * NULL or empty value is ignored. Out of memory sets lacks. */
void chorale_facts_put(struct chorale_facts *facts, const char *key,
                       const char *value);
void chorale_facts_putf(struct chorale_facts *facts, const char *key,
                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The value of a key, owned by facts; NULL if the key is unset. */
const char *chorale_facts_get(const struct chorale_facts *facts,
                              const char *key);
void chorale_facts_release(struct chorale_facts *facts);

/* Read into value[size] the first line of a system file. With a prefix: the
 * text after the colon in the first line that starts with it. Returns 0, or -1
 * if the file or the line is missing. */
int chorale_facts_line(const char *path, const char *prefix, char *value,
                       size_t size);

/* host_facts.c. Facts of this node:
 * - kernel, cpu_model, cpu_governor (each distinct governor once);
 * - cpu_frequency_mhz, cpu_frequency_max_mhz, cpu_turbo;
 * - processors, processors_usable (by this process), smt, huge_pages;
 * - cpu_quota: processors that the CPU quota of the control groups is worth, if
 *   a quota is set;
 * - clock_source, clock_disciplined (by NTP or PTP);
 * - virtual_machine ("no" or the hypervisor), fabric (see below). */
void chorale_facts_machine(struct chorale_facts *facts);
/* The load, as in /proc/loadavg, under that key. */
void chorale_facts_loadavg(struct chorale_facts *facts, const char *key);

/* cpu_quota.c. Set *quota to the processor time that the control groups of this
 * process leave to it, by cpu.max or cpu.cfs_quota_us. */
struct chorale_cpu_quota {
    double processors;       /* INFINITY without a quota */
    double throttled;        /* periods in which a quota was used up, summed
                              * over the groups since they were created */
    char group[CHORALE_UUID_SIZE]; /* equal for processes that share the
                              * quota */
};
void chorale_cpu_quota(struct chorale_cpu_quota *quota);

/* The switches above this node as Slurm names them, "spine.leaf.node", or NULL
 * if they are unknown or unnamed. address: SLURM_TOPOLOGY_ADDR. Under mpiexec
 * all ranks inherit it from the job's first node, so its last component must
 * be this node: host, or host without its domain. */
const char *chorale_facts_switch(const char *address, const char *host);

/* fabric.c. Write to text[size] the network between nodes, from this node's
 * devices:
 * - each distinct kind and rate below /sys/class/infiniband, such as
 *   "InfiniBand 100 Gb/sec (4X EDR)", "Omni-Path ...", "RoCE ...", "EFA ...";
 * - "Slingshot" if /sys/class/cxi has a device or an interface is named hsn*;
 * - without any of these the fastest hardware interface of known speed,
 *   "Ethernet 25000 Mb/s".
 * Empty if the network is unknown. */
void chorale_fabric_describe(char *text, size_t size);
/* Write to text[size] "NAME=value NAME=value": the variables that are set and
 * select devices or protocols. */
void chorale_fabric_choice(char *text, size_t size);

/* Variables of this process, as env:NAME, that change the behaviour of an MPI
 * library or describe the job. Only names on a fixed list are recorded. Other
 * variables that seem to belong to an MPI library are listed by name only in
 * variables_not_recorded: their values may be keys or passwords. */
void chorale_facts_variables(struct chorale_facts *facts);
/* 1 if that variable is on the list. */
int chorale_facts_allowed(const char *name);

#endif
