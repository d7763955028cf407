/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c - loads decisions for the library's own selection, and looks them
 * up. */
#include "config.h"

#include "tuner/rules/rules.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/emit/table.h"

/* Most rules: a row becomes one rule for each process count of its range. */
enum { MOST_RULES = 1 << 20 };

static const char *const shape_name[] = {
    "unknown", "single-node", "one-per-node", "block", "cyclic", "irregular",
};

static const char rows_sql[] =
    "SELECT comm_size, max(comm_size, comm_size_hi), shape, ppn, n_lo, n_hi,"
    " provider, variant, params FROM decision"
    " WHERE system_id = ?1 AND coll = ?2 AND dtype = ?3 AND op = ?4"
    "  AND target = 'rules' AND comm_size >= 2 AND ppn >= 1 AND n_lo >= 0";

/* Returns 1 if a name, or parameters, are safe to write into files. */
static int is_name(const char *name, const char *more)
{
    char allowed[80];
    size_t length;

    snprintf(allowed, sizeof(allowed), "%s%s", "abcdefghijklmnopqrstuvwxyz"
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+", more);
    length = strspn(name, allowed);
    return length > 0 && length < CHORALE_RULE_NAME && name[length] == '\0';
}

/* Fill a rule from a row, except comm_size. */
static enum chorale_err parse_row(sqlite3_stmt *stmt, const char *path,
                                  struct chorale_rule *rule,
                                  struct chorale_errmsg *msg)
{
    const char *provider = chorale_text(stmt, 6), *name = chorale_text(stmt, 7);
    const char *params = chorale_text(stmt, 8);
    const char *coll = chorale_coll_info(rule->coll)->name;
    int shape = (int)CHORALE_SHAPE_IRREGULAR;

    while (shape > 0 && strcmp(shape_name[shape], chorale_text(stmt, 2)) != 0)
        shape--;
    if (shape == 0)
        return chorale_fail(msg, CHORALE_DATA, "%s: a decision on %s has the"
                            " unknown shape '%.40s'; run `chorale"
                            " decide` again", path, coll,
                            chorale_text(stmt, 2));
    rule->shape = (enum chorale_shape)shape;
    rule->ppn = sqlite3_column_int(stmt, 3);
    rule->lo = (unsigned long long)sqlite3_column_int64(stmt, 4);
    rule->hi = (unsigned long long)sqlite3_column_int64(stmt, 5);
    if (rule->hi >= CHORALE_RULE_NO_END / 2)
        rule->hi = CHORALE_RULE_NO_END;
    if (strcmp(provider, "library") == 0)
        return CHORALE_OK;
    if (strcmp(provider, "native") != 0)
        return chorale_fail(msg, CHORALE_DATA, "%s: a decision on %s for the"
                            " library's rules has provider '%.40s', not"
                            " native; run `chorale decide` again", path, coll,
                            provider);
    if (!is_name(name, "") || (*params != '\0' && !is_name(params, "=")) ||
        snprintf(rule->name, sizeof(rule->name), "%s%s%s", name,
                 *params != '\0' ? ":" : "", params) >=
            CHORALE_RULE_NAME)
        return chorale_fail(msg, CHORALE_DATA, "%s: a decision on %s chooses"
                            " '%.60s', which is no name of a native algorithm"
                            "; run `chorale decide` again", path, coll,
                            name);
    return CHORALE_OK;
}

static enum chorale_err append(struct chorale_rules *rules,
                               const struct chorale_rule *rule, size_t *room,
                               struct chorale_errmsg *msg)
{
    struct chorale_rule *more;

    if (rules->count == MOST_RULES)
        return chorale_fail(msg, CHORALE_DATA, "generate: more than %d rules;"
                            " decide on fewer process counts", MOST_RULES);
    if (rules->count == *room) {
        *room = *room > 0 ? 2 * *room : 64;
        more = realloc(rules->rule, *room * sizeof(*more));
        if (more == NULL)
            return chorale_fail_memory(msg, "generate");
        rules->rule = more;
    }
    rules->rule[rules->count++] = *rule;
    return CHORALE_OK;
}

static enum chorale_err load_rows(struct chorale_store *store,
                                  sqlite3_stmt *stmt, enum chorale_coll coll,
                                  struct chorale_rules *rules, size_t *room,
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;

    while (chorale_store_next(store, stmt, &err, msg)) {
        struct chorale_rule rule = { .coll = coll };
        int from = sqlite3_column_int(stmt, 0);
        int to = sqlite3_column_int(stmt, 1);

        err = parse_row(stmt, chorale_store_path(store), &rule, msg);
        for (int p = from; p <= to && err == CHORALE_OK; p++) {
            rule.comm_size = p;
            if (rule.shape == CHORALE_SHAPE_SINGLE_NODE)
                rule.ppn = p;
            else if (rule.shape == CHORALE_SHAPE_ONE_PER_NODE)
                rule.ppn = 1;
            err = append(rules, &rule, room, msg);
            if (p == to)
                break; /* to + 1 may overflow */
        }
        if (err != CHORALE_OK)
            return err;
    }
    return err;
}

static enum chorale_err load_coll(struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  enum chorale_coll coll,
                                  struct chorale_rules *rules, size_t *room,
                                  struct chorale_errmsg *msg)
{
    const char *name = chorale_coll_info(coll)->name;
    sqlite3_stmt *kind = NULL, *stmt = NULL;
    int got = 0;
    enum chorale_err err = chorale_served_kind_find(store, system_id, name,
                                                    "rules", &kind, &got, msg);

    if (err == CHORALE_OK && got)
        err = chorale_store_query(
            store, rows_sql,
            CHORALE_FIELDS(system_id, name, chorale_text(kind, 0),
                           chorale_text(kind, 1)), &stmt, msg);
    if (err == CHORALE_OK && got) {
        if (chorale_origin_line(&rules->kinds, name, chorale_text(kind, 0),
                                chorale_text(kind, 1)) != 0)
            err = chorale_fail_memory(msg, "generate");
        else
            err = load_rows(store, stmt, coll, rules, room, msg);
    }
    sqlite3_finalize(kind);
    sqlite3_finalize(stmt);
    return err;
}

static int compare(const void *a, const void *b)
{
    const struct chorale_rule *x = a, *y = b;

    if (x->coll != y->coll)
        return x->coll < y->coll ? -1 : 1;
    if (x->comm_size != y->comm_size)
        return x->comm_size < y->comm_size ? -1 : 1;
    if (x->shape != y->shape)
        return x->shape < y->shape ? -1 : 1;
    if (x->ppn != y->ppn)
        return x->ppn < y->ppn ? -1 : 1;
    return (x->lo > y->lo) - (x->lo < y->lo);
}

void chorale_rules_sort(struct chorale_rules *rules)
{
    qsort(rules->rule, rules->count, sizeof(*rules->rule), compare);
}

/* Fail if two rows cover one point: the written file and the check could then
 * use different rows. */
static enum chorale_err check_apart(const struct chorale_rules *rules,
                                    const char *path,
                                    struct chorale_errmsg *msg)
{
    for (size_t i = 0, end; i < rules->count; i = end) {
        end = chorale_rules_same_set(rules, i);
        for (size_t k = i + 1; k < end; k++)
            if (rules->rule[k].lo <= rules->rule[k - 1].hi)
                return chorale_fail(
                    msg, CHORALE_DATA, "%s: two decisions on %s at P = %d and"
                    " n = %llu; run `chorale decide` again", path,
                    chorale_coll_info(rules->rule[k].coll)->name,
                    rules->rule[k].comm_size, rules->rule[k].lo);
    }
    return CHORALE_OK;
}

enum chorale_err chorale_rules_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    struct chorale_rules *rules,
                                    struct chorale_errmsg *msg)
{
    size_t room = 0;
    enum chorale_err err;

