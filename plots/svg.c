/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.c - copies gnuplot's pictures to the page. A picture is parsed into tags
 * and text and written anew, with only the elements and attributes that drawing
 * needs, and only values without external references. Thus neither a script nor
 * a label in it can affect the page. */
#include "config.h"

#include "plots/html.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LARGEST (32 << 20) /* most bytes of a picture */
#define DEEPEST 64         /* most nested elements */
#define NAME 32

static const char *const elements[] = {
    "svg", "g", "defs", "path", "polygon", "polyline", "line", "rect",
    "circle", "ellipse", "text", "tspan", "use",
};

static const char *const attributes[] = {
    "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx",
    "dy", "width", "height", "points", "transform", "fill", "fill-opacity",
    "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
    "stroke-linejoin", "stroke-dasharray", "stroke-miterlimit", "opacity",
    "color", "font-size", "font-weight", "font-style", "text-anchor",
    "shape-rendering",
};

/* Colours that become style names, so that they can differ on a dark page. The
 * pale ones are those of decision_map.gp for modelled choices. */
static const struct {
    unsigned rgb;
    const char *name;
} colours[] = {
    { 0x000000, "ink" }, { 0xFFFFFF, "paper" }, { 0xDDDDDD, "grid" },
    { 0x999999, "faint" }, { 0xD8D8D8, "library" }, { 0x332288, "indigo" },
    { 0x882255, "wine" }, { 0x0072B2, "blue" }, { 0xD55E00, "vermilion" },
    { 0x8E85BD, "pale-indigo" }, { 0xBD85A1, "pale-wine" },
    { 0x72B1D4, "pale-blue" }, { 0xE7A672, "pale-vermilion" },
};

struct reader {
    FILE *out;
    const char *at;          /* next character; the text ends in '\0' */
    const char *prefix;
    char open[DEEPEST][NAME]; /* names of open elements */
    int depth;
    int skipping;            /* depth from which output is skipped */
};

static int listed(const char *const *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return 1;
    return 0;
}

static int is_name_char(int c)
{
    return isalnum(c) || c == '-' || c == '_' || c == ':';
}

/* Read the name at r->at. Returns 0 if it is missing or too long. */
static int read_name(struct reader *r, char name[NAME])
{
    size_t len = 0;

    while (is_name_char((unsigned char)r->at[len]))
        len++;
    if (len == 0 || len >= NAME)
        return 0;
    memcpy(name, r->at, len);
    name[len] = '\0';
    r->at += len;
    return 1;
}

static void skip_space(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

/* The RGB value of "black", "white", "#rrggbb" or "rgb(1, 2, 3)"; -1 for
 * others. */
static long colour_of(const char *value)
{
    unsigned red, green, blue;
    char rest;

    if (strcmp(value, "black") == 0)
        return 0;
    if (strcmp(value, "white") == 0)
        return 0xffffff;
    if (value[0] == '#' && strlen(value) == 7 &&
        strspn(value + 1, "0123456789abcdefABCDEF") == 6)
        return strtol(value + 1, NULL, 16);
    if (sscanf(value, "rgb( %3u , %3u , %3u %c", &red, &green, &blue,
               &rest) == 4 &&
        rest == ')' && red < 256 && green < 256 && blue < 256)
        return (long)(red << 16 | green << 8 | blue);
    return -1;
}

/* Returns 1 if a value can neither refer to anything nor end its quotes. */
static int is_plain(const char *value)
{
    for (const char *p = value; *p != '\0'; p++)
        if (!isalnum((unsigned char)*p) && strchr(" \t\n.,#%()+-_", *p) == NULL)
            return 0;
    return strcasestr(value, "url") == NULL;
}

static void write_attribute(struct reader *r, const char *name,
                            const char *value)
{
    long rgb = colour_of(value);

    if (!listed(attributes, sizeof(attributes) / sizeof(attributes[0]), name) ||
        !is_plain(value))
        return;
    for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
        if (rgb == (long)colours[i].rgb) {
            fprintf(r->out, " %s=\"var(--%s)\"", name, colours[i].name);
            return;
        }
    fprintf(r->out, " %s=\"%s\"", name, value);
}

/* Write an id or a reference to one, after the prefix, if it has only letters,
 * digits, dashes and underscores. */
static void write_id(struct reader *r, const char *name, const char *value)
{
    int href = strcmp(name, "id") != 0;

    if (href && *value != '#')
        return;
    value += href;
    if (*value == '\0' || strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "abcdefghijklmnopqrstuvwxyz"
                                        "0123456789_-") != strlen(value))
        return;
    fprintf(r->out, " %s=\"%s%s%s\"", href ? "href" : "id", href ? "#" : "",
            r->prefix, value);
}

