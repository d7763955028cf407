/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_rows.c - the rows of proofs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/validate_rows.h"

int chorale_proof_same_point(const struct chorale_proof *a,
                             const struct chorale_proof *b)
{
    return a->coll == b->coll && a->comm_size == b->comm_size &&
           a->ppn == b->ppn && a->msg_size == b->msg_size &&
           strcmp(a->shape, b->shape) == 0 && strcmp(a->dtype, b->dtype) == 0 &&
           strcmp(a->op, b->op) == 0 && strcmp(a->root, b->root) == 0 &&
           strcmp(a->buffers, b->buffers) == 0;
}

void chorale_proof_discard(struct chorale_proof *row)
{
    free(row->ratio);
    free(row->times);
}

struct chorale_proof *chorale_proofs_append(struct chorale_proofs *proofs,
                                            const struct chorale_proof *like)
{
    struct chorale_proof p = *like, *more;

    more = realloc(proofs->row, (proofs->count + 1) * sizeof(*more));
    if (more == NULL)
        return NULL;
    proofs->row = more;
    p.nlaunch = 0;
    p.ratio = malloc((proofs->nordinal + 1) * sizeof(*p.ratio));
    p.times = malloc((2 * proofs->nordinal + 1) * sizeof(*p.times));
    proofs->row[proofs->count++] = p;
    if (p.ratio == NULL || p.times == NULL)
        return NULL;
    for (size_t i = 0; i < proofs->nordinal; i++)
        p.ratio[i] = NAN;
    more += proofs->count - 1;
    more->seconds = more->library_seconds = 0;
    more->mean = more->half = more->p = more->best = NAN;
    return more;
}

int chorale_proofs_push(struct chorale_proofs *proofs,
                        struct chorale_proof *row)
{
    struct chorale_proof *more =
        realloc(proofs->row, (proofs->count + 1) * sizeof(*more));

    if (more == NULL) {
        chorale_proof_discard(row);
        return -1;
    }
    proofs->row = more;
    more[proofs->count++] = *row;
    return 0;
}

void chorale_proof_add_launch(struct chorale_proofs *proofs,
                              struct chorale_proof *row, size_t ordinal,
                              double seconds, double library)
{
    row->times[ordinal] = seconds;
    row->times[proofs->nordinal + ordinal] = library;
    row->ratio[ordinal] = log(library) - log(seconds);
    row->seconds += log(seconds);
    row->library_seconds += log(library);
    row->nlaunch++;
}

void chorale_proofs_release(struct chorale_proofs *proofs)
{
    struct chorale_proofs **part[] = { &proofs->loop, &proofs->patterns };

    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
        if (*part[i] != NULL)
            chorale_proofs_release(*part[i]);
        free(*part[i]);
        *part[i] = NULL;
    }
    for (size_t i = 0; i < proofs->count; i++)
        chorale_proof_discard(&proofs->row[i]);
    free(proofs->row);
    proofs->row = NULL;
    proofs->count = 0;
}
