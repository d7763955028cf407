/* SPDX-License-Identifier: BSD-3-Clause */
/* import.h - the stage `import`: reads traces of applications, and tables of
 * other benchmarks, into a database. */
#ifndef CHORALE_TUNER_EXCHANGE_IMPORT_H
#define CHORALE_TUNER_EXCHANGE_IMPORT_H

#include "tuner/exchange/import_rows.h"

/* Import file[0, count) into the database at path, which is created if missing,
 * and print what was imported unless quiet. as: traces need only the label. A
 * file is left out if
 *   - its format is unknown or a line is invalid, or
 *   - its times contradict each other or the database (chorale_import_rows()).
 * If there are other files, its message goes to stderr. All files are read
 * before the database is opened; then each file is stored in a transaction of
 * its own, in the given order.
 *
 * - CHORALE_NO: some files were left out, the others are stored.
 * - CHORALE_DATA: all files were left out, and the database is unchanged.
 * - CHORALE_USAGE: an error of chorale_import_check(), and no file is stored;
 *   or as->system is the name of another system, and the traces before the
 *   first table are stored.
 * - CHORALE_ENV: a file cannot be opened, and no file is stored; or the
 *   database or the output cannot be written, and earlier files are stored. */
enum chorale_err chorale_files_import(const char *path, char *const *file,
                                      int count,
                                      const struct chorale_import_as *as,
                                      int quiet, struct chorale_errmsg *msg);

#endif
