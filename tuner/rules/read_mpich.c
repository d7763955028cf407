/* SPDX-License-Identifier: BSD-3-Clause */
/* read_mpich.c - reads MPICH selection files back, with the built-in trees of
 * the library, to find what it would choose. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/rules/mpich_csel.h"
#include "tuner/rules/mpich_algs.h"

struct reader {
    json_t *built_in[CHORALE_RULE_FILES], *tree[CHORALE_RULE_FILES];
};

void chorale_mpich_release(void *arg)
{
    struct reader *reader = arg;

    for (int i = 0; reader != NULL && i < CHORALE_RULE_FILES; i++) {
        json_decref(reader->built_in[i]);
        json_decref(reader->tree[i]);
    }
    free(reader);
}

enum chorale_err chorale_mpich_read(const struct chorale_rule_files *files,
                                    void **reader_p,
                                    struct chorale_errmsg *msg)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    char why[160] = "";
    enum chorale_err err;

    if (reader == NULL)
        return chorale_fail_memory(msg, "generate");
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
            err = chorale_fail(msg, CHORALE_DATA, "the written file is not "
                               "valid for MPICH: %s%s; repeat the command, "
                               "report it if it recurs", error.text,
                               why);
        else
            json_object_foreach(reader->built_in[i], key, value)
                if (json_object_get(reader->tree[i], key) == NULL)
                    err = chorale_fail(msg, CHORALE_DATA, "the written file "
                                       "lacks %s; repeat the command, "
                                       "report it if it recurs", key);
    }
    if (err == CHORALE_OK)
        *reader_p = reader;
    else
        chorale_mpich_release(reader);
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
    call->count = p->n; /* elements are bytes here */
}

static void look(json_t *tree, const struct chorale_rule_point *point,
                 char got[CHORALE_MPICH_LEAF])
{
    struct chorale_csel_comm comm;
    struct chorale_csel_call call;
    char key[64];

    snprintf(key, sizeof(key), "collective=%s",
             chorale_coll_info(point->coll)->name);
    facts(point, &comm, &call);
    chorale_csel_find(json_object_get(tree, key), &comm, &call, got,
                      CHORALE_MPICH_LEAF);
}

/* Returns 1 if the elements are fewer than the largest power of two <= size. */
static int few(const struct chorale_csel_call *call, int size)
{
    unsigned long long pow2 = 1;

    while (2 * pow2 <= (unsigned long long)size)
        pow2 *= 2;
    return call->count < pow2;
}

static int has_word(const char *leaf, const char *word)
{
    const char *at = strstr(leaf, word);

    return at != NULL && strchr(" ", at[strlen(word)]) != NULL;
}

/* 1 if a found leaf has that key, and the value of the choice's parameter. */
static int is_choice(const char *leaf, const char *key,
                     enum chorale_coll coll, const char *name)
{
    const char *param = chorale_mpich_key(coll, name), *value;
    const size_t length = strlen(key);
    char word[2 * CHORALE_RULE_NAME], number[32];

    if (strncmp(leaf, key, length) != 0 || strchr(" ", leaf[length]) == NULL)
        return 0;
    if (param == NULL)
        return 1;
    value = strchr(name, '=') + 1;
    snprintf(word, sizeof(word), " %s=%s", param, value);
    snprintf(number, sizeof(number), " tree_type=%d",
             chorale_mpich_tree_number(value, (int)strlen(value)));
    return has_word(leaf, word) ||
           (strcmp(param, "tree_type") == 0 && has_word(leaf, number));
}

int chorale_mpich_agrees(const void *arg,
                         const struct chorale_rule_point *point,
                         const char *name, char *got, size_t size)
{
    const struct reader *reader = arg;
    char is[CHORALE_RULE_FILES][CHORALE_MPICH_LEAF];
    char want[CHORALE_RULE_FILES][CHORALE_MPICH_LEAF];
    const char *through = chorale_mpich_traits(point->coll)->through;
    const struct chorale_mpich_need *need =
        chorale_mpich_need(point->coll, name);
    struct chorale_csel_comm comm;
    struct chorale_csel_call call;
    int same;

    facts(point, &comm, &call);
    for (int i = 0; i < CHORALE_RULE_FILES; i++) {
        look(reader->tree[i], point, is[i]);
        look(reader->built_in[i], point, want[i]);
    }
    same = strcmp(is[0], want[0]) == 0;
    if (name[0] != '\0' && !(need->whole && few(&call, comm.size))) {
        chorale_mpich_leaf(point->coll, name, want[0]);
        same = is_choice(is[0], want[0], point->coll, name);
        if (through != NULL && want[1][0] != '\0')
            snprintf(want[1], sizeof(want[1]), "%s", through);
    }
    snprintf(got, size, "%s%s%s", is[0], is[1][0] != '\0' ? ", " : "", is[1]);
    return same && strcmp(is[1], want[1]) == 0;
}
