/* SPDX-License-Identifier: BSD-3-Clause */
/* write_ompi.c - writes and reads the classic rules file of Open MPI's
 * component tuned: numbers in a fixed order, read by all versions.
 *
 * A rule applies from its message size on and from its number of ranks on; the
 * first rule also applies below. Therefore the file has a rule for a single
 * rank, and after each decided number of ranks one that leaves the choice to
 * the library. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/rules/ompi_algs.h"

static int says(const struct chorale_rules *rules, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (rules->rule[i].shape == CHORALE_SHAPE_UNKNOWN)
            return 1;
    return 0;
}

static void message_rule(FILE *out, enum chorale_coll coll,
                         unsigned long long from, const char *name)
{
    const struct chorale_ompi_algorithm *a = chorale_ompi_find(coll, name);

    fprintf(out, "%llu %d %d 0", from, a != NULL ? a->id : 0,
            a != NULL ? a->fanout : 0);
    fprintf(out, " # %s\n", a != NULL ? name : "the library's own decision");
}

/* Write the rows of one number of ranks; rows of unknown shape are used. */
static int one_size(FILE *out, const struct chorale_rules *rules,
                    size_t first, size_t end)
{
    const struct chorale_rule *r = &rules->rule[first];
    static const struct chorale_rule_place any;
    unsigned long long *from = calloc(2 * (end - first) + 1, sizeof(*from));
    size_t last = chorale_rules_same_set(rules, first);
    size_t count = from != NULL
                       ? chorale_rules_bands(rules, first, last, from)
                       : 0;

    if (from == NULL)
        return -1;
    if (chorale_ompi_key(r->coll) == CHORALE_OMPI_NONE)
        count = 1; /* the library looks up size 0 */
    fprintf(out, "%d # ranks\n%zu # sizes: from, algorithm, fan-out,"
            " segment\n", r->comm_size, count);
    for (size_t i = 0; i < count; i++)
        message_rule(out, r->coll,
                     from[i] / (unsigned long long)chorale_ompi_unit(
                                   r->coll, r->comm_size),
                     chorale_rules_at(rules, r->coll, r->comm_size, &any,
                                      from[i]));
    free(from);
    return 0;
}

/* 1 if the rows of one number of ranks, from row b on, become the same lines as
 * those of the number before it, from row a on. */
static int repeats(const struct chorale_rules *rules, size_t a, size_t b)
{
    static const struct chorale_rule_place any;
    const size_t first[2] = { a, b };
    unsigned long long *from[2] = { NULL, NULL };
    size_t count[2] = { 0, 0 };
    int same = rules->rule[a].comm_size + 1 == rules->rule[b].comm_size;

    for (int k = 0; k < 2 && same; k++) {
        const size_t end = chorale_rules_same_set(rules, first[k]);

        from[k] = calloc(2 * (end - first[k]) + 1, sizeof(*from[k]));
        same = from[k] != NULL;
        if (same)
            count[k] = chorale_rules_bands(rules, first[k], end, from[k]);
    }
    same = same && count[0] == count[1];
    for (size_t i = 0; same && i < count[0]; i++) {
        const char *name[2];
        unsigned long long key[2];

        for (int k = 0; k < 2; k++) {
            const struct chorale_rule *r = &rules->rule[first[k]];

            key[k] = from[k][i] / (unsigned long long)chorale_ompi_unit(
                                      r->coll, r->comm_size);
            name[k] = chorale_rules_at(rules, r->coll, r->comm_size, &any,
                                       from[k][i]);
        }
        same = key[0] == key[1] && strcmp(name[0], name[1]) == 0;
    }
    free(from[0]);
    free(from[1]);
    return same;
}

/* Write the numbers of ranks in the file: the decided ones, 1 before the first,
 * and the undecided ones that follow a decided one. One whose rules are those
 * of the number before it is left out. If out is NULL only count.
 * Returns the count. */
