/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_report.c - prints a comparison as Markdown for merge requests, as TAP
 * and JUnit for CI, and as JSON. Texts from the databases are already printable
 * ASCII; they are escaped here. */
#include "tuner/compare/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/store.h"
#include "tuner/base/units.h"
#include "tuner/base/rows.h"

/* Write text into a cell of a Markdown table, with all markup escaped. */
static void put_markdown(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '@')
            fputs("&#64;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (strchr("\\`*_{}[]()#+!|~>:", *text) != NULL)
            fprintf(out, "\\%c", *text);
        else
            putc(*text, out);
    }
}

static void put_percent(FILE *out, double log_ratio)
{
    if (isfinite(log_ratio))
        fprintf(out, "%+.1f %%", 100 * expm1(log_ratio));
    else
        fputs("-", out);
}

static void markdown_cell(const struct chorale_comparison *cmp, size_t i,
                          FILE *out, int red)
{
    const struct chorale_compared *c = &cmp->judged[i];
    char text[200];

    fprintf(out, "| %s%s%s | ", red ? "**" : "",
            chorale_verdict_word(c->verdict), red ? "**" : "");
    put_percent(out, c->shift.estimate);
    fputs(" | ", out);
    put_percent(out, c->shift.lo);
    fputs(" to ", out);
    put_percent(out, c->shift.hi);
    for (int head = 0; head < 2; head++) {
        const double t = chorale_compared_seconds(c, head);
        char seconds[32];

        fprintf(out, " | %s",
                isfinite(t) ? chorale_human_seconds(t, seconds) : "-");
    }
    fputs(" | ", out);
    chorale_cell_name(&cmp->cell[i].at, text, sizeof(text));
    put_markdown(out, text);
    fputs(" | ", out);
    chorale_cell_place(&cmp->cell[i].at, text, sizeof(text));
    put_markdown(out, text);
    fputs(" | ", out);
    chorale_cell_reason(cmp, i, text, sizeof(text));
    put_markdown(out, text);
    fputs(" |\n", out);
}

/* Describe the k-th finding that does not belong to a single cell, in one line.
 * Returns 0 if there is no k-th. */
static int finding(const struct chorale_comparison *cmp, size_t k, char *text,
                   size_t size, int *is_choice)
{
    char a[32], b[32];

    for (size_t i = 0; i < cmp->nrechoice; i++) {
        const struct chorale_rechoice *r = &cmp->rechoice[i];

        if (!r->changed || k-- > 0)
            continue;
        *is_choice = 1;
        snprintf(text, size, "%s, P = %d, n = %s to %s: %s in base, %s in "
                 "head", chorale_coll_info(r->at.coll)->name, r->at.comm_size,
                 chorale_human_bytes((double)r->n_lo, a),
                 chorale_human_bytes((double)r->n_hi, b), r->from, r->to);
        return 1;
    }
    for (size_t i = 0; i < cmp->nguideline; i++) {
        const struct chorale_guideline *g = &cmp->guideline[i];

        if (!g->broken || k-- > 0)
            continue;
        *is_choice = 0;
        snprintf(text, size, "%s of %s, P = %d, n = %s: %+.1f %%", g->rule,
                 g->tuned ? "the table" : "the library", g->at.comm_size,
                 chorale_human_bytes((double)g->at.n, a),
                 100 * (g->seconds / g->bound - 1));
        return 1;
    }
    return 0;
}

static int finding_red(int is_choice, int fail_on)
{
    return (fail_on & (is_choice ? CHORALE_FAIL_CHOICE
                                 : CHORALE_FAIL_GUIDELINE)) != 0;
}

static const char *finding_kind(int is_choice)
{
    return is_choice ? "decision changed" : "guideline broken";
}

int chorale_show_markdown(const struct chorale_comparison *cmp, FILE *out,
                          int all, int fail_on)
{
    size_t *order = chorale_comparison_order(cmp), n[CHORALE_NVERDICT];
    size_t red = chorale_comparison_failures(cmp, fail_on);
    char text[CHORALE_REMARK_SIZE];
    int is_choice;

    if (order == NULL)
        return -1;
    chorale_comparison_tally(cmp, n);
    fprintf(out, "### Collectives: %s\n\n",
            red > 0                                  ? "slower"
            : chorale_comparison_decided(cmp) == 0 ? "no verdict"
                                                     : "not slower");
    for (int v = 0; v < CHORALE_NVERDICT; v++)
        if (n[v] > 0)
            fprintf(out, "%zu %s, ", n[v],
                    chorale_verdict_word((enum chorale_verdict_kind)v));
    fprintf(out, "of %zu cell%s\n\n| verdict | change | 95 %% interval | base | "
            "head | what | where | why |\n"
            "|---|---:|---:|---:|---:|---|---|---|\n", cmp->count,
            chorale_plural((long long)cmp->count));
    for (size_t i = 0; i < cmp->count; i++) {
        enum chorale_verdict_kind v = cmp->judged[order[i]].verdict;

        if (all || (v != CHORALE_SAME && v != CHORALE_UNDECIDED))
            markdown_cell(cmp, order[i], out,
                          chorale_cell_fails(cmp, order[i], fail_on));
    }
    free(order);
    for (size_t k = 0; finding(cmp, k, text, sizeof(text), &is_choice); k++) {
        fprintf(out, "\n- %s: ", finding_kind(is_choice));
        put_markdown(out, text);
    }
    for (size_t k = 0; chorale_comparison_remark(cmp, k, text, sizeof(text));
         k++) {
        fputs("\n- note: ", out);
        put_markdown(out, text);
    }
    fputs("\n", out);
    return 0;
}

static void put_tap(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '#' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            putc(*text, out);
}

int chorale_show_tap(const struct chorale_comparison *cmp, FILE *out, int all,
                     int fail_on)
{
    size_t k = 0, count = cmp->count;
    char text[CHORALE_REMARK_SIZE];
    int is_choice;

    (void)all;
    while (finding(cmp, k, text, sizeof(text), &is_choice))
        k++;
    fprintf(out, "TAP version 13\n1..%zu\n", count + k);
    for (size_t i = 0; chorale_comparison_remark(cmp, i, text, sizeof(text));
         i++)
        fprintf(out, "# note: %s\n", text);
    for (size_t i = 0; i < count; i++) {
        const struct chorale_compared *c = &cmp->judged[i];
        int red = chorale_cell_fails(cmp, i, fail_on);

        fprintf(out, "%sok %zu - ", red ? "not " : "", i + 1);
        chorale_cell_name(&cmp->cell[i].at, text, sizeof(text));
        put_tap(out, text);
        fputs(", ", out);
        chorale_cell_place(&cmp->cell[i].at, text, sizeof(text));
        put_tap(out, text);
        fprintf(out, ": %s, ", chorale_verdict_word(c->verdict));
        put_percent(out, c->shift.estimate);
        fputs(c->verdict == CHORALE_TOO_FEW && !red
                  ? " # SKIP not enough data\n" : "\n", out);
    }
    for (size_t i = 0; i < k; i++) {
        finding(cmp, i, text, sizeof(text), &is_choice);
        fprintf(out, "%sok %zu - %s: ",
                finding_red(is_choice, fail_on) ? "not " : "", count + i + 1,
                finding_kind(is_choice));
        put_tap(out, text);
        fputs("\n", out);
    }
    return 0;
}

static void put_xml(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&apos;", out); break;
        default: putc(*text, out);
        }
}

/* End the test case's attributes with head's seconds. */
static void junit_time(FILE *out, double seconds)
{
    fprintf(out, "\" time=\"%.9f\"", isfinite(seconds) ? seconds : 0);
}

static void junit_cell(const struct chorale_comparison *cmp, size_t i,
                       FILE *out, int fail_on)
{
    const struct chorale_compared *c = &cmp->judged[i];
    char text[200];

    fprintf(out, "  <testcase classname=\"chorale.%s\" name=\"",
            chorale_coll_info(cmp->cell[i].at.coll)->name);
    chorale_cell_name(&cmp->cell[i].at, text, sizeof(text));
    put_xml(out, text);
    fputs(", ", out);
    chorale_cell_place(&cmp->cell[i].at, text, sizeof(text));
    put_xml(out, text);
    junit_time(out, chorale_compared_seconds(c, 1));
    if (chorale_cell_fails(cmp, i, fail_on)) {
        fprintf(out, ">\n    <failure type=\"%s\" message=\"",
                chorale_verdict_word(c->verdict));
        put_percent(out, c->shift.estimate);
        chorale_cell_reason(cmp, i, text, sizeof(text));
        fputs(", 95 % interval ", out);
        put_percent(out, c->shift.lo);
        fputs(" to ", out);
        put_percent(out, c->shift.hi);
        fputs(text[0] != '\0' ? "; " : "", out);
        put_xml(out, text);
        fputs("\"/>\n  </testcase>\n", out);
    } else if (c->verdict == CHORALE_TOO_FEW) {
        fputs(">\n    <skipped message=\"not enough data\"/>\n"
              "  </testcase>\n", out);
    } else {
        fputs("/>\n", out);
    }
}

/* Write the attributes that strict JUnit schemas require, and notes as
 * output. */
static void junit_head(const struct chorale_comparison *cmp, size_t tests,
                       size_t skipped, FILE *out, int fail_on)
{
    char now[32];

    chorale_time_now(now);
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites>\n <testsuite name=\"chorale compare\" tests=\"%zu\""
            " failures=\"%zu\" errors=\"0\" skipped=\"%zu\" id=\"0\""
            " package=\"chorale\" timestamp=\"%.19s\" time=\"0\" hostname=\"",
            tests, chorale_comparison_failures(cmp, fail_on), skipped, now);
    put_xml(out, cmp->head.system);
    fputs("\">\n  <properties/>\n", out);
}

static void junit_tail(const struct chorale_comparison *cmp, FILE *out)
{
    char text[CHORALE_REMARK_SIZE];

    fputs("  <system-out>", out);
    for (size_t k = 0; chorale_comparison_remark(cmp, k, text, sizeof(text));
         k++) {
        fputs("note: ", out);
        put_xml(out, text);
        fputs("\n", out);
    }
    fputs("</system-out>\n  <system-err/>\n </testsuite>\n</testsuites>\n",
          out);
}

int chorale_show_junit(const struct chorale_comparison *cmp, FILE *out,
                       int all, int fail_on)
{
    size_t n[CHORALE_NVERDICT], k = 0;
    char text[CHORALE_REMARK_SIZE];
    int is_choice;

    (void)all;
    while (finding(cmp, k, text, sizeof(text), &is_choice))
        k++;
    chorale_comparison_tally(cmp, n);
    junit_head(cmp, cmp->count + k,
               fail_on & CHORALE_FAIL_TOO_FEW ? 0 : n[CHORALE_TOO_FEW], out,
               fail_on);
    for (size_t i = 0; i < cmp->count; i++)
        junit_cell(cmp, i, out, fail_on);
    for (size_t i = 0; i < k; i++) {
        finding(cmp, i, text, sizeof(text), &is_choice);
        fprintf(out, "  <testcase classname=\"chorale.%s\" name=\"",
                is_choice ? "decisions" : "guidelines");
        put_xml(out, text);
        junit_time(out, 0);
        if (finding_red(is_choice, fail_on))
            fprintf(out, "><failure type=\"%s\"/></testcase>\n",
                    finding_kind(is_choice));
        else
            fputs("/>\n", out);
    }
    junit_tail(cmp, out);
    return 0;
}

static json_t *safe(const char *text)
{
    char out[CHORALE_REMARK_SIZE];

    chorale_safe_text(out, sizeof(out), text);
    return json_string(out);
}

static json_t *cell_json(const struct chorale_comparison *cmp, size_t i,
                         int fail_on)
{
    const struct chorale_run_point *at = &cmp->cell[i].at;
    const struct chorale_compared *c = &cmp->judged[i];
    char reason[200];

    chorale_cell_reason(cmp, i, reason, sizeof(reason));
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:I, s:i, s:i, s:o, s:o, s:o, s:o, s:s,"
        " s:b, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:I, s:I, s:I, s:I,"
        " s:o, s:o, s:s}",
        "coll", chorale_coll_info(at->coll)->name,
        "provider", safe(at->provider), "variant", safe(at->variant),
        "params", safe(at->params), "msg_size", (json_int_t)at->msg_size,
        "n", (json_int_t)at->n, "comm_size", at->comm_size, "ppn", at->ppn,
        "shape", safe(at->shape), "dtype", safe(at->dtype), "op", safe(at->op),
        "conditions", safe(at->conditions),
        "verdict", chorale_verdict_word(c->verdict),
        "red", chorale_cell_fails(cmp, i, fail_on),
        "ratio", chorale_json(exp(c->shift.estimate)),
        "ratio_lo", chorale_json(exp(c->shift.lo)),
        "ratio_hi", chorale_json(exp(c->shift.hi)), "p", chorale_json(c->p),
        "p_adjusted", chorale_json(c->adjusted), "looks_slower",
        c->looks_slower,
        "measured_again", c->again,
        "machine", chorale_json(exp(c->machine)),
        "launches_base", (json_int_t)c->sides.base.n,
        "launches_head", (json_int_t)c->sides.head.n,
        "again_base", (json_int_t)c->sides.again_base.n,
        "again_head", (json_int_t)c->sides.again_head.n,
        "seconds_base", chorale_json(chorale_compared_seconds(c, 0)),
        "seconds_head", chorale_json(chorale_compared_seconds(c, 1)), "why",
        reason);
}

static json_t *canaries_json(const struct chorale_comparison *cmp)
{
    json_t *list = json_array();

    for (size_t i = 0; i < cmp->ncanary; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:i, s:i}", "canary",
                            cmp->canary[i].name, "ratio",
                            chorale_json(exp(cmp->canary[i].first.estimate)),
                            "moved", cmp->canary[i].moved, "moved_again",
                            cmp->canary[i].moved_again));
    return list;
}

int chorale_show_json(const struct chorale_comparison *cmp, FILE *out, int all,
                      int fail_on)
{
    json_t *root = json_object(), *cells = json_array(), *more = json_array();
    json_t *notes = json_array();
    size_t *order = chorale_comparison_order(cmp);
    char text[CHORALE_REMARK_SIZE];
    json_int_t red;
    int is_choice, bad = order == NULL;

    (void)all;
    for (size_t i = 0; !bad && i < cmp->count; i++)
        bad |= json_array_append_new(cells, cell_json(cmp, order[i],
                                                      fail_on)) != 0;
    for (size_t k = 0; finding(cmp, k, text, sizeof(text), &is_choice); k++)
        bad |= json_array_append_new(
                   more, json_pack("{s:s, s:b, s:s}", "finding",
                                   finding_kind(is_choice), "red",
                                   finding_red(is_choice, fail_on), "what",
                                   text)) != 0;
    for (size_t k = 0; chorale_comparison_remark(cmp, k, text, sizeof(text));
         k++)
        bad |= json_array_append_new(notes, safe(text)) != 0;
    red = (json_int_t)chorale_comparison_failures(cmp, fail_on);
    bad |= json_object_set_new(root, "red", json_integer(red)) != 0;
    bad |= json_object_set_new(root, "threshold",
                               json_real(cmp->opts.threshold)) != 0;
    bad |= json_object_set_new(root, "cells", cells) != 0;
    bad |= json_object_set_new(root, "findings", more) != 0;
    bad |= json_object_set_new(root, "canaries", canaries_json(cmp)) != 0;
    bad |= json_object_set_new(root, "notes", notes) != 0;
    if (!bad && json_dumpf(root, out, JSON_INDENT(1)) != 0)
        bad = 1;
    fputs("\n", out);
    json_decref(root);
    free(order);
    return bad ? -1 : 0;
}
