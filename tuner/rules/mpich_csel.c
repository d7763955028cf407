/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_csel.c - reads and evaluates MPICH's selection trees. */
#include "config.h"

#include "tuner/rules/mpich_csel.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tests --------------------------------------------------------------- */

enum test {
    T_LEAF, T_UNKNOWN, T_COLLECTIVE,
    /* tests of the communicator */
    T_INTRA, T_INTER, T_SIZE_LE, T_SIZE_LT, T_SIZE_NODE, T_SIZE_POW2,
    T_SIZE_ANY, T_HIERARCHY, T_CONSECUTIVE, T_PPN_LE,
    /* tests of the call */
    T_AVERAGE_LE, T_AVERAGE_LT, T_AVERAGE_ANY, T_TOTAL_LE, T_TOTAL_LT,
    T_TOTAL_ANY, T_COUNT_LE, T_COUNT_POW2, T_COUNT_ANY, T_COMMUTATIVE,
    T_BUILT_IN, T_INPLACE, T_REGULAR, T_THREADED
};

/* needs: whether another test must or must not follow. */
static const struct {
    const char *key;
    int number;              /* a number follows */
    enum test test;
    enum { FREE, FOLLOWED, LAST } needs;
} tests[] = {
    { "algorithm=", 0, T_LEAF, FREE },
    { "composition=", 0, T_LEAF, FREE },
    { "collective=", 0, T_COLLECTIVE, FREE },
    { "comm_type=intra", 0, T_INTRA, FREE },
    { "comm_type=inter", 0, T_INTER, FREE },
    { "comm_size<=", 1, T_SIZE_LE, FOLLOWED },
    { "comm_size<", 1, T_SIZE_LT, FOLLOWED },
    { "comm_size=node_comm_size", 0, T_SIZE_NODE, FOLLOWED },
    { "comm_size=pow2", 0, T_SIZE_POW2, FOLLOWED },
    { "comm_size=any", 0, T_SIZE_ANY, LAST },
    { "comm_hierarchy=", 0, T_HIERARCHY, FREE },
    { "is_node_consecutive=", 0, T_CONSECUTIVE, FREE },
    { "comm_avg_ppn<=", 1, T_PPN_LE, FOLLOWED },
    { "avg_msg_size<=", 1, T_AVERAGE_LE, FOLLOWED },
    { "avg_msg_size<", 1, T_AVERAGE_LT, FOLLOWED },
    { "avg_msg_size=any", 0, T_AVERAGE_ANY, LAST },
    { "total_msg_size<=", 1, T_TOTAL_LE, FOLLOWED },
    { "total_msg_size<", 1, T_TOTAL_LT, FOLLOWED },
    { "total_msg_size=any", 0, T_TOTAL_ANY, LAST },
    { "count<=", 1, T_COUNT_LE, FOLLOWED },
    { "count<pow2", 0, T_COUNT_POW2, FOLLOWED },
    { "count=any", 0, T_COUNT_ANY, LAST },
    { "is_commutative=", 0, T_COMMUTATIVE, FREE },
    { "is_op_built_in=", 0, T_BUILT_IN, FREE },
    { "is_sendbuf_inplace=", 0, T_INPLACE, FREE },
    { "is_block_regular=", 0, T_REGULAR, FREE },
    { "is_multi_threaded=", 0, T_THREADED, FREE },
};

#define NTEST (sizeof(tests) / sizeof(tests[0]))

struct parsed {
    enum test test;
    size_t row;
    const char *word;        /* text after the key */
    long long number;
};

static struct parsed parse(const char *key)
{
    struct parsed p = { T_UNKNOWN, 0, "", 0 };

    for (size_t i = 0; i < NTEST; i++) {
        size_t length = strlen(tests[i].key);
        char *end;

        if (strncmp(key, tests[i].key, length) != 0)
            continue;
        p.word = key + length;
        p.row = i;
        if (tests[i].number) {
            errno = 0;
            p.number = strtoll(p.word, &end, 10);
            if (end == p.word || *end != '\0' || errno != 0 ||
                p.number < 0 || p.number > INT_MAX)
                continue;
        } else if (tests[i].key[length - 1] != '=' && *p.word != '\0') {
            continue;
        }
        p.test = tests[i].test;
        return p;
    }
    return p;
}

