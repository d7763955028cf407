/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h - the stage `import`: reads traces of applications, and tables of
 * other benchmarks, into a database. */
#ifndef CHORALE_TUNER_EXCHANGE_IMPORT_H
#define CHORALE_TUNER_EXCHANGE_IMPORT_H

#include "tuner/exchange/import_rows.h"

/* Import file[0, count) into the database at path, which is created if missing,
 * and print what was imported unless quiet. All files are read before any is
 * stored, so that a bad file changes nothing. as: traces need only the label.
 * CHORALE_DATA: a file has an unknown format or is invalid. CHORALE_USAGE: as
 * in chorale_import_check(). */
enum chorale_err chorale_files_import(const char *path, char *const *file,
                                      int count,
                                      const struct chorale_import_as *as,
                                      int quiet, struct chorale_errmsg *msg);

#endif
