/* SPDX-License-Identifier: BSD-3-Clause */
/* write_ompi_json.c - writes and reads JSON rules for Open MPI's component
 * tuned from version 6 on. The first entry that matches a communicator is used,
 * and in it the first rule that matches the size.
 *
 * Entries can test for communicators on one node and with one rank a node. All
 * other placements share the last entry of a number of ranks. The two special
 * entries precede it even if they leave everything to the library. Source:
 * docs/tuning-apps/collectives/tuned.rst of Open MPI. */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/rules/ompi_algs.h"

/* Placements in the order of entries. */
static const struct {
    enum chorale_shape shape;
    const char *word;
} where[] = {
    { CHORALE_SHAPE_SINGLE_NODE, "single-node" },
    { CHORALE_SHAPE_ONE_PER_NODE, "one-per-node" },
    { CHORALE_SHAPE_UNKNOWN, "any" },
};

enum { PLACES = sizeof(where) / sizeof(where[0]) };

static enum chorale_err prepare(struct chorale_rules *rules,
                                const struct chorale_rule_opts *opts,
                                struct chorale_errmsg *msg)
{
    return chorale_ompi_prepare(rules, opts, CHORALE_SHAPE_BLOCK, msg);
}

static json_t *band(struct chorale_ompi_numbers numbers,
                    unsigned long long from, unsigned long long to)
{
    json_t *rule = json_pack("{s:I, s:i, s:i, s:i}",
                             "msg_size_min", (json_int_t)from,
                             "alg", (int)numbers.algorithm,
                             "faninout", (int)numbers.fanout,
                             "seg_size", (int)numbers.segment);
    json_t *last = to == CHORALE_RULE_NO_END ? json_string("inf")
                                             : json_integer((json_int_t)to);

    if (rule == NULL || last == NULL ||
        json_object_set_new(rule, "msg_size_max", last) != 0 ||
        (numbers.requests > 0 &&
         json_object_set_new(rule, "reqs", json_integer(numbers.requests)) !=
             0)) {
        json_decref(rule);
        return NULL;
    }
    return rule;
}

/* The rules of rows [first, end), which are one set; without rows, the
 * library's decision for all sizes. */