static int pow2_below(int size)
{
    int pow2 = 1;

    while (2 * pow2 <= size)
        pow2 *= 2;
    return pow2;
}

/* The result 1 or 0 of a communicator test; -1 if it is a test of the call or
 * the result is unknown here. */
static int eval_comm_test(const struct parsed *p,
                          const struct chorale_csel_comm *comm)
{
    switch (p->test) {
    case T_INTRA:
    case T_SIZE_ANY:
        return 1;
    case T_INTER:
        return 0;
    case T_SIZE_LE:
        return comm->size <= p->number;
    case T_SIZE_LT:
        return comm->size < p->number;
    case T_SIZE_NODE:
        return comm->parent && comm->one_node;
    case T_SIZE_POW2:
        return pow2_below(comm->size) == comm->size;
    case T_HIERARCHY:
        return strcmp(p->word, "any") == 0 ||
               strcmp(p->word, comm->parent ? "parent" : "flat") == 0;
    case T_CONSECUTIVE:
        return comm->consecutive < 0
                   ? -1
                   : strcmp(p->word, comm->consecutive ? "yes" : "no") == 0;
    case T_PPN_LE:
        return comm->size <= p->number * comm->nodes;
    default:
        return -1;
    }
}

static int eval_call_test(const struct parsed *p,
                          const struct chorale_csel_comm *comm,
                          const struct chorale_csel_call *call)
{
    unsigned long long number = (unsigned long long)p->number;

    switch (p->test) {
    case T_AVERAGE_LE:
        return call->average <= number;
    case T_AVERAGE_LT:
        return call->average < number;
    case T_TOTAL_LE:
        return call->total <= number;
    case T_TOTAL_LT:
        return call->total < number;
    case T_COUNT_LE:
        return call->count <= number;
    case T_COUNT_POW2:
        return call->count < (unsigned long long)pow2_below(comm->size);
    case T_AVERAGE_ANY:
    case T_TOTAL_ANY:
    case T_COUNT_ANY:
        return 1;
    case T_COMMUTATIVE:
    case T_BUILT_IN:
    case T_REGULAR:
        return strcmp(p->word, "yes") == 0;
    case T_INPLACE:
    case T_THREADED:
    case T_CONSECUTIVE:
        return strcmp(p->word, "no") == 0;
    case T_SIZE_LT: /* MPICH 4.0 tests <= in a call */
        return comm->size <= p->number;
    default:
        return eval_comm_test(p, comm) == 1;
    }
}

/* --- trees --------------------------------------------------------------- */

/* A new object with the members from key `from` on. */
static json_t *members_from(json_t *object, const char *from)
{
    json_t *rest = json_object(), *value;
    const char *key;
    int on = 0;

    json_object_foreach(object, key, value) {
        on |= strcmp(key, from) == 0;
        if (on && json_object_set(rest, key, value) != 0) {
            json_decref(rest);
            return NULL;
        }
    }
    return rest;
}

json_t *chorale_csel_prune(json_t *tree, const struct chorale_csel_comm *comm)
{
    while (tree != NULL) {
        json_t *down = NULL, *value;
        const char *key;

        json_object_foreach(tree, key, value) {
            struct parsed p = parse(key);
            int holds = eval_comm_test(&p, comm);

            if (holds < 0)
                return members_from(tree, key);
            if (holds) {
                down = value;
                break;
            }
        }
        tree = down;
    }
    return NULL;
}

/* Write the key of a leaf, and after it the keys of its parameters. */
static void write_leaf(const char *key, json_t *params, char *leaf, size_t size)
{
    size_t used = (size_t)snprintf(leaf, size, "%s", key);
    const char *param;
    json_t *value;

    json_object_foreach(params, param, value)
        if (used < size)
            used += (size_t)snprintf(leaf + used, size - used, " %s", param);
}

void chorale_csel_find(json_t *tree, const struct chorale_csel_comm *comm,
                       const struct chorale_csel_call *call, char *leaf,
                       size_t size)
{
    json_t *rest = chorale_csel_prune(tree, comm), *at = rest;

    leaf[0] = '\0';
    while (at != NULL && leaf[0] == '\0') {
        json_t *down = NULL, *value;
        const char *key;

        json_object_foreach(at, key, value) {
            struct parsed p = parse(key);

            if (p.test == T_LEAF)
                write_leaf(key, value, leaf, size);
            else if (eval_call_test(&p, comm, call))
                down = value;
            if (leaf[0] != '\0' || down != NULL)
                break;
        }
        at = down;
    }
    json_decref(rest);
}

