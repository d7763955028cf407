/* SPDX-License-Identifier: BSD-3-Clause */
/* read_c.c - a written dispatch table read back: its arrays and what its
 * functions search, by the search that it has itself. No compiler is asked. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/emit/table.h"

struct band {
    unsigned long long from;
    int choice;
};

struct rule {
    int comm_size, last, first, count;
};

/* The arrays that find looks into, as in the table: of the last reader that
 * was asked. */
static const struct chorale_choice *choices;
static const struct band *bands;

#include "tuner/emit/search_template.h"

enum { NAME = 48, TEXT = 160, NONE = -1 };

/* Texts of a choice. */
struct words {
    char provider[NAME], variant[NAME], params[TEXT];
    char param[CHORALE_MAX_PARAM][NAME];
};

struct array {
    char name[NAME];
    struct rule *rule;
    int count;
};

/* What a function searches: an array, or nothing; unset before it is read. */
struct search {
    int set, array, count;
};

/* A case of a number of ranks a node. */
struct by_ppn {
    int ppn;
    struct search search;
};

struct reader {
    struct chorale_choice *choice;
    struct words *words;
    struct band *band;
    struct array *array;
    int nchoice, nwords, nband, narray, nselector;
    struct chorale_hull hull[CHORALE_NCOLL];
    struct search plain[CHORALE_NCOLL];
    struct search shape[CHORALE_NCOLL][CHORALE_EMIT_SHAPES];
    struct by_ppn *ppn[CHORALE_NCOLL];
    int nppn[CHORALE_NCOLL], least[CHORALE_NCOLL], most[CHORALE_NCOLL];
    struct search between[CHORALE_NCOLL];
    char *line;
    size_t room;
    int number, bad;
};

/* --- lines ---------------------------------------------------------------- */

static int next_line(struct reader *r, FILE *in)
{
    ssize_t length = getline(&r->line, &r->room, in);

    if (length > 0 && r->line[length - 1] == '\n')
        r->line[length - 1] = '\0';
    r->number++;
    return length > 0;
}

static int line_is(const struct reader *r, const char *text)
{
    return strcmp(r->line, text) == 0;
}

/* One more element of a list, zeroed; NULL: out of memory. */
static void *grow(struct reader *r, void *list, int *count, size_t size)
{
    char *more = realloc(list, (size_t)(*count + 1) * size);

    if (more == NULL) {
        r->bad = 1;
        return list;
    }
    memset(more + (size_t)*count * size, 0, size);
    ++*count;
    return more;
}

/* The literal that begins at *at, which then is behind it. Names of the
 * catalogue need no escapes. */
static int literal(const char **at, char *text, size_t size)
{
    size_t length;

    if (**at != '"')
        return -1;
    length = strcspn(*at + 1, "\"\\");
    if (length >= size || (*at)[1 + length] != '"')
        return -1;
    memcpy(text, *at + 1, length);
    text[length] = '\0';
    *at += length + 2;
    return 0;
}

static int word(const char **at, const char *text)
{
    size_t length = strlen(text);

    if (strncmp(*at, text, length) != 0)
        return -1;
    *at += length;
    return 0;
}

/* --- arrays --------------------------------------------------------------- */

static int read_params(const char *at, struct chorale_choice *c,
                       struct words *w)
{
    for (int i = 0; i < CHORALE_MAX_PARAM; i++) {
        if ((i < c->nparam ? literal(&at, w->param[i], NAME)
                           : word(&at, "NULL")) != 0 ||
            word(&at, i < CHORALE_MAX_PARAM - 1 ? ", " : " }, { ") != 0)
            return -1;
    }
    for (int i = 0; i < CHORALE_MAX_PARAM; i++) {
        char *end;

        c->param_value[i] = strtol(at, &end, 10);
        at = end;
        if (word(&at, i < CHORALE_MAX_PARAM - 1 ? "L, " : "L }, ") != 0)
            return -1;
    }
    return sscanf(at, "%d },", &c->index) == 1 ? 0 : -1;
}

