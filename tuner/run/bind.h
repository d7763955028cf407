/* SPDX-License-Identifier: BSD-3-Clause */
/* bind.h - decides whether the ranks of a launch are bound to cores. Unbound
 * ranks migrate, and ranks that share a core measure the scheduler. */
#ifndef CHORALE_TUNER_RUN_BIND_H
#define CHORALE_TUNER_RUN_BIND_H

enum { CHORALE_BIND_TEXT = 128 };

/* Whether the launcher should bind each rank to a core, for ppn ranks a node.
 * kind: mpiexec, srun, smpirun or custom, as of struct chorale_launcher.
 * request: the fact binding_request, "core", or "none: " and the reason:
 * - the ranks are simulated, or the user's own command starts them;
 * - this process is itself bound to a part of its job's processors, as by
 *   taskset, which launchers ignore when they bind;
 * - the ranks exceed the cores of this node (mpiexec), or the processors of a
 *   node of the job ($SLURM_JOB_CPUS_PER_NODE; srun).
 * Returns 1 for "core"; -1 if the launcher must not bind by its default either,
 * as the process is itself bound; else 0. It is bind of struct chorale_args. */
int chorale_bind_wanted(const char *kind, int ppn,
                        char request[CHORALE_BIND_TEXT]);

#endif