static int all_sizes(FILE *out, const struct chorale_rules *rules,
                     size_t first, size_t end)
{
    int written = 0, next_size = 1;
    size_t before = end;

    for (size_t i = first, next; i <= end; i = next) {
        int size = i < end ? rules->rule[i].comm_size : INT_MAX;

        next = i < end ? chorale_rules_same_size(rules, i) : end + 1;
        if (i < end && !says(rules, i, next))
            continue;
        if (next_size < size) {
            if (out != NULL)
                fprintf(out, "%d # ranks\n1 # size\n0 0 0 0 #"
                        " the library's own decision\n", next_size);
            written++;
        }
        if (i == end)
            break;
        next_size = size + 1;
        if (before < end && repeats(rules, before, i)) {
            before = i;
            continue;
        }
        before = i;
        if (out != NULL && one_size(out, rules, i, next) != 0)
            return -1;
        written++;
    }
    return written;
}

static int one_coll(FILE *out, const struct chorale_rules *rules,
                    size_t first, size_t end)
{
    enum chorale_coll coll = rules->rule[first].coll;

    fprintf(out, "%d # %s\n%d # numbers of ranks\n", chorale_ompi_id(coll),
            chorale_coll_info(coll)->name,
            all_sizes(NULL, rules, first, end));
    return all_sizes(out, rules, first, end) < 0 ? -1 : 0;
}

/* Call each() with the rows of every collective that has a choice. Returns the
 * number of collectives, or -1 if a call failed. each may be NULL. */
static int each_coll(FILE *out, const struct chorale_rules *rules,
                     int (*each)(FILE *, const struct chorale_rules *, size_t,
                                 size_t))
{
    int count = 0;

    for (size_t i = 0, end; i < rules->count; i = end) {
        for (end = i; end < rules->count &&
                      rules->rule[end].coll == rules->rule[i].coll; end++)
            continue;
        if (!says(rules, i, end))
            continue;
        if (each != NULL && each(out, rules, i, end) != 0)
            return -1;
        count++;
    }
    return count;
}

static enum chorale_err emit(const struct chorale_rules *rules,
                             struct chorale_rule_files *files,
                             struct chorale_errmsg *msg)
{
    size_t size = 0;
    FILE *out = open_memstream(&files->text[0], &size);
    int bad = out == NULL;

    if (!bad) {
        fprintf(out, "%d # collectives\n", each_coll(NULL, rules, NULL));
        bad = each_coll(out, rules, one_coll) < 0;
        bad = fclose(out) != 0 || bad;
    }
    return bad ? chorale_fail_memory(msg, "generate")
               : CHORALE_OK;
}

static enum chorale_err prepare(struct chorale_rules *rules,
                                const struct chorale_rule_opts *opts,
                                struct chorale_errmsg *msg)
{
    return chorale_ompi_prepare(rules, opts, CHORALE_SHAPE_SINGLE_NODE, msg);
}

/* --- reading back -------------------------------------------------------- */

/* A rule as the library stores it. */
struct entry {
    long coll, size, from, algorithm, fanout, segment;
};

struct reader {
    struct entry *entry;
    size_t count;
};

struct cursor {
    const char *at;
    int line;
};

/* Read the next number. The library skips anything that is no number; here only
 * comments and white space may be skipped. Returns 0 or -1. */
static int next_number(struct cursor *c, long *number_p)
{
    char *end;

    for (;;) {
        while (isspace((unsigned char)*c->at))
            c->line += *c->at++ == '\n';
        if (*c->at != '#')
            break;
        c->at += strcspn(c->at, "\n");
    }
    errno = 0;
    *number_p = strtol(c->at, &end, 10);
    if (end == c->at || errno != 0 || *number_p < 0)
        return -1;
    c->at = end;
    return 0;
}

static int add_entry(struct reader *reader, const struct entry *entry)
{
    struct entry *more = realloc(reader->entry,
                                 (reader->count + 1) * sizeof(*more));

    if (more == NULL)
        return -1;
    reader->entry = more;
    more[reader->count++] = *entry;
    return 0;
}

/* Read the rules of one number of ranks, whose sizes ascend from 0. */
static int read_size(struct cursor *c, struct reader *reader,
                     struct entry *entry)
{
    long count, before = -1;

