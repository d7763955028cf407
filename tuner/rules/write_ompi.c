/* SPDX-License-Identifier: BSD-3-Clause */
/* write_ompi.c - writes and reads the classic rules file of Open MPI's
 * component tuned: numbers in a fixed order, read by all versions. From version
 * 5 on the component han serves communicators on several nodes; a second file
 * lets it call tuned where a rule stands.
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

/* First line of a file whose rules have a maximum of requests, from version 5
 * of the library on. */
#define VERSION_2 "rule-file-version-2"

/* The two files have the same outline, and differ in rules and in sizes. */
struct sheet {
    int han;
    int requests;            /* rules have a maximum of requests: version 2 */
    const char *columns;
    /* The compared size of the first call with n >= from. */
    unsigned long long (*key)(enum chorale_coll coll, int comm_size,
                              unsigned long long from);
    void (*rule)(FILE *out, enum chorale_coll coll, unsigned long long key,
                 const char *name, int requests);
};

static unsigned long long tuned_key(enum chorale_coll coll, int comm_size,
                                    unsigned long long from)
{
    return from / (unsigned long long)chorale_ompi_unit(coll, comm_size);
}

static void tuned_rule(FILE *out, enum chorale_coll coll,
                       unsigned long long key, const char *name, int requests)
{
    const struct chorale_ompi_numbers numbers =
        chorale_ompi_numbers(coll, name);

    fprintf(out, "%llu %ld %ld %ld", key, numbers.algorithm, numbers.fanout,
            numbers.segment);
    if (requests)
        fprintf(out, " %ld", numbers.requests);
    fprintf(out, " # %s\n",
            numbers.algorithm > 0 ? name : "the library's own decision");
}

static void han_rule(FILE *out, enum chorale_coll coll, unsigned long long key,
                     const char *name, int requests)
{
    (void)requests;
    if (chorale_ompi_find(coll, name) != NULL)
        fprintf(out, "%llu tuned # %s\n", key, name);
    else if (chorale_ompi_is_han(name))
        fprintf(out, "%llu han @%s\n", key, name + CHORALE_OMPI_HAN);
    else
        fprintf(out, "%llu han\n", key);
}

static const struct sheet han_sheet = {
    1, 0, "from, component, algorithm of han", chorale_ompi_han_key, han_rule,
};

/* 1 if the rows of one number of ranks have a choice for a sheet. That of han
 * needs one that holds on several nodes. */
static int says(const struct sheet *sheet, const struct chorale_rules *rules,
                size_t first, size_t end)
{
    int any = 0, nodes = !sheet->han;

    for (size_t i = first; i < end; i++) {
        any |= rules->rule[i].shape == CHORALE_SHAPE_UNKNOWN;
        nodes |= chorale_ompi_on_nodes(&rules->rule[i]);
    }
    return any && nodes;
}

/* List the n at which the choice of one number of ranks changes; see
 * chorale_rules_bands(). Rows of unknown shape are used. NULL: out of memory.
 * The caller frees the list. */
static unsigned long long *bands(const struct chorale_rules *rules,
                                 size_t first, size_t *count_p)
{
    size_t last = chorale_rules_same_set(rules, first);
    unsigned long long *from = calloc(2 * (last - first) + 1, sizeof(*from));

    *count_p = from != NULL ? chorale_rules_bands(rules, first, last, from) : 0;
    if (from != NULL &&
        chorale_ompi_key(rules->rule[first].coll) == CHORALE_OMPI_NONE)
        *count_p = 1; /* the library looks up size 0 */
    return from;
}

static const char *choice(const struct chorale_rules *rules, size_t first,
                          unsigned long long n)
{
    static const struct chorale_rule_place any;
    const struct chorale_rule *r = &rules->rule[first];

    return chorale_rules_at(rules, r->coll, r->comm_size, &any, n);
}

