/* SPDX-License-Identifier: BSD-3-Clause */
/* ab_side.c - parses the sides of `chorale ab`. */
#include "config.h"

#include "tuner/compare/ab_side.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "tuner/base/suggest.h"
#include "tuner/run/runner_query.h"

static const struct {
    const char *name;
    enum chorale_side_kind kind;
} kinds[] = {
    { "build", CHORALE_SIDE_BUILD }, { "env", CHORALE_SIDE_ENV },
    { "table", CHORALE_SIDE_TABLE }, { "with", CHORALE_SIDE_WITH },
};

static enum chorale_err split(struct chorale_ab_side *how, const char *option,
                              const char *text, struct chorale_errmsg *msg)
{
    wordexp_t words;
    int rc = wordexp(text, &words, WRDE_NOCMD | WRDE_UNDEF);

    if (rc != 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s %s: cannot be split into "
                            "words; quote what contains shell characters",
                            option, how->text);
    for (size_t i = 0; i < words.we_wordc; i++)
        chorale_args_add(&how->word, "%s", words.we_wordv[i]);
    wordfree(&words);
    if (how->word.overflow)
        return chorale_fail(msg, CHORALE_USAGE, "%s: more than %d words; put "
                            "them into a script", option, CHORALE_MAX_ARGS);
    if (how->word.count == 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s %s: nothing after the "
                            "colon; write this, build:PROGRAM, "
                            "env:NAME=VALUE, table:FILE.so or with:COMMAND",
                            option, how->text);
    return CHORALE_OK;
}

static enum chorale_err check_env(const struct chorale_ab_side *how,
                                  const char *option,
                                  struct chorale_errmsg *msg)
{
    for (int i = 0; i < how->word.count; i++) {
        const char *word = how->word.word[i], *c = word;

        while (*c == '_' || isalnum((unsigned char)*c))
            c++;
        if (c == word || *c != '=' || isdigit((unsigned char)word[0]))
            return chorale_fail(msg, CHORALE_USAGE, "%s %s: '%s' is no "
                                "NAME=VALUE; write env:NAME=VALUE", option,
                                how->text, word);
    }
    return CHORALE_OK;
}

/* Refuse variables that the side's chorale would remove, since both sides would
 * then be equal. */
static enum chorale_err check_kept(const struct chorale_ab_side *how,
                                   const char *option,
                                   struct chorale_errmsg *msg)
{
    for (int i = 0; i < how->word.count; i++)
        if (chorale_shim_forgets(how->word.word[i]))
            return chorale_fail(msg, CHORALE_USAGE, "%s %s: '%.*s' has no "
                                "effect on measurements; name a table with "
                                "table:FILE.so", option, how->text,
                                (int)strcspn(how->word.word[i], "="),
                                how->word.word[i]);
    return CHORALE_OK;
}

/* Check the program: of build the only word, of with the first one. */
static enum chorale_err check_program(const struct chorale_ab_side *how,
                                      const char *option,
                                      struct chorale_errmsg *msg)
{
    if (how->kind == CHORALE_SIDE_BUILD && how->word.count > 1)
        return chorale_fail(msg, CHORALE_USAGE, "%s %s: one program; a "
                            "command in front of this one is with:COMMAND",
                            option, how->text);
    if (!chorale_in_path(how->word.word[0]))
        return chorale_fail(msg, CHORALE_ENV, "%s %s: no program %s%s", option,
                            how->text, how->word.word[0],
                            strchr(how->word.word[0], '/') != NULL
                                ? "; name an executable file"
                                : " in PATH; give its full path");
    return CHORALE_OK;
}

static enum chorale_err check_table(struct chorale_ab_side *how,
                                    const char *option,
                                    struct chorale_errmsg *msg)
{
    const char *name = how->word.word[0];
    size_t len = strlen(name);

    if (how->word.count > 1 || len < 4 || strcmp(name + len - 3, ".so") != 0)
        return chorale_fail(msg, CHORALE_USAGE, "%s %s: not one shared object "
                            "FILE.so; compile the source of `chorale generate`",
                            option, how->text);
    if (realpath(name, how->table) == NULL || access(how->table, R_OK) != 0)
        return chorale_fail(msg, CHORALE_ENV, "%s %s: %s; name a compiled "
                            "table", option, how->text,
                            strerror(errno));
    return CHORALE_OK;
}

enum chorale_err chorale_ab_side_parse(struct chorale_ab_side *how,
                                       const char *option,
                                       const char *text,
                                       struct chorale_errmsg *msg)
{
    size_t len = strcspn(text, ":"), i = 0, n = sizeof(kinds) / sizeof(*kinds);
    enum chorale_err err;

