/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_launcher.h - what starts the runner inside a job of Slurm's, found by trying.
 */
#ifndef CHORALE_TUNER_SLURM_DETECT_LAUNCHER_H
#define CHORALE_TUNER_SLURM_DETECT_LAUNCHER_H

#include "tuner/base/process.h"

/* Ranks that a command starts and that find each other: of a launcher's words,
 * NULL at the end, before the runner's name. 0: it fails. */
long chorale_starts(const char *const *word, const char *runner);

/* What srun's --mpi must be here for two ranks of the runner to find each
 * other: pmi2 or pmix, that of the runner's MPI tried first. Where the job has
 * one task, two cannot be tried, and it is the first that starts one.
 * CHORALE_ENV: neither, or there is no runner. */
enum chorale_err chorale_starts_mpi(char mpi[8], struct chorale_errmsg *msg);

#endif