/* Two lines a choice. */
static void read_choice(struct reader *r, FILE *in)
{
    struct chorale_choice c = { .provider = NULL };
    struct words w;
    const char *at = r->line;
    int n = r->nchoice;

    memset(&w, 0, sizeof(w));
    if (word(&at, "    { ") != 0 || literal(&at, w.provider, NAME) != 0 ||
        word(&at, ", ") != 0 || literal(&at, w.variant, NAME) != 0 ||
        word(&at, ", ") != 0 || literal(&at, w.params, TEXT) != 0 ||
        sscanf(at, ", %d,", &c.nparam) != 1 || c.nparam < 0 ||
        c.nparam > CHORALE_MAX_PARAM || !next_line(r, in)) {
        r->bad = 1;
        return;
    }
    at = r->line;
    r->bad = word(&at, "      { ") != 0 || read_params(at, &c, &w) != 0 ||
             c.index != n;
    r->choice = grow(r, r->choice, &r->nchoice, sizeof(c));
    r->words = grow(r, r->words, &r->nwords, sizeof(w));
    if (!r->bad) {
        r->choice[n] = c;
        r->words[n] = w;
    }
}

static void read_band(struct reader *r)
{
    struct band band;

    if (sscanf(r->line, "    { %lluULL, %d },", &band.from, &band.choice) != 2)
        r->bad = 1;
    else
        r->band = grow(r, r->band, &r->nband, sizeof(band));
    if (!r->bad)
        r->band[r->nband - 1] = band;
}

static void read_rule(struct reader *r)
{
    struct array *a = &r->array[r->narray - 1];
    struct rule rule;

    if (sscanf(r->line, "    { %d, %d, %d, %d },", &rule.comm_size, &rule.last,
               &rule.first, &rule.count) != 4)
        r->bad = 1;
    else
        a->rule = grow(r, a->rule, &a->count, sizeof(rule));
    if (!r->bad)
        a->rule[a->count - 1] = rule;
}

enum list { CHOICES, BANDS, RULES };

static void read_list(struct reader *r, FILE *in, enum list list)
{
    while (!r->bad && next_line(r, in) && !line_is(r, "};"))
        if (list == CHOICES)
            read_choice(r, in);
        else if (list == BANDS)
            read_band(r);
        else
            read_rule(r);
    r->bad |= !line_is(r, "};");
}

/* --- functions ------------------------------------------------------------ */

static int find_array(const struct reader *r, const char *name)
{
    for (int i = 0; i < r->narray; i++)
        if (strcmp(r->array[i].name, name) == 0)
            return i;
    return NONE;
}

/* "return find(bcast_any, 3, n, comm_size);" */
static int read_find(const struct reader *r, struct search *search)
{
    char name[NAME];
    int used = 0;

    if (sscanf(r->line, " return find(%47[a-z_0-9NUL], %d, n, comm_size);%n",
               name, &search->count, &used) != 2 ||
        used == 0 || r->line[used] != '\0')
        return -1;
    search->set = 1;
    search->array = find_array(r, name);
    return search->array != NONE ? search->count -
                                       r->array[search->array].count
                                 : strcmp(name, "NULL") | search->count;
}

static void read_plain(struct reader *r, FILE *in, int coll)
{
    r->bad |= !next_line(r, in) || !line_is(r, "{") || !next_line(r, in) ||
              read_find(r, &r->plain[coll]) != 0 || !next_line(r, in) ||
              !line_is(r, "}");
}

/* The shape of "    case NAME:", NONE: it is no such line. */
static int case_of(const struct reader *r)
{
    char name[NAME];

    if (sscanf(r->line, "    case %47[A-Z_]:", name) == 1)
        for (int s = 0; s < CHORALE_EMIT_SHAPES; s++)
            if (strcmp(chorale_emit_shape_member[s], name) == 0)
                return s;
    return NONE;
}

/* One search a case, the unknown shape's being the default's; or one for
 * all. */
static void read_shaped(struct reader *r, FILE *in, int coll)
{
    struct search search;
    int shape = NONE;

    while (!r->bad && next_line(r, in) && !line_is(r, "}")) {
        if (case_of(r) != NONE)
            shape = case_of(r);
        if (strstr(r->line, "return") == NULL)
            continue;
        r->bad |= read_find(r, &search) != 0;
        for (int s = 0; s < CHORALE_EMIT_SHAPES; s++)
            if (shape == NONE || shape == s)
                r->shape[coll][s] = search;
    }
    for (int s = 0; s < CHORALE_EMIT_SHAPES; s++)
        r->bad |= !r->shape[coll][s].set;
}

/* A case for each number of ranks a node, and a search between the least and
 * the largest of them; or blocks are all the library's. */
