/* SPDX-License-Identifier: BSD-3-Clause */
/* generate.c - the verb `generate`: writes the decision table of a system in a
 * loadable format. Files are replaced only when complete and checked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/systems.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"
#include "tuner/base/verb.h"
#include "tuner/emit/compile_c.h"
#include "tuner/emit/verify_c.h"
#include "tuner/rules/rules.h"

struct opts {
    const char *format, *output, *system;
    int allow_patented, no_check, commutative, quiet;
    long check_ranks;
};

static const struct chorale_rule_format *const formats[] = {
    &chorale_rules_mpich_json,
    &chorale_rules_ompi_classic,
    &chorale_rules_ompi_json,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static int ends_in(const char *path, const char *suffix)
{
    size_t len = strlen(path), add = strlen(suffix);

    return len > add && strcmp(path + len - add, suffix) == 0;
}

/* Compile the temporary file, and ask the table on both sides of each border.
 * The check compiles without a name that ends in .c. */
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

/* Both files complete and checked, then both in place: the header first, so
 * that a table never stands beside an older interface. check is NULL where
 * there is no compiler. */
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
        names->header = err == CHORALE_OK ? base(header.path) : "";
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

/* Find a rules format of an MPI library: *rules_p, NULL for "c". */
static enum chorale_err find_format(const char *format,
                                    const struct chorale_rule_format **rules_p,
                                    struct chorale_errmsg *msg)
{
    char known[400] = "";
    size_t used = 0;

    if (strcmp(format, "c") == 0)
        return CHORALE_OK;
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (strcmp(formats[i]->format, format) == 0)
            *rules_p = formats[i];
        used += (size_t)snprintf(known + used, sizeof(known) - used,
                                 ", %s (%s)", formats[i]->format,
                                 formats[i]->summary);
    }
    if (*rules_p != NULL)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_USAGE, "--format %s: unknown format;"
                        " choose c (one self-contained C99 file and its"
                        " header)%s", format, known);
}

static enum chorale_err check_output(const struct opts *opts,
                                     struct chorale_errmsg *msg)
{
    struct stat st;

    if (opts->output == NULL || *opts->output == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "generate: -o FILE is"
                            " missing; name the file to write, as"
                            " -o table.c");
    if (strcmp(opts->output, "-") == 0)
        return chorale_fail(msg, CHORALE_USAGE, "-o -: a table is two files, "
                            "which standard output cannot hold; name one, for "
                            "example -o table.c");
    if (ends_in(opts->output, ".h"))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: name the .c file; the"
                            " header goes beside it", opts->output);
    if (stat(opts->output, &st) == 0 && !S_ISREG(st.st_mode))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: is not a file; name a"
                            " file to write", opts->output);
    return chorale_output_check(opts->output, msg);
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

static enum chorale_err generate(struct chorale_store *store,
                                 sqlite3_int64 system_id, const char *path,
                                 const struct opts *opts,
                                 struct chorale_errmsg *msg)
{
    const int can_compile = chorale_c_compiler() != NULL;
    struct chorale_emit_check *check = NULL;
    struct chorale_emit_names names = { base(opts->output), "", base(path),
                                        NULL };
    struct chorale_emit_table table;
    char said[400] = "";
    enum chorale_err err;

    memset(&table, 0, sizeof(table));
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
            said, sizeof(said), "checked: compiled, and asked at %zu points on"
            " both sides of each border\n", chorale_emit_check_points(check))
            : (size_t)snprintf(said, sizeof(said), "not checked: no C compiler"
            " is in PATH or in CC\n");
        if (unknown > 0)
            snprintf(said + used, sizeof(said) - used, "unknown: %zu decision%s"
                     " left to the library, as this build lacks the variant"
                     " or parameter\n", unknown,
                     unknown == 1 ? "" : "s");
        names.said = said;
        err = write_files(&table, can_compile ? check : NULL, opts->output,
                          &names, msg);
    }
    if (err == CHORALE_OK && !opts->quiet)
        fputs(said, stdout);
    chorale_emit_check_free(check);
    chorale_emit_release(&table);
    return err;
}

static enum chorale_err generate_rules(
    struct chorale_store *store, sqlite3_int64 system_id, const char *path,
    const struct opts *opts, const struct chorale_rule_format *format,
    struct chorale_errmsg *msg)
{
    const struct chorale_rules_job job = {
        .format = format,
        .opts = { opts->commutative },
        .output = opts->output,
        .database = path,
        .no_check = opts->no_check,
        .quiet = opts->quiet,
        .max_ranks = (int)opts->check_ranks,
    };

