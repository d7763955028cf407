/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_measured_db.c - sharing replicated data on any network: what the
 * collectives of its phases took there, at each group size. See
 * replicate_internal.h.
 *
 * All processes lie as in the allgather with the most on a node, and groups are
 * of processes in a row. So a group updates with as many on a node as there
 * are of it, beside the groups that share the node; what integrates are
 * processes a group apart, as many at once on their nodes as a group has there.
 * Where the collective was not measured so (`plan --ppn`, `--siblings`), the
 * nearest to it is taken and the row says what that is. Of all variants the
 * fastest; between two sizes a straight line, beyond them nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/replicate/replicate_internal.h"

/* How a collective is placed: processes on a node, and how many like it call
 * at once there. */
struct place {
    long ppn, siblings;
};

/* The fastest at one point. */
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
        int row = 0;

        sqlite3_reset(s);
        sqlite3_bind_int64(s, 1, system_id);
        sqlite3_bind_text(s, 2, names[i], -1, SQLITE_STATIC);
        while ((err = chorale_store_step(store, s, &row, msg)) ==
                   CHORALE_OK && row) {
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

/* How many facts from i on are of the same collective, number of processes and
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

/* How far a placement is from the wanted one: one at a time is nearer than
 * another number at once, and any of these than another number on a node. */
static long off(struct place is, struct place wanted)
{
    long other = is.ppn != wanted.ppn;

    return 4 * other + (is.siblings == wanted.siblings ? 0
                        : is.siblings == 1             ? 1 : 2);
}

/* Seconds at a block of m bytes, of n facts by size; NAN: it lies beyond
 * them. */
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

/* A phase as it would be run. */
struct phase {
    const char *name;
    int coll;
    long comm_size;
    double m;                /* bytes */
    struct place place;
};

/* The nearest placement that was measured at m, else the nearest of all; of
 * equal ones that with the most on a node. NULL: none was measured. */
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

/* Of several phases one after the other. */
static void warn(struct chorale_rep_row *row, const struct phase *phase,
                 struct place is)
{
    size_t used = strlen(row->caveat);

    snprintf(row->caveat + used, sizeof(row->caveat) - used,
             "%s%s as measured with %ld a node and %ld at once, not %ld and "
             "%ld",
             used > 0 ? "; " : "", phase->name, is.ppn, is.siblings,
             phase->place.ppn, phase->place.siblings);
}

/* Seconds of a phase; NAN, and why. */
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

/* At least 1, and a quotient. */
static long share_of(long all, long by)
{
    return all > by ? all / by : 1;
}

/* Groups of g: the phases one after the other. The reduce-scatter was measured
 * with its additions. ppn: processes on a node, of all. */
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

/* The most processes of which an allgather is known. */
static long most(const struct facts *facts)
{
    long size = 0;

    for (size_t i = 0; i < facts->count; i++)
        if (facts->fact[i].coll == ALLGATHER &&
            facts->fact[i].comm_size > size)
            size = facts->fact[i].comm_size;
    return size;
}

/* On a node, of the allgather of that many, the most. */
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

enum chorale_err chorale_rep_known(struct chorale_rep_job *job,
                                   struct chorale_store *store,
                                   sqlite3_int64 system_id)
{
    struct facts facts = { NULL, 0 };
    enum chorale_err err = load(store, system_id, &facts, job->msg);

    if (err == CHORALE_OK && job->rep.side == 0)
        job->rep.side = most(&facts);
    if (err == CHORALE_OK && job->rep.side < 2)
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: no allgather is measured, by which all get "
                           "all; --system measured needs alltoall, "
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
