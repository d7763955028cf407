/* SPDX-License-Identifier: BSD-3-Clause */
/* write_c.c - a generated C table compiles alone, selects as the decisions
 * state on both sides of every border, and is reproducible byte for byte.
 * hostile.t has names that try to become code. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/table/table.h"
#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/verb.h"
#include "tuner/emit/compile_c.h"
#include "tuner/emit/verify_c.h"

static const char strict[] =
    "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wmissing-prototypes"
    " -Wstrict-prototypes -Wshadow -Werror";

static void decision(struct fixture *f, const char *coll, int comm_size,
                     const char *shape, const char *dtype, const char *op,
                     long lo, long hi, const char *variant)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO decision (system_id, coll, comm_size, ppn, shape, dtype,"
        " op, n_lo, n_hi, provider, variant, params, basis, reason) VALUES"
        " (1, %Q, %d, 1, %Q, %Q, %Q, %ld, %ld, %Q, %Q, '', 'measured', '')",
        coll, comm_size, shape, dtype, op, lo, hi,
        strcmp(variant, "default") == 0 ? "library" : "chorale", variant);

    fixture_exec(f, sql);
    sqlite3_free(sql);
}

/* Set ppn of the last decision. */
static void at_ppn(struct fixture *f, int ppn)
{
    char sql[160];

    snprintf(sql, sizeof(sql), "UPDATE decision SET ppn = %d WHERE decision_id"
             " = (SELECT max(decision_id) FROM decision)", ppn);
    fixture_exec(f, sql);
}

static enum chorale_err generate(struct fixture *f, const char *output,
                                 struct chorale_errmsg *msg)
{
    return fixture_verb(f, &chorale_verb_generate, msg, "@db", "--format",
                        "c", "-o", output, (const char *)NULL);
}

static int compile(const char *cc, const char *options, const char *dir,
                   const char *from, const char *to)
{
    char command[1024];

    snprintf(command, sizeof(command), "%s %s -o %s/%s %s/%s", cc, options,
             dir, to, dir, from);
    return system(command) == 0;
}

static const char *compiler(void)
{
    const char *cc = getenv("CC");

    return cc != NULL && *cc != '\0' ? cc : "cc";
}

/* Load the table compiled from table.c of the folder. */
static const struct chorale_table *load(struct fixture *f, void **lib_p)
{
    char path[256];

    snprintf(path, sizeof(path), "./%s/table.so", f->dir);
    *lib_p = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*lib_p == NULL) {
        tap_diag("%s", dlerror());
        return NULL;
    }
    return dlsym(*lib_p, "chorale_table");
}

static const struct chorale_selector *
selector(const struct chorale_table *table, const char *coll)
{
    for (int i = 0; i < table->nselector; i++)
        if (strcmp(table->selector[i].coll, coll) == 0)
            return &table->selector[i];
    return NULL;
}

/* The decision at a point, by SQL. */
static const char *by_rows(struct fixture *f, const char *coll, int comm_size,
                           unsigned long long n)
{
    char sql[512];
    const char *variant;

    snprintf(sql, sizeof(sql), "SELECT variant FROM decision WHERE coll ="
             " '%s' AND %d BETWEEN comm_size AND max(comm_size, comm_size_hi)"
             " AND n_lo <= %llu AND n_hi >= %llu AND target = 'dispatch'",
             coll, comm_size, n, n);
    variant = fixture_text(f, sql);
    return *variant != '\0' ? variant : "default";
}

/* Check n - 1, n, n + 1 at P - 1, P, P + 1. Returns the wrong answers. */
static int wrong_at(struct fixture *f, const struct chorale_selector *s,
                    int comm_size, size_t border)
{
    int wrong = 0;

    for (int p = comm_size - 1; p <= comm_size + 1; p++)
        for (int d = -1; d <= 1; d++) {
            size_t n = border + (size_t)d;
            const struct chorale_choice *c = s->select(n, p);
            const struct chorale_choice *one =
                s->select_shape(n, p, CHORALE_SHAPE_ONE_PER_NODE);

            if (border == 0 && d < 0)
                continue;
            if (c == NULL || one != c ||
                strcmp(c->variant, by_rows(f, s->coll, p, n)) != 0) {
                tap_diag("%s P = %d n = %zu: %s", s->coll, p, n,
                         c != NULL ? c->variant : "NULL");
                wrong++;
            }
        }
    return wrong;
}

