/* SPDX-License-Identifier: BSD-3-Clause */
/* ompi_rules.c - Open MPI rules files, classic and JSON, select the decided
 * algorithm on both sides of every border of n and of process counts, with the
 * size key of each collective. The test parses the files as the library does,
 * so that Open MPI need not be installed. IDs are those of its sources. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/verb.h"

#define END 9223372036854775807LL

/* Collectives: ID, two algorithms, and the size key of rules: n, the mean block
 * of the ranks, or none. */
static const struct coll {
    const char *name;
    int id, dense;           /* 0: rules have no size key */
    enum { N, MEAN } key;
    const char *dtype, *op;
    struct {
        const char *name;
        int id, fanout;
    } alg[2];
} colls[] = {
    { "allgather", 0, 1, N, "byte", "", { { "bruck", 2, 0 },
                                          { "ring", 4, 0 } } },
    { "allgatherv", 1, 1, MEAN, "byte", "", { { "bruck", 2, 0 },
                                              { "ring", 3, 0 } } },
    { "allreduce", 2, 1, N, "double", "sum",
      { { "recursive_doubling", 3, 0 }, { "rabenseifner", 6, 0 } } },
    { "alltoall", 3, 1, N, "byte", "", { { "pairwise", 2, 0 },
                                         { "linear_sync", 4, 0 } } },
    { "bcast", 7, 1, N, "byte", "", { { "chain", 2, 4 },
                                      { "binomial", 6, 0 } } },
    { "reduce", 11, 1, N, "double", "sum", { { "linear", 1, 0 },
                                             { "in-order_binary", 6, 0 } } },
    { "reduce_scatter", 12, 1, N, "double", "sum",
      { { "non-overlapping", 1, 0 }, { "butterfly", 4, 0 } } },
    { "reduce_scatter_block", 13, 1, N, "double", "sum",
      { { "basic_linear", 1, 0 }, { "recursive_doubling", 2, 0 } } },
    { "alltoallv", 4, 0, N, "byte", "", { { "basic_linear", 1, 0 },
                                          { "pairwise", 2, 0 } } },
    { "barrier", 6, 0, N, "byte", "", { { "double_ring", 2, 0 },
                                        { "tree", 6, 0 } } },
    { "gather", 9, 0, N, "byte", "", { { "basic_linear", 1, 0 },
                                       { "binomial", 2, 0 } } },
    { "scatter", 15, 0, N, "byte", "", { { "binomial", 2, 0 },
                                         { "linear_nb", 3, 0 } } },
    { "scan", 14, 0, N, "double", "sum", { { "linear", 1, 0 },
                                           { "recursive_doubling", 2, 0 } } },
    { "exscan", 8, 0, N, "double", "sum",
      { { "linear", 1, 0 }, { "recursive_doubling", 2, 0 } } },
};

enum { COLLS = sizeof(colls) / sizeof(colls[0]), SIZES = 15 };

/* Placements: single node, one rank per node, two kinds of blocks. */
enum place { SINGLE, ONE, BLOCK2, BLOCK3, PLACES };
static const char *const shape_name[PLACES] = { "single-node", "one-per-node",
                                                "block", "block" };

/* Decisions for collectives with a size key; alg is an index in coll. */
static const struct row {
    int comm_size, last;
    enum place place;
    long long lo, hi;
    int alg;                 /* -1: the library's default */
} rows[] = {
    { 2, 2, SINGLE, 0, 0, 0 },
    { 2, 2, SINGLE, 1, 1, 1 },
    { 2, 2, SINGLE, 2, 2, 0 },
    { 2, 2, SINGLE, 4, 7, 1 },
    { 4, 4, SINGLE, 8, 100, 0 },
    { 4, 4, SINGLE, 101, 150, 1 },
    { 4, 4, SINGLE, 160, 4294967297, 0 },
    { 4, 4, SINGLE, 4294967298, END, 1 },
    { 5, 5, SINGLE, 13, 99, 1 },
    { 5, 5, SINGLE, 100, 120, -1 },
    { 5, 5, SINGLE, 121, 2147483647, 0 },
    { 7, 7, SINGLE, 0, 63, 0 },
    { 7, 7, SINGLE, 64, END, 1 },
    { 8, 8, ONE, 10, 49, 1 },
    { 9, 9, SINGLE, 10, 60, 0 },
    { 9, 9, ONE, 40, 80, 0 },
    { 9, 9, BLOCK2, 20, 50, 0 },
    { 9, 9, BLOCK2, 51, 90, 1 },
    { 9, 9, BLOCK3, 30, 70, 0 },
    { 9, 9, BLOCK3, 71, 95, 1 },
    { 10, 10, BLOCK2, 10, 50, 1 },
    { 11, 12, SINGLE, 16, 31, 1 },
    { 13, 13, SINGLE, 16, 32, 1 },
};

