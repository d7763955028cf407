/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline_cost.c - cost of pipelined broadcasts and reductions. */
#include "algorithms/engines/rooted/pipeline.h"

void chorale_cut_init(struct chorale_cut *cut, const struct chorale_point *pt,
                      size_t n, size_t s)
{
    int known = pt->alpha > 0 || pt->beta > 0;
    double alpha = known ? pt->alpha : 1e-6;
    double beta = known ? pt->beta : 1e-10;
    size_t last;

    cut->segments = (double)chorale_segments(n, s, &last);
    cut->last = (double)last;
    cut->s = cut->segments > 1 ? (double)s : cut->last;
    cut->t = alpha + beta * cut->s;
    cut->t_last = alpha + beta * cut->last;
}

struct chorale_path chorale_path_longer(const struct chorale_cut *cut,
                                        struct chorale_path a,
                                        struct chorale_path b)
{
    double more = (b.full - a.full) * cut->t +
                  (b.last - a.last) * cut->t_last;

    return more > 0 ? b : a;
}

struct chorale_path chorale_path_below(const struct chorale_cut *cut,
                                       const struct chorale_tree *tree,
                                       int *below)
{
    struct chorale_path best = { 0, 0 };

    *below = 0;
    for (int i = 0; i < tree->nchild; i++) {
        struct chorale_tree child;
        struct chorale_path way;
        int steps;

        chorale_tree_init(&child, tree->shape, tree->radix, tree->size,
                          chorale_tree_child(tree, i));
        way = chorale_path_below(cut, &child, &steps);
        way.full += i + 1;
        best = chorale_path_longer(cut, best, way);
        if (steps + i + 1 > *below)
            *below = steps + i + 1;
    }
    return chorale_path_longer(
        cut, best, (struct chorale_path){ tree->nchild, *below });
}

static void root_init(struct chorale_tree *root,
                      const struct chorale_point *pt,
                      const struct chorale_flow *flow)
{
    int v = flow->shape == CHORALE_IN_ORDER ? pt->comm_size - 1 : 0;

    chorale_tree_init(root, flow->shape, flow->radix, pt->comm_size, v);
}

/* The same from the root of chains, which are too deep to walk: the last
 * segment waits at the root, or just before the end of a chain. */
static struct chorale_path way_below_chains(const struct chorale_cut *cut,
                                            const struct chorale_tree *root)
{
    int chains = root->nchild, size = root->size;
    int length = (size - 1) / chains, more = (size - 1) % chains;
    struct chorale_path best = {
        chains, chorale_tree_steps(CHORALE_CHAIN, chains, size)
    };
    struct chorale_path way = { chains + length - 1, length > 1 };

    best = chorale_path_longer(cut, best, way);
    way = (struct chorale_path){ more + length, 1 };
    return more > 0 ? chorale_path_longer(cut, best, way) : best;
}

/* Longest path down a k-ary tree in which a rank receives a segment only after
 * it has passed on the previous one. tree->v gets the last segment after the
 * path arrived, and the one before it after first full steps. Both are counted
 * from the time at which the root starts to send that earlier segment. */
static struct chorale_path way_in_turn(const struct chorale_cut *cut,
                                       const struct chorale_tree *tree,
                                       struct chorale_path arrived,
                                       double first)
{
    struct chorale_path best = arrived;

    for (int i = 0; i < tree->nchild; i++) {
        struct chorale_tree child;
        struct chorale_path ready = { 0, 0 };

        chorale_tree_init(&child, tree->shape, tree->radix, tree->size,
                          chorale_tree_child(tree, i));
        first++;
        ready.full = first + child.nchild;
        arrived = chorale_path_longer(cut, arrived, ready);
        arrived.last++;
        best = chorale_path_longer(
            cut, best, way_in_turn(cut, &child, arrived, first));
    }
    return chorale_path_longer(cut, best, arrived);
}

/* The same from the root, for the last two segments. Each earlier segment takes
 * one step more if the first child has as many children as the root. */
static struct chorale_path way_root_in_turn(const struct chorale_cut *cut,
                                            const struct chorale_tree *root)
{
    struct chorale_path way = { root->nchild, 0 };
    struct chorale_tree child;

    chorale_tree_init(&child, root->shape, root->radix, root->size,
                      chorale_tree_child(root, 0));
    way = way_in_turn(cut, root, way, 0);
    if (child.nchild == root->nchild)
        way.full += cut->segments - 2;
    return way;
}

int chorale_path_terms(const struct chorale_cut *cut, struct chorale_path way,
                       struct chorale_term *term)
{
    term[0] = (struct chorale_term){ .messages = way.full, .bytes = cut->s };
    term[1] = (struct chorale_term){ .messages = way.last,
                                     .bytes = cut->last };
    return 2;
}

int chorale_flow_bcast_cost(const struct chorale_point *pt,
                            const struct chorale_flow *flow,
                            struct chorale_term *term)
{
    struct chorale_path way = { 0, 0 };
    struct chorale_tree root;
    struct chorale_cut cut;
    int steps;

    if (pt->comm_size < 2)
        return 0;
    root_init(&root, pt, flow);
    chorale_cut_init(&cut, pt, pt->msg_size, (size_t)flow->segsize);
    if (cut.segments > 1) {
        way = flow->waits ? way_root_in_turn(&cut, &root)
              : flow->shape == CHORALE_CHAIN
                  ? way_below_chains(&cut, &root)
                  : chorale_path_below(&cut, &root, &steps);
        way.full += (cut.segments - 2) * root.nchild;
    } else {
        way.last = chorale_tree_steps(flow->shape, flow->radix,
                                      pt->comm_size);
    }
    return chorale_path_terms(&cut, way, term);
}