static int one_size(FILE *out, const struct sheet *sheet,
                    const struct chorale_rules *rules, size_t first)
{
    const struct chorale_rule *r = &rules->rule[first];
    size_t count;
    unsigned long long *from = bands(rules, first, &count);

    if (from == NULL)
        return -1;
    fprintf(out, "%d # ranks\n%zu # sizes: %s\n", r->comm_size, count,
            sheet->columns);
    for (size_t i = 0; i < count; i++)
        sheet->rule(out, r->coll, sheet->key(r->coll, r->comm_size, from[i]),
                    choice(rules, first, from[i]), sheet->requests);
    free(from);
    return 0;
}

/* 1 if the rows of one number of ranks, from row b on, become the same lines as
 * those of the number before it, from row a on. */
static int repeats(const struct sheet *sheet,
                   const struct chorale_rules *rules, size_t a, size_t b)
{
    const struct chorale_rule *x = &rules->rule[a], *y = &rules->rule[b];
    size_t m, n;
    unsigned long long *from_a = bands(rules, a, &m);
    unsigned long long *from_b = bands(rules, b, &n);
    int same = from_a != NULL && from_b != NULL && m == n &&
               x->comm_size + 1 == y->comm_size;

    for (size_t i = 0; same && i < n; i++)
        same = sheet->key(x->coll, x->comm_size, from_a[i]) ==
                   sheet->key(y->coll, y->comm_size, from_b[i]) &&
               strcmp(choice(rules, a, from_a[i]),
                      choice(rules, b, from_b[i])) == 0;
    free(from_a);
    free(from_b);
    return same;
}

/* Write the numbers of ranks in the file: the decided ones, 1 before the first,
 * and the undecided ones that follow a decided one. One whose rules are those
 * of the number before it is left out. If out is NULL only count.
 * Returns the count. */
static int all_sizes(FILE *out, const struct sheet *sheet,
                     const struct chorale_rules *rules, size_t first,
                     size_t end)
{
    int written = 0, next_size = 1;
    size_t before = end;

    for (size_t i = first, next; i <= end; i = next) {
        int size = i < end ? rules->rule[i].comm_size : INT_MAX;

        next = i < end ? chorale_rules_same_size(rules, i) : end + 1;
        if (i < end && !says(sheet, rules, i, next))
            continue;
        if (next_size < size) {
            if (out != NULL) {
                fprintf(out, "%d # ranks\n1 # size\n", next_size);
                sheet->rule(out, rules->rule[first].coll, 0, "",
                            sheet->requests);
            }
            written++;
        }
        if (i == end)
            break;
        next_size = size + 1;
        if (before < end && repeats(sheet, rules, before, i)) {
            before = i;
            continue;
        }
        before = i;
        if (out != NULL && one_size(out, sheet, rules, i) != 0)
            return -1;
        written++;
    }
    return written;
}

static int one_coll(FILE *out, const struct sheet *sheet,
                    const struct chorale_rules *rules, size_t first,
                    size_t end)
{
    enum chorale_coll coll = rules->rule[first].coll;

    fprintf(out, "%d # %s\n", chorale_ompi_id(coll),
            chorale_coll_info(coll)->name);
    if (sheet->han)
        fprintf(out, "1 # level\n2 # the program's communicators\n");
    fprintf(out, "%d # numbers of ranks\n",
            all_sizes(NULL, sheet, rules, first, end));
    return all_sizes(out, sheet, rules, first, end) < 0 ? -1 : 0;
}

/* Write every collective that has a choice; if out is NULL only count. Returns
 * the number of collectives, or -1: out of memory. */
static int all_colls(FILE *out, const struct sheet *sheet,
                     const struct chorale_rules *rules)
{
    int count = 0;

    for (size_t i = 0, end; i < rules->count; i = end) {
        int any = 0;

        for (end = i; end < rules->count &&
                      rules->rule[end].coll == rules->rule[i].coll;) {
            size_t next = chorale_rules_same_size(rules, end);

            any |= says(sheet, rules, end, next);
            end = next;
        }
        if (!any || (sheet->han && !chorale_ompi_han_serves(
                                       rules->rule[i].coll)))
            continue;
        if (out != NULL && one_coll(out, sheet, rules, i, end) != 0)
            return -1;
        count++;
    }
    return count;
}

