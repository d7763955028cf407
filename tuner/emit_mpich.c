/* SPDX-License-Identifier: BSD-3-Clause */
/* emit_mpich.c - rules as selection files of MPICH, JSON, completed from the
 * tables that the library has built in: where nothing is decided, what stood
 * there stands.
 *
 * A file replaces a whole table. Communicators of users are 'parent' where
 * some node has several of their ranks, else 'flat'; those that MPICH makes
 * within them ('node', 'node_roots') keep the built-in rules: a rule for a
 * broadcast made of such communicators would call itself in them. Above the
 * algorithms stands a table of the device, which makes some collectives of
 * others on those communicators. Where an algorithm is chosen it has to let
 * the call through: the second file.
 *
 * An algorithm that is chosen here is called without asking whether it can:
 * what it needs is tested before it. */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/csel.h"
#include "tuner/rules.h"

/* How a collective's size is tested: bytes of a call (AVERAGE) or of all
 * ranks (TOTAL); not at all where the test knows less than all ranks do, or
 * is not defined. */
enum key { NONE, AVERAGE, TOTAL };

static const struct {
    enum key key;
    int by_op;               /* is_op_built_in may be asked, or ... */
    int by_order;            /* is_commutative */
    int in_place;            /* is_sendbuf_inplace may be asked */
    const char *through;     /* what the device calls the algorithms by, where
                              * it has something else */
} traits[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = { NONE, 0, 0, 0,
                          "composition=MPIDI_Barrier_intra_composition_beta" },
    [CHORALE_BCAST] = { AVERAGE, 0, 0, 0,
                        "composition=MPIDI_Bcast_intra_composition_gamma" },
    [CHORALE_REDUCE] = { AVERAGE, 1, 1, 0,
                         "composition=MPIDI_Reduce_intra_composition_gamma" },
    [CHORALE_ALLREDUCE] = {
        AVERAGE, 1, 1, 0,
        "composition=MPIDI_Allreduce_intra_composition_beta" },
    [CHORALE_REDUCE_SCATTER_BLOCK] = { TOTAL, 0, 1, 0, NULL },
    [CHORALE_REDUCE_SCATTER] = { TOTAL, 0, 1, 0, NULL },
    [CHORALE_ALLGATHER] = { TOTAL, 0, 0, 0, NULL },
    [CHORALE_ALLGATHERV] = { TOTAL, 0, 0, 0, NULL },
    [CHORALE_ALLTOALL] = { AVERAGE, 0, 0, 1, NULL },
    [CHORALE_ALLTOALLV] = { NONE, 0, 0, 1, NULL },
    [CHORALE_SCAN] = { NONE, 0, 0, 0,
                       "composition=MPIDI_Scan_intra_composition_beta" },
};

/* What an algorithm needs beyond a built-in operation and nothing in place;
 * others of that name need nothing. */
static const struct need {
    enum chorale_coll coll;
    const char *name;
    int pow2, parent, inplace, whole, regular; /* whole: count >= 2^k <= P */
} needs[] = {
    { CHORALE_BARRIER, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_BCAST, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_REDUCE, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_REDUCE, "reduce_scatter_gather", 0, 0, 0, 1, 0 },
    { CHORALE_ALLREDUCE, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_ALLREDUCE, "reduce_scatter_allgather", 0, 0, 0, 1, 0 },
    { CHORALE_ALLGATHER, "recursive_doubling", 1, 0, 0, 0, 0 },
    { CHORALE_ALLGATHERV, "recursive_doubling", 1, 0, 0, 0, 0 },
    { CHORALE_REDUCE_SCATTER, "noncommutative", 1, 0, 0, 0, 1 },
    { CHORALE_REDUCE_SCATTER_BLOCK, "noncommutative", 1, 0, 0, 0, 0 },
    { CHORALE_ALLTOALL, "pairwise_sendrecv_replace", 0, 0, 1, 0, 0 },
    { CHORALE_ALLTOALLV, "pairwise_sendrecv_replace", 0, 0, 1, 0, 0 },
    { CHORALE_SCAN, "smp", 0, 1, 0, 0, 0 },
};

static const struct need *need_of(enum chorale_coll coll, const char *name)
{
    static const struct need nothing;

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
        if (needs[i].coll == coll && strcmp(needs[i].name, name) == 0)
            return &needs[i];
    return &nothing;
}

