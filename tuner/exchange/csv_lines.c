/* SPDX-License-Identifier: BSD-3-Clause */
/* csv_lines.c - the lines of a CSV file, and their words. */
#include "tuner/exchange/csv_lines.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum chorale_err chorale_csv_bad(const struct chorale_csv *csv,
                                 const char *format, ...)
{
    char what[400];
    va_list ap;

    va_start(ap, format);
    vsnprintf(what, sizeof(what), format, ap);
    va_end(ap);
    chorale_printable(what);
    return chorale_fail(csv->msg, CHORALE_DATA, "%s:%d: %s", csv->path,
                        csv->number, what);
}

/* Read a line without its end. *got_p: 0 at the end of the file. */
static enum chorale_err next_line(struct chorale_csv *csv, int *got_p)
{
    size_t len;

    errno = 0;
    *got_p = 0;
    if (fgets(csv->line, sizeof(csv->line), csv->in) == NULL)
        return ferror(csv->in) ? chorale_fail_read(csv->msg, csv->path, errno)
                               : CHORALE_OK;
    csv->number++;
    len = strlen(csv->line);
    if (len == 0 || (csv->line[len - 1] != '\n' && !feof(csv->in))) {
        if (len + 1 >= sizeof(csv->line))
            return chorale_csv_bad(csv, "a line of more than %d bytes; name a "
                                   "file of timings", CHORALE_CSV_LINE - 2);
        return chorale_csv_bad(csv, "the file has a zero byte in it; name a "
                               "text file");
    }
    if (csv->line[len - 1] != '\n')
        return chorale_csv_bad(csv, "the file ends within this line; write it "
                               "again, or end the line if it is whole");
    while (len > 0 &&
           (csv->line[len - 1] == '\n' || csv->line[len - 1] == '\r'))
        csv->line[--len] = '\0';
    *got_p = 1;
    return CHORALE_OK;
}

enum chorale_err chorale_csv_next(struct chorale_csv *csv, int *got_p)
{
    enum chorale_err err;

    do {
        err = next_line(csv, got_p);
        if (err == CHORALE_OK && *got_p && csv->number == 1 &&
            strncmp(csv->line, "\xEF\xBB\xBF", 3) == 0)
            memmove(csv->line, csv->line + 3, strlen(csv->line + 3) + 1);
    } while (err == CHORALE_OK && *got_p &&
             (csv->line[0] == '#' ||
              csv->line[strspn(csv->line, " \t")] == '\0'));
    return err;
}

/* Cut a quoted word, with "" for a quote; returns the text after it, or NULL if
 * the quote does not end. */
static char *unquote(char *word)
{
    char *to = word, *from = word + 1;

    for (; *from != '\0'; from++) {
        if (*from == '"' && from[1] == '"')
            from++;
        else if (*from == '"')
            break;
        *to++ = *from;
    }
    if (*from == '\0')
        return NULL;
    *to = '\0';
    return from + 1;
}

enum chorale_err chorale_csv_split(struct chorale_csv *csv)
{
    char *at = csv->line;
    int more = 1;

    for (csv->nword = 0; more; at++) {
        char *word = at += strspn(at, " "), *end;

        if (csv->nword == CHORALE_CSV_WORDS)
            return chorale_csv_bad(csv, "more than %d columns; leave the "
                                   "others out", CHORALE_CSV_WORDS);
        if (*word == '"') {
            end = unquote(word);
            if (end == NULL)
                return chorale_csv_bad(csv, "a quote does not end on this "
                                       "line; correct it");
            at = end + strspn(end, " ");
            more = *at == csv->separator;
            if (!more && *at != '\0')
                return chorale_csv_bad(csv, "text after a quoted word; correct "
                                       "it");
        } else {
            at = word + strcspn(word, (char[]){ csv->separator, '\0' });
            more = *at != '\0';
            for (end = at; end > word && end[-1] == ' '; end--)
                continue;
            *end = '\0';
        }
        csv->word[csv->nword++] = word;
    }
    return CHORALE_OK;
}

enum chorale_err chorale_csv_refuse_compressed(const struct chorale_csv *csv,
                                               const char *begin, size_t n)
{
    static const struct {
        const char *magic, *format, *program;
    } known[] = {
        { "\x1f\x8b", "gzip", "gunzip" },
        { "\xfd" "7zXZ", "xz", "unxz" },
        { "\x28\xb5\x2f\xfd", "zstd", "unzstd" },
        { "BZh", "bzip2", "bunzip2" },
        { "PK\x03\x04", "zip", "unzip" },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (n >= strlen(known[i].magic) &&
            memcmp(begin, known[i].magic, strlen(known[i].magic)) == 0)
            return chorale_fail(csv->msg, CHORALE_DATA, "%s: compressed by %s; "
                                "run `%s` on it, and import the result",
                                csv->path, known[i].format, known[i].program);
    return CHORALE_OK;
}
