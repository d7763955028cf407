/* SPDX-License-Identifier: BSD-3-Clause */
/* link_fit.c - load the measurements by distance, find the topology and check
 * the assumptions about alpha, beta and tau. */
#include "tuner/model/link_fit.h"
#include "tuner/base/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD 8               /* bytes */

/* Shapes in which a distance in ranks is not a distance in nodes. */
#define SCATTERED "'cyclic', 'irregular'"

#define QUERY                                                                \
    "SELECT l.ppn, l.comm_size,"                                             \
    "       CAST(substr(e.key, 18) AS INTEGER) AS places,"                   \
    "       min(CAST(e.value AS REAL)), min(CAST(k.value AS REAL)),"         \
    "       min(CAST(p.value AS REAL)), min(CAST(m.value AS REAL)),"         \
    "       l.shape IN (" SCATTERED ") AS scattered"                         \
    "  FROM environment e JOIN launch l USING (launch_id)"                   \
    "  LEFT JOIN environment k ON k.launch_id = e.launch_id"                 \
    "   AND k.key = 'distance_kappa:' || substr(e.key, 18)"                  \
    "  LEFT JOIN environment p ON p.launch_id = e.launch_id"                 \
    "   AND p.key = 'distance_pairs:' || substr(e.key, 18)"                  \
    "  LEFT JOIN environment m ON m.launch_id = e.launch_id"                 \
    "   AND m.key = 'distance_mirror'"                                       \
    " WHERE l.system_id = ?1 AND ?2 IN (0, l.launch_id) "                    \
    " AND e.key LIKE 'distance\\_alpha\\_s:%'"                               \
    "       ESCAPE '\\' AND l.comm_size = (SELECT max(m.comm_size)"          \
    "         FROM launch m JOIN environment n USING (launch_id)"            \
    "        WHERE m.system_id = ?1 AND m.ppn = l.ppn"                       \
    "          AND (m.shape IN (" SCATTERED "))"                             \
    "              = (l.shape IN (" SCATTERED "))"                           \
    "          AND n.key = 'distance_alpha_s:1')"                            \
    " GROUP BY scattered, l.ppn, places ORDER BY scattered, l.ppn, places"

/* --- topology ------------------------------------------------------------ */

#define LEAST_NODES 4
#define FLAT 0.10            /* tolerance of kappa if no link is shared */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* Reason why no topology can be found from these ranks, or NULL. */
static const char *unseen(const struct chorale_links *l)
{
    int nodes = l->ppn > 0 ? l->comm_size / l->ppn : 0;

    if (l->scattered)
        return "ranks do not lie on nodes in blocks";
    if (nodes < LEAST_NODES)
        return "fewer than " TEXT(LEAST_NODES) " nodes";
    if (nodes > CHORALE_WIRING_NODES)
        return "more than " TEXT(CHORALE_WIRING_NODES) " nodes";
    if (nodes * l->ppn != l->comm_size)
        return "nodes hold unequal numbers of ranks";
    return NULL;
}

size_t chorale_links_seen(const struct chorale_links *l,
                          struct chorale_wiring_measured *seen)
{
    size_t n = 0;

    if (unseen(l) != NULL)
        return 0;
    for (size_t i = 0; i < l->n; i++) {
        int places = l->at[i].places / l->ppn;

        if (places * l->ppn != l->at[i].places)
            continue;
        for (int p = CHORALE_PATTERN_SHIFT; p <= CHORALE_PATTERN_PAIRS; p++) {
            int shift = p == CHORALE_PATTERN_SHIFT;
            double kappa = shift ? l->at[i].kappa : l->at[i].pairs;

            if (kappa > 0)
                seen[n++] = (struct chorale_wiring_measured){
                    .pattern = (enum chorale_pattern)p, .places = places,
                    .kappa = kappa, .alpha = shift ? l->at[i].alpha : NAN,
                };
        }
    }
    if (l->mirror > 0)
        seen[n++] = (struct chorale_wiring_measured){
            .pattern = CHORALE_PATTERN_MIRROR, .kappa = l->mirror,
            .alpha = NAN,
        };
    return n;
}

