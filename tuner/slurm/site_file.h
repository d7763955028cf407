/* SPDX-License-Identifier: BSD-3-Clause */
/* site_file.h - what a site says of its batch system: partition, account, how ranks
 * are started, where shards lie. A small file, and options that overrule it.
 *
 * A line is KEY = VALUE, or a comment from # on. Values are words of letters,
 * digits and _.,:@%+=/- that do not begin with a dash, but for `option`, whose
 * words do: they are written into scripts and passed as arguments as they are,
 * so nothing else is taken. */
#ifndef CHORALE_TUNER_SLURM_SITE_FILE_H
#define CHORALE_TUNER_SLURM_SITE_FILE_H

#include "db/err.h"

#define CHORALE_SITE_WORD 256
#define CHORALE_SITE_OPTIONS 16

struct chorale_site {
    /* Of sbatch; "": not said. */
    char partition[CHORALE_SITE_WORD], account[CHORALE_SITE_WORD];
    char qos[CHORALE_SITE_WORD], reservation[CHORALE_SITE_WORD];
    char constraint[CHORALE_SITE_WORD], switches[CHORALE_SITE_WORD];
    char option[CHORALE_SITE_OPTIONS][CHORALE_SITE_WORD]; /* --mail-type=END */
    int noption;
    char launcher[CHORALE_SITE_WORD]; /* srun or mpiexec; "": srun */
    char mpi[CHORALE_SITE_WORD];      /* srun's --mpi; "", auto: what works */
    char shards[CHORALE_SITE_WORD];   /* absolute folder on the nodes; "": the
                                       * submission's own, on shared disk */
    char prologue[CHORALE_SITE_WORD]; /* absolute: the scripts source it */
    char bind[CHORALE_SITE_WORD];     /* yes, no; "": yes */
    char exclusive[CHORALE_SITE_WORD];/* the same */
    char spread[CHORALE_SITE_WORD];   /* the same: launches on other nodes */
};

/* 1 if text is a word that scripts may have. */
int chorale_site_word(const char *text);

/* Read the file into site, which is cleared first; name NULL: there is none.
 * CHORALE_ENV: it cannot be read. CHORALE_USAGE: a line that means nothing;
 * msg names file and line. */
enum chorale_err chorale_site_load(const char *name, struct chorale_site *site,
                                   struct chorale_errmsg *msg);

/* Overrule the value of a key, as a line of the file would; value NULL: do
 * nothing. CHORALE_USAGE. */
enum chorale_err chorale_site_set(struct chorale_site *site, const char *key,
                                  const char *value,
                                  struct chorale_errmsg *msg);

#endif
