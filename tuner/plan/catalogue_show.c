/* SPDX-License-Identifier: BSD-3-Clause */
/* catalogue_show.c - prints the catalogue from its descriptors. */
#include "config.h"

#include "tuner/plan/catalogue_show.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/alg.h"
#include "algorithms/omitted.h"
#include "tuner/plan/native_algs.h"
#include "tuner/base/rows.h"

static const struct {
    unsigned flag;
    const char *text;
} needs[] = {
    { CHORALE_NEEDS_COMMUTE, "a commutative operation" },
    { CHORALE_NEEDS_POW2, "P a power of two" },
    { CHORALE_NEEDS_EVEN, "P even" },
    { CHORALE_NEEDS_PAIR, "P = 2" },
    { CHORALE_NEEDS_NODES,
      "several nodes with several ranks, placed in blocks" },
    { CHORALE_NEEDS_SEPARATE, "separate buffers (not MPI_IN_PLACE)" },
};

#define NNEEDS (sizeof(needs) / sizeof(needs[0]))
#define WIDTH 78
#define EXAMPLE_P 16
#define EXAMPLE_M 65536

static const char *const order_text[] = {
    [CHORALE_ORDER_NONE] = "",
    [CHORALE_ORDER_RANK] = "rank order",
    [CHORALE_ORDER_FIXED] = "fixed, not rank order",
    [CHORALE_ORDER_TIMING] = "order of arrival",
};

static const char *const cost_text[] = {
    [CHORALE_COST_EXACT] = "exact",
    [CHORALE_COST_POW2] = "exact at powers of two, else a bound",
    [CHORALE_COST_BOUND] = "bound",
};

/* Print text from column at on, wrapped at words and indented. */
static void print_words(const char *text, int at, int indent)
{
    while (*text != '\0') {
        int word = (int)strcspn(text, " ");

        if (at + 1 + word > WIDTH && at > indent)
            at = printf("\n%*s", indent, "") - 1;
        at += printf(" %.*s", word, text);
        text += word;
        text += strspn(text, " ");
    }
    printf("\n");
}

/* Print "label   text". */
static void print_field(const char *label, const char *text)
{
    print_words(text, printf("      %-8s", label), 14);
}

static size_t add(char *text, size_t size, size_t used, const char *more)
{
    int n = used < size ? snprintf(text + used, size - used, "%s", more) : 0;

    return used + (n > 0 ? (size_t)n : 0);
}

static void value_text(const struct chorale_param *p, long value, char *text,
                       size_t size)
{
    if (p->word != NULL)
        snprintf(text, size, "%s", p->word[value]);
    else
        snprintf(text, size, "%ld", value);
}

/* Parameter values derived from the number of ranks or the size. */
static const struct {
    unsigned flag;
    const char *text;
} by[] = {
    { CHORALE_BY_ROOT, "ceil(sqrt(P))" },
    { CHORALE_BY_SIDES, "sides of P's meshes" },
    { CHORALE_BY_BLOCKS, "S* S*/2 2S* of the model" },
    { CHORALE_BY_HALVES, "S* S*/2 2S* segments a half" },
};
enum { NBY = sizeof(by) / sizeof(*by) };

static size_t add_by(const struct chorale_param *p, char *text, size_t size,
                     size_t n)
{
    for (size_t i = 0; i < NBY; i++)
        if (p->by & by[i].flag) {
            n = add(text, size, n, " ");
            n = add(text, size, n, by[i].text);
        }
    return n;
}

/* Append the values that only --set all measures, or that are derived. */
static size_t add_further(const struct chorale_param *p, char *text,
                          size_t size, size_t n)
{
    int full = (p->by & CHORALE_BY_FULL) != 0;
    char value[64];

    if (!full)
        n = add_by(p, text, size, n);
    if (p->nmore == 0 && !full)
        return n;
    n = add(text, size, n, "; with --set all also:");
    for (int k = 0; k < p->nmore; k++) {
        value_text(p, p->more[k], value, sizeof(value));
        n = add(text, size, n, " ");
        n = add(text, size, n, value);
    }
    return full ? add_by(p, text, size, n) : n;
}

