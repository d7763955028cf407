/* SPDX-License-Identifier: BSD-3-Clause */
/* run_verb.c - run one verb as a step of another. */
#include "config.h"

#include "tuner/base/run_verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum chorale_err chorale_step(const struct chorale_verb *verb,
                              const char *const *word,
                              struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    char **argv;
    int argc = 0;

    while (word[argc] != NULL)
        argc++;
    /* Copies: getopt_long reorders argv, and the verb may change words. */
    argv = calloc((size_t)argc + 1, sizeof(*argv));
    for (int i = 0; argv != NULL && i < argc; i++)
        if ((argv[i] = strdup(word[i])) == NULL)
            err = CHORALE_ENV;
    if (argv == NULL || err != CHORALE_OK)
        err = chorale_fail_memory(msg, NULL);
    else {
        char **own = malloc(((size_t)argc + 1) * sizeof(*own));

        if (own == NULL)
            err = chorale_fail_memory(msg, NULL);
        else
            memcpy(own, argv, ((size_t)argc + 1) * sizeof(*own));
        if (own != NULL)
            err = verb->run(verb, argc, own, msg);
        free(own);
    }
    for (int i = 0; argv != NULL && i < argc; i++)
        free(argv[i]);
    free(argv);
    return err;
}

void chorale_step_prefix(const char *path, char *prefix, size_t size)
{
    size_t len;

    snprintf(prefix, size, "%s", path);
    len = strlen(prefix);
    if (len > 3 && strcmp(prefix + len - 3, ".db") == 0)
        prefix[len - 3] = '\0';
}
