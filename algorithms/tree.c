/* SPDX-License-Identifier: BSD-3-Clause */
/* tree.c - trees and the balanced split.
 *
 * All variants share these functions: two ranks that computed different trees
 * would deadlock. */
#include "algorithms/tree.h"

int chorale_ceil_log2(int p)
{
    int r = 0;

    while (r < 31 && (1U << r) < (unsigned)p)
        r++;
    return r;
}

int chorale_pow2_below(int p)
{
    int q = 1;

    while (q <= p / 2)
        q *= 2;
    return q;
}

/* Twice the distance of the farthest child that v may have: its lowest set bit,
 * or for the root the first power of two >= size. */
static unsigned reach(int v, int size)
{
    if (v == 0)
        return 1U << chorale_ceil_log2(size);
    return (unsigned)v & (0U - (unsigned)v);
}

int chorale_binomial(int v, int size, int *parent, int child[32])
{
    unsigned bit = reach(v, size);
    int n = 0;

    *parent = v == 0 ? -1 : (int)((unsigned)v - bit);
    for (bit /= 2; bit > 0; bit /= 2)
        if ((unsigned)v + bit < (unsigned)size)
            child[n++] = (int)((unsigned)v + bit);
    return n;
}

int chorale_binomial_subtree(int v, int size)
{
    unsigned bit = reach(v, size);
    unsigned left = (unsigned)(size - v);

    return (int)(bit < left ? bit : left);
}

/* --- any shape -------------------------------------------------------- */

/* Radix 2 without divisions, which are noticeable for small messages. */
static void init_binomial(struct chorale_tree *t)
{
    unsigned v = (unsigned)t->v, bit = v & (0U - v);

    t->span = t->size - t->v;
    if (v > 0) {
        t->parent = (int)(v - bit);
        if (bit < (unsigned)t->span)
            t->span = (int)bit;
    }
    while ((t->span - 1) >> t->nchild > 0)
        t->nchild++;
}

static void init_knomial(struct chorale_tree *t)
{
    unsigned radix = (unsigned)t->radix, digits = (unsigned)t->v, end;
    unsigned long long step = 1;

    t->span = t->size;
    if (t->v > 0) {
        for (; digits % radix == 0; digits /= radix)
            step *= radix;
        t->parent = (int)((unsigned)t->v - digits % radix * (unsigned)step);
        t->span = (unsigned)(t->size - t->v) < step ? t->size - t->v
                                                    : (int)step;
    }
    /* Children at distances below span: 1 ... radix - 1 times each power. */
    for (end = (unsigned)t->span - 1; end > 0; end /= radix)
        t->nchild += (int)(end < radix ? end : radix - 1);
}

static void init_kary(struct chorale_tree *t)
{
    long long first = (long long)t->v * t->radix + 1;
    long long left = t->size - first;

    if (t->v > 0)
        t->parent = (t->v - 1) / t->radix;
    if (left > 0)
        t->nchild = left < t->radix ? (int)left : t->radix;
}

/* Number of short chains, which come first and have *length ranks each; the
 * other chains have one rank more. */
static int short_chains(const struct chorale_tree *t, int *length)
{
    *length = (t->size - 1) / t->radix;
    return t->radix - (t->size - 1) % t->radix;
}

/* Number of ranks before v in its chain; *left: ranks from v to its end. */
static int place_in_chain(const struct chorale_tree *t, int *left)
{
    int length, few = short_chains(t, &length), at = t->v - 1;

    if (at >= few * length) {
        at -= few * length;
        length++;
    }
    *left = length - at % length;
    return at % length;
}

static void init_chain(struct chorale_tree *t)
{
    int before;

    if (t->radix >= t->size)
        t->radix = t->size > 1 ? t->size - 1 : 1;
    if (t->v == 0) {
        t->nchild = t->size > 1 ? t->radix : 0;
        t->span = t->size;
        return;
    }
    before = place_in_chain(t, &t->span);
    t->parent = before == 0 ? 0 : t->v - 1;
    t->nchild = t->span > 1;
}

/* Root of the lower half of span ranks that end at last, without last
 * itself. */
static int lower_half(int last, int span)
{
    return last - span + span / 2;
}

static void init_in_order(struct chorale_tree *t)
{
    int last = t->size - 1;

    t->span = t->size;
    while (last != t->v) {
        int lower = lower_half(last, t->span);

        t->parent = last;
        if (t->v <= lower) {
            t->span /= 2;
            last = lower;
        } else {
            t->span -= t->span / 2 + 1;
            last--;
        }
    }
    t->nchild = t->span < 3 ? t->span - 1 : 2;
}

