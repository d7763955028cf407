/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.c - evaluate the cost formulas that descriptors print. */
#include "tests/unit/algorithms/formula.h"

#include "algorithms/engines/reduction/nested_rings.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 40 /* nesting of brackets and definitions */

/* State of one evaluation; [at, end) is the text still to be read. */
struct reader {
    const struct chorale_alg *alg;
    const struct chorale_point *pt;
    const double *net;      /* alpha, beta, tau: each 0 or 1 */
    const char *at, *end;
    int depth, wrong, automatic;
    char why[80];
};

static double sum_of(struct reader *r);

static double complain(struct reader *r, const char *what, const char *word,
                       size_t length)
{
    if (!r->wrong)
        snprintf(r->why, sizeof(r->why), "%s '%.*s'", what,
                 length < 30 ? (int)length : 30, word);
    r->wrong = 1;
    r->at = r->end;
    return 0;
}

static void blanks(struct reader *r)
{
    while (r->at < r->end && *r->at == ' ')
        r->at++;
}

static int is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* --- names ------------------------------------------------------------- */

static int param_of(const struct chorale_alg *alg, const char *word,
                    size_t length)
{
    for (int i = 0; i < alg->nparam; i++)
        if (is_word(word, length, alg->param[i].name))
            return i;
    return -1;
}

/* Bytes of block i; equal for regular collectives. */
static double block(const struct chorale_alg *alg,
                    const struct chorale_point *pt, int i)
{
    return chorale_coll_info(alg->coll)->irregular
               ? (double)chorale_ramp(pt->msg_size, pt->type_size,
                                      pt->comm_size, i)
               : (double)pt->msg_size;
}

/* Sum of the largest block, the 2 largest, the 4 largest, ..., fewer than P,
 * without a root's own block. */
static double largest(const struct chorale_alg *alg,
                      const struct chorale_point *pt)
{
    int rooted = chorale_coll_info(alg->coll)->rooted;
    double sum = 0;

    for (int many = 1; many < pt->comm_size; many *= 2)
        for (int i = pt->comm_size - 1, left = many; left > 0; i--)
            if (!rooted || i != pt->root) {
                sum += block(alg, pt, i);
                left--;
            }
    return sum;
}

/* Count the nonzero digits of the numbers below P in this base; with kinds,
 * the distinct pairs of a place and a nonzero digit. */
static double digits(int comm_size, long radix, int kinds)
{
    int count = 0;

    for (long long place = 1; place < comm_size; place *= radix)
        for (long d = 1; d < radix && d * place < comm_size; d++)
            for (int i = 1; i < comm_size; i++)
                if (i / place % radix == d) {
                    count++;
                    if (kinds)
                        break;
                }
    return count;
}

/* Rounds of rings along all dimensions of the most cubic torus. */
static double rounds(const struct chorale_alg *alg,
                     const struct chorale_point *pt)
{
    int i = param_of(alg, "dims", 4), sum = 0;
    struct chorale_torus torus;

    if (i < 0 || !chorale_torus_cubic(&torus, pt->comm_size,
                                      (int)pt->param[i]))
        return 0;
    for (int d = 0; d < torus.ndim; d++)
        sum += torus.length[d] - 1;
    return sum;
}

/* A parameter's value; sets auto if 0 lets the variant choose it. */
static double param_value(struct reader *r, int i)
{
    const char *name = r->alg->param[i].name;
    long value = r->pt->param[i];

    if (value <= 0 && (strcmp(name, "rows") == 0 ||
                       strcmp(name, "cols") == 0 ||
                       strcmp(name, "nblocks") == 0))
        r->automatic = 1;
    return (double)value;
}

/* Value of s: bytes of a segment of whole. */
static double segment(struct reader *r, double whole)
{
    int i = param_of(r->alg, "segsize", 7);

    if (i < 0 || r->pt->param[i] <= 0 || (double)r->pt->param[i] > whole)
        return whole;
    return (double)r->pt->param[i];
}

