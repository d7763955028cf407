/* SPDX-License-Identifier: BSD-3-Clause */
/* fingerprint.c - a generated table's fingerprint has the facts that all
 * launches share and the hull of decided points, for comparison when the table
 * is loaded. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/coll.h"
#include "algorithms/dispatch/table/table.h"
#include "tests/tap.h"
#include "tests/unit/tuner/fixture.h"
#include "tuner/base/verb.h"

static void decision(struct fixture *f, const char *coll, int comm_size,
                     int comm_size_hi, long lo, long hi)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO decision (system_id, coll, comm_size, comm_size_hi, ppn,"
        " shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,"
        " reason) VALUES (1, %Q, %d, %d, 1, 'one-per-node', 'byte', '', %ld,"
        " %ld, 'chorale', 'linear', '', 'measured', '')", coll, comm_size,
        comm_size_hi, lo, hi);

    fixture_exec(f, sql);
    sqlite3_free(sql);
}

static void launched(struct fixture *f, int id, const char *facts)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,"
        " comm_size, ppn, shape, seed, started, status) VALUES (%d, 'l%d', 1,"
        " 1, 0, 4, 2, 'block', 1, '2026-01-02T03:04:05Z', 'done');"
        "INSERT INTO environment SELECT %d, json_extract(value, '$[0]'),"
        " json_extract(value, '$[1]') FROM json_each(%Q)", id, id, id, facts);

    fixture_exec(f, sql);
    sqlite3_free(sql);
}

static int same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Generate and compile the table, and load its fields. */
static const struct chorale_table *load(struct fixture *f, void **lib_p)
{
    const char *cc = getenv("CC");
    struct chorale_errmsg msg = { "" };
    char command[512];
    static int turn;

    snprintf(command, sizeof(command), "%s -std=c99 -Wall -Wextra -Wpedantic"
             " -Wconversion -Werror -shared -fPIC -o ./%s/%d.so %s/table.c",
             cc != NULL && *cc != '\0' ? cc : "cc", f->dir, ++turn, f->dir);
    *lib_p = NULL;
    if (fixture_verb(f, &chorale_verb_generate, &msg, "@db", "-o",
                     "@dir/table.c", (const char *)NULL) != CHORALE_OK ||
        system(command) != 0) {
        tap_diag("not made: %s", msg.text);
        return NULL;
    }
    snprintf(command, sizeof(command), "./%s/%d.so", f->dir, turn);
    *lib_p = dlopen(command, RTLD_NOW | RTLD_LOCAL);
    return *lib_p != NULL ? dlsym(*lib_p, "chorale_table") : NULL;
}

static void says(struct fixture *f, const char *transport, const char *cpu,
                 const char *variables, const char *name)
{
    void *lib;
    const struct chorale_table *t = load(f, &lib);

    if (!tap_ok(t != NULL && same(t->transport, transport) &&
                    same(t->cpu_model, cpu) &&
                    same(t->variables, variables), "%s", name) && t != NULL)
        tap_diag("%s, %s, %s", t->transport ? t->transport : "NULL",
                 t->cpu_model ? t->cpu_model : "NULL",
                 t->variables ? t->variables : "NULL");
    if (lib != NULL)
        dlclose(lib);
}

#define TOLD "[\"tool_version\", \"chorale 1\"]"
#define SAME                                                                 \
    "[" TOLD ", [\"transport\", \"ch4:ucx\"], [\"cpu_model\", \"A CPU\"],"   \
    " [\"env:UCX_TLS\", \"tcp,self\"], [\"mpi:btl\", \"self,sm\"]]"

static void test_alike(void)
{
    struct fixture f;

    fixture_open(&f, "s", 0);
    decision(&f, "bcast", 4, 4, 8, 512);
    says(&f, NULL, NULL, NULL, "without launches there is no fingerprint");
    launched(&f, 1, "[]");
    says(&f, NULL, NULL, NULL,
         "a launch without environment gives no fingerprint");
    launched(&f, 2, SAME);
    says(&f, "ch4:ucx", "A CPU", "UCX_TLS=tcp,self OMPI_MCA_btl=self,sm",
         "one launch gives its transport, processor and variables");
    launched(&f, 3, SAME);
    says(&f, "ch4:ucx", "A CPU", "UCX_TLS=tcp,self OMPI_MCA_btl=self,sm",
         "two equal launches give the same");
    launched(&f, 4, "[" TOLD ", [\"transport\", \"ch4:ucx\"],"
                    " [\"cpu_model\", \"Another\"],"
                    " [\"mpi:btl\", \"self,sm\"]]");
    says(&f, "ch4:ucx", NULL, NULL,
         "facts that differ between launches are left out");
    fixture_exec(&f, "UPDATE launch SET status = 'failed' WHERE launch_id = 4");
    says(&f, "ch4:ucx", "A CPU", "UCX_TLS=tcp,self OMPI_MCA_btl=self,sm",
         "a failed launch does not count");
    fixture_exec(&f, "DELETE FROM environment WHERE key LIKE '%:%'");
    says(&f, "ch4:ucx", "A CPU", "", "no variables set differs from "
         "variables unknown");
    fixture_exec(&f, "UPDATE environment SET value = 'A \"C\\P?\?/ */ U'"
                     " WHERE key = 'cpu_model'");
    says(&f, "ch4:ucx", "A \"C\\P?\?/ */ U", "",
         "a name with quotes and comment marks stays a literal");
    fixture_exec(&f, "UPDATE environment SET value = 'A' || char(233)"
                     " WHERE key = 'cpu_model'");
    says(&f, "ch4:ucx", NULL, "", "a name that is not ASCII is left out");
    fixture_exec(&f, "UPDATE system SET kind = 'simulated'");
    says(&f, NULL, NULL, NULL, "a simulated system has no fingerprint");
    fixture_close(&f);
}

static void test_hull(void)
{
    struct fixture f;
    void *lib;
    const struct chorale_table *t;

    fixture_open(&f, "s", 0);
    decision(&f, "bcast", 4, 4, 8, 512);
    decision(&f, "bcast", 5, 31, 1, 4096);
    decision(&f, "bcast", 8, 8, 5000, 8589934592);
    t = load(&f, &lib);
    if (tap_ok(t != NULL, "the table is loaded")) {
        const struct chorale_hull *h = &t->selector[CHORALE_BCAST].hull;
        const struct chorale_hull *none = &t->selector[CHORALE_REDUCE].hull;

        tap_ok(h->comm_size_lo == 4 && h->comm_size_hi == 31 &&
               h->n_lo == 1 && h->n_hi == 8589934592ULL,
               "P = %d ... %d, n = %llu ... %llu", h->comm_size_lo,
               h->comm_size_hi, h->n_lo, h->n_hi);
        tap_ok(none->comm_size_hi == 0 && none->n_hi == 0,
               "a collective without decisions has no hull");
        dlclose(lib);
    }
    fixture_close(&f);
}

int main(void)
{
    test_alike();
    test_hull();
    return tap_done();
}
