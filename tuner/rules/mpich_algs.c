/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_algs.c - tests and requirements of MPICH's algorithms. */
#include "config.h"

#include "tuner/rules/mpich_algs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/rules/mpich_csel.h"
#include "tuner/run/runner_query.h"

static const struct chorale_mpich_traits traits[CHORALE_NCOLL] = {
    [CHORALE_BARRIER] = { CHORALE_MPICH_NONE, 0, 0, 0,
                          "composition=MPIDI_Barrier_intra_composition_beta" },
    [CHORALE_BCAST] = { CHORALE_MPICH_AVERAGE, 0, 0, 0,
                        "composition=MPIDI_Bcast_intra_composition_gamma" },
    [CHORALE_REDUCE] = { CHORALE_MPICH_AVERAGE, 1, 1, 0,
                         "composition=MPIDI_Reduce_intra_composition_gamma" },
    [CHORALE_ALLREDUCE] = {
        CHORALE_MPICH_AVERAGE, 1, 1, 0,
        "composition=MPIDI_Allreduce_intra_composition_beta" },
    [CHORALE_REDUCE_SCATTER_BLOCK] = { CHORALE_MPICH_TOTAL, 0, 1, 0, NULL },
    [CHORALE_REDUCE_SCATTER] = { CHORALE_MPICH_TOTAL, 0, 1, 0, NULL },
    [CHORALE_ALLGATHER] = { CHORALE_MPICH_TOTAL, 0, 0, 0, NULL },
    [CHORALE_ALLGATHERV] = { CHORALE_MPICH_TOTAL, 0, 0, 0, NULL },
    [CHORALE_ALLTOALL] = { CHORALE_MPICH_AVERAGE, 0, 0, 1, NULL },
    [CHORALE_ALLTOALLV] = { CHORALE_MPICH_NONE, 0, 0, 1, NULL },
    [CHORALE_SCAN] = { CHORALE_MPICH_NONE, 0, 0, 0,
                       "composition=MPIDI_Scan_intra_composition_beta" },
};

static const struct chorale_mpich_need needs[] = {
    { CHORALE_BARRIER, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_BCAST, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_REDUCE, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_REDUCE, "reduce_scatter_gather", 0, 0, 0, 1, 0 },
    { CHORALE_ALLREDUCE, "smp", 0, 1, 0, 0, 0 },
    { CHORALE_ALLREDUCE, "reduce_scatter_allgather", 0, 0, 0, 1, 0 },
    { CHORALE_ALLREDUCE, "k_reduce_scatter_allgather", 0, 0, 0, 1, 0 },
    { CHORALE_ALLGATHER, "recursive_doubling", 1, 0, 0, 0, 0 },
    { CHORALE_ALLGATHERV, "recursive_doubling", 1, 0, 0, 0, 0 },
    { CHORALE_REDUCE_SCATTER, "noncommutative", 1, 0, 0, 0, 1 },
    { CHORALE_REDUCE_SCATTER_BLOCK, "noncommutative", 1, 0, 0, 0, 0 },
    { CHORALE_ALLTOALL, "pairwise_sendrecv_replace", 0, 0, 1, 0, 0 },
    { CHORALE_ALLTOALLV, "pairwise_sendrecv_replace", 0, 0, 1, 0, 0 },
    { CHORALE_SCAN, "smp", 0, 1, 0, 0, 0 },
};

