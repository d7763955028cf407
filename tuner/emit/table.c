/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - turns rows of table decision into what the emitters write: known
 * variants only, one choice for every n, and the projection over shapes. */
#include "tuner/emit/table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One row of decision. */
struct row {
    enum chorale_coll coll;
    int comm_size, comm_size_hi, shape, ppn;
    unsigned long long n_lo, n_hi;
    size_t choice;
};

struct rows {
    struct row *row;
    size_t count;
};

static const char *const shape_name[CHORALE_EMIT_SHAPES] = {
    "unknown", "single-node", "one-per-node", "block", "cyclic", "irregular",
};

static const char rows_sql[] =
    "SELECT comm_size, shape, ppn, n_lo, n_hi, provider, variant, params,"
    " max(comm_size, comm_size_hi)"
    " FROM decision WHERE system_id = ?1 AND coll = ?2 AND dtype = ?3"
    "  AND op = ?4 AND target = 'dispatch' AND op_class IN ('', 'builtin')"
    "  AND comm_size >= 1 AND max(comm_size, comm_size_hi) <= 2147483647"
    "  AND n_lo >= 0 AND n_hi >= n_lo AND typeof(n_lo) = 'integer'"
    "  AND typeof(n_hi) = 'integer' AND typeof(comm_size) = 'integer'"
    "  AND typeof(comm_size_hi) = 'integer'"
    " ORDER BY comm_size, shape, ppn, n_lo, n_hi";

int chorale_emit_shape(const char *name)
{
    for (int i = 1; i < CHORALE_EMIT_SHAPES; i++)
        if (strcmp(shape_name[i], name) == 0)
            return i;
    return -1;
}

const char *chorale_emit_shape_name(enum chorale_shape shape)
{
    return shape_name[shape];
}

/* Find the choice named by a row in the table, or add it. *choice_p is 0, the
 * library, if the catalogue does not know it. Returns -1 if out of memory. */
static int find_choice(struct chorale_emit_table *table,
                       enum chorale_coll coll, sqlite3_stmt *stmt,
                       size_t *choice_p)
{
    struct chorale_emit_choice want = { .alg = NULL }, *more;
    char why[160];
    int len;

    *choice_p = 0;
    if (strcmp(chorale_text(stmt, 5), "chorale") != 0)
        return 0;
    want.alg = chorale_alg_find(coll, chorale_text(stmt, 6));
    if (want.alg == NULL ||
        chorale_alg_params_parse(want.alg, chorale_text(stmt, 7), want.value,
                                 why, sizeof(why)) != 0)
        return 0;
    len = chorale_alg_params_format(want.alg, want.value, want.params,
                                    sizeof(want.params));
    if (len < 0 || (size_t)len >= sizeof(want.params))
        return 0;
    for (size_t i = 1; i < table->nchoice; i++)
        if (table->choice[i].alg == want.alg &&
            strcmp(table->choice[i].params, want.params) == 0) {
            *choice_p = i;
            return 0;
        }
    more = realloc(table->choice, (table->nchoice + 1) * sizeof(*more));
    if (more == NULL)
        return -1;
    table->choice = more;
    table->choice[table->nchoice] = want;
    *choice_p = table->nchoice++;
    return 0;
}

/* Append the rows of one collective. */
static enum chorale_err load_rows(struct chorale_store *store,
                                  sqlite3_stmt *stmt, enum chorale_coll coll,
                                  struct chorale_emit_table *table,
                                  struct rows *rows,
                                  struct chorale_errmsg *msg)
{
    enum chorale_err err = CHORALE_OK;
    struct row *more;

    while (chorale_store_next(store, stmt, &err, msg)) {
        struct row row = {
            .coll = coll, .comm_size = sqlite3_column_int(stmt, 0),
            .shape = chorale_emit_shape(chorale_text(stmt, 1)),
            .comm_size_hi = sqlite3_column_int(stmt, 8),
            .ppn = sqlite3_column_int(stmt, 2),
            .n_lo = (unsigned long long)sqlite3_column_int64(stmt, 3),
            .n_hi = (unsigned long long)sqlite3_column_int64(stmt, 4),
        };

        if (row.shape < 0)
            continue;
        more = realloc(rows->row, (rows->count + 1) * sizeof(*more));
        if (more != NULL)
            rows->row = more;
        if (more == NULL || find_choice(table, coll, stmt, &row.choice) != 0)
            return chorale_fail_memory(msg, "generate");
        rows->row[rows->count++] = row;
    }
    return err;
}

