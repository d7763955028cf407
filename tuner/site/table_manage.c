/* SPDX-License-Identifier: BSD-3-Clause */
/* table_manage.c - shows and changes the tables that a site serves. */
#include "config.h"

#include "tuner/site/table_manage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dispatch/table/site.h"
#include "algorithms/mpi_name.h"
#include "db/remarks.h"
#include "db/systems.h"
#include "tuner/compare/comparison.h"
#include "tuner/emit/table_module.h"
#include "tuner/site/site_tables.h"
#include "tuner/base/process.h"

static int is_database(const char *path)
{
    char head[16] = "";
    FILE *in = fopen(path, "r");
    size_t got = in != NULL ? fread(head, 1, sizeof(head), in) : 0;

    if (in != NULL)
        fclose(in);
    return got == sizeof(head) && memcmp(head, "SQLite format 3", 16) == 0;
}

/* Find the folder name of a table's MPI library. */
static enum chorale_err mpi_of(const struct chorale_manage_opts *opts,
                               const char *path,
                               const struct chorale_table *table, char *tag,
                               size_t size, struct chorale_errmsg *msg)
{
    const char *library = table->mpi_library;

    if (opts->mpi != NULL) {
        snprintf(tag, size, "%s", opts->mpi);
        return CHORALE_OK;
    }
    if (library == NULL || library[0] == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "%s: its MPI library is "
                            "unknown; name its folder, as "
                            "--mpi mpich-4.0", path);
    chorale_site_mpi(library, tag, size);
    return CHORALE_OK;
}

static void show_table(const struct chorale_table *t)
{
    static const char is_mark[] = "exploratory: ";
    const char *covered = t->coverage != NULL ? t->coverage : "";
    const char *rest = strncmp(covered, is_mark, sizeof(is_mark) - 1) == 0
                           ? strstr(covered, "; ") : NULL;
    char library[CHORALE_MPI_NAME] = "", mark[CHORALE_EXPLORATORY_TEXT] = "";
    const char *const word[][2] = { { "table", mark },
                                    { "system", t->system },
                                    { "MPI", library },
                                    { "campaign", t->campaign },
                                    { "digest", t->digest },
                                    { "coverage", rest != NULL ? rest + 2
                                                              : covered } };

    if (t->mpi_library != NULL)
        chorale_mpi_name(t->mpi_library, library);
    if (rest != NULL)
        snprintf(mark, sizeof(mark), "%.*s", (int)(rest - covered), covered);
    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
        char text[200];

        if (word[i][1] == NULL || word[i][1][0] == '\0')
            continue;
        chorale_safe_text(text, sizeof(text), word[i][1]);
        printf("    %-9s %s\n", word[i][0], text);
    }
    if (t->nchoice <= 1) /* choice 0 is the library */
        printf("    %-9s nothing: all calls are the library's\n", "chooses");
}

static enum chorale_err install(const struct chorale_manage_opts *opts,
                                const char *path,
                                struct chorale_errmsg *msg)
{
    const struct chorale_table *table;
    struct chorale_place place;
    char mpi[80], name[256];
    enum chorale_err err = chorale_place_load(path, &table, msg);

    if (err == CHORALE_OK)
        err = mpi_of(opts, path, table, mpi, sizeof(mpi), msg);
    if (err == CHORALE_OK)
        err = chorale_place_set(&place, opts->folder, opts->cluster,
                                opts->partition, mpi, msg);
    if (err == CHORALE_OK)
        err = chorale_place_install(&place, path, name, msg);
    if (err == CHORALE_OK && !opts->quiet) {
        printf("%s/current is now %s\n", place.path, name);
        show_table(table);
    }
    return err;
}

static enum chorale_err list_place(const struct chorale_place *place,
                                   void *arg, struct chorale_errmsg *msg)
{
    long *count = arg;
    const struct chorale_table *table;
    struct chorale_current current;
    struct chorale_errmsg why = { "" };
    char path[PATH_MAX + 16];
    enum chorale_err err = chorale_place_current(place, &current, msg);

    if (err != CHORALE_OK)
        return err;
    ++*count;
    printf("%s/%s/%s: %s%s\n", place->cluster, place->partition, place->mpi,
           current.name, current.link ? "" : ", by hand");
    snprintf(path, sizeof(path), "%s/current", place->path);
    if (chorale_place_load(path, &table, &why) == CHORALE_OK)
        show_table(table);
    else
        printf("    unused:   %s\n", why.text);
    if (current.before > 0)
        printf("    %-9s table %ld\n", "before", current.before);
    return CHORALE_OK;
}

enum chorale_err chorale_tables_list(const struct chorale_manage_opts *opts,
                                     struct chorale_errmsg *msg)
{
    long count = 0;
    enum chorale_err err = chorale_places_each(opts->folder, list_place,
                                               &count, msg);

    if (err == CHORALE_OK && count == 0)
        printf("%s: no table\n", opts->folder);
    return err;
}

/* The only place that matches the options. */
struct chosen {
    const struct chorale_manage_opts *opts;
    struct chorale_place place;
    int count;
};

