/* SPDX-License-Identifier: BSD-3-Clause */
/* compile_c.h - compiles a generated table with the machine's C compiler and
 * loads it. */
#ifndef CHORALE_TUNER_EMIT_COMPILE_C_H
#define CHORALE_TUNER_EMIT_COMPILE_C_H

#include "algorithms/dispatch/table/table.h"
#include "db/err.h"

/* The compiler: $CC if it is one word that can be run, else cc, gcc or clang
 * from PATH; NULL if no such program is found. */
const char *chorale_c_compiler(void);

/* Compile the C file source to the shared object `object`. CHORALE_ENV: no
 * compiler, or it fails; msg has the first line of its standard error.
 * CHORALE_STOPPED. */
enum chorale_err chorale_c_compile(const char *source, const char *object,
                                   struct chorale_errmsg *msg);

/* Compile source in a temporary folder, which is removed again, and load the
 * table, which stays loaded until the process ends. CHORALE_ENV: as above, or
 * the folder for temporary files cannot be written or executes no code.
 * CHORALE_STOPPED. */
enum chorale_err chorale_c_load(const char *source,
                                const struct chorale_table **table_p,
                                struct chorale_errmsg *msg);

#endif