    memset(rules, 0, sizeof(*rules));
    err = chorale_origin_load(store, system_id, &rules->origin, msg);
    for (int i = 0; i < CHORALE_NCOLL && err == CHORALE_OK; i++)
        err = load_coll(store, system_id, (enum chorale_coll)i, rules, &room,
                        msg);
    if (err == CHORALE_OK && rules->count == 0)
        err = chorale_fail(msg, CHORALE_DATA, "%s: system %s has no decisions "
                           "on the library's own algorithms; `chorale plan "
                           "--providers native`, `run` and `decide` make them",
                           chorale_store_path(store), rules->origin.system);
    if (err != CHORALE_OK)
        return err;
    chorale_rules_sort(rules);
    return check_apart(rules, chorale_store_path(store), msg);
}

void chorale_rules_release(struct chorale_rules *rules)
{
    chorale_origin_release(&rules->origin);
    free(rules->kinds);
    free(rules->settings);
    free(rules->rule);
    memset(rules, 0, sizeof(*rules));
}

const char *chorale_rules_at(const struct chorale_rules *rules,
                             enum chorale_coll coll, int comm_size,
                             const struct chorale_rule_place *place,
                             unsigned long long n)
{
    const struct chorale_rule want = {
        .coll = coll, .comm_size = comm_size, .ppn = place->ppn,
        .shape = place->shape, .lo = n,
    };
    const struct chorale_rule *r;
    size_t lo = 0, hi = rules->count;

    while (lo < hi) { /* end of the rows <= key */
        size_t mid = lo + (hi - lo) / 2;

        if (compare(&rules->rule[mid], &want) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    r = lo > 0 ? &rules->rule[lo - 1] : NULL;
    return r != NULL && r->coll == coll && r->comm_size == comm_size &&
                   r->shape == place->shape && r->ppn == place->ppn &&
                   n <= r->hi && r->left == NULL && !r->projected
               ? r->name
               : "";
}

size_t chorale_rules_same_size(const struct chorale_rules *rules, size_t first)
{
    const struct chorale_rule *r = &rules->rule[first];
    size_t end = first;

    while (end < rules->count && rules->rule[end].coll == r->coll &&
           rules->rule[end].comm_size == r->comm_size)
        end++;
    return end;
}

size_t chorale_rules_same_set(const struct chorale_rules *rules, size_t first)
{
    const struct chorale_rule *r = &rules->rule[first];
    size_t end = first;

    while (end < rules->count && rules->rule[end].coll == r->coll &&
           rules->rule[end].comm_size == r->comm_size &&
           rules->rule[end].shape == r->shape &&
           rules->rule[end].ppn == r->ppn)
        end++;
    return end;
}

size_t chorale_rules_bands(const struct chorale_rules *rules, size_t first,
                           size_t end, unsigned long long *from)
{
    const struct chorale_rule *r = &rules->rule[first];
    const struct chorale_rule_place place = { r->shape, r->ppn };
    size_t count = 0;
    const char *last = NULL;

    for (size_t i = 2 * first; i <= 2 * end; i++) {
    /* candidates: 0, and each row's first n and the n after its last */
        unsigned long long n = i == 2 * first ? 0
                               : i % 2 != 0   ? rules->rule[i / 2].lo
                                              : rules->rule[i / 2 - 1].hi + 1;
        const char *name = chorale_rules_at(rules, r->coll, r->comm_size,
                                            &place, n);

        if ((last != NULL && strcmp(last, name) == 0) ||
            n > CHORALE_RULE_NO_END)
            continue;
        from[count++] = n;
        last = name;
    }
    return count;
}
