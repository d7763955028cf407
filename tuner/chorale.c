/* SPDX-License-Identifier: BSD-3-Clause */
/* chorale.c - main() of the command `chorale`, and its table of verbs. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/process.h"
#include "tuner/base/suggest.h"
#include "tuner/base/completion.h"
#include "tuner/base/terminal.h"
#include "tuner/base/verb.h"

static const char flags[] =
#include "db/flags.inc"
    ;

static const struct chorale_verb *const verbs[] = {
    &chorale_verb_tune,     &chorale_verb_doctor, &chorale_verb_list,
    &chorale_verb_plan,     &chorale_verb_run,    &chorale_verb_submit,
    &chorale_verb_job,      &chorale_verb_status,
    &chorale_verb_fit,      &chorale_verb_decide, &chorale_verb_evaluate,
    &chorale_verb_generate, &chorale_verb_validate,
    &chorale_verb_compare,  &chorale_verb_ab,
    &chorale_verb_baseline, &chorale_verb_history, &chorale_verb_replicate,
    &chorale_verb_plot,     &chorale_verb_report, &chorale_verb_merge,
    &chorale_verb_export,   &chorale_verb_import, &chorale_verb_try,
    &chorale_verb_table,
};

#define NVERB (sizeof(verbs) / sizeof(verbs[0]))

static void help(void)
{
    printf("Usage: chorale VERB [OPTION]... [results.db]\n\n"
           "Measure and tune MPI collectives.\n\n"
           "The main job is one verb: `chorale tune results.db` plans, runs, "
           "fits and\ndecides, and writes the dispatch file, the plots and a "
           "one-page summary. Each of\nits steps is a verb too.\n\n"
           "Verbs:\n");
    for (size_t i = 0; i < NVERB; i++)
        printf("  %-10s %s\n", verbs[i]->name, verbs[i]->summary);
    printf("\nOptions:\n"
           "  -h, --help              show this help; `chorale VERB --help` "
           "for a verb\n"
           "      --version           show the version and how it was built\n"
           "      --completion SHELL  print the completion script for bash or "
           "zsh\n"
           "\nExamples:\n"
           "  $ chorale tune results.db -m 8:1M -P 2:16\n"
           "  $ chorale tune --help\n");
}

static void version(void)
{
    printf("chorale %s\n"
           "options:  %s\n"
           "compiler: %s %s\n"
           "Licence: the sources are BSD-3-Clause; this command links the "
           "GNU Scientific\nLibrary, so the binary is distributed under the "
           "GNU GPL version 3 or later.\n",
           PACKAGE_VERSION, CHORALE_BUILD_OPTIONS, CHORALE_BUILD_CC, flags);
}

/* Print the verbs, one a line, for scripts. */
static void names(void)
{
    for (size_t i = 0; i < NVERB; i++)
        printf("%s\n", verbs[i]->name);
}

static int completion(const char *shell)
{
    if (chorale_completion(shell, verbs, NVERB, stdout) == 0 &&
        fflush(stdout) == 0)
        return CHORALE_OK;
    fprintf(stderr, "chorale: --completion '%.40s': unknown; use bash or zsh\n",
            shell);
    return CHORALE_USAGE;
}

static const struct chorale_verb *find(const char *name)
{
    for (size_t i = 0; i < NVERB; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

int main(int argc, char **argv)
{
    static char long_help[] = "--help";
    struct chorale_errmsg msg = { "" };
    const struct chorale_verb *verb;
    char **typed = calloc((size_t)argc + 1, sizeof(*typed));
    enum chorale_err err;

    chorale_terminal_guard();
    if (argc < 2) {
        fprintf(stderr, "chorale: no verb given; see `chorale --help`\n");
        return CHORALE_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        /* Same as `chorale VERB --help`. */
        argv[1] = argv[2];
        argv[2] = long_help;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        help();
        return CHORALE_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        version();
        return CHORALE_OK;
    }
    if (strcmp(argv[1], "--verbs") == 0) {
        names();
        return CHORALE_OK;
    }
    if (strcmp(argv[1], "--completion") == 0)
        return completion(argc > 2 ? argv[2] : "");
    verb = find(argv[1]);
    if (verb == NULL) {
        struct chorale_suggestion s = { .word = argv[1] };
        char text[CHORALE_SUGGEST_SIZE];

        for (size_t i = 0; i < NVERB; i++)
            chorale_suggest(&s, verbs[i]->name);
        fprintf(stderr, "chorale: unknown verb '%s'; %s\n", argv[1],
                chorale_suggest_remedy(&s, "see `chorale --help`", text));
        return CHORALE_USAGE;
    }
    if (verb != &chorale_verb_try) /* it passes them to the application */
        chorale_shim_forget();
    for (int i = 2; typed != NULL && i < argc; i++)
        typed[i - 2] = argv[i]; /* since verbs reorder argv */
    err = verb->run(verb, argc - 1, argv + 1, &msg);
    if (err == CHORALE_OK && fflush(stdout) != 0)
        err = chorale_fail_output(&msg, NULL);
    if (err == CHORALE_USAGE && typed != NULL)
        chorale_opts_as_typed(verb, typed, &msg);
    free(typed);
    if (msg.text[0] != '\0' && err != CHORALE_OK)
        fprintf(stderr, "chorale: %s\n", msg.text);
    return (int)err;
}
