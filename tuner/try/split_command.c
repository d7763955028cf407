/* SPDX-License-Identifier: BSD-3-Clause */
/* split_command.c - finds the application in a launcher's command line. The
 * only launcher options known here are those for the number of ranks. The
 * application's word is found by the program name in the trace. */
#include "config.h"

#include "tuner/try/split_command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuner/base/shell_quote.h"
#include "tuner/base/process.h"

#define SAY_WHERE "mark its start with a second --, as in `chorale try " \
                  "-- mpiexec -n 2 -- ./app`"

int chorale_try_cut(char **argv)
{
    int at = 0;

    while (argv[at] != NULL && strcmp(argv[at], "--") != 0)
        at++;
    if (argv[at] == NULL)
        return -1;
    for (int i = at; argv[i] != NULL; i++)
        argv[i] = argv[i + 1];
    return at;
}

static int is_program(const char *word, const char *program)
{
    const char *slash = strrchr(word, '/');
    struct stat st;

    if (strcmp(slash != NULL ? slash + 1 : word, program) != 0)
        return 0;
    return (slash == NULL && chorale_in_path(word))
        || (access(word, X_OK) == 0 && stat(word, &st) == 0
            && S_ISREG(st.st_mode));
}

enum chorale_err chorale_try_find(char **argv, const char *program, int *at_p,
                                  struct chorale_errmsg *msg)
{
    int count = 0;

    for (int i = 0; argv[i] != NULL; i++) {
        if (is_program(argv[i], program) && count++ == 0)
            *at_p = i;
        if (strcmp(argv[i], ":") == 0)
            return chorale_fail(msg, CHORALE_USAGE, "try: ':': the command "
                                "starts several programs; measure with "
                                "`chorale tune` and name its database, or, if "
                                "this is the application's, " SAY_WHERE);
    }
    if (count == 1)
        return CHORALE_OK;
    return chorale_fail(msg, CHORALE_USAGE, "try: the ranks ran '%.100s', "
                        "which is %s of the command; %s", program,
                        count == 0 ? "no word" : "several words",
                        SAY_WHERE);
}

static int is_number(const char *text, int number)
{
    char *rest;
    long value = strtol(text, &rest, 10);

    return text[0] >= '0' && text[0] <= '9' && *rest == '\0'
        && value == number;
}

/* The number of characters of word i before the number of ranks, or -1 if the
 * word does not give it: -n 4, -np 4, --ntasks 4, --ntasks=4, -n4. */
static int before_number(char **argv, int i, int ranks)
{
    static const char *const option[] = { "-n", "-np", "--n", "--np",
                                          "-ntasks", "--ntasks" };

    for (size_t k = 0; k < sizeof(option) / sizeof(option[0]); k++) {
        const size_t length = strlen(option[k]);

        if (i > 0 && strcmp(argv[i - 1], option[k]) == 0
            && is_number(argv[i], ranks))
            return 0;
        if (strncmp(argv[i], option[k], length) != 0)
            continue;
        if (argv[i][length] == '=' && is_number(argv[i] + length + 1, ranks))
            return (int)length + 1;
        if (length == 2 && is_number(argv[i] + length, ranks))
            return (int)length;
    }
    return -1;
}

enum chorale_err chorale_try_launcher(char **argv, int at, int ranks,
                                      char *text, size_t size, int *fixed_p,
                                      struct chorale_errmsg *msg)
{
    size_t used = 0;
    int count = 0;

    for (int i = 0; i < at; i++)
        count += before_number(argv, i, ranks) >= 0;
    *fixed_p = count != 1;
    text[0] = '\0';
    for (int i = 0; i < at; i++) {
        const int front = *fixed_p ? -1 : before_number(argv, i, ranks);
        char word[PATH_MAX], quoted[4 * PATH_MAX + 3];

        if (front >= 0)
            snprintf(word, sizeof(word), "%.*s{P}", front, argv[i]);
        used += (size_t)snprintf(
            text + used, size - used, "%s%s", i > 0 ? " " : "",
            front >= 0 ? word
                       : chorale_shell_word(argv[i], quoted, sizeof(quoted)));
        if (used >= size || strlen(argv[i]) >= PATH_MAX)
            return chorale_fail(msg, CHORALE_USAGE, "try: the launcher's words "
                                "exceed %zu characters; put them into a "
                                "script", size);
    }
    return CHORALE_OK;
}