static char *text_of(const struct sheet *sheet,
                     const struct chorale_rules *rules)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int bad;

    if (out == NULL)
        return NULL;
    if (sheet->requests)
        fprintf(out, "%s\n", VERSION_2);
    if (sheet->han)
        fprintf(out, "# For the component han: the component that serves a"
                     " call on several nodes.\n");
    fprintf(out, "%d # collectives\n", all_colls(NULL, sheet, rules));
    bad = all_colls(out, sheet, rules) < 0;
    if (fclose(out) == 0 && !bad)
        return text;
    free(text);
    return NULL;
}

static enum chorale_err emit(const struct chorale_rules *rules,
                             struct chorale_rule_files *files,
                             struct chorale_errmsg *msg)
{
    const int han = chorale_ompi_version(rules) >= 5 &&
                    all_colls(NULL, &han_sheet, rules) > 0;
    struct sheet tuned_sheet = {
        0, 0, "from, algorithm, fan-out, segment", tuned_key, tuned_rule,
    };

    for (size_t i = 0; i < rules->count; i++)
        if (rules->rule[i].left == NULL &&
            chorale_ompi_numbers(rules->rule[i].coll, rules->rule[i].name)
                    .requests > 0)
            tuned_sheet.requests = 1;
    if (tuned_sheet.requests)
        tuned_sheet.columns = "from, algorithm, fan-out, segment, requests";
    files->text[0] = text_of(&tuned_sheet, rules);
    if (han)
        files->text[1] = text_of(&han_sheet, rules);
    return files->text[0] != NULL && (!han || files->text[1] != NULL)
               ? CHORALE_OK
               : chorale_fail_memory(msg, "generate");
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
    long coll, size, from, algorithm, fanout, segment, requests;
    char component[16], han[32]; /* in the file for han */
};

struct reader {
    struct entry *entry;
    size_t count;
    struct reader *han;      /* the rules of the file for han, or NULL */
    int is_han;
    int requests;            /* of version 2 */
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

static int next_algorithm(struct cursor *c, struct entry *entry, int requests)
{
    entry->requests = 0;
    return next_number(c, &entry->algorithm) == 0 &&
                   next_number(c, &entry->fanout) == 0 &&
                   next_number(c, &entry->segment) == 0 &&
                   (!requests || next_number(c, &entry->requests) == 0)
               ? 0
               : -1;
}

/* Read "tuned", "han" or "han @ALGORITHM" in the rest of a line. */
static int next_component(struct cursor *c, struct entry *entry)
{
    int used = 0;

    entry->han[0] = '\0';
    if (sscanf(c->at, " %15[a-z]%n", entry->component, &used) != 1)
        return -1;
    c->at += used;
    used = 0;
    if (sscanf(c->at, " @%31[a-z]%n", entry->han, &used) == 1)
        c->at += used;
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
            (reader->is_han ? next_component(c, entry)
                            : next_algorithm(c, entry, reader->requests)) !=
                0 ||
            entry->from < before + !reader->is_han ||
            (i == 0 && entry->from != 0) ||
            add_entry(reader, entry) != 0)
            return -1;
        before = entry->from;
    }
    return count > 0 ? 0 : -1;
}

static int read_all(struct cursor *c, struct reader *reader)
{
    long colls, sizes, before, levels, level;
    struct entry entry = { 0 };

    if (next_number(c, &colls) != 0)
        return -1;
    for (long i = 0; i < colls; i++) {
        if (next_number(c, &entry.coll) != 0 || entry.coll > 16 ||
            (reader->is_han &&
             (next_number(c, &levels) != 0 || next_number(c, &level) != 0 ||
              levels != 1 || level != 2)) ||
            next_number(c, &sizes) != 0)
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

    if (reader == NULL)
        return;
    release(reader->han);
    free(reader->entry);
    free(reader);
}

static enum chorale_err read_one(const char *text, int is_han,
                                 struct reader **reader_p,
                                 struct chorale_errmsg *msg)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    struct cursor c = { text, 1 };

    if (reader == NULL)
        return chorale_fail_memory(msg, "generate");
    reader->is_han = is_han;
    reader->requests = strncmp(text, VERSION_2, strlen(VERSION_2)) == 0;
    if (reader->requests)
        c.at += strlen(VERSION_2);
    *reader_p = reader;
    if (read_all(&c, reader) != 0)
        return chorale_fail(msg, CHORALE_DATA, "the written file is not "
                            "valid for Open MPI at line %d; repeat the "
                            "command, report it if it recurs", c.line);
    return CHORALE_OK;
}

