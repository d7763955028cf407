/* SPDX-License-Identifier: BSD-3-Clause */
/* detect_launcher.h - finds by trial how the runner can be started in a Slurm
 * job. */
#ifndef CHORALE_TUNER_SLURM_DETECT_LAUNCHER_H
#define CHORALE_TUNER_SLURM_DETECT_LAUNCHER_H

#include "tuner/base/process.h"

/* Start the runner with a launcher's words (NULL-terminated) and return the
 * number of ranks that find each other in MPI_COMM_WORLD; 0 if it fails. */
long chorale_probe_ranks(const char *const *word, const char *runner);

/* Find the value of srun's --mpi with which two ranks of the runner find each
 * other: pmi2 or pmix; the one that fits the runner's MPI is tried first. In a
 * job with one task, the first value that starts one rank is taken.
 * CHORALE_ENV: neither works, or the runner is missing. */
enum chorale_err chorale_probe_srun_mpi(char mpi[8],
                                        struct chorale_errmsg *msg);

#endif