/* Sizes to check besides all small ones. */
static const long long large[] = {
    2147483646, 2147483647, 2147483648, 2147483649, 4294967294, 4294967295,
    4294967296, 4294967297, 4294967298, 4294967299, 4294967300, 4294967301,
    4294967302, 8589934592, END / 2,
};

enum { SMALL = 230, ASKED = SMALL + sizeof(large) / sizeof(large[0]) };

static long long asked(int i)
{
    return i < SMALL ? i : large[i - SMALL];
}

static void insert(struct fixture *f, const struct coll *c, int comm_size,
                   int last, enum place place, long long lo, long long hi,
                   int alg)
{
    int ppn = place == SINGLE ? comm_size : place == ONE ? 1 : (int)place;
    char *sql = sqlite3_mprintf(
        "INSERT INTO decision (system_id, target, coll, comm_size,"
        " comm_size_hi, ppn, shape, dtype, op, n_lo, n_hi, provider, variant,"
        " params, basis, reason) VALUES (1, 'rules', %Q, %d, %d, %d, %Q, %Q,"
        " %Q, %lld, %lld, %Q, %Q, '', 'measured', '')", c->name, comm_size,
        last, ppn, shape_name[place],
        c->dtype, c->op, lo, hi, alg < 0 ? "library" : "native",
        alg < 0 ? "default" : c->alg[alg].name);

    fixture_exec(f, sql);
    sqlite3_free(sql);
}

/* Insert decisions. A collective without a size key has one algorithm at 4
 * ranks and another at 5. */
static void decide(struct fixture *f)
{
    fixture_open(f, "ompi", 0);
    fixture_exec(f, "UPDATE system SET mpi_library = 'Open MPI v4.1.4'");
    for (int c = 0; c < COLLS; c++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            if (colls[c].dense)
                insert(f, &colls[c], rows[i].comm_size, rows[i].last,
                       rows[i].place, rows[i].lo, rows[i].hi, rows[i].alg);
            else if (i < 2)
                insert(f, &colls[c], 4 + (int)i, 0, SINGLE, 0,
                       strcmp(colls[c].name, "barrier") == 0 ? 0 : END,
                       (int)i);
}

/* --- decisions ------------------------------------------------------------ */

static int holds(const struct row *row, int comm_size, enum place place)
{
    return row->comm_size <= comm_size && comm_size <= row->last &&
           row->place == place;
}

/* Decision at one placement: the index of the algorithm, or -1. */
static int row_at(int comm_size, enum place place, long long n)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (holds(&rows[i], comm_size, place) && rows[i].lo <= n &&
            n <= rows[i].hi)
            return rows[i].alg;
    return -1;
}

static int decides(int comm_size, enum place place)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (holds(&rows[i], comm_size, place))
            return 1;
    return 0;
}

/* Decision on which all measured placements from first on agree, or -1. */
static int agreed(int comm_size, enum place first, long long n)
{
    int all = -1, any = 0;

    for (int p = (int)first; p < PLACES; p++) {
        int mine = row_at(comm_size, (enum place)p, n);

        if (!decides(comm_size, (enum place)p))
            continue;
        if (any && mine != all)
            return -1;
        all = mine;
        any = 1;
    }
    return all;
}

/* Decision as a format can express it. Placements before `told` are
 * distinguished. Sizes with the same key have the decision of the smallest. */
static int decided(const struct coll *c, int comm_size, enum place place,
                   enum place told, long long n)
{
    if (!c->dense)
        return place != SINGLE && told > SINGLE ? -1
               : comm_size == 4                 ? 0
               : comm_size == 5                 ? 1
                                                : -1;
    if (c->key == MEAN)
        n = n / comm_size * comm_size;
    return place < told ? row_at(comm_size, place, n)
                        : agreed(comm_size, told, n);
}

/* The size key that the library computes for a call. */
static long long key_of(const struct coll *c, int comm_size, long long n)
{
    return !c->dense ? 0 : c->key == MEAN ? n / comm_size : n;
}

struct got {
    long long alg, fanout, segment;
};

static int is_right(const struct coll *c, int want, const struct got *got)
{
    return want < 0 ? got->alg == 0
                    : got->alg == c->alg[want].id &&
                          got->fanout == c->alg[want].fanout &&
                          got->segment == 0;
}

