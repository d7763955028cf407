/* SPDX-License-Identifier: BSD-3-Clause */
/* rules_check.c - lists the points to check a rules file at, and compares the
 * file's choices there with the rules. */
#include "config.h"

#include "db/byte_buffer.h"
#include "tuner/rules/rules.h"

#include <stdlib.h>
#include <string.h>

struct points {
    struct chorale_rule_point *point;
    size_t count;
    int failed;
};

static void add(struct points *points, const struct chorale_rule_point *point)
{
    struct chorale_rule_point *more =
        points->failed ? NULL : chorale_array_grow(points->point, points->count,
                                                   sizeof(*more));

    if (more == NULL) {
        points->failed = 1;
        return;
    }
    points->point = more;
    points->point[points->count++] = *point;
}

/* Add the n around a border; from is the first n of a band. With blocks of one
 * size, a call's n is a multiple of the number of ranks. */
static void add_border(struct points *points, struct chorale_rule_point point,
                       unsigned long long from)
{
    const struct chorale_coll_info *info = chorale_coll_info(point.coll);
    unsigned long long step =
        info->blocks && !info->irregular ? (unsigned long long)point.comm_size
                                         : 1;
    unsigned long long first = from > 0 ? (from - 1) / step * step : 0;

    for (int i = 0; i < 3; i++) {
        point.n = first + (unsigned long long)i * step;
        if (point.n < CHORALE_RULE_NO_END && (!info->dataless || i == 0))
            add(points, &point);
    }
}

/* The ranks a node of a decision for a collective and a number of ranks on
 * several nodes, or 0. *known_p: there is any decision. */
static int nodes_ppn(const struct chorale_rules *rules, enum chorale_coll coll,
                     int comm_size, int *known_p)
{
    *known_p = 0;
    for (size_t i = 0; i < rules->count; i++) {
        const struct chorale_rule *r = &rules->rule[i];

        if (r->coll != coll || r->comm_size != comm_size)
            continue;
        *known_p = 1;
        if (r->shape != CHORALE_SHAPE_UNKNOWN &&
            r->shape != CHORALE_SHAPE_SINGLE_NODE)
            return r->ppn;
    }
    return 0;
}

static void add_set(struct points *points, const struct chorale_rules *rules,
                    size_t first, size_t end, unsigned long long *from)
{
    const struct chorale_rule *r = &rules->rule[first];
    size_t count = chorale_rules_bands(rules, first, end, from);

    for (int p = r->comm_size - 1; p <= r->comm_size + 1; p++) {
        struct chorale_rule_point point = {
            r->coll, p, { r->shape, r->ppn }, 0, 0,
        };

        int known;

        if (p < 2)
            continue;
        if (r->shape == CHORALE_SHAPE_UNKNOWN) {
            point.ppn_nodes = nodes_ppn(rules, r->coll, p, &known);
            if (!known)
                point.ppn_nodes = nodes_ppn(rules, r->coll, r->comm_size,
                                            &known);
        }
        if (r->shape == CHORALE_SHAPE_SINGLE_NODE)
            point.place.ppn = p;
        for (size_t i = 0; i < count; i++)
            add_border(points, point, from[i]);
    }
}

static int compare(const void *a, const void *b)
{
    const struct chorale_rule_point *x = a, *y = b;

    if (x->comm_size != y->comm_size)
        return x->comm_size < y->comm_size ? -1 : 1;
    if (x->place.shape != y->place.shape)
        return x->place.shape < y->place.shape ? -1 : 1;
    if (x->place.ppn != y->place.ppn)
        return x->place.ppn < y->place.ppn ? -1 : 1;
    if (x->ppn_nodes != y->ppn_nodes)
        return x->ppn_nodes < y->ppn_nodes ? -1 : 1;
    if (x->coll != y->coll)
        return x->coll < y->coll ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

enum chorale_err chorale_rule_points(const struct chorale_rules *rules,
                                     struct chorale_rule_point **point_p,
                                     size_t *count_p,
                                     struct chorale_errmsg *msg)
{
    struct points points = { NULL, 0, 0 };
    unsigned long long *from = calloc(2 * rules->count + 1, sizeof(*from));
    size_t kept = 0;

    for (size_t i = 0, end; i < rules->count && from != NULL; i = end) {
        end = chorale_rules_same_set(rules, i);
        if (!rules->rule[i].projected)
            add_set(&points, rules, i, end, from);
    }
    if (from == NULL || points.failed) {
        free(from);
        free(points.point);
        return chorale_fail_memory(msg, "generate");
    }
    free(from);
    if (points.count > 0)
        qsort(points.point, points.count, sizeof(*points.point), compare);
    for (size_t i = 0; i < points.count; i++)
        if (i == 0 || compare(&points.point[i], &points.point[i - 1]) != 0)
            points.point[kept++] = points.point[i];
    *point_p = points.point;
    *count_p = kept;
    return CHORALE_OK;
}

enum chorale_err chorale_rules_read_back(
    const struct chorale_rule_format *format,
    const struct chorale_rules *rules,
    const struct chorale_rule_files *files,
    const struct chorale_rule_point *point, size_t count,
    struct chorale_errmsg *msg)
{
    void *reader = NULL;
    char got[400];
    enum chorale_err err = format->read(files, &reader, msg);

    for (size_t i = 0; i < count && err == CHORALE_OK; i++) {
        const struct chorale_rule_point *p = &point[i];
        const char *name = chorale_rules_at(rules, p->coll, p->comm_size,
                                            &p->place, p->n);

        if (!format->agrees(reader, p, name, got, sizeof(got)))
            err = chorale_fail(msg, CHORALE_DATA, "%s at P = %d and n = %llu:"
                               " the written file chooses %s, but decided is "
                               "%s; repeat the command, report it if it "
                               "recurs", chorale_coll_info(p->coll)->name,
                               p->comm_size, p->n, got,
                               *name != '\0' ? name : "the library's default");
    }
    format->release(reader);
    return err;
}
