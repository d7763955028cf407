/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_measured_db.c - computes the cost of replicated data on any network
 * from measured times of the collectives of its phases.
 *
 * Processes are placed as in the allgather with the most processes a node, and
 * a group is a block of consecutive processes. A group updates with as many
 * processes a node as it has there, at the same time as the other groups on the
 * node. Integration joins processes a group apart; each node takes part in as
 * many at once as a group has processes there.
 *
 * If a collective was not measured with that placement (`plan --ppn`,
 * `--siblings`), the nearest one is used and the row reports it. The fastest
 * variant counts. Between two sizes times are interpolated linearly; beyond
 * them they are unknown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/replicate/replicate_internal.h"

/* The placement of a collective: processes a node, and equal collectives that
 * run at once there. */
struct place {
    long ppn, siblings;
};

/* The time of the fastest variant at one point. */
struct fact {
    enum { ALLTOALL, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, ALLGATHER } coll;
    long comm_size;
    struct place place;
    double msg_size, seconds;
};

struct facts {
    struct fact *fact;       /* by collective, processes, placement, size */
    size_t count;
};

static const char *const names[] = { "alltoall", "reduce_scatter",
                                     "reduce_scatter_block", "allgather" };

#define QUERY                                                                \
    "SELECT comm_size, ppn, max(1, CAST(siblings AS INTEGER)) AS at_once,"   \
    " msg_size, min(seconds) FROM v_best"                                    \
    " WHERE system_id = ?1 AND coll = ?2 AND arrival = 'sync'"               \
    "   AND metric = 'duration' AND msg_size > 0"                            \
    "   AND validity NOT LIKE '%suspicious%'"                                \
    " GROUP BY comm_size, ppn, at_once, msg_size"                            \
    " ORDER BY comm_size, ppn DESC, at_once, msg_size"

static int add(struct facts *facts, const struct fact *fact)
{
    struct fact *grown = realloc(facts->fact,
                                 (facts->count + 1) * sizeof(*grown));

    if (grown == NULL)
        return -1;
    facts->fact = grown;
    grown[facts->count++] = *fact;
    return 0;
}

static enum chorale_err load(struct chorale_store *store,
                             sqlite3_int64 system_id, struct facts *facts,
                             struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_prepare(store, QUERY, &s, msg);

    for (int i = 0; i < 4 && err == CHORALE_OK; i++) {
        err = chorale_store_bind(store, s, 1,
                                 CHORALE_FIELDS(system_id, names[i]), msg);
        while (chorale_store_next(store, s, &err, msg)) {
            struct fact fact = {
                .comm_size = (long)sqlite3_column_int64(s, 0),
                .place = { (long)sqlite3_column_int64(s, 1),
                           (long)sqlite3_column_int64(s, 2) },
                .msg_size = sqlite3_column_double(s, 3),
                .seconds = sqlite3_column_double(s, 4),
            };

            fact.coll = i == 0   ? ALLTOALL
                        : i == 1 ? REDUCE_SCATTER
                        : i == 2 ? REDUCE_SCATTER_BLOCK
                                 : ALLGATHER;
            if (add(facts, &fact) != 0) {
                err = chorale_fail_memory(msg, NULL);
                break;
            }
        }
    }
    sqlite3_finalize(s);
    return err;
}

/* --- one collective ------------------------------------------------------ */

/* The number of facts from i on with the same collective, processes and
 * placement. */
static size_t run_of(const struct facts *facts, size_t i)
{
    const struct fact *first = &facts->fact[i];
    size_t n = 1;

    for (; i + n < facts->count; n++) {
        const struct fact *f = &facts->fact[i + n];

        if (f->coll != first->coll || f->comm_size != first->comm_size ||
            f->place.ppn != first->place.ppn ||
            f->place.siblings != first->place.siblings)
            break;
    }
    return n;
}

/* The distance of a placement from the wanted one. A wrong number of processes
 * a node weighs most. Of wrong numbers of siblings, 1 is nearest. */
static long off(struct place is, struct place wanted)
{
    long other = is.ppn != wanted.ppn;

    return 4 * other + (is.siblings == wanted.siblings ? 0
                        : is.siblings == 1             ? 1 : 2);
}

/* Seconds at a block of m bytes, interpolated between n facts sorted by size.
 * NAN outside. */
static double between(const struct fact *f, size_t n, double m)
{
    size_t i = 0;
    double share;

    if (m < f[0].msg_size || m > f[n - 1].msg_size)
        return NAN;
    while (i + 1 < n && f[i + 1].msg_size < m)
        i++;
    if (i + 1 == n)
        return f[i].seconds;
    share = (m - f[i].msg_size) / (f[i + 1].msg_size - f[i].msg_size);
    return (1 - share) * f[i].seconds + share * f[i + 1].seconds;
}

/* A phase as it would run. */
struct phase {
    const char *name;
    int coll;
    long comm_size;
    double m;                /* bytes */
    struct place place;
};

/* The nearest placement that was measured at m, else the nearest of all. Of
 * equal ones the one with the most processes a node. NULL if nothing
 * matches. */