/* --- the classic file ----------------------------------------------------- */

/* Parse the next number after comments and space; bail out without one. */
static long long number(const char **at)
{
    char *end;
    long long value;

    for (;;) {
        *at += strspn(*at, " \n\t");
        if (**at != '#')
            break;
        *at += strcspn(*at, "\n");
    }
    value = strtoll(*at, &end, 10);
    if (end == *at) {
        printf("Bail out! no number at '%.40s'\n", *at);
        exit(1);
    }
    *at = end;
    return value;
}

/* As ompi_coll_tuned_get_com_rule_ptr and
 * ompi_coll_tuned_get_target_method_params of coll_tuned_dynamic_rules.c: the
 * last process count not greater, then the last size not greater. Fewer ranks
 * than the first count use the first. */
static struct got classic(const char *at, int coll, int comm_size,
                          long long key)
{
    struct got best = { 0, 0, 0 };

    for (long long c = number(&at); c > 0; c--) {
        long long id = number(&at), sizes = number(&at);

        for (long long s = 0; s < sizes; s++) {
            long long ranks = number(&at), count = number(&at);
            int serves = id == coll && (s == 0 || ranks <= comm_size);

            if (serves)
                best = (struct got){ 0, 0, 0 };
            for (long long i = 0; i < count; i++) {
                long long from = number(&at);
                struct got got = { number(&at), 0, 0 };

                got.fanout = number(&at);
                got.segment = number(&at);
                if (serves && (i == 0 || from <= key))
                    best = got;
            }
        }
    }
    return best;
}

static enum chorale_err generate(struct fixture *f, const char *format,
                                 const char *output)
{
    struct chorale_errmsg msg;
    enum chorale_err err = fixture_verb(f, &chorale_verb_generate, &msg, "@db",
                                        "--format", format, "--no-check", "-o",
                                        output, (const char *)NULL);

    if (err != CHORALE_OK)
        tap_diag("%s", msg.text);
    return err;
}

static void test_classic(struct fixture *f)
{
    const char *text;

    tap_ok(generate(f, "ompi-rules", "@dir/r.conf") == CHORALE_OK,
           "the classic file is written");
    text = fixture_file(f, "r.conf");
    /* Row 2: n = 1 at P = 2. */
    tap_ok(strstr(text, "left to the library: ") != NULL &&
               strstr(text, "allgatherv ring, P = 2, ") == NULL,
           "a range without a whole mean block is not listed as left out");
    for (int c = 0; c < COLLS; c++) {
        const struct coll *coll = &colls[c];
        int wrong = 0, chosen = 0;

        for (int p = 1; p <= SIZES; p++)
            for (int i = 0; i < ASKED; i++) {
                long long n = asked(i);
                int want = decided(coll, p, SINGLE, SINGLE, n);
                struct got got = classic(text, coll->id, p,
                                         key_of(coll, p, n));

                chosen += want >= 0;
                if (is_right(coll, want, &got))
                    continue;
                if (wrong++ < 3)
                    tap_diag("P = %d, n = %lld: %lld, wanted %d", p, n,
                             got.alg, want < 0 ? 0 : coll->alg[want].id);
            }
        tap_ok(wrong == 0 && chosen > 0,
               "classic %s: right on both sides of each"
               " border", coll->name);
    }
}

/* --- the file for the component han -------------------------------------- */

/* 1 if the file lets tuned serve a call on several nodes. As get_dynamic_rule
 * of coll_han_dynamic.c: the last process count and the last size that are not
 * greater. Without a collective, han passes the call on. */
static int tuned_serves(const char *at, const struct coll *c, int comm_size,
                        long long n)
{
    long long key = c->dense || strcmp(c->name, "barrier") == 0 ? n : 0;
    int tuned = 0;

    if (strcmp(c->name, "allgather") == 0)
        key = n / comm_size;
    for (long long left = number(&at); left > 0; left--) {
        long long id = number(&at), levels = number(&at), level = number(&at);

        if (levels != 1 || level != 2)
            return -1;
        for (long long sizes = number(&at); sizes > 0; sizes--) {
            long long ranks = number(&at), count = number(&at);
            int serves = id == c->id && ranks <= comm_size;

            for (; count > 0; count--) {
                long long from = number(&at);

                at += strspn(at, " ");
                if (serves && from <= key)
                    tuned = strncmp(at, "tuned", 5) == 0;
                at += strcspn(at, "\n");
            }
        }
    }
    return tuned;
}