/* "algorithm=MPIR_Bcast_intra_binomial"; 0, or -1: the library in this
 * process has no algorithm of that name. */
static int leaf_name(enum chorale_coll coll, const char *name,
                     char leaf[160])
{
    static const char *const kinds[] = { "intra", "allcomm" };
    const char *word = chorale_coll_info(coll)->name;

    for (size_t i = 0; i < 2; i++) {
        snprintf(leaf, 160, "algorithm=MPIR_%c%s_%s_%s",
                 word[0] - 'a' + 'A', word + 1, kinds[i], name);
        if (chorale_csel_knows(leaf))
            return 0;
    }
    return -1;
}

static int is_pow2(int size)
{
    return (size & (size - 1)) == 0;
}

/* A collective without a size to test takes one choice for all sizes. */
static int for_all_sizes(const struct chorale_rule *r)
{
    return chorale_coll_info(r->coll)->dataless ||
           (r->lo == 0 && r->hi == CHORALE_RULE_NO_END);
}

static const char *cannot(const struct chorale_rule *r)
{
    const struct need *need = need_of(r->coll, r->name);

    if (r->shape == CHORALE_SHAPE_IRREGULAR)
        return "no test tells such placements apart";
    if (r->shape != CHORALE_SHAPE_SINGLE_NODE && r->comm_size % r->ppn != 0)
        return "no test tells nodes that are not full from others";
    if (traits[r->coll].key == NONE && !for_all_sizes(r))
        return "no test of its size is the same on all ranks";
    if (need->pow2 && !is_pow2(r->comm_size))
        return "the algorithm needs a power of two of ranks";
    if (need->parent && r->shape == CHORALE_SHAPE_ONE_PER_NODE)
        return "the algorithm needs several ranks on a node";
    if (need->inplace)
        return "the algorithm works in place only";
    return NULL;
}

/* Thresholds have 31 bits: what is beyond the largest is one band. */
static void cut(struct chorale_rule *r)
{
    unsigned long long most = INT_MAX;

    if (chorale_coll_info(r->coll)->blocks && traits[r->coll].key == AVERAGE)
        most = (most + 1) * (unsigned long long)r->comm_size - 1;
    if (r->left == NULL && r->lo > most)
        r->left = "no test has as large a threshold";
    else if (r->hi > most && r->hi < CHORALE_RULE_NO_END)
        r->hi = most;
}

static enum chorale_err prepare(struct chorale_rules *rules,
                                const struct chorale_rule_opts *opts,
                                struct chorale_errmsg *msg)
{
    char leaf[160];

    (void)opts; /* the format tells operations apart */
    for (size_t i = 0; i < rules->count; i++) {
        struct chorale_rule *r = &rules->rule[i];

        r->left = NULL;
        if (r->name[0] == '\0')
            continue;
        if (leaf_name(r->coll, r->name, leaf) != 0)
            return chorale_fail(msg, CHORALE_DATA, "system %s: its decisions"
                                " choose %s %s, which the MPI library here"
                                " does not have; measure again with this one",
                                rules->system,
                                chorale_coll_info(r->coll)->name, r->name);
        r->left = cannot(r);
        cut(r);
    }
    return CHORALE_OK;
}

/* --- trees --------------------------------------------------------------- */

/* One test and what is below it; takes both references. NULL, if below is. */
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

/* Add a test at the end; takes the reference. 0, or -1. */
static int add(json_t *object, const char *key, json_t *below)
{
    return below == NULL ? -1 : json_object_set_new(object, key, below);
}

/* What is made: of which table, with what for the rest. */
struct making {
    const struct chorale_rules *rules;
    enum chorale_coll coll;
    int device;
    json_t *rest;            /* the built-in tree of the collective */
    struct chorale_csel_comm comm;
    json_t *here;            /* that, pruned for comm */
};

/* What stood there: shared. */
static json_t *stood(const struct making *m)
{
    return json_incref(m->here);
}

/* if yes, that, else what stood there; takes the reference. */
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

