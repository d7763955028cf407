/* SPDX-License-Identifier: BSD-3-Clause */
/* provenance.h - the system and the launch environment that a decision table
 * was measured in, for the heading of generated files. */
#ifndef CHORALE_TUNER_EMIT_PROVENANCE_H
#define CHORALE_TUNER_EMIT_PROVENANCE_H

#include "db/store.h"

struct chorale_origin {
    char *system, *kind, *mpi_library;
    char *campaign;          /* UUID of the system's latest campaign */
    /* Lines "key: value" of the keys listed in provenance.c, with all distinct
     * values of a key. They come from launches that finished or stored at least
     * one run. The last line is "decided by" if an option of `chorale decide`
     * differs from its default. "arrival of ranks" precedes it if other arrival
     * patterns than sync decided. NULL if there are no lines. */
    char *environment;
    /* As in struct chorale_table. NULL if no launch recorded its environment,
     * if the system is simulated or if the launches differ; "" if none of them
     * recorded that value. */
    char *transport, *cpu_model, *variables;
};

/* Load the origin of a system's table. Campaigns and launches that validated a
 * table are ignored. CHORALE_ENV: out of memory. Call
 * chorale_origin_release() also after an error. */
enum chorale_err chorale_origin_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_origin *origin,
                                     struct chorale_errmsg *msg);
void chorale_origin_release(struct chorale_origin *origin);

/* Append the line "key: value more" to *lines, which is reallocated. Long parts
 * are truncated. Returns 0, or -1 if out of memory; *lines is NULL then. */
int chorale_origin_line(char **lines, const char *key, const char *value,
                        const char *more);

#endif
