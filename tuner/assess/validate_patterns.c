/* SPDX-License-Identifier: BSD-3-Clause */
/* validate_patterns.c - reduces the rows of a point in several arrival patterns
 * to the one that is judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/assess/validate_rows.h"
#include "tuner/decide/decide_arrival.h"

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

/* 1 if a table of that policy is judged in the pattern, at points that have it
 * or, for pattern sync, at points without another one. */
static int counts(enum chorale_arrival_policy policy, const char *arrival)
{
    if (strcmp(arrival, "sync") == 0)
        return 1;
    if (policy == CHORALE_ARRIVALS_ROBUST)
        return strncmp(arrival, "last:", 5) == 0 ||
               strncmp(arrival, "ascending:", 10) == 0;
    return policy == CHORALE_ARRIVALS_TRACED &&
           strstr(arrival, "us") != NULL; /* other delays are factors */
}

/* Subtract the skew of a traced pattern from all times, if that is possible. */
static void subtract_skew(struct chorale_proofs *proofs,
                          struct chorale_proof *p)
{
    const size_t n = proofs->nordinal;

    for (size_t i = 0; i < 2 * n; i++)
        if (isfinite(p->ratio[i % n]) &&
            !chorale_arrival_subtracts(p->arrival, p->times[i], p->skew))
            return;
    p->nlaunch = 0;
    p->seconds = p->library_seconds = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(p->ratio[i]))
            chorale_proof_add_launch(proofs, p, i, p->times[i] - p->skew,
                      p->times[n + i] - p->skew);
}

/* The campaign's best difference to the library in a proof's pattern. */
static double lead_at(const struct chorale_proof_basis *basis,
                      const struct chorale_proof *p)
{
    const struct chorale_run_point at = {
        .coll = p->coll, .comm_size = p->comm_size, .ppn = p->ppn,
        .n = p->n, .shape = p->shape, .dtype = p->dtype, .op = p->op,
    };

    return chorale_arrival_lead(&basis->runs, &basis->decide, &at, p->arrival);
}

/* Fill `to` with the largest losses over the n patterns of row. */
static void combine(struct chorale_proofs *proofs, struct chorale_proof *to,
                    const struct chorale_proof *row, size_t n,
                    const struct chorale_proof_basis *basis)
{
    double lead[CHORALE_PROOF_PATTERNS];

    COPY(to->arrival, "robust");
    for (size_t k = 0; k < n; k++) {
        lead[k] = lead_at(basis, &row[k]);
        if (row[k].note[0] != '\0')
            COPY(to->note, row[k].note);
    }
    for (size_t i = 0; i < proofs->nordinal; i++) {
        double least = 0, loss[2] = { 0, 0 };
        size_t known = 0;

        for (size_t k = 0; k < n; k++) {
            const double *times = row[k].times;
            double mine, library, best;

            if (!isfinite(row[k].ratio[i]))
                break;
            mine = times[i];
            library = times[proofs->nordinal + i];
            best = fmin(mine, library + lead[k]);
            if (k == 0)
                least = best;
            loss[0] = fmax(loss[0], mine - best);
            loss[1] = fmax(loss[1], library - best);
            known++;
        }
        if (known == n)
            chorale_proof_add_launch(proofs, to, i, least + loss[0],
                                     least + loss[1]);
    }
}

/* Add the judged row of a point from its n rows that count, sync first. Takes
 * over the rows. */
static int add_judged(struct chorale_proofs *proofs, struct chorale_proof *row,
                      size_t n, const struct chorale_proof_basis *basis)
{
    struct chorale_proof *to;
    int bad = 0;

    if (basis->decide.arrivals == CHORALE_ARRIVALS_ROBUST && n > 1) {
        to = chorale_proofs_append(proofs, row);
        if (to != NULL)
            combine(proofs, to, row, n, basis);
        for (size_t k = 0; k < n; k++)
            bad |= chorale_proofs_push(proofs->patterns, &row[k]);
        return to == NULL || bad ? -1 : 0;
    }
    for (; n > 1; n--)
        chorale_proof_discard(row++);
    if (n == 1 && strcmp(row->arrival, "sync") != 0)
        subtract_skew(proofs, row);
    return n == 1 ? chorale_proofs_push(proofs, row) : 0;
}

enum chorale_err chorale_proofs_reduce(struct chorale_proofs *proofs,
                                       const struct chorale_proof_basis *basis,
                                       struct chorale_errmsg *msg)
{
    struct chorale_proofs in = *proofs;
    size_t end;
    int bad;

    proofs->row = NULL;
    proofs->count = 0;
    proofs->patterns = malloc(sizeof(*proofs->patterns));
    if (proofs->patterns == NULL) {
        *proofs = in;
        return chorale_fail_memory(msg, "validate");
    }
    *proofs->patterns = *proofs;
    proofs->patterns->patterns = NULL;
    bad = 0;
    for (size_t i = 0; i < in.count; i = end) {
        struct chorale_proof *row = &in.row[i];
        const struct chorale_proof first = *row;
        size_t n = 0;

        for (end = i; end < in.count &&
                      chorale_proof_same_point(&first, &in.row[end]); end++)
            if (counts(basis->decide.arrivals, in.row[end].arrival) &&
                n < CHORALE_PROOF_PATTERNS)
                row[n++] = in.row[end];
            else
                chorale_proof_discard(&in.row[end]);
        bad |= add_judged(proofs, row, n, basis);
    }
    free(in.row);
    if (proofs->patterns->count == 0) {
        chorale_proofs_release(proofs->patterns);
        free(proofs->patterns);
        proofs->patterns = NULL;
    }
    return bad ? chorale_fail_memory(msg, "validate") : CHORALE_OK;
}

void chorale_proofs_drop_late(const struct chorale_proofs *proofs,
                              struct chorale_proofs *loop)
{
    size_t kept = 0;

    for (size_t i = 0; i < loop->count; i++) {
        int late = 0;

        for (size_t k = 0; k < proofs->count; k++)
            late |= chorale_proof_same_point(&proofs->row[k], &loop->row[i]) &&
                    strcmp(proofs->row[k].arrival, "sync") != 0;
        if (late)
            chorale_proof_discard(&loop->row[i]);
        else
            loop->row[kept++] = loop->row[i];
    }
    loop->count = kept;
}
