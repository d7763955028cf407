/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_table.c - hash table with linear probing that doubles when it is three
 * quarters full. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/dispatch/trace/trace_table.h"

/* Applications have dozens of different calls. The limit bounds the memory of
 * an application that never repeats a size. */
#define FIRST_SIZE 256
#define MAX_SIZE ((size_t)1 << 17)

#define ROW_KEY offsetof(struct chorale_trace_row, rank_calls)

_Static_assert(sizeof(struct chorale_trace_key) == 32
                   && ROW_KEY == 24 + CHORALE_TRACE_RAN,
               "keys are compared as bytes, so they have no holes");

static int same(const struct chorale_trace_key *a,
                const struct chorale_trace_key *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static size_t hash(const struct chorale_trace_key *key)
{
    uint64_t word[4], h = 0;

    memcpy(word, key, sizeof(word));
    for (int i = 0; i < 4; i++) {
        h = (h ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return (size_t)h;
}

/* The key's cell, or the unused cell where it belongs. Needs an unused cell. */
static struct chorale_trace_cell *probe(struct chorale_trace_cell *cell,
                                        size_t size,
                                        const struct chorale_trace_key *key)
{
    size_t i = hash(key) & (size - 1);

    while (cell[i].calls != 0 && !same(&cell[i].key, key))
        i = (i + 1) & (size - 1);
    return &cell[i];
}

static int grow(struct chorale_trace_table *table)
{
    const size_t size = table->size > 0 ? 2 * table->size : FIRST_SIZE;
    struct chorale_trace_cell *cell;

    if (size > MAX_SIZE)
        return 0;
    cell = calloc(size, sizeof(*cell));
    if (cell == NULL)
        return 0;
    for (size_t i = 0; i < table->size; i++)
        if (table->cell[i].calls != 0)
            *probe(cell, size, &table->cell[i].key) = table->cell[i];
    free(table->cell);
    table->cell = cell;
    table->size = size;
    memset(table->last, 0, sizeof(table->last));
    return 1;
}

static struct chorale_trace_cell *
look_up(struct chorale_trace_table *table,
        const struct chorale_trace_key *key)
{
    struct chorale_trace_cell *cell = table->last[key->coll];

    if (cell != NULL && same(&cell->key, key))
        return cell;
    if (table->used >= table->size / 4 * 3)
        grow(table);
    if (table->size == 0)
        return NULL;
    cell = probe(table->cell, table->size, key);
    if (cell->calls == 0) {
        if (table->used + 1 >= table->size)
            return NULL; /* it could not grow: keep one cell unused */
        table->used++;
        cell->key = *key;
    }
    return table->last[key->coll] = cell;
}

void chorale_trace_table_add(struct chorale_trace_table *table,
                             const struct chorale_trace_key *key,
                             uint64_t ticks, uint64_t bytes,
                             uint64_t entered)
{
    struct chorale_trace_cell *cell = look_up(table, key);

    if (cell == NULL) {
        table->unlisted++;
        table->unlisted_ticks += ticks;
        return;
    }
    cell->calls++;
    cell->ticks += ticks;
    cell->bytes += bytes;
    cell->entered += entered / CHORALE_TRACE_ENTERED;
}

void chorale_trace_table_release(struct chorale_trace_table *table)
{
    free(table->cell);
    memset(table, 0, sizeof(*table));
}

/* Append to text as much as fits. */
static void put_text(char text[CHORALE_TRACE_RAN], const char *more)
{
    const size_t at = strlen(text), room = CHORALE_TRACE_RAN - 1 - at;
    const size_t len = strlen(more);

    memcpy(text + at, more, len < room ? len : room);
    text[at + (len < room ? len : room)] = '\0';
}

static void name_ran(const struct chorale_plan *plan, char *text)
{
    char params[CHORALE_TRACE_RAN] = "";

    if (plan == NULL) {
        strcpy(text, "library");
        return;
    }
    chorale_alg_params_format(plan->alg, plan->param, params,
                              sizeof(params));
    put_text(text, plan->alg->name);
    if (params[0] == '\0')
        return;
    put_text(text, ":");
    put_text(text, params);
}

static struct chorale_trace_row row_of(const struct chorale_trace_cell *cell,
                                       const struct chorale_trace_rate *rate)
{
    const double tick = rate->tick;
    const struct chorale_trace_key *key = &cell->key;
    struct chorale_trace_row row = {
        .n = key->n, .comm_size = key->comm_size, .coll = key->coll,
        .type = key->type, .op = key->op, .root = key->root,
        .shape = key->shape, .rank_calls = cell->calls,
        .bytes = cell->bytes, .seconds = tick * (double)cell->ticks
    };

    row.max_seconds = row.seconds;
    row.entry.sum = tick * CHORALE_TRACE_ENTERED * (double)cell->entered;
    name_ran(key->plan, row.ran);
    return row;
}

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, ROW_KEY);
}

static void add(struct chorale_trace_row *to,
                const struct chorale_trace_row *from)
{
    to->rank_calls += from->rank_calls;
    to->bytes += from->bytes;
    to->seconds += from->seconds;
    if (from->max_seconds > to->max_seconds)
        to->max_seconds = from->max_seconds;
}

/* Add up adjacent rows with equal keys: two plans may have the same name. */
static size_t fold(struct chorale_trace_row *row, size_t n)
{
    size_t to = 0;

    for (size_t i = 1; i < n; i++)
        if (compare(&row[to], &row[i]) == 0) {
            const double longest = row[to].max_seconds + row[i].max_seconds;

            add(&row[to], &row[i]);
            row[to].max_seconds = longest;
            row[to].entry.sum += row[i].entry.sum;
        } else {
            row[++to] = row[i];
        }
    return n > 0 ? to + 1 : 0;
}

/* Set the entry of a row of this process. Before, entry.sum is the sum over all
 * calls, in s since tick 0. */
static void set_entry(struct chorale_trace_row *row,
                      const struct chorale_trace_rate *rate)
{
    const double mean = rate->begin +
                        rate->rate * row->entry.sum / (double)row->rank_calls;

    row->entry = (struct chorale_trace_entry){ .ranks = 0 };
    if (isfinite(mean))
        row->entry = (struct chorale_trace_entry){
            .sum = mean, .rank_sum = rate->rank * mean,
            .first = mean, .last = mean, .calls = row->rank_calls,
            .ranks = 1, .latest = rate->rank
        };
}

/* Add up two entries. The sum is unknown if the numbers of calls differ or an
 * entry is unknown. */
static void add_entry(struct chorale_trace_entry *to,
                      const struct chorale_trace_entry *from)
{
    if (to->calls != from->calls || to->ranks == 0 || from->ranks == 0) {
        *to = (struct chorale_trace_entry){ .ranks = 0 };
        return;
    }
    to->sum += from->sum;
    to->rank_sum += from->rank_sum;
    to->ranks += from->ranks;
    if (from->first < to->first)
        to->first = from->first;
    if (from->last > to->last) {
        to->last = from->last;
        to->latest = from->latest;
    }
}

int chorale_trace_arrival_of(const struct chorale_trace_row *row, int ranks,
                             struct chorale_trace_arrival *arrival)
{
    const struct chorale_trace_entry *entry = &row->entry;
    const double size = row->comm_size, skew = entry->last - entry->first;

    if (row->comm_size < 2 || row->comm_size != ranks ||
        entry->ranks != ranks)
        return 0;
    *arrival = (struct chorale_trace_arrival){ .skew = skew,
                                               .latest = entry->latest };
    if (skew > 0) {
        arrival->late = (entry->sum / size - entry->first) / skew;
        arrival->trend = (entry->rank_sum - (size - 1) / 2 * entry->sum) * 12 /
                         (size * (size + 1) * skew);
    }
    return 1;
}

void chorale_trace_rows_of(const struct chorale_trace_table *table,
                           const struct chorale_trace_rate *rate,
                           struct chorale_trace_rows *rows)
{
    const double tick = rate->tick;
    size_t n = 0;

    *rows = (struct chorale_trace_rows){
        .unlisted = table->unlisted,
        .unlisted_seconds = tick * (double)table->unlisted_ticks
    };
    if (table->used > 0)
        rows->row = calloc(table->used, sizeof(*rows->row));
    for (size_t i = 0; i < table->size; i++) {
        const struct chorale_trace_cell *cell = &table->cell[i];

        if (cell->calls == 0)
            continue;
        if (rows->row != NULL) {
            rows->row[n++] = row_of(cell, rate);
            continue;
        }
        rows->unlisted += cell->calls;
        rows->unlisted_seconds += tick * (double)cell->ticks;
    }
    if (n > 0)
        qsort(rows->row, n, sizeof(*rows->row), compare);
    rows->n = fold(rows->row, n);
    for (size_t i = 0; i < rows->n; i++)
        set_entry(&rows->row[i], rate);
}

static void count_as_unlisted(struct chorale_trace_rows *mine,
                              const struct chorale_trace_rows *other)
{
    for (size_t i = 0; i < other->n; i++) {
        mine->unlisted += other->row[i].rank_calls;
        mine->unlisted_seconds += other->row[i].seconds;
    }
}

void chorale_trace_rows_merge(struct chorale_trace_rows *mine,
                              const struct chorale_trace_rows *other)
{
    struct chorale_trace_row *both;
    size_t i = 0, k = 0, n = 0;

    mine->unlisted += other->unlisted;
    mine->unlisted_seconds += other->unlisted_seconds;
    if (other->n == 0)
        return;
    both = mine->n + other->n <= 2 * MAX_SIZE
               ? calloc(mine->n + other->n, sizeof(*both)) : NULL;
    if (both == NULL) {
        count_as_unlisted(mine, other);
        return;
    }
    while (i < mine->n || k < other->n) {
        const int order = i == mine->n ? 1 : k == other->n ? -1
                          : compare(&mine->row[i], &other->row[k]);

        both[n] = order <= 0 ? mine->row[i++] : other->row[k++];
        if (order == 0) {
            add_entry(&both[n].entry, &other->row[k].entry);
            add(&both[n], &other->row[k++]);
        }
        n++;
    }
    free(mine->row);
    mine->row = both;
    mine->n = n;
}
