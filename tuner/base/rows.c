/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c - rows of values, printed as aligned text, Markdown or JSON. */
#include "tuner/base/rows.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"

enum { GAP = 2, CELL = 64 };

struct column {
    char heading[32], key[40], format[24];
    int shown, right, width; /* in text */
};

void chorale_rows_add(struct chorale_rows *rows, struct chorale_fields row)
{
    const size_t n = (size_t)row.count;
    struct chorale_field *cell =
        realloc(rows->cell, (rows->nrow + 1) * n * sizeof(*cell));

    assert(rows->nrow == 0 || row.count == rows->ncolumn);
    if (cell == NULL) {
        rows->bad = 1;
        return;
    }
    rows->cell = cell;
    rows->ncolumn = row.count;
    cell += rows->nrow++ * n;
    for (size_t i = 0; i < n; i++) {
        cell[i] = row.value[i];
        if (cell[i].type != CHORALE_FIELD_TEXT)
            continue;
        cell[i].text = strdup(cell[i].text);
        rows->bad |= cell[i].text == NULL;
    }
}

static void clear(struct chorale_rows *rows)
{
    for (size_t i = 0; i < rows->nrow * (size_t)rows->ncolumn; i++)
        if (rows->cell[i].type == CHORALE_FIELD_TEXT)
            free((char *)rows->cell[i].text);
    free(rows->cell);
    rows->cell = NULL;
    rows->nrow = 0;
}

/* Copy the text up to a character of ends; returns a pointer to it. */
static const char *take(const char *from, const char *ends, char *to,
                        size_t size)
{
    size_t n = strcspn(from, ends);

    assert(n < size);
    memcpy(to, from, n);
    to[n] = '\0';
    return from + n;
}

static void read_columns(const struct chorale_rows *rows,
                         struct column col[CHORALE_ROWS_COLUMNS])
{
    const char *at = rows->columns;
    int n = 0;

    for (;; at++) {
        struct column *c = &col[n++];

        assert(n <= CHORALE_ROWS_COLUMNS);
        *c = (struct column){ .shown = *at != '=' };
        at = take(at, "=:|", c->heading, sizeof(c->heading));
        if (*at == '=')
            at = take(at + 1, ":|", c->key, sizeof(c->key));
        if (*at == ':')
            at = take(at + 1, "|", c->format, sizeof(c->format));
        if (*at == '\0')
            break;
    }
    assert(rows->nrow == 0 || n == rows->ncolumn);
}

static const struct chorale_field *cell_of(const struct chorale_rows *rows,
                                           size_t row, int column)
{
    return &rows->cell[row * (size_t)rows->ncolumn + (size_t)column];
}

static int is_number(const struct chorale_field *cell)
{
    return cell->type == CHORALE_FIELD_INT || cell->type == CHORALE_FIELD_REAL;
}

/* A cell as text; row 0 is the headings. */
static const char *text_of(const struct chorale_rows *rows, size_t row, int c,
                           const struct column *col, char text[CELL])
{
    const struct chorale_field *cell = row > 0 ? cell_of(rows, row - 1, c)
                                               : NULL;
    double x;

    if (cell == NULL)
        return col->heading;
    if (!is_number(cell))
        return cell->type == CHORALE_FIELD_TEXT ? cell->text : "-";
    x = cell->type == CHORALE_FIELD_INT ? (double)cell->integer : cell->real;
    if (col->format[0] == '\0' && cell->type == CHORALE_FIELD_INT)
        snprintf(text, CELL, "%lld", cell->integer);
    else if (col->format[0] == '\0')
        snprintf(text, CELL, "%.6g", x);
    else if (strcmp(col->format, "B") == 0)
        chorale_human_bytes(x, text);
    else if (strcmp(col->format, "s") == 0)
        chorale_human_seconds(x, text);
    else
        snprintf(text, CELL, col->format,
                 strstr(col->format, "%%") != NULL ? 100 * x : x);
    return text;
}

/* Columns of the screen that a text takes; colours take none. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text != '\0'; text++)
        if (*text == '\033')
            text += strcspn(text, "m");
        else
            width += (*text & 0xC0) != 0x80; /* a character of UTF-8 begins */
    return width;
}

