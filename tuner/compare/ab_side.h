/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_side.h - the two sides of an A/B: what `chorale ab --base` and `--head`
 * name. */
#ifndef CHORALE_TUNER_COMPARE_AB_SIDE_H
#define CHORALE_TUNER_COMPARE_AB_SIDE_H

#include <limits.h>

#include "tuner/base/process.h"

enum chorale_side_kind {
    CHORALE_SIDE_THIS,       /* "this": this chorale as it is */
    CHORALE_SIDE_BUILD,      /* "build:PROGRAM": another chorale */
    CHORALE_SIDE_ENV,        /* "env:NAME=VALUE ...": this one, with these */
    CHORALE_SIDE_TABLE,      /* "table:FILE.so": with the shim and a table */
    CHORALE_SIDE_WITH        /* "with:COMMAND ...": started by a command */
};

struct chorale_how {
    enum chorale_side_kind kind;
    const char *text;        /* as it was given; lives as long as argv */
    struct chorale_args word;/* of build, env and with: what follows the colon,
                              * split as a shell would */
    char table[PATH_MAX];    /* of table: absolute */
};

/* Read a side; option names it in messages ("--base"). Release it in either
 * case. CHORALE_USAGE: no such kind, no words, no variable's name;
 * CHORALE_ENV: no such program or file. */
enum chorale_err chorale_how_parse(struct chorale_how *how, const char *option,
                                   const char *text,
                                   struct chorale_errmsg *msg);
/* A side of kind build. */
void chorale_how_build(struct chorale_how *how, const char *program);
void chorale_how_release(struct chorale_how *how);

/* Append the words that start the side's chorale; a verb and its options follow
 * them. CHORALE_ENV: this program's path is unknown. */
enum chorale_err chorale_how_args(const struct chorale_how *how,
                                  struct chorale_args *args,
                                  struct chorale_errmsg *msg);

/* 1: what is the library's own, and messages, may differ between the two sides
 * by intent, so that neither tells of the machine. */
int chorale_how_unlike(const struct chorale_how *base,
                       const struct chorale_how *head);

#endif