/* Ranks of a group: by a parameter, else of a node. */
static int group(const struct reader *r)
{
    int i = param_of(r->alg, "group", 5);

    if (i >= 0 && r->pt->param[i] > 0)
        return (int)r->pt->param[i];
    return r->pt->ppn > 0 ? r->pt->ppn : 1;
}

static double known(struct reader *r, const char *word, size_t length)
{
    const struct chorale_point *pt = r->pt;
    int radix = param_of(r->alg, "radix", 5), p = pt->comm_size;
    double whole = chorale_coll_info(r->alg->coll)->blocks
                       ? block(r->alg, pt, p - 1) : (double)pt->n;
    double s = segment(r, whole);
    const struct {
        const char *name;
        double value;
    } name[] = {
        { "alpha", r->net[0] }, { "beta", r->net[1] }, { "tau", r->net[2] },
        { "P", p }, { "n", (double)pt->n }, { "m", (double)pt->msg_size },
        { "M", block(r->alg, pt, p - 1) }, { "m_0", block(r->alg, pt, 0) },
        { "m_root", block(r->alg, pt, pt->root) },
        { "G", largest(r->alg, pt) }, { "root", pt->root },
        { "s", s }, { "S", s > 0 ? ceil(whole / s) : 0 },
        { "p", group(r) }, { "N", ceil((double)p / group(r)) },
        { "k", radix < 0 ? 2 : (double)pt->param[radix] },
        { "R", rounds(r->alg, pt) },
        { "W", digits(p, radix < 0 ? 2 : pt->param[radix], 0) },
        { "D", digits(p, radix < 0 ? 2 : pt->param[radix], 1) },
    };

    for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
        if (is_word(word, length, name[i].name))
            return name[i].value;
    return complain(r, "unknown name", word, length);
}

/* The text after "NAME = " that follows a comma anywhere in the formula, or
 * NULL if the name is not defined. */
static const char *definition(const char *formula, const char *word,
                              size_t length)
{
    for (const char *at = formula; (at = strstr(at, ", ")) != NULL; at += 2)
        if (strncmp(at + 2, word, length) == 0 &&
            strncmp(at + 2 + length, " = ", 3) == 0)
            return at + 2 + length + 3;
    return NULL;
}

/* End of a piece of text: a comma or semicolon outside brackets. */
static const char *piece_end(const char *at)
{
    int open = 0;

    for (; *at != '\0'; at++) {
        open += (*at == '(') - (*at == ')');
        if (open == 0 && (strncmp(at, ", ", 2) == 0 || *at == ';'))
            break;
    }
    return at;
}

/* Evaluate a whole piece of text as one sum. */
static double piece(struct reader *r, const char *at, const char *end)
{
    const char *back = r->at, *back_end = r->end;
    double value;

    if (++r->depth > MAX_DEPTH)
        return complain(r, "too deep:", at, (size_t)(end - at));
    r->at = at;
    r->end = end;
    value = sum_of(r);
    blanks(r);
    if (r->at < r->end)
        complain(r, "cannot read", r->at, (size_t)(r->end - r->at));
    r->depth--;
    r->at = r->wrong ? back_end : back;
    r->end = back_end;
    return value;
}

static double name_value(struct reader *r, const char *word, size_t length)
{
    const char *text = definition(r->alg->formula, word, length);
    int i = param_of(r->alg, word, length);

    if (text != NULL)
        return piece(r, text, piece_end(text));
    return i >= 0 ? param_value(r, i) : known(r, word, length);
}

/* --- sums, products, powers -------------------------------------------- */

static double bracket(struct reader *r)
{
    double value;

    blanks(r);
    if (r->at >= r->end || *r->at != '(')
        return complain(r, "a bracket is missing at", r->at,
                        (size_t)(r->end - r->at));
    r->at++;
    value = sum_of(r);
    blanks(r);
    if (r->at >= r->end || *r->at != ')')
        return complain(r, "no closing bracket at", r->at,
                        (size_t)(r->end - r->at));
    r->at++;
    return value;
}