static void test_answers(struct fixture *f, const struct chorale_table *table)
{
    static const size_t border[] = { 0, 8, 512, 513, 4096, 4097, 65536, 65537,
                                     8589934592u, 8589934593u };
    const struct chorale_selector *bcast = selector(table, "bcast");
    int wrong = 0;

    for (size_t i = 0; i < sizeof(border) / sizeof(border[0]); i++)
        for (int p = 2; p <= 33; p++)
            wrong += wrong_at(f, bcast, p, border[i]);
    tap_ok(wrong == 0, "at every border the table selects as decided");
    tap_ok(bcast->select((size_t)-1, 8) == &table->choice[0] &&
           bcast->select(8, 0) == &table->choice[0] &&
           bcast->select(8, -2147483647 - 1) == &table->choice[0] &&
           bcast->select(8, 2147483647) == &table->choice[0],
           "absurd arguments select the library");
    wrong = table->nselector != CHORALE_NCOLL;
    for (int i = 0; i < table->nselector; i++) {
        wrong += chorale_coll_find(table->selector[i].coll) != i;
        wrong += table->selector[i].select(1, 3) != &table->choice[0];
    }
    tap_ok(wrong == 0, "every collective has a selector; the unmeasured P = 3"
           " selects the library");
    for (int i = 0; i < table->nchoice; i++)
        wrong += table->choice[i].index != i;
    tap_ok(wrong == 0 && strcmp(table->choice[0].provider, "library") == 0 &&
           strcmp(table->choice[0].variant, "default") == 0,
           "choice 0 is the library, and indices are positions");
    tap_ok(table->abi == CHORALE_TABLE_ABI && strlen(table->digest) == 16 &&
           strcmp(table->campaign,
                  "01234567-89ab-cdef-0123-456789abcdef") == 0 &&
           strcmp(table->mpi_library, "An MPI 1.0") == 0 &&
           strstr(table->coverage, "bcast: P = 4, 8") != NULL,
           "the table has campaign, library and coverage: %s", table->coverage);
}

/* Decisions at two and at eight ranks per node: each ppn has its own; in
 * between the choice must agree with both; all else selects the library. */