static const struct fact *nearest(const struct facts *facts,
                                  const struct phase *phase, size_t *n)
{
    const struct fact *best = NULL;
    int best_at_m = 0;

    for (size_t i = 0, k; i < facts->count; i += k) {
        const struct fact *f = &facts->fact[i];
        int at_m;

        k = run_of(facts, i);
        if ((int)f->coll != phase->coll || f->comm_size != phase->comm_size)
            continue;
        at_m = !isnan(between(f, k, phase->m));
        if (best != NULL &&
            (at_m < best_at_m ||
             (at_m == best_at_m &&
              off(f->place, phase->place) >= off(best->place, phase->place))))
            continue;
        best = f;
        best_at_m = at_m;
        *n = k;
    }
    return best;
}

/* Note that a phase was measured with another placement. */
static void warn(struct chorale_rep_row *row, const struct phase *phase,
                 struct place is)
{
    size_t used = strlen(row->caveat);

    snprintf(row->caveat + used, sizeof(row->caveat) - used,
             "%s%s was measured with %ld a node and %ld at once, not with %ld "
             "and %ld",
             used > 0 ? "; " : "", phase->name, is.ppn, is.siblings,
             phase->place.ppn, phase->place.siblings);
}

/* Seconds of a phase; NAN sets row->why. */
static double time_of(const struct facts *facts, struct phase phase,
                      struct chorale_rep_row *row)
{
    const struct fact *f;
    size_t n = 0;
    double seconds;

    f = nearest(facts, &phase, &n);
    if (phase.coll == REDUCE_SCATTER_BLOCK && f == NULL) {
        phase.coll = REDUCE_SCATTER;
        f = nearest(facts, &phase, &n);
    }
    if (f == NULL) {
        snprintf(row->why, sizeof(row->why), "no %s of %ld processes is "
                 "measured", phase.coll == REDUCE_SCATTER
                                 ? "reduce_scatter_block"
                                 : names[phase.coll], phase.comm_size);
        return NAN;
    }
    seconds = between(f, n, phase.m);
    if (isnan(seconds))
        snprintf(row->why, sizeof(row->why), "%s of %ld processes is measured "
                 "from %.0f to %.0f bytes, not at %.0f", names[phase.coll],
                 phase.comm_size, f[0].msg_size, f[n - 1].msg_size, phase.m);
    else if (off(f->place, phase.place) > 0)
        warn(row, &phase, f->place);
    return seconds;
}

/* --- all phases ---------------------------------------------------------- */

/* The quotient, but at least 1. */
static long share_of(long all, long by)
{
    return all > by ? all / by : 1;
}

/* Fill the row of groups of g, phases in sequence. The time of the
 * reduce-scatter includes its additions. ppn: processes a node in total. */
static void fill(const struct chorale_rep_job *job, const struct facts *facts,
                 long ppn, struct chorale_rep_row *row)
{
    const struct chorale_rep *rep = &job->rep;
    long g = row->side, here = g < ppn ? g : ppn;
    double size = (double)rep->side;
    double bytes = rep->data * (double)job->opts->datum;
    double packet = rep->accesses * rep->tx * bytes / (rep->bands * (double)g);
    struct chorale_rep_cost *c = &row->cost;

    c->latency = 0;
    c->updating = c->integration = 0;
    c->broadcasting =
        time_of(facts, (struct phase){ "broadcasting", ALLGATHER, rep->side,
                                       bytes / size, { ppn, 1 } }, row);
    if (g > 1)
        c->updating = rep->bands *
                      time_of(facts, (struct phase){
                                  "updating", ALLTOALL, g, packet,
                                  { here, share_of(ppn, g) } }, row);
    if (g < rep->side)
        c->integration =
            time_of(facts, (struct phase){
                        "integration", REDUCE_SCATTER_BLOCK, rep->side / g,
                        bytes / size, { share_of(ppn, g), here } }, row);
    c->modification = rep->accesses * bytes * job->tau;
    c->total = c->updating + c->integration + c->broadcasting +
               c->modification;
}

/* The most processes with a measured allgather. */
static long most(const struct facts *facts)
{
    long size = 0;

    for (size_t i = 0; i < facts->count; i++)
        if (facts->fact[i].coll == ALLGATHER &&
            facts->fact[i].comm_size > size)
            size = facts->fact[i].comm_size;
    return size;
}

/* The most processes a node of that allgather. */
static long most_on_node(const struct facts *facts, long size)
{
    long ppn = 1;

    for (size_t i = 0; i < facts->count; i++)
        if (facts->fact[i].coll == ALLGATHER &&
            facts->fact[i].comm_size == size &&
            facts->fact[i].place.ppn > ppn)
            ppn = facts->fact[i].place.ppn;
    return ppn;
}

enum chorale_err chorale_rep_load_db(struct chorale_rep_job *job,
                                     struct chorale_store *store,
                                     sqlite3_int64 system_id)
{
    struct facts facts = { NULL, 0 };
    enum chorale_err err = load(store, system_id, &facts, job->msg);

    if (err == CHORALE_OK && job->rep.side == 0)
        job->rep.side = most(&facts);
    if (err == CHORALE_OK && job->rep.side < 2)
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: no allgather is measured, the last phase; "
                           "--system measured needs alltoall, "
                           "reduce_scatter_block and allgather",
                           chorale_store_path(store));
    for (long g = 1; g <= job->rep.side && err == CHORALE_OK; g++) {
        struct chorale_rep_row *row;

        if (job->rep.side % g != 0)
            continue;
        row = chorale_rep_add_row(job, g);
        if (row == NULL)
            err = chorale_fail_memory(job->msg, NULL);
        else
            fill(job, &facts, most_on_node(&facts, job->rep.side), row);
    }
    free(facts.fact);
    return err;
}
