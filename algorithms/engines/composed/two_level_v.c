/* SPDX-License-Identifier: BSD-3-Clause */
/* two_level_v.c - gatherv and scatterv on two levels. */
#include "algorithms/engines/composed/two_level_v.h"

#include "algorithms/engines/rooted/block_tree.h"
#include "algorithms/engines/part.h"

const char *const chorale_level_v_word[CHORALE_OUTERS] = {
    "binomial_counts", "linear", "linear_nb"
};

/* Allocate n counts and displacements. */
static int make_room(struct chorale_sizes_v *s, struct chorale_ctx *ctx, int n)
{
    s->bytes = 0;
    s->count = chorale_scratch(ctx, (size_t)n * sizeof(*s->count));
    s->displ = chorale_scratch(ctx, (size_t)n * sizeof(*s->displ));
    return s->count == NULL || s->displ == NULL ? MPI_ERR_NO_MEM
                                                : MPI_SUCCESS;
}

/* Append block i. */
static void add(struct chorale_sizes_v *s, int i, int64_t bytes)
{
    s->count[i] = (MPI_Count)bytes;
    s->displ[i] = (MPI_Aint)s->bytes;
    s->bytes += (size_t)bytes;
}

int chorale_sizes_v_node(struct chorale_sizes_v *s, struct chorale_ctx *ctx,
                         const struct chorale_topology *t, const int64_t *size)
{
    int err = make_room(s, ctx, t->inner.size);

    for (int i = 0; err == MPI_SUCCESS && i < t->inner.size; i++)
        add(s, i, size[i]);
    return err;
}

void chorale_sizes_v_read(const struct chorale_topology *t,
                          const struct chorale_blocks *whole, int first,
                          int n, int64_t *size)
{
    int64_t unit = (int64_t)chorale_type_size(whole->type);

    for (int i = 0; i < n; i++)
        size[i] = unit * (int64_t)whole->counts[t->order[first + i]];
}

/* Sizes of all nodes' blocks, at the root. */
static int sizes_of_nodes(struct chorale_sizes_v *s, struct chorale_ctx *ctx,
                          const struct chorale_topology *t,
                          const struct chorale_blocks *whole)
{
    int err = make_room(s, ctx, t->nodes);

    for (int i = 0; err == MPI_SUCCESS && i < t->nodes; i++) {
        int64_t sum = 0, one;

        for (int k = t->start[i]; k < t->start[i + 1]; k++) {
            chorale_sizes_v_read(t, whole, k, 1, &one);
            sum += one;
        }
        add(s, i, sum);
    }
    return err;
}

int chorale_level_v_outer(const struct chorale_level_v *st,
                          const struct chorale_node_blocks *b, int gathers,
                          const struct chorale_alg *part)
{
    struct chorale_topology *t = st->t;
    struct chorale_call call = chorale_outer_call(
        t, t->index[st->call->root], gathers, b->all, b->mine,
        (MPI_Count)st->node.bytes);
    struct chorale_sizes_v nodes;
    int err = MPI_SUCCESS;

    if (st->whole != NULL) {
        err = sizes_of_nodes(&nodes, st->call->ctx, t, st->whole);
        call.sendcounts = call.recvcounts = nodes.count;
        call.sdispls = call.rdispls = nodes.displ;
    }
    return err == MPI_SUCCESS ? chorale_part_run(part, &call) : err;
}

/* --- cost ------------------------------------------------------------- */

/* Cost of one level of `ranks` members, each with the blocks of `each` ranks.
 * Any set of blocks has at most the bytes of the same number of largest
 * blocks. */
static int level_cost(const struct chorale_point *pt, int ranks, int each,
                      long way, double count_bytes, struct chorale_term *term)
{
    int rounds = chorale_ceil_log2(ranks) - 1, n = 0;

    if (ranks < 2 || (pt->msg_size == 0 && way != CHORALE_OUTER_BINOMIAL))
        return 0; /* linear algorithms skip empty blocks */
    if (way != CHORALE_OUTER_BINOMIAL) {
        term[0] = (struct chorale_term){
            .messages = ranks - 1,
            .bytes = chorale_ramp_largest(pt, (double)(ranks - 1) * each) /
                     (ranks - 1),
        };
        return 1;
    }
    if (rounds > 0)
        term[n++] = (struct chorale_term){
            .messages = rounds,
            .bytes = count_bytes * ranks / rounds,
        };
    for (double s = 1; s < ranks; s *= 2)
        term[n++] = (struct chorale_term){
            .messages = 1,
            .bytes = chorale_ramp_largest(pt, s * each),
        };
    return n;
}

int chorale_two_level_v_cost(const struct chorale_point *pt, long inner,
                             long outer, double count_bytes,
                             struct chorale_term *term)
{
    struct chorale_point in, out;
    int n;

    chorale_topology_points(pt, &in, &out);
    n = level_cost(pt, in.comm_size, 1, inner, count_bytes, term);
    return n + level_cost(pt, out.comm_size, pt->ppn, outer, count_bytes,
                          term + n);
}

/* The bytes of the root or a leader, and the same again for a binomial tree.
 * Per rank: its size, a count and displacement on either level, and an offset
 * in the tree or a request. */
size_t chorale_two_level_v_scratch(const struct chorale_point *pt)
{
    size_t each = 2 * sizeof(int64_t) + sizeof(MPI_Request) +
                  2 * (sizeof(MPI_Count) + sizeof(MPI_Aint));

    return chorale_topology_scratch(pt) + each * (size_t)(pt->comm_size + 1) +
           2 * pt->msg_size * (size_t)pt->comm_size;
}

int chorale_two_level_v_overlaps(const struct chorale_point *pt)
{
    return pt->param[0] == CHORALE_OUTER_LINEAR_NB ||
           pt->param[1] == CHORALE_OUTER_LINEAR_NB;
}