void chorale_tree_init(struct chorale_tree *tree, enum chorale_shape shape,
                       long radix, int size, int v)
{
    *tree = (struct chorale_tree){
        .shape = shape,
        .radix = radix > size ? size : (int)radix,
        .size = size,
        .v = v,
        .parent = -1,
    };
    if (shape == CHORALE_CHAIN) {
        init_chain(tree);
    } else if (shape == CHORALE_IN_ORDER) {
        init_in_order(tree);
    } else {
        if (tree->radix < 2)
            tree->radix = 2;
        if (shape == CHORALE_KARY)
            init_kary(tree);
        else if (tree->radix == 2)
            init_binomial(tree);
        else
            init_knomial(tree);
    }
}

/* Child number i of a k-nomial tree, in order of distance from v. */
static int knomial_child(const struct chorale_tree *t, int i)
{
    int step = 1;

    if (t->radix == 2)
        return t->v + (1 << i);
    for (; i >= t->radix - 1; i -= t->radix - 1)
        step *= t->radix;
    return t->v + (i + 1) * step;
}

/* Order by subtree size: farthest first, except that the farthest child of all,
 * whose subtree may be small, follows those with larger subtrees. */
static int large_child(const struct chorale_tree *t, int i)
{
    int others = t->nchild - 1, smaller = 0;
    int farthest = knomial_child(t, others);
    long long left = t->v + t->span - farthest, step = 1;

    for (; step <= left && smaller < others; step *= t->radix)
        smaller += t->radix - 1;
    if (smaller > others)
        smaller = others;
    if (i == others - smaller)
        return farthest;
    return knomial_child(t, i < others - smaller ? others - 1 - i
                                                 : others - i);
}

static int chain_child(const struct chorale_tree *t, int i)
{
    int length, few, chain = t->radix - 1 - i;

    if (t->v > 0)
        return t->v + 1;
    few = short_chains(t, &length);
    return 1 + chain * length + (chain > few ? chain - few : 0);
}

int chorale_tree_child(const struct chorale_tree *tree, int i)
{
    switch (tree->shape) {
    case CHORALE_KNOMIAL:
        return knomial_child(tree, tree->nchild - 1 - i);
    case CHORALE_KNOMIAL_NEAR:
        return knomial_child(tree, i);
    case CHORALE_KNOMIAL_LARGE:
        return large_child(tree, i);
    case CHORALE_KARY:
        return tree->v * tree->radix + 1 + i;
    case CHORALE_CHAIN:
        return chain_child(tree, i);
    case CHORALE_IN_ORDER:
        break;
    }
    return i == 0 ? lower_half(tree->v, tree->span) : tree->v - 1;
}

int chorale_tree_depth(const struct chorale_tree *tree)
{
    struct chorale_tree up = *tree;
    int depth = 0;

    if (tree->shape == CHORALE_CHAIN)
        return tree->v == 0 ? 0 : place_in_chain(tree, &up.v) + 1;
    while (up.parent >= 0) {
        chorale_tree_init(&up, up.shape, up.radix, up.size, up.parent);
        depth++;
    }
    return depth;
}

/* Steps below a rank: for each child its turn plus the steps below it; maximum
 * over the children. */
static int steps_below(const struct chorale_tree *tree)
{
    struct chorale_tree child;
    int most = 0;

    for (int i = 0; i < tree->nchild; i++) {
        int steps;

        chorale_tree_init(&child, tree->shape, tree->radix, tree->size,
                          chorale_tree_child(tree, i));
        steps = i + 1 + steps_below(&child);
        if (steps > most)
            most = steps;
    }
    return most;
}

static int chain_steps(const struct chorale_tree *root)
{
    int length, longer = root->radix - short_chains(root, &length);
    int steps = root->radix + length - 1;

    return longer > 0 && longer + length > steps ? longer + length : steps;
}

int chorale_tree_steps(enum chorale_shape shape, long radix, int size)
{
    struct chorale_tree root;

    chorale_tree_init(&root, shape, radix, size,
                      shape == CHORALE_IN_ORDER ? size - 1 : 0);
    if (root.nchild == 0)
        return 0;
    return shape == CHORALE_CHAIN ? chain_steps(&root) : steps_below(&root);
}

void chorale_split(size_t total, int parts, int i, size_t *offset,
                   size_t *length)
{
    size_t each = total / (size_t)parts;
    size_t longer = total % (size_t)parts;
    size_t index = (size_t)i;

    *offset = each * index + (index < longer ? index : longer);
    *length = each + (index < longer);
}