/* Parameters from MPICH 4.1 on; variable is that after MPIR_CVAR_. */
static const struct {
    enum chorale_coll coll;
    const char *name, *key, *variable;
} params[] = {
    { CHORALE_BARRIER, "k_dissemination", "k", "BARRIER_DISSEM_KVAL" },
    { CHORALE_BARRIER, "recexch", "k", "BARRIER_RECEXCH_KVAL" },
    { CHORALE_BARRIER, "recexch", "single_phase_recv",
      "BARRIER_RECEXCH_SINGLE_PHASE_RECV" },
    { CHORALE_BCAST, "tree", "tree_type", "BCAST_TREE_TYPE" },
    { CHORALE_BCAST, "tree", "k", "BCAST_TREE_KVAL" },
    { CHORALE_BCAST, "tree", "is_non_blocking", "BCAST_IS_NON_BLOCKING" },
    { CHORALE_BCAST, "tree", "topo_overhead", "BCAST_TOPO_OVERHEAD" },
    { CHORALE_BCAST, "tree", "topo_diff_groups", "BCAST_TOPO_DIFF_GROUPS" },
    { CHORALE_BCAST, "tree", "topo_diff_switches",
      "BCAST_TOPO_DIFF_SWITCHES" },
    { CHORALE_BCAST, "tree", "topo_same_switches",
      "BCAST_TOPO_SAME_SWITCHES" },
    { CHORALE_BCAST, "pipelined_tree", "tree_type", "BCAST_TREE_TYPE" },
    { CHORALE_BCAST, "pipelined_tree", "k", "BCAST_TREE_KVAL" },
    { CHORALE_BCAST, "pipelined_tree", "is_non_blocking",
      "BCAST_IS_NON_BLOCKING" },
    { CHORALE_BCAST, "pipelined_tree", "chunk_size",
      "BCAST_TREE_PIPELINE_CHUNK_SIZE" },
    { CHORALE_BCAST, "pipelined_tree", "recv_pre_posted",
      "BCAST_RECV_PRE_POST" },
    { CHORALE_ALLREDUCE, "recursive_multiplying", "k",
      "ALLREDUCE_RECURSIVE_MULTIPLYING_KVAL" },
    { CHORALE_ALLREDUCE, "tree", "tree_type", "ALLREDUCE_TREE_TYPE" },
    { CHORALE_ALLREDUCE, "tree", "k", "ALLREDUCE_TREE_KVAL" },
    { CHORALE_ALLREDUCE, "tree", "chunk_size",
      "ALLREDUCE_TREE_PIPELINE_CHUNK_SIZE" },
    { CHORALE_ALLREDUCE, "tree", "buffer_per_child",
      "ALLREDUCE_TREE_BUFFER_PER_CHILD" },
    { CHORALE_ALLREDUCE, "tree", "topo_overhead", "ALLREDUCE_TOPO_OVERHEAD" },
    { CHORALE_ALLREDUCE, "tree", "topo_diff_groups",
      "ALLREDUCE_TOPO_DIFF_GROUPS" },
    { CHORALE_ALLREDUCE, "tree", "topo_diff_switches",
      "ALLREDUCE_TOPO_DIFF_SWITCHES" },
    { CHORALE_ALLREDUCE, "tree", "topo_same_switches",
      "ALLREDUCE_TOPO_SAME_SWITCHES" },
    { CHORALE_ALLREDUCE, "recexch", "k", "ALLREDUCE_RECEXCH_KVAL" },
    { CHORALE_ALLREDUCE, "recexch", "single_phase_recv",
      "ALLREDUCE_RECEXCH_SINGLE_PHASE_RECV" },
    { CHORALE_ALLREDUCE, "k_reduce_scatter_allgather", "k",
      "ALLREDUCE_RECEXCH_KVAL" },
    { CHORALE_ALLREDUCE, "k_reduce_scatter_allgather", "single_phase_recv",
      "ALLREDUCE_RECEXCH_SINGLE_PHASE_RECV" },
    { CHORALE_ALLGATHER, "k_brucks", "k", "ALLGATHER_BRUCKS_KVAL" },
    { CHORALE_ALLGATHER, "recexch_doubling", "k", "ALLGATHER_RECEXCH_KVAL" },
    { CHORALE_ALLGATHER, "recexch_doubling", "single_phase_recv",
      "ALLGATHER_RECEXCH_SINGLE_PHASE_RECV" },
    { CHORALE_ALLGATHER, "recexch_halving", "k", "ALLGATHER_RECEXCH_KVAL" },
    { CHORALE_ALLGATHER, "recexch_halving", "single_phase_recv",
      "ALLGATHER_RECEXCH_SINGLE_PHASE_RECV" },
    { CHORALE_ALLTOALL, "k_brucks", "k", "ALLTOALL_BRUCKS_KVAL" },
};

/* The value of MPIR_CVAR_variable, with its length; NULL if it is unknown. */
static const char *value_of(const char *settings, const char *variable,
                            int *length)
{
    const size_t n = strlen(variable);
    const char *at = settings;

    while ((at = strstr(at, "MPIR_CVAR_")) != NULL) {
        at += strlen("MPIR_CVAR_");
        if (strncmp(at, variable, n) == 0 && at[n] == '\t') {
            *length = (int)strcspn(at + n + 1, "\n");
            return at + n + 1;
        }
    }
    return NULL;
}

/* 1 if a choice NAME or NAME:PARAMETER=VALUE is of that algorithm. */
static int is_of(const char *name, const char *algorithm)
{
    const size_t n = strcspn(name, ":");

    return strlen(algorithm) == n && strncmp(name, algorithm, n) == 0;
}

