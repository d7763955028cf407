/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c - see part.h. */
#include "algorithms/part.h"

int chorale_part_run(const struct chorale_alg *part,
                     const struct chorale_call *call)
{
    struct chorale_call copy = *call;
    long param[CHORALE_MAX_PARAM];

    for (int i = 0; i < part->nparam; i++)
        param[i] = part->param[i].def;
    copy.param = param;
    return part->run(&copy);
}

struct chorale_point chorale_part_point(const struct chorale_alg *part,
                                        const struct chorale_point *pt)
{
    struct chorale_point copy = *pt;

    for (int i = 0; i < part->nparam; i++)
        copy.param[i] = part->param[i].def;
    copy.n = chorale_coll_n(part->coll, pt->msg_size, pt->comm_size);
    return copy;
}

int chorale_part_cost(const struct chorale_alg *part,
                      const struct chorale_point *pt,
                      struct chorale_term *term)
{
    struct chorale_point copy = chorale_part_point(part, pt);

    return part->cost(&copy, term);
}

size_t chorale_part_scratch(const struct chorale_alg *part,
                            const struct chorale_point *pt)
{
    struct chorale_point copy = chorale_part_point(part, pt);

    return part->scratch == NULL ? 0 : part->scratch(&copy);
}

const char *chorale_part_refuses(const struct chorale_alg *part,
                                 const struct chorale_point *pt)
{
    struct chorale_point copy = chorale_part_point(part, pt);

    return chorale_alg_refuses(part, &copy);
}