/* Write "fill:none; stroke:black" as attributes: the policy forbids inline
 * styles. */
static void write_style(struct reader *r, char *value)
{
    char *save = NULL;

    for (char *item = strtok_r(value, ";", &save); item != NULL;
         item = strtok_r(NULL, ";", &save)) {
        char *colon = strchr(item, ':');

        item += strspn(item, " \t\n");
        if (colon == NULL || colon < item)
            continue;
        *colon = '\0';
        write_attribute(r, item, colon + 1 + strspn(colon + 1, " \t\n"));
    }
}

/* Write the root's viewBox; the page's style sets the displayed size. */
static void write_frame(struct reader *r, const char *value)
{
    if (value[0] != '\0' && strspn(value, "0123456789. ") == strlen(value))
        fprintf(r->out, " viewBox=\"%s\"", value);
}

/* Read an attribute after its name, and write it if shown. Returns 0 if
 * malformed. */
static int read_attribute(struct reader *r, const char *name, int shown)
{
    const char *end;
    char *value, quote;

    skip_space(r);
    if (*r->at != '=')
        return 0;
    r->at++;
    skip_space(r);
    quote = *r->at;
    if (quote != '"' && quote != '\'')
        return 0;
    end = strchr(++r->at, quote);
    if (end == NULL)
        return 0;
    value = strndup(r->at, (size_t)(end - r->at));
    if (value == NULL)
        return 0;
    r->at = end + 1;
    if (shown && r->depth == 0) {
        if (strcmp(name, "viewBox") == 0)
            write_frame(r, value);
    } else if (shown) {
        if (strcmp(name, "id") == 0 || strcmp(name, "xlink:href") == 0 ||
            strcmp(name, "href") == 0)
            write_id(r, name, value);
        else if (strcmp(name, "style") == 0)
            write_style(r, value);
        else
            write_attribute(r, name, value);
    }
    free(value);
    return 1;
}

/* Read an opening tag from its name on. Returns 0 if malformed. */
static int open_tag(struct reader *r, const char *title)
{
    char name[NAME], attribute[NAME];
    int shown, ends = 0;

    if (!read_name(r, name) || r->depth == DEEPEST)
        return 0;
    shown = r->skipping < 0 &&
            listed(elements, sizeof(elements) / sizeof(elements[0]), name) &&
            (r->depth > 0) == (strcmp(name, "svg") != 0);
    if (r->depth == 0 && !shown)
        return 0;
    if (!shown && r->skipping < 0)
        r->skipping = r->depth;
    if (shown)
        fprintf(r->out, "<%s", name);
    for (skip_space(r); *r->at != '>' && *r->at != '/'; skip_space(r))
        if (!read_name(r, attribute) || !read_attribute(r, attribute, shown))
            return 0;
    if (*r->at == '/') {
        ends = 1;
        r->at++;
    }
    if (*r->at++ != '>')
        return 0;
    if (r->depth == 0) {
        fprintf(r->out, " role=\"img\" aria-labelledby=\"%stitle\"><title "
                        "id=\"%stitle\">", r->prefix, r->prefix);
        chorale_html_text(r->out, title);
        fputs("</title>", r->out);
        if (ends)
            fputs("</svg>", r->out);
    } else if (shown) {
        fputs(ends ? "/>" : ">", r->out);
    }
    if (ends && r->skipping == r->depth)
        r->skipping = -1;
    if (!ends)
        strcpy(r->open[r->depth++], name);
    return 1;
}

