/* SPDX-License-Identifier: BSD-3-Clause */
/* environment.h - facts about a launch (db/environment.h), enough to repeat it;
 * `chorale doctor` judges them. In addition to the facts of the machine:
 *
 * - mpi_library, mpi_standard, transport;
 * - mpi:NAME: each control variable of the MPI library that is not at its
 *   default; mpi_defaults: how the defaults were found;
 * - self_tuning: the setting NAME=VALUE by which the MPI library changes its
 *   algorithms during the run, if it does;
 * - switch: switches above the node, if Slurm knows its topology;
 * - nodes; host:N; host:N:KEY if node N differs from the first one;
 * - ranks, siblings, ranks_per_node (maximum), oversubscribed;
 * - binding:R: where rank R may run, "bound: ...", "free: ..." or
 *   "unknown: ..."; binding_source; binding: chorale_binding_judge() of all;
 * - fabric_choice: variables that select the network, or "default";
 * - copy_bytes_per_s, next_node_s, next_node_bytes_per_s, stragglers,
 *   cpus_mixed, preflight_s: results of chorale_preflight();
 * - clock_residual_s, clock_resolution_s, sync_slack_s;
 * - message_alpha_s, message_beta_s (s/byte), rank_ports (lower_bound.c);
 * - copy_beta_s: s/byte of a copy in memory (memcpy_speed.c);
 * - memory_message_s:N, memory_exchange_s:N, memory_copy_s:N: seconds of an
 *   operation of N bytes inside one node (memory_times.c); memory_times: "none:
 *   too slow" if that took so long that all were dropped;
 * - distance_alpha_s:D, distance_kappa:D, distance_pairs:D of ranks D places
 *   apart; distance_mirror (hop_latency.c);
 * - command, tool_version, tool_revision ("-dirty": with local changes),
 *   tool_options, compiler, compiler_flags (of make);
 * - load_before, load_after; host:N:load_before, host:N:load_after;
 * - other_load: most processors that other programs took from the ranks of a
 *   node (runners/measure/other_load.h);
 * - cpu_throttled: periods during the launch in which the node's CPU quota was
 *   used up, if a quota is set;
 * - sync, seed, campaign_seed of a launch;
 * - run_command, launcher_command, from `chorale run`; binding_request:
 *   "core" if it asked the launcher to bind ranks, else "none: ...".
 */
#ifndef CHORALE_RUNNERS_LAUNCH_ENVIRONMENT_H
#define CHORALE_RUNNERS_LAUNCH_ENVIRONMENT_H

#include <stdio.h>

#include "db/environment.h"
#include "runners/measure/runner.h"

/* Gather all facts on rank 0; collective. The clock must be agreed and messages
 * measured before. host_map[size], on rank 0: node of each rank, numbered by
 * first appearance. Returns an MPI error code. */
int chorale_environment_gather(struct chorale_bench *bench, int argc,
                               char **argv, struct chorale_facts *facts,
                               int *host_map);

/* preflight.c: find slow nodes by their copy speed and the link to the next
 * node. Collective. On rank 0 facts, which must have the nodes' cpu_model, gets
 * copy_bytes_per_s, next_node_s, next_node_bytes_per_s (of later nodes as
 * host:N:KEY), stragglers (db/node_outliers.h), cpus_mixed and preflight_s.
 * Sets the flags of bench. Returns an MPI error code. */
int chorale_preflight(struct chorale_bench *bench,
                      struct chorale_facts *facts);

/* binding.c: the processors on which this process may run, as text. */
enum { CHORALE_BINDING_TEXT = 256 };
void chorale_binding_describe(char text[CHORALE_BINDING_TEXT]);
extern const char *const chorale_binding_source;
/* The cores to which a launcher may bind ranks of this node: those that this
 * process may use. 0 if the process itself is bound, as by taskset, to a part
 * of what its job has: a launcher would ignore that. -1: unknown. */
int chorale_binding_cores(void);
/* Sum up the descriptions of n ranks, text[r * room]. node[r]: first rank of
 * rank r's node. verdict: "own processors" if no rank is free and ranks of a
 * node share no processor, else "free: ...", "shared: ..." or "unknown:
 * ...". */
void chorale_binding_judge(const char *text, size_t room, const int *node,
                           int n, char verdict[CHORALE_BINDING_TEXT]);

/* variables.c: print the control variables of the MPI library that may be
 * recorded, "NAME\tVALUE", with their values before MPI_Init. */
void chorale_variables_print(FILE *out);
/* Put the variables that differ from their defaults, the transport, and
 * self_tuning; call it after MPI_Init. Local. A default is a value that Open MPI
 * marks as such, or that chorale_variables_print() prints in an empty
 * environment. */
void chorale_variables_put(struct chorale_facts *facts);

#endif
