/* SPDX-License-Identifier: BSD-3-Clause */
/* dtypes.c - tables of datatypes and operations. */
#include "algorithms/dtypes.h"

#include <stdint.h>
#include <string.h>

static const struct chorale_dtype dtypes[] = {
    { "byte", 1, 1, 0 },
    { "int", sizeof(int), 1, 1 },
    { "int64", sizeof(int64_t), 1, 1 },
    { "float", sizeof(float), 0, 1 },
    { "double", sizeof(double), 0, 1 },
};

static const struct chorale_opkind ops[] = {
    { "sum", 0 },  { "prod", 0 }, { "min", 0 },  { "max", 0 },
    { "band", 1 }, { "bor", 1 },  { "bxor", 1 },
};

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

const struct chorale_dtype *chorale_dtype(int i)
{
    return i >= 0 && i < COUNT(dtypes) ? &dtypes[i] : NULL;
}

const struct chorale_opkind *chorale_opkind(int i)
{
    return i >= 0 && i < COUNT(ops) ? &ops[i] : NULL;
}

int chorale_dtype_find(const char *name)
{
    for (int i = 0; i < COUNT(dtypes); i++)
        if (strcmp(dtypes[i].name, name) == 0)
            return i;
    return -1;
}

int chorale_opkind_find(const char *name)
{
    for (int i = 0; i < COUNT(ops); i++)
        if (strcmp(ops[i].name, name) == 0)
            return i;
    return -1;
}

size_t chorale_dtype_size(const char *name)
{
    int i = chorale_dtype_find(name);

    return i < 0 ? 1 : dtypes[i].size;
}
