/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_show.c - prints a comparison as a table for people, most important
 * cells first. */
#include "tuner/compare/comparison.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/output.h"
#include "tuner/base/units.h"
#include "tuner/base/rows.h"

static const char *const words[] = { "slower", "suspect", "machine",
                                     "undecided", "too few", "faster", "same",
                                     "new", "gone" };
/* Rank by importance, indexed by verdict. */
static const int rank_of[] = { 0, 2, 3, 4, 6, 5, 8, 7, 1 };

const char *chorale_verdict_word(enum chorale_verdict_kind verdict)
{
    return words[verdict];
}

void chorale_safe_text(char *out, size_t size, const char *text)
{
    size_t n = 0;

    for (; *text != '\0' && n + 1 < size; text++)
        out[n++] = *text >= ' ' && *text <= '~' ? *text : '?';
    out[n] = '\0';
}

void chorale_cell_name(const struct chorale_run_point *at, char *text,
                       size_t size)
{
    char all[512];

    const int named = strcmp(at->provider, "native") == 0 ||
                      strcmp(at->provider, "foreign") == 0;

    snprintf(all, sizeof(all), "%s %s%s%s%s%s%s",
             chorale_coll_info(at->coll)->name, named ? at->provider : "",
             named ? " " : "",
             strcmp(at->provider, "library") == 0 ? "library" : at->variant,
             at->params[0] != '\0' ? " " : "", at->params,
             strcmp(at->provider, "library") == 0 &&
                     strcmp(at->variant, "default") != 0 ? " (other)" : "");
    chorale_safe_text(text, size, all);
}

void chorale_cell_place(const struct chorale_run_point *at, char *text,
                        size_t size)
{
    char all[512], m[32];

    snprintf(all, sizeof(all), "m = %s, P = %d, ppn %d, %s, %s%s%s, %s",
             chorale_human_bytes((double)at->msg_size, m), at->comm_size,
             at->ppn, at->shape, at->dtype, at->op[0] != '\0' ? " " : "",
             at->op, at->conditions);
    chorale_safe_text(text, size, all);
}

void chorale_comparison_tally(const struct chorale_comparison *cmp,
                              size_t count[CHORALE_NVERDICT])
{
    memset(count, 0, CHORALE_NVERDICT * sizeof(count[0]));
    for (size_t i = 0; i < cmp->count; i++)
        count[cmp->judged[i].verdict]++;
}

size_t chorale_comparison_decided(const struct chorale_comparison *cmp)
{
    size_t n[CHORALE_NVERDICT];

    chorale_comparison_tally(cmp, n);
    return n[CHORALE_SLOWER] + n[CHORALE_FASTER] + n[CHORALE_SAME];
}

const char *chorale_comparison_recheck(const struct chorale_comparison *cmp)
{
    return cmp->base.shared ||
                   chorale_output_same(cmp->base.path, cmp->head.path)
               ? "head" : "both";
}

/* The number of suspect cells that were measured again, but not in turn. */
static size_t count_again(const struct chorale_comparison *cmp)
{
    size_t count = 0;

    for (size_t i = 0; i < cmp->count; i++)
        count += cmp->judged[i].verdict == CHORALE_SUSPECT &&
                 cmp->judged[i].again;
    return count;
}

/* Why suspect cells have no definite verdict. suspects: their number. */
static const struct chorale_unjudged *
suspect_reason(const struct chorale_comparison *cmp, size_t suspects)
{
    /* By the number of suspect cells: one, several. */
    static const struct chorale_unjudged unpaired[] = {
        { CHORALE_SUSPECT, "1 cell looks slower, by too few launches",
          "measure more on each side", 1 },
        { CHORALE_SUSPECT, "cells look slower, by too few launches",
          "measure more on each side", 1 } };
    static const struct chorale_unjudged again[] = {
        { CHORALE_SUSPECT, "1 cell looks slower, but was not measured in turn",
          "measure both sides by `chorale ab`", 0 },
        { CHORALE_SUSPECT, "cells look slower, but were not measured in turn",
          "measure both sides by `chorale ab`", 0 } };
    static const struct chorale_unjudged both[] = {
        { CHORALE_SUSPECT, "1 cell looks slower in the first measurement only",
          "add --recheck both --run", 0 },
        { CHORALE_SUSPECT, "cells look slower in the first measurement only",
          "add --recheck both --run", 0 } };
    static const struct chorale_unjudged head[] = {
        { CHORALE_SUSPECT, "1 cell looks slower in the first measurement only",
          "add --recheck head --run", 0 },
        { CHORALE_SUSPECT, "cells look slower in the first measurement only",
          "add --recheck head --run", 0 } };
    const int several = suspects > 1;

    if (cmp->opts.unpaired)
        return &unpaired[several];
    if (count_again(cmp) == suspects)
        return &again[several];
    return strcmp(chorale_comparison_recheck(cmp), "both") == 0
               ? &both[several] : &head[several];
}