    *how = (struct chorale_ab_side){ .kind = CHORALE_SIDE_THIS, .text = text };
    if (strcmp(text, "this") == 0)
        return CHORALE_OK;
    while (i < n && (strlen(kinds[i].name) != len ||
                     strncmp(text, kinds[i].name, len) != 0))
        i++;
    if (i == n || text[len] != ':')
        return chorale_fail(msg, CHORALE_USAGE, "%s %s: unknown side; use this"
                            ", build:PROGRAM, env:NAME=VALUE, table:FILE.so or "
                            "with:COMMAND", option, text);
    how->kind = kinds[i].kind;
    err = split(how, option, text + len + 1, msg);
    if (err == CHORALE_OK && how->kind != CHORALE_SIDE_TABLE)
        err = check_kept(how, option, msg);
    if (err != CHORALE_OK)
        return err;
    if (how->kind == CHORALE_SIDE_ENV)
        return check_env(how, option, msg);
    return how->kind == CHORALE_SIDE_TABLE ? check_table(how, option, msg)
                                           : check_program(how, option, msg);
}

/* 1 if the runner's list, of lines "NAME\tVALUE", has a variable with this
 * name. */
static int has_variable(const char *list, const char *name)
{
    const size_t len = strlen(name);

    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == '\n') && at[len] == '\t')
            return 1;
    return 0;
}

/* Warn of a variable that is not in the list. Overwrites the list. */
static void warn_variable(const struct chorale_ab_side *how,
                          const char *option, const char *name, char *list)
{
    struct chorale_suggestion s = { .word = name };
    char text[CHORALE_SUGGEST_SIZE], *rest = NULL;

    for (char *line = strtok_r(list, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, "\t")] = '\0';
        chorale_suggest(&s, line);
    }
    fprintf(stderr, "chorale: %s %.80s: the MPI library has no variable %s; "
                    "%s\n", option, how->text, name,
            chorale_suggest_remedy(&s, "check its name", text));
}

void chorale_ab_side_unknown(const struct chorale_ab_side *how,
                             const char *option)
{
    enum { LIST_MAX = 1 << 20 };
    char *list = malloc(LIST_MAX);

    for (int i = 0; how->kind == CHORALE_SIDE_ENV && list != NULL &&
                    i < how->word.count; i++) {
        const char *word = how->word.word[i];
        const int mpich = strncmp(word, "MPIR_CVAR_", 10) == 0;
        struct chorale_errmsg why;
        char name[256];

        snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
        if (!mpich && strncmp(word, "OMPI_MCA_", 9) != 0)
            continue;
        /* Open MPI lists the variables of some components only when they are
         * in use, so its list does not show that a variable is unknown. */
        if (chorale_runner_query("--variables", NULL, list, LIST_MAX, &why) ==
                CHORALE_OK && list[0] != '\0' &&
            (mpich ? !has_variable(list, name)
                   : strstr(list, "MPIR_CVAR_") != NULL))
            warn_variable(how, option, name, list);
    }
    free(list);
}

void chorale_ab_side_build(struct chorale_ab_side *how, const char *program)
{
    *how = (struct chorale_ab_side){ .kind = CHORALE_SIDE_BUILD,
    .text = program };
    chorale_args_add(&how->word, "%s", program);
}

void chorale_ab_side_release(struct chorale_ab_side *how)
{
    chorale_args_free(&how->word);
}

/* Open MPI's launcher passes only listed variables to ranks on other nodes. */
static void add_variables(const struct chorale_ab_side *how,
                          struct chorale_args *args)
{
    char list[4096] = "";
    size_t len = 0;

    chorale_args_add(args, "env");
    for (int i = 0; i < how->word.count; i++) {
        const char *word = how->word.word[i];

        chorale_args_add(args, "%s", word);
        if (len < sizeof(list))
            len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%.*s",
                                    i > 0 ? ";" : "",
                                    (int)strcspn(word, "="), word);
    }
    if (getenv("OMPI_MCA_mca_base_env_list") == NULL)
        chorale_args_add(args, "OMPI_MCA_mca_base_env_list=%s", list);
}

enum chorale_err chorale_ab_side_args(const struct chorale_ab_side *how,
                                      struct chorale_args *args,
                                      struct chorale_errmsg *msg)
{
    char self[PATH_MAX];
    ssize_t len;

    if (how->kind == CHORALE_SIDE_ENV)
        add_variables(how, args);
    else
        for (int i = 0; i < how->word.count; i++)
            if (how->kind != CHORALE_SIDE_TABLE)
                chorale_args_add(args, "%s", how->word.word[i]);
    if (how->kind == CHORALE_SIDE_BUILD)
        return CHORALE_OK;
    len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len < 0)
        return chorale_fail(msg, CHORALE_ENV, "/proc/self/exe: %s; mount "
                            "/proc, which gives the path of this program",
                            strerror(errno));
    self[len] = '\0';
    chorale_args_add(args, "%s", self);
    return CHORALE_OK;
}

int chorale_ab_side_differs(const struct chorale_ab_side *base,
                            const struct chorale_ab_side *head)
{
    return base->kind > CHORALE_SIDE_BUILD || head->kind > CHORALE_SIDE_BUILD;
}