static void print_param(const struct chorale_param *p)
{
    char text[1024], value[64];
    size_t n;

    if (p->word != NULL) {
        n = (size_t)snprintf(text, sizeof(text), "%s (%s):", p->name, p->unit);
        for (long v = p->min; v <= p->max; v++) {
            n = add(text, sizeof(text), n, " ");
            n = add(text, sizeof(text), n, p->word[v]);
        }
    } else {
        n = (size_t)snprintf(text, sizeof(text), "%s (%s), %ld to %ld",
                             p->name, p->unit, p->min, p->max);
    }
    value_text(p, p->def, value, sizeof(value));
    n += (size_t)snprintf(text + n, sizeof(text) - n, "; default %s", value);
    for (int k = 0; k < p->ncandidate; k++) {
        n = add(text, sizeof(text), n, k == 0 ? "; measured: " : " ");
        value_text(p, p->candidate[k], value, sizeof(value));
        n = add(text, sizeof(text), n, value);
    }
    n = add_further(p, text, sizeof(text), n);
    print_field("param", text);
}

static void needs_text(const struct chorale_alg *alg, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < NNEEDS; i++)
        if (alg->needs & needs[i].flag) {
            n = add(text, size, n, n > 0 ? ", " : "");
            n = add(text, size, n, needs[i].text);
        }
    if (alg->constraint != NULL) {
        n = add(text, size, n, n > 0 ? ", " : "");
        add(text, size, n, alg->constraint);
    }
}

/* The formula and its kind. The printed formula may be a bound although the
 * computed cost is exact. */
static void cost_line(const struct chorale_alg *alg, char *text, size_t size)
{
    int exact = alg->cost_is == CHORALE_COST_EXACT;
    int rough = exact ? strstr(alg->formula, "<=") != NULL
                      : alg->cost_is == CHORALE_COST_POW2 &&
                            strncmp(alg->formula, "<=", 2) == 0;

    snprintf(text, size, "%s%s%s%s%s", alg->formula,
             rough ? "; computed: " : " (", cost_text[alg->cost_is],
             alg->overlaps ? exact ? " on one port, where messages queue; with "
                                     "more they overlap"
                                   : "; messages overlap"
             : alg->overlaps_at ? ", but a bound where parameters make "
                                  "messages overlap"
                                : "",
             rough ? "" : ")");
}

/* Scratch bytes of the busiest rank at a round example point; in_place: of an
 * exchange with MPI_IN_PLACE. */
static size_t example_scratch(const struct chorale_alg *alg, int in_place)
{
    struct chorale_point pt = {
        .comm_size = EXAMPLE_P,
        .msg_size = EXAMPLE_M,
        .n = chorale_coll_n(alg->coll, EXAMPLE_M, EXAMPLE_P),
        .type_size = 8,
        .commutative = 1,
        .in_place = in_place && (alg->coll == CHORALE_ALLTOALL ||
                                 alg->coll == CHORALE_ALLTOALLV) &&
                    !(alg->needs & CHORALE_NEEDS_SEPARATE),
        .ppn = 4,
    };

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    return alg->scratch == NULL ? 0 : alg->scratch(&pt);
}

static const char *const core_text[] = {
    [CHORALE_CORE_NOT] = "",
    [CHORALE_CORE_ANY] = " [core]",
    [CHORALE_CORE_FLAT] = " [core, but not where nodes hold several ranks]",
    [CHORALE_CORE_LEVELS] = " [core where nodes hold several ranks]",
};
static const char *const core_where[] = {
    [CHORALE_CORE_NOT] = "nowhere",
    [CHORALE_CORE_ANY] = "anywhere",
    [CHORALE_CORE_FLAT] = "flat",
    [CHORALE_CORE_LEVELS] = "levels",
};