static void test_ppn(void)
{
    struct fixture f;
    struct chorale_errmsg msg;
    const struct chorale_table *table;
    void *lib = NULL;

    fixture_open(&f, "two placements", 0);
    decision(&f, "bcast", 16, "block", "byte", "", 8, 512, "binomial");
    at_ppn(&f, 2);
    decision(&f, "bcast", 16, "block", "byte", "", 513, 4096, "linear");
    at_ppn(&f, 2);
    decision(&f, "bcast", 16, "block", "byte", "", 8, 64, "linear");
    at_ppn(&f, 8);
    decision(&f, "bcast", 16, "block", "byte", "", 65, 4096, "binomial");
    at_ppn(&f, 8);
    decision(&f, "bcast", 16, "one-per-node", "byte", "", 8, 4096, "chain");
    at_ppn(&f, 1);
    fixture_exec(&f, "UPDATE decision SET params = 'fanout=2,segsize=0'"
                 " WHERE variant = 'chain'");
    decision(&f, "gather", 16, "one-per-node", "byte", "", 8, 4096, "linear");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           compile(compiler(), strict, f.dir, "table.c -c", "table.o") &&
           compile(compiler(), "-shared -fPIC", f.dir, "table.c", "table.so"),
           "a table of two and eight ranks per node compiles %s", msg.text);
    table = load(&f, &lib);
    if (tap_ok(table != NULL,
               "a table of two and eight ranks per node is loaded")) {
        const struct chorale_selector *s = selector(table, "bcast");
        const struct chorale_selector *g = selector(table, "gather");
        const struct {
            int ppn;
            size_t n;
            const char *variant;
        } row[] = {
            { 2, 8, "binomial" },   { 2, 512, "binomial" },
            { 2, 513, "linear" },   { 2, 4097, "default" },
            { 8, 8, "linear" },     { 8, 64, "linear" },
            { 8, 65, "binomial" },  { 8, 4096, "binomial" },
            { 4, 8, "default" },    { 4, 65, "binomial" },
            { 4, 512, "binomial" }, { 4, 513, "default" },
            { 0, 65, "binomial" },  { 0, 8, "default" },
            { 1, 65, "default" },   { 16, 65, "default" },
            { -2, 65, "binomial" }, { 2147483647, 65, "default" },
        };

        for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
            const char *got = s->select_ppn(row[i].n, 16, CHORALE_SHAPE_BLOCK,
                                            row[i].ppn)->variant;

            tap_ok(strcmp(got, row[i].variant) == 0,
                   "%d ranks per node, n = %zu: %s",
                   row[i].ppn, row[i].n, got);
        }
        tap_ok(s->select_ppn(65, 15, CHORALE_SHAPE_BLOCK, 8)->index == 0 &&
               s->select_shape(65, 16, CHORALE_SHAPE_BLOCK) ==
                   s->select_ppn(65, 16, CHORALE_SHAPE_BLOCK, 0),
               "another P selects the library; a shape alone means any ppn");
        tap_ok(strcmp(s->select_ppn(65, 16, CHORALE_SHAPE_ONE_PER_NODE,
                                    0)->variant, "chain") == 0 &&
               strcmp(s->select_ppn(65, 16, CHORALE_SHAPE_ONE_PER_NODE,
                                    8)->variant, "chain") == 0,
               "one rank per node is a shape of its own");
        tap_ok(g->select_ppn(65, 16, CHORALE_SHAPE_BLOCK, 8)->index == 0 &&
               strcmp(g->select_ppn(65, 16, CHORALE_SHAPE_ONE_PER_NODE,
                                    1)->variant, "linear") == 0,
               "blocks select the library if no block was measured");
        dlclose(lib);
    }
    fixture_close(&f);
}

static void test_shapes(const struct chorale_table *table)
{
    const struct chorale_selector *g = selector(table, "gather");
    const struct chorale_selector *a = selector(table, "allreduce");

    tap_ok(strcmp(g->select_shape(100, 4, CHORALE_SHAPE_BLOCK)->variant,
                  "binomial") == 0 &&
           strcmp(g->select_shape(100, 4, CHORALE_SHAPE_SINGLE_NODE)->variant,
                  "linear") == 0 &&
           g->select(100, 4)->index == 0,
           "where shapes disagree an unknown shape selects the library");
    tap_ok(strcmp(g->select(300, 4)->variant, "binomial") == 0,
           "where shapes agree an unknown shape selects their choice");
    tap_ok(g->select_shape(300, 4, CHORALE_SHAPE_CYCLIC)->index == 0 &&
           g->select_shape(300, 4, (enum chorale_shape)99) ==
               g->select(300, 4), "an unmeasured shape selects the library");
    tap_ok(strcmp(a->select(100, 4)->variant, "recursive_doubling") == 0,
           "a reduction is represented by double and sum");
}

