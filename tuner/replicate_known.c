/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_known.c - sharing replicated data on any network: what the
 * collectives of its phases took there, at each group size. See
 * replicate_job.h.
 *
 * Of several placements of as many processes the one with the most on a node
 * is taken, of all variants the fastest; between two sizes a straight line,
 * beyond them nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/replicate_job.h"

/* The fastest at one point. */
struct fact {
    enum { ALLTOALL, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, ALLGATHER } coll;
    long comm_size, ppn;
    double msg_size, seconds;
};

struct facts {
    struct fact *fact;       /* by collective, processes, size */
    size_t count;
};

static const char *const names[] = { "alltoall", "reduce_scatter",
                                     "reduce_scatter_block", "allgather" };

#define QUERY                                                                \
    "SELECT coll, comm_size, ppn, msg_size, min(seconds) FROM v_best"        \
    " WHERE system_id = ?1 AND coll = ?2 AND arrival = 'sync'"               \
    "   AND siblings = 'alone' AND metric = 'duration' AND msg_size > 0"     \
    "   AND validity NOT LIKE '%suspicious%'"                                \
    " GROUP BY comm_size, ppn, msg_size"                                     \
    " ORDER BY comm_size, ppn DESC, msg_size"

static int add(struct facts *facts, const struct fact *fact)
{
    struct fact *grown;

    if (facts->count > 0) {
        const struct fact *last = &facts->fact[facts->count - 1];

        if (last->coll == fact->coll && last->comm_size == fact->comm_size &&
            last->ppn != fact->ppn)
            return 0; /* fewer processes a node */
    }
    grown = realloc(facts->fact, (facts->count + 1) * sizeof(*grown));
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
                .comm_size = (long)sqlite3_column_int64(s, 1),
                .ppn = (long)sqlite3_column_int64(s, 2),
                .msg_size = sqlite3_column_double(s, 3),
                .seconds = sqlite3_column_double(s, 4),
            };

            fact.coll = i == 0   ? ALLTOALL
                        : i == 1 ? REDUCE_SCATTER
                        : i == 2 ? REDUCE_SCATTER_BLOCK
                                 : ALLGATHER;
            if (add(facts, &fact) != 0) {
                err = chorale_fail(msg, CHORALE_ENV, "out of memory");
                break;
            }
        }
    }
    sqlite3_finalize(s);
    return err;
}

/* Facts of a collective of so many processes: how many, the first in *first. */
static size_t of(const struct facts *facts, int coll, long comm_size,
                 const struct fact **first)
{
    size_t n = 0;

    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->fact[i];

        if ((int)fact->coll != coll || fact->comm_size != comm_size)
            continue;
        if (n++ == 0)
            *first = fact;
    }
    return n;
}

/* Seconds at a block of m bytes; NAN, and why. */
static double time_at(const struct facts *facts, int coll, long comm_size,
                      double m, struct chorale_rep_row *row)
{
    const struct fact *f = NULL;
    size_t n = of(facts, coll, comm_size, &f), i = 0;
    double share;

    if (coll == REDUCE_SCATTER_BLOCK && n == 0) {
        coll = REDUCE_SCATTER;
        n = of(facts, coll, comm_size, &f);
    }
    if (n == 0) {
        snprintf(row->why, sizeof(row->why), "no %s of %ld processes is "
                 "measured", coll == REDUCE_SCATTER ? "reduce_scatter_block"
                                                    : names[coll], comm_size);
        return NAN;
    }
    if (m < f[0].msg_size || m > f[n - 1].msg_size) {
        snprintf(row->why, sizeof(row->why), "%s of %ld processes is measured "
                 "from %.0f to %.0f bytes, not at %.0f", names[coll],
                 comm_size, f[0].msg_size, f[n - 1].msg_size, m);
        return NAN;
    }
    while (i + 1 < n && f[i + 1].msg_size < m)
        i++;
    if (i + 1 == n)
        return f[i].seconds;
    share = (m - f[i].msg_size) / (f[i + 1].msg_size - f[i].msg_size);
    return (1 - share) * f[i].seconds + share * f[i + 1].seconds;
}

/* Groups of g: the phases one after the other. The reduce-scatter was measured
 * with its additions. */
static void fill(const struct chorale_rep_job *job, const struct facts *facts,
                 struct chorale_rep_row *row)
{
    const struct chorale_rep *rep = &job->rep;
    double g = (double)row->side, size = (double)rep->side;
    double bytes = rep->data * (double)job->opts->datum;
    struct chorale_rep_cost *c = &row->cost;

    c->latency = 0;
    c->updating = c->integration = 0;
    c->broadcasting = time_at(facts, ALLGATHER, rep->side, bytes / size, row);
    if (row->side > 1)
        c->updating = rep->bands *
                      time_at(facts, ALLTOALL, row->side,
                              rep->accesses * rep->tx * bytes /
                                  (rep->bands * g), row);
    if (row->side < rep->side)
        c->integration = time_at(facts, REDUCE_SCATTER_BLOCK,
                                 rep->side / row->side, bytes / size, row);
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
            err = chorale_fail(job->msg, CHORALE_ENV, "out of memory");
        else
            fill(job, &facts, row);
    }
    free(facts.fact);
    return err;
}
