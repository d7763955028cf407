/* SPDX-License-Identifier: BSD-3-Clause */
/* replicate_fitted.c - loads fitted values for `chorale replicate`: the network
 * and its side from the links, T_m and latency from the parameters. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "db/systems.h"
#include "tuner/replicate/replicate_internal.h"
#include "tuner/model/topology.h"

/* --- parameters --------------------------------------------------------- */

/* Load a parameter: the one between nodes, else of all levels; of the regime of
 * the longest messages. */
static enum chorale_err parameter(struct chorale_store *store,
                                  sqlite3_int64 system_id, const char *name,
                                  double *value, struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT value FROM model WHERE system_id = ?1 AND param = ?2"
        " ORDER BY level <> 'net', level <> 'all', upto IS NOT NULL,"
        " upto DESC, dtype <> 'double', op <> 'sum', value LIMIT 1",
        CHORALE_FIELDS(system_id, name), &s, msg);

    *value = NAN;
    if (chorale_store_next(store, s, &err, msg))
        *value = sqlite3_column_double(s, 0);
    sqlite3_finalize(s);
    return err;
}

static enum chorale_err read_model(struct chorale_rep_job *job,
                                   struct chorale_store *store,
                                   sqlite3_int64 id)
{
    const char *path = chorale_store_path(store);
    int need_beta = !job->known || !isnan(job->opts->tm);
    enum chorale_err err = parameter(store, id, "alpha", &job->alpha_s,
                                     job->msg);

    if (err == CHORALE_OK)
        err = parameter(store, id, "beta", &job->beta, job->msg);
    if (err == CHORALE_OK)
        err = parameter(store, id, "tau", &job->tau, job->msg);
    if (err == CHORALE_OK && need_beta && !(job->beta > 0))
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: no beta is fitted; run `chorale fit`", path);
    if (err == CHORALE_OK && isnan(job->tau) && isnan(job->opts->tm))
        err = chorale_fail(job->msg, CHORALE_DATA,
                           "%s: no tau is fitted; measure a reduction too, or "
                           "say --tm", path);
    if (err == CHORALE_OK && !isnan(job->opts->tm))
        job->tau = job->opts->tm * job->beta;
    return err;
}

static enum chorale_err open_system(struct chorale_rep_job *job,
                                    const char *path,
                                    struct chorale_store **store,
                                    sqlite3_int64 *id)
{
    enum chorale_err err =
        chorale_store_open(path, CHORALE_STORE_READ, store, job->msg);

    return err != CHORALE_OK ? err
                             : chorale_store_system(*store, job->opts->in, id,
                                                    NULL, job->msg);
}

enum chorale_err chorale_rep_fitted(struct chorale_rep_job *job,
                                    const char *path)
{
    struct chorale_store *store = NULL;
    sqlite3_int64 id = 0;
    enum chorale_err err = open_system(job, path, &store, &id);

    if (err == CHORALE_OK)
        err = read_model(job, store, id);
    if (err == CHORALE_OK && job->known)
        err = chorale_rep_load_db(job, store, id);
    chorale_store_close(store);
    return err;
}

/* --- links -------------------------------------------------------------- */

/* Load the fitted links between nodes; kind flat if none are fitted. */
static enum chorale_err read_links(struct chorale_store *store,
                                   sqlite3_int64 system_id,
                                   struct chorale_wiring *f,
                                   struct chorale_errmsg *msg)
{
    sqlite3_stmt *s = NULL;
    enum chorale_err err = chorale_store_query(
        store, "SELECT level, value FROM model WHERE system_id = ?1"
        " AND param = 'kappa' AND ppn = 0 ORDER BY model_id",
        CHORALE_FIELDS(system_id), &s, msg);
    while (chorale_store_next(store, s, &err, msg))
        /* other levels are patterns */
        (void)chorale_wiring_read(f, (const char *)sqlite3_column_text(s, 0),
                                  sqlite3_column_double(s, 1));
    sqlite3_finalize(s);
    return err;
}

/* Set the network and side of such links. Returns -1 if the model has no such
 * network. */
static int net_of(const struct chorale_wiring *f, struct chorale_rep *rep,
                  long *side)
{
    if (f->kind != CHORALE_WIRING_GRID ||
        (f->rows != 1 && f->rows != f->cols))
        return -1;
    rep->net = f->rows == 1 ? (f->wraps ? CHORALE_REP_RING
                                        : CHORALE_REP_ARRAY)
                            : (f->wraps ? CHORALE_REP_TORUS
                                        : CHORALE_REP_MESH);
    rep->link = f->one_way ? 2 : 1;
    *side = f->cols;
    return 0;
}

static enum chorale_err unknown(struct chorale_rep_job *job, const char *path,
                                const char *links)
{
    char what[300];

    if (links[0] == '\0')
        snprintf(what, sizeof(what), "%.200s has no fitted links that show it",
                 path);
    else
        snprintf(what, sizeof(what), "the links that %.200s has are a %.40s, "
                 "which the model does not know", path, links);
    return chorale_fail(job->msg, CHORALE_USAGE, "--system: unknown network, "
                        "as %s; give --system, as RS2, and --n", what);
}

static void take_side(struct chorale_rep_job *job, long side,
                      const char *links)
{
    if (job->opts->n == 0)
        job->rep.side = side;
    snprintf(job->links, sizeof(job->links), "%s", links);
}

enum chorale_err chorale_rep_links(struct chorale_rep_job *job,
                                   const char *path)
{
    struct chorale_store *store = NULL;
    struct chorale_wiring f = { .kind = CHORALE_WIRING_FLAT };
    struct chorale_rep found = job->rep;
    char text[48] = "";
    sqlite3_int64 id = 0;
    long side = 0;
    int known;
    enum chorale_err err = open_system(job, path, &store, &id);

    if (err == CHORALE_OK)
        err = read_links(store, id, &f, job->msg);
    chorale_store_close(store);
    if (err != CHORALE_OK)
        return err;
    if (f.kind != CHORALE_WIRING_FLAT)
        chorale_wiring_name(&f, 0, text);
    known = net_of(&f, &found, &side) == 0;
    if (job->opts->net != NULL) {
        if (known && found.net == job->rep.net)
            take_side(job, side, text);
        return CHORALE_OK;
    }
    if (!known)
        return unknown(job, path, text);
    job->rep.net = found.net;
    job->rep.link = found.link;
    take_side(job, side, text);
    return CHORALE_OK;
}
