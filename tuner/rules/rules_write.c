/* SPDX-License-Identifier: BSD-3-Clause */
/* rules_write.c - writes rules files under temporary names, checks them, and
 * renames them together. */
#include "config.h"

#include "tuner/rules/rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/remarks.h"
#include "algorithms/mpi_name.h"
#include "db/systems.h"
#include "tuner/emit/generate.h"
#include "tuner/emit/table.h"
#include "tuner/base/output.h"
#include "tuner/base/process.h"
#include "tuner/base/shell_quote.h"
#include "tuner/base/units.h"
#include "tuner/run/launcher.h"

/* --- the heading --------------------------------------------------------- */

/* Write a heading line: a fixed word and a text from the database. */
static void line(FILE *out, const char *prefix, const char *word,
                 const char *text, const char *rest)
{
    fprintf(out, "%s%s", prefix, word);
    chorale_emit_comment(out, text, strcspn(text, "\n"));
    fprintf(out, "%s\n", rest);
}

/* The same with a shell-quoted command-line argument. */
static void word_line(FILE *out, const char *prefix, const char *option,
                      const char *word, const char *rest)
{
    enum { LONGEST = 255 };
    char cut[LONGEST + 1], quoted[4 * LONGEST + 4];

    snprintf(cut, sizeof(cut), "%.*s", (int)strcspn(word, "\n"), word);
    line(out, prefix, option, chorale_shell_word(cut, quoted, sizeof(quoted)),
         rest);
}

/* The row of another number of ranks that is left out like r, or NULL. */
static const struct chorale_rule *likewise(const struct chorale_rules *rules,
                                           const struct chorale_rule *r,
                                           int comm_size)
{
    for (size_t i = 0; i < rules->count; i++) {
        const struct chorale_rule *o = &rules->rule[i];

        if (o->left == r->left && o->coll == r->coll &&
            o->comm_size == comm_size && o->shape == r->shape &&
            (o->ppn == r->ppn || o->shape == CHORALE_SHAPE_SINGLE_NODE) &&
            o->lo == r->lo && o->hi == r->hi && strcmp(o->name, r->name) == 0)
            return o;
    }
    return NULL;
}

static void left_out(FILE *out, const char *prefix,
                     const struct chorale_rules *rules)
{
    size_t said = 0, left = 0;

    for (size_t i = 0; i < rules->count; i++) {
        const struct chorale_rule *r = &rules->rule[i];

        left += r->left != NULL && r->name[0] != '\0';
        said += r->left == NULL && !r->projected && r->name[0] != '\0';
    }
    fprintf(out, "%ssize ranges with an algorithm: %zu; left to the"
            " library: %zu\n", prefix, said, left);
    for (size_t i = 0; i < rules->count; i++) {
        const struct chorale_rule *r = &rules->rule[i];
        int last = r->comm_size;

        /* A row without a name chooses the library's default, which a reader
         * of the list expects of every row that is left out. */
        if (r->left == NULL || r->name[0] == '\0' ||
            likewise(rules, r, r->comm_size - 1) != NULL)
            continue;
        while (likewise(rules, r, last + 1) != NULL)
            last++;
        fprintf(out, "%s  %s %s, P = %d", prefix,
                chorale_coll_info(r->coll)->name, r->name, r->comm_size);
        if (last > r->comm_size)
            fprintf(out, "-%d", last);
        fprintf(out, ", %d a node, n = %llu ... %llu: %s\n", r->ppn, r->lo,
                r->hi, r->left);
    }
}

