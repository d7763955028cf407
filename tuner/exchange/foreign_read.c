/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign_read.c - read the output of other benchmarks, line by line. Within a
 * table, a line that begins with a digit must be a valid row. If rows begin
 * with a name, so must a line that begins with a word and a number. */
#include "config.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/byte_buffer.h"
#include "tuner/base/read_file.h"
#include "tuner/exchange/algorithm_names.h"
#include "tuner/exchange/foreign.h"

enum { MAX_FILE = 1 << 28, MAX_NOTES = 256 };

enum chorale_err chorale_foreign_bad(const struct chorale_foreign_reader *r,
                                     const char *format, ...)
{
    char what[300];
    va_list ap;

    va_start(ap, format);
    vsnprintf(what, sizeof(what), format, ap);
    va_end(ap);
    chorale_printable(what);
    return chorale_fail(r->msg, CHORALE_DATA, "%s:%d: %s; correct or remove "
                        "the line, or run the benchmark again", r->path,
                        r->line, what);
}

enum chorale_err
chorale_foreign_untitled(const struct chorale_foreign_reader *r)
{
    return chorale_foreign_bad(r, "a heading of columns without a known title "
                               "above it");
}

enum chorale_err chorale_foreign_mixed(const struct chorale_foreign_reader *r)
{
    return chorale_foreign_bad(r, "tables of OSU and of IMB in one file");
}

void chorale_foreign_note(struct chorale_foreign *f, const char *format, ...)
{
    char text[160], (*more)[160];
    va_list ap;

    if (f->nnote > MAX_NOTES)
        return;
    va_start(ap, format);
    vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    chorale_printable(text);
    for (size_t i = 0; i < f->nnote; i++)
        if (strcmp(f->note[i], text) == 0)
            return;
    if (f->nnote == MAX_NOTES)
        strcpy(text, "and more");
    more = chorale_array_grow(f->note, f->nnote, sizeof(*more));
    if (more == NULL)
        return; /* the rows need memory too, and report its lack */
    f->note = more;
    strcpy(f->note[f->nnote++], text);
}

void chorale_foreign_version(const char *text, char *version, size_t size)
{
    size_t n;

    version[0] = '\0';
    text += strcspn(text, "0123456789");
    n = strspn(text, "0123456789.");
    if (n > 0 && n < size)
        snprintf(version, size, "%.*s", (int)n, text);
}

const char *chorale_foreign_dtype(const char *text)
{
    static const char *const known[][2] = {
        { "MPI_CHAR", "byte" }, { "MPI_BYTE", "byte" }, { "MPI_INT", "int" },
        { "MPI_FLOAT", "float" }, { "MPI_DOUBLE", "double" },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const size_t n = strlen(known[i][0]);

        if (strncmp(text, known[i][0], n) == 0 &&
            strspn(text + n, " .\t") == strlen(text + n))
            return known[i][1];
    }
    return NULL;
}

/* Whether a line has at least two words, all of them numbers, perhaps with
 * marks of a list or table around them. */
static int all_numbers(const char *text)
{
    static const char marks[] = " \t|,;>*-";
    int n = 0;

    for (text += strspn(text, marks); *text != '\0'; n++) {
        char *end;

        strtod(text, &end);
        if (end == text || (*end != '\0' && strchr(marks, *end) == NULL))
            return 0;
        text = end + strspn(end, marks);
    }
    return n >= 2;
}

/* Whether a line is a row of IMB that begins with the name of a collective. */
static int is_named_row(const char *text)
{
    const size_t n = strcspn(text, " \t");

    return chorale_imb_names(text, n) &&
           all_numbers(text + n + strspn(text + n, " \t"));
}

/* Whether a line in a table is a row: it begins with a number or, if rows begin
 * with a name, with a word and a number. */
static int is_row(const struct chorale_foreign_reader *r, const char *text)
{
    if (isdigit((unsigned char)*text))
        return 1;
    if (!chorale_foreign_has(r, FOREIGN_NAME))
        return r->ncolumn == 0 && is_named_row(text);
    if (!isalpha((unsigned char)*text))
        return 0;
    text += strcspn(text, " \t\n");
    text += strspn(text, " \t");
    return isdigit((unsigned char)*text);
}

/* Whether a line that is no heading contains one: quoted, or with other marks
 * before it. */
static int hides_heading(const char *text)
{
    const char *mark = strchr(text, '#');

    return mark != NULL && strncmp(text, "#Benchmarking ", 14) != 0 &&
           (strstr(mark, "# OSU MPI ") != NULL ||
            strstr(mark, "Benchmarking ") != NULL ||
            strstr(mark, "\tBenchmarking") != NULL);
}

static enum chorale_err read_heading(struct chorale_foreign_reader *r,
                                     const char *text)
{
    int used = 0;
    enum chorale_err err = chorale_osu_line(r, text, &used);

    if (err == CHORALE_OK && !used)
        err = chorale_imb_line(r, text, &used);
    if (err != CHORALE_OK || used || !hides_heading(text))
        return err;
    return chorale_foreign_bad(
        r, strchr(text, '\t') != NULL
               ? "a heading with tabs, as a spreadsheet writes it; headings of "
                 "%s have spaces"
               : "a heading with marks before it; headings of %s begin with "
                 "'# '", strstr(text, "OSU") != NULL ? "OSU" : "IMB");
}

