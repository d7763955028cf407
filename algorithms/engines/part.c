/* SPDX-License-Identifier: BSD-3-Clause */
/* part.c - runs another variant as a sub-algorithm. */
#include "algorithms/engines/part.h"

const long chorale_part_number[CHORALE_NPART] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9
};

static void defaults(const struct chorale_alg *part, long *param)
{
    for (int i = 0; i < part->nparam; i++)
        param[i] = part->param[i].def;
}

static struct chorale_point point_of(const struct chorale_alg *part,
                                     const struct chorale_point *pt)
{
    struct chorale_point own = *pt;

    own.n = chorale_coll_n(part->coll, pt->msg_size, pt->comm_size);
    defaults(part, own.param);
    return own;
}

int chorale_part_run(const struct chorale_alg *part,
                     const struct chorale_call *call)
{
    struct chorale_call own = *call;
    long param[CHORALE_MAX_PARAM];

    defaults(part, param);
    own.param = param;
    return part->run(&own);
}

int chorale_part_cost(const struct chorale_alg *part,
                      const struct chorale_point *pt,
                      struct chorale_term *term)
{
    struct chorale_point own = point_of(part, pt);

    return part->cost(&own, term);
}

size_t chorale_part_scratch(const struct chorale_alg *part,
                            const struct chorale_point *pt)
{
    struct chorale_point own = point_of(part, pt);

    return part->scratch == NULL ? 0 : part->scratch(&own);
}

const char *chorale_part_refuses(const struct chorale_alg *part,
                                 const struct chorale_point *pt)
{
    struct chorale_point own = point_of(part, pt);

    return chorale_alg_refuses(part, &own);
}

int chorale_part_overlaps(const struct chorale_alg *part,
                          const struct chorale_point *pt)
{
    struct chorale_point own = point_of(part, pt);

    return chorale_alg_overlaps(part, &own);
}

enum chorale_order chorale_part_order(const struct chorale_alg *part,
                                      const struct chorale_point *pt)
{
    struct chorale_point own = point_of(part, pt);

    return chorale_alg_order(part, &own);
}

static struct chorale_point or_point(const struct chorale_point *pt, size_t n)
{
    struct chorale_point own = *pt;

    own.msg_size = own.n = n;
    own.type_size = 1;
    own.commutative = 1;
    return own;
}

int chorale_part_or_cost(const struct chorale_alg *part,
                         const struct chorale_alg *instead,
                         const struct chorale_point *pt, size_t n,
                         struct chorale_term *term)
{
    struct chorale_point own = or_point(pt, n);

    return chorale_part_cost(part != NULL ? part : instead, &own, term);
}

size_t chorale_part_or_scratch(const struct chorale_alg *part,
                               const struct chorale_point *pt, size_t n)
{
    struct chorale_point own = or_point(pt, n);

    return part != NULL ? chorale_part_scratch(part, &own) : 0;
}
