/* SPDX-License-Identifier: BSD-3-Clause */
/* write_c.c - writes a decision table as one self-contained C99 file: constant
 * arrays, a search over P, and thresholds over n. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/fnv1a.h"
#include "algorithms/mpi_name.h"
#include "db/systems.h"
#include "tuner/emit/table.h"
#include "tuner/base/shell_quote.h"

/* Most characters of the coverage text of one collective. */
enum { COVERAGE = 240 };

/* The lines of the interface header, copied into the table. */
static const char *const interface_text[] = {
#include "tuner/emit/table.inc"
};

const char *const chorale_emit_shape_member[CHORALE_EMIT_SHAPES] = {
    "CHORALE_SHAPE_UNKNOWN", "CHORALE_SHAPE_SINGLE_NODE",
    "CHORALE_SHAPE_ONE_PER_NODE", "CHORALE_SHAPE_BLOCK",
    "CHORALE_SHAPE_CYCLIC", "CHORALE_SHAPE_IRREGULAR",
};

static const char *const shape_suffix[CHORALE_EMIT_SHAPES] = {
    "any", "single_node", "one_per_node", "block", "cyclic", "irregular",
};

static const char *coll_name(int coll)
{
    return chorale_coll_info((enum chorale_coll)coll)->name;
}

/* Printable ASCII, a dot for anything else. */
static char plain(char c)
{
    return c >= ' ' && c <= '~' ? c : '.';
}

void chorale_emit_comment(FILE *out, const char *text, size_t limit)
{
    char last = ' ';

    for (size_t i = 0; i < limit && text[i] != '\0'; i++) {
        char c = text[i] == '\\' ? '|' : plain(text[i]);

        if ((last == '*' && c == '/') || (last == '/' && c == '*') ||
            (last == '?' && c == '?'))
            putc(' ', out);
        putc(c, out);
        last = c;
    }
}

void chorale_emit_literal(FILE *out, const char *text, size_t limit)
{
    putc('"', out);
    for (size_t i = 0; i < limit && text[i] != '\0'; i++) {
        char c = plain(text[i]);

        if (c == '"' || c == '\\' || c == '?')
            putc('\\', out);
        putc(c, out);
    }
    putc('"', out);
}

void chorale_emit_lines(FILE *out, const char *prefix, const char *text)
{
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, "\n");

        fputs(prefix, out);
        chorale_emit_comment(out, text, length);
        putc('\n', out);
        text += length + (text[length] == '\n');
    }
}

static void literal_field(FILE *out, const char *text, size_t limit)
{
    fputs("    ", out);
    chorale_emit_literal(out, text, limit);
    fputs(",\n", out);
}

/* Write a value that the shim compares with its machine's, unchanged; NULL if
 * that is impossible. */
static void exact_field(FILE *out, const char *text)
{
    enum { LONGEST = 400 };
    size_t n = 0;

    while (text != NULL && text[n] != '\0' && plain(text[n]) == text[n])
        n++;
    if (text == NULL || text[n] != '\0' || n > LONGEST)
        fputs("    NULL,\n", out);
    else
        literal_field(out, text, LONGEST);
}

static const char *kind_name(const struct chorale_emit_table *table)
{
    return strcmp(table->origin.kind, "simulated") == 0 ? "simulated" : "real";
}

/* Write one shell word of the command line in the heading. */
static void command_word(FILE *out, const char *word)
{
    enum { LONGEST = 120 };
    char cut[LONGEST + 1], quoted[4 * LONGEST + 4];

    snprintf(cut, sizeof(cut), "%s", word);
    chorale_emit_comment(out, chorale_shell_word(cut, quoted, sizeof(quoted)),
                         sizeof(quoted));
}

