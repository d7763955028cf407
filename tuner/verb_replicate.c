/* SPDX-License-Identifier: BSD-3-Clause */
/* verb_replicate.c - `chorale replicate`: how large should groups be that
 * share replicated data? */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/systems.h"
#include "plots/plots.h"
#include "tuner/output.h"
#include "tuner/replicate.h"
#include "tuner/verb.h"

enum { AROUND = 2, SIDE_MAX = 100000 };

struct opts {
    const char *net, *in, *plot;
    long n, datum;
    double accesses, tx, tm, alpha, data, bands;
    int divisors, json;
};

/* What is asked: a model, and what it is told by. */
struct job {
    const struct opts *opts;
    struct chorale_rep rep;
    char name[16], system[128];
    double alpha_s, beta, tau; /* of the database; seconds, NAN: none */
    struct chorale_errmsg *msg;
};

static const struct {
    const char *name;
    enum chorale_rep_net net;
    int link;
} nets[] = {
    { "RS1", CHORALE_REP_MESH, 2 },   { "RS2", CHORALE_REP_MESH, 1 },
    { "WS1", CHORALE_REP_TORUS, 2 },  { "WS2", CHORALE_REP_TORUS, 1 },
    { "array", CHORALE_REP_ARRAY, 1 }, { "ring", CHORALE_REP_RING, 1 },
};

static int flat(const struct job *job)
{
    return job->rep.net == CHORALE_REP_ARRAY ||
           job->rep.net == CHORALE_REP_RING;
}

/* A parameter between nodes, else that of all, of the longest messages. */
static enum chorale_err parameter(struct chorale_store *store,
                                  sqlite3_int64 system_id, const char *name,
                                  double *value, struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    int row = 0;
    enum chorale_err err = chorale_store_prepare(
        store, "SELECT value FROM model WHERE system_id = ?1 AND param = ?2"
        " ORDER BY level <> 'net', level <> 'all', upto IS NOT NULL,"
        " upto DESC, dtype <> 'double', op <> 'sum', value LIMIT 1", &s, msg);

    *value = NAN;
    if (err == CHORALE_OK) {
        sqlite3_bind_int64(s, 1, system_id);
        sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
        err = chorale_store_step(store, s, &row, msg);
    }
    if (err == CHORALE_OK && row)
        *value = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err read_model(struct job *job, const char *path)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id = 0;
    int simulated = 0;
    enum chorale_err err =
        chorale_store_open(path, CHORALE_STORE_READ, &store, job->msg);

    if (err == CHORALE_OK)
        err = chorale_store_system(store, job->opts->in, &id, &simulated,
                                   job->msg);
    if (err == CHORALE_OK)
        err = parameter(store, id, "alpha", &job->alpha_s, job->msg);
    if (err == CHORALE_OK)
        err = parameter(store, id, "beta", &job->beta, job->msg);
    if (err == CHORALE_OK)
        err = parameter(store, id, "tau", &job->tau, job->msg);
    if (err == CHORALE_OK && !(job->beta > 0))
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: no beta is fitted, which is the unit of time; "
                           "`chorale fit` does", path);
    if (err == CHORALE_OK && isnan(job->tau) && isnan(job->opts->tm))
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: no tau is fitted: measure a reduction too, or "
                           "say --tm", path);
    chorale_store_close(store);
    return err;
}

static enum chorale_err find_net(struct job *job)
{
    for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++)
        if (strcmp(job->opts->net, nets[i].name) == 0) {
            job->rep.net = nets[i].net;
            job->rep.link = nets[i].link;
            snprintf(job->name, sizeof(job->name), "%s", nets[i].name);
            return CHORALE_OK;
        }
    return chorale_fail(job->msg, CHORALE_USAGE,
                        "--system %.60s: there are RS1 and RS2 (regular "
                        "meshes whose links carry one or both directions at "
                        "once), WS1 and WS2 (wrapped ones), array, ring",
                        job->opts->net);
}

static enum chorale_err fill(struct job *job, const char *path)
{
    const struct opts *o = job->opts;
    struct chorale_rep *rep = &job->rep;
    enum chorale_err err = find_net(job);