static void test_good(void)
{
    struct chorale_errmsg msg;
    struct fixture f;
    const struct chorale_table *table;
    char command[256];
    void *lib = NULL;

    fixture_open(&f, "good", 1);
    decision(&f, "bcast", 4, "one-per-node", "byte", "", 8, 512, "linear");
    decision(&f, "bcast", 4, "one-per-node", "byte", "", 513, 4096,
             "binomial");
    decision(&f, "bcast", 4, "one-per-node", "byte", "", 65536, 65536,
             "linear");
    decision(&f, "bcast", 8, "one-per-node", "byte", "", 0, 4096, "default");
    decision(&f, "bcast", 8, "one-per-node", "byte", "", 4097, 8589934592,
             "scatter_ring_allgather");
    decision(&f, "bcast", 16, "one-per-node", "byte", "", 8, 65536,
             "default");
    decision(&f, "bcast", 17, "one-per-node", "byte", "", 8, 4096, "linear");
    decision(&f, "bcast", 24, "one-per-node", "byte", "", 8, 4096, "linear");
    decision(&f, "bcast", 26, "one-per-node", "byte", "", 8, 512, "binomial");
    decision(&f, "bcast", 26, "one-per-node", "byte", "", 513, 4096,
             "linear");
    fixture_exec(&f, "UPDATE decision SET comm_size_hi = comm_size + 6,"
                 " basis = 'modelled' WHERE comm_size IN (17, 26)");
    decision(&f, "bcast", 16, "one-per-node", "byte", "", 65537, 65539,
             "binomial");
    fixture_exec(&f, "UPDATE decision SET target = 'rules', n_lo = 9,"
                 " provider = 'native' WHERE n_lo = 65537");
    decision(&f, "gather", 4, "block", "byte", "", 100, 400, "binomial");
    decision(&f, "gather", 4, "single-node", "byte", "", 100, 199, "linear");
    decision(&f, "gather", 4, "single-node", "byte", "", 200, 400,
             "binomial");
    decision(&f, "allreduce", 4, "block", "double", "max", 8, 400,
             "reduce_bcast");
    decision(&f, "allreduce", 4, "block", "double", "sum", 8, 400,
             "recursive_doubling");
    decision(&f, "allreduce", 4, "block", "byte", "sum", 8, 400,
             "reduce_bcast");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK, "generated %s",
           msg.text);
    tap_ok(mkdir("unit-emit-again", 0700) == 0 &&
           generate(&f, "unit-emit-again/table.c", &msg) == CHORALE_OK,
           "the table is generated again %s", msg.text);
    snprintf(command, sizeof(command), "cmp %s/table.c"
             " unit-emit-again/table.c && cmp %s/table.h"
             " unit-emit-again/table.h; r=$?; rm -r unit-emit-again; exit $r",
             f.dir, f.dir);
    tap_ok(system(command) == 0, "the same database gives the same bytes");
    tap_ok(compile(compiler(), strict, f.dir, "table.c -c", "table.o"),
           "the table compiles alone without a warning");
    snprintf(command, sizeof(command), "%s -x c -fsyntax-only", strict);
    tap_ok(compile(compiler(), command, f.dir, "table.h", "table.h.o"),
           "its header compiles alone without a warning");
    tap_ok(system("clang --version > clang.out 2>&1; r=$?; rm clang.out;"
                  " exit $r") != 0 ||
           compile("clang", strict, f.dir, "table.c -c", "table.o"),
           "clang, if installed, compiles it without a warning");
    tap_ok(compile(compiler(), "-shared -fPIC", f.dir, "table.c", "table.so"),
           "it compiles as a shared object");
    table = load(&f, &lib);
    if (tap_ok(table != NULL, "the shared object is loaded")) {
        test_answers(&f, table);
        test_shapes(table);
        dlclose(lib);
    }
    fixture_close(&f);
}

static void test_errors(void)
{
    struct chorale_errmsg msg;
    struct fixture f;
    char command[256];

    fixture_open(&f, "s", 0);
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_DATA &&
           strstr(msg.text, "chorale decide") != NULL,
           "a database without decisions is refused: %s", msg.text);
    decision(&f, "bcast", 4, "block", "byte", "", 8, 512, "binomial");
    tap_ok(generate(&f, "@dir/none/table.c", &msg) == CHORALE_ENV,
           "a missing folder is an error: %s", msg.text);
    snprintf(command, sizeof(command), "mkdir %s/blocked.h", f.dir);
    tap_ok(system(command) == 0 &&
           generate(&f, "@dir/blocked.c", &msg) == CHORALE_ENV,
           "a header that cannot be replaced is an error: %s", msg.text);
    snprintf(command, sizeof(command), "test \"$(ls %s)\" = \"$(printf"
             " 'blocked.h\\nout.txt\\nresults.db\\nresults.db.lock')\"", f.dir);
    tap_ok(system(command) == 0, "a failure leaves no file behind");
    fixture_close(&f);
}

