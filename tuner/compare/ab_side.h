/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_side.h - parses the two sides of an A/B comparison, which `chorale ab
 * --base` and `--head` name. */
#ifndef CHORALE_TUNER_COMPARE_AB_SIDE_H
#define CHORALE_TUNER_COMPARE_AB_SIDE_H

#include <limits.h>

#include "tuner/base/process.h"

enum chorale_side_kind {
    CHORALE_SIDE_THIS,       /* "this": this chorale as it is */
    CHORALE_SIDE_BUILD,      /* "build:PROGRAM": another chorale program */
    CHORALE_SIDE_ENV,        /* "env:NAME=VALUE ...": with these variables */
    CHORALE_SIDE_TABLE,      /* "table:FILE.so": with the shim and a table */
    CHORALE_SIDE_WITH        /* "with:COMMAND ...": run through a command */
};

struct chorale_ab_side {
    enum chorale_side_kind kind;
    const char *text;        /* the argument; lives as long as argv */
    struct chorale_args word;/* of build, env and with: text after the colon,
                              * split as a shell does */
    char table[PATH_MAX];    /* of table: absolute path */
};

/* Parse a side; option names it in messages ("--base"). Release *how also after
 * an error. CHORALE_USAGE: unknown kind, words that do not fit the kind, or a
 * variable without effect (chorale_shim_forgets()).
 * CHORALE_ENV: the program cannot be run or the file cannot be read. */
enum chorale_err chorale_ab_side_parse(struct chorale_ab_side *how,
                                       const char *option,
                                       const char *text,
                                       struct chorale_errmsg *msg);
/* Print a warning for each variable of a side of kind env that is named like a
 * variable of an MPI library but that the library of this chorale lacks. */
void chorale_ab_side_unknown(const struct chorale_ab_side *how,
                             const char *option);
/* Make a side of kind build for a program. */
void chorale_ab_side_build(struct chorale_ab_side *how, const char *program);
void chorale_ab_side_release(struct chorale_ab_side *how);

/* Append the words that start the side's chorale. The caller appends a verb and
 * its options. CHORALE_ENV: the path of this program is unknown. */
enum chorale_err chorale_ab_side_args(const struct chorale_ab_side *how,
                                      struct chorale_args *args,
                                      struct chorale_errmsg *msg);

/* Returns 1 if the library or the messages differ between the sides on purpose.
 * They then cannot serve as canaries for the machine. */
int chorale_ab_side_differs(const struct chorale_ab_side *base,
                            const struct chorale_ab_side *head);

#endif