    job->alpha_s = job->beta = job->tau = NAN;
    if (err == CHORALE_OK && o->n == 0)
        err = chorale_fail(job->msg, CHORALE_USAGE, "--n: how many elements "
                           "has a side? `chorale replicate --help` has an "
                           "example");
    if (err == CHORALE_OK && path == NULL && isnan(o->tm))
        err = chorale_fail(job->msg, CHORALE_USAGE, "--tm: how long does "
                           "modifying a datum take, in units of sending one? "
                           "A database with a fitted model can tell: name it");
    if (err == CHORALE_OK && path != NULL)
        err = read_model(job, path);
    if (err != CHORALE_OK)
        return err;
    rep->side = o->n;
    rep->accesses = o->accesses;
    rep->tx = o->tx;
    rep->tm = !isnan(o->tm) ? o->tm : job->tau / job->beta;
    rep->divisors = o->divisors;
    rep->bands = o->bands;
    rep->data = isnan(o->data) ? 1 : o->data;
    rep->alpha = !isnan(o->alpha) ? o->alpha
                 : !isnan(o->data) && job->alpha_s > 0
                     ? job->alpha_s / (job->beta * (double)o->datum)
                     : 0;
    if (rep->alpha > 0 && isnan(o->data))
        return chorale_fail(job->msg, CHORALE_USAGE, "--alpha %g: a latency is "
                            "spread over the data; say how many with --data",
                            rep->alpha);
    return CHORALE_OK;
}

static void print_cost(const struct job *job, long x, double best)
{
    struct chorale_rep_cost c;
    char group[32];

    chorale_rep_cost(&job->rep, x, x, &c);
    if (flat(job))
        snprintf(group, sizeof(group), "%ld", x);
    else
        snprintf(group, sizeof(group), "%ld x %ld", x, x);
    printf("%-12s %12.6g %12.6g %12.6g %12.6g %12.6g", group, c.total,
           c.updating, c.integration, c.broadcasting, c.modification);
    if (job->rep.alpha > 0)
        printf(" %12.6g", c.latency);
    printf("  %+.2f %%\n", 100 * (c.total / best - 1));
}

/* The admissible sides around x, and the ends. */
static void print_around(const struct job *job, long x, double best)
{
    const struct chorale_rep *rep = &job->rep;
    long from = x, to = x, last = rep->side;

    for (int n = 0; n < AROUND && from > 1;)
        n += chorale_rep_admits(rep, --from);
    for (int n = 0; n < AROUND && to < rep->side;)
        n += chorale_rep_admits(rep, ++to);
    if (from > 1)
        print_cost(job, 1, best);
    for (long k = from; k <= to; k++)
        if (chorale_rep_admits(rep, k))
            print_cost(job, k, best);
    if (to < last)
        print_cost(job, last, best);
}

static void print_closed(const struct job *job, long x)
{
    long closed = chorale_rep_closed(&job->rep), says;
    double even, odd;

    chorale_rep_roots(&job->rep, &even, &odd);
    printf("\nclosed form: %ld", closed);
    if (isnan(even) && isnan(odd))
        printf(" (more communication than replication saves: no root)");
    else
        printf(" (T_o falls to %.4f for even sides, %.4f for odd ones)", even,
               odd);
    if (closed != x)
        printf("; it knows no latency");
    printf("\n");
    if (flat(job) || job->rep.divisors || job->rep.alpha > 0)
        return;
    says = chorale_rep_proposition(&job->rep, 0);
    printf("proposition 3.7 as printed: ");
    if (says == 0)
        printf("undefined\n");
    else if (says < 0)
        printf("a root of a negative number; repaired: %ld\n",
               chorale_rep_proposition(&job->rep, 1));
    else
        printf("%ld%s\n", says, says == x ? "" : ", which is not the best");
}

static void print(const struct job *job)
{
    const struct chorale_rep *rep = &job->rep;
    long x = chorale_rep_exhaustive(rep);
    struct chorale_rep_cost best;

    chorale_rep_cost(rep, x, x, &best);
    printf("%s, %ld elements%s, N_a = %g, T_x = %g, T_m = %g", job->name,
           rep->side, flat(job) ? "" : " a side", rep->accesses, rep->tx,
           rep->tm);
    if (rep->alpha > 0)
        printf(", alpha = %g, M = %g, N_b = %g", rep->alpha, rep->data,
               rep->bands);
    printf("\ntimes per datum, in units of sending one datum to a neighbour");
    if (job->beta > 0)
        printf(" (%.4g s for %ld bytes)", job->beta * (double)job->opts->datum,
               job->opts->datum);
    printf("\n\nbest groups: %ld%s\n\n", x, flat(job) ? "" : " a side");
    printf("%-12s %12s %12s %12s %12s %12s%s\n", "group", "T_o", "updating",
           "integration", "broadcast", "modification",
           rep->alpha > 0 ? "      latency" : "");
    print_around(job, x, best.total);
    print_closed(job, x);
}

