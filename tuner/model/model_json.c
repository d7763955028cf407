/* SPDX-License-Identifier: BSD-3-Clause */
/* model_json.c - a fitted model as JSON. */
#include <math.h>

#include "tuner/model/model_show.h"
#include "tuner/base/rows.h"

static json_t *params_json(const struct chorale_model *m)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m->nparam; i++) {
        const struct chorale_model_param *p = &m->param[i];

        json_array_append_new(list, json_pack(
            "{s:s, s:s, s:o, s:o, s:s, s:s, s:i, s:o, s:o, s:o}",
            "param", p->name, "level", p->level,
            "above", p->from < 0 ? json_null() : json_real(p->from),
            "upto", chorale_json(p->upto),
            "dtype", p->tau >= 0 ? m->tau[p->tau].dtype : "",
            "op", p->tau >= 0 ? m->tau[p->tau].op : "", "ppn", p->ppn,
            "value", chorale_json(p->value), "lo", chorale_json(p->lo),
            "hi", chorale_json(p->hi)));
    }
    return list;
}

static json_t *ranks_json(const struct chorale_model_variant *v)
{
    json_t *list = json_array();

    for (size_t i = 0; i < v->nranks; i++) {
        const struct chorale_model_ranks *r = &v->ranks[i];

        json_array_append_new(list, json_pack(
            "{s:i, s:I, s:I, s:o, s:o, s:I, s:I, s:b}",
            "comm_size", r->comm_size, "points", (json_int_t)r->npoints,
            "not_counted", (json_int_t)r->nwild,
            "without", chorale_json(r->error), "ahead", chorale_json(r->ahead),
            "msg_size_from", (json_int_t)r->m_lo,
            "msg_size_upto", (json_int_t)r->m_hi, "usable",
            r->m_lo <= r->m_hi));
    }
    return list;
}

static json_t *variants_json(const struct chorale_model *m)
{
    json_t *list = json_array();

    for (size_t i = 0; i < m->nvariant; i++) {
        const struct chorale_model_variant *v = &m->variant[i];

        json_array_append_new(list, json_pack(
            "{s:s, s:s, s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:b, s:f, s:f,"
            " s:b, s:o}",
            "coll", chorale_coll_info(v->alg->coll)->name,
            "variant", v->alg->name, "shape", v->shape, "ppn", v->ppn,
            "points", (json_int_t)v->npoints,
            "median_error", chorale_json(v->median_error),
            "worst_error", chorale_json(v->worst_error),
            "foretold_error", chorale_json(v->loo_error),
            "lack_of_fit_p", chorale_json(v->lack), "lacks_fit", v->lacks,
            "reach", v->reach, "reach_msg_size", v->reach_m,
            "trusted", v->trusted, "ranks", ranks_json(v)));
    }
    return list;
}

json_t *chorale_fit_json(const struct chorale_system_row *system,
                         const struct chorale_model *m)
{
    const struct chorale_run_point *w = &m->worst;
    char ports[48];

    return json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:s, s:o, s:o, s:b, s:f, s:f,"
        " s:{s:s, s:s, s:s, s:i, s:I}, s:{s:I, s:f, s:f}, s:o, s:o}",
        "system", system->name,
        "kind", system->simulated ? "simulated" : "real",
        "points", (json_int_t)m->npoints, "cells", (json_int_t)m->ncell,
        "launches", (json_int_t)m->nlaunch,
        "ports", chorale_model_ports(&m->net, ports),
        "one_port_misses", chorale_json(m->lack[0]),
        "overlapped_misses", chorale_json(m->lack[1]),
        "trusted", m->trusted, "median_error", m->fit.median_error,
        "worst_error", m->fit.worst_error, "worst",
        "coll", chorale_coll_info(w->coll)->name, "variant", w->variant,
        "params", w->params, "comm_size", w->comm_size,
        "n", (json_int_t)w->n, "beyond",
        "points", (json_int_t)m->beyond.npoints,
        "median_error", m->beyond.median, "worst_error", m->beyond.worst,
        "parameters", params_json(m),
        "variants", variants_json(m));
}