static void heading(FILE *out, const char *file, const char *what,
                    const struct chorale_emit_table *table,
                    const struct chorale_emit_names *names, uint64_t digest)
{
    char library[CHORALE_MPI_NAME];

    fputs("/* ", out);
    chorale_emit_comment(out, file, 120);
    fprintf(out, " - %s: do not edit.\n *\n"
            " * Written by\n *   chorale generate --format c --system ", what);
    command_word(out, table->origin.system);
    fputs(" -o ", out);
    command_word(out, names->source);
    putc(' ', out);
    command_word(out, names->database);
    fputs("\n *\n * Campaign  ", out);
    chorale_emit_comment(out, table->origin.campaign, 40);
    fputs("\n * System    ", out);
    chorale_emit_comment(out, table->origin.system, 120);
    fprintf(out, " (%s)\n * MPI       ",
            kind_name(table));
    chorale_mpi_name(table->origin.mpi_library, library);
    chorale_emit_comment(out, library, sizeof(library));
    fprintf(out, "\n * Schema    %d\n * Digest    %016" PRIx64 "\n *\n"
            " * Environment\n", CHORALE_SCHEMA_VERSION, digest);
    chorale_emit_lines(out, " *   ", table->origin.environment != NULL
                                         ? table->origin.environment
                                         : "not recorded");
    fputs(" *\n * Decided points. Elsewhere the library's default is used. One"
          " type and\n * operation stand for all of the MPI standard:\n", out);
    for (int i = 0; i < CHORALE_NCOLL; i++) {
        if (table->coverage[i] == NULL)
            continue;
        fprintf(out, " *   %-21s ", coll_name(i));
        chorale_emit_comment(out, table->coverage[i], COVERAGE);
        putc('\n', out);
    }
    fputs(" *\n * Ranks in blocks are looked up by the number of ranks a node."
          " A number decided\n * above has its own choices. A number between"
          " decided ones gets the choice that\n * all of them agree on. Other"
          " cases get the library's default.\n *\n * Checks\n", out);
    chorale_emit_lines(out, " *   ", names->said);
    fputs(" */\n", out);
}

static void copy(FILE *out, const char *const *line, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fputs(line[i], out);
    putc('\n', out);
}

#define COPY(out, text) copy(out, text, sizeof(text) / sizeof((text)[0]))

static void prototypes(FILE *out)
{
    for (int i = 0; i < CHORALE_NCOLL; i++)
        fprintf(out,
                "const struct chorale_choice *\n"
                "chorale_select_%s(size_t n, int comm_size);\n"
                "const struct chorale_choice *\n"
                "chorale_select_%s_shape(size_t n, int comm_size,\n"
                "    enum chorale_shape shape);\n"
                "const struct chorale_choice *\n"
                "chorale_select_%s_ppn(size_t n, int comm_size,\n"
                "    enum chorale_shape shape, int ppn);\n",
                coll_name(i), coll_name(i), coll_name(i));
    putc('\n', out);
}

static void choice(FILE *out, const struct chorale_emit_choice *c, size_t i)
{
    int nparam = c->alg != NULL ? c->alg->nparam : 0;

    fprintf(out, "    { \"%s\", ", c->alg != NULL ? "chorale" : "library");
    chorale_emit_literal(out, c->alg != NULL ? c->alg->name : "default", 80);
    fputs(", ", out);
    chorale_emit_literal(out, c->params, sizeof(c->params));
    fprintf(out, ", %d,\n      { ", nparam);
    for (int p = 0; p < CHORALE_MAX_PARAM; p++) {
        if (p < nparam)
            chorale_emit_literal(out, c->alg->param[p].name, 40);
        else
            fputs("NULL", out);
        fputs(p < CHORALE_MAX_PARAM - 1 ? ", " : " }, { ", out);
    }
    for (int p = 0; p < CHORALE_MAX_PARAM; p++)
        fprintf(out, "%ldL%s", p < nparam ? c->value[p] : 0,
                p < CHORALE_MAX_PARAM - 1 ? ", " : " }, ");
    fprintf(out, "%zu },\n", i);
}

struct name {
    char text[80];
};

/* The name of the array with a shape's rules; ppn > 0: of blocks with so many
 * ranks a node. */
static struct name name_of(int coll, int shape, int ppn)
{
    struct name name;
    int n = snprintf(name.text, sizeof(name.text), "%s_%s", coll_name(coll),
                     shape_suffix[shape]);

    if (ppn > 0)
        snprintf(name.text + n, sizeof(name.text) - (size_t)n, "_%d", ppn);
    return name;
}

static void rules(FILE *out, const struct chorale_emit_group *g,
                  const char *name)
{
    if (g->nrule == 0)
        return;
    fprintf(out, "static const struct rule %s[] = {\n", name);
    for (size_t r = 0; r < g->nrule; r++)
        fprintf(out, "    { %d, %d, %zu, %zu },\n", g->rule[r].comm_size,
                g->rule[r].comm_size_hi, g->rule[r].first, g->rule[r].count);
    fputs("};\n\n", out);
}