static json_t *bands(const struct chorale_rules *rules, size_t first,
                     size_t end)
{
    unsigned long long *from = calloc(2 * (end - first) + 1, sizeof(*from));
    json_t *list = json_array();
    size_t count = 1;
    int bad = from == NULL || list == NULL;

    if (!bad && end > first &&
        chorale_ompi_key(rules->rule[first].coll) != CHORALE_OMPI_NONE)
        count = chorale_rules_bands(rules, first, end, from);
    for (size_t i = 0; i < count && !bad; i++) {
        const struct chorale_rule *r = end > first ? &rules->rule[first]
                                                   : NULL;
        unsigned long long unit = 1;
        const char *name = "";

        if (r != NULL)
            unit = (unsigned long long)chorale_ompi_unit(r->coll,
                                                         r->comm_size);
        if (r != NULL)
            name = chorale_rules_at(
                rules, r->coll, r->comm_size,
                &(struct chorale_rule_place){ r->shape, r->ppn }, from[i]);
        bad = json_array_append_new(
                  list, band(r != NULL ? chorale_ompi_numbers(r->coll, name)
                                       : (struct chorale_ompi_numbers){ 0 },
                             from[i] / unit,
                             i + 1 < count ? from[i + 1] / unit - 1
                                           : CHORALE_RULE_NO_END)) != 0;
    }
    free(from);
    if (bad) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static int says(const struct chorale_rules *rules, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (rules->rule[i].left == NULL && !rules->rule[i].projected &&
            rules->rule[i].name[0] != '\0')
            return 1;
    return 0;
}

/* Append the entry for one placement among rows of one size. Rows on one node
 * or with one rank a node are one set. */
static int add_entry(const struct chorale_rules *rules, size_t first,
                     size_t end, int place, int all, json_t *list)
{
    json_t *entry;
    size_t set = first, after = first;

    while (set < end && rules->rule[set].shape != where[place].shape)
        set++;
    if (set < end)
        after = chorale_rules_same_set(rules, set);
    else
        set = after = first;
    if (!says(rules, set, after) && !all)
        return 0;
    entry = json_pack("{s:i, s:i, s:s, s:o}",
                      "comm_size_min", rules->rule[first].comm_size,
                      "comm_size_max", rules->rule[first].comm_size,
                      "comm_rank_distribution", where[place].word,
                      "rules", bands(rules, set, after));
    return entry == NULL ? -1 : json_array_append_new(list, entry);
}

/* Let the entries of the number of ranks before also serve the next one, if
 * they are the same. Returns 1 if they do. */
static int extend(json_t *before, const json_t *group, int comm_size)
{
    const size_t count = json_array_size(group);
    int same = before != NULL && count > 0 && count == json_array_size(before);

    for (size_t i = 0; i < count && same; i++) {
        const json_t *a = json_array_get(before, i);
        const json_t *b = json_array_get(group, i);

        same = json_integer_value(json_object_get(a, "comm_size_max")) ==
                   comm_size - 1 &&
               json_equal(json_object_get(a, "comm_rank_distribution"),
                          json_object_get(b, "comm_rank_distribution")) &&
               json_equal(json_object_get(a, "rules"),
                          json_object_get(b, "rules"));
    }
    for (size_t i = 0; i < count && same; i++)
        same = json_object_set_new(json_array_get(before, i), "comm_size_max",
                                   json_integer(comm_size)) == 0;
    return same;
}

static json_t *one_coll(const struct chorale_rules *rules, size_t first,
                        size_t end)
{
    json_t *list = json_array(), *before = NULL;
    int bad = list == NULL;

    for (size_t i = first, next; i < end && !bad; i = next) {
        json_t *group = json_array();
        int any = rules->rule[i].shape == CHORALE_SHAPE_UNKNOWN;

        next = chorale_rules_same_size(rules, i);
        for (int p = 0; p < PLACES && !bad; p++)
            if (where[p].shape != CHORALE_SHAPE_UNKNOWN || any)
                bad = add_entry(rules, i, next, p, any, group) != 0;
        if (bad || extend(before, group, rules->rule[i].comm_size)) {
            json_decref(group);
            continue;
        }
        bad = json_array_extend(list, group) != 0;
        json_decref(before);
        before = group;
    }
    json_decref(before);
    if (bad) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static enum chorale_err emit(const struct chorale_rules *rules,
                             struct chorale_rule_files *files,
                             struct chorale_errmsg *msg)
{
    json_t *colls = json_object(), *all;
    int bad = colls == NULL;

    for (size_t i = 0, end; i < rules->count && !bad; i = end) {
        for (end = i; end < rules->count &&
                      rules->rule[end].coll == rules->rule[i].coll; end++)
            continue;
        if (says(rules, i, end))
            bad = json_object_set_new(
                      colls, chorale_coll_info(rules->rule[i].coll)->name,
                      one_coll(rules, i, end)) != 0;
    }
    if (bad) {
        json_decref(colls);
        colls = NULL;
    }
    all = colls == NULL ? NULL
                        : json_pack("{s:i, s:s, s:o}", "rule_file_version", 3,
                                    "module", "tuned", "collectives", colls);
    files->text[0] = json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
    json_decref(all);
    return files->text[0] != NULL
               ? CHORALE_OK
               : chorale_fail_memory(msg, "generate");
}

/* --- reading back -------------------------------------------------------- */

/* Returns 0 if every key is one of words, a string with "." around each
 * key. */
static int known(json_t *object, const char *words, char *why, size_t size)
{
    const char *key;
    json_t *value;
    char dotted[80];

    json_object_foreach(object, key, value) {
        snprintf(dotted, sizeof(dotted), ".%.70s.", key);
        if (strstr(words, dotted) == NULL) {
            snprintf(why, size, "an unknown key '%.60s'", key);
            return -1;
        }
    }
    return json_is_object(object) ? 0 : -1;
}

/* The integer >= 0 under a key, or -1. */
static json_int_t whole(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return json_is_integer(value) && json_integer_value(value) >= 0
               ? json_integer_value(value)
               : -1;
}

static int check_rule(json_t *rule, char *why, size_t size)
{
    json_t *max = json_object_get(rule, "msg_size_max");

    if (known(rule, ".msg_size_min.msg_size_max.alg.faninout.seg_size.reqs.",
              why, size) != 0)
        return -1;
    snprintf(why, size, "a rule lacks its numbers");
    return whole(rule, "msg_size_min") >= 0 && whole(rule, "alg") >= 0 &&
                   whole(rule, "faninout") >= 0 &&
                   whole(rule, "seg_size") >= 0 &&
                   (whole(rule, "msg_size_max") >= 0 ||
                    (json_is_string(max) &&
                     strcmp(json_string_value(max), "inf") == 0))
               ? 0
               : -1;
}

static int check_entry(json_t *entry, char *why, size_t size)
{
    json_t *rules = json_object_get(entry, "rules"), *rule;
    const char *word =
        json_string_value(json_object_get(entry, "comm_rank_distribution"));
    size_t i;
    int place = 0;

    if (known(entry, ".comm_size_min.comm_size_max.comm_rank_distribution"
                     ".rules.", why, size) != 0)
        return -1;
    while (place < PLACES && word != NULL &&
           strcmp(where[place].word, word) != 0)
        place++;
    snprintf(why, size, "an entry lacks its ranks or rules");
    if (whole(entry, "comm_size_min") < 1 ||
        whole(entry, "comm_size_max") < 1 || word == NULL ||
        place == PLACES || json_array_size(rules) == 0)
        return -1;
    json_array_foreach(rules, i, rule)
        if (check_rule(rule, why, size) != 0)
            return -1;
    return 0;
}

static int check(json_t *all, char *why, size_t size)
{
    json_t *colls = json_object_get(all, "collectives"), *list, *entry;
    const char *key, *module =
        json_string_value(json_object_get(all, "module"));
    size_t i;

    if (known(all, ".rule_file_version.module.collectives.", why, size) != 0)
        return -1;
    snprintf(why, size, "it is not version 3 for tuned");
    if (whole(all, "rule_file_version") != 3 || module == NULL ||
        strcmp(module, "tuned") != 0 || !json_is_object(colls))
        return -1;
    json_object_foreach(colls, key, list) {
        snprintf(why, size, "%.40s is no collective of tuned", key);
        if (chorale_coll_find(key) < 0 || !json_is_array(list) ||
            chorale_ompi_id((enum chorale_coll)chorale_coll_find(key)) < 0)
            return -1;
        json_array_foreach(list, i, entry)
            if (check_entry(entry, why, size) != 0)
                return -1;
    }
    return 0;
}

static void release(void *reader)
{
    json_decref(reader);
}

static enum chorale_err read_text(const struct chorale_rule_files *files,
                                  void **reader_p, struct chorale_errmsg *msg)
{
    json_error_t error = { .text = "" };
    json_t *all = json_loads(files->text[0], JSON_REJECT_DUPLICATES, &error);
    char why[160] = "";

    if (all == NULL || check(all, why, sizeof(why)) != 0) {
        json_decref(all);
        return chorale_fail(msg, CHORALE_DATA, "the written file is not "
                            "valid for Open MPI 6: %s%s; repeat the command, "
                            "report it if it recurs", error.text, why);
    }
    *reader_p = all;
    return CHORALE_OK;
}

static int fits(json_t *entry, const struct chorale_rule_point *point)
{
    const char *word =
        json_string_value(json_object_get(entry, "comm_rank_distribution"));
    int place = 0;

    while (where[place].shape != CHORALE_SHAPE_UNKNOWN &&
           where[place].shape != point->place.shape)
        place++;
    return whole(entry, "comm_size_min") <= point->comm_size &&
           whole(entry, "comm_size_max") >= point->comm_size &&
           (strcmp(word, "any") == 0 || strcmp(word, where[place].word) == 0);
}

static int agrees(const void *reader, const struct chorale_rule_point *point,
                  const char *name, char *got, size_t size)
{
    const struct chorale_ompi_numbers want =
        chorale_ompi_numbers(point->coll, name);
    const char *coll = chorale_coll_info(point->coll)->name;
    json_t *list = json_object_get(json_object_get(reader, "collectives"),
                                   coll);
    json_t *entry, *rule, *is = NULL, *rules = NULL;
    json_int_t n = (json_int_t)point->n /
                   chorale_ompi_unit(point->coll, point->comm_size);
    size_t i, k;

    json_array_foreach(list, i, entry)
        if (rules == NULL && fits(entry, point))
            rules = json_object_get(entry, "rules");
    if (rules != NULL)
        json_array_foreach(rules, k, rule)
            if (is == NULL && whole(rule, "msg_size_min") <= n &&
                (whole(rule, "msg_size_max") >= n ||
                 json_is_string(json_object_get(rule, "msg_size_max"))))
                is = rule;
    snprintf(got, size, "algorithm %d",
             is != NULL ? (int)whole(is, "alg") : 0);
    if (is == NULL || whole(is, "alg") == 0)
        return want.algorithm == 0;
    return whole(is, "alg") == want.algorithm &&
           whole(is, "faninout") == want.fanout &&
           whole(is, "seg_size") == want.segment &&
           (want.requests > 0 ? whole(is, "reqs") == want.requests
                              : json_object_get(is, "reqs") == NULL);
}

const struct chorale_rule_format chorale_rules_ompi_json = {
    .format = "ompi-json",
    .library = "Open MPI",
    .suffix = { ".json", NULL },
    .variable = { "OMPI_MCA_coll_tuned_dynamic_rules_filename", NULL },
    .setting = { "OMPI_MCA_coll_tuned_use_dynamic_rules=1", NULL },
    .not_loaded = "no version of Open MPI before 6 reads this format",
    .composes = 1,
    .caution = "With MPI_IN_PLACE the library takes sizes of allgather,"
               " allgatherv and alltoall\nfrom arguments that MPI ignores: all"
               " ranks must pass the same ones.\n"
               "The rules also apply to communicators that other components"
               " of the library make\nwithin one. If the component han serves"
               " communicators on several nodes, as in\nversion 5, the rules"
               " act only on those that it makes.\n",
    .prepare = prepare,
    .emit = emit,
    .read = read_text,
    .agrees = agrees,
    .release = release,
};
