/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_interleave.h - two databases measured in turn: a launch of one, a launch of the
 * other. */
#ifndef CHORALE_TUNER_COMPARE_AB_INTERLEAVE_H
#define CHORALE_TUNER_COMPARE_AB_INTERLEAVE_H

#include "tuner/compare/ab_side.h"

/* Base first, then head. */
struct chorale_turns {
    const char *path[2];     /* path[0] NULL: head alone */
    const struct chorale_how *how[2]; /* NULL: this chorale as it is */
    const char *system;      /* NULL: all of each database */
    const char *launcher_cmd;/* of custom launchers, or NULL */
    int again;               /* the launches are those of second measurements:
                              * it is they that are counted */
};

/* A launch of base and one of head, then one of head and one of base, and so
 * on until nothing is pending: what drifts, or comes with being the first,
 * meets both alike. After a stop the side that is one launch behind is next.
 * CHORALE_STOPPED; else as the side's `chorale run`, in one line. */
enum chorale_err chorale_turns_run(const struct chorale_turns *turns,
                                   struct chorale_errmsg *msg);

/* Start that side's chorale with these words (a verb and its options, NULL at
 * the end) and wait for it. *code_p is its exit code, and text[size] the last
 * line that it said on standard error. CHORALE_ENV: it does not start, or a
 * signal ended it; CHORALE_STOPPED: we were told to stop. */
enum chorale_err chorale_side_call(const struct chorale_how *how,
                                   char *const *words, int *code_p,
                                   char *text, size_t size,
                                   struct chorale_errmsg *msg);

#endif
