/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_rows.h - the rows of struct chorale_proofs (validate.h), for the
 * files that load and judge them.
 *
 * Until they are judged, seconds and library_seconds of a row are sums of
 * logarithms over its launches. */
#ifndef CHORALE_TUNER_ASSESS_VALIDATE_ROWS_H
#define CHORALE_TUNER_ASSESS_VALIDATE_ROWS_H

#include "tuner/assess/validate.h"

/* Returns 1 if two proofs differ at most in the arrival pattern. */
int chorale_proof_same_point(const struct chorale_proof *a,
                             const struct chorale_proof *b);

/* Append a row for the point of *like, without launches. Returns the row, which
 * is valid until the next one is appended; NULL: out of memory. */
struct chorale_proof *chorale_proofs_append(struct chorale_proofs *proofs,
                                            const struct chorale_proof *like);

/* Append *row, and take over its arrays. -1: out of memory; the arrays are then
 * freed. */
int chorale_proofs_push(struct chorale_proofs *proofs,
                        struct chorale_proof *row);

/* Free the arrays of a row. */
void chorale_proof_discard(struct chorale_proof *row);

/* Set the times [s] of a launch of a row of proofs. ordinal < nordinal. */
void chorale_proof_add_launch(struct chorale_proofs *proofs,
                              struct chorale_proof *row, size_t ordinal,
                              double seconds, double library);

/* validate_patterns.c: reduce the rows of each point, which differ in the
 * pattern, to the one that is judged. If several count, as for a robust table,
 * that is a row of the largest losses, and proofs->patterns keeps them. Rows in
 * other patterns are of a table with the same choices. CHORALE_ENV: out of
 * memory. */
enum chorale_err chorale_proofs_reduce(struct chorale_proofs *proofs,
                                       const struct chorale_proof_basis *basis,
                                       struct chorale_errmsg *msg);

/* validate_patterns.c: drop the rows of loop at points of proofs that other
 * patterns than sync decided. */
void chorale_proofs_drop_late(const struct chorale_proofs *proofs,
                              struct chorale_proofs *loop);

#endif