/* -1: out of memory. */
static int find(struct chorale_links *l,
                const struct chorale_wiring_measured *seen,
                size_t n)
{
    size_t pairs = 0;

    for (size_t i = 0; i < n; i++)
        pairs += seen[i].pattern == CHORALE_PATTERN_PAIRS;
    l->unseen = unseen(l);
    if (l->unseen == NULL && pairs == 0)
        l->unseen = "no pairs were timed";
    if (l->unseen == NULL && n < CHORALE_WIRING_SEEN)
        l->unseen = "too few patterns were timed";
    l->found = l->unseen == NULL;
    if (!l->found)
        return 0;
    return chorale_wiring_find(seen, n, l->comm_size / l->ppn, l->ppn,
                               &l->wiring, &l->off);
}

/* Find the time of a hop, or of a switch level, on the topology found. If it is
 * flat but alpha depends on distance, use the geometry that explains alpha. */
static void find_step(struct chorale_links *l,
                      const struct chorale_wiring_measured *seen, size_t n)
{
    int nodes = l->comm_size / l->ppn;

    l->step_on = l->wiring;
    if (l->step_on.kind == CHORALE_WIRING_FLAT &&
        l->spread > CHORALE_LINKS_SAME)
        chorale_wiring_by_alpha(seen, n, nodes, &l->step_on);
    if (l->step_on.kind == CHORALE_WIRING_FLAT)
        return;
    l->step = chorale_wiring_delay(&l->step_on, seen, n, nodes).step;
    if (l->step_on.kind == CHORALE_WIRING_TREE)
        l->step *= 2; /* a level is an uplink and a downlink */
}

/* -1: out of memory. */
static int judge(struct chorale_links *l)
{
    struct chorale_wiring_measured seen[CHORALE_LINKS_SEEN];
    size_t n = chorale_links_seen(l, seen);
    double least = l->at[0].alpha, most = least;

    for (size_t i = 1; i < l->n; i++) {
        least = fmin(least, l->at[i].alpha);
        most = fmax(most, l->at[i].alpha);
    }
    l->spread = least > 0 ? most / least - 1 : 0;
    if (find(l, seen, n) != 0)
        return -1;
    if (n > 0)
        find_step(l, seen, n);
    return 0;
}

enum chorale_err chorale_links_wiring(struct chorale_store *store,
                                      sqlite3_int64 system_id,
                                      struct chorale_wiring *f,
                                      struct chorale_errmsg *msg)
{
    struct chorale_links *list = NULL;
    size_t count = 0, i = 0;
    enum chorale_err err = chorale_links_load(store, system_id, 0, &list,
                                              &count, msg);

    memset(f, 0, sizeof(*f));
    while (i < count && !list[i].found)
        i++;
    if (i < count)
        *f = list[i].wiring;
    free(list);
    return err;
}

/* --- reading ------------------------------------------------------------- */

static double known(sqlite3_stmt *s, int column)
{
    double value = sqlite3_column_double(s, column);

    return value > 0 && isfinite(value) ? value : NAN;
}

enum chorale_err chorale_links_load(struct chorale_store *store,
                                    sqlite3_int64 system_id,
                                    sqlite3_int64 launch_id,
                                    struct chorale_links **list_p,
                                    size_t *count_p,
                                    struct chorale_errmsg *msg)
{
    struct chorale_links *list = NULL, *grown, *l;
    sqlite3_stmt *s = NULL;
    size_t count = 0;
    enum chorale_err err = chorale_store_query(
        store, QUERY, CHORALE_FIELDS(system_id, launch_id), &s, msg);
    while (chorale_store_next(store, s, &err, msg)) {
        int ppn = sqlite3_column_int(s, 0), places = sqlite3_column_int(s, 2);
        int scattered = sqlite3_column_int(s, 7);

        if (places < 1 || isnan(known(s, 3)))
            continue; /* not written by Chorale */
        if (scattered && count > 0 && !list[0].scattered)
            break; /* block placement takes precedence */
        if (count == 0 || list[count - 1].ppn != ppn) {
            grown = realloc(list, (count + 1) * sizeof(*list));
            if (grown == NULL) {
                err = chorale_fail_memory(msg, NULL);
                break;
            }
            list = grown;
            list[count++] = (struct chorale_links){
                .ppn = ppn, .comm_size = sqlite3_column_int(s, 1),
                .mirror = known(s, 6), .scattered = scattered,
            };
        }
        l = &list[count - 1];
        if (l->n == CHORALE_LINKS_MOST)
            continue;
        l->at[l->n].places = places;
        l->at[l->n].alpha = sqlite3_column_double(s, 3);
        l->at[l->n].kappa = known(s, 4);
        l->at[l->n++].pairs = known(s, 5);
    }
    sqlite3_finalize(s);
    for (size_t i = 0; i < count && err == CHORALE_OK; i++)
        if (judge(&list[i]) != 0)
            err = chorale_fail_memory(msg, NULL);
    if (err != CHORALE_OK) {
        free(list);
        return err;
    }
    *list_p = list;
    *count_p = count;
    return CHORALE_OK;
}

