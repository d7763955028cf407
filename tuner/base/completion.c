/* SPDX-License-Identifier: BSD-3-Clause */
/* completion.c - print a shell completion script for `chorale`. */
#include "config.h"

#include "tuner/base/completion.h"

#include <string.h>

#include "algorithms/coll.h"

/* Length of the leading word list of verb->args, such as "set|remove|list";
 * 0 if args starts otherwise. */
static size_t first_words(const struct chorale_verb *verb)
{
    const size_t n = strspn(verb->args, "abcdefghijklmnopqrstuvwxyz|");
    const char *bar = strchr(verb->args, '|');

    return bar != NULL && bar < verb->args + n && verb->args[n] == ' ' ? n : 0;
}

/* Print the leading word list, separated by spaces. */
static void put_words(const struct chorale_verb *verb, FILE *out)
{
    const size_t n = first_words(verb);

    for (size_t i = 0; i < n; i++)
        putc(verb->args[i] == '|' ? ' ' : verb->args[i], out);
}

/* Whether the option takes one of a fixed set of words. Its placeholder then
 * lists them: "csv|json". */
static int has_values(const struct chorale_opt *opt)
{
    return opt->arg != NULL && strchr(opt->arg, '|') != NULL;
}

static void put_values(const struct chorale_opt *opt, FILE *out)
{
    for (const char *c = opt->arg; *c != '\0'; c++)
        putc(*c == '|' ? ' ' : *c, out);
}

/* Print one shell case per option with fixed values; before and behind enclose
 * the list in the syntax of the shell. */
static void put_value_cases(const struct chorale_verb *verb, const char *before,
                            const char *behind, FILE *out)
{
    for (const struct chorale_opt *opt = verb->opt; opt->name != NULL; opt++)
        if (has_values(opt)) {
            fprintf(out, "        --%s) values=%s", opt->name, before);
            put_values(opt, out);
            fprintf(out, "%s ;;\n", behind);
        }
    fprintf(out, "        esac ;;\n");
}

static void put_verbs(const struct chorale_verb *const *verb, size_t nverb,
                      FILE *out)
{
    for (size_t i = 0; i < nverb; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", verb[i]->name);
}

static void put_collectives(FILE *out)
{
    for (int i = 0; i < CHORALE_NCOLL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "",
                chorale_coll_info((enum chorale_coll)i)->name);
}

static void bash_verb(const struct chorale_verb *verb, FILE *out)
{
    fprintf(out, "    %s)\n        first='", verb->name);
    put_words(verb, out);
    fprintf(out, "'\n        options='");
    for (const struct chorale_opt *opt = verb->opt; opt->name != NULL; opt++)
        fprintf(out, "--%s ", opt->name);
    fprintf(out, "--help'\n        case $prev in\n");
    put_value_cases(verb, "'", "'", out);
}

static void bash(const struct chorale_verb *const *verb, size_t nverb,
                 FILE *out)
{
    fprintf(out, "# Completion of chorale for bash; `chorale --completion "
                 "bash` made it.\n"
                 "_chorale()\n{\n"
                 "    local cur=${COMP_WORDS[COMP_CWORD]} first= options= values=\n"
                 "    local prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "    COMPREPLY=()\n"
                 "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                 "        COMPREPLY=($(compgen -W '");
    put_verbs(verb, nverb, out);
    fprintf(out, " help --help --version --completion' -- \"$cur\"))\n"
                 "        return\n    fi\n"
                 "    case $prev in\n    -c | --collectives)\n"
                 "        COMPREPLY=($(compgen -W '");
    put_collectives(out);
    fprintf(out, "' -- \"$cur\"))\n        return ;;\n    esac\n"
                 "    case ${COMP_WORDS[1]} in\n"
                 "    --completion) first='bash zsh' ;;\n"
                 "    help) first='");
    put_verbs(verb, nverb, out);
    fprintf(out, "' ;;\n");
    for (size_t i = 0; i < nverb; i++)
        bash_verb(verb[i], out);
    fprintf(out, "    esac\n"
                 "    if [ -n \"$values\" ]; then\n"
                 "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
                 "        return\n    fi\n"
                 "    case $cur in\n"
                 "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
                 "    *)\n"
                 "        [ \"$COMP_CWORD\" -ne 2 ] ||\n"
                 "            COMPREPLY=($(compgen -W \"$first\" -- \"$cur\")) ;;\n"
                 "    esac\n}\n"
                 "complete -o default -F _chorale chorale\n");
}

/* One single-quoted entry for _describe, whose separators are escaped. */
static void zsh_entry(const char *name, const char *text, FILE *out)
{
    fprintf(out, " '%s:", name);
    for (const char *c = text; *c != '\0'; c++)
        if (*c == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", *c == ':' || *c == '\\' ? "\\" : "", *c);
    fprintf(out, "'");
}

static void zsh_verb(const struct chorale_verb *verb, FILE *out)
{
    char name[80];

    fprintf(out, "    %s)\n        first=(", verb->name);
    put_words(verb, out);
    fprintf(out, ")\n        options=(");
    for (const struct chorale_opt *opt = verb->opt; opt->name != NULL; opt++) {
        snprintf(name, sizeof(name), "--%s", opt->name);
        zsh_entry(name, opt->help, out);
    }
    zsh_entry("--help", "show this help", out);
    fprintf(out, ")\n        case $words[CURRENT-1] in\n");
    put_value_cases(verb, "(", ")", out);
}

static void zsh(const struct chorale_verb *const *verb, size_t nverb,
                FILE *out)
{
    fprintf(out, "#compdef chorale\n"
                 "# Completion of chorale for zsh; `chorale --completion zsh` "
                 "made it.\n"
                 "_chorale()\n{\n"
                 "    local -a verbs first options values collectives\n"
                 "    verbs=(");
    for (size_t i = 0; i < nverb; i++)
        zsh_entry(verb[i]->name, verb[i]->summary, out);
    zsh_entry("help", "show the help of a verb", out);
    zsh_entry("--help", "show the help", out);
    zsh_entry("--version", "show the version", out);
    zsh_entry("--completion", "print a script like this", out);
    fprintf(out, ")\n    collectives=(");
    put_collectives(out);
    fprintf(out, ")\n"
                 "    if (( CURRENT == 2 )); then\n"
                 "        _describe verb verbs\n"
                 "        return\n    fi\n"
                 "    case $words[CURRENT-1] in\n"
                 "    -c | --collectives)\n"
                 "        compadd -a collectives\n"
                 "        return ;;\n    esac\n"
                 "    case $words[2] in\n"
                 "    --completion) first=(bash zsh) ;;\n"
                 "    help) first=(");
    put_verbs(verb, nverb, out);
    fprintf(out, ") ;;\n");
    for (size_t i = 0; i < nverb; i++)
        zsh_verb(verb[i], out);
    fprintf(out, "    esac\n"
                 "    if (( $#values > 0 )); then\n"
                 "        compadd -a values\n"
                 "    elif [[ $PREFIX == -* ]]; then\n"
                 "        _describe option options\n"
                 "    elif (( CURRENT == 3 && $#first > 0 )); then\n"
                 "        compadd -a first\n"
                 "    else\n"
                 "        _files\n"
                 "    fi\n}\n"
                 "_chorale \"$@\"\n");
}

int chorale_completion(const char *shell, const struct chorale_verb *const *verb,
                       size_t nverb, FILE *out)
{
    if (strcmp(shell, "bash") == 0)
        bash(verb, nverb, out);
    else if (strcmp(shell, "zsh") == 0)
        zsh(verb, nverb, out);
    else
        return -1;
    return 0;
}