const struct chorale_unjudged *
chorale_comparison_unjudged(const struct chorale_comparison *cmp)
{
    static const struct chorale_unjudged row[] = {
        { CHORALE_TOO_FEW, "too few launches count", "measure more on each "
          "side, or lower --min-launches", 1 },
        { CHORALE_SUSPECT, NULL, NULL, 0 }, /* suspect_reason() */
        { CHORALE_UNDECIDED, "the launches differ too much", "measure more of "
          "them, on an idle machine", 1 },
        { CHORALE_MACHINE, "the machine changed as much", "compare on an "
          "unchanged machine", 0 },
        { CHORALE_NEW, "no cell was measured on both sides", "plan the same "
          "cells", 0 },
        { CHORALE_GONE, "no cell was measured on both sides", "plan the same "
          "cells", 0 },
    };
    size_t n[CHORALE_NVERDICT], best = 0;

    chorale_comparison_tally(cmp, n);
    for (size_t i = 1; i < sizeof(row) / sizeof(row[0]); i++)
        if (n[row[i].verdict] > n[row[best].verdict])
            best = i;
    return row[best].reason != NULL ? &row[best]
                                    : suspect_reason(cmp, n[CHORALE_SUSPECT]);
}

void chorale_cell_reason(const struct chorale_comparison *cmp, size_t cell,
                         char *text, size_t size)
{
    const struct chorale_compared *c = &cmp->judged[cell];
    const struct chorale_sides *s = &c->sides;

    text[0] = '\0';
    if (cmp->cell[cell].failed)
        snprintf(text, size, "no correct run in head: see `chorale status`");
    else if (cmp->cell[cell].batch_base != cmp->cell[cell].batch_head)
        snprintf(text, size, "timed in batches of %d calls in base, %d in "
                 "head", cmp->cell[cell].batch_base,
                 cmp->cell[cell].batch_head);
    else if (c->verdict == CHORALE_TOO_FEW)
        snprintf(text, size, "%zu and %zu launches; %zu on each side needed",
                 s->base.n, s->head.n, cmp->opts.min_launches);
    else if (c->verdict == CHORALE_MACHINE)
        snprintf(text, size, "the machine is %s too, by %.1f %%: messages, "
                 "copies or the library, the same on both sides",
                 c->machine > 0 ? "slower" : "faster",
                 100 * fabs(expm1(c->machine)));
    else if (c->verdict == CHORALE_SUSPECT && c->again)
        snprintf(text, size, "measured again, but not in turn with base");
    else if (c->verdict == CHORALE_SUSPECT && cmp->opts.unpaired)
        snprintf(text, size, "too few launches for so small a change");
    else if (c->verdict == CHORALE_SUSPECT)
        snprintf(text, size, "to be measured again: --recheck %s",
                 chorale_comparison_recheck(cmp));
    else if (!cmp->opts.exact && c->again && isfinite(c->p))
        snprintf(text, size, "measured again %zu times, p = %.2g",
                 s->again_head.n, c->adjusted);
    else if (!cmp->opts.exact && c->verdict == CHORALE_FASTER)
        snprintf(text, size, "p = %.2g", c->adjusted);
}

static const struct chorale_comparison *ordered;

