/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.h - what made a launch, as facts (db/environment.h): enough to repeat
 * it, and what `chorale doctor` judges. Besides those of the machine:
 *
 * mpi_library, mpi_standard, transport; mpi:NAME, each control variable of the
 * MPI library that is not at its default, and mpi_defaults, how that is known.
 * switch, where Slurm knows its topology: that of the node.
 * nodes, host:N, host:N:KEY where another node differs from the first one.
 * ranks, ranks_per_node (the most), oversubscribed; binding:R, where rank R
 * may run ("bound: ..." or "free: ..."), and binding_source.
 * copy_bytes_per_s, next_node_s, stragglers, cpus_mixed, preflight_s: what
 * chorale_preflight found.
 * clock_residual_s, clock_resolution_s, sync_slack_s, message_alpha_s,
 * message_beta_s, rank_ports (lower_bound.c); distance_alpha_s:D, distance_kappa:D,
 * distance_pairs:D of ranks D places apart, distance_mirror (hop_latency.c).
 * command, tool_version, tool_revision ("-dirty": changed since),
 * tool_options, compiler, compiler_flags (those of make). load_before,
 * load_after, and of each other node host:N:load_before, host:N:load_after.
 * Of a launch: sync, seed, campaign_seed; of `chorale run`: run_command,
 * launcher_command.
 */
#ifndef CHORALE_RUNNERS_LAUNCH_ENVIRONMENT_H
#define CHORALE_RUNNERS_LAUNCH_ENVIRONMENT_H

#include <stdio.h>

#include "db/environment.h"
#include "runners/measure/runner.h"

/* All of it, collective; rank 0 gets the facts. The clock is agreed upon, the
 * messages are measured. host_map [size]: node of each rank, by first
 * appearance, on rank 0. Returns an MPI error code. */
int chorale_environment_gather(struct chorale_bench *bench, int argc,
                               char **argv, struct chorale_facts *facts,
                               int *host_map);

/* preflight.c: how fast each node copies and the way to its neighbour is:
 * copy_bytes_per_s, next_node_s, of other nodes than the first host:N:KEY;
 * stragglers (db/node_outliers.h), cpus_mixed, preflight_s. Collective, rank 0
 * gets the facts, which have the nodes' cpu_model already, and sets the flags
 * of bench. Returns an MPI error code. */
int chorale_preflight(struct chorale_bench *bench,
                      struct chorale_facts *facts);

/* binding.c: where this process may run, in words. */
enum { CHORALE_BINDING_TEXT = 256 };
void chorale_binding(char text[CHORALE_BINDING_TEXT]);
extern const char *const chorale_binding_source;

/* variables.c: control variables of the MPI library. Print all that may be
 * recorded, "NAME\tVALUE"; as they are before MPI_Init. */
void chorale_variables_print(FILE *out);
/* Those that differ from what this program prints so in an environment of
 * nothing, and the transport; after MPI_Init, local. */
void chorale_variables_put(struct chorale_facts *facts);

#endif
