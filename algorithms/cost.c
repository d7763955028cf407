/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.c - critical paths shared by several variants. */
#include "algorithms/cost.h"

#include "algorithms/tree.h"

int chorale_cost_in_turn(const struct chorale_point *pt,
                         struct chorale_term *term)
{
    if (pt->comm_size < 2)
        return 0;
    term[0] = (struct chorale_term){ .messages = pt->comm_size - 1,
                                     .bytes = (double)pt->msg_size };
    return 1;
}

int chorale_cost_binomial_blocks(const struct chorale_point *pt,
                                 struct chorale_term *term)
{
    int child[32], parent;
    int n = chorale_binomial(0, pt->comm_size, &parent, child);

    for (int i = 0; i < n; i++) {
        int blocks = chorale_binomial_subtree(child[i], pt->comm_size);

        term[i] = (struct chorale_term){
            .messages = 1,
            .bytes = (double)pt->msg_size * blocks,
        };
    }
    return n;
}

size_t chorale_scratch_binomial_blocks(const struct chorale_point *pt)
{
    return pt->comm_size < 3 ? 0
                             : pt->msg_size *
                                   (size_t)chorale_pow2_below(pt->comm_size);
}