static int by_importance(const void *a, const void *b)
{
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const struct chorale_compared *x = &ordered->judged[i];
    const struct chorale_compared *y = &ordered->judged[k];
    int d = rank_of[x->verdict] - rank_of[y->verdict];
    double e = fabs(y->shift.estimate) - fabs(x->shift.estimate);

    if (d != 0)
        return d;
    if (isfinite(e) && e != 0)
        return e > 0 ? 1 : -1;
    return (i > k) - (i < k);
}

size_t *chorale_comparison_order(const struct chorale_comparison *cmp)
{
    size_t *order = malloc((cmp->count + 1) * sizeof(*order));

    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < cmp->count; i++)
        order[i] = i;
    ordered = cmp;
    if (cmp->count > 0)
        qsort(order, cmp->count, sizeof(*order), by_importance);
    return order;
}

/* SGR colour codes, or "" without colour. */
static const char *colour(int on, int red, enum chorale_verdict_kind verdict)
{
    if (!on)
        return "";
    if (red)
        return "\033[31m";
    return verdict == CHORALE_FASTER ? "\033[32m"
           : verdict == CHORALE_SUSPECT || verdict == CHORALE_MACHINE
               ? "\033[33m" : "";
}

double chorale_compared_seconds(const struct chorale_compared *c, int head)
{
    const struct chorale_sides *s = &c->sides;
    struct chorale_series x = c->again && head        ? s->again_head
                              : c->again && s->again_base.n > 0 ? s->again_base
                              : head                  ? s->head : s->base;
    double *work = malloc((x.n + 1) * sizeof(*work)), median = NAN;

    if (work != NULL && x.n > 0) {
        memcpy(work, x.x, x.n * sizeof(*work));
        gsl_sort(work, 1, x.n);
        median = exp((work[(x.n - 1) / 2] + work[x.n / 2]) / 2);
    }
    free(work);
    return median;
}

static void add_cell(struct chorale_rows *rows,
                     const struct chorale_comparison *cmp, size_t i,
                     const char *on)
{
    const struct chorale_compared *c = &cmp->judged[i];
    char name[160], place[200], reason[200], word[40], cell[600];

    chorale_cell_name(&cmp->cell[i].at, name, sizeof(name));
    chorale_cell_place(&cmp->cell[i].at, place, sizeof(place));
    chorale_cell_reason(cmp, i, reason, sizeof(reason));
    snprintf(word, sizeof(word), "%s%s%s", on, words[c->verdict],
             on[0] != '\0' ? "\033[0m" : "");
    snprintf(cell, sizeof(cell), "%s; %s%s%s", name, place,
             reason[0] != '\0' ? "; " : "", reason);
    chorale_rows_add(rows, CHORALE_FIELDS(word, expm1(c->shift.estimate),
                                          expm1(c->shift.lo),
                                          expm1(c->shift.hi),
                                          chorale_compared_seconds(c, 0),
                                          chorale_compared_seconds(c, 1),
                                          cell));
}

static void print_other_findings(const struct chorale_comparison *cmp,
                                 FILE *out,
                                 int all)
{
    for (size_t i = 0; i < cmp->nrechoice; i++) {
        const struct chorale_rechoice *r = &cmp->rechoice[i];
        char lo[32], hi[32];

        if (!r->changed && !all)
            continue;
        fprintf(out, "%s %s, P = %d, n = %s to %s: %s in base, %s in head; "
                "first against second: %+.1f %% in base, %+.1f %% in "
                "head\n",
                r->changed ? "decision changed:" : "decision differs (only "
                                                   "a tie):",
                chorale_coll_info(r->at.coll)->name, r->at.comm_size,
                chorale_human_bytes((double)r->n_lo, lo),
                chorale_human_bytes((double)r->n_hi, hi), r->from, r->to,
                100 * expm1(r->loss_base), 100 * expm1(r->loss_head));
    }
    for (size_t i = 0; i < cmp->nguideline; i++) {
        const struct chorale_guideline *g = &cmp->guideline[i];
        char n[32], t[32], b[32];

        if (!g->broken)
            continue;
        fprintf(out, "guideline broken: %s of %s, P = %d, n = %s: %s, but %s "
                "%+.1f %%\n", g->rule, g->tuned ? "the table" : "the library",
                g->at.comm_size, chorale_human_bytes((double)g->at.n, n),
                chorale_human_seconds(g->seconds, t),
                chorale_human_seconds(g->bound, b),
                100 * (g->seconds / g->bound - 1));
    }
}

