/* SPDX-License-Identifier: BSD-3-Clause */
/* batch_scripts.h - the batch scripts of a submission. */
#ifndef CHORALE_TUNER_SLURM_BATCH_SCRIPTS_H
#define CHORALE_TUNER_SLURM_BATCH_SCRIPTS_H

#include <stdio.h>

#include "tuner/slurm/site_file.h"

/* What all scripts of a submission share. All of it is words that need no
 * quotes (chorale_site_word). */
struct chorale_scripts {
    const struct chorale_site *site;
    const char *program;     /* chorale's own path */
    const char *folder;      /* of the submission */
    const char *database;    /* which the last job merges into */
    double seconds;          /* time limit */
    double kill_seconds;     /* from SIGTERM to SIGKILL; 0: not known */
    long attempts;           /* starts of an element at most */
    long at_once;            /* elements of an array; 0: as Slurm likes */
    int one_per_p;           /* each launch has a start of its own */
    double threshold;        /* of `decide`; < 0: its default */
};

/* Seconds before the time limit at which a job is told to end. */
double chorale_scripts_lead(double limit);

/* A job array: elements first ... last, of so many nodes and ranks a node. */
struct chorale_scripts_array {
    int nodes, ppn;
    long first, last;
    char *exclude;           /* nodes that it leaves out, NULL: none */
};

/* Write its script. */
void chorale_scripts_array(const struct chorale_scripts *s, FILE *out,
                           const struct chorale_scripts_array *array);

/* Write the script of the job that merges. */
void chorale_scripts_gather(const struct chorale_scripts *s, FILE *out);

#endif
