/* SPDX-License-Identifier: BSD-3-Clause */
/* site_file.h - the settings of a site's batch system: partition, account,
 * launcher, place of shards. They come from a small file and from options,
 * which override it.
 *
 * A line is KEY = VALUE, or a comment that starts with #. Values are words of
 * letters, digits and _.,:@%+=/- that do not begin with a dash, except those of
 * `option`. Values are written into scripts and passed as arguments without
 * quotes, so other text is refused. */
#ifndef CHORALE_TUNER_SLURM_SITE_FILE_H
#define CHORALE_TUNER_SLURM_SITE_FILE_H

#include "db/err.h"

#define CHORALE_SITE_WORD 256
#define CHORALE_SITE_OPTIONS 16

struct chorale_site {
    /* For sbatch; "" if unset. */
    char partition[CHORALE_SITE_WORD], account[CHORALE_SITE_WORD];
    char qos[CHORALE_SITE_WORD], reservation[CHORALE_SITE_WORD];
    char constraint[CHORALE_SITE_WORD], switches[CHORALE_SITE_WORD];
    char option[CHORALE_SITE_OPTIONS][CHORALE_SITE_WORD]; /* --mail-type=END */
    int noption;
    char launcher[CHORALE_SITE_WORD]; /* srun or mpiexec; "": srun */
    char mpi[CHORALE_SITE_WORD];      /* srun's --mpi; "", auto: detected */
    char shards[CHORALE_SITE_WORD];   /* absolute folder on the nodes; "": the
                                       * submission's, on a shared disk */
    char prologue[CHORALE_SITE_WORD]; /* absolute path; scripts source it */
    char bind[CHORALE_SITE_WORD];     /* yes, no; "": yes */
    char exclusive[CHORALE_SITE_WORD];/* yes, no; "": yes */
    char spread[CHORALE_SITE_WORD];   /* yes, no; "": yes; node_sets.h */
};

/* Returns 1 if text is a word that may be written into scripts. */
int chorale_site_word(const char *text);

/* Read the file into *site, which is cleared first; name NULL means no file.
 * CHORALE_ENV: the file cannot be read. CHORALE_USAGE: a line is invalid; msg
 * names file and line. */
enum chorale_err chorale_site_load(const char *name, struct chorale_site *site,
                                   struct chorale_errmsg *msg);

/* Set the value of a key, as a line of the file would; value NULL changes
 * nothing. CHORALE_USAGE: key or value is invalid. */
enum chorale_err chorale_site_set(struct chorale_site *site, const char *key,
                                  const char *value,
                                  struct chorale_errmsg *msg);

#endif