/* A table decided by another build of the command. */
static void test_unknown(void)
{
    struct chorale_errmsg msg;
    struct fixture f;

    fixture_open(&f, "s", 0);
    decision(&f, "bcast", 4, "block", "byte", "", 8, 512, "binomial");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           !fixture_output_has(&f, "unknown"),
                                   "known variants are not reported");
    decision(&f, "bcast", 4, "block", "byte", "", 513, 600, "sextuple");
    decision(&f, "gather", 4, "block", "byte", "", 513, 600, "sextuple");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           fixture_output_has(&f, "unknown: 2 decisions"),
           "decisions with unknown variants are reported");
    fixture_close(&f);
}

/* --- the check before a file is installed- ------------------------------ */

/* Insert a decision with its process counts, ppn, shape and sizes. */
static void placed(struct fixture *f, const char *coll, int from, int to,
                   int ppn, const char *shape, long long lo, long long hi,
                   const char *variant)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO decision (system_id, coll, comm_size, comm_size_hi, ppn,"
        " shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,"
        " reason) VALUES (1, %Q, %d, %d, %d, %Q, 'byte', '', %lld, %lld,"
        " %Q, %Q, '', 'measured', '')", coll, from, to, ppn, shape, lo, hi,
        strcmp(variant, "default") == 0 ? "library" : "chorale", variant);

    fixture_exec(f, sql);
    sqlite3_free(sql);
}

/* Difficult decisions: adjacent n, n = 0, the largest n, gaps, ranges of P that
 * touch, overlap or have no end, placements that disagree. */
static void awkward(struct fixture *f)
{
    fixture_open(f, "awkward", 0);
    placed(f, "bcast", 2, 0, 2, "block", 0, 0, "linear");
    placed(f, "bcast", 2, 0, 2, "block", 1, 1, "binomial");
    placed(f, "bcast", 2, 0, 2, "block", 2, 2, "linear");
    placed(f, "bcast", 2, 0, 2, "block", 4, 4, "linear");
    placed(f, "bcast", 3, 3, 2, "block", 0, 9223372036854775807LL, "chain");
    placed(f, "bcast", 4, 6, 2, "block", 10, 20, "binomial");
    placed(f, "bcast", 4, 6, 2, "block", 21, 30, "default");
    placed(f, "bcast", 4, 6, 2, "block", 31, 40, "chain");
    placed(f, "bcast", 5, 9, 4, "block", 15, 35, "binomial");
    placed(f, "bcast", 6, 8, 1, "one-per-node", 15, 20, "binomial");
    placed(f, "bcast", 11, 2147483647, 2, "cyclic", 7, 7, "linear");
    placed(f, "gather", 1, 1, 1, "single-node", 5, 6, "binomial");
    placed(f, "gather", 2, 4, 1, "single-node", 5, 6, "binomial");
    placed(f, "gather", 5, 5, 1, "single-node", 5, 6, "binomial");
    placed(f, "gather", 7, 7, 1, "single-node", 5, 6, "binomial");
    placed(f, "scatter", 8, 8, 4, "irregular", 100, 400, "binomial");
    placed(f, "scatter", 8, 8, 4, "irregular", 200, 300, "default");
}

struct checked {
    struct fixture f;
    struct chorale_emit_table table;
    struct chorale_emit_check *check;
    struct chorale_errmsg msg;
    char *text;              /* the generated source */
    size_t size;
};

static void open_checked(struct checked *c)
{
    struct chorale_emit_names names = { "t.c", "t.h", "r.db", "" };
    FILE *source, *header = tmpfile();

    memset(c, 0, sizeof(*c));
    awkward(&c->f);
    source = open_memstream(&c->text, &c->size);
    tap_ok(chorale_emit_load(c->f.store, 1, &c->table, &c->msg) ==
               CHORALE_OK &&
           chorale_emit_check_load(c->f.store, 1, &c->check, &c->msg) ==
               CHORALE_OK && source != NULL && header != NULL &&
           chorale_emit_c(&c->table, &names, source, header, &c->msg) ==
               CHORALE_OK, "awkward decisions are written %s", c->msg.text);
    fclose(source);
    fclose(header);
}

