/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - parse options with getopt_long and print --help, both from the
 * same table rows. help2man also parses the layout of the help. */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/coll.h"
#include "tuner/base/shell_quote.h"
#include "tuner/base/suggest.h"
#include "tuner/base/process.h"
#include "tuner/base/units.h"
#include "tuner/base/verb.h"

#define MAX_OPTS 96
#define COLUMNS 79
#define TEXT_COLUMN 25

/* Print text from the given column on, wrapped at COLUMNS; continuation lines
 * are indented by indent columns. */
static void wrap(const char *text, int column, int indent)
{
    while (*text != '\0') {
        int len = (int)strcspn(text, " ");

        if (column + len > COLUMNS && column > indent) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        printf("%.*s", len, text);
        column += len;
        text += len;
        if (*text == ' ') {
            text++;
            if (column < COLUMNS) {
                putchar(' ');
                column++;
            }
        }
    }
    putchar('\n');
}

static void wrap_paragraphs(const char *text)
{
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        size_t len = end != NULL ? (size_t)(end - text) : strlen(text);
        char line[4096];

        snprintf(line, sizeof(line), "%.*s", (int)len, text);
        wrap(line, 0, 0);
        text += len;
        if (*text == '\n')
            text++;
        if (*text != '\0')
            putchar('\n');
    }
}

static void help_option(const struct chorale_opt *opt)
{
    int column;

    if (opt->letter != 0)
        column = printf("  -%c, ", opt->letter);
    else
        column = printf("      ");
    column += printf("--%s%s%s", opt->name, opt->arg != NULL ? "=" : "",
                     opt->arg != NULL ? opt->arg : "");
    if (column > TEXT_COLUMN - 2) {
        printf("\n");
        column = 0;
    }
    printf("%*s", TEXT_COLUMN - column, "");
    wrap(opt->help, TEXT_COLUMN, TEXT_COLUMN);
}

void chorale_verb_help(const struct chorale_verb *verb)
{
    static const struct chorale_opt help = { .name = "help",
                                             .letter = 'h',
                                             .help = "show this help" };
    const char *example = verb->example;

    printf("Usage: chorale %s [OPTION]... %s\n\n", verb->name, verb->args);
    printf("%s\n\n", verb->summary);
    wrap_paragraphs(verb->detail);
    printf("\nOptions:\n");
    for (const struct chorale_opt *opt = verb->opt; opt->name != NULL; opt++)
        help_option(opt);
    help_option(&help);
    printf("\nExamples:\n");
    while (*example != '\0') {
        int len = (int)strcspn(example, "\n");

        printf("  $ %.*s\n", len, example);
        example += len + (example[len] == '\n');
    }
}

static enum chorale_err set_number(const struct chorale_opt *opt,
                                   const char *text, void *field,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    char what[64], *rest;
    double value = 0;
    long whole = 0;

    snprintf(what, sizeof(what), "--%s", opt->name);
    if (opt->type == CHORALE_OPT_SIZE) {
        err = chorale_spec_size(what, text, &whole, msg);
        value = (double)whole;
    } else if (opt->type == CHORALE_OPT_SECONDS) {
        err = chorale_spec_seconds(what, text, &value, msg);
    } else if (opt->type == CHORALE_OPT_INT) {
        whole = strtol(text, &rest, 10);
        value = (double)whole;
        if (rest == text || *rest != '\0')
            err = chorale_fail(msg, CHORALE_USAGE, "%s: '%s' is not a whole "
                               "number; write one such as 8", what, text);
    } else {
        value = strtod(text, &rest);
        if (opt->type == CHORALE_OPT_PERCENT && *rest == '%' && rest != text) {
            value /= 100;
            rest++;
        }
        if (rest == text || *rest != '\0' || !isfinite(value))
            err = chorale_fail(msg, CHORALE_USAGE, "%s: '%s' is not a number; "
                               "write one such as 0.5", what, text);
        else if (opt->type == CHORALE_OPT_PERCENT && value < 0)
            err = chorale_fail(msg, CHORALE_USAGE, "%s: '%s' is negative; "
                               "write 0 or more", what, text);
        else if (opt->type == CHORALE_OPT_PERCENT && value >= 1 &&
                 strchr(text, '%') == NULL)
            err = chorale_fail(msg, CHORALE_USAGE,
                               "%s %s: write %s%% for percent, or a fraction "
                               "below 1", what, text, text);
    }
    if (err != CHORALE_OK)
        return err;
    if ((opt->min != 0 || opt->max != 0) &&
        (value < opt->min || (opt->max > opt->min && value > opt->max)))
        return opt->max > opt->min
                   ? chorale_fail(msg, CHORALE_USAGE,
                                  "%s %s: out of range; write %.15g to %.15g",
                                  what,
                                  text, opt->min, opt->max)
                   : chorale_fail(msg, CHORALE_USAGE,
                                  "%s %s: too small; write at least %.15g",
                                  what, text,
                                  opt->min);
    if (opt->type == CHORALE_OPT_INT || opt->type == CHORALE_OPT_SIZE)
        *(long *)field = whole;
    else
        *(double *)field = value;
    return CHORALE_OK;
}

