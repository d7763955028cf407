/* SPDX-License-Identifier: BSD-3-Clause */
/* registry.c - table of all variants and queries on its rows.
 *
 * The table is generated from the lists of files in the folders' local.am. */
#include "algorithms/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIANT(coll, name) &chorale_##coll##_##name,
const struct chorale_alg *const chorale_algs[] = {
#include "algorithms/catalogue.inc"
    NULL,
};
#undef VARIANT

const struct chorale_alg *chorale_alg_find(enum chorale_coll coll,
                                           const char *name)
{
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (chorale_algs[i]->coll == coll &&
            strcmp(chorale_algs[i]->name, name) == 0)
            return chorale_algs[i];
    return NULL;
}

int chorale_alg_index(const struct chorale_alg *alg)
{
    for (int i = 0; chorale_algs[i] != NULL; i++)
        if (chorale_algs[i] == alg)
            return i;
    return -1;
}

/* 1 if several nodes hold several ranks each. */
static int has_levels(int comm_size, int ppn)
{
    return ppn >= 2 && ppn < comm_size;
}

int chorale_alg_core(const struct chorale_alg *alg, int comm_size, int ppn)
{
    return alg->core == CHORALE_CORE_ANY
           || alg->core == (has_levels(comm_size, ppn) ? CHORALE_CORE_LEVELS
                                                       : CHORALE_CORE_FLAT);
}

const char *chorale_alg_refuses(const struct chorale_alg *alg,
                                const struct chorale_point *pt)
{
    unsigned p = (unsigned)pt->comm_size;

    if ((alg->needs & CHORALE_NEEDS_COMMUTE) && !pt->commutative)
        return "needs a commutative operation";
    if ((alg->needs & CHORALE_NEEDS_POW2) && (p & (p - 1)) != 0)
        return "needs a power-of-two number of processes";
    if ((alg->needs & CHORALE_NEEDS_EVEN) && p % 2 != 0)
        return "needs an even number of processes";
    if ((alg->needs & CHORALE_NEEDS_PAIR) && p != 2)
        return "needs two processes";
    if ((alg->needs & CHORALE_NEEDS_NODES) &&
        !has_levels(pt->comm_size, pt->ppn))
        return "needs several nodes with several processes, ranks placed in "
               "blocks";
    if ((alg->needs & CHORALE_NEEDS_SEPARATE) && pt->in_place)
        return "does not work in place";
    return alg->refuses == NULL ? NULL : alg->refuses(pt);
}

int chorale_alg_by_node(const struct chorale_alg *alg)
{
    return alg->by_node || (alg->needs & CHORALE_NEEDS_NODES);
}

enum chorale_order chorale_alg_order(const struct chorale_alg *alg,
                                     const struct chorale_point *pt)
{
    return alg->order_at == NULL ? alg->order : alg->order_at(pt);
}

const char *chorale_alg_unselectable(const struct chorale_alg *alg,
                                     int allow_patented)
{
    if (alg->unselectable != NULL)
        return alg->unselectable;
    if (alg->order == CHORALE_ORDER_TIMING)
        return "its results depend on timing";
    return alg->patents != NULL && !allow_patented ? "patented" : NULL;
}

/* --- parameters ------------------------------------------------------- */

static int find_param(const struct chorale_alg *alg, const char *name,
                      size_t length)
{
    for (int i = 0; i < alg->nparam; i++)
        if (strlen(alg->param[i].name) == length &&
            strncmp(alg->param[i].name, name, length) == 0)
            return i;
    return -1;
}

static long suffix_factor(char c)
{
    switch (c) {
    case 'K':
    case 'k':
        return 1L << 10;
    case 'M':
    case 'm':
        return 1L << 20;
    case 'G':
    case 'g':
        return 1L << 30;
    default:
        return 0;
    }
}

/* Parse a whole number with an optional suffix that fills [text, text +
 * length). Returns 0, 1 if it is not a number, or 2 if it does not fit a
 * long. */
static int parse_number(const char *text, size_t length, long *value)
{
    const char *digits = *text == '-' ? text + 1 : text;
    char *end;
    long factor = 1;

    if (length == 0 || *digits < '0' || *digits > '9')
        return 1;
    errno = 0;
    *value = strtol(text, &end, 10);
    if (end < text + length) {
        factor = suffix_factor(*end);
        end++;
    }
    if (factor == 0 || end != text + length)
        return 1;
    return errno != 0 || __builtin_mul_overflow(*value, factor, value) ? 2 : 0;
}

/* Append the valid parameter names to a message. */
static void add_known(const struct chorale_alg *alg, char *why, size_t size)
{
    size_t used = size > 0 ? strlen(why) : 0;

    for (int i = 0; i < alg->nparam && used < size; i++) {
        snprintf(why + used, size - used, "%s%s", i ? ", " : "; it has ",
                 alg->param[i].name);
        used = strlen(why);
    }
    if (alg->nparam == 0 && used < size)
        snprintf(why + used, size - used, "; it has no parameters");
}

/* Set *value to the index of the word equal to text. */
static int parse_word(const char *coll, const struct chorale_alg *alg,
                      const struct chorale_param *param, const char *text,
                      size_t length, long *value, char *why, size_t size)
{
    size_t used;

    for (long v = param->min; v <= param->max; v++)
        if (strlen(param->word[v]) == length &&
            strncmp(param->word[v], text, length) == 0) {
            *value = v;
            return 0;
        }
    snprintf(why, size, "%s %s: unknown value %s=%.*s; use one of", coll,
             alg->name, param->name, length < 40 ? (int)length : 40, text);
    for (long v = param->min; v <= param->max; v++) {
        used = strlen(why);
        snprintf(why + used, size - used, "%s%s", v > param->min ? ", " : " ",
                 param->word[v]);
    }
    return -1;
}