static enum chorale_err choose_place(const struct chorale_place *place,
                                     void *arg, struct chorale_errmsg *msg)
{
    struct chosen *chosen = arg;

    (void)msg;
    if (strcmp(place->cluster, chosen->opts->cluster) == 0 &&
        strcmp(place->partition, chosen->opts->partition) == 0 &&
        chosen->count++ == 0)
        chosen->place = *place;
    return CHORALE_OK;
}

static enum chorale_err find_place(const struct chorale_manage_opts *opts,
                                   struct chorale_place *place,
                                   struct chorale_errmsg *msg)
{
    struct chosen chosen = { .opts = opts };
    enum chorale_err err;

    if (opts->mpi != NULL)
        return chorale_place_set(place, opts->folder, opts->cluster,
                                 opts->partition, opts->mpi, msg);
    err = chorale_places_each(opts->folder, choose_place, &chosen, msg);
    if (err == CHORALE_OK && chosen.count == 0)
        err = chorale_fail(msg, CHORALE_USAGE, "%s/%s/%s: no table is "
                           "installed there; `chorale table list` shows where "
                           "tables are", opts->folder, opts->cluster,
                           opts->partition);
    if (err == CHORALE_OK && chosen.count != 1)
        err = chorale_fail(msg, CHORALE_USAGE, "%s/%s/%s: it has tables of %d "
                           "MPI libraries; name one with --mpi, as in `chorale "
                           "table list`", opts->folder,
                           opts->cluster, opts->partition, chosen.count);
    if (err == CHORALE_OK)
        *place = chosen.place;
    return err;
}

static enum chorale_err diff(const struct chorale_manage_opts *opts,
                             const char *path,
                             struct chorale_errmsg *msg)
{
    const struct chorale_table *from, *to;
    struct chorale_place place;
    struct chorale_current now;
    char current[PATH_MAX + 16], mpi[80];
    long lines;
    enum chorale_err err = chorale_place_load(path, &to, msg);

    if (err == CHORALE_OK)
        err = mpi_of(opts, path, to, mpi, sizeof(mpi), msg);
    if (err == CHORALE_OK)
        err = chorale_place_set(&place, opts->folder, opts->cluster,
                                opts->partition, mpi, msg);
    if (err == CHORALE_OK)
        err = chorale_place_current(&place, &now, msg);
    if (err != CHORALE_OK)
        return err;
    if (now.name[0] == '\0')
        return chorale_place_empty(&place, msg);
    snprintf(current, sizeof(current), "%s/current", place.path);
    err = chorale_place_load(current, &from, msg);
    if (err != CHORALE_OK)
        return err;
    printf("--- %s\n+++ %s\n", current, opts->named);
    lines = chorale_table_diff(from, to);
    if (lines == 0)
        printf("  the same choices at all compared points\n");
    return CHORALE_OK;
}

/* Run an action with a table, or with a temporary one made of a database. */
static enum chorale_err with_table(const struct chorale_manage_opts *opts,
                                   const char *path,
                                   enum chorale_err (*does)(
                                       const struct chorale_manage_opts *opts,
                                       const char *path,
                                       struct chorale_errmsg *msg),
                                   struct chorale_errmsg *msg)
{
    struct chorale_module module = { "", "" };
    enum chorale_err err;

    if (!is_database(path))
        return does(opts, path, msg);
    chorale_stop_catch(); /* so that temporary files are removed */
    err = chorale_module_make(&module, path, opts->system,
                              opts->allow_patented, msg);
    if (chorale_stop_requested())
        err = chorale_fail(msg, CHORALE_STOPPED, "table: stopped, the current "
                           "table is unchanged; repeat the command");
    if (err == CHORALE_OK)
        err = does(opts, module.path, msg);
    chorale_module_remove(&module);
    return err;
}

enum chorale_err chorale_tables_install(const struct chorale_manage_opts *opts,
                                        const char *file,
                                        struct chorale_errmsg *msg)
{
    return with_table(opts, file, install, msg);
}

enum chorale_err chorale_tables_diff(const struct chorale_manage_opts *opts,
                                     const char *file,
                                     struct chorale_errmsg *msg)
{
    return with_table(opts, file, diff, msg);
}

enum chorale_err chorale_tables_rollback(const struct chorale_manage_opts *opts,
                                         struct chorale_errmsg *msg)
{
    struct chorale_place place;
    struct chorale_current from, to;
    enum chorale_err err = find_place(opts, &place, msg);

    if (err == CHORALE_OK)
        err = chorale_place_rollback(&place, &from, &to, msg);
    if (err == CHORALE_OK && !opts->quiet && to.name[0] != '\0')
        printf("%s/current is %s again, and was %s\n", place.path, to.name,
               from.name);
    else if (err == CHORALE_OK && !opts->quiet)
        printf("%s has no current table again, as before %s\n", place.path,
               from.name);
    return err;
}

enum chorale_err chorale_tables_remove(const struct chorale_manage_opts *opts,
                                       struct chorale_errmsg *msg)
{
    struct chorale_place place;
    struct chorale_current from;
    enum chorale_err err = find_place(opts, &place, msg);

    if (err == CHORALE_OK)
        err = chorale_place_remove(&place, &from, msg);
    if (err == CHORALE_OK && !opts->quiet)
        printf("%s has no current table now; it was %s\n", place.path,
               from.name);
    return err;
}