/* --- seconds per word ---------------------------------------------------- */

/* alpha of the shortest messages between nodes, beta of the longest, and the
 * largest tau; NAN: not fitted. beta and tau in seconds per word. */
static void words(const struct chorale_model *m, double *alpha, double *beta,
                  double *tau)
{
    *alpha = *beta = *tau = NAN;
    for (size_t i = 0; i < m->nparam; i++) {
        const struct chorale_model_param *p = &m->param[i];
        int inside = strcmp(p->level, "node") == 0;

        if (strcmp(p->name, "alpha") == 0 &&
            strcmp(p->level, CHORALE_MODEL_LOCAL) != 0 &&
            (!inside || isnan(*alpha)) && (p->from < 0 || isnan(*alpha)))
            *alpha = p->value;
        if (strcmp(p->name, "beta") == 0 && !isfinite(p->upto) &&
            (!inside || isnan(*beta)))
            *beta = p->value * WORD;
        if (strcmp(p->name, "tau") == 0 && !(p->value * WORD <= *tau))
            *tau = p->value * WORD;
    }
}

/* 1 if b is far more than a, or if either is unknown. */
static int far_more(double b, double a)
{
    return !(b < CHORALE_LINKS_MUCH * a);
}

/* Unit of step, for output; NULL: step is unset. */
static const char *step_of(const struct chorale_links *l)
{
    return l->step_on.kind == CHORALE_WIRING_FLAT   ? NULL
           : l->step_on.kind == CHORALE_WIRING_TREE ? "switch level"
                                                    : "hop";
}

/* --- text ---------------------------------------------------------------- */

/* Print the names of all levels of a geometry. */
static void print_names(const struct chorale_wiring *f)
{
    char text[48];

    for (int i = 0; i == 0 || i < f->nlevel; i++)
        printf("%s%s", i > 0 ? ", " : "", chorale_wiring_name(f, i, text));
}

/* Print the links and how well they explain kappa. assumed: the topology found
 * with another ppn is used for the system. */
static void print_wiring(const struct chorale_links *l, int assumed)
{
    char text[48];

    printf("\n  links between nodes: ");
    if (!l->found) {
        printf("not looked for (%s)%s", l->unseen,
               assumed ? "" : ": a flat network is assumed");
        return;
    }
    if (l->wiring.kind == CHORALE_WIRING_FLAT) {
        printf(l->off <= FLAT
                   ? "none are shared (kappa within %.2g %%)"
                   : "no line, ring, grid or tree explains these kappas (off"
                     " by %.3g %%): a flat network is assumed",
               100 * l->off);
        return;
    }
    for (int i = 0; i == 0 || i < l->wiring.nlevel; i++)
        printf("%s%s, each as fast as %.3g of a node's ports",
               i > 0 ? "; " : "", chorale_wiring_name(&l->wiring, i, text),
               1 / l->wiring.ways[i]);
    printf("; explains kappa within %.2g %%", 100 * l->off);
}

/* Print the time of a step, and its geometry if found from alpha alone. */
static void print_step(const struct chorale_links *l)
{
    if (l->step_on.kind == CHORALE_WIRING_FLAT)
        return;
    printf("; %.4g us a %s", 1e6 * l->step, step_of(l));
    if (l->wiring.kind != CHORALE_WIRING_FLAT)
        return;
    printf(", as on ");
    print_names(&l->step_on);
}

