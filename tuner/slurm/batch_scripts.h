/* SPDX-License-Identifier: BSD-3-Clause */
/* batch_scripts.h - writes the batch scripts of a submission. */
#ifndef CHORALE_TUNER_SLURM_BATCH_SCRIPTS_H
#define CHORALE_TUNER_SLURM_BATCH_SCRIPTS_H

#include <stdio.h>

#include "tuner/slurm/site_file.h"

/* Values shared by all scripts of a submission. All texts are words that need
 * no shell quotes (chorale_site_word). */
struct chorale_scripts {
    const struct chorale_site *site;
    const char *program;     /* path of chorale */
    const char *folder;      /* folder of the submission */
    const char *database;    /* the last job merges into it */
    double seconds;          /* time limit */
    double kill_seconds;     /* from SIGTERM to SIGKILL; 0: unknown */
    long attempts;           /* most starts of an element */
    long at_once;            /* elements of an array that may run at once; 0:
                              * no limit */
    int one_per_p;           /* each launch has its own start */
    double threshold;        /* for `decide`; < 0: its default */
};

/* Seconds before the time limit at which Slurm signals a job to end. */
double chorale_scripts_lead(double limit);

/* A job array: elements first ... last with so many nodes and ranks a node. */
struct chorale_scripts_array {
    int nodes, ppn;
    long first, last;
    char *exclude;           /* nodes to leave out, or NULL */
};

/* Write the script of a job array. */
void chorale_scripts_array(const struct chorale_scripts *s, FILE *out,
                           const struct chorale_scripts_array *array);

/* Write the script of the job that merges the shards. */
void chorale_scripts_gather(const struct chorale_scripts *s, FILE *out);

#endif