/* The choice at n of one set of rows: same comm_size, shape and ppn. */
static size_t choice_at(const struct row *row, size_t count,
                        unsigned long long n)
{
    size_t choice = 0;

    for (size_t i = 0; i < count && row[i].n_lo <= n; i++)
        choice = n <= row[i].n_hi ? row[i].choice : 0;
    return choice;
}

static int same_set(const struct row *a, const struct row *b)
{
    return a->shape == b->shape && a->ppn == b->ppn;
}

/* Selects the rows that a group of rules is made from. */
struct group_of {
    int shape;               /* 0: any */
    int ppn;                 /* 0: any */
};

/* The choice at n that all placements of a group agree on, else the library.
 * The rows are of one comm_size. */
static size_t agreed(const struct row *row, size_t count, struct group_of of,
                     unsigned long long n)
{
    size_t choice = 0, end;
    int first = 1;

    for (size_t i = 0; i < count; i = end) {
        size_t mine;

        for (end = i; end < count && same_set(&row[i], &row[end]); end++)
            continue;
        if ((of.shape != 0 && row[i].shape != of.shape) ||
            (of.ppn != 0 && row[i].ppn != of.ppn))
            continue;
        mine = choice_at(&row[i], end - i, n);
        if (!first && mine != choice)
            return 0;
        choice = mine;
        first = 0;
    }
    return choice;
}

static int compare_n(const void *a, const void *b)
{
    unsigned long long x = *(const unsigned long long *)a;
    unsigned long long y = *(const unsigned long long *)b;

    return (x > y) - (x < y);
}

/* Extend the last rule of a group by a new rule that follows it immediately and
 * has the same bands. Returns 1 if extended. */
static int joined(struct chorale_emit_table *table,
                  struct chorale_emit_group *group,
                  const struct chorale_emit_rule *rule)
{
    struct chorale_emit_rule *last = group->rule + group->nrule - 1;

    if (group->nrule == 0 || last->comm_size_hi + 1 != rule->comm_size ||
        last->count != rule->count)
        return 0;
    for (size_t i = 0; i < rule->count; i++) {
        const struct chorale_emit_band *a = &table->band[last->first + i];
        const struct chorale_emit_band *b = &table->band[rule->first + i];

        if (a->from != b->from || a->choice != b->choice)
            return 0;
    }
    last->comm_size_hi = rule->comm_size_hi;
    return 1;
}

/* Add a rule, unless it chooses the library for every n. The rows hold for all
 * process counts of the rule. */
static int add_rule(struct chorale_emit_table *table,
                    struct chorale_emit_group *group, const struct row *row,
                    size_t count, struct group_of of,
                    struct chorale_emit_rule new)
{
    unsigned long long *from = malloc((2 * count + 1) * sizeof(*from));
    struct chorale_emit_band *band;
    struct chorale_emit_rule *rule;
    size_t n = 0, first = table->nband;

    band = realloc(table->band, (first + 2 * count + 1) * sizeof(*band));
    if (band != NULL)
        table->band = band;
    rule = realloc(group->rule, (group->nrule + 1) * sizeof(*rule));
    if (rule != NULL)
        group->rule = rule;
    if (from == NULL || band == NULL || rule == NULL) {
        free(from);
        return -1;
    }
    from[n++] = 0;
    for (size_t i = 0; i < count; i++) {
        from[n++] = row[i].n_lo;
        from[n++] = row[i].n_hi + 1;
    }
    qsort(from, n, sizeof(*from), compare_n);
    for (size_t i = 0; i < n; i++) {
        size_t choice = agreed(row, count, of, from[i]);

        if (i == 0 || choice != band[table->nband - 1].choice)
            band[table->nband++] =
                (struct chorale_emit_band){ from[i], choice };
    }
    free(from);
    new.first = first;
    new.count = table->nband - first;
    if ((new.count == 1 && band[first].choice == 0) ||
        joined(table, group, &new))
        table->nband = first;
    else
        rule[group->nrule++] = new;
    return 0;
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->shape != y->shape)
        return x->shape - y->shape;
    if (x->ppn != y->ppn)
        return (x->ppn > y->ppn) - (x->ppn < y->ppn);
    if (x->n_lo != y->n_lo)
        return x->n_lo < y->n_lo ? -1 : 1;
    return (x->n_hi > y->n_hi) - (x->n_hi < y->n_hi);
}