/* The first segment climbs the tree. After that its root, which has the most
 * children, is never idle. */
int chorale_flow_reduce_cost(const struct chorale_point *pt,
                             const struct chorale_flow *flow, int base,
                             struct chorale_term *term)
{
    struct chorale_path way = { 0, 0 };
    struct chorale_tree root;
    struct chorale_cut cut;

    if (pt->comm_size < 2)
        return 0;
    root_init(&root, pt, flow);
    chorale_cut_init(&cut, pt, pt->msg_size,
                     chorale_whole_segment(flow->segsize, pt->type_size));
    way.last = chorale_tree_steps(flow->shape, flow->radix, pt->comm_size);
    if (cut.segments > 1) {
        way.full = way.last + (cut.segments - 2) * root.nchild;
        way.last = root.nchild;
    }
    chorale_path_terms(&cut, way, term);
    term[0].reduced = way.full * cut.s;
    term[1].reduced = way.last * cut.last;
    term[2] = (struct chorale_term){ .messages = base != pt->root,
                                     .bytes = (double)pt->msg_size };
    return 3;
}

int chorale_flow_allreduce_cost(const struct chorale_point *pt,
                                const struct chorale_flow *flow,
                                struct chorale_term *term)
{
    double steps = chorale_tree_steps(flow->shape, flow->radix,
                                      pt->comm_size);
    struct chorale_tree root;
    struct chorale_cut cut;
    double more, late;

    if (pt->comm_size < 2)
        return 0;
    root_init(&root, pt, flow);
    chorale_cut_init(&cut, pt, pt->msg_size,
                     chorale_whole_segment(flow->segsize, pt->type_size));
    more = cut.segments - 1;
    /* Delay where the way up and the way down meet. */
    late = more <= 0 ? 0 : root.nchild == 1 ? 1 : steps;
    term[0] = (struct chorale_term){
        .messages = 2 * steps + late + more * (root.nchild + 1),
        .bytes = cut.s,
        .reduced = (steps + more * root.nchild) * cut.s,
    };
    return 1;
}

int chorale_flow_spares(const struct chorale_tree *tree, int several,
                        int own_last, int has_result, int own_is_result)
{
    int children = tree->nchild < 2 ? tree->nchild : 2;

    if (children == 0)
        return 0;
    if (has_result)
        return own_last || tree->nchild == 2 ? 1
               : tree->nchild == 1           ? own_is_result
                                             : 2;
    if (tree->parent < 0)
        several = 0;
    return own_last ? 2 + several : children + several;
}

/* Segment buffers of the root, in place or not. has_result: the root has the
 * result buffer; else it acts like any other rank. */
static int root_spares(const struct chorale_tree *root,
                       const struct chorale_point *pt, int in_order,
                       int has_result)
{
    int most = chorale_flow_spares(root, 0, in_order, has_result, 0), placed;

    if (!has_result)
        return most;
    placed = chorale_flow_spares(root, 0, in_order || pt->commutative, 1, 1);
    return placed > most ? placed : most;
}

/* Maximum over the root and its children; no other rank has more children. */
static int most_spares(const struct chorale_point *pt,
                       const struct chorale_flow *flow, int several,
                       int has_result)
{
    int in_order = flow->shape == CHORALE_IN_ORDER, most;
    struct chorale_tree root, child;

    root_init(&root, pt, flow);
    most = root_spares(&root, pt, in_order, has_result);
    for (int i = 0; i < root.nchild; i++) {
        int n;

        chorale_tree_init(&child, flow->shape, flow->radix, pt->comm_size,
                          chorale_tree_child(&root, i));
        n = chorale_flow_spares(&child, several, in_order, 0, 0);
        most = n > most ? n : most;
    }
    return most;
}

static size_t scratch_bytes(const struct chorale_point *pt,
                            const struct chorale_flow *flow, int several,
                            int has_result)
{
    size_t s = chorale_whole_segment(flow->segsize, pt->type_size);
    size_t last, segments = chorale_segments(pt->msg_size, s, &last);

    if (pt->comm_size < 2)
        return 0;
    several &= segments > 1;
    return (segments > 1 ? s : last) *
           (size_t)most_spares(pt, flow, several,
                               has_result || segments > 1);
}

size_t chorale_flow_allreduce_scratch(const struct chorale_point *pt,
                                      const struct chorale_flow *flow)
{
    return scratch_bytes(pt, flow, 0, 1);
}

size_t chorale_flow_reduce_scratch(const struct chorale_point *pt,
                                   const struct chorale_flow *flow, int base)
{
    size_t s = chorale_whole_segment(flow->segsize, pt->type_size);
    size_t last, segments = chorale_segments(pt->msg_size, s, &last);
    int passes_on = pt->comm_size > 1 && base != pt->root;
    size_t leaf = 0, each = 0;
    struct chorale_tree root;

    if (flow->max_reqs > 0 && segments > (size_t)flow->max_reqs)
        leaf = (size_t)flow->max_reqs * sizeof(MPI_Request);
    if (flow->each && pt->comm_size > 1) {
        root_init(&root, pt, flow);
        each = ((size_t)root.nchild + 1) *
               (sizeof(void *) + sizeof(MPI_Request) +
                (segments > 1 ? s : last));
    }
    return (each > 0 ? each : scratch_bytes(pt, flow, 1, !passes_on)) +
           leaf +
           (passes_on && segments > 1 ? pt->msg_size : 0);
}