static void close_checked(struct checked *c)
{
    free(c->text);
    chorale_emit_check_free(c->check);
    chorale_emit_release(&c->table);
    fixture_close(&c->f);
}

static enum chorale_err check_table(struct checked *c)
{
    return chorale_emit_check(c->check, chorale_emit_check_table, &c->table,
                              &c->msg);
}

/* Compile the text and check it. */
static enum chorale_err check_text(struct checked *c)
{
    const struct chorale_table *table = NULL;
    char path[256];
    FILE *out;
    enum chorale_err err;

    snprintf(path, sizeof(path), "%s/text.c", c->f.dir);
    out = fopen(path, "w");
    if (out == NULL)
        return CHORALE_ENV;
    fwrite(c->text, 1, c->size, out);
    fclose(out);
    err = chorale_c_load(path, &table, &c->msg);
    if (err == CHORALE_OK)
        err = chorale_emit_check_compiled(c->check, table, &c->msg);
    unlink(path);
    return err;
}

/* 1 if the check does not notice a border that is off by one. */
static int unnoticed(struct checked *c, int *number, int by)
{
    int missed;

    *number += by;
    missed = check_table(c) != CHORALE_DATA;
    *number -= by;
    if (missed)
        tap_diag("not noticed: %d instead of %d", *number + by, *number);
    return missed;
}

static void test_table_off_by_one(struct checked *c)
{
    int missed = 0, tried = 0;

    for (size_t i = 0; i < c->table.nband; i++)
        for (int by = -1; by <= 1; by += 2) {
            struct chorale_emit_band was = c->table.band[i];

            if (was.from > 0)
                c->table.band[i].from += (unsigned long long)by;
            else
                c->table.band[i].choice = was.choice == 0;
            tried++;
            missed += check_table(c) != CHORALE_DATA;
            c->table.band[i] = was;
        }
    for (int s = 0; s < CHORALE_EMIT_SHAPES; s++)
        for (int k = 0; k < CHORALE_NCOLL; k++)
            for (size_t i = 0; i < c->table.group[k][s].nrule; i++) {
                struct chorale_emit_rule *r = &c->table.group[k][s].rule[i];

                tried += 2;
                missed += unnoticed(c, &r->comm_size, 1);
                missed += unnoticed(c, &r->comm_size_hi, -1);
                if (i == 0 || r[-1].comm_size_hi < r->comm_size - 1)
                    missed += unnoticed(c, &r->comm_size, -1);
                if (r->comm_size_hi < 2147483647)
                    missed += unnoticed(c, &r->comm_size_hi, 1);
            }
    tap_ok(missed == 0 && tried > 40, "a table with a border off by one"
           " is refused: %d of %d missed", missed, tried);
    tap_ok(strstr(c->msg.text, ": the table answers ") != NULL &&
           strstr(c->msg.text, " at P = ") != NULL &&
           strstr(c->msg.text, " and n = ") != NULL &&
           strstr(c->msg.text, ", but decided is ") != NULL,
           "it says where, and what: %s", c->msg.text);
}

/* Compiled, with one border of bcast at P = 4 to 6 off by one. */
static void test_text_off_by_one(struct checked *c)
{
    char *border = strstr(c->text, "{ 21ULL, ");

    if (!tap_ok(border != NULL, "the text has a border at n = 21"))
        return;
    border[3] = '2';
    tap_ok(check_text(c) == CHORALE_DATA,
           "a text with a border off by one is refused: %s", c->msg.text);
    border[3] = '1';
}

