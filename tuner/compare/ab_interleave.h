/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_interleave.h - measures two databases in turn, one launch of each at a
 * time. */
#ifndef CHORALE_TUNER_COMPARE_AB_INTERLEAVE_H
#define CHORALE_TUNER_COMPARE_AB_INTERLEAVE_H

#include "tuner/compare/ab_side.h"

/* The databases to measure: base first, then head. */
struct chorale_interleave {
    const char *path[2];     /* path[0] NULL: head only */
    const struct chorale_ab_side *how[2]; /* NULL: this chorale as it is */
    const char *system;      /* NULL: all systems of each database */
    const char *launcher_cmd;/* for custom launchers, or NULL */
    int no_bind;             /* as of struct chorale_run_opts; a program that
                              * lacks the option binds no ranks itself */
    int again;               /* sides alternate by their number of launches of
                              * 1: second, 0: first measurements */
};

/* Run launches in the order base, head, head, base, base, head and so on until
 * none is pending. Drift and the effect of being first thus affect both sides
 * alike. After a stop, the side that is one launch behind continues.
 * CHORALE_STOPPED: interrupted. CHORALE_ENV: `chorale run` of a side's own
 * program failed; msg has its last line. Other errors are chorale_run()'s. */
enum chorale_err chorale_interleave_run(const struct chorale_interleave *turns,
                                        struct chorale_errmsg *msg);

/* Run that side's chorale with the given words, a verb and its options,
 * NULL-terminated. *code_p is set to its exit code, and text[size] to the last
 * line of its standard error, without "chorale: ". CHORALE_ENV: it cannot be
 * started, or a signal ended it. CHORALE_USAGE: too many words.
 * CHORALE_STOPPED: this process was asked to stop. */
enum chorale_err chorale_side_call(const struct chorale_ab_side *how,
                                   char *const *words, int *code_p,
                                   char *text, size_t size,
                                   struct chorale_errmsg *msg);

#endif