static void print_distances(const struct chorale_links *l, int assumed)
{
    printf("  by distance in ranks, P = %d, ppn %d:\n    %-12s", l->comm_size,
           l->ppn, "places");
    for (size_t i = 0; i < l->n; i++)
        printf("%10d", l->at[i].places);
    printf("\n    %-12s", "alpha, us");
    for (size_t i = 0; i < l->n; i++)
        printf("%10.4g", 1e6 * l->at[i].alpha);
    printf("\n    %-12s", "kappa, ways");
    for (size_t i = 0; i < l->n; i++)
        printf("%10.4g", l->at[i].kappa);
    printf("\n    %-12s", "of pairs");
    for (size_t i = 0; i < l->n; i++)
        printf("%10.4g", l->at[i].pairs);
    print_wiring(l, assumed);
    printf("\n  assumption: alpha is the same at any distance: ");
    if (l->spread <= CHORALE_LINKS_SAME)
        printf("holds within %.2g %%", 100 * l->spread);
    else
        printf("fails, alpha differs by %.3g %%", 100 * l->spread);
    print_step(l);
    printf("\n");
}

void chorale_links_print(const struct chorale_links *list, size_t count,
                         const struct chorale_model *model)
{
    double alpha, beta, tau;
    int found = 0;

    for (size_t i = 0; i < count; i++)
        found |= list[i].found;
    for (size_t i = 0; i < count; i++)
        print_distances(&list[i], found);
    words(model, &alpha, &beta, &tau);
    if (isnan(alpha) || isnan(beta))
        return;
    printf("  assumption: tau << beta << alpha, of a word of %d bytes: ",
           WORD);
    if (far_more(beta, tau) && far_more(alpha, beta))
        printf("holds");
    else
        printf("fails%s%s",
               far_more(beta, tau) ? "" : ", beta is not far more than tau",
               far_more(alpha, beta) ? ""
                                     : ", alpha is not far more than beta");
    if (!isnan(tau))
        printf(" (%.4g, %.4g, %.4g ns)\n", 1e9 * tau, 1e9 * beta,
               1e9 * alpha);
    else
        printf(" (no tau is fitted, %.4g, %.4g ns)\n", 1e9 * beta,
               1e9 * alpha);
}

/* --- JSON ---------------------------------------------------------------- */

/* A geometry found from alpha alone has no ways: they describe kappa. */
static json_t *geometry_json(const struct chorale_wiring *f, int told,
                             int with_ways)
{
    json_t *all = json_array();
    char text[48];

    for (int i = 0; told && (i == 0 || i < f->nlevel); i++) {
        const char *name = chorale_wiring_name(f, i, text);

        json_array_append_new(all, with_ways
                                       ? json_pack("{s:s, s:f}", "name", name,
                                                   "ways", f->ways[i])
                                       : json_string(name));
    }
    return all;
}

static json_t *distances_json(const struct chorale_links *l)
{
    const char *of = step_of(l);
    json_t *at = json_array();

    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(at, json_pack(
            "{s:i, s:o, s:o, s:o}", "places", l->at[i].places, "alpha",
            chorale_json(l->at[i].alpha), "kappa",
            chorale_json(l->at[i].kappa), "pairs",
            chorale_json(l->at[i].pairs)));
    return json_pack("{s:i, s:i, s:o, s:f, s:b, s:s?, s:o, s:o, s:o, s:o,"
                     " s:f, s:s?}",
                     "comm_size", l->comm_size, "ppn", l->ppn, "distances",
                     at, "spread", l->spread, "alpha_is_the_same",
                     l->spread <= CHORALE_LINKS_SAME, "step_of", of, "step",
                     chorale_json(of != NULL ? l->step : NAN), "step_on",
                     geometry_json(&l->step_on, of != NULL, 0), "mirror",
                     chorale_json(l->mirror), "links",
                     geometry_json(&l->wiring, l->found, 1), "links_miss",
                     l->off, "links_unseen", l->unseen);
}

json_t *chorale_links_json(const struct chorale_links *list, size_t count,
                           const struct chorale_model *model)
{
    json_t *all = json_array();
    double alpha, beta, tau;

    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, distances_json(&list[i]));
    words(model, &alpha, &beta, &tau);
    return json_pack("{s:o, s:i, s:o, s:o, s:o, s:b, s:b}", "by_distance",
                     all, "word", WORD, "alpha", chorale_json(alpha), "beta",
                     chorale_json(beta), "tau", chorale_json(tau),
                     "tau_far_below_beta",
                     far_more(beta, tau), "beta_far_below_alpha",
                     far_more(alpha, beta));
}
