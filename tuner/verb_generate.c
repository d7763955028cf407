/* SPDX-License-Identifier: BSD-3-Clause */
/* verb_generate.c - `chorale generate`: write the decision table of a system
 * in a format that something else loads, whole or not at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/systems.h"
#include "tuner/emit.h"
#include "tuner/output.h"
#include "tuner/verb.h"

struct opts {
    const char *format, *output, *system;
    int allow_patented;
};

static const struct chorale_emitter *const emitters[] = {
    &chorale_emit_c,
};

#define NEMITTER (sizeof(emitters) / sizeof(emitters[0]))

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

/* Both files complete, then both in place: the header first, so that a table
 * never stands beside an older interface. */
static enum chorale_err write_files(const struct chorale_emitter *emitter,
                                    const struct chorale_emit_table *table,
                                    const char *path, const char *database,
                                    struct chorale_errmsg *msg)
{
    struct chorale_output source = { NULL, NULL, NULL };
    struct chorale_output header = { NULL, NULL, NULL };
    struct chorale_emit_names names = { base(path), "", base(database) };
    char *stem = strdup(path);
    enum chorale_err err;

    if (stem == NULL)
        return chorale_fail(msg, CHORALE_ENV, "generate: out of memory");
    if (ends_in(stem, ".c"))
        stem[strlen(stem) - 2] = '\0';
    err = chorale_output_open(&source, path, "", msg);
    if (err == CHORALE_OK && emitter->header != NULL) {
        err = chorale_output_open(&header, stem, emitter->header, msg);
        names.header = err == CHORALE_OK ? base(header.path) : "";
    }
    if (err == CHORALE_OK)
        err = emitter->emit(table, &names, source.stream, header.stream, msg);
    if (err == CHORALE_OK)
        err = chorale_output_close(&source, msg);
    if (err == CHORALE_OK && header.stream != NULL)
        err = chorale_output_close(&header, msg);
    if (err == CHORALE_OK && header.temporary != NULL)
        err = chorale_output_commit(&header, msg);
    if (err == CHORALE_OK)
        err = chorale_output_commit(&source, msg);
    chorale_output_release(&source);
    chorale_output_release(&header);
    free(stem);
    return err;
}

static enum chorale_err find_emitter(const char *format,
                                     const struct chorale_emitter **emitter_p,
                                     struct chorale_errmsg *msg)
{
    char known[256] = "";

    for (size_t i = 0; i < NEMITTER; i++) {
        size_t used = strlen(known);

        if (strcmp(emitters[i]->format, format) == 0) {
            *emitter_p = emitters[i];
            return CHORALE_OK;
        }
        snprintf(known + used, sizeof(known) - used, "%s%s (%s)",
                 i > 0 ? ", " : "", emitters[i]->format, emitters[i]->summary);
    }
    return chorale_fail(msg, CHORALE_USAGE, "--format %s: no such format;"
                        " there is: %s", format, known);
}

static enum chorale_err check_output(const struct opts *opts,
                                     struct chorale_errmsg *msg)
{
    struct stat st;

    if (opts->output == NULL || *opts->output == '\0')
        return chorale_fail(msg, CHORALE_USAGE, "generate: -o FILE is"
                            " missing: where to write, for example"
                            " -o table.c");
    if (ends_in(opts->output, ".h"))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: name the .c file; the"
                            " header goes beside it", opts->output);
    if (stat(opts->output, &st) == 0 && !S_ISREG(st.st_mode))
        return chorale_fail(msg, CHORALE_USAGE, "-o %s: is not a file; name a"
                            " file to write", opts->output);
    return CHORALE_OK;
}

/* The table may come from elsewhere: what it names must be allowed here. */
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
                                        : ", or say --allow-patented");
    }
    return CHORALE_OK;
}

static enum chorale_err generate(const char *path, const struct opts *opts,
                                 const struct chorale_emitter *emitter,
                                 struct chorale_errmsg *msg)
{
    struct chorale_emit_table table;
    struct chorale_store *store = NULL;
    sqlite3_int64 system_id = 0;
    int simulated = 0;
    enum chorale_err err;

    memset(&table, 0, sizeof(table));
    err = chorale_store_open(path, CHORALE_STORE_READ, &store, msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, opts->system, &system_id, &simulated,
                                   msg);
    if (err == CHORALE_OK)
        err = chorale_emit_load(store, system_id, &table, msg);
    if (err == CHORALE_OK)
        err = check_choices(&table, path, opts->allow_patented, msg);
    if (err == CHORALE_OK)
        err = write_files(emitter, &table, opts->output, path, msg);
    chorale_emit_release(&table);
    chorale_store_close(store);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = { "c", NULL, NULL, 0 };
    const struct chorale_emitter *emitter = NULL;
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 1, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    err = find_emitter(opts.format, &emitter, msg);
    if (err == CHORALE_OK)
        err = check_output(&opts, msg);
    if (err == CHORALE_OK)
        err = generate(argv[1], &opts, emitter, msg);
    return err;
}

static const struct chorale_opt rows[] = {
    { "format", 0, CHORALE_OPT_TEXT, offsetof(struct opts, format), "FORMAT",
      "what to write: c, one C99 file that compiles alone, and its header"
      " beside it (default: c)", 0, 0 },
    { "allow-patented", 0, CHORALE_OPT_FLAG,
      offsetof(struct opts, allow_patented), NULL,
      "write a table that chooses variants under a patent", 0, 0 },
    { "output", 'o', CHORALE_OPT_TEXT, offsetof(struct opts, output), "FILE",
      "the file to write; replaced as a whole", 0, 0 },
    { "system", 0, CHORALE_OPT_TEXT, offsetof(struct opts, system), "NAME",
      "the system whose table to write, where there are several", 0, 0 },
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
        " nodes agree; the others take the shape.\n"
        "The same database gives the same bytes.",
    .example = "chorale generate results.db --format c -o table.c\n"
               "cc -shared -fPIC -o table.so table.c",
    .opt = rows,
    .run = run,
};