static void measure(const struct chorale_rows *rows, struct column *col)
{
    char text[CELL];

    for (int c = 0; c < rows->ncolumn; c++)
        for (size_t r = 0; r <= rows->nrow; r++) {
            int width = width_of(text_of(rows, r, c, &col[c], text));

            col[c].width = width > col[c].width ? width : col[c].width;
            col[c].right |= r > 0 && is_number(cell_of(rows, r - 1, c));
        }
}

/* Print one line of text, which does not end with spaces. */
static void print_text(const struct chorale_rows *rows, size_t row,
                       const struct column *col, FILE *out)
{
    int pad = rows->indent;
    char text[CELL];

    for (int c = 0; c < rows->ncolumn; c++) {
        const char *cell = text_of(rows, row, c, &col[c], text);
        int left = col[c].width - width_of(cell);

        if (!col[c].shown)
            continue;
        if (col[c].right) {
            pad += left;
            left = 0;
        }
        if (cell[0] != '\0') {
            fprintf(out, "%*s%s", pad, "", cell);
            pad = 0;
        }
        pad += left + GAP;
    }
    fputc('\n', out);
}

static void print_markdown(const struct chorale_rows *rows, size_t row,
                           const struct column *col, FILE *out)
{
    char text[CELL];

    for (int c = 0; c < rows->ncolumn; c++)
        if (col[c].shown)
            fprintf(out, "| %s ", text_of(rows, row, c, &col[c], text));
    fputs("|\n", out);
    for (int c = 0; row == 0 && c < rows->ncolumn; c++)
        if (col[c].shown)
            fprintf(out, "| %s ", col[c].right ? "---:" : ":---");
    if (row == 0)
        fputs("|\n", out);
}

int chorale_rows_print(struct chorale_rows *rows, int markdown, FILE *out)
{
    struct column col[CHORALE_ROWS_COLUMNS];
    int bad = rows->bad;

    read_columns(rows, col);
    if (!bad)
        measure(rows, col);
    for (size_t r = 0; !bad && rows->nrow > 0 && r <= rows->nrow; r++)
        if (markdown)
            print_markdown(rows, r, col, out);
        else
            print_text(rows, r, col, out);
    clear(rows);
    return bad ? -1 : 0;
}

json_t *chorale_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *chorale_rows_json(struct chorale_rows *rows)
{
    struct column col[CHORALE_ROWS_COLUMNS];
    json_t *list = json_array();
    int bad = rows->bad || list == NULL;

    read_columns(rows, col);
    for (size_t r = 0; !bad && r < rows->nrow; r++) {
        json_t *row = json_object();

        for (int c = 0; !bad && c < rows->ncolumn; c++) {
            const struct chorale_field *cell = cell_of(rows, r, c);

            if (col[c].key[0] != '\0')
                bad = json_object_set_new(
                    row, col[c].key,
                    cell->type == CHORALE_FIELD_INT
                        ? json_integer(cell->integer)
                    : cell->type == CHORALE_FIELD_TEXT
                        ? json_string(cell->text)
                        : chorale_json(
                              cell->type == CHORALE_FIELD_REAL ? cell->real
                                                               : NAN)) != 0;
        }
        bad |= json_array_append_new(list, row) != 0;
    }
    clear(rows);
    if (!bad)
        return list;
    json_decref(list);
    return NULL;
}

int chorale_rows_show(struct chorale_rows *rows, json_t *list)
{
    json_t *more = list != NULL ? chorale_rows_json(rows) : NULL;
    int rc = list != NULL ? json_array_extend(list, more)
                          : chorale_rows_print(rows, 0, stdout);

    json_decref(more);
    return rc;
}

enum chorale_err chorale_fail_utf8(struct chorale_errmsg *msg,
                                   const char *path)
{
    return chorale_fail(msg, CHORALE_DATA, "%s: names in it are not UTF-8; "
                        "use the table instead of --json", path);
}

int chorale_json_print(json_t *json)
{
    int bad = json == NULL || json_dumpf(json, stdout, JSON_INDENT(2)) != 0;

    if (!bad)
        putchar('\n');
    json_decref(json);
    return bad ? -1 : 0;
}
