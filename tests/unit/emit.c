/* SPDX-License-Identifier: BSD-3-Clause */
/* emit.c - a generated table compiles alone, answers as the decisions say on
 * both sides of every border, is the same bytes each time, and nothing from a
 * hostile database gets into its code. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/table.h"
#include "tests/tap.h"
#include "tests/unit/fixture.h"
#include "tuner/emit.h"
#include "tuner/verb.h"

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

/* Load the table compiled from FILE.c of the folder. */
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

/* What the decisions say, by SQL. */
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

/* One border: n - 1, n, n + 1 at P - 1, P, P + 1. Returns wrong answers. */
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
    tap_ok(wrong == 0, "every border answers as the decisions say");
    tap_ok(bcast->select((size_t)-1, 8) == &table->choice[0] &&
           bcast->select(8, 0) == &table->choice[0] &&
           bcast->select(8, -2147483647 - 1) == &table->choice[0] &&
           bcast->select(8, 2147483647) == &table->choice[0],
           "absurd arguments get the library");
    wrong = table->nselector != CHORALE_NCOLL;
    for (int i = 0; i < table->nselector; i++) {
        wrong += chorale_coll_find(table->selector[i].coll) != i;
        wrong += table->selector[i].select(1, 3) != &table->choice[0];
    }
    tap_ok(wrong == 0, "every collective is there, the unmeasured P = 3 is"
           " the library's");
    for (int i = 0; i < table->nchoice; i++)
        wrong += table->choice[i].index != i;
    tap_ok(wrong == 0 && strcmp(table->choice[0].provider, "library") == 0 &&
           strcmp(table->choice[0].variant, "default") == 0,
           "choice 0 is the library, indices are positions");
    tap_ok(table->abi == CHORALE_TABLE_ABI && strlen(table->digest) == 16 &&
           strcmp(table->campaign,
                  "01234567-89ab-cdef-0123-456789abcdef") == 0 &&
           strcmp(table->mpi_library, "An MPI 1.0") == 0 &&
           strstr(table->coverage, "bcast: P = 4, 8") != NULL,
           "the table says where it comes from: %s", table->coverage);
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
           "where shapes disagree the projection is the library's");
    tap_ok(strcmp(g->select(300, 4)->variant, "binomial") == 0,
           "where they agree it is their choice");
    tap_ok(g->select_shape(300, 4, CHORALE_SHAPE_CYCLIC)->index == 0 &&
           g->select_shape(300, 4, (enum chorale_shape)99) ==
               g->select(300, 4), "an unmeasured shape is the library's");
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
           "generated again %s", msg.text);
    snprintf(command, sizeof(command), "cmp %s/table.c"
             " unit-emit-again/table.c && cmp %s/table.h"
             " unit-emit-again/table.h; r=$?; rm -r unit-emit-again; exit $r",
             f.dir, f.dir);
    tap_ok(system(command) == 0, "the same database gives the same bytes");
    tap_ok(compile(compiler(), strict, f.dir, "table.c -c", "table.o"),
           "compiles alone without a warning");
    snprintf(command, sizeof(command), "%s -x c -fsyntax-only", strict);
    tap_ok(compile(compiler(), command, f.dir, "table.h", "table.h.o"),
           "so does its header");
    tap_ok(system("clang --version > clang.out 2>&1; r=$?; rm clang.out;"
                  " exit $r") != 0 ||
           compile("clang", strict, f.dir, "table.c -c", "table.o"),
           "clang agrees, if it is there");
    tap_ok(compile(compiler(), "-shared -fPIC", f.dir, "table.c", "table.so"),
           "compiles as a shared object");
    table = load(&f, &lib);
    if (tap_ok(table != NULL, "is loaded")) {
        test_answers(&f, table);
        test_shapes(table);
        dlclose(lib);
    }
    fixture_close(&f);
}

