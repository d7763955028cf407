/* SPDX-License-Identifier: BSD-3-Clause */
/* provenance.h - where a table comes from: the system it was measured on, and the
 * environment of its launches, for the heading of what is written. */
#ifndef CHORALE_TUNER_EMIT_PROVENANCE_H
#define CHORALE_TUNER_EMIT_PROVENANCE_H

#include "db/store.h"

struct chorale_origin {
    char *system, *kind, *mpi_library;
    char *campaign;          /* UUID of the system's latest campaign */
    char *environment;       /* lines "key: value" of its launches that
                              * are done or measured something before they
                              * were killed, all values that differ; last
                              * "decided by", where options of `chorale
                              * decide` are not the default; NULL: none */
    /* As in struct chorale_table; NULL: not known, of a simulated system, or
     * launches differ. */
    char *transport, *cpu_model, *variables;
};

/* Load them for a system; campaigns and launches that validated a table do
 * not count. CHORALE_ENV: out of memory. Release in any case. */
enum chorale_err chorale_origin_load(struct chorale_store *store,
                                     sqlite3_int64 system_id,
                                     struct chorale_origin *origin,
                                     struct chorale_errmsg *msg);
void chorale_origin_release(struct chorale_origin *origin);

/* Add "key: value more" to lines, which grow; cut where long. 0, or -1: out of
 * memory, *lines is NULL then. */
int chorale_origin_line(char **lines, const char *key, const char *value,
                        const char *more);

#endif