/* Add the rules of all shapes for a range of process counts in which the same
 * rows hold. here is a scratch buffer for count rows. */
static int add_between(struct chorale_emit_table *table, const struct row *row,
                       size_t count, int from, int to, struct row *here)
{
    struct chorale_emit_rule rule = { .comm_size = from, .comm_size_hi = to };
    enum chorale_coll coll = row->coll;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (row[i].comm_size <= from && row[i].comm_size_hi >= to)
            here[n++] = row[i];
    qsort(here, n, sizeof(*here), compare_rows);
    for (int shape = 0; n > 0 && shape < CHORALE_EMIT_SHAPES; shape++)
        if (add_rule(table, &table->group[coll][shape], here, n,
                     (struct group_of){ shape, 0 }, rule) != 0)
            return -1;
    for (size_t i = 0; n > 0 && i < table->nppn[coll]; i++)
        if (add_rule(table, &table->ppn[coll][i].group, here, n,
                     (struct group_of){ CHORALE_SHAPE_BLOCK,
                                        table->ppn[coll][i].ppn }, rule) != 0)
            return -1;
    return 0;
}

/* Collect the ranks-a-node values of shape block, ascending. */
static int find_ppns(struct chorale_emit_table *table, const struct row *row,
                     size_t count)
{
    enum chorale_coll coll = row->coll;
    struct chorale_emit_ppn *list = calloc(count, sizeof(*list));

    if (list == NULL)
        return -1;
    table->ppn[coll] = list;
    for (int least = 0, next; ; least = next) {
        next = INT_MAX;
        for (size_t i = 0; i < count; i++)
            if (row[i].shape == CHORALE_SHAPE_BLOCK && row[i].ppn > least &&
                row[i].ppn < next)
                next = row[i].ppn;
        if (next == INT_MAX)
            return 0;
        list[table->nppn[coll]++].ppn = next;
    }
}

/* Add all rules of one collective. */
static int add_rules(struct chorale_emit_table *table, const struct row *row,
                     size_t count)
{
    struct row *here = malloc(count * sizeof(*here));
    int *border = malloc(2 * count * sizeof(*border)), rc = 0;
    size_t n = 0;

    if (here == NULL || border == NULL || find_ppns(table, row, count) != 0)
        rc = -1;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        border[n++] = row[i].comm_size;
        if (row[i].comm_size_hi < INT_MAX)
            border[n++] = row[i].comm_size_hi + 1;
    }
    if (rc == 0)
        qsort(border, n, sizeof(*border), compare_int);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        int to = i + 1 < n ? border[i + 1] - 1 : INT_MAX;

        if (to >= border[i])
            rc = add_between(table, row, count, border[i], to, here);
    }
    free(here);
    free(border);
    return rc;
}

/* The group that answers for blocks of ppn > 0 ranks a node, or NULL for the
 * library's default. */
static const struct chorale_emit_group *
group_of_ppn(const struct chorale_emit_table *table, enum chorale_coll coll,
             int ppn)
{
    const struct chorale_emit_ppn *list = table->ppn[coll];
    size_t n = table->nppn[coll];

    for (size_t i = 0; i < n; i++)
        if (list[i].ppn == ppn)
            return &list[i].group;
    return n > 0 && ppn > list[0].ppn && ppn < list[n - 1].ppn
               ? &table->group[coll][CHORALE_SHAPE_BLOCK]
               : NULL;
}