static void read_ppn(struct reader *r, FILE *in, int coll)
{
    char want[2 * NAME + 60];
    struct search search;
    int ppn, cases = 0;

    snprintf(want, sizeof(want), "        return chorale_select_%s_shape(n, "
             "comm_size, shape);",
             chorale_coll_info((enum chorale_coll)coll)->name);
    r->bad |= !next_line(r, in) || !line_is(r, "{") || !next_line(r, in) ||
              !line_is(r, "    if (shape != CHORALE_SHAPE_BLOCK || ppn < 1)")
              || !next_line(r, in) || !line_is(r, want) || !next_line(r, in);
    if (!r->bad && line_is(r, "    return &choices[0];")) {
        r->bad |= !next_line(r, in) || !line_is(r, "}");
        return;
    }
    r->bad |= !line_is(r, "    switch (ppn) {");
    while (!r->bad && next_line(r, in) &&
           sscanf(r->line, "    case %d:", &ppn) == 1) {
        r->bad |= !next_line(r, in) || read_find(r, &search) != 0;
        r->ppn[coll] = grow(r, r->ppn[coll], &cases, sizeof(**r->ppn));
        if (!r->bad)
            r->ppn[coll][cases - 1] = (struct by_ppn){ ppn, search };
    }
    r->nppn[coll] = r->bad ? 0 : cases;
    r->bad |= cases == 0 || !line_is(r, "    default:") || !next_line(r, in) ||
              sscanf(r->line, "        if (ppn < %d || ppn > %d)",
                     &r->least[coll], &r->most[coll]) != 2 ||
              !next_line(r, in) ||
              !line_is(r, "            return &choices[0];") ||
              !next_line(r, in) || read_find(r, &r->between[coll]) != 0 ||
              !next_line(r, in) || !line_is(r, "    }") ||
              !next_line(r, in) || !line_is(r, "}");
}

/* The collective that a line defines a function of, for which rest stands
 * behind its name; NONE: none. */
static int defines(const struct reader *r, const char *rest)
{
    const char *at = r->line;
    char name[NAME];
    size_t length;

    if (word(&at, "chorale_select_") != 0)
        return NONE;
    length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    while (length > 0 && strcmp(at + length, rest) != 0)
        length--;
    if (length == 0 || length >= NAME)
        return NONE;
    memcpy(name, at, length);
    name[length] = '\0';
    return chorale_coll_find(name);
}

/* "      { 2, 64, 8ULL, 1024ULL } }," */
static int read_hull(const struct reader *r, struct chorale_hull *h)
{
    int used = 0;

    return sscanf(r->line, "      { %d, %d, %lluULL, %lluULL } },%n",
                  &h->comm_size_lo, &h->comm_size_hi, &h->n_lo, &h->n_hi,
                  &used) == 4 && used > 0 && r->line[used] == '\0' ? 0 : -1;
}

static void read_selector(struct reader *r, FILE *in)
{
    char want[3 * NAME + 40];

    for (; !r->bad && next_line(r, in) && !line_is(r, "};"); r->nselector++) {
        const char *name;

        if (r->nselector == CHORALE_NCOLL) {
            r->bad = 1;
            return;
        }
        name = chorale_coll_info((enum chorale_coll)r->nselector)->name;
        snprintf(want, sizeof(want), "    { \"%s\", chorale_select_%s,", name,
                 name);
        r->bad |= !line_is(r, want);
        snprintf(want, sizeof(want), "      chorale_select_%s_shape, "
                 "chorale_select_%s_ppn,", name, name);
        r->bad |= !next_line(r, in) || !line_is(r, want) ||
                  !next_line(r, in) ||
                  read_hull(r, &r->hull[r->nselector]) != 0;
    }
}

/* --- all ------------------------------------------------------------------ */

static void read_line(struct reader *r, FILE *in)
{
    struct array *a;
    char name[NAME];
    int used = 0, coll;

    if (line_is(r, "static const struct chorale_choice choices[] = {")) {
        read_list(r, in, CHOICES);
    } else if (line_is(r, "static const struct band bands[] = {")) {
        read_list(r, in, BANDS);
    } else if (sscanf(r->line, "static const struct rule %47[a-z_0-9][] = {%n",
                      name, &used) == 1 && used > 0) {
        r->array = grow(r, r->array, &r->narray, sizeof(*a));
        if (r->bad)
            return;
        strcpy(r->array[r->narray - 1].name, name);
        read_list(r, in, RULES);
    } else if ((coll = defines(r, "(size_t n, int comm_size)")) >= 0) {
        read_plain(r, in, coll);
    } else if ((coll = defines(r, "_shape(size_t n, int comm_size,")) >= 0) {
        if (next_line(r, in) && line_is(r, "    enum chorale_shape shape)"))
            read_shaped(r, in, coll);
    } else if ((coll = defines(r, "_ppn(size_t n, int comm_size,")) >= 0) {
        if (next_line(r, in) &&
            line_is(r, "    enum chorale_shape shape, int ppn)"))
            read_ppn(r, in, coll);
    } else if (line_is(r,
                       "static const struct chorale_selector selectors[] = {"
                       )) {
        read_selector(r, in);
    }
}