/* A database that wants out of the comment, the literal and the code. */
static void test_hostile(void)
{
    static const char evil[] =
        "x*/\nint evil;/*\?\?/\"; int evil2; char*s=\"\\\xc3\xa9\t*\\";
    struct chorale_errmsg msg;
    struct fixture f;
    const struct chorale_table *table;
    char command[256], *sql;
    void *lib = NULL;

    fixture_open(&f, evil, 0);
    sql = sqlite3_mprintf("UPDATE system SET mpi_library = %Q;"
                          "UPDATE campaign SET uuid = %Q", evil, evil);
    fixture_exec(&f, sql);
    sqlite3_free(sql);
    decision(&f, "bcast", 4, "block", "byte", "", 8, 512, evil);
    decision(&f, "bcast", 4, "block", "byte", "", 100, 9000, "binomial");
    decision(&f, "bcast", -4, "block", "byte", "", 8, 512, "binomial");
    decision(&f, evil, 4, "block", "byte", "", 8, 512, "binomial");
    decision(&f, "gather", 4, evil, "byte", "", 8, 512, "binomial");
    decision(&f, "scatter", 4, "block", evil, evil, -9, 512, "binomial");
    decision(&f, "scatter", 5, "block", evil, evil, 7,
             9223372036854775807L, "binomial");
    fixture_exec(&f, "UPDATE decision SET params = 'evil=1' WHERE coll ="
                 " 'scatter' AND comm_size = 4");
    tap_ok(generate(&f, "@dir/table.c", &msg) == CHORALE_OK,
           "a hostile database is generated from %s", msg.text);
    snprintf(command, sizeof(command), "LC_ALL=C; export LC_ALL;"
             " ! grep -n '[^ -~]' %s/table.c", f.dir);
    tap_ok(system(command) == 0, "nothing but printable ASCII");
    tap_ok(compile(compiler(), strict, f.dir, "table.c -c", "table.o") &&
           compile(compiler(), "-shared -fPIC", f.dir, "table.c", "table.so"),
           "and compiles without a warning");
    table = load(&f, &lib);
    if (tap_ok(table != NULL, "is loaded")) {
        tap_ok(dlsym(lib, "evil") == NULL && dlsym(lib, "evil2") == NULL,
               "nothing of it is code");
        tap_ok(table->nchoice == 3 &&
               selector(table, "bcast")->select(50, 4)->index == 0 &&
               strcmp(selector(table, "bcast")->select(500, 4)->variant,
                      "binomial") == 0 &&
               selector(table, "scatter")->select((size_t)-1, 5)->index == 0,
               "only names of the catalogue are choices");
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
           "without decisions: %s", msg.text);
    decision(&f, "bcast", 4, "block", "byte", "", 8, 512, "binomial");
    tap_ok(fixture_verb(&f, &chorale_verb_generate, &msg, "@db", "--format",
                        "xml", "-o", "@dir/table.c", (const char *)NULL) ==
               CHORALE_USAGE && strstr(msg.text, "there is: c (") != NULL,
           "an unknown format: %s", msg.text);
    tap_ok(fixture_verb(&f, &chorale_verb_generate, &msg, "@db",
                        (const char *)NULL) == CHORALE_USAGE,
           "no output: %s", msg.text);
    tap_ok(generate(&f, "@dir/none/table.c", &msg) == CHORALE_ENV,
           "a missing folder: %s", msg.text);
    snprintf(command, sizeof(command), "mkdir %s/blocked.h", f.dir);
    tap_ok(system(command) == 0 &&
           generate(&f, "@dir/blocked.c", &msg) == CHORALE_ENV,
           "a header that cannot be replaced: %s", msg.text);
    snprintf(command, sizeof(command), "test \"$(ls %s)\" = \"$(printf"
             " 'blocked.h\\nout.txt\\nresults.db')\"", f.dir);
    tap_ok(system(command) == 0, "a failure leaves no file behind");
    fixture_close(&f);
}

int main(void)
{
    test_good();
    test_hostile();
    test_errors();
    return tap_done();
}