static void print_alg(const struct chorale_alg *alg)
{
    char text[1024];
    int at = printf("  %-25s", alg->name);

    snprintf(text, sizeof(text), "%s%s", alg->summary,
             core_text[alg->core]);
    print_words(text, at, 27);
    cost_line(alg, text, sizeof(text));
    print_field("cost", text);
    for (int i = 0; i < alg->nparam; i++)
        print_param(&alg->param[i]);
    needs_text(alg, text, sizeof(text));
    if (text[0] != '\0')
        print_field("needs", text);
    if (alg->scratch != NULL) {
        size_t most = example_scratch(alg, 0), there = example_scratch(alg, 1);
        char in_place[48] = "";

        if (there != most)
            snprintf(in_place, sizeof(in_place), ", %zu in place", there);
        snprintf(text, sizeof(text), "%zu bytes%s at P = %d, m = %d", most,
                 in_place, EXAMPLE_P, EXAMPLE_M);
        print_field("scratch", text);
    }
    if (alg->order != CHORALE_ORDER_NONE)
        print_field("order", alg->order_at != NULL
                                 ? "rank order with some parameters, roots "
                                   "or operations"
                                 : order_text[alg->order]);
    if (alg->fallback != NULL)
        print_field("except", alg->fallback);
    if (alg->patents != NULL)
        print_field("patents", alg->patents);
    if (alg->unselectable != NULL)
        print_field("never", alg->unselectable);
    print_field("source", alg->source);
}

static json_t *maybe(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *param_json(const struct chorale_param *p)
{
    json_t *values = json_array(), *words = json_array();
    json_t *more = json_array(), *point = json_array();

    for (int k = 0; k < p->ncandidate; k++)
        json_array_append_new(values, json_integer(p->candidate[k]));
    for (int k = 0; k < p->nmore; k++)
        json_array_append_new(more, json_integer(p->more[k]));
    for (size_t i = 0; i < NBY; i++)
        if (p->by & by[i].flag)
            json_array_append_new(point, json_string(by[i].text));
    for (long v = p->min; p->word != NULL && v <= p->max; v++)
        json_array_append_new(words, json_string(p->word[v]));
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:b}",
                     "name", p->name,
                     "unit", p->unit, "default", (json_int_t)p->def, "min",
                     (json_int_t)p->min, "max", (json_int_t)p->max,
                     "candidates", values, "words", words,
                     "candidates_more", more, "candidates_of_point", point,
                     "of_point_in_full_set_only",
                     (p->by & CHORALE_BY_FULL) != 0);
}

static json_t *alg_json(const struct chorale_alg *alg)
{
    json_t *params = json_array(), *want = json_array();

    for (int i = 0; i < alg->nparam; i++)
        json_array_append_new(params, param_json(&alg->param[i]));
    for (size_t i = 0; i < NNEEDS; i++)
        if (alg->needs & needs[i].flag)
            json_array_append_new(want, json_string(needs[i].text));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o,"
        " s:o, s:o, s:b, s:s, s:I, s:I}",
        "coll", chorale_coll_info(alg->coll)->name, "variant", alg->name,
        "summary", alg->summary, "cost", alg->formula, "cost_is",
        cost_text[alg->cost_is], "overlaps",
        alg->overlaps      ? "always"
        : alg->overlaps_at ? "some"
                           : "never",
        "source", alg->source, "order", order_text[alg->order], "core",
        alg->core != CHORALE_CORE_NOT, "needs", want, "constraint",
        maybe(alg->constraint),
        "params", params, "patents", maybe(alg->patents),
        "unselectable", maybe(alg->unselectable), "fallback",
        maybe(alg->fallback), "order_depends", alg->order_at != NULL,
        "core_where", core_where[alg->core], "scratch_bytes_m65536_p16",
        (json_int_t)example_scratch(alg, 0),
        "scratch_bytes_in_place_m65536_p16",
        (json_int_t)example_scratch(alg, 1));
}

static void print_all(int coll, int *count)
{
    for (int i = 0, last = -1; chorale_algs[i] != NULL; i++) {
        const struct chorale_alg *alg = chorale_algs[i];

        if (coll >= 0 && (int)alg->coll != coll)
            continue;
        ++*count;
        if ((int)alg->coll != last)
            printf("%s%s\n", last >= 0 ? "\n" : "",
                   chorale_coll_info(alg->coll)->name);
        last = (int)alg->coll;
        print_alg(alg);
    }
    printf("\n%d variants; provider library is the MPI library's "
           "default.\n`chorale list --native`: the MPI library's own "
           "algorithms, provider native; in\nsimulation SimGrid's, "
           "`chorale list --simulated`.\n", *count);
#ifdef CHORALE_NO_PATENTED
    printf("Built without the patented variants.\n");
#endif
}