static json_t *side_json(const struct job *job, long x)
{
    struct chorale_rep_cost c;

    chorale_rep_cost(&job->rep, x, x, &c);
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "side",
                     (json_int_t)x, "seconds", c.total, "updating", c.updating,
                     "integration", c.integration, "broadcasting",
                     c.broadcasting, "modification", c.modification, "latency",
                     c.latency);
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static enum chorale_err print_json(const struct job *job)
{
    const struct chorale_rep *rep = &job->rep;
    json_t *list = json_array(), *root;
    double even, odd;
    int bad = list == NULL;

    chorale_rep_roots(rep, &even, &odd);
    for (long x = 1; x <= rep->side && !bad; x++)
        if (chorale_rep_admits(rep, x))
            bad = json_array_append_new(list, side_json(job, x)) != 0;
    root = json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:o, s:o,"
                     " s:I, s:o}",
                     "system", job->name, "n", (json_int_t)rep->side,
                     "accesses", rep->accesses, "tx", rep->tx, "tm", rep->tm,
                     "alpha", rep->alpha, "best",
                     (json_int_t)chorale_rep_exhaustive(rep), "closed_form",
                     (json_int_t)chorale_rep_closed(rep), "root_even",
                     number(even), "root_odd", number(odd), "proposition",
                     (json_int_t)chorale_rep_proposition(rep, 0), "sides",
                     list);
    if (bad || root == NULL) {
        json_decref(root);
        return chorale_fail(job->msg, CHORALE_ENV,
                            "replicate: out of memory");
    }
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
    return CHORALE_OK;
}

static enum chorale_err write_data(const struct job *job, const char *path)
{
    struct chorale_output file = { NULL, NULL, NULL };
    enum chorale_err err = chorale_output_open(&file, path, "", job->msg);

    if (err == CHORALE_OK) {
        fprintf(file.stream, "# side T_o updating integration broadcasting"
                             " modification latency\n");
        for (long x = 1; x <= job->rep.side; x++) {
            struct chorale_rep_cost c;

            if (!chorale_rep_admits(&job->rep, x))
                continue;
            chorale_rep_cost(&job->rep, x, x, &c);
            fprintf(file.stream, "%ld %.9g %.9g %.9g %.9g %.9g %.9g\n", x,
                    c.total, c.updating, c.integration, c.broadcasting,
                    c.modification, c.latency);
        }
        err = chorale_output_close(&file, job->msg);
    }
    if (err == CHORALE_OK)
        err = chorale_output_commit(&file, job->msg);
    chorale_output_release(&file);
    return err;
}

/* FILE.svg or FILE.png, and FILE.dat beside it. */
static enum chorale_err draw(const struct job *job)
{
    const char *suffix = strrchr(job->opts->plot, '.');
    char data[PATH_MAX], picture[PATH_MAX], script[PATH_MAX], title[128];
    char dash_c[] = "-c", dash_d[] = "-d", format[8], best[32];
    char *argv[] = { NULL, dash_d, dash_c, script, data, picture, format,
                     title, best, NULL };
    int missing = 0;
    enum chorale_err err;

    if (suffix == NULL || (strcmp(suffix, ".svg") != 0 &&
                           strcmp(suffix, ".png") != 0) ||
        strlen(job->opts->plot) > PATH_MAX - 8)
        return chorale_fail(job->msg, CHORALE_USAGE, "--plot %.200s: name a "
                            "file that ends in .svg or .png", job->opts->plot);
    snprintf(format, sizeof(format), "%s", suffix + 1);
    snprintf(picture, sizeof(picture), "%s", job->opts->plot);
    snprintf(data, sizeof(data), "%.*s.dat", (int)(suffix - job->opts->plot),
             job->opts->plot);
    snprintf(title, sizeof(title), "%s, N = %ld, N_a = %g, T_x = %g, T_m = %g",
             job->name, job->rep.side, job->rep.accesses, job->rep.tx,
             job->rep.tm);
    snprintf(best, sizeof(best), "%ld", chorale_rep_exhaustive(&job->rep));
    err = chorale_plots_find_script("replicate.gp", script, sizeof(script),
                                    job->msg);
    if (err == CHORALE_OK)
        err = write_data(job, data);
    if (err == CHORALE_OK)
        err = chorale_plots_gnuplot(".", argv, &missing, job->msg);
    return err;
}

