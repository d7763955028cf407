/* SPDX-License-Identifier: BSD-3-Clause */
/* alg_config.c - looks up a variant and parses its parameters. */
#include "tuner/base/alg_config.h"

struct chorale_alg_config chorale_alg_configure(enum chorale_coll coll,
                                                const char *name,
                                                const char *params)
{
    struct chorale_alg_config config = { .alg = chorale_alg_find(coll, name) };
    char why[160];

    if (config.alg != NULL &&
        chorale_alg_params_parse(config.alg, params, config.value, why,
                                 sizeof(why)) != 0)
        config.alg = NULL;
    return config;
}

int chorale_alg_config_place(const struct chorale_alg_config *config)
{
    const struct chorale_alg *alg = config->alg;
    int differ = 0;

    for (int i = 0; i < alg->nparam; i++)
        differ += config->value[i] != alg->param[i].def;
    return 4096 * differ + chorale_alg_index(alg);
}