static enum chorale_err read_line(struct chorale_foreign_reader *r,
                                  char *line)
{
    const char *text = line + strspn(line, " \t");
    const int within = r->ncolumn > 0 || r->ignored;

    if (within && is_row(r, text)) {
        r->rows++;
        return r->ncolumn > 0 ? chorale_foreign_row(r, line) : CHORALE_OK;
    }
    if (r->known && r->ncolumn == 0 && is_row(r, text))
        return chorale_foreign_bad(r, "a row without a known heading above it");
    if (all_numbers(text) || is_named_row(text))
        return chorale_foreign_bad(r, "numbers without a known heading above "
                                   "them");
    /* With -multi, IMB prints a blank line after the rows of all groups. */
    if (*text == '\0' && chorale_foreign_has(r, FOREIGN_GROUP))
        return CHORALE_OK;
    if (r->rows > 0) {
        r->ignored = r->ncolumn = r->rows = 0;
        r->ended = 1;
    }
    if (*text != '\0' && *text != '#' && r->ended)
        r->known = 0;
    return strchr(text, '#') != NULL ? read_heading(r, text) : CHORALE_OK;
}

/* Report the likely reason why the file has no usable row. */
static enum chorale_err no_row(struct chorale_foreign_reader *r)
{
    const char *kind = r->f->kind != NULL ? r->f->kind : "OSU or IMB";

    if (r->f->nnote > 0)
        return chorale_fail(r->msg, CHORALE_DATA, "%s: no row of a collective "
                            "that can be imported: %s; run the benchmark of a "
                            "collective", r->path, r->f->note[0]);
    return chorale_fail(r->msg, CHORALE_DATA, "%s:%d: output of %s that ends "
                        "before the first row of a table; run the benchmark "
                        "again", r->path, r->line - 1, kind);
}

/* Note that points occur more than once, with both times of the first. */
static void note_repeats(struct chorale_foreign *f)
{
    const struct chorale_foreign_row *a = NULL, *b = NULL;
    size_t count = 0;

    for (size_t i = 0; i < f->nrow; i++) {
        if (f->row[i].pass != 1)
            continue;
        for (size_t k = 0; k < i && a == NULL; k++)
            if (chorale_foreign_same_point(&f->row[k], &f->row[i])) {
                a = &f->row[k];
                b = &f->row[i];
            }
        count++;
    }
    if (a != NULL)
        chorale_foreign_note(f, "%zu point%s more than once, taken as "
                             "launches; %s of %lld bytes: %.4g us, then %.4g "
                             "us; for two placements give --ppn or --label",
                             count, count == 1 ? " occurs" : "s occur",
                             chorale_coll_info(a->coll)->name, a->msg_size,
                             a->avg * 1e6, b->avg * 1e6);
}

/* Note the collectives whose algorithm a line forces. */
static void find_forced(struct chorale_foreign_reader *r, const char *line)
{
    if (strcasestr(line, "_algorithm") == NULL &&
        strcasestr(line, "I_MPI_ADJUST_") == NULL)
        return;
    for (int c = 0; c < CHORALE_NCOLL; c++)
        if (r->f->forced[c] == 0 &&
            chorale_line_forces((enum chorale_coll)c, line))
            r->f->forced[c] = r->line;
}

/* Parse all lines. A file cut within a row is refused: the last number may have
 * lost digits. */
static enum chorale_err read_lines(struct chorale_foreign_reader *r,
                                   char *text)
{
    enum chorale_err err = CHORALE_OK;
    char *end;

    for (r->line = 1; *text != '\0' && err == CHORALE_OK; r->line++) {
        end = strchr(text, '\n');
        if (end == NULL && r->ncolumn > 0 &&
            is_row(r, text + strspn(text, " \t")))
            return chorale_foreign_bad(r, "the file ends within this row");
        if (end != NULL)
            *end = '\0';
        if (end != NULL && end > text && end[-1] == '\r')
            end[-1] = '\0';
        find_forced(r, text);
        err = read_line(r, text);
        text = end != NULL ? end + 1 : text + strlen(text);
    }
    if (err != CHORALE_OK)
        return err;
    if (r->f->nrow == 0)
        return no_row(r);
    note_repeats(r->f);
    if (r->unversioned)
        chorale_foreign_note(r->f, "no heading gives IMB's version: assumed "
                             "2017 or later");
    return CHORALE_OK;
}

static int looks_foreign(const char *text)
{
    return strstr(text, "# OSU ") != NULL ||
           strstr(text, "Benchmarking ") != NULL ||
           strstr(text, "#\tBenchmarking") != NULL;
}

enum chorale_err chorale_foreign_read(const char *path, int equal, int *is_p,
                                      struct chorale_foreign *f,
                                      struct chorale_errmsg *msg)
{
    struct chorale_foreign_reader r = { .path = path, .equal = equal, .f = f,
                                        .msg = msg };
    char *text = NULL;
    size_t size = 0;
    enum chorale_err err = chorale_file_text(path, MAX_FILE, &text, &size,
                                             msg);

    memset(f, 0, sizeof(*f));
    *is_p = 0;
    if (err == CHORALE_OK && strncmp(text, "chorale-trace", 13) != 0 &&
        looks_foreign(text)) {
        *is_p = 1;
        if (strlen(text) != size) {
            r.line = 1;
            err = chorale_foreign_bad(&r, "the file has a zero byte in it");
        } else {
            chorale_uuid_of(text, f->uuid);
            /* Some editors write a UTF-8 byte order mark first. */
            err = read_lines(&r, text + (strncmp(text, "\xEF\xBB\xBF", 3) == 0
                                             ? 3 : 0));
        }
    }
    free(text);
    return err;
}

void chorale_foreign_release(struct chorale_foreign *f)
{
    free(f->row);
    free(f->note);
    f->row = NULL;
    f->note = NULL;
    f->nrow = f->nnote = 0;
}