/* Rows that the table was not made of. */
static void test_other_rows(struct checked *c)
{
    static const char *const change[] = {
        "UPDATE decision SET n_hi = n_hi + 1 WHERE n_hi = 20",
        "UPDATE decision SET n_lo = 14 WHERE n_lo = 15",
        "UPDATE decision SET comm_size_hi = 10 WHERE comm_size_hi = 9",
        "UPDATE decision SET comm_size = 12 WHERE comm_size = 11",
        "UPDATE decision SET variant = 'linear' WHERE coll = 'gather'",
        "UPDATE decision SET shape = 'block' WHERE coll = 'scatter'",
        "UPDATE decision SET params = 'fanout=3' WHERE variant = 'chain'",
        "UPDATE decision SET provider = 'library' WHERE variant = 'chain'",
        "DELETE FROM decision WHERE coll = 'bcast' AND ppn = 4",
    };
    int missed = 0;

    for (size_t i = 0; i < sizeof(change) / sizeof(change[0]); i++) {
        fixture_exec(&c->f, "SAVEPOINT before");
        fixture_exec(&c->f, change[i]);
        chorale_emit_check_free(c->check);
        if (chorale_emit_check_load(c->f.store, 1, &c->check, &c->msg) !=
                CHORALE_OK || check_table(c) != CHORALE_DATA) {
            tap_diag("not noticed: %s", change[i]);
            missed++;
        }
        fixture_exec(&c->f, "ROLLBACK TO before");
        fixture_exec(&c->f, "RELEASE before");
    }
    tap_ok(missed == 0, "a table of other decisions is refused");
}

static void test_check(void)
{
    struct checked c;

    open_checked(&c);
    tap_ok(check_table(&c) == CHORALE_OK && check_text(&c) == CHORALE_OK &&
           chorale_emit_check_points(c.check) > 1000,
           "difficult decisions are checked at %zu points %s",
           chorale_emit_check_points(c.check), c.msg.text);
    test_table_off_by_one(&c);
    test_text_off_by_one(&c);
    test_other_rows(&c);
    close_checked(&c);
}

/* --- the heading, and decisions without a table --------------------------- */

static void launched(struct fixture *f, int id, const char *started,
                     const char *finished, const char *nodes)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,"
        " comm_size, ppn, shape, seed, started, finished, status) VALUES"
        " (%d, 'l%d', 1, 1, 0, 4, 2, 'block', 1, %Q, %Q, 'done');"
        "INSERT INTO environment VALUES (%d, 'nodes', %Q),"
        " (%d, 'kernel', 'x */ int evil; /*' || char(10) || '\?\?/ y'),"
        " (%d, 'mpi:' || char(10) || '*/', char(10) || '*/'),"
        " (%d, 'cpu_model', 'A Fine Processor'), (%d, 'ranks_per_node', '2'),"
        " (%d, 'host:0', 'secret')", id, id, started, finished, id, nodes, id,
        id, id, id, id);

    fixture_exec(f, sql);
    sqlite3_free(sql);
}