/* Read a closing tag from its name on. */
static int close_tag(struct reader *r)
{
    char name[NAME];

    if (!read_name(r, name) || r->depth == 0 ||
        strcmp(r->open[r->depth - 1], name) != 0)
        return 0;
    skip_space(r);
    if (*r->at++ != '>')
        return 0;
    r->depth--;
    if (r->skipping < 0)
        fprintf(r->out, "</%s>", name);
    else if (r->skipping == r->depth)
        r->skipping = -1;
    return 1;
}

/* Copy text up to the next tag. References to markup characters stay. */
static void copy_text(struct reader *r)
{
    static const char *const known[] = { "&lt;", "&gt;", "&amp;", "&quot;",
                                         "&apos;" };
    size_t len = strcspn(r->at, "<");
    char *text = strndup(r->at, len), *from = text;

    r->at += len;
    while (text != NULL && *from != '\0' && r->skipping < 0 && r->depth > 0) {
        size_t plain = strcspn(from, "&"), i;
        char keep = from[plain];

        from[plain] = '\0';
        chorale_html_text(r->out, from);
        from += plain;
        *from = keep;
        if (keep == '\0')
            break;
        for (i = 0; i < 5 && strncmp(from, known[i], strlen(known[i])) != 0;)
            i++;
        fputs(i < 5 ? known[i] : "&amp;", r->out);
        from += i < 5 ? strlen(known[i]) : 1;
    }
    free(text);
}

/* Skip a declaration or comment. Returns 0 if it does not end. */
static int skip_other(struct reader *r)
{
    const char *end = strncmp(r->at, "!--", 3) == 0 ? "-->"
                      : *r->at == '?' ? "?>" : ">";
    const char *at = strstr(r->at, end);

    if (at == NULL)
        return 0;
    r->at = at + strlen(end);
    return 1;
}

static int copy_all(struct reader *r, const char *title)
{
    int good = 1, roots = 0;

    while (good && *r->at != '\0') {
        if (*r->at != '<') {
            copy_text(r);
            continue;
        }
        r->at++;
        if (*r->at == '!' || *r->at == '?')
            good = skip_other(r);
        else if (*r->at == '/') {
            r->at++;
            good = close_tag(r);
        } else {
            roots += r->depth == 0;
            good = roots == 1 && open_tag(r, title);
        }
    }
    return good && roots == 1 && r->depth == 0;
}

static char *read_file(const char *path, struct chorale_errmsg *msg)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t len = 0;

    if (in == NULL || fseek(in, 0, SEEK_END) != 0 || ftell(in) < 0) {
        chorale_fail_read(msg, path, errno);
    } else if (ftell(in) > LARGEST) {
        chorale_fail(msg, CHORALE_ENV, "%s: the picture exceeds 32 MiB; "
                     "install gnuplot 5.2 or newer, or set GNUPLOT to its "
                     "path", path);
    } else if ((text = malloc((size_t)ftell(in) + 1)) == NULL) {
        chorale_fail_memory(msg, path);
    } else {
        len = (size_t)ftell(in);
        rewind(in);
        len = fread(text, 1, len, in);
        text[len] = '\0';
    }
    if (in != NULL)
        fclose(in);
    return text;
}

enum chorale_err chorale_html_svg(FILE *out, const char *path,
                                  const char *prefix, const char *title,
                                  struct chorale_errmsg *msg)
{
    char *text = read_file(path, msg), *page = NULL;
    size_t size = 0;
    struct reader r = { .at = text, .prefix = prefix, .skipping = -1 };
    enum chorale_err err = CHORALE_OK;

    if (text == NULL)
        return CHORALE_ENV;
    r.out = open_memstream(&page, &size);
    if (r.out == NULL)
        err = chorale_fail_memory(msg, path);
    else if (!copy_all(&r, title))
        err = chorale_fail(msg, CHORALE_DATA, "%s: not a picture as gnuplot "
                           "writes them, from byte %td on; install gnuplot "
                           "5.2 or newer, or set GNUPLOT to its path", path,
                           r.at - text);
    if (r.out != NULL && fclose(r.out) != 0 && err == CHORALE_OK)
        err = chorale_fail_memory(msg, path);
    if (err == CHORALE_OK) /* all or nothing */
        fwrite(page, 1, size, out);
    free(page);
    free(text);
    return err;
}