static void use(FILE *out, const char *prefix,
                const struct chorale_rules *rules,
                const struct chorale_rules_job *job,
                const struct chorale_rule_files *files)
{
    const struct chorale_rule_format *f = job->format;
    const char *name = chorale_output_base(job->output);
    size_t stem = strlen(name), end = strlen(f->suffix[0]);

    if (stem > end && strcmp(name + stem - end, f->suffix[0]) == 0)
        stem -= end;
    fprintf(out, "%sTo use it, set (with the path of its folder):\n", prefix);
    for (int i = 0; i < CHORALE_RULE_FILES; i++)
        if (f->variable[i] != NULL && files->text[i] != NULL) {
            fprintf(out, "%s  %s=/path/to/", prefix,
                    rules->variable[i] != NULL ? rules->variable[i]
                                               : f->variable[i]);
            chorale_emit_comment(out, name, i == 0 ? strlen(name) : stem);
            fprintf(out, "%s\n", i == 0 ? "" : f->suffix[i]);
            if (f->setting[i] != NULL)
                fprintf(out, "%s  %s\n", prefix, f->setting[i]);
        }
    chorale_emit_lines(out, prefix, f->caution);
    if (f->warn != NULL)
        f->warn(out, prefix, rules);
    if (job->opts.commutative)
        fprintf(out, "%sFor programs whose operations all commute"
                " (--commutative).\n", prefix);
}

/* Write the heading of a table, each line after prefix: its origin, contents
 * and omissions, how to use it, and the checks. Printable ASCII. */
static void heading(FILE *out, const char *prefix,
                    const struct chorale_rules *rules,
                    const struct chorale_rules_job *job,
                    const struct chorale_rule_files *files, const char *said)
{
    char library[CHORALE_MPI_NAME];

    fprintf(out, "%sSelection of collective algorithms, written by\n%s"
            "  chorale generate --format %s", prefix, prefix,
            job->format->format);
    word_line(out, " --system ", "", rules->origin.system, " \\");
    word_line(out, prefix, "    -o ", chorale_output_base(job->output), " \\");
    word_line(out, prefix, "    ", chorale_output_base(job->database), "");
    line(out, prefix, "Campaign ", rules->origin.campaign, "");
    chorale_mpi_name(rules->origin.mpi_library, library);
    line(out, prefix, "MPI library ", library, "");
    fprintf(out, "%sEnvironment\n", prefix);
    chorale_emit_lines(out, prefix, rules->origin.environment);
    fprintf(out, "%sCollectives\n", prefix);
    chorale_emit_lines(out, prefix, rules->kinds);
    left_out(out, prefix, rules);
    use(out, prefix, rules, job, files);
    fprintf(out, "%sChecks:\n", prefix);
    chorale_emit_lines(out, prefix, said);
}

/* --- files --------------------------------------------------------------- */

enum { NOTES = CHORALE_RULE_FILES, OUTPUTS };

struct writing {
    const struct chorale_rules_job *job;
    struct chorale_rules rules;
    struct chorale_rule_files files;
    struct chorale_rule_point *point;
    size_t npoint;
    struct chorale_output output[OUTPUTS];
    struct chorale_rule_check check;
};

/* The path of one of the files: -o itself or a file beside it. The caller frees
 * it. */
static char *file_path(const struct chorale_rules_job *job, int i)
{
    const char *const *suffix = job->format->suffix;
    size_t stem = strlen(job->output), end = strlen(suffix[0]);
    char *path;

    if (i == 0)
        return strdup(job->output);
    if (i == NOTES)
        return asprintf(&path, "%s.txt", job->output) < 0 ? NULL : path;
    if (stem > end && strcmp(job->output + stem - end, suffix[0]) == 0)
        stem -= end;
    return asprintf(&path, "%.*s%s", (int)stem, job->output, suffix[i]) < 0
               ? NULL
               : path;
}

static enum chorale_err open_file(struct writing *w, int i, const char *text,
                                  struct chorale_errmsg *msg)
{
    char *path = file_path(w->job, i);
    enum chorale_err err;

    if (path == NULL)
        return chorale_fail_memory(msg, "generate");
    err = chorale_output_open(&w->output[i], path, "", msg);
    free(path);
    if (err == CHORALE_OK && text != NULL) {
        fputs(text, w->output[i].stream);
        err = chorale_output_close(&w->output[i], msg);
    }
    return err;
}

static enum chorale_err read_back(struct writing *w,
                                  struct chorale_errmsg *msg)
{
    return chorale_rules_read_back(w->job->format, &w->rules, &w->files,
                                   w->point, w->npoint, msg);
}

/* Load the temporary files into the library and report the checks, or why they
 * were not made. */