/* An algorithm, behind what it needs. */
static json_t *leaf(const struct making *m, const char *name)
{
    const struct need *need = need_of(m->coll, name);
    char key[160];
    json_t *object;

    if (name[0] == '\0')
        return stood(m);
    if (m->device)
        snprintf(key, sizeof(key), "%s", traits[m->coll].through);
    else
        leaf_name(m->coll, name, key);
    object = test(key, json_object());
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
    if (traits[m->coll].by_op)
        object = choose(m, "is_op_built_in=yes", "is_op_built_in=no", object);
    if (traits[m->coll].by_order)
        object = choose(m, "is_commutative=yes", "is_commutative=no", object);
    if (traits[m->coll].in_place)
        object = choose(m, "is_sendbuf_inplace=no", "is_sendbuf_inplace=yes",
                        object);
    return object;
}

/* The last value of the size test below that n. */
static unsigned long long last_key(const struct making *m,
                                   unsigned long long n)
{
    int a_call = chorale_coll_info(m->coll)->blocks &&
                 traits[m->coll].key == AVERAGE;

    return (n - 1) / (a_call ? (unsigned long long)m->comm.size : 1);
}

/* The choices of one set of rules; m->here is set. */
static json_t *bands(const struct making *m, const struct chorale_rule *r,
                     const unsigned long long *from, size_t count)
{
    static const char *const word[] = { "", "avg_msg_size", "total_msg_size" };
    const struct chorale_rule_place place = { r->shape, r->ppn };
    enum key by = traits[m->coll].key;
    json_t *object = json_object();
    unsigned long long before = ULLONG_MAX;
    int bad = object == NULL;
    char key[64];

    for (size_t i = 0; i < count && !bad; i++) {
        const char *name = chorale_rules_at(m->rules, m->coll, m->comm.size,
                                            &place, from[i]);
        unsigned long long last = i + 1 < count ? last_key(m, from[i + 1]) : 0;

        if (by == NONE) { /* all of them say the same */
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

/* One set as a tree, pruned for where it lies. */
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

/* 1 if some rule of a set chooses something. */
static int says(const struct chorale_rules *rules, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (rules->rule[i].left == NULL && rules->rule[i].name[0] != '\0')
            return 1;
    return 0;
}

/* The set of that shape and ppn (0: any) among rows of one size, if it says
 * something; NULL: it does not, or *bad. */
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

/* Communicators on several nodes, by ranks a node; ascending. */
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

/* All that is said of one number of ranks. */
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

/* The intra-communicators of one collective. */
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

/* 1 if a tree has more leaves than that one. */
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

/* Its own tree of a collective, before the built-in one. */
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
    if (outer != NULL && add(made, "comm_type=inter", json_incref(outer)) != 0) {
        json_decref(made);
        return NULL;
    }
    return made;
}

/* The whole table, as text to be freed, or NULL. */
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
            (device && (traits[m.coll].through == NULL ||
                        !has_others(old, traits[m.coll].through))))
            continue;
        bad = add(all, key, graft(&m, old, i, end)) != 0;
    }
    if (!bad)
        text = json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(all);
    return text;
}

/* The library maps a file and reads on to a 0: after the last byte there must
 * be one in the same page, whatever the size of a page. */
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

static enum chorale_err emit(const struct chorale_rules *rules,
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
        err = chorale_fail(msg, CHORALE_ENV, "generate: out of memory");
    json_decref(algorithms);
    json_decref(device);
    return err;
}

/* --- reading back ---------------------------------------------------------- */

struct reader {
    json_t *built_in[CHORALE_RULE_FILES], *tree[CHORALE_RULE_FILES];
};

static void release(void *arg)
{
    struct reader *reader = arg;

    for (int i = 0; reader != NULL && i < CHORALE_RULE_FILES; i++) {
        json_decref(reader->built_in[i]);
        json_decref(reader->tree[i]);
    }
    free(reader);
}

