/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h - the stage `import`: reads traces of applications, and tables of
 * other benchmarks, into a database. */
#ifndef CHORALE_TUNER_EXCHANGE_IMPORT_H
#define CHORALE_TUNER_EXCHANGE_IMPORT_H

#include "tuner/exchange/import_rows.h"

/* Import file[0, count) into the database at path, which is created if missing,
 * and print what was imported unless quiet. as: traces need only the label. A
 * file of an unknown format, or with an invalid line, is left out: if there are
 * others, its message goes to stderr. CHORALE_NO: some files were left out.
 * CHORALE_DATA: all were, and the database is unchanged. CHORALE_USAGE, before
 * anything is stored: as in chorale_import_check(). */
enum chorale_err chorale_files_import(const char *path, char *const *file,
                                      int count,
                                      const struct chorale_import_as *as,
                                      int quiet, struct chorale_errmsg *msg);

#endif