/* 1 if PARAMETER=VALUE of a choice sets that key of the format. The names are
 * equal, but for chunk (runners/native/native_params.c), which is chunk_size
 * here. */
static int sets(const char *parameter, const char *key)
{
    const size_t n = strcspn(parameter, "=");

    return strncmp(parameter, key, n) == 0 &&
           (key[n] == '\0' || strcmp(key + n, "_size") == 0);
}

/* PARAMETER=VALUE of a choice; "" without a parameter. */
static const char *parameter_of(const char *name)
{
    const char *colon = strchr(name, ':');

    return colon != NULL ? colon + 1 : "";
}

const char *chorale_mpich_key(enum chorale_coll coll, const char *name)
{
    const char *parameter = parameter_of(name);

    for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
        if (params[i].coll == coll && is_of(name, params[i].name) &&
            sets(parameter, params[i].key))
            return params[i].key;
    return NULL;
}

int chorale_mpich_tree_number(const char *type, int length)
{
    static const char *const names[] = { "kary", "knomial_1", "knomial_2" };

    for (int i = 0; i < 3; i++)
        if ((int)strlen(names[i]) == length &&
            strncmp(type, names[i], (size_t)length) == 0)
            return i;
    return -1;
}

/* How the library reads a tree type in a file: 4.2.1 reads a name as 0 (kary),
 * 5.0.2 a number as kary. Versions between are not known. */
static enum { BY_NAME, BY_NUMBER, UNSURE } tree_types(
    const struct chorale_rules *rules)
{
    const char *text = rules->origin.mpi_library;
    int major = 0, minor = 0;

    sscanf(text + strcspn(text, "0123456789"), "%d.%d", &major, &minor);
    return major >= 5 ? BY_NAME : major == 4 && minor <= 2 ? BY_NUMBER : UNSURE;
}