static int decides_on_nodes(int comm_size)
{
    for (int p = ONE; p < PLACES; p++)
        if (decides(comm_size, (enum place)p))
            return 1;
    return 0;
}

static void test_han(struct fixture *f)
{
    const char *text;
    int found = 0;

    fixture_exec(f, "UPDATE system SET mpi_library = 'Open MPI v5.0.7'");
    tap_ok(generate(f, "ompi-rules", "@dir/h.conf") == CHORALE_OK,
           "rules for version 5 are written");
    tap_ok(strstr(fixture_file(f, "h.conf"),
                  "# In this file these are the rules for P = 2, 5.\n") != NULL,
           "the rules that apply within the default of han are named");
    text = fixture_file(f, "h.han.conf");
    for (int c = 0; c < COLLS; c++) {
        const struct coll *coll = &colls[c];
        int wrong = 0, chosen = 0;

        if (strcmp(coll->name, "allgather") != 0 &&
            strcmp(coll->name, "allreduce") != 0 &&
            strcmp(coll->name, "bcast") != 0 &&
            strcmp(coll->name, "reduce") != 0)
            continue; /* not of han, or not decided on several nodes */
        found++;
        for (int p = 1; p <= SIZES; p++)
            for (int i = 0; i < ASKED; i++) {
                long long n = asked(i);
                int want = decided(coll, p, SINGLE, SINGLE, n) >= 0 &&
                           decides_on_nodes(p);

                if (strcmp(coll->name, "allgather") == 0 && n % p != 0)
                    continue; /* no call has this size */
                chosen += want;
                if (tuned_serves(text, coll, p, n) != want && wrong++ < 3)
                    tap_diag("P = %d, n = %lld: wanted %d", p, n, want);
            }
        tap_ok(wrong == 0 && chosen > 0,
               "han lets tuned serve %s exactly where a rule stands",
               coll->name);
    }
    tap_ok(found == 4 && strstr(text, "\n3 # alltoall") == NULL,
           "there are no rules for collectives that han lacks");
}

/* Rules for the sizes of communicators that han makes on 2 to 4 nodes of two
 * ranks. */
static void test_within(void)
{
    struct fixture f;

    fixture_open(&f, "within", 0);
    fixture_exec(&f, "UPDATE system SET mpi_library = 'Open MPI v5.0.7'");
    for (int c = 0; c < COLLS; c++)
        if (strcmp(colls[c].name, "bcast") == 0) {
            insert(&f, &colls[c], 2, 4, SINGLE, 0, 100, 0);
            insert(&f, &colls[c], 6, 6, BLOCK2, 0, 100, 1);
            insert(&f, &colls[c], 8, 8, BLOCK2, 0, 100, 1);
        }
    tap_ok(generate(&f, "ompi-rules", "@dir/w.conf") == CHORALE_OK &&
               strstr(fixture_file(&f, "w.conf"),
                      "# In this file these are the rules for P = 2-4.\n") !=
                   NULL,
           "consecutive numbers of ranks are named as a range");
    fixture_close(&f);
}

/* --- parameters ----------------------------------------------------------- */

/* Whether the file that is written for a version of the library has a text. */
static int writes(struct fixture *f, const char *version, const char *text)
{
    char *sql = sqlite3_mprintf("UPDATE system SET mpi_library = %Q", version);
    const char *got;

    fixture_exec(f, sql);
    sqlite3_free(sql);
    if (generate(f, "ompi-rules", "@dir/p.conf") != CHORALE_OK)
        return 0;
    got = fixture_file(f, "p.conf");
    if (strstr(got, text) != NULL)
        return 1;
    tap_diag("no '%s' in %s", text, got);
    return 0;
}