void chorale_opts_lower(char *word)
{
    if (strncmp(word, "MPI_", 4) == 0)
        memmove(word, word + 4, strlen(word + 4) + 1);
    for (; *word != '\0'; word++)
        *word = (char)tolower((unsigned char)*word);
}

/* Words that name no collective stay as typed, for the error message. */
void chorale_opts_colls(char *text)
{
    char word[64], *to = text;

    for (const char *at = text; *at != '\0';) {
        const size_t len = strcspn(at, ",");

        snprintf(word, sizeof(word), "%.*s", (int)(len < 64 ? len : 63), at);
        chorale_opts_lower(word);
        /* Without its NUL, which could overwrite the comma at at[len]. */
        if (len < 64 && chorale_coll_find(word) >= 0) {
            memcpy(to, word, strlen(word));
            to += strlen(word);
        } else {
            memmove(to, at, len);
            to += len;
        }
        at += len;
        if (*at == ',')
            *to++ = *at++;
    }
    *to = '\0';
}

static enum chorale_err set_option(const struct chorale_opt *opt,
                                   char *text, void *opts,
                                   struct chorale_errmsg *msg)
{
    void *field = (char *)opts + opt->offset;

    if (opt->type == CHORALE_OPT_FLAG) {
        *(int *)field = 1;
        return CHORALE_OK;
    }
    if (opt->type == CHORALE_OPT_COLLS)
        chorale_opts_colls(text);
    if (opt->type == CHORALE_OPT_TEXT || opt->type == CHORALE_OPT_COLLS) {
        *(const char **)field = text;
        return CHORALE_OK;
    }
    return set_number(opt, text, field, msg);
}

static enum chorale_err usage_error(const struct chorale_verb *verb, int c,
                                    const char *word,
                                    struct chorale_errmsg *msg)
{
    char full[MAX_OPTS][48], name[64];
    struct chorale_suggestion s = { .word = name };
    char otherwise[64], text[CHORALE_SUGGEST_SIZE];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    snprintf(otherwise, sizeof(otherwise), "see `chorale %s --help`",
             verb->name);
    if (c == ':')
        return chorale_fail(msg, CHORALE_USAGE, "%s: option %s needs a value; "
                            "%s", verb->name, word, otherwise);
    for (int i = 0; verb->opt[i].name != NULL && i < MAX_OPTS; i++) {
        snprintf(full[i], sizeof(full[i]), "--%s", verb->opt[i].name);
        if (word[1] == '-')
            chorale_suggest(&s, full[i]);
    }
    return chorale_fail(msg, CHORALE_USAGE, "%s: unknown option %s; %s",
                        verb->name, word,
                        chorale_suggest_remedy(&s, otherwise, text));
}

enum chorale_err chorale_opts_parse(const struct chorale_verb *verb, int argc,
                                    char **argv, void *opts, int min_words,
                                    int max_words, int *nword_p,
                                    struct chorale_errmsg *msg)
{
    struct option longs[MAX_OPTS + 2] = { { 0 } };
    char shorts[2 * MAX_OPTS + 4] = ":h";
    size_t nshort = 2;
    const char *before[MAX_OPTS] = { NULL };
    int n = 0, c, index = 0, nword = 0;

    for (; verb->opt[n].name != NULL && n < MAX_OPTS; n++) {
        const struct chorale_opt *opt = &verb->opt[n];
        int has = opt->type == CHORALE_OPT_FLAG ? no_argument
                                                : required_argument;

        longs[n] = (struct option){ opt->name, has, NULL, 256 + n };
        if (opt->letter != 0) {
            shorts[nshort++] = opt->letter;
            if (has == required_argument)
                shorts[nshort++] = ':';
        }
    }
    if (verb->opt[n].name != NULL)
        return chorale_fail(msg, CHORALE_ENV, "%s: option --%s exceeds the "
                            "limit of options; build with a larger MAX_OPTS "
                            "in tuner/base/options.c", verb->name, verb->opt[n].name);
    shorts[nshort] = '\0';
    longs[n] = (struct option){ "help", no_argument, NULL, 'h' };

    optind = 0;
    opterr = 0;
    while ((c = getopt_long(argc, argv, shorts, longs, &index)) != -1) {
        enum chorale_err err;
        int at = c - 256;

        if (c == 'h') {
            chorale_verb_help(verb);
            *nword_p = -1;
            return CHORALE_OK;
        }
        if (c == '?' || c == ':')
            return usage_error(verb, c, argv[optind - 1], msg);
        if (at < 0)
            for (at = 0; verb->opt[at].letter != c; at++)
                ;
        if (before[at] != NULL)
            return chorale_fail(msg, CHORALE_USAGE,
                                "%s: --%s %s: given before, as %s; give it "
                                "once", verb->name, verb->opt[at].name, optarg,
                                before[at]);
        before[at] = optarg;
        err = set_option(&verb->opt[at], optarg, opts, msg);
        if (err != CHORALE_OK)
            return err;
    }
    for (; optind < argc; optind++)
        argv[1 + nword++] = argv[optind];
    if (nword < min_words)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s: name %s%s; see `chorale %s --help`",
                            verb->name,
                            strcmp(verb->args, "results.db") == 0
                                ? "a database, as "
                                : "",
                            verb->args, verb->name);
    if (nword > max_words)
        return chorale_fail(msg, CHORALE_USAGE,
                            "%s: '%s' is one word too many; see `chorale %s "
                            "--help`", verb->name, argv[1 + max_words],
                            verb->name);
    *nword_p = nword;
    return CHORALE_OK;
}