static enum chorale_err run(const struct chorale_verb *verb, int argc,
                            char **argv, struct chorale_errmsg *msg)
{
    struct opts opts = {
        .net = "RS2", .datum = 8, .accesses = 1, .tx = 1, .tm = NAN,
        .alpha = NAN, .data = NAN, .bands = 1,
    };
    struct job job = { .opts = &opts, .msg = msg };
    int nword = 0;
    enum chorale_err err = chorale_opts_parse(verb, argc, argv, &opts, 0, 1,
                                              &nword, msg);

    if (err != CHORALE_OK || nword < 0)
        return err;
    err = fill(&job, nword > 0 ? argv[1] : NULL);
    if (err == CHORALE_OK && opts.json)
        err = print_json(&job);
    else if (err == CHORALE_OK)
        print(&job);
    if (err == CHORALE_OK && opts.plot != NULL)
        err = draw(&job);
    return err;
}

#define AT(field) offsetof(struct opts, field)

static const struct chorale_opt rows[] = {
    { "system", 0, CHORALE_OPT_TEXT, AT(net), "NAME",
      "RS1, RS2: a regular mesh whose links carry one direction or both at "
      "once; WS1, WS2: a wrapped one; array, ring: one dimension (default: "
      "RS2)", 0, 0 },
    { "n", 'n', CHORALE_OPT_INT, AT(n), "N", "elements in each dimension", 1,
      SIDE_MAX },
    { "accesses", 0, CHORALE_OPT_REAL, AT(accesses), "N_A",
      "how often each element modifies each datum (default: 1)", 1e-9, 0 },
    { "tx", 0, CHORALE_OPT_REAL, AT(tx), "T_X",
      "time to send a datum while groups update, in units of sending one at "
      "the end (default: 1)", 0, 0 },
    { "tm", 0, CHORALE_OPT_REAL, AT(tm), "T_M",
      "time to modify a datum, in the same units (default: tau / beta of the "
      "database)", 0, 0 },
    { "divisors", 0, CHORALE_OPT_FLAG, AT(divisors), NULL,
      "only groups whose sides divide N", 0, 0 },
    { "alpha", 0, CHORALE_OPT_REAL, AT(alpha), "ALPHA",
      "latency of a message, in the same units; with --data (default: that of "
      "the database, else 0)", 0, 0 },
    { "data", 0, CHORALE_OPT_REAL, AT(data), "M",
      "how many data there are, over which latencies are spread (default: "
      "latency is left out)", 1, 0 },
    { "bands", 0, CHORALE_OPT_REAL, AT(bands), "N_B",
      "in how many rounds groups update; with a latency (default: 1)", 1, 0 },
    { "datum", 0, CHORALE_OPT_SIZE, AT(datum), "BYTES",
      "size of a datum, for the latency of a database (default: 8)", 1,
      1 << 30 },
    { "in", 0, CHORALE_OPT_TEXT, AT(in), "NAME",
      "the system of the database, where there are several", 0, 0 },
    { "plot", 0, CHORALE_OPT_TEXT, AT(plot), "FILE",
      "draw T_o against the side, into FILE.svg or FILE.png, with the data "
      "beside it", 0, 0 },
    { "json", 0, CHORALE_OPT_FLAG, AT(json), NULL, "print JSON: all sides", 0,
      0 },
    { NULL, 0, CHORALE_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

const struct chorale_verb chorale_verb_replicate = {
    .name = "replicate",
    .args = "[results.db]",
    .summary = "how large should groups be that share replicated data?",
    .detail =
        "Data that all elements of a mesh modify are replicated on each, or "
        "shared by groups: larger groups save modifications, and cost more "
        "while they update each other. Prints the best side of square groups "
        "by the model of Chen and Lee, T_o and its parts around it, and what "
        "the closed form says; the paper's own proposition 3.7 is shown beside "
        "it, as it fails where N_a T_x is small.\n"
        "With a database the fitted model gives T_m = tau / beta, and with "
        "--data the latency; the paper has none.",
    .example = "chorale replicate --system RS2 --n 16 --accesses 2 --tm 50\n"
               "chorale replicate results.db --system WS2 --n 32 --accesses 4 "
               "--data 1e6 --plot groups.svg",
    .opt = rows,
    .run = run,
};
