/* SPDX-License-Identifier: BSD-3-Clause */
/* table_module.h - builds a temporary shared object from a database's
 * decisions, for the shim to load. */
#ifndef CHORALE_TUNER_EMIT_TABLE_MODULE_H
#define CHORALE_TUNER_EMIT_TABLE_MODULE_H

#include <limits.h>

#include "db/err.h"

struct chorale_module {
    char dir[PATH_MAX];      /* "" if no folder was made */
    char path[PATH_MAX + 16];
};

/* Generate and compile the module in a hidden folder beside the database, which
 * all nodes can read. Also deletes folders that killed commands left there more
 * than a week ago. system is a name, or NULL for the only one. CHORALE_ENV: no
 * compiler; other errors as of `chorale generate`. Call
 * chorale_module_remove() also after an error. */
enum chorale_err chorale_module_make(struct chorale_module *module,
                                     const char *database,
                                     const char *system, int allow_patented,
                                     struct chorale_errmsg *msg);
void chorale_module_remove(const struct chorale_module *module);

#endif