/* Whether canary k applies to any cell. */
static int applies(const struct chorale_comparison *cmp, size_t k)
{
    for (size_t i = 0; i < cmp->count; i++)
        if (cmp->judged[i].canaries >> k & 1)
            return 1;
    return 0;
}

int chorale_comparison_remark(const struct chorale_comparison *cmp, size_t k,
                              char *text, size_t size)
{
    if (k < cmp->nnote) {
        snprintf(text, size, "%s", cmp->note[k]);
        return 1;
    }
    k -= cmp->nnote;
    for (size_t i = 0; i < cmp->ncanary; i++) {
        const struct chorale_canary *c = &cmp->canary[i];

        const int by_library = strncmp(c->name, "library, ", 9) == 0;

        if (c->moved == 0 || !applies(cmp, i) || k-- > 0)
            continue;
        snprintf(text, size, "the %s is %s: %s %+.1f %%",
                 by_library ? "library, the same on both sides," : "machine",
                 c->moved > 0 ? "slower" : "faster",
                 by_library ? c->name + strlen("library, ") : c->name,
                 100 * expm1(c->first.estimate));
        return 1;
    }
    return 0;
}

/* Print what a definite verdict on cells that look slower requires, without a
 * second measurement. */
static void print_suspects(const struct chorale_comparison *cmp, size_t count,
                           FILE *out)
{
    const size_t need = chorale_compare_launches(cmp->count, cmp->opts.alpha);
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < cmp->count; i++) {
        const struct chorale_sides *s = &cmp->judged[i].sides;
        size_t n = s->base.n < s->head.n ? s->base.n : s->head.n;

        if (cmp->judged[i].verdict == CHORALE_SUSPECT && n < least)
            least = n;
    }
    fprintf(out, "%zu look%s slower: ", count, count == 1 ? "s" : "");
    if (least >= need)
        fprintf(out, "the change is too small for %zu launch%s a side; more "
                "launches find smaller changes\n", least,
                least == 1 ? "" : "es");
    else
        fprintf(out, "with %zu cell%s at least %zu launches a side are "
                "needed\n", cmp->count, cmp->count == 1 ? "" : "s", need);
}

/* Print by which commands suspect cells get a definite verdict. */
static void print_recheck(const struct chorale_comparison *cmp, size_t count,
                          FILE *out)
{
    const char *where = chorale_comparison_recheck(cmp);
    const size_t again = count_again(cmp), once = count - again;

    if (once > 0)
        fprintf(out, "%zu look%s slower: --recheck %s measures %s again", once,
                once == 1 ? "s" : "", where, once == 1 ? "it" : "them");
    if (once > 0 && strcmp(where, "both") == 0)
        fprintf(out, ", %zu or more launches of each side in turn",
                chorale_compare_pairs(once, cmp->opts.alpha));
    if (once > 0)
        fprintf(out, "\n");
    if (again > 0)
        fprintf(out, "%zu look%s slower again, but not in turn: `chorale ab` "
                "measures both sides in turn, --unpaired judges without that\n",
                again, again == 1 ? "s" : "");
}

/* Print the counts of verdicts, and what a definite verdict requires. */
static void print_counts(const struct chorale_comparison *cmp, FILE *out,
                         int fail_on)
{
    size_t n[CHORALE_NVERDICT], red = chorale_comparison_failures(cmp, fail_on);

    chorale_comparison_tally(cmp, n);
    for (int v = 0; v < CHORALE_NVERDICT; v++)
        if (n[v] > 0)
            fprintf(out, "%zu %s, ", n[v], words[v]);
    fprintf(out, "of %zu cell%s: %s\n", cmp->count,
            cmp->count == 1 ? "" : "s",
            red > 0                                  ? "RED"
            : chorale_comparison_decided(cmp) == 0 ? "no verdict"
                                                   : "green");
    if (n[CHORALE_SUSPECT] > 0 && !cmp->opts.unpaired)
        print_recheck(cmp, n[CHORALE_SUSPECT], out);
    else if (n[CHORALE_SUSPECT] > 0)
        print_suspects(cmp, n[CHORALE_SUSPECT], out);
}

