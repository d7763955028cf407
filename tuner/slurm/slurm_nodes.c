/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm_nodes.c - lists the usable nodes of a partition. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/slurm/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int natural(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

void chorale_slurm_nodes_free(struct chorale_slurm_nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        free(nodes->name[i]);
    free(nodes->name);
    memset(nodes, 0, sizeof(*nodes));
}

static enum chorale_err add(struct chorale_slurm_nodes *nodes,
                            const char *name, struct chorale_errmsg *msg)
{
    size_t n = nodes->count;
    char **grown = chorale_array_grow(nodes->name, n, sizeof(*grown));

    if (grown == NULL)
        return chorale_fail_memory(msg, NULL);
    nodes->name = grown;
    grown[n] = strdup(name);
    if (grown[n] == NULL)
        return chorale_fail_memory(msg, NULL);
    nodes->count++;
    return CHORALE_OK;
}

/* Returns 1 if the name can be written into scripts and files unquoted. */
static int plain(const char *name)
{
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_.-") == strlen(name);
}

/* Returns 1 if sinfo's state, which may have a flag character appended, means
 * that jobs get this node now or when other jobs end. */
static int works(const char *state)
{
    static const char *const word[] = { "idle", "allocated", "mixed",
                                        "completing", "planned" };
    size_t length = strspn(state, "abcdefghijklmnopqrstuvwxyz");

    /* *: not responding; $: in maintenance. */
    if (strpbrk(state, "*$") != NULL)
        return 0;
    for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
        if (strlen(word[i]) == length && strncmp(state, word[i], length) == 0)
            return 1;
    return 0;
}

/* Parse lines "NODE PROCESSORS PARTITION STATE"; the default partition has a
 * star. */
static enum chorale_err read_nodes(const char *text, const char *partition,
                                   int ppn, struct chorale_slurm_nodes *nodes,
                                   struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    for (; err == CHORALE_OK && *text != '\0';
         text += strcspn(text, "\n"), text += *text == '\n') {
        char name[256], of[256], state[64];
        int processors;

        if (sscanf(text, "%255s %d %255s %63s", name, &processors, of,
                   state) == 4 &&
            (partition != NULL || of[strlen(of) - 1] == '*') &&
            processors >= ppn && works(state) && plain(name))
            err = add(nodes, name, msg);
    }
    return err;
}

enum chorale_err chorale_slurm_usable(const char *partition, int ppn,
                                      struct chorale_slurm_nodes *nodes,
                                      struct chorale_errmsg *msg)
{
    struct chorale_args args = { .count = 0 };
    char *text = NULL;
    enum chorale_err err;

    memset(nodes, 0, sizeof(*nodes));
    chorale_args_add(&args, "sinfo");
    chorale_args_add(&args, "--noheader");
    chorale_args_add(&args, "--Node");
    chorale_args_add(&args, "--format=%%N %%c %%P %%T");
    if (partition != NULL)
        chorale_args_add(&args, "--partition=%s", partition);
    err = chorale_slurm_run(&args, &text, msg);
    chorale_args_free(&args);
    if (err == CHORALE_OK)
        err = read_nodes(text, partition, ppn, nodes, msg);
    free(text);
    if (err != CHORALE_OK)
        chorale_slurm_nodes_free(nodes);
    else if (nodes->count > 0)
        qsort(nodes->name, nodes->count, sizeof(*nodes->name), natural);
    return err;
}