    if (next_number(c, &entry->size) != 0 || next_number(c, &count) != 0)
        return -1;
    for (long i = 0; i < count; i++) {
        if (next_number(c, &entry->from) != 0 ||
            next_number(c, &entry->algorithm) != 0 ||
            next_number(c, &entry->fanout) != 0 ||
            next_number(c, &entry->segment) != 0 ||
            entry->from <= before || (i == 0 && entry->from != 0) ||
            add_entry(reader, entry) != 0)
            return -1;
        before = entry->from;
    }
    return count > 0 ? 0 : -1;
}

static int read_all(struct cursor *c, struct reader *reader)
{
    long colls, sizes, before;
    struct entry entry;

    if (next_number(c, &colls) != 0)
        return -1;
    for (long i = 0; i < colls; i++) {
        if (next_number(c, &entry.coll) != 0 || next_number(c, &sizes) != 0 ||
            entry.coll > 16)
            return -1;
        before = -1;
        for (long k = 0; k < sizes; k++) {
            if (read_size(c, reader, &entry) != 0 || entry.size <= before)
                return -1;
            before = entry.size;
        }
    }
    return next_number(c, &colls) != 0 && *c->at == '\0' ? 0 : -1;
}

static void release(void *arg)
{
    struct reader *reader = arg;

    if (reader != NULL)
        free(reader->entry);
    free(reader);
}

static enum chorale_err read_text(const struct chorale_rule_files *files,
                                  void **reader_p, struct chorale_errmsg *msg)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    struct cursor c = { files->text[0], 1 };

    if (reader == NULL)
        return chorale_fail_memory(msg, "generate");
    if (read_all(&c, reader) != 0) {
        release(reader);
        return chorale_fail(msg, CHORALE_DATA, "the written file is not "
                            "valid for Open MPI at line %d; repeat the "
                            "command, report it if it recurs", c.line);
    }
    *reader_p = reader;
    return CHORALE_OK;
}

static int agrees(const void *arg, const struct chorale_rule_point *point,
                  const char *name, char *got, size_t size)
{
    const struct reader *reader = arg;
    const struct chorale_ompi_algorithm *want =
        chorale_ompi_find(point->coll, name);
    const struct entry *is = NULL;
    long key = chorale_ompi_key(point->coll) != CHORALE_OMPI_NONE
                   ? (long)point->n /
                         chorale_ompi_unit(point->coll, point->comm_size)
                   : 0;
    long ranks = point->comm_size;

    for (size_t i = 0; i < reader->count; i++) {
        const struct entry *e = &reader->entry[i];

        if (e->coll != chorale_ompi_id(point->coll))
            continue;
        if (is == NULL && e->size > ranks)
            ranks = e->size; /* also applies to fewer ranks */
        if (e->size <= ranks && e->from <= key &&
            (is == NULL || e->size >= is->size))
            is = e;
    }
    if (is == NULL || is->algorithm == 0) {
        snprintf(got, size, "the library's own decision");
        return want == NULL;
    }
    snprintf(got, size, "algorithm %ld", is->algorithm);
    return want != NULL && is->algorithm == want->id &&
           is->fanout == want->fanout && is->segment == 0;
}

const struct chorale_rule_format chorale_rules_ompi_classic = {
    .format = "ompi-rules",
    .library = "Open MPI",
    .suffix = { ".conf", NULL },
    .variable = { "OMPI_MCA_coll_tuned_dynamic_rules_filename", NULL },
    .setting = "OMPI_MCA_coll_tuned_use_dynamic_rules=1",
    .comment = "# ",
    .composes = 1,
    .caution = "With MPI_IN_PLACE the library takes sizes of allgather,"
               " allgatherv and alltoall\nfrom arguments that MPI ignores: all"
               " ranks must pass the same ones.\n"
               "The rules also apply to communicators that other components"
               " of the library make\nwithin one, as the format cannot"
               " distinguish them. It cannot test the placement\nof ranks"
               " either: it has only the choices that all measured placements"
               " agree on.\n",
    .prepare = prepare,
    .emit = emit,
    .read = read_text,
    .agrees = agrees,
    .release = release,
};
