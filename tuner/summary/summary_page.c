/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_page.c - flags of measurements, and escaped text on the summary's
 * page. */
#include "tuner/summary/summary_page.h"

#include <math.h>
#include <string.h>

#include "tuner/base/units.h"

const char *const chorale_flags[CHORALE_NFLAG][2] = {
    { "oversubscribed", "more ranks than cores" },
    { "throttled", "a CPU quota stopped ranks" },
    { "late", "repetitions that started late" },
    { "suspicious", "faster than the network can be" },
    { "clock", "clocks lost their synchronisation" },
    { "straggler", "a node slower than the others" },
    { "mixed_cpus", "nodes with different processors" },
    { "load", "other programs took processors from the ranks" },
    { "imported", "printed by another benchmark" },
    { "not a duration", "mean over the ranks; decides only with --accept-mean" },
    { "", "other remarks, see v_summary.validity" },
};

/* The index of a flag of v_summary.validity; the last for unknown words. */
static int find_flag(const char *word, size_t len)
{
    int i;

    for (i = 0; i < CHORALE_NFLAG - 1; i++)
        if (strlen(chorale_flags[i][0]) == len &&
            memcmp(chorale_flags[i][0], word, len) == 0)
            break;
    return i;
}

void chorale_flags_read(const char *list, int has[CHORALE_NFLAG])
{
    memset(has, 0, CHORALE_NFLAG * sizeof(has[0]));
    while (*list != '\0') {
        size_t len = strcspn(list, ",");

        if (len > 0)
            has[find_flag(list, len)] = 1;
        list += len + (list[len] == ',');
    }
}

enum chorale_err chorale_page_query(struct chorale_page *page, const char *sql,
                                    chorale_page_row *each,
                                    struct chorale_errmsg *msg)
{
    sqlite3_stmt *stmt = NULL;
    enum chorale_err err = chorale_store_query(
        page->store, sql, CHORALE_FIELDS(page->system_id), &stmt, msg);

    if (err != CHORALE_OK)
        return err;
    while (chorale_store_next(page->store, stmt, &err, msg))
        each(page, stmt);
    sqlite3_finalize(stmt);
    return err;
}

/* Returns 1 if Markdown treats this character as markup. */
static int is_markup(const char *begin, const char *at)
{
    if (*at == '(') /* [text](link) */
        return at > begin && at[-1] == ']';
    if (*at == '<')
        return at[1] != ' ';
    return *at != '\0' && strchr("|`*#&\\", *at) != NULL;
}

void chorale_page_safe(const struct chorale_page *page, char *out,
                       size_t size, const char *from)
{
    const char *begin = from;
    size_t used = 0;

    for (; *from != '\0' && used + 2 < size; from++) {
        unsigned char c = (unsigned char)*from;

        if (page->markdown && is_markup(begin, from))
            out[used++] = '\\';
        out[used++] = c >= ' ' && c < 127 ? *from : '?';
    }
    out[used] = '\0';
}

void chorale_page_put(const struct chorale_page *page, const char *from)
{
    char out[512];

    chorale_page_safe(page, out, sizeof(out), from);
    fputs(out, page->out);
}

void chorale_page_heading(const struct chorale_page *page, int level,
                          const char *from)
{
    if (page->markdown)
        fprintf(page->out, "\n%.*s ", level, "####");
    else
        fputc('\n', page->out);
    chorale_page_put(page, from);
    fputs(page->markdown ? "\n\n" : "\n", page->out);
}

const char *chorale_page_bytes(sqlite3_int64 value, char out[32])
{
    return chorale_exact_bytes((double)value, out);
}