/* What find relies on: rules ascend and do not overlap, bands of a rule ascend
 * from 0, all indices are within. */
static int sound(const struct reader *r)
{
    for (int i = 0; i < r->nband; i++)
        if (r->band[i].choice < 0 || r->band[i].choice >= r->nchoice)
            return 0;
    for (int i = 0; i < r->narray; i++)
        for (int k = 0; k < r->array[i].count; k++) {
            const struct rule *rule = &r->array[i].rule[k];

            if (rule->last < rule->comm_size || rule->first < 0 ||
                rule->count < 1 || rule->first > r->nband - rule->count ||
                r->band[rule->first].from != 0 ||
                (k > 0 && rule->comm_size <= rule[-1].last))
                return 0;
            for (int b = rule->first + 1; b < rule->first + rule->count; b++)
                if (r->band[b].from <= r->band[b - 1].from)
                    return 0;
        }
    for (int i = 0; i < CHORALE_NCOLL; i++)
        if (!r->plain[i].set ||
            r->plain[i].array != r->shape[i][CHORALE_SHAPE_UNKNOWN].array)
            return 0;
    return r->nchoice > 0 && r->nselector == CHORALE_NCOLL;
}

enum chorale_err chorale_emit_c_read(FILE *source, void **reader_p,
                                     struct chorale_errmsg *msg)
{
    struct reader *r = calloc(1, sizeof(*r));

    *reader_p = r;
    if (r == NULL)
        return chorale_fail_memory(msg, "generate");
    while (!r->bad && next_line(r, source))
        read_line(r, source);
    if (r->bad || !sound(r))
        return chorale_fail(msg, CHORALE_DATA, "what was written cannot be "
                            "read back, at line %d, and nothing was put in "
                            "place; repeat the command, and report it if it "
                            "stays so", r->number);
    for (int i = 0; i < r->nchoice; i++) {
        r->choice[i].provider = r->words[i].provider;
        r->choice[i].variant = r->words[i].variant;
        r->choice[i].params = r->words[i].params;
        for (int p = 0; p < r->choice[i].nparam; p++)
            r->choice[i].param_name[p] = r->words[i].param[p];
    }
    return CHORALE_OK;
}

/* Blocks of so many ranks a node; NULL: the library. */
static const struct search *of_ppn(const struct reader *r, int coll, int ppn)
{
    for (int i = 0; i < r->nppn[coll]; i++)
        if (r->ppn[coll][i].ppn == ppn)
            return &r->ppn[coll][i].search;
    return r->nppn[coll] == 0 || ppn < r->least[coll] || ppn > r->most[coll]
               ? NULL
               : &r->between[coll];
}

void chorale_emit_c_answer(const void *from, enum chorale_coll coll,
                           enum chorale_shape shape, int ppn,
                           unsigned long long n, int comm_size,
                           struct chorale_choice *got)
{
    const struct reader *r = from;
    const struct search *s = shape != CHORALE_SHAPE_BLOCK || ppn < 1
                                 ? &r->shape[coll][shape]
                                 : of_ppn(r, coll, ppn);

    choices = r->choice;
    bands = r->band;
    if (s == NULL)
        *got = r->choice[0];
    else
        *got = *find(s->array != NONE ? r->array[s->array].rule : NULL,
                     s->count, n, comm_size);
}

const struct chorale_hull *chorale_emit_c_hull(const void *from)
{
    const struct reader *r = from;

    return r->hull;
}

void chorale_emit_c_release(void *reader)
{
    struct reader *r = reader;

    if (r == NULL)
        return;
    for (int i = 0; i < r->narray; i++)
        free(r->array[i].rule);
    free(r->array);
    for (int i = 0; i < CHORALE_NCOLL; i++)
        free(r->ppn[i]);
    free(r->choice);
    free(r->words);
    free(r->band);
    free(r->line);
    free(r);
}