size_t chorale_emit_select(const struct chorale_emit_table *table,
                           enum chorale_coll coll, enum chorale_shape shape,
                           int ppn, unsigned long long n, int comm_size)
{
    const struct chorale_emit_group *g =
        shape == CHORALE_SHAPE_BLOCK && ppn > 0
            ? group_of_ppn(table, coll, ppn)
            : &table->group[coll][shape];

    for (size_t r = 0; g != NULL && r < g->nrule; r++) {
        const struct chorale_emit_rule *rule = &g->rule[r];
        size_t b = rule->first + rule->count - 1;

        if (comm_size < rule->comm_size || comm_size > rule->comm_size_hi)
            continue;
        while (n < table->band[b].from)
            b--;
        return table->band[b].choice;
    }
    return 0;
}

/* The end of the run of rows, from row i on, that covers process counts without
 * a gap. *last_p becomes the largest process count of the run. */
static size_t next_hole(const struct row *row, size_t count, size_t i,
                        int *last_p)
{
    int last = row[i].comm_size_hi;

    for (; i < count && (long long)row[i].comm_size <= last + 1LL; i++)
        last = row[i].comm_size_hi > last ? row[i].comm_size_hi : last;
    *last_p = last;
    return i;
}

/* Print process counts like " 2, 4, 17-23"; rows ascend in comm_size. */
static void print_comm_sizes(FILE *f, const struct row *row, size_t count)
{
    size_t nruns = 0, nsizes = 0;
    int last = 0;

    for (size_t i = 0, end; i < count; i = end) {
        end = next_hole(row, count, i, &last);
        nsizes += (size_t)(last - row[i].comm_size) + 1;
        nruns++;
    }
    if (nruns > 12) {
        fprintf(f, " %d ... %d (%zu of them)", row[0].comm_size, last, nsizes);
        return;
    }
    for (size_t i = 0, end; i < count; i = end) {
        end = next_hole(row, count, i, &last);
        fprintf(f, "%s %d", i > 0 ? "," : "", row[i].comm_size);
        if (last > row[i].comm_size)
            fprintf(f, "-%d", last);
    }
}

/* Print shapes like "; single-node; block 2, 4 a node". */
static void print_shapes(FILE *f, const struct row *row, size_t count)
{
    for (int s = 1; s < CHORALE_EMIT_SHAPES; s++) {
        int named = s == CHORALE_SHAPE_SINGLE_NODE ||
                    s == CHORALE_SHAPE_ONE_PER_NODE;
        int least = INT_MAX, next, said = 0;

        for (int ppn = INT_MIN; ; ppn = least, said++) {
            least = INT_MAX;
            for (size_t i = 0; i < count; i++) {
                next = named ? 0 : row[i].ppn;
                if (row[i].shape == s && next > ppn && next < least)
                    least = next;
            }
            if (least == INT_MAX)
                break;
            if (said == 0)
                fprintf(f, "; %s", shape_name[s]);
            if (!named && said < 6)
                fprintf(f, "%s %d", said > 0 ? "," : "", least);
        }
        if (!named && said > 0)
            fprintf(f, "%s a node", said > 6 ? ", ..." : "");
    }
}

static struct chorale_hull hull(const struct row *row, size_t count)
{
    struct chorale_hull h = { row->comm_size, row->comm_size_hi, row->n_lo,
                              row->n_hi };

    for (size_t i = 1; i < count; i++) {
        const struct row *r = &row[i];

        h.comm_size_lo = r->comm_size < h.comm_size_lo ? r->comm_size
                                                       : h.comm_size_lo;
        h.comm_size_hi = r->comm_size_hi > h.comm_size_hi ? r->comm_size_hi
                                                          : h.comm_size_hi;
        h.n_lo = r->n_lo < h.n_lo ? r->n_lo : h.n_lo;
        h.n_hi = r->n_hi > h.n_hi ? r->n_hi : h.n_hi;
    }
    return h;
}

/* Text like "P = 2, 4, 8; n = 8 ... 1048576 bytes; double sum; single-node";
 * the caller frees it. */