int chorale_show_table(const struct chorale_comparison *cmp, FILE *out,
                       int all, int fail_on)
{
    const char *no_colour = getenv("NO_COLOR");
    int tty = isatty(out == stdout ? 1 : fileno(out)) &&
              (no_colour == NULL || !no_colour[0]);
    size_t *order = chorale_comparison_order(cmp);
    char text[CHORALE_REMARK_SIZE];
    struct chorale_rows rows = {
        .columns = "verdict|change:%+.2f %%|change low:%+.2f %%|"
                   "change high:%+.2f %%|base:s|head:s|cell",
    };

    if (order == NULL)
        return -1;
    for (size_t k = 0; chorale_comparison_remark(cmp, k, text, sizeof(text));
         k++)
        fprintf(out, "note: %s\n", text);
    for (size_t i = 0; i < cmp->count; i++) {
        enum chorale_verdict_kind v = cmp->judged[order[i]].verdict;

        if (all || (v != CHORALE_SAME && v != CHORALE_UNDECIDED))
            add_cell(&rows, cmp, order[i],
                     colour(tty, chorale_cell_fails(cmp, order[i], fail_on),
                            v));
    }
    free(order);
    if (chorale_rows_print(&rows, 0, out) != 0)
        return -1;
    print_other_findings(cmp, out, all);
    print_counts(cmp, out, fail_on);
    return 0;
}

static const struct {
    const char *word;
    int bit;
} fails[] = {
    { "slower", CHORALE_FAIL_SLOWER },
    { "gone", CHORALE_FAIL_GONE },
    { "suspect", CHORALE_FAIL_SUSPECT },
    { "decision-changed", CHORALE_FAIL_CHOICE },
    { "guideline-broken", CHORALE_FAIL_GUIDELINE },
    { "too-few", CHORALE_FAIL_TOO_FEW },
    { "undecided", CHORALE_FAIL_UNDECIDED },
    { "none", 0 },
};

int chorale_fail_on_parse(const char *list)
{
    char word[32];
    int bits = 0, more;

    for (size_t k = 0; (more = chorale_spec_word(list, k, word,
                                                 sizeof(word))) != 0; k++) {
        size_t i = 0;

        while (more > 0 && i < sizeof(fails) / sizeof(fails[0]) &&
               strcmp(fails[i].word, word) != 0)
            i++;
        if (more < 0 || i == sizeof(fails) / sizeof(fails[0]))
            return -1;
        bits |= fails[i].bit;
    }
    return bits;
}

int chorale_cell_fails(const struct chorale_comparison *cmp, size_t cell,
                       int fail_on)
{
    switch (cmp->judged[cell].verdict) {
    case CHORALE_SLOWER:
        return (fail_on & CHORALE_FAIL_SLOWER) != 0;
    case CHORALE_GONE:
        return (fail_on & CHORALE_FAIL_GONE) != 0;
    case CHORALE_SUSPECT:
        return (fail_on & CHORALE_FAIL_SUSPECT) != 0;
    case CHORALE_TOO_FEW:
        return (fail_on & CHORALE_FAIL_TOO_FEW) != 0;
    case CHORALE_UNDECIDED:
        return (fail_on & CHORALE_FAIL_UNDECIDED) != 0;
    default:
        return 0;
    }
}

size_t chorale_comparison_failures(const struct chorale_comparison *cmp,
                                   int fail_on)
{
    size_t n = 0;

    for (size_t i = 0; i < cmp->count; i++)
        n += (size_t)chorale_cell_fails(cmp, i, fail_on);
    for (size_t i = 0; i < cmp->nrechoice; i++)
        n += cmp->rechoice[i].changed && fail_on & CHORALE_FAIL_CHOICE;
    for (size_t i = 0; i < cmp->nguideline; i++)
        n += cmp->guideline[i].broken && fail_on & CHORALE_FAIL_GUIDELINE;
    return n;
}