static enum chorale_err read_text(const struct chorale_rule_files *files,
                                  void **reader_p, struct chorale_errmsg *msg)
{
    struct reader *reader = NULL;
    enum chorale_err err = read_one(files->text[0], 0, &reader, msg);

    if (err == CHORALE_OK && files->text[1] != NULL)
        err = read_one(files->text[1], 1, &reader->han, msg);
    *reader_p = reader;
    return err;
}

/* The rule for a call, or NULL. */
static const struct entry *look_up(const struct reader *reader,
                                   enum chorale_coll coll, long ranks,
                                   long key)
{
    const struct entry *is = NULL;

    for (size_t i = 0; i < reader->count; i++) {
        const struct entry *e = &reader->entry[i];

        if (e->coll != chorale_ompi_id(coll))
            continue;
        if (is == NULL && e->size > ranks)
            ranks = e->size; /* also applies to fewer ranks */
        if (e->size <= ranks && e->from <= key &&
            (is == NULL || e->size >= is->size))
            is = e;
    }
    return is;
}

/* 1 if han serves a call on several nodes as decided. */
static int han_agrees(const struct reader *han,
                      const struct chorale_rule_point *point,
                      const char *name, char *got, size_t size)
{
    const int tuned = chorale_ompi_find(point->coll, name) != NULL;
    const char *wanted =
        chorale_ompi_is_han(name) ? name + CHORALE_OMPI_HAN : "";
    const struct entry *is =
        look_up(han, point->coll, point->comm_size,
                (long)chorale_ompi_han_key(point->coll, point->comm_size,
                                           point->n));

    snprintf(got, size, "component %s %s", is != NULL ? is->component : "han",
             is != NULL ? is->han : "");
    if (is == NULL)
        return !tuned && *wanted == '\0';
    return strcmp(is->component, tuned ? "tuned" : "han") == 0 &&
           strcmp(is->han, wanted) == 0;
}

static int agrees(const void *arg, const struct chorale_rule_point *point,
                  const char *name, char *got, size_t size)
{
    const struct reader *reader = arg;
    const struct chorale_ompi_numbers want =
        chorale_ompi_numbers(point->coll, name);
    const struct entry *is =
        look_up(reader, point->coll, point->comm_size,
                chorale_ompi_key(point->coll) != CHORALE_OMPI_NONE
                    ? (long)tuned_key(point->coll, point->comm_size, point->n)
                    : 0);

    if (reader->han != NULL && point->ppn_nodes > 0 &&
        chorale_ompi_han_serves(point->coll) &&
        !han_agrees(reader->han, point, name, got, size))
        return 0;
    if (is == NULL || is->algorithm == 0) {
        snprintf(got, size, "the library's own decision");
        return want.algorithm == 0;
    }
    snprintf(got, size, "algorithm %ld, fan-out %ld, segment %ld, requests %ld",
             is->algorithm, is->fanout, is->segment, is->requests);
    return is->algorithm == want.algorithm && is->fanout == want.fanout &&
           is->segment == want.segment && is->requests == want.requests;
}

const struct chorale_rule_format chorale_rules_ompi_classic = {
    .format = "ompi-rules",
    .library = "Open MPI",
    .suffix = { ".conf", ".han.conf" },
    .variable = { "OMPI_MCA_coll_tuned_dynamic_rules_filename",
                  "OMPI_MCA_coll_han_dynamic_rules_filename" },
    .setting = { "OMPI_MCA_coll_tuned_use_dynamic_rules=1",
                 "OMPI_MCA_coll_han_use_dynamic_file_rules=1" },
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
    .warn = chorale_ompi_warn,
    .prepare = prepare,
    .emit = emit,
    .read = read_text,
    .agrees = agrees,
    .release = release,
};
