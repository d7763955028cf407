/* SPDX-License-Identifier: BSD-3-Clause */
/* write_mpich.c - writes rules as MPICH selection files (JSON), completed from
 * the library's built-in trees. Without a decision, the built-in choice
 * stays.
 *
 * A file replaces a whole built-in table. A communicator of the user is
 * 'parent' if some node has several of its ranks, else 'flat'. MPICH makes
 * further communicators within it ('node', 'node_roots'), which keep the
 * built-in rules: with a rule, a broadcast composed on them would call itself
 * there.
 *
 * The device has a table above the algorithms, which composes some collectives
 * from others on those communicators. The second file makes that table pass on
 * calls for which an algorithm is chosen. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/rules/mpich_csel.h"
#include "tuner/rules/mpich_algs.h"

/* One test with the tree below it; takes the reference. NULL if below is NULL
 * or memory is short. */
static json_t *test(const char *key, json_t *below)
{
    json_t *object = below != NULL ? json_object() : NULL;

    if (object == NULL ||
        json_object_set_new(object, key, below) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Add a test at the end; takes the reference. Returns 0 or -1. */
static int add(json_t *object, const char *key, json_t *below)
{
    return below == NULL ? -1 : json_object_set_new(object, key, below);
}

/* State while the tree of one collective is made. */
struct making {
    const struct chorale_rules *rules;
    enum chorale_coll coll;
    int device;
    json_t *rest;            /* built-in tree of the collective */
    struct chorale_csel_comm comm;
    json_t *here;            /* rest, pruned for comm */
};

static const struct chorale_mpich_traits *traits(const struct making *m)
{
    return chorale_mpich_traits(m->coll);
}

/* Built-in choice, new reference */
static json_t *stood(const struct making *m)
{
    return json_incref(m->here);
}

/* Test yes with the tree below it, and test no with the built-in choice; takes
 * the reference. */
static json_t *choose(const struct making *m, const char *yes, const char *no,
                      json_t *below)
{
    json_t *object = test(yes, below);

    if (object != NULL && add(object, no, stood(m)) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* The leaf of an algorithm, below tests of its requirements. */
static json_t *leaf(const struct making *m, const char *name)
{
    const struct chorale_mpich_need *need = chorale_mpich_need(m->coll, name);
    char key[CHORALE_MPICH_LEAF];
    json_t *object;

    if (name[0] == '\0')
        return stood(m);
    if (m->device)
        snprintf(key, sizeof(key), "%s", traits(m)->through);
    else
        chorale_mpich_leaf(m->coll, name, key);
    object = test(key, m->device ? json_object()
                                 : chorale_mpich_params(m->coll, name,
                                                        m->rules));
    if (need->whole) {
        json_t *few = test("count<pow2", stood(m));

        if (few != NULL && add(few, "count=any", object) != 0) {
            json_decref(few);
            few = NULL;
        }
        object = few;
    }
    if (need->regular)
        object = choose(m, "is_block_regular=yes", "is_block_regular=no",
                        object);
    if (traits(m)->by_op)
        object = choose(m, "is_op_built_in=yes", "is_op_built_in=no", object);
    if (traits(m)->by_order)
        object = choose(m, "is_commutative=yes", "is_commutative=no", object);
    if (traits(m)->in_place)
        object = choose(m, "is_sendbuf_inplace=no", "is_sendbuf_inplace=yes",
                        object);
    return object;
}

/* The largest value of the tested size for which the operation has at most n
 * bytes. */
static unsigned long long last_key(const struct making *m,
                                   unsigned long long n)
{
    int a_call = chorale_coll_info(m->coll)->blocks &&
                 traits(m)->key == CHORALE_MPICH_AVERAGE;

    return (n - 1) / (a_call ? (unsigned long long)m->comm.size : 1);
}

/* The choices of one set of rules by size; m->here is set. */
static json_t *bands(const struct making *m, const struct chorale_rule *r,
                     const unsigned long long *from, size_t count)
{
    static const char *const word[] = { "", "avg_msg_size", "total_msg_size" };
    const struct chorale_rule_place place = { r->shape, r->ppn };
    enum chorale_mpich_key by = traits(m)->key;
    json_t *object = json_object();
    unsigned long long before = ULLONG_MAX;
    int bad = object == NULL;
    char key[64];

    for (size_t i = 0; i < count && !bad; i++) {
        const char *name = chorale_rules_at(m->rules, m->coll, m->comm.size,
                                            &place, from[i]);
        unsigned long long last = i + 1 < count ? last_key(m, from[i + 1]) : 0;

        if (by == CHORALE_MPICH_NONE) { /* all bands choose the same */
            json_decref(object);
            return leaf(m, name);
        }
        if (i + 1 < count && last == before)
            continue; /* no call has a size in that band */
        if (i + 1 < count)
            snprintf(key, sizeof(key), "%s<=%llu", word[by], last);
        else
            snprintf(key, sizeof(key), "%s=any", word[by]);
        bad = add(object, key, leaf(m, name)) != 0;
        before = last;
    }
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* The tree of one set, pruned for its placement. */
static json_t *one_set(struct making *m, size_t first, size_t end)
{
    const struct chorale_rule *r = &m->rules->rule[first];
    unsigned long long *from = calloc(2 * (end - first) + 1, sizeof(*from));
    int size = r->comm_size, ppn = r->ppn < size ? r->ppn : size;
    json_t *made = NULL;

    m->comm.parent = r->shape != CHORALE_SHAPE_ONE_PER_NODE;
    m->comm.one_node = r->shape == CHORALE_SHAPE_SINGLE_NODE;
    m->comm.nodes = !m->comm.parent    ? size
                    : m->comm.one_node ? 1
                                       : (size + ppn - 1) / ppn;
    m->comm.consecutive = r->shape == CHORALE_SHAPE_SINGLE_NODE ||
                                  r->shape == CHORALE_SHAPE_BLOCK
                              ? 1
                          : r->shape == CHORALE_SHAPE_CYCLIC ? 0
                                                             : -1;
    m->here = chorale_csel_prune(m->rest, &m->comm);
    if (from != NULL && m->here != NULL)
        made = bands(m, r, from,
                     chorale_rules_bands(m->rules, first, end, from));
    json_decref(m->here);
    m->here = NULL;
    free(from);
    return made;
}

/* Returns 1 if some rule of a set chooses an algorithm. */
static int says(const struct chorale_rules *rules, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (rules->rule[i].left == NULL && rules->rule[i].name[0] != '\0')
            return 1;
    return 0;
}

/* The tree of the set with a shape and ppn (0: any) among rows of one size.
 * NULL if it chooses no algorithm; an error also sets *bad. */
static json_t *set_of(struct making *m, size_t first, size_t end,
                      enum chorale_shape shape, int ppn, int *bad)
{
    for (size_t i = first, next; i < end; i = next) {
        const struct chorale_rule *r = &m->rules->rule[i];
        json_t *made;

        next = chorale_rules_same_set(m->rules, i);
        if (r->shape != shape || (ppn != 0 && r->ppn != ppn) ||
            !says(m->rules, i, next))
            continue;
        made = one_set(m, i, next);
        *bad |= made == NULL;
        return made;
    }
    return NULL;
}

/* Add the tests by ranks a node for communicators on several nodes,
 * ascending. */
static int by_ppn(struct making *m, size_t first, size_t end, json_t *object)
{
    int size = m->rules->rule[first].comm_size, bad = 0;

    for (int ppn = 2; ppn < size && !bad; ppn++) {
        json_t *block = set_of(m, first, end, CHORALE_SHAPE_BLOCK, ppn, &bad);
        json_t *cyclic = set_of(m, first, end, CHORALE_SHAPE_CYCLIC, ppn,
                                &bad);
        json_t *both;
        char key[64];

        if ((block == NULL && cyclic == NULL) || bad) {
            json_decref(block);
            json_decref(cyclic);
            continue;
        }
        both = test("is_node_consecutive=yes",
                    block != NULL ? block : json_incref(m->rest));
        bad |= both == NULL ||
               add(both, "is_node_consecutive=no",
                   cyclic != NULL ? cyclic : json_incref(m->rest)) != 0;
        snprintf(key, sizeof(key), "comm_avg_ppn<=%d", ppn - 1);
        if (!bad && json_object_get(object, key) == NULL)
            bad |= add(object, key, json_incref(m->rest)) != 0;
        snprintf(key, sizeof(key), "comm_avg_ppn<=%d", ppn);
        if (!bad)
            bad |= add(object, key, both) != 0;
        else
            json_decref(both);
    }
    return bad ? -1 : 0;
}

/* The tree for one number of ranks. */
static json_t *one_size(struct making *m, size_t first, size_t end)
{
    json_t *object = json_object(), *parent = json_object(), *made;
    int bad = object == NULL || parent == NULL;

    m->comm.size = m->rules->rule[first].comm_size;
    if (!bad && (made = set_of(m, first, end, CHORALE_SHAPE_ONE_PER_NODE, 0,
                               &bad)) != NULL)
        bad |= add(object, "comm_hierarchy=flat", made) != 0;
    if (!bad && (made = set_of(m, first, end, CHORALE_SHAPE_SINGLE_NODE, 0,
                               &bad)) != NULL)
        bad |= add(parent, "comm_size=node_comm_size", made) != 0;
    if (!bad)
        bad = by_ppn(m, first, end, parent) != 0;
    if (!bad && json_object_size(parent) > 0)
        bad = add(parent, "comm_size=any", json_incref(m->rest)) != 0 ||
              add(object, "comm_hierarchy=parent", json_incref(parent)) != 0;
    if (!bad)
        bad = add(object, "comm_hierarchy=any", json_incref(m->rest)) != 0;
    json_decref(parent);
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* The tree for intra-communicators of one collective. */
static json_t *all_sizes(struct making *m, size_t first, size_t end)
{
    json_t *object = json_object();
    int bad = object == NULL, before = 0;
    char key[64];

    for (size_t i = first, next; i < end && !bad; i = next) {
        int size = m->rules->rule[i].comm_size;

        next = chorale_rules_same_size(m->rules, i);
        if (!says(m->rules, i, next))
            continue;
        snprintf(key, sizeof(key), "comm_size<=%d", size - 1);
        if (before != size - 1)
            bad = add(object, key, json_incref(m->rest)) != 0;
        snprintf(key, sizeof(key), "comm_size<=%d", size);
        bad = bad || add(object, key, one_size(m, i, next)) != 0;
        before = size;
    }
    bad = bad || add(object, "comm_size=any", json_incref(m->rest)) != 0;
    if (bad) {
        json_decref(object);
        return NULL;
    }
    return object;
}

/* Returns 1 if a tree has leaves other than the given one. */
static int has_others(json_t *tree, const char *leaf_key)
{
    const char *key;
    json_t *value;

    json_object_foreach(tree, key, value) {
        if (strchr(key, '=') != NULL &&
            (strncmp(key, "algorithm=", 10) == 0 ||
             strncmp(key, "composition=", 12) == 0)) {
            if (strcmp(key, leaf_key) != 0)
                return 1;
        } else if (has_others(value, leaf_key)) {
            return 1;
        }
    }
    return 0;
}

/* A collective's tree with the rules added before the built-in tree. */
static json_t *graft(struct making *m, json_t *built_in, size_t first,
                     size_t end)
{
    json_t *inner = json_object_get(built_in, "comm_type=intra"), *made;
    json_t *outer = json_object_get(built_in, "comm_type=inter");

    m->rest = inner != NULL ? inner : built_in;
    made = test("comm_type=intra", all_sizes(m, first, end));
    if (made == NULL)
        return NULL;
    if (inner == NULL)
        outer = built_in;
    if (outer != NULL &&
        add(made, "comm_type=inter", json_incref(outer)) != 0) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* The whole table as text, which the caller frees, or NULL. */
static char *table(const struct chorale_rules *rules, json_t *built_in,
                   int device)
{
    json_t *all = json_copy(built_in);
    char *text = NULL, key[64];
    int bad = all == NULL;

    for (size_t i = 0, end; i < rules->count && !bad; i = end) {
        struct making m = { .rules = rules, .coll = rules->rule[i].coll,
                            .device = device };
        json_t *old;

        for (end = i; end < rules->count && rules->rule[end].coll == m.coll;
             end++)
            continue;
        snprintf(key, sizeof(key), "collective=%s",
                 chorale_coll_info(m.coll)->name);
        old = json_object_get(built_in, key);
        if (old == NULL || !says(rules, i, end) ||
            (device && (traits(&m)->through == NULL ||
                        !has_others(old, traits(&m)->through))))
            continue;
        bad = add(all, key, graft(&m, old, i, end)) != 0;
    }
    if (!bad)
        text = json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(all);
    return text;
}

/* MPICH maps a file and reads up to a 0 byte. One must therefore follow the
 * file's last byte in the same page, whatever the page size. */
static char *end_in_page(char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    char *longer = text != NULL ? realloc(text, length + 3) : NULL;

    if (longer == NULL) {
        free(text);
        return NULL;
    }
    strcpy(longer + length, (length + 1) % 4096 == 0 ? "\n\n" : "\n");
    return longer;
}

enum chorale_err chorale_mpich_emit(const struct chorale_rules *rules,
                                    struct chorale_rule_files *files,
                                    struct chorale_errmsg *msg)
{
    json_t *algorithms = NULL, *device = NULL;
    enum chorale_err err = chorale_csel_built_in(&algorithms, &device, msg);

    if (err != CHORALE_OK)
        return err;
    files->text[0] = end_in_page(table(rules, algorithms, 0));
    if (device != NULL)
        files->text[1] = end_in_page(table(rules, device, 1));
    if (files->text[0] == NULL || (device != NULL && files->text[1] == NULL))
        err = chorale_fail_memory(msg, "generate");
    json_decref(algorithms);
    json_decref(device);
    return err;
}