static void arrays(FILE *out, const struct chorale_emit_table *table)
{
    fputs("/* From this n on, up to the next band. */\n"
          "struct band {\n    unsigned long long from;\n    int choice;\n};\n\n"
          "/* At comm_size ... last ranks: bands first ... first + count - 1. "
          "*/\nstruct rule {\n    int comm_size, last, first, count;\n};\n\n"
          "static const struct chorale_choice choices[] = {\n", out);
    for (size_t i = 0; i < table->nchoice; i++)
        choice(out, &table->choice[i], i);
    fputs("};\n\nstatic const struct band bands[] = {\n", out);
    for (size_t i = 0; i < table->nband; i++)
        fprintf(out, "    { %lluULL, %zu },\n", table->band[i].from,
                table->band[i].choice);
    if (table->nband == 0)
        fputs("    { 0ULL, 0 },\n", out);
    fputs("};\n\n", out);
    for (int i = 0; i < CHORALE_NCOLL; i++) {
        for (int s = 0; s < CHORALE_EMIT_SHAPES; s++)
            rules(out, &table->group[i][s], name_of(i, s, 0).text);
        for (size_t k = 0; k < table->nppn[i]; k++)
            rules(out, &table->ppn[i][k].group,
                  name_of(i, CHORALE_SHAPE_BLOCK, table->ppn[i][k].ppn).text);
    }
}

/* The lines of the search function. */
static const char *const search[] = {
#include "tuner/emit/find.inc"
};

static void search_in(FILE *out, const struct chorale_emit_group *g,
                      struct name name)
{
    if (g->nrule > 0)
        fprintf(out, "return find(%s, %zu, n, comm_size);\n", name.text,
                g->nrule);
    else
        fputs("return find(NULL, 0, n, comm_size);\n", out);
}

static void call_find(FILE *out, const struct chorale_emit_table *table,
                      int coll, int shape)
{
    search_in(out, &table->group[coll][shape], name_of(coll, shape, 0));
}

/* Returns 1 if the collective has rules for a known shape. */
static int has_shapes(const struct chorale_emit_table *table, int coll)
{
    for (int s = 1; s < CHORALE_EMIT_SHAPES; s++)
        if (table->group[coll][s].nrule > 0)
            return 1;
    return 0;
}

static void functions(FILE *out, const struct chorale_emit_table *table,
                      int coll)
{
    fprintf(out,
            "const struct chorale_choice *\n"
            "chorale_select_%s(size_t n, int comm_size)\n{\n    ",
            coll_name(coll));
    call_find(out, table, coll, CHORALE_SHAPE_UNKNOWN);
    fprintf(out,
            "}\n\n"
            "const struct chorale_choice *\n"
            "chorale_select_%s_shape(size_t n, int comm_size,\n"
            "    enum chorale_shape shape)\n{\n", coll_name(coll));
    if (!has_shapes(table, coll)) {
        fputs("    (void)shape;\n    ", out);
        call_find(out, table, coll, CHORALE_SHAPE_UNKNOWN);
        fputs("}\n\n", out);
        return;
    }
    fputs("    switch (shape) {\n", out);
    for (int s = 1; s < CHORALE_EMIT_SHAPES; s++) {
        fprintf(out, "    case %s:\n        ", chorale_emit_shape_member[s]);
        call_find(out, table, coll, s);
    }
    fprintf(out, "    case %s:\n    default:\n        ",
            chorale_emit_shape_member[0]);
    call_find(out, table, coll, CHORALE_SHAPE_UNKNOWN);
    fputs("    }\n}\n\n", out);
}

/* Write the selector that looks up blocks by ranks a node, and other shapes
 * without. */
static void by_ppn(FILE *out, const struct chorale_emit_table *table, int coll)
{
    const struct chorale_emit_ppn *list = table->ppn[coll];
    size_t n = table->nppn[coll];

    fprintf(out,
            "const struct chorale_choice *\n"
            "chorale_select_%s_ppn(size_t n, int comm_size,\n"
            "    enum chorale_shape shape, int ppn)\n{\n"
            "    if (shape != CHORALE_SHAPE_BLOCK || ppn < 1)\n"
            "        return chorale_select_%s_shape(n, comm_size, shape);\n",
            coll_name(coll), coll_name(coll));
    if (n == 0) {
        fputs("    return &choices[0];\n}\n\n", out);
        return;
    }
    fputs("    switch (ppn) {\n", out);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "    case %d:\n        ", list[i].ppn);
        search_in(out, &list[i].group,
                  name_of(coll, CHORALE_SHAPE_BLOCK, list[i].ppn));
    }
    fprintf(out, "    default:\n        if (ppn < %d || ppn > %d)\n"
            "            return &choices[0];\n        ", list[0].ppn,
            list[n - 1].ppn);
    call_find(out, table, coll, CHORALE_SHAPE_BLOCK);
    fputs("    }\n}\n\n", out);
}