static void print_counts(void)
{
    int total = 0;

    for (int c = 0; c < CHORALE_NCOLL; c++) {
        int n = 0, flat = 0, levels = 0;

        for (int i = 0; chorale_algs[i] != NULL; i++)
            if ((int)chorale_algs[i]->coll == c) {
                n++;
                flat += chorale_alg_core(chorale_algs[i], 4, 0);
                levels += chorale_alg_core(chorale_algs[i], 4, 2);
            }
        printf("%-22s %3d variants, %d in the core set",
               chorale_coll_info((enum chorale_coll)c)->name, n, flat);
        if (levels != flat)
            printf(", %d on nodes with several ranks", levels);
        printf("\n");
        total += n;
    }
    printf("%-22s %3d variants\n", "all", total);
}

static void print_missing(int coll)
{
    int count = 0;

    for (const struct chorale_omitted *m = chorale_omitted; m->name != NULL;
         m++) {
        if (coll >= 0 && (int)m->coll != coll)
            continue;
        printf("%s %s\n", chorale_coll_info(m->coll)->name, m->name);
        print_field("reason", m->reason);
        print_field("source", m->source);
        count++;
    }
    printf("\n%d published algorithms are not in the catalogue.\n", count);
}

/* Print the algorithms of the runner's MPI library, or of SimGrid. */
static enum chorale_err print_native(int coll, int json, int simulated,
                                     struct chorale_errmsg *msg)
{
    struct chorale_natives natives;
    enum chorale_err err =
        simulated ? chorale_natives_simulated(
                        &natives,
                        coll >= 0 ? chorale_coll_info((enum chorale_coll)coll)
                                        ->name
                                  : NULL, msg)
                  : chorale_natives_load(&natives, msg);
    json_t *list = json_array();
    int count = 0;

    for (int i = 0; err == CHORALE_OK && i < natives.count; i++) {
        const struct chorale_native_name *row = &natives.row[i];
        const char *name = chorale_coll_info(row->coll)->name;

        if (coll >= 0 && (int)row->coll != coll)
            continue;
        count++;
        if (json)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:s}", "coll", name,
                                "provider", "native", "name", row->name,
                                "params", row->params));
        else
            printf("%-22s %s%s%s\n", name, row->name,
                   row->params[0] != '\0' ? " " : "", row->params);
    }
    if (err == CHORALE_OK && json)
        chorale_json_print(json_incref(list));
    else if (err == CHORALE_OK)
        printf("\n%d algorithms of %s can be forced.\n", count,
               simulated ? "SimGrid" : "the MPI library");
    json_decref(list);
    chorale_natives_free(&natives);
    return err;
}

static void dump(int coll, int missing)
{
    json_t *list = json_array();

    for (int i = 0; !missing && chorale_algs[i] != NULL; i++)
        if (coll < 0 || (int)chorale_algs[i]->coll == coll)
            json_array_append_new(list, alg_json(chorale_algs[i]));
    for (const struct chorale_omitted *m = chorale_omitted;
         missing && m->name != NULL; m++)
        if (coll < 0 || (int)m->coll == coll)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:s}", "coll",
                                chorale_coll_info(m->coll)->name, "name",
                                m->name, "reason", m->reason, "source",
                                m->source));
    chorale_json_print(list);
}

enum chorale_err chorale_catalogue_show(int coll,
                                        const struct chorale_list_opts *opts,
                                        struct chorale_errmsg *msg)
{
    int count = 0;

    if (opts->native || opts->simulated)
        return print_native(coll, opts->json, opts->simulated, msg);
    if (opts->json)
        dump(coll, opts->missing);
    else if (opts->missing)
        print_missing(coll);
    else if (opts->counts)
        print_counts();
    else
        print_all(coll, &count);
    return CHORALE_OK;
}