int chorale_csel_check(json_t *tree, char *why, size_t size)
{
    const char *key;
    json_t *value;
    size_t left = json_is_object(tree) ? json_object_size(tree) : 0;

    if (left == 0) {
        snprintf(why, size, "a test without a branch below it");
        return -1;
    }
    json_object_foreach(tree, key, value) {
        struct parsed p = parse(key);

        left--;
        if (p.test == T_UNKNOWN) {
            snprintf(why, size, "an unknown test '%.80s'", key);
            return -1;
        }
        if ((tests[p.row].needs == FOLLOWED && left == 0) ||
            (tests[p.row].needs == LAST && left > 0)) {
            snprintf(why, size, "'%.80s' must%s be the last test", key,
                     left > 0 ? "" : " not");
            return -1;
        }
        if (p.test == T_LEAF)
            return 0; /* parameters are below */
        if (chorale_csel_check(value, why, size) != 0)
            return -1;
    }
    return 0;
}

/* --- the library's memory ------------------------------------------------ */

struct search {
    const char *text;        /* text to search for */
    size_t length;
    int (*found)(void *arg, const char *at, size_t left);
    void *arg;
};

/* Search the read-only segments of a loaded object; they hold the constants. */
static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct search *s = arg;

    (void)size;
    if (strstr(info->dlpi_name, "mpi") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        const char *at, *end;

        if (ph->p_type != PT_LOAD || (ph->p_flags & PF_W) != 0 ||
            (ph->p_flags & PF_R) == 0)
            continue;
        at = (const char *)(info->dlpi_addr + ph->p_vaddr);
        end = at + ph->p_filesz;
        while (at < end &&
               (at = memmem(at, (size_t)(end - at), s->text, s->length)) !=
                   NULL) {
            if (s->found(s->arg, at, (size_t)(end - at)))
                return 1;
            at += s->length;
        }
    }
    return 0;
}

struct trees {
    json_t *algorithms, *device;
};

/* Parse a tree at this address; keep it if it is the algorithms' or device's.
 * The device also has a tree for its shared memory, whose leaves are not MPIR
 * algorithms; that tree is ignored. */
static int take_tree(void *arg, const char *at, size_t left)
{
    struct trees *trees = arg;
    size_t length = strnlen(at, left);
    json_t *tree = length < left ? json_loads(at, 0, NULL) : NULL;

    if (tree == NULL)
        return 0;
    if (trees->algorithms == NULL && strstr(at, "=MPIR_Bcast_") != NULL)
        trees->algorithms = tree;
    else if (trees->device == NULL && strstr(at, "\"composition=") != NULL)
        trees->device = tree;
    else
        json_decref(tree);
    return trees->algorithms != NULL && trees->device != NULL;
}

enum chorale_err chorale_csel_built_in(json_t **algorithms_p,
                                       json_t **device_p,
                                       struct chorale_errmsg *msg)
{
    static const char begin[] = "{\"collective=";
    struct trees trees = { NULL, NULL };
    struct search search = { begin, sizeof(begin) - 1, take_tree, &trees };
    char why[160] = "none was found";

    dl_iterate_phdr(search_object, &search);
    if (trees.algorithms != NULL &&
        chorale_csel_check(trees.algorithms, why, sizeof(why)) == 0 &&
        (trees.device == NULL ||
         chorale_csel_check(trees.device, why, sizeof(why)) == 0)) {
        *algorithms_p = trees.algorithms;
        *device_p = trees.device;
        return CHORALE_OK;
    }
    json_decref(trees.algorithms);
    json_decref(trees.device);
    return chorale_fail(msg, CHORALE_ENV, "the MPI library that chorale is"
                        " linked with has no readable selection table to"
                        " complete: %s; link with MPICH 4.0 or later", why);
}

static int take_leaf(void *arg, const char *at, size_t left)
{
    (void)arg;
    (void)at;
    (void)left;
    return 1;
}

int chorale_csel_knows(const char *leaf)
{
    /* with its terminating 0, so that a longer key does not match */
    struct search search = { leaf, strlen(leaf) + 1, take_leaf, NULL };

    return dl_iterate_phdr(search_object, &search);
}
