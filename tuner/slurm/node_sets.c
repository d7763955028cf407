/* SPDX-License-Identifier: BSD-3-Clause */
/* node_sets.c - selects the nodes that elements exclude, and their order. */
#include "config.h"

#include "tuner/slurm/node_sets.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64. */
static uint64_t bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

size_t chorale_nodeset_excludable(size_t n, size_t needed)
{
    size_t kept = (n + 1) / 2;

    kept = kept < 2 * needed ? 2 * needed : kept;
    return kept < n ? n - kept : 0;
}

int chorale_nodeset_mark(char *out, size_t n, size_t spared, uint64_t seed,
                         int odd)
{
    size_t *order = malloc((n + 1) * sizeof(*order));

    if (order == NULL)
        return -1;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(bits(&seed) % i), kept = order[i - 1];

        order[i - 1] = order[k];
        order[k] = kept;
    }
    memset(out, 0, n);
    for (size_t i = 0; i < spared; i++)
        out[order[odd ? n - 1 - i : i]] = 1;
    free(order);
    return 0;
}

/* --- names in Slurm's notation ----------------------------------------- */

/* The length of the name without its final digits. */
static size_t stem(const char *name)
{
    size_t length = strlen(name);

    while (length > 0 && isdigit((unsigned char)name[length - 1]))
        length--;
    return length;
}

/* Returns 1 if b is the node after a, with as many digits. */
static int follows(const char *a, const char *b)
{
    size_t length = stem(a), digits = strlen(a) - length;

    return digits > 0 && digits < 18 && stem(b) == length &&
           strlen(b) == strlen(a) && strncmp(a, b, length) == 0 &&
           strtoll(b + length, NULL, 10) == strtoll(a + length, NULL, 10) + 1;
}

/* Returns 1 if both may be in one pair of brackets. */
static int alike(const char *a, const char *b)
{
    size_t length = stem(a);

    return a[length] != '\0' && b[stem(b)] != '\0' && stem(b) == length &&
           strncmp(a, b, length) == 0;
}

char *chorale_nodeset_names(char *const *name, size_t n, const char *mark)
{
    const char *last = NULL; /* the previous name */
    size_t size = 0, i = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    int open = 0, failed;

    if (out == NULL)
        return NULL;
    while (i < n) {
        const char *first = name[i], *end = first;
        int joins = last != NULL && alike(last, first);

        if (!mark[i++])
            continue;
        while (i < n && mark[i] && follows(end, name[i]))
            end = name[i++];
        if (!joins) {
            fprintf(out, "%s%s", open ? "]" : "", last != NULL ? "," : "");
            open = first[stem(first)] != '\0';
            fprintf(out, "%.*s%s", (int)stem(first), first, open ? "[" : "");
        } else {
            fputc(',', out);
        }
        if (open)
            fputs(first + stem(first), out);
        if (end != first)
            fprintf(out, "-%s", end + stem(end));
        last = end;
    }
    if (open)
        fputc(']', out);
    failed = ferror(out);
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