/* 1 if the text begins with this option, as a word. */
static int begins_with(const char *text, const char *option)
{
    const size_t len = strlen(option);

    return strncmp(text, option, len) == 0 && !isalnum((unsigned char)text[len])
        && text[len] != '-';
}

/* 1 if argv has this option: "--procs", possibly abbreviated, or "-P". */
static int is_typed(char *const *argv, const char *option)
{
    for (; *argv != NULL && strcmp(*argv, "--") != 0; argv++) {
        const size_t len = strcspn(*argv, "=");

        if (option[1] != '-' ? strncmp(*argv, option, 2) == 0
                             : len > 2 && strncmp(*argv, option, len) == 0)
            return 1;
    }
    return 0;
}

void chorale_opts_as_typed(const struct chorale_verb *verb, char *const *argv,
                           struct chorale_errmsg *msg)
{
    const size_t len = strlen(verb->name);
    char *at = msg->text;

    if (strncmp(at, verb->name, len) == 0 && strncmp(at + len, ": ", 2) == 0)
        at += len + 2;
    for (const struct chorale_opt *opt = verb->opt; opt->name != NULL; opt++) {
        char full[64], letter[3] = { '-', opt->letter, '\0' };
        const char *from = full, *to = letter;
        struct chorale_errmsg rest;

        if (opt->letter == 0)
            continue;
        snprintf(full, sizeof(full), "--%s", opt->name);
        if (begins_with(at, letter)) {
            from = letter;
            to = full;
        }
        if (!begins_with(at, from) || is_typed(argv, from) ||
            !is_typed(argv, to))
            continue;
        snprintf(rest.text, sizeof(rest.text), "%s", at + strlen(from));
        snprintf(at, sizeof(msg->text) - (size_t)(at - msg->text), "%s%s", to,
                 rest.text);
        return;
    }
}

static void real_word(const struct chorale_opt *opt, double value,
                      struct chorale_args *args)
{
    int percent = opt->type == CHORALE_OPT_PERCENT && value >= 1;
    char text[32];

    if (percent)
        value *= 100;
    snprintf(text, sizeof(text), "%.15g", value);
    if (strtod(text, NULL) < value || strtod(text, NULL) > value)
        snprintf(text, sizeof(text), "%.17g", value);
    chorale_args_add(args, "--%s=%s%s", opt->name, text, percent ? "%" : "");
}

void chorale_opts_words(const struct chorale_opt *rows, const void *opts,
                        const void *defaults, struct chorale_args *args)
{
    for (const struct chorale_opt *opt = rows; opt->name != NULL; opt++) {
        const void *is = (const char *)opts + opt->offset;
        const void *was = (const char *)defaults + opt->offset;
        const char *text = NULL, *other = NULL;

        switch (opt->type) {
        case CHORALE_OPT_FLAG:
            if (*(const int *)is != *(const int *)was)
                chorale_args_add(args, "--%s", opt->name);
            break;
        case CHORALE_OPT_TEXT:
        case CHORALE_OPT_COLLS:
            text = *(const char *const *)is;
            other = *(const char *const *)was;
            if (text != NULL && (other == NULL || strcmp(text, other) != 0))
                chorale_args_add(args, "--%s=%s", opt->name, text);
            break;
        case CHORALE_OPT_INT:
        case CHORALE_OPT_SIZE:
            if (*(const long *)is != *(const long *)was)
                chorale_args_add(args, "--%s=%ld", opt->name,
                                 *(const long *)is);
            break;
        default:
            if (!isnan(*(const double *)is) &&
                !(*(const double *)is >= *(const double *)was &&
                  *(const double *)is <= *(const double *)was))
                real_word(opt, *(const double *)is, args);
        }
    }
}

void chorale_command_text(int argc, char **argv, char *text, size_t size)
{
    static const char cut[] = " ...";
    char *quoted = malloc(4 * size);
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; quoted != NULL && i < argc; i++) {
        const char *word = strlen(argv[i]) < size
                               ? chorale_shell_word(argv[i], quoted, 4 * size)
                               : NULL;

        if (word == NULL || len + 1 + strlen(word) + sizeof(cut) > size) {
            snprintf(text + len, size - len, "%s", cut);
            break;
        }
        len += (size_t)snprintf(text + len, size - len, "%s%s",
                                i > 0 ? " " : "", word);
    }
    free(quoted);
}
