/* SPDX-License-Identifier: BSD-3-Clause */
/* statistic.c - what an imported time is. */
#include "config.h"

#include <string.h>

#include "tuner/exchange/statistic.h"

static const char *const names[CHORALE_NSTATISTIC][2] = {
    [CHORALE_STATISTIC_MEAN] = { "mean", "mean over the ranks" },
    [CHORALE_STATISTIC_MAX] = { "max", "maximum over the ranks" },
    [CHORALE_STATISTIC_ROOT] = { "root", "root's own time" },
};

int chorale_statistic_find(const char *name)
{
    for (int i = 0; i < CHORALE_NSTATISTIC; i++)
        if (strcmp(names[i][0], name) == 0)
            return i;
    return -1;
}

const char *chorale_statistic_text(enum chorale_statistic statistic)
{
    return names[statistic][1];
}

const char *chorale_imported_validity(enum chorale_coll coll,
                                      enum chorale_statistic statistic)
{
    return statistic == CHORALE_STATISTIC_MEAN &&
                   chorale_coll_info(coll)->rooted
               ? "imported,not a duration"
               : "imported";
}