static enum chorale_err try_files(struct writing *w,
                                  struct chorale_errmsg *msg)
{
    const struct chorale_rule_format *format = w->job->format;
    char *path[CHORALE_RULE_FILES] = { NULL };
    enum chorale_err err = CHORALE_OK;
    size_t used = (size_t)snprintf(
        w->check.said, sizeof(w->check.said),
        "read back: %zu point%s on both sides of each border, as decided\n",
        w->npoint, chorale_plural((long long)w->npoint));

    if (w->job->no_check || format->not_loaded != NULL) {
        snprintf(w->check.said + used, sizeof(w->check.said) - used,
                 "not loaded into the library: %s\n",
                 w->job->no_check ? "--no-check" : format->not_loaded);
        return CHORALE_OK;
    }
    for (int i = 0; i < CHORALE_RULE_FILES; i++)
        if (w->files.text[i] != NULL &&
            (path[i] = realpath(w->output[i].temporary, NULL)) == NULL)
            err = chorale_fail_memory(msg, "generate");
    if (err == CHORALE_OK)
        err = chorale_rules_try(format, &w->rules, path, w->point, w->npoint,
                                &w->check, msg);
    for (int i = 0; i < CHORALE_RULE_FILES; i++)
        free(path[i]);
    return err;
}

/* Write the origin of the table at the top of a further file that has comments,
 * as it may be passed on alone. */
static enum chorale_err add_origin(struct writing *w, int i,
                                   struct chorale_errmsg *msg)
{
    const char *comment = w->job->format->comment;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return chorale_fail_memory(msg, "generate");
    line(out, comment, "Belongs to ", chorale_output_base(w->job->output),
         ", which describes both.");
    chorale_emit_lines(out, comment, w->rules.origin.environment);
    fputs(w->files.text[i], out);
    if (fclose(out) != 0) {
        free(text);
        return chorale_fail_memory(msg, "generate");
    }
    free(w->files.text[i]);
    w->files.text[i] = text;
    chorale_output_release(&w->output[i]);
    memset(&w->output[i], 0, sizeof(w->output[i]));
    return open_file(w, i, text, msg);
}

/* Write the heading at the top of the file if the format has comments, else
 * into a file beside it. */
static enum chorale_err add_heading(struct writing *w,
                                    struct chorale_errmsg *msg)
{
    const char *comment = w->job->format->comment, *body = w->files.text[0];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    enum chorale_err err;

    if (out == NULL)
        return chorale_fail_memory(msg, "generate");
    /* A file's version comes before comments. */
    if (strncmp(w->files.text[0], "rule-file-version", 17) == 0) {
        body += strcspn(body, "\n") + 1;
        fprintf(out, "%.*s", (int)(body - w->files.text[0]),
                w->files.text[0]);
    }
    heading(out, comment != NULL ? comment : "", &w->rules, w->job,
            &w->files, w->check.said);
    if (comment != NULL)
        fputs(body, out);
    if (fclose(out) != 0) {
        free(text);
        return chorale_fail_memory(msg, "generate");
    }
    if (comment == NULL) {
        err = open_file(w, NOTES, text, msg);
        free(text);
        return err;
    }
    free(w->files.text[0]);
    w->files.text[0] = text;
    chorale_output_release(&w->output[0]);
    memset(&w->output[0], 0, sizeof(w->output[0]));
    err = read_back(w, msg);
    return err == CHORALE_OK ? open_file(w, 0, text, msg) : err;
}

static enum chorale_err write_all(struct writing *w,
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err = w->job->format->emit(&w->rules, &w->files, msg);

    if (err == CHORALE_OK)
        err = read_back(w, msg);
    for (int i = 0; i < CHORALE_RULE_FILES && err == CHORALE_OK; i++)
        if (w->files.text[i] != NULL)
            err = open_file(w, i, w->files.text[i], msg);
    if (err == CHORALE_OK)
        err = try_files(w, msg);
    for (int i = 1; i < CHORALE_RULE_FILES && err == CHORALE_OK; i++)
        if (w->files.text[i] != NULL && w->job->format->comment != NULL)
            err = add_origin(w, i, msg);
    if (err == CHORALE_OK)
        err = add_heading(w, msg);
    for (int i = OUTPUTS - 1; i >= 0 && err == CHORALE_OK; i--)
        if (w->output[i].temporary != NULL)
            err = chorale_output_commit(&w->output[i], msg);
    return err;
}