/* Evaluate "(a, b)": the smaller or the larger one. */
static double choice(struct reader *r, int larger)
{
    const char *comma = r->at;
    double a, b;
    int open = 0;

    for (; comma < r->end && (open > 1 || *comma != ','); comma++)
        open += (*comma == '(') - (*comma == ')');
    if (r->at >= r->end || *r->at != '(' || comma == r->end)
        return complain(r, "not two numbers:", r->at,
                        (size_t)(r->end - r->at));
    a = piece(r, r->at + 1, comma);
    if (r->wrong)
        return 0;
    r->at = comma + 1;
    b = sum_of(r);
    blanks(r);
    if (r->at >= r->end || *r->at != ')')
        return complain(r, "no closing bracket at", r->at,
                        (size_t)(r->end - r->at));
    r->at++;
    return (a > b) == larger ? a : b;
}

static double primary(struct reader *r)
{
    const char *word;
    size_t length;
    char *end;
    double value;

    blanks(r);
    word = r->at;
    if (r->at < r->end && isdigit((unsigned char)*r->at)) {
        value = strtod(r->at, &end);
        r->at = end;
        return value;
    }
    if (r->at >= r->end || !isalpha((unsigned char)*r->at))
        return ++r->depth > MAX_DEPTH
                   ? complain(r, "too deep:", word, 1)
                   : (value = bracket(r), r->depth--, value);
    while (r->at < r->end &&
           (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    length = (size_t)(r->at - word);
    if (is_word(word, length, "ceil"))
        return ceil(bracket(r) - 1e-9);
    if (is_word(word, length, "floor"))
        return floor(bracket(r) + 1e-9);
    if (is_word(word, length, "min") || is_word(word, length, "max"))
        return choice(r, word[1] == 'a');
    if (is_word(word, length, "u")) { /* of updating: floor(x^2/4) */
        value = bracket(r);
        return floor(value * value / 4);
    }
    if (is_word(word, length, "lg"))
        return log2(primary(r));
    if (length > 4 && strncmp(word, "log_", 4) == 0) {
        double base = name_value(r, word + 4, length - 4);

        return log(primary(r)) / log(base);
    }
    return name_value(r, word, length);
}

static double power_of(struct reader *r)
{
    double value = primary(r);

    if (r->at < r->end && *r->at == '^') {
        r->at++;
        value = pow(value, primary(r));
    }
    return value;
}

/* Adjacent factors are multiplied. */
static double product_of(struct reader *r)
{
    double value = power_of(r);

    for (blanks(r); r->at < r->end; blanks(r))
        if (*r->at == '/') {
            r->at++;
            value /= power_of(r);
        } else if (isalnum((unsigned char)*r->at) || *r->at == '(') {
            value *= power_of(r);
        } else {
            break;
        }
    return value;
}

static double sum_of(struct reader *r)
{
    double value = product_of(r);

    for (blanks(r); r->at < r->end && (*r->at == '+' || *r->at == '-');
         blanks(r)) {
        int minus = *r->at++ == '-';
        double more = product_of(r);

        value += minus ? -more : more;
    }
    return value;
}

/* --- clauses ------------------------------------------------------------ */

/* 1 if "name=word or word" or "name=number" holds. */
static int param_holds(struct reader *r, const char *at, const char *equals,
                       size_t length)
{
    int i = param_of(r->alg, at, (size_t)(equals - at));
    const struct chorale_param *param = &r->alg->param[i < 0 ? 0 : i];

    if (i < 0)
        return (int)complain(r, "no parameter", at, (size_t)(equals - at));
    if (param->word == NULL)
        return strtol(equals + 1, NULL, 10) == r->pt->param[i];
    for (const char *word = equals + 1, *end = word + length; word < end;) {
        const char *or = strstr(word, " or ");
        size_t size = (size_t)((or != NULL && or < end ? or : end) - word);
        long v = param->min;

        while (v <= param->max && !is_word(word, size, param->word[v]))
            v++;
        if (v > param->max)
            return (int)complain(r, "no such word:", word, size);
        if (v == r->pt->param[i])
            return 1;
        word += size + 4;
    }
    return 0;
}

/* 1 if the condition [at, end) holds. */
static int one_holds(struct reader *r, const char *at, const char *end)
{
    size_t length = (size_t)(end - at);
    int p = r->pt->comm_size;
    const char *sign = at;

    if (is_word(at, length, "P a power of two"))
        return (p & (p - 1)) == 0;
    if (is_word(at, length, "P not a power of two"))
        return (p & (p - 1)) != 0;
    if (is_word(at, length, "P odd"))
        return p % 2;
    if (is_word(at, length, "equal blocks"))
        return 1;
    if (length > 4 && strncmp(end - 5, "ports", 5) == 0)
        return 0; /* of another network */
    while (sign < end && strchr("<>=", *sign) == NULL)
        sign++;
    if (sign == end)
        return (int)complain(r, "unknown condition", at, length);
    if (sign > at && sign[-1] != ' ')
        return param_holds(r, at, sign, (size_t)(end - sign - 1));
    double left = piece(r, at, sign), right = piece(r, sign + 1, end);

    return *sign == '<' ? left < right : *sign == '>' ? left > right
                                                      : left == right;
}

/* 1 if all conditions before the colon hold. */
static int holds(struct reader *r, const char *at, const char *colon)
{
    int all = 1;

    while (at < colon) {
        const char *end = strstr(at, ", ");

        end = end == NULL || end > colon ? colon : end;
        all &= one_holds(r, at, end);
        at = end + (end < colon ? 2 : 0);
    }
    return all;
}

/* Apply one clause: it replaces the value so far or, with "+", adds to it. */
static void clause(struct reader *r, const char *at, const char *end,
                   double *value, enum formula_is *is)
{
    const char *colon = strstr(at, ": ");
    int more, bound;

    if (colon != NULL && colon < end) {
        if (!holds(r, at, colon))
            return;
        at = colon + 2;
    }
    bound = strncmp(at, "<= ", 3) == 0;
    at += bound ? 3 : 0;
    more = strncmp(at, "+ ", 2) == 0;
    at += more ? 2 : 0;
    if (strncmp(at, "as ", 3) == 0) {
        *is = FORMULA_WORDS;
        return;
    }
    *value = (more ? *value : 0) + piece(r, at, piece_end(at));
    if (bound || !more || *is == FORMULA_WORDS)
        *is = bound ? FORMULA_BOUND : FORMULA_EXACT;
}

static enum formula_is evaluate(struct reader *r, double *value)
{
    enum formula_is is = FORMULA_WORDS;
    const char *at = r->alg->formula;

    *value = 0;
    while (*at != '\0') {
        const char *end = strstr(at, "; ");

        end = end == NULL ? at + strlen(at) : end;
        clause(r, at, end, value, &is);
        at = end + (*end == ';' ? 2 : 0);
    }
    return r->wrong ? FORMULA_WRONG : r->automatic ? FORMULA_AUTO : is;
}

enum formula_is formula_at(const struct chorale_alg *alg,
                           const struct chorale_point *pt, double sum[3],
                           char *why, size_t size)
{
    static const double unit[3][3] = { { 1, 0, 0 }, { 0, 1, 0 },
                                       { 0, 0, 1 } };
    enum formula_is is = FORMULA_WRONG;

    why[0] = '\0';
    for (int i = 0; i < 3; i++) {
        struct reader r = { .alg = alg, .pt = pt, .net = unit[i] };

        is = evaluate(&r, &sum[i]);
        snprintf(why, size, "%s", r.why);
    }
    return is;
}