static void test_params(void)
{
    static const char four[] = "Open MPI v4.1.4", five[] = "Open MPI v5.0.7";
    struct fixture f;

    fixture_open(&f, "params", 0);
    for (int c = 0; c < COLLS; c++)
        if (strcmp(colls[c].name, "bcast") == 0)
            insert(&f, &colls[c], 4, 4, SINGLE, 1000, 2000, 0);
        else if (strcmp(colls[c].name, "alltoall") == 0)
            insert(&f, &colls[c], 4, 4, SINGLE, 1000, 2000, 1);
    fixture_exec(&f, "UPDATE decision SET params = 'fanout=8'"
                     " WHERE variant = 'chain'");
    tap_ok(writes(&f, four, "\n1000 2 8 0 # chain:fanout=8"),
           "a rule has the fan-out");
    fixture_exec(&f, "UPDATE decision SET params = 'segsize=8192'"
                     " WHERE variant = 'chain'");
    tap_ok(writes(&f, four, "\n1000 2 4 8192 # chain:segsize=8192"),
           "and the segment size");
    fixture_exec(&f, "UPDATE decision SET params = 'maxreq=3'"
                     " WHERE variant = 'linear_sync'");
    tap_ok(writes(&f, four, "alltoall linear_sync:maxreq=3, P = 4, 4 a node,"
                            " n = 1000 ... 2000: the rules of this version"),
           "version 4 has no maximum of requests");
    tap_ok(writes(&f, five, "\n1000 4 0 0 3 # linear_sync:maxreq=3") &&
               strncmp(fixture_file(&f, "p.conf"), "rule-file-version-2\n#",
                       21) == 0,
           "from version 5 on a file of version 2 has it");
    tap_ok(writes(&f, five, "\n1000 2 4 8192 0 # chain:segsize=8192"),
           "whose other rules have no limit");
    fixture_exec(&f, "UPDATE decision SET variant = 'knomial',"
                     " params = 'radix=8' WHERE variant = 'chain'");
    tap_ok(writes(&f, five, "bcast knomial:radix=8, P = 4, 4 a node, n = 1000"
                            " ... 2000: no rule sets the radix"),
           "no version has the radix");
    fixture_exec(&f, "UPDATE decision SET variant = 'allgather_reduce',"
                     " params = '' WHERE variant = 'knomial'");
    tap_ok(writes(&f, five, "bcast allgather_reduce, P = 4, 4 a node, n = 1000"
                            " ... 2000: its number in the format is not") &&
               strstr(fixture_file(&f, "p.conf"),
                      "\n1000 4 0 0 3 # linear_sync:maxreq=3") != NULL,
           "an algorithm that is not known is left out, others are not");
    fixture_close(&f);
}

/* --- the JSON file -------------------------------------------------------- */

static long long value(json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static int fits(json_t *entry, int comm_size, enum place place)
{
    const char *word =
        json_string_value(json_object_get(entry, "comm_rank_distribution"));

    return word != NULL && value(entry, "comm_size_min") <= comm_size &&
           value(entry, "comm_size_max") >= comm_size &&
           (strcmp(word, "any") == 0 || strcmp(word, shape_name[place]) == 0);
}

/* The first entry that fits the communicator, and in it the first rule that
 * fits the size. */
static struct got json(json_t *all, const char *coll, int comm_size,
                       enum place place, long long key)
{
    json_t *list = json_object_get(json_object_get(all, "collectives"), coll);
    json_t *entry, *rule, *rules = NULL;
    size_t i;

    json_array_foreach(list, i, entry)
        if (rules == NULL && fits(entry, comm_size, place))
            rules = json_object_get(entry, "rules");
    json_array_foreach(rules, i, rule) {
        json_t *max = json_object_get(rule, "msg_size_max");

        if (value(rule, "msg_size_min") <= key &&
            (json_is_string(max) || json_integer_value(max) >= key))
            return (struct got){ value(rule, "alg"), value(rule, "faninout"),
                                 value(rule, "seg_size") };
    }
    return (struct got){ 0, 0, 0 };
}

static void test_json(struct fixture *f)
{
    json_t *all;

    tap_ok(generate(f, "ompi-json", "@dir/r.json") == CHORALE_OK,
           "the JSON file is written");
    all = json_loads(fixture_file(f, "r.json"), 0, NULL);
    for (int c = 0; c < COLLS; c++) {
        const struct coll *coll = &colls[c];
        int wrong = 0, chosen = 0;

        for (int p = 1; p <= SIZES; p++)
            for (int i = 0; i < ASKED * PLACES; i++) {
                enum place place = (enum place)(i % PLACES);
                long long n = asked(i / PLACES);
                int want = decided(coll, p, place, BLOCK2, n);
                struct got got = json(all, coll->name, p, place,
                                      key_of(coll, p, n));

                chosen += want >= 0;
                if (is_right(coll, want, &got))
                    continue;
                if (wrong++ < 3)
                    tap_diag("P = %d, %s, n = %lld: %lld, wanted %d", p,
                             shape_name[place], n, got.alg,
                             want < 0 ? 0 : coll->alg[want].id);
            }
        tap_ok(wrong == 0 && chosen > 0,
               "JSON %s: right on both sides of each border",
               coll->name);
    }
    json_decref(all);
}

int main(void)
{
    struct fixture f;

    decide(&f);
    test_classic(&f);
    test_json(&f);
    test_han(&f);
    fixture_close(&f);
    test_within();
    test_params();
    return tap_done();
}
