/* SPDX-License-Identifier: BSD-3-Clause */
/* generate.c - write a decision table as C. Files are replaced only when
 * complete and checked. */
#include "tuner/emit/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/remarks.h"
#include "db/systems.h"
#include "tuner/base/output.h"
#include "tuner/emit/compile_c.h"
#include "tuner/emit/verify_c.h"
#include "tuner/base/units.h"

static int ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), add = strlen(suffix);

    return len > add && strcmp(path + len - add, suffix) == 0;
}

/* Compile the temporary file, whose name does not end in .c, and check the
 * table on both sides of each border. */
static enum chorale_err check_file(const struct chorale_emit_check *check,
                                   const struct chorale_output *output,
                                   struct chorale_errmsg *msg)
{
    const struct chorale_table *table = NULL;
    enum chorale_err err = chorale_c_load(output->temporary, &table, msg);

    if (err == CHORALE_OK)
        err = chorale_emit_check_compiled(check, table, msg);
    return err;
}

/* Write and check both files, then rename both: the header first, so that a
 * table never stands beside an older interface. check is NULL without a
 * compiler. */
static enum chorale_err write_files(const struct chorale_emit_table *table,
                                    const struct chorale_emit_check *check,
                                    const char *path,
                                    struct chorale_emit_names *names,
                                    struct chorale_errmsg *msg)
{
    struct chorale_output source = { NULL, NULL, NULL };
    struct chorale_output header = { NULL, NULL, NULL };
    char *stem = strdup(path);
    enum chorale_err err;

    if (stem == NULL)
        return chorale_fail_memory(msg, "generate");
    if (ends_in(stem, ".c"))
        stem[strlen(stem) - 2] = '\0';
    err = chorale_output_open(&source, path, "", msg);
    if (err == CHORALE_OK) {
        err = chorale_output_open(&header, stem, ".h", msg);
        names->header = err == CHORALE_OK ? chorale_output_base(header.path)
                                          : "";
    }
    if (err == CHORALE_OK)
        err = chorale_emit_c(table, names, source.stream, header.stream, msg);
    if (err == CHORALE_OK)
        err = chorale_output_close(&source, msg);
    if (err == CHORALE_OK)
        err = chorale_output_close(&header, msg);
    if (err == CHORALE_OK && check != NULL)
        err = check_file(check, &source, msg);
    if (err == CHORALE_OK)
        err = chorale_output_commit(&header, msg);
    if (err == CHORALE_OK)
        err = chorale_output_commit(&source, msg);
    chorale_output_release(&source);
    chorale_output_release(&header);
    free(stem);
    return err;
}

enum chorale_err chorale_generate_check(const char *output,
                                        struct chorale_errmsg *msg)
{
    enum chorale_err err;

    if (output == NULL || *output == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "generate: -o FILE is"
                            " missing; name the file to write, as"
                            " -o table.c");
    if (strcmp(output, "-") == 0)
        return chorale_fail(msg, CHORALE_USAGE, "-o -: a table is two files, "
                            "which standard output cannot hold; name one, for "
                            "example -o table.c");
    if (ends_in(output, ".h"))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: name the .c file; the"
                            " header goes beside it", output);
    err = chorale_output_file(output, NULL, msg);
    return err == CHORALE_OK ? chorale_output_check(output, msg) : err;
}

/* Check that the variants may be used here; the table may come from another
 * build. */
static enum chorale_err check_choices(const struct chorale_emit_table *table,
                                      const char *path, int allow_patented,
                                      struct chorale_errmsg *msg)
{
    for (size_t i = 1; i < table->nchoice; i++) {
        const struct chorale_alg *alg = table->choice[i].alg;
        const char *no = chorale_alg_unselectable(alg, allow_patented);

        if (no != NULL)
            return chorale_fail(msg, CHORALE_DATA,
                                "%s: its table chooses %s %s: %s; run "
                                "`chorale decide` again%s", path,
                                chorale_coll_info(alg->coll)->name, alg->name,
                                no, alg->unselectable != NULL
                                        ? ""
                                        : ", or add --allow-patented");
    }
    return CHORALE_OK;
}

enum chorale_err chorale_generate_remarks(struct chorale_store *store,
                                          sqlite3_int64 system_id,
                                          struct chorale_errmsg *msg)
{
    char loaded[CHORALE_LOADED_TEXT], tuned[CHORALE_LOADED_TEXT];
    char exploratory[CHORALE_EXPLORATORY_TEXT];
    const char *const remark[] = { loaded, tuned, exploratory };
    enum chorale_err err = chorale_loaded_runs(store, system_id, loaded, msg);

    if (err == CHORALE_OK)
        err = chorale_self_tuning(store, system_id, tuned, msg);
    if (err == CHORALE_OK)
        err = chorale_exploratory(store, system_id, exploratory, msg);
    for (size_t i = 0; err == CHORALE_OK && i < 3; i++)
        if (remark[i][0] != '\0')
            printf("%s\n", remark[i]);
    return err;
}

enum chorale_err chorale_table_generate(
    const char *path, const struct chorale_generate_opts *opts,
    struct chorale_errmsg *msg)
{
    const int can_compile = chorale_c_compiler() != NULL;
    struct chorale_store *store = NULL;
    struct chorale_emit_check *check = NULL;
    struct chorale_emit_names names = {
        .header = "", .database = chorale_output_base(path),
    };
    struct chorale_emit_table table;
    sqlite3_int64 system_id = 0;
    char said[400] = "";
    enum chorale_err err = chorale_generate_check(opts->output, msg);

    memset(&table, 0, sizeof(table));
    if (err == CHORALE_OK)
        err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts->system, &system_id, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = check_choices(&table, path, opts->allow_patented, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_check_load(store, system_id, &check, msg);
    if (err == CHORALE_OK)
        err = chorale_emit_check(check, chorale_emit_check_table, &table, msg);
    if (err == CHORALE_OK) {
        size_t unknown = chorale_emit_check_unknown(check), used;

        used = can_compile ? (size_t)snprintf(
            said, sizeof(said), "checked: compiled, and asked at %zu point%s on"
            " both sides of each border\n", chorale_emit_check_points(check),
            chorale_plural((long long)chorale_emit_check_points(check)))
            : (size_t)snprintf(said, sizeof(said), "not checked: no C compiler"
            " is in PATH or in CC\n");
        if (unknown > 0)
            snprintf(said + used, sizeof(said) - used, "unknown: %zu decision%s"
                     " left to the library, as this build lacks the variant"
                     " or parameter\n", unknown,
                     unknown == 1 ? "" : "s");
        names.source = chorale_output_base(opts->output);
        names.said = said;
        err = write_files(&table, can_compile ? check : NULL, opts->output,
                          &names, msg);
    }
    if (err == CHORALE_OK && !opts->quiet)
        fputs(said, stdout);
    if (err == CHORALE_OK && !opts->quiet)
        err = chorale_generate_remarks(store, system_id, msg);
    chorale_emit_check_free(check);
    chorale_emit_release(&table);
    chorale_store_close(store);
    return err;
}