/* Print the command that starts a program with the files. */
static enum chorale_err print_use(const struct writing *w,
                                  struct chorale_errmsg *msg)
{
    const struct chorale_rule_format *f = w->job->format;

    printf("to use %s, start programs as\n",
           w->files.text[1] != NULL ? "them" : "it");
    for (int i = 0; i < CHORALE_RULE_FILES; i++) {
        char whole[PATH_MAX], quoted[4 * PATH_MAX];
        char *path;

        if (f->variable[i] == NULL || w->files.text[i] == NULL)
            continue;
        path = file_path(w->job, i);
        if (path == NULL || realpath(path, whole) == NULL) {
            free(path);
            return chorale_fail_memory(msg, "generate");
        }
        free(path);
        printf("  %s=%s \\\n", w->rules.variable[i] != NULL
                                  ? w->rules.variable[i] : f->variable[i],
               chorale_shell_word(whole, quoted, sizeof(quoted)));
        if (f->setting[i] != NULL)
            printf("  %s \\\n", f->setting[i]);
    }
    printf("  %s ...\n", chorale_mpiexec());
    return CHORALE_OK;
}

enum chorale_err chorale_rules_generate(const struct chorale_rules_job *job,
                                        struct chorale_errmsg *msg)
{
    const char *library = job->format->library;
    char name[CHORALE_MPI_NAME];
    struct writing w = { .job = job, .check = { .max_ranks =
                                                     (int)job->max_ranks } };
    struct chorale_store *store = NULL;
    sqlite3_int64 system_id = 0;
    enum chorale_err err = chorale_generate_check(job->output, msg);

    chorale_stop_catch();
    if (err == CHORALE_OK)
        err = chorale_store_open(job->database, CHORALE_STORE_READ, &store,
                                 msg);
    if (err == CHORALE_OK)
        err = chorale_store_system(store, job->system, &system_id, NULL, msg);
    if (err == CHORALE_OK)
        err = chorale_rules_load(store, system_id, &w.rules, msg);
    if (err == CHORALE_OK && strcmp(w.rules.origin.mpi_library,
                                    CHORALE_IMPORT_MPI) == 0)
        err = chorale_fail(msg, CHORALE_USAGE, "system %.100s was imported "
                           "without its MPI library; import it into a new "
                           "database with --mpi '%s VERSION'",
                           w.rules.origin.system, library);
    if (err == CHORALE_OK &&
        strncmp(w.rules.origin.mpi_library, library, strlen(library)) != 0) {
        chorale_mpi_name(w.rules.origin.mpi_library, name);
        err = chorale_fail(msg, CHORALE_USAGE, "--format %s is for %s, but "
                           "system %s was measured with %.100s, which has "
                           "other algorithms; name another --format or "
                           "--system", job->format->format, library,
                           w.rules.origin.system, name);
    }
    if (err == CHORALE_OK)
        err = job->format->prepare(&w.rules, &job->opts, msg);
    if (err == CHORALE_OK)
        err = chorale_rule_points(&w.rules, &w.point, &w.npoint, msg);
    if (err == CHORALE_OK)
        err = write_all(&w, msg);
    if (err == CHORALE_OK && !job->quiet)
        fputs(w.check.said, stdout);
    if (err == CHORALE_OK && !job->quiet)
        err = chorale_generate_remarks(store, system_id, msg);
    if (err == CHORALE_OK && !job->quiet)
        err = print_use(&w, msg);
    for (int i = 0; i < OUTPUTS; i++)
        chorale_output_release(&w.output[i]);
    for (int i = 0; i < CHORALE_RULE_FILES; i++)
        free(w.files.text[i]);
    free(w.point);
    chorale_rules_release(&w.rules);
    chorale_store_close(store);
    return err;
}
