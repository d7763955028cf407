/* SPDX-License-Identifier: BSD-3-Clause */
/* html.c - writes escaped text and tables to the page. */
#include "plots/html.h"

#include <stdarg.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* The length of the UTF-8 character at p, and its value; 0 if invalid. Source:
 * RFC 3629, section 4. */
static int utf8(const unsigned char *p, unsigned *value)
{
    static const unsigned least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    int len = p[0] < 0x80 ? 1 : (p[0] & 0xe0) == 0xc0 ? 2
              : (p[0] & 0xf0) == 0xe0 ? 3 : (p[0] & 0xf8) == 0xf0 ? 4 : 0;

    if (len == 0)
        return 0;
    *value = len == 1 ? p[0] : p[0] & (0x7fu >> len);
    for (int i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *value = *value << 6 | (p[i] & 0x3f);
    }
    return *value < least[len] || *value > 0x10ffff ||
                   (*value >= 0xd800 && *value < 0xe000) ? 0 : len;
}

/* Returns 0 for controls, non-characters, and direction changes. */
static int is_text(unsigned c)
{
    return c >= ' ' && (c < 0x7f || c > 0x9f) &&
           !(c >= 0x200e && c <= 0x200f) && !(c >= 0x2028 && c <= 0x202e) &&
           !(c >= 0x2066 && c <= 0x2069) && c != 0x61c && c != 0xfeff &&
           (c & 0xfffe) != 0xfffe && !(c >= 0xfdd0 && c <= 0xfdef);
}

void chorale_html_text(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    while (*p != '\0') {
        unsigned c = 0;
        int len = utf8(p, &c);

        if (len == 0 || (!is_text(c) && strchr("\t\n\r", (int)c) == NULL))
            fputs(REPLACEMENT, out);
        else if (c == '\t' || c == '\n' || c == '\r')
            fputc(' ', out);
        else if (len == 1 && strchr("&<>\"'`", (int)c) != NULL)
            fprintf(out, "&#%u;", c);
        else
            fwrite(p, 1, (size_t)len, out);
        p += len > 0 ? len : 1;
    }
}

void chorale_html_textf(FILE *out, const char *format, ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    chorale_html_text(out, text);
}

void chorale_html_filtered(FILE *out, const char *coll, int comm_size,
                           int comm_size_hi)
{
    if (coll[0] != '\0') {
        fputs(" data-coll=\"", out);
        chorale_html_text(out, coll);
        fputc('"', out);
    }
    if (comm_size > 0)
        fprintf(out, " data-p=\"%d\" data-q=\"%d\"", comm_size,
                comm_size_hi > comm_size ? comm_size_hi : comm_size);
}

static const char *class_of(const struct chorale_html_table *table, int column)
{
    return table->kinds[column] == 'n' ? " class=\"n\"" : "";
}

void chorale_html_begin(struct chorale_html_table *table, const char *caption,
                        const char *kinds, const char *const *head)
{
    table->caption = caption;
    table->head = head;
    table->kinds = kinds;
    table->column = -1;
    table->nrow = 0;
}

/* Write the head with the first row; a screen reader would read out the head of
 * an empty table. */
static void put_head(const struct chorale_html_table *table)
{
    FILE *out = table->out;
    const char *caption = table->caption, *kinds = table->kinds;

    if (table->before != NULL)
        fputs(table->before, out);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
          "aria-label=\"", out);
    chorale_html_text(out, caption);
    fputs("\"><table>\n<caption>", out);
    chorale_html_text(out, caption);
    fputs("</caption>\n<thead><tr>", out);
    for (int i = 0; kinds[i] != '\0'; i++) {
        fprintf(out, "<th scope=\"col\"%s>", class_of(table, i));
        chorale_html_text(out, table->head[i]);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void end_row(struct chorale_html_table *table)
{
    if (table->column < 0)
        return;
    for (; table->kinds[table->column] != '\0'; table->column++)
        fputs("<td></td>", table->out);
    fputs("</tr>\n", table->out);
    table->column = -1;
}

void chorale_html_row(struct chorale_html_table *table, const char *coll,
                      int comm_size, int comm_size_hi)
{
    if (table->nrow++ == 0)
        put_head(table);
    end_row(table);
    fputs("<tr", table->out);
    chorale_html_filtered(table->out, coll, comm_size, comm_size_hi);
    fputs(">", table->out);
    table->column = 0;
}

/* Write names and parameters of a variant. They may be wrapped after commas and
 * underscores only. */
static void put_breakable(FILE *out, const char *text)
{
    char part[256];

    while (*text != '\0') {
        size_t len = strcspn(text, ",_");

        len += text[len] != '\0';
        if (len >= sizeof(part)) { /* longer than any name */
            chorale_html_text(out, text);
            return;
        }
        memcpy(part, text, len);
        part[len] = '\0';
        chorale_html_text(out, part);
        text += len;
        if (*text != '\0' && *text != ' ')
            fputs("<wbr>", out);
    }
}

void chorale_html_cell(struct chorale_html_table *table, const char *text)
{
    const char *tag = table->column == 0 ? "th" : "td";

    fprintf(table->out, "<%s%s%s>", tag,
            table->column == 0 ? " scope=\"row\"" : "",
            class_of(table, table->column));
    put_breakable(table->out, text);
    fprintf(table->out, "</%s>", tag);
    table->column++;
}

void chorale_html_cellf(struct chorale_html_table *table, const char *format,
                        ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    chorale_html_cell(table, text);
}

void chorale_html_end(struct chorale_html_table *table)
{
    if (table->nrow == 0)
        return;
    end_row(table);
    fputs("</tbody></table></div>\n", table->out);
    if (table->after != NULL)
        fputs(table->after, table->out);
}
