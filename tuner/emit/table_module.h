/* SPDX-License-Identifier: BSD-3-Clause */
/* table_module.h - a database's decisions as the shared object that the shim loads,
 * for as long as it is needed. */
#ifndef CHORALE_TUNER_EMIT_TABLE_MODULE_H
#define CHORALE_TUNER_EMIT_TABLE_MODULE_H

#include <limits.h>

#include "db/err.h"

struct chorale_module {
    char dir[PATH_MAX];      /* "": none was made */
    char path[PATH_MAX + 16];
};

/* Generate and compile it, in a hidden folder beside the database: where that
 * is, all nodes see it. What killed commands left there a week ago goes.
 * system: its name, NULL: the only one. CHORALE_ENV: no compiler; else as
 * `chorale generate`. Remove it in either case. */
enum chorale_err chorale_module_make(struct chorale_module *module,
                                     const char *database,
                                     const char *system, int allow_patented,
                                     struct chorale_errmsg *msg);
void chorale_module_remove(const struct chorale_module *module);

#endif