static enum chorale_err read_texts(const struct chorale_rule_files *files,
                                   void **reader_p,
                                   struct chorale_errmsg *msg)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    char why[160] = "";
    enum chorale_err err;

    if (reader == NULL)
        return chorale_fail(msg, CHORALE_ENV, "generate: out of memory");
    err = chorale_csel_built_in(&reader->built_in[0], &reader->built_in[1],
                                msg);
    for (int i = 0; i < CHORALE_RULE_FILES && err == CHORALE_OK; i++) {
        json_error_t error = { .text = "" };
        const char *key;
        json_t *value;

        if (files->text[i] == NULL)
            continue;
        reader->tree[i] = json_loads(files->text[i], JSON_REJECT_DUPLICATES,
                                     &error);
        if (reader->tree[i] == NULL ||
            chorale_csel_check(reader->tree[i], why, sizeof(why)) != 0)
            err = chorale_fail(msg, CHORALE_DATA, "what was written is not"
                               " what MPICH accepts: %s%s", error.text, why);
        else
            json_object_foreach(reader->built_in[i], key, value)
                if (json_object_get(reader->tree[i], key) == NULL)
                    err = chorale_fail(msg, CHORALE_DATA,
                                       "what was written lacks %s", key);
    }
    if (err == CHORALE_OK)
        *reader_p = reader;
    else
        release(reader);
    return err;
}

static void facts(const struct chorale_rule_point *p,
                  struct chorale_csel_comm *comm,
                  struct chorale_csel_call *call)
{
    int ppn = p->place.ppn < p->comm_size ? p->place.ppn : p->comm_size;
    enum chorale_shape shape = p->place.shape;
    unsigned long long size = (unsigned long long)p->comm_size;

    comm->size = p->comm_size;
    comm->parent = shape != CHORALE_SHAPE_ONE_PER_NODE && p->comm_size > 1;
    comm->one_node = shape == CHORALE_SHAPE_SINGLE_NODE || p->comm_size == 1;
    comm->nodes = shape == CHORALE_SHAPE_ONE_PER_NODE ? p->comm_size
                  : comm->one_node                    ? 1
                                   : (p->comm_size + ppn - 1) / ppn;
    comm->consecutive = shape != CHORALE_SHAPE_CYCLIC;
    call->average = chorale_coll_info(p->coll)->blocks ? p->n / size : p->n;
    call->total = chorale_coll_info(p->coll)->blocks ? p->n : p->n * size;
    call->count = p->n; /* of bytes: whole, where the ranks are fewer */
}

static void look(json_t *tree, const struct chorale_rule_point *point,
                 char got[160])
{
    struct chorale_csel_comm comm;
    struct chorale_csel_call call;
    char key[64];

    snprintf(key, sizeof(key), "collective=%s",
             chorale_coll_info(point->coll)->name);
    facts(point, &comm, &call);
    chorale_csel_find(json_object_get(tree, key), &comm, &call, got, 160);
}

/* Fewer elements than the largest power of two of ranks. */
static int few(const struct chorale_csel_call *call, int size)
{
    unsigned long long pow2 = 1;

    while (2 * pow2 <= (unsigned long long)size)
        pow2 *= 2;
    return call->count < pow2;
}

static int agrees(const void *arg, const struct chorale_rule_point *point,
                  const char *name, char *got, size_t size)
{
    const struct reader *reader = arg;
    char is[CHORALE_RULE_FILES][160], want[CHORALE_RULE_FILES][160];
    const char *through = traits[point->coll].through;
    const struct need *need = need_of(point->coll, name);
    struct chorale_csel_comm comm;
    struct chorale_csel_call call;

    facts(point, &comm, &call);
    for (int i = 0; i < CHORALE_RULE_FILES; i++) {
        look(reader->tree[i], point, is[i]);
        look(reader->built_in[i], point, want[i]);
    }
    if (name[0] != '\0' && !(need->whole && few(&call, comm.size))) {
        leaf_name(point->coll, name, want[0]);
        if (through != NULL && want[1][0] != '\0')
            snprintf(want[1], sizeof(want[1]), "%s", through);
    }
    snprintf(got, size, "%s%s%s", is[0], is[1][0] != '\0' ? ", " : "", is[1]);
    return strcmp(is[0], want[0]) == 0 && strcmp(is[1], want[1]) == 0;
}

const struct chorale_rule_format chorale_rules_mpich_json = {
    .format = "mpich-json",
    .summary = "MPICH's selection files",
    .library = "MPICH",
    .suffix = { ".json", ".ch4.json" },
    .variable = { "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                  "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE" },
    .caution = "Both files belong together: the second lets the calls that"
               " the first decides\n"
               "pass the layer above. They are complete for the version of"
               " MPICH named here;\n"
               "another one may not know all names, and ends the program.\n",
    .prepare = prepare,
    .emit = emit,
    .read = read_texts,
    .agrees = agrees,
    .release = release,
};