static void selectors(FILE *out, const struct chorale_emit_table *table)
{
    fputs("static const struct chorale_selector selectors[] = {\n", out);
    for (int i = 0; i < CHORALE_NCOLL; i++)
        fprintf(out, "    { \"%s\", chorale_select_%s,\n"
                "      chorale_select_%s_shape, chorale_select_%s_ppn,\n"
                "      { %d, %d, %lluULL, %lluULL } },\n",
                coll_name(i), coll_name(i), coll_name(i), coll_name(i),
                table->hull[i].comm_size_lo, table->hull[i].comm_size_hi,
                table->hull[i].n_lo, table->hull[i].n_hi);
    fputs("};\n\n", out);
}

/* The text of all code that decides; the digest covers it. The caller frees
 * it. */
static char *body(const struct chorale_emit_table *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    arrays(out, table);
    COPY(out, search);
    for (int i = 0; i < CHORALE_NCOLL; i++) {
        functions(out, table, i);
        by_ppn(out, table, i);
    }
    selectors(out, table);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The mark of an exploratory table and all coverage lines as one text; the
 * caller frees it. */
static char *coverage(const struct chorale_emit_table *table)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    if (table->exploratory[0] != '\0')
        fprintf(out, "%s; ", table->exploratory);
    for (int i = 0; i < CHORALE_NCOLL; i++)
        if (table->coverage[i] != NULL)
            fprintf(out, "%s: %.*s. ", coll_name(i), COVERAGE,
                    table->coverage[i]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    if (size > 0)
        text[size - 1] = '\0';
    return text;
}

enum chorale_err chorale_emit_digest(const struct chorale_emit_table *table,
                                     char digest[17],
                                     struct chorale_errmsg *msg)
{
    char *decides = body(table);

    if (decides == NULL)
        return chorale_fail_memory(msg, "generate");
    snprintf(digest, 17, "%016" PRIx64,
             chorale_fnv1a(CHORALE_FNV1A_START, decides, strlen(decides)));
    free(decides);
    return CHORALE_OK;
}

static void the_table(FILE *out, const struct chorale_emit_table *table,
                      const char *covered, uint64_t digest)
{
    char system[256];

    snprintf(system, sizeof(system), "%.200s (%s)", table->origin.system,
             kind_name(table));
    fprintf(out, "const struct chorale_table chorale_table = {\n"
            "    CHORALE_TABLE_ABI,\n    \"%016" PRIx64 "\",\n", digest);
    literal_field(out, table->origin.campaign, 40);
    literal_field(out, system, sizeof(system));
    literal_field(out, table->origin.mpi_library, 300);
    exact_field(out, table->origin.transport);
    exact_field(out, table->origin.cpu_model);
    exact_field(out, table->origin.variables);
    literal_field(out, covered, 4000);
    fprintf(out, "    %zu,\n    choices,\n    %d,\n    selectors\n};\n",
            table->nchoice, (int)CHORALE_NCOLL);
}

enum chorale_err chorale_emit_c(const struct chorale_emit_table *table,
                                const struct chorale_emit_names *names,
                                FILE *source, FILE *header,
                                struct chorale_errmsg *msg)
{
    char *decides = body(table), *covered = coverage(table);
    enum chorale_err err = CHORALE_OK;
    uint64_t digest;

    if (decides == NULL || covered == NULL) {
        err = chorale_fail_memory(msg, "generate");
        goto out;
    }
    digest = chorale_fnv1a(CHORALE_FNV1A_START, decides, strlen(decides));
    heading(source, names->source, "dispatch table of MPI collectives", table,
            names, digest);
    COPY(source, interface_text);
    prototypes(source);
    fputs(decides, source);
    the_table(source, table, covered, digest);
    heading(header, names->header, "interface of a dispatch table", table,
            names, digest);
    fputs("#ifndef CHORALE_DISPATCH_TABLE_H\n"
          "#define CHORALE_DISPATCH_TABLE_H\n\n", header);
    COPY(header, interface_text);
    prototypes(header);
    fputs("#endif\n", header);
out:
    free(decides);
    free(covered);
    return err;
}
