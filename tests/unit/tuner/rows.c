/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.c - rows of values as text, Markdown and JSON. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/rows.h"

static const char columns[] =
    "name=name|P=comm_size|m=m:B|=ppn|share=share:%.1f %%|ratio:x%.2f|note";

static void fill(struct chorale_rows *rows)
{
    *rows = (struct chorale_rows){ .columns = columns, .indent = 2 };
    chorale_rows_add(rows, CHORALE_FIELDS("bcast", 4, (size_t)65536, 2L, 0.125,
                                          1.5, ""));
    chorale_rows_add(rows, CHORALE_FIELDS("r\303\251", 1024, 8, 1, NAN,
                                          INFINITY, "\033[31mred\033[0m"));
}

static char *print(struct chorale_rows *rows, int markdown)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    tap_ok(chorale_rows_print(rows, markdown, out) == 0, "rows are printed");
    fclose(out);
    return text;
}

static void is(const char *got, const char *want, const char *what)
{
    if (!tap_ok(got != NULL && strcmp(got, want) == 0, "%s", what))
        tap_diag("got: %s", got != NULL ? got : "nothing");
}

int main(void)
{
    struct chorale_rows rows;
    json_t *list;
    char *text;

    fill(&rows);
    text = print(&rows, 0);
    is(text,
       "  name      P       m   share  ratio  note\n"
       "  bcast     4  64 KiB  12.5 %  x1.50\n"
       "  r\303\251     1024     8 B       -      -  \033[31mred\033[0m\n",
       "columns are as wide as what they show, numbers at the right");
    free(text);
    is(text = print(&rows, 0), "", "without rows the text is empty");
    free(text);
    fill(&rows);
    text = print(&rows, 1);
    tap_ok(text != NULL && strstr(text,
               "| name | P | m | share | ratio | note |\n"
               "| :--- | ---: | ---: | ---: | ---: | :--- |\n"
               "| bcast | 4 | 64 KiB | 12.5 % | x1.50 |  |\n") == text,
           "Markdown has the same cells");
    free(text);
    fill(&rows);
    list = chorale_rows_json(&rows);
    text = list != NULL ? json_dumps(list, JSON_COMPACT) : NULL;
    is(text, "[{\"name\":\"bcast\",\"comm_size\":4,\"m\":65536,\"ppn\":2,"
             "\"share\":0.125},{\"name\":\"r\303\251\",\"comm_size\":1024,"
             "\"m\":8,\"ppn\":1,\"share\":null}]",
       "JSON has the columns with a key, unformatted");
    free(text);
    json_decref(list);
    rows = (struct chorale_rows){ .columns = "name=name" };
    chorale_rows_add(&rows, CHORALE_FIELDS("\377"));
    tap_ok(chorale_rows_json(&rows) == NULL, "text that is not UTF-8 fails");
    return tap_done();
}