    chorale_stop_catch();
    return chorale_rules_generate(store, system_id, &job, msg);
}

/* Refuse options that apply only to the other kind of format. */
static enum chorale_err check_options(const struct opts *opts, int rules,
                                      struct chorale_errmsg *msg)
{
    const char *name = NULL;

    if (rules && opts->allow_patented)
        name = "allow-patented";
    else if (!rules && opts->no_check)
        name = "no-check";
    else if (!rules && opts->commutative)
        name = "commutative";
    if (name == NULL)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_USAGE, "--%s does not apply to --format"
                        " %s; leave it out", name, opts->format);
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { .format = "c", .check_ranks = 16 };
    const struct chorale_rule_format *format = NULL;
    struct chorale_store *store = NULL;
    sqlite3_int64 system_id = 0;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    err = find_format(opts.format, &format, msg);
    if (err == CHORALE_OK)
        err = check_output(&opts, msg);
    if (err == CHORALE_OK)
        err = check_options(&opts, format != NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_store_open(argv[1], CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts.system, &system_id, NULL, msg);
    if (err == CHORALE_OK)
        err = format != NULL ? generate_rules(store, system_id, argv[1], &opts,
                                              format, msg)
                             : generate(store, system_id, argv[1], &opts, msg);
    chorale_store_close(store);
    return err;
}

static const struct chorale_opt rows[] = {
    { "format", 0, CHORALE_OPT_TEXT, offsetof(struct opts, format),
      "c|mpich-json|ompi-rules|ompi-json",
      "c writes one self-contained C99 file and its header beside it; "
      "mpich-json, ompi-rules and ompi-json write rules by which the MPI "
      "library selects among its own algorithms (default: c)", 0,
      0 },
    { "check-ranks", 0, CHORALE_OPT_INT, offsetof(struct opts, check_ranks),
      "N", "for rules files: start at most this many ranks to check"
      " what the library does with them (default: 16)", 2, 4096 },
    { "no-check", 0, CHORALE_OPT_FLAG, offsetof(struct opts, no_check), NULL,
      "do not load the rules into the library; the file notes this", 0, 0 },
    { "commutative", 0, CHORALE_OPT_FLAG, offsetof(struct opts, commutative),
      NULL, "all operations of the programs commute: allow Open MPI's"
      " algorithms that reorder operands", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, allow_patented), NULL,
      "allow patented variants in the table", 0, 0 },
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(struct opts, output), "FILE",
      "file to write; replaced atomically", 0, 0 },
    { "quiet", 'q', CHORALE_OPT_FLAG, offsetof(struct opts, quiet), NULL,
      "do not print the checks; the files list them", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "system whose table to write, if there are several", 0, 0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_generate = {
    .name = "generate",
    .args = "results.db",
    .summary = "write the decisions as a dispatch table",
    .detail =
        "Writes the decisions of a system as one C99 file and a header:"
        " constant tables and, for each collective, a function that selects by"
        " n, the bytes of the operation, and the number of ranks. It needs no"
        " MPI, allocates nothing, and answers for any n and any number of"
        " ranks; what was not measured is the library's default. Compiled as"
        " a shared object it is what libchorale_pmpi.so loads.\n"
        "A reduction measured with several types and operations is"
        " represented by double and sum, or else by the first by name."
        " Functions of the unshaped kind answer where the measured shapes of"
        " nodes agree; the others take the shape. Its heading says where it"
        " was measured, what is decided, and what was checked: before it is"
        " put in place it is compiled and loaded, and its answers are compared"
        " with the decisions on both sides of each border, of n and of the"
        " number of ranks, for each shape; if one differs nothing is written."
        " Without a C compiler (CC, cc, gcc, clang) it is not checked.\n"
        "The same database gives the same bytes.\n"
        "The other formats are read by the MPI library, which then selects "
        "among its own algorithms: those that `chorale plan --providers "
        "native` measured and `chorale decide` chose. They are for the "
        "measured library and version. Decisions that a format cannot express "
        "are left to the library and listed. This list, the environment and "
        "instructions for use are in the file, or beside it in FILE.txt. "
        "Before a file replaces an older one it is read back on both sides of "
        "each border and loaded into the library. The messages that the "
        "library sends there are compared with those of the chosen algorithm; "
        "points that could not be run are reported.",
    .example = "chorale generate results.db --format c -o table.c\n"
               "cc -shared -fPIC -o table.so table.c\n"
               "chorale generate results.db --format mpich-json -o sel.json",
    .opt = rows,
    .run = run,
};