json_t *chorale_mpich_params(enum chorale_coll coll, const char *name,
                             const struct chorale_rules *rules)
{
    const char *own = chorale_mpich_key(coll, name);
    json_t *object = json_object();

    for (size_t i = 0;
         i < sizeof(params) / sizeof(params[0]) && object != NULL; i++) {
        char key[64];
        int length;
        const char *value;

        if (params[i].coll != coll || !is_of(name, params[i].name))
            continue;
        value = value_of(rules->settings, params[i].variable, &length);
        if (params[i].key == own) {
            value = strchr(name, '=') + 1;
            length = (int)strlen(value);
        }
        if (value == NULL)
            continue;
        snprintf(key, sizeof(key), "%s=%.*s", params[i].key, length, value);
        if (strcmp(params[i].key, "tree_type") == 0 &&
            tree_types(rules) == BY_NUMBER &&
            chorale_mpich_tree_number(value, length) > 0)
            snprintf(key, sizeof(key), "tree_type=%d",
                     chorale_mpich_tree_number(value, length));
        if (json_object_set_new(object, key, json_object()) != 0) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

const struct chorale_mpich_traits *
chorale_mpich_traits(enum chorale_coll coll)
{
    return &traits[coll];
}

const struct chorale_mpich_need *chorale_mpich_need(enum chorale_coll coll,
                                                    const char *name)
{
    static const struct chorale_mpich_need nothing;

    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
        if (needs[i].coll == coll && is_of(name, needs[i].name))
            return &needs[i];
    return &nothing;
}

int chorale_mpich_leaf(enum chorale_coll coll, const char *name,
                       char leaf[CHORALE_MPICH_LEAF])
{
    static const char *const kinds[] = { "intra", "allcomm" };
    const char *word = chorale_coll_info(coll)->name;

    for (size_t i = 0; i < 2; i++) {
        snprintf(leaf, CHORALE_MPICH_LEAF, "algorithm=MPIR_%c%s_%s_%.*s",
                 word[0] - 'a' + 'A', word + 1, kinds[i],
                 (int)strcspn(name, ":"), name);
        if (chorale_csel_knows(leaf))
            return 0;
    }
    return -1;
}

static int is_pow2(int size)
{
    return (size & (size - 1)) == 0;
}

/* Returns 1 if a rule holds for every size. Without a size to test, all sizes
 * share one choice. */
static int for_all_sizes(const struct chorale_rule *r)
{
    return chorale_coll_info(r->coll)->dataless ||
           (r->lo == 0 && r->hi == CHORALE_RULE_NO_END);
}

static const char *cannot(const struct chorale_rule *r)
{
    const struct chorale_mpich_need *need = chorale_mpich_need(r->coll,
                                                               r->name);

    if (r->shape == CHORALE_SHAPE_IRREGULAR)
        return "no test recognises such placements";
    if (r->shape != CHORALE_SHAPE_SINGLE_NODE && r->comm_size % r->ppn != 0)
        return "no test recognises partly filled nodes";
    if (traits[r->coll].key == CHORALE_MPICH_NONE && !for_all_sizes(r))
        return "no test of its size is the same on all ranks";
    if (need->pow2 && !is_pow2(r->comm_size))
        return "the algorithm needs a power of two of ranks";
    if (need->parent && r->shape == CHORALE_SHAPE_ONE_PER_NODE)
        return "the algorithm needs several ranks on a node";
    if (need->inplace)
        return "the algorithm works in place only";
    if (strcmp(r->name, "ccl") == 0)
        return "the algorithm needs another library, for GPUs";
    return NULL;
}

/* Thresholds have 31 bits. Sizes beyond the largest threshold are one band. */
static void cut(struct chorale_rule *r)
{
    unsigned long long most = INT_MAX;

    if (chorale_coll_info(r->coll)->blocks &&
        traits[r->coll].key == CHORALE_MPICH_AVERAGE)
        most = (most + 1) * (unsigned long long)r->comm_size - 1;
    if (r->left == NULL && r->lo > most)
        r->left = "no test has as large a threshold";
    else if (r->hi > most && r->hi < CHORALE_RULE_NO_END)
        r->hi = most;
}

/* Read the control variables of the library that the runner is linked with.
 * MPICH after 5.0 reads the file of RENAMED and ignores the variable of the
 * format. Source: src/mpi/coll/src/coll_impl.c. */
#define RENAMED "COLL_SELECTION_JSON_FILE"

static enum chorale_err read_settings(struct chorale_rules *rules,
                                      struct chorale_errmsg *msg)
{
    enum { SIZE = 1 << 18 };
    enum chorale_err err = CHORALE_OK;
    int length;

    free(rules->settings);
    rules->settings = calloc(1, SIZE);
    if (rules->settings == NULL)
        return chorale_fail_memory(msg, "generate");
    err = chorale_runner_query("--variables", NULL, rules->settings, SIZE,
                               msg);
    if (err == CHORALE_OK &&
        value_of(rules->settings, RENAMED, &length) != NULL)
        rules->variable[0] = "MPIR_CVAR_" RENAMED;
    return err;
}

static enum chorale_err prepare(struct chorale_rules *rules,
                                const struct chorale_rule_opts *opts,
                                struct chorale_errmsg *msg)
{
    char leaf[CHORALE_MPICH_LEAF];
    enum chorale_err err = read_settings(rules, msg);

    (void)opts; /* the format can test operations */
    if (err != CHORALE_OK)
        return err;
    for (size_t i = 0; i < rules->count; i++) {
        struct chorale_rule *r = &rules->rule[i];
        const char *key;

        r->left = NULL;
        if (r->name[0] == '\0')
            continue;
        if (chorale_mpich_leaf(r->coll, r->name, leaf) != 0)
            return chorale_fail(msg, CHORALE_DATA, "system %s: its decisions"
                                " choose %s %s, which the MPI library here"
                                " does not have; measure again with this one",
                                rules->origin.system,
                                chorale_coll_info(r->coll)->name, r->name);
        key = chorale_mpich_key(r->coll, r->name);
        r->left = key == NULL && strchr(r->name, ':') != NULL
                      ? "the format has no key for its parameter"
                  : key != NULL && strcmp(key, "tree_type") == 0 &&
                          tree_types(rules) == UNSURE
                      ? "how this version reads tree types is not known"
                      : cannot(r);
        cut(r);
    }
    return CHORALE_OK;
}

const struct chorale_rule_format chorale_rules_mpich_json = {
    .format = "mpich-json",
    .library = "MPICH",
    .suffix = { ".json", ".ch4.json" },
    .variable = { "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                  "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE" },
    .caution = "Use a file of the device layer (ch4) with the other one, whose"
               " calls it lets pass.\n"
               "Files are complete for the version of MPICH named here.\n"
               "Another version may not know all names and then aborts the"
               " program.\n",
    .prepare = prepare,
    .emit = chorale_mpich_emit,
    .read = chorale_mpich_read,
    .agrees = chorale_mpich_agrees,
    .release = chorale_mpich_release,
};
