/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_check.h - checks what this machine can measure. */
#ifndef CHORALE_TUNER_SITE_MACHINE_CHECK_H
#define CHORALE_TUNER_SITE_MACHINE_CHECK_H

#include "db/err.h"

/* Start this many ranks under the launcher, judge the environment that they
 * report, look for optional programs, and print all findings. folder: a folder
 * for databases to test (folder_check.h), or NULL. CHORALE_ENV: real
 * measurements are not possible, or databases cannot be written in folder. */
enum chorale_err chorale_machine_check(long ranks, const char *folder,
                                       struct chorale_errmsg *msg);

#endif
