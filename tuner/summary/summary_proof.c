/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_proof.c - prints the validation results, the headline of the
 * summary. */
#include "tuner/summary/summary_page.h"

#include <math.h>
#include <string.h>

#include "tuner/assess/validate.h"

static void put_speedup(struct chorale_page *page, double mean, double half)
{
    fprintf(page->out, "x%.3f", exp(mean));
    if (half > 0)
        fprintf(page->out, " [%.3f, %.3f]", exp(mean - half),
                exp(mean + half));
}

static void put_total(struct chorale_page *page,
                      const struct chorale_proof_total *t, const char *name)
{
    const char *item = page->markdown ? "- " : "  ";
    char where[160];

    if (t->npoint == 0)
        return;
    fprintf(page->out, "%s%s: ", item, name);
    put_speedup(page, t->mean, t->half);
    fprintf(page->out, " over %zu point%s", t->npoint,
            t->npoint == 1 ? "" : "s");
    if (t->worst != NULL) {
        fputs("; worst ", page->out);
        put_speedup(page, t->worst->mean, t->worst->half);
        chorale_proof_where(t->worst, where, sizeof(where));
        fputs(" at ", page->out);
        chorale_page_put(page, where);
        if (chorale_proof_is_library(t->worst))
            fputs(", the library on both sides", page->out);
    }
    if (t->nslower > 0)
        fprintf(page->out, "; %zu SLOWER", t->nslower);
    fputc('\n', page->out);
}

static void put_line(struct chorale_page *page,
                     const struct chorale_proofs *proofs,
                     enum chorale_coll coll, const char *name)
{
    struct chorale_proof_total t;

    chorale_proofs_total(proofs, coll, &t);
    put_total(page, &t, name);
}

/* Put a line for each arrival pattern of the rows. */
static void put_patterns(struct chorale_page *page,
                         const struct chorale_proofs *proofs)
{
    for (size_t i = 0; i < proofs->count; i++) {
        const char *arrival = proofs->row[i].arrival;
        struct chorale_proof_total t;
        char name[64];
        size_t k = 0;

        while (strcmp(proofs->row[k].arrival, arrival) != 0)
            k++;
        if (k < i)
            continue;
        chorale_proofs_pattern_total(proofs, arrival, &t);
        snprintf(name, sizeof(name), "arrival %s", arrival);
        put_total(page, &t, name);
    }
}

/* Tell how many points were not validated, for lack of time. */
static void put_rest(struct chorale_page *page,
                     const struct chorale_proofs *proofs)
{
    struct chorale_proof_total t;

    chorale_proofs_total(proofs, CHORALE_NCOLL, &t);
    if (t.npoint < proofs->npoint)
        fprintf(page->out, "%s%zu of %zu points were not validated; `chorale "
                "validate` measures them.\n", page->markdown ? "\n" : "",
                proofs->npoint - t.npoint, proofs->npoint);
}

enum chorale_err chorale_page_proofs(struct chorale_page *page,
                                     struct chorale_errmsg *msg)
{
    struct chorale_proofs proofs;
    sqlite3_int64 simulated = 0;
    enum chorale_err err = chorale_store_find(
        page->store,
        "SELECT kind = 'simulated' FROM system WHERE system_id = ?1",
        CHORALE_FIELDS(page->system_id), 0, &simulated, msg);

    if (err != CHORALE_OK)
        return err;
    err = chorale_proofs_current(page->store, page->system_id, simulated != 0,
                                 &proofs, msg);
    if (err == CHORALE_OK && proofs.count > 0) {
        chorale_page_heading(page, 2, "Validated");
        fputs(simulated ? "The table's choices against the library's selector, "
                          "simulated again:\n"
                        : "The table through the shim against the library's "
                          "default, measured again:\n", page->out);
        if (page->markdown)
            fputc('\n', page->out);
        put_line(page, &proofs, CHORALE_NCOLL, "all");
        for (int c = CHORALE_NCOLL - 1; c >= 0; c--)
            put_line(page, &proofs, (enum chorale_coll)c,
                     chorale_coll_info((enum chorale_coll)c)->name);
        if (proofs.patterns != NULL)
            put_patterns(page, proofs.patterns);
        if (proofs.loop != NULL)
            put_line(page, proofs.loop, CHORALE_NCOLL,
                     "calls back to back, where the table chooses a variant");
        put_rest(page, &proofs);
        if (!simulated)
            fprintf(page->out, "%sWorst: the least speed-up whose interval "
                    "excludes 1. SLOWER: a loss above %g %%, significant\n"
                    "after correction for the number of points.\n",
                    page->markdown ? "\n" : "", 100 * proofs.threshold);
    }
    chorale_proofs_release(&proofs);
    return err;
}