static void test_heading(void)
{
    static const char *const says[] = {
        "\n * System    s (real)\n", "\n * MPI       An MPI 1.0\n",
        "\n *   launches: 2, 2026-01-02T03:04:05Z ... 2026-02-03T00:00:00Z\n",
        "\n *   nodes: 2, 16\n", "\n *   cpu_model: A Fine Processor\n",
        "\n *   ranks_per_node: 2\n", "\n *   kernel: x * / int evil; / * ? ?/",
        "bcast                 P = 2-9, 11-2147483647;"
        " n = 0 ... 9223372036854775807 bytes; byte;",
        "byte; one-per-node; block 2, 4 a node; cyclic 2 a node\n",
        "gather                P = 1-5, 7; n = 5 ... 6 bytes; byte;"
        " single-node\n",
        "\n *   checked: ", " points on both sides of each border",
    };
    const struct fixture_run run = {
        "bcast", "library", "default", "", 4, 2, 8, 0, 1e-6, NULL, NULL, NULL,
        NULL,
    };
    struct chorale_errmsg msg;
    struct fixture f;
    const char *text;

    awkward(&f);
    fixture_exec(&f, "UPDATE system SET name = 's'");
    launched(&f, 1, "2026-01-02T03:04:05Z", "2026-01-02T03:05:00Z", "2");
    launched(&f, 2, "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z", "16");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           fixture_output_has(&f, "checked: "), "generated, and said what"
           " was checked %s", msg.text);
    text = fixture_file(&f, "table.c");
    for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++)
        tap_ok(strstr(text, says[i]) != NULL, "the heading has: %.*s",
               (int)strcspn(says[i] + (*says[i] == '\n'), "\n"),
               says[i] + (*says[i] == '\n'));
    tap_ok(strstr(text, "secret") == NULL, "the heading has no host name");
    tap_ok(compile(compiler(), strict, f.dir, "table.c -c", "table.o"),
           "no text of the heading is code");
    fixture_exec(&f, "UPDATE system SET kind = 'simulated'");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           strstr(fixture_file(&f, "table.c"), "2026-01-02") == NULL,
           "the heading of a simulated system has no date %s", msg.text);
    tap_ok(strstr(fixture_file(&f, "table.c"), "A Fine Processor") == NULL,
           "the heading of a simulated system has no processor");
    launched(&f, 3, "2026-02-02T00:00:00Z", "2026-02-03T00:00:00Z", "32");
    fixture_exec(&f, "UPDATE launch SET status = 'failed' WHERE launch_id = 3");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           strstr(fixture_file(&f, "table.c"), "nodes: 2, 16\n") != NULL,
           "a launch killed before its first run does not count"
           " %s", msg.text);
    fixture_add(&f, &run);
    fixture_exec(&f, "UPDATE run SET launch_id = 3");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           strstr(fixture_file(&f, "table.c"), "nodes: 2, 16, 32\n") != NULL,
           "a launch killed after a run counts %s", msg.text);
    tap_ok(fixture_verb(&f, &chorale_verb_generate, &msg, "@db", "--quiet",
                        "-o", "@dir/quiet.c", (const char *)NULL) ==
               CHORALE_OK && !fixture_output_has(&f, "checked: "),
           "--quiet prints nothing %s", msg.text);
    fixture_close(&f);
}

static void test_no_rows(void)
{
    struct chorale_errmsg msg;
    struct fixture f;
    const char *text;

    fixture_open(&f, "s", 0);
    placed(&f, "bcast", 4, 0, 4, "block", 8, 512, "no_such_variant");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK &&
           compile(compiler(), strict, f.dir, "table.c -c", "table.o"),
           "a table of the library alone is generated and compiles %s",
           msg.text);
    text = fixture_file(&f, "table.c");
    tap_ok(strstr(text, "nan") == NULL && strstr(text, "not recorded") !=
               NULL, "its heading marks the environment as not recorded");
    fixture_exec(&f, "DELETE FROM decision");
    placed(&f, "bcast", 4, 0, 4, "no-such-shape", 8, 512, "binomial");
    placed(&f, "bcast", -4, 0, 4, "block", 8, 512, "binomial");
    fixture_exec(&f, "INSERT INTO decision (system_id, coll, comm_size, ppn,"
                 " shape, dtype, op, n_lo, n_hi, provider, variant, params,"
                 " basis, reason) VALUES (1, 'bcast', 4, 1, 'block', 'byte',"
                 " '', 'a', 'b', 'chorale', 'binomial', '', 'measured', ''),"
                 " (1, 'bcast', 4, 2, 'block', 'byte', '', 9e999, 9e999,"
                 " 'chorale', 'binomial', '', 'measured', ''),"
                 " (1, 'bcast', 4294967300, 2, 'block', 'byte', '', 1, 2,"
                 " 'chorale', 'binomial', '', 'measured', '')");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_DATA &&
           strstr(msg.text, "has no decisions") != NULL,
           "decisions that fit no call count as none: %s", msg.text);
    placed(&f, "bcast", 4, 8, 2, "block", 8, 64, "binomial");
    placed(&f, "bcast", 6, 12, 2, "block", 8, 512, "linear");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_DATA &&
           strstr(msg.text, "two decisions on bcast at P = 6 and n = 8") !=
               NULL, "two decisions for one call: %s", msg.text);
    tap_ok(strstr(fixture_file(&f, "table.c"), "not recorded") != NULL,
           "the older file stays as it was");
    fixture_close(&f);
}

int main(void)
{
    test_good();
    test_ppn();
    test_errors();
    test_unknown();
    test_check();
    test_heading();
    test_no_rows();
    return tap_done();
}
