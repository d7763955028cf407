/* SPDX-License-Identifier: BSD-3-Clause */
/* export_format.c - write rows as CSV and as JSON. */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/exchange/export.h"

/* Print a number with the fewest digits that restore it exactly. */
static void put_real(FILE *out, double value)
{
    char text[40];

    /* Infinity: a number that overflows, valid in both formats. */
    if (isinf(value)) {
        fputs(value > 0 ? "1e999" : "-1e999", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void put_csv_text(FILE *out, const char *text, size_t len)
{
    int quote = 0;

    for (size_t i = 0; i < len && !quote; i++)
        quote = strchr(",\"\r\n", text[i]) != NULL;
    if (!quote) {
        fwrite(text, 1, len, out);
        return;
    }
    putc_unlocked('"', out);
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            putc_unlocked('"', out);
        putc_unlocked(text[i], out);
    }
    putc_unlocked('"', out);
}

static void csv_begin(FILE *out, sqlite3_stmt *stmt)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);

        if (i > 0)
            putc_unlocked(',', out);
        if (name != NULL)
            put_csv_text(out, name, strlen(name));
    }
    putc_unlocked('\n', out);
}

static void csv_row(FILE *out, sqlite3_stmt *stmt, const char *const *text,
                    long long n)
{
    (void)n;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *value;

        if (i > 0)
            putc_unlocked(',', out);
        if (text[i] != NULL) {
            put_csv_text(out, text[i], strlen(text[i]));
            continue;
        }
        switch (sqlite3_column_type(stmt, i)) {
        case SQLITE_NULL:
            break;
        case SQLITE_INTEGER:
            fprintf(out, "%lld", (long long)sqlite3_column_int64(stmt, i));
            break;
        case SQLITE_FLOAT:
            put_real(out, sqlite3_column_double(stmt, i));
            break;
        default:
            value = (const char *)sqlite3_column_text(stmt, i);
            if (value != NULL)
                put_csv_text(out, value,
                             (size_t)sqlite3_column_bytes(stmt, i));
        }
    }
    putc_unlocked('\n', out);
}

static void csv_end(FILE *out)
{
    (void)out;
}

/* Copy the text with U+FFFD for each byte that is not part of a valid UTF-8
 * character. NULL: out of memory. */
static char *repair_utf8(const char *text, size_t len, size_t *len_p)
{
    char *valid = malloc(3 * len + 1);
    size_t used = 0, take;

    for (size_t i = 0; valid != NULL && i < len; i += take) {
        json_t *good = NULL;

        for (take = 1; take <= 4 && i + take <= len; take++) {
            good = json_stringn(text + i, take);
            if (good != NULL)
                break;
        }
        if (good == NULL)
            take = 1;
        memcpy(valid + used, good != NULL ? text + i : "\xef\xbf\xbd",
               good != NULL ? take : 3);
        used += good != NULL ? take : 3;
        json_decref(good);
    }
    *len_p = used;
    return valid;
}

/* Printable ASCII without quotes and backslashes, the usual case: it needs no
 * JSON object for escaping. */
static int is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < ' ' || text[i] > '~' || text[i] == '"' ||
            text[i] == '\\')
            return 0;
    return 1;
}

static void put_json_text(FILE *out, const char *text, size_t len)
{
    json_t *string;

    if (is_plain(text, len)) {
        putc_unlocked('"', out);
        fwrite(text, 1, len, out);
        putc_unlocked('"', out);
        return;
    }
    string = json_stringn(text, len);
    if (string == NULL) {
        char *valid = repair_utf8(text, len, &len);

        string = valid != NULL ? json_stringn(valid, len) : NULL;
        free(valid);
    }
    if (string == NULL || json_dumpf(string, out, JSON_ENCODE_ANY) != 0)
        fputs("null", out);
    json_decref(string);
}

static void json_begin(FILE *out, sqlite3_stmt *stmt)
{
    (void)stmt;
    fputs("[", out);
}

static void put_json_value(FILE *out, sqlite3_stmt *stmt, int i)
{
    const char *value;

    switch (sqlite3_column_type(stmt, i)) {
    case SQLITE_NULL:
        fputs("null", out);
        break;
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(stmt, i));
        break;
    case SQLITE_FLOAT:
        put_real(out, sqlite3_column_double(stmt, i));
        break;
    default:
        value = (const char *)sqlite3_column_text(stmt, i);
        put_json_text(out, value != NULL ? value : "",
                      (size_t)sqlite3_column_bytes(stmt, i));
    }
}

static void json_row(FILE *out, sqlite3_stmt *stmt, const char *const *text,
                     long long n)
{
    fputs(n > 0 ? ",\n{" : "\n{", out);
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);

        if (i > 0)
            fputs(", ", out);
        put_json_text(out, name != NULL ? name : "",
                      name != NULL ? strlen(name) : 0);
        fputs(": ", out);
        if (text[i] != NULL)
            put_json_text(out, text[i], strlen(text[i]));
        else
            put_json_value(out, stmt, i);
    }
    putc_unlocked('}', out);
}

static void json_end(FILE *out)
{
    fputs("\n]\n", out);
}

const struct chorale_export_format chorale_export_csv = {
    .name = "csv", .begin = csv_begin, .row = csv_row, .end = csv_end,
};

const struct chorale_export_format chorale_export_json = {
    .name = "json", .begin = json_begin, .row = json_row, .end = json_end,
};