static char *coverage(const struct row *row, size_t count, const char *dtype,
                      const char *op)
{
    char *out = NULL;
    size_t size = 0;
    struct chorale_hull h = hull(row, count);
    FILE *f = open_memstream(&out, &size);

    if (f == NULL)
        return NULL;
    fprintf(f, "P =");
    print_comm_sizes(f, row, count);
    fprintf(f, "; n = %llu ... %llu bytes; %.32s%s%.32s", h.n_lo,
            h.n_hi, dtype,
            *op != '\0' ? " " : "", op);
    print_shapes(f, row, count);
    if (fclose(f) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

/* Load one collective: its kind, rules, hull and coverage. */
static enum chorale_err load_coll(struct chorale_store *store,
                                  sqlite3_int64 system_id,
                                  enum chorale_coll coll,
                                  struct chorale_emit_table *table,
                                  struct chorale_errmsg *msg)
{
    const char *name = chorale_coll_info(coll)->name;
    sqlite3_stmt *kind = NULL, *stmt = NULL;
    struct rows rows = { NULL, 0 };
    int got = 0;
    enum chorale_err err;

    err = chorale_served_kind_find(store, system_id, name, "dispatch", &kind,
                                   &got, msg);
    if (err != CHORALE_OK || !got)
        goto out;
    err = chorale_store_query(
        store, rows_sql,
        CHORALE_FIELDS(system_id, name, chorale_text(kind, 0),
                       chorale_text(kind, 1)), &stmt, msg);
    if (err == CHORALE_OK)
        err = load_rows(store, stmt, coll, table, &rows, msg);
    if (err != CHORALE_OK || rows.count == 0)
        goto out;
    chorale_served_kind_copy(kind, &table->kind[coll]);
    table->coverage[coll] = coverage(rows.row, rows.count,
                                     chorale_text(kind, 0),
                                     chorale_text(kind, 1));
    if (chorale_coll_info(coll)->blind)
        for (size_t i = 0; i < rows.count; i++) {
            rows.row[i].n_lo = 0; /* callers do not know n */
            rows.row[i].n_hi = ULLONG_MAX;
        }
    table->hull[coll] = hull(rows.row, rows.count);
    if (table->coverage[coll] == NULL ||
        add_rules(table, rows.row, rows.count) != 0)
        err = chorale_fail_memory(msg, "generate");
out:
    sqlite3_finalize(kind);
    sqlite3_finalize(stmt);
    free(rows.row);
    return err;
}

enum chorale_err chorale_emit_load(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_emit_table *table,
                                   struct chorale_errmsg *msg)
{
    struct chorale_emit_table got;
    size_t covered = 0;
    enum chorale_err err;

    memset(&got, 0, sizeof(got));
    got.choice = calloc(1, sizeof(*got.choice));
    got.nchoice = 1;
    err = got.choice == NULL ? chorale_fail_memory(msg, "generate")
                             : chorale_origin_load(store, system_id,
                                                   &got.origin, msg);
    if (err == CHORALE_OK)
        err = chorale_exploratory(store, system_id, got.exploratory, msg);
    for (int i = 0; i < CHORALE_NCOLL && err == CHORALE_OK; i++) {
        err = load_coll(store, system_id, (enum chorale_coll)i, &got, msg);
        covered += got.coverage[i] != NULL;
    }
    if (err == CHORALE_OK && covered == 0)
        err = chorale_fail(msg, CHORALE_DATA,
                           "%s: system %s has no decisions; run `chorale"
                           " decide` first", chorale_store_path(store),
                           got.origin.system);
    if (err == CHORALE_OK)
        *table = got;
    else
        chorale_emit_release(&got);
    return err;
}

void chorale_emit_release(struct chorale_emit_table *table)
{
    chorale_origin_release(&table->origin);
    free(table->choice);
    free(table->band);
    for (int i = 0; i < CHORALE_NCOLL; i++) {
        free(table->coverage[i]);
        for (int s = 0; s < CHORALE_EMIT_SHAPES; s++)
            free(table->group[i][s].rule);
        for (size_t k = 0; k < table->nppn[i]; k++)
            free(table->ppn[i][k].group.rule);
        free(table->ppn[i]);
    }
    memset(table, 0, sizeof(*table));
}