/* Parse one "name=value" of length characters into value[]; seen has one bit
 * per parameter. */
static int parse_one(const struct chorale_alg *alg, const char *text,
                     size_t length, long *value, unsigned *seen, char *why,
                     size_t why_size)
{
    const char *coll = chorale_coll_info(alg->coll)->name;
    const char *equals = memchr(text, '=', length);
    const struct chorale_param *param;
    int shown = length < 40 ? (int)length : 40;
    size_t name_length;
    int i, bad;

    if (equals == NULL) {
        snprintf(why, why_size, "parameter '%.*s': write name=value", shown,
                 text);
        return -1;
    }
    name_length = (size_t)(equals - text);
    i = find_param(alg, text, name_length);
    if (i < 0) {
        snprintf(why, why_size, "%s %s has no parameter '%.*s'", coll,
                 alg->name, name_length < 40 ? (int)name_length : 40, text);
        add_known(alg, why, why_size);
        return -1;
    }
    param = &alg->param[i];
    if (*seen & (1U << i)) {
        snprintf(why, why_size, "%s %s: parameter %s is given twice", coll,
                 alg->name, param->name);
        return -1;
    }
    *seen |= 1U << i;
    if (param->word != NULL)
        return parse_word(coll, alg, param, equals + 1,
                          length - name_length - 1, &value[i], why, why_size);
    bad = parse_number(equals + 1, length - name_length - 1, &value[i]);
    if (bad == 1)
        snprintf(why, why_size,
                 "%s %s: '%.*s' is not a whole number (suffixes K, M, G)",
                 coll, alg->name, shown, text);
    else if (bad == 2 || value[i] < param->min || value[i] > param->max)
        snprintf(why, why_size, "%s %s: '%.*s' is not in %ld to %ld", coll,
                 alg->name, shown, text, param->min, param->max);
    else
        return 0;
    return -1;
}

int chorale_alg_params_parse(const struct chorale_alg *alg, const char *text,
                             long *value, char *why, size_t why_size)
{
    long parsed[CHORALE_MAX_PARAM] = { 0 };
    unsigned seen = 0;

    for (int i = 0; i < alg->nparam; i++)
        parsed[i] = alg->param[i].def;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");

        if (parse_one(alg, text, length, parsed, &seen, why, why_size) != 0)
            return -1;
        text += length;
        if (*text == ',' && *++text == '\0') {
            snprintf(why, why_size, "parameter list ends in a comma");
            return -1;
        }
    }
    memcpy(value, parsed, sizeof(parsed));
    return 0;
}

/* Index of the parameter that follows previous in order of names, or -1. */
static int next_by_name(const struct chorale_alg *alg, const char *previous)
{
    int best = -1;

    for (int i = 0; i < alg->nparam; i++) {
        const char *name = alg->param[i].name;

        if (previous != NULL && strcmp(name, previous) <= 0)
            continue;
        if (best < 0 || strcmp(name, alg->param[best].name) < 0)
            best = i;
    }
    return best;
}

int chorale_alg_params_format(const struct chorale_alg *alg, const long *value,
                              char *text, size_t size)
{
    const char *name = NULL;
    size_t length = 0;
    int i;

    if (size > 0)
        *text = '\0';
    while ((i = next_by_name(alg, name)) >= 0) {
        size_t left = length < size ? size - length : 0;
        int n;

        if (alg->param[i].word != NULL)
            n = snprintf(left ? text + length : NULL, left, "%s%s=%s",
                         name == NULL ? "" : ",", alg->param[i].name,
                         alg->param[i].word[value[i]]);
        else
            n = snprintf(left ? text + length : NULL, left, "%s%s=%ld",
                         name == NULL ? "" : ",", alg->param[i].name,
                         value[i]);
        length += n > 0 ? (size_t)n : 0;
        name = alg->param[i].name;
    }
    return (int)length;
}

/* --- cost ------------------------------------------------------------- */

int chorale_alg_overlaps(const struct chorale_alg *alg,
                         const struct chorale_point *pt)
{
    return alg->overlaps || (alg->overlaps_at && alg->overlaps_at(pt));
}

int chorale_alg_by_library(const struct chorale_alg *alg,
                           const struct chorale_point *pt)
{
    for (int i = 0; i < alg->nparam; i++)
        if (alg->param[i].word != NULL &&
            strcmp(alg->param[i].word[pt->param[i]], "library") == 0)
            return 1;
    return 0;
}

int chorale_alg_exact(const struct chorale_alg *alg,
                      const struct chorale_point *pt)
{
    int p = pt->comm_size;

    if ((alg->overlaps_at != NULL && alg->overlaps_at(pt)) ||
        chorale_alg_by_library(alg, pt))
        return 0;
    return alg->cost_is == CHORALE_COST_EXACT ||
           (alg->cost_is == CHORALE_COST_POW2 && (p & (p - 1)) == 0);
}

int chorale_alg_modelled(const struct chorale_alg *alg,
                         const struct chorale_point *pt)
{
    return !chorale_alg_overlaps(alg, pt) &&
           !chorale_alg_by_library(alg, pt);
}

void chorale_term_sums(const struct chorale_term *term, int nterm,
                       double *messages, double *bytes, double *reduced)
{
    *messages = *bytes = *reduced = 0;
    for (int i = 0; i < nterm; i++) {
        double kappa = term[i].kappa > 0 ? term[i].kappa : 1;

        *messages += term[i].messages;
        *bytes += term[i].messages * term[i].bytes * kappa;
        *reduced += term[i].reduced;
    }
}
