/* SPDX-License-Identifier: BSD-3-Clause */
/* replication.c - one group size: assignment of ranks to groups, the phases,
 * and the check of their result. */
#include "runners/launch/replication.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/engines/mesh_ring.h"
#include "algorithms/engines/reduction/nested_rings.h"

static const char *const nets[] = { "array", "ring", "mesh", "torus" };

int chorale_sharing_parse(const char *word, struct chorale_sharing_spec *spec)
{
    char net[16];
    int end = 0;

    *spec = (struct chorale_sharing_spec){ .net = -1 };
    if (sscanf(word, "%15[a-z]:%d:%ld:%ld:%ld:%ld:%lf:%d:%d%n", net,
               &spec->side, &spec->items, &spec->accesses, &spec->bands,
               &spec->tx, &spec->tm, &spec->nrep, &spec->both, &end) < 9 ||
        word[end] != '\0')
        return -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(net, nets[i]) == 0)
            spec->net = i;
    return spec->net >= 0 && spec->side > 1 && spec->side <= 1024 &&
                   spec->accesses > 0 && spec->bands > 0 && spec->tx > 0 &&
                   spec->nrep > 0 && spec->tm >= 0 && spec->items > 0 &&
                   spec->items % (4 * spec->bands * spec->side * spec->side)
                       == 0
               ? 0
               : -1;
}

/* --- placement ---------------------------------------------------------- */

static int flat(const struct chorale_sharing_spec *spec)
{
    return spec->net == CHORALE_SHARING_ARRAY ||
           spec->net == CHORALE_SHARING_RING;
}

static int wraps(const struct chorale_sharing_spec *spec)
{
    return spec->net == CHORALE_SHARING_RING ||
           spec->net == CHORALE_SHARING_TORUS;
}

/* Number of groups along a side. */
static int along(const struct chorale_sharing *s)
{
    return s->spec->side / s->x;
}

/* Along one side: the coordinate of a place in a group, and the inverse. */
static int coord(const struct chorale_sharing *s, int place, int group)
{
    return s->scatter ? place * along(s) + group : group * s->x + place;
}

static void split_coord(const struct chorale_sharing *s, int c, int *place,
                        int *group)
{
    *place = s->scatter ? c / along(s) : c % s->x;
    *group = s->scatter ? c % along(s) : c / s->x;
}

/* Rank at a place of a group; places and groups are numbered row by row. */
static int rank_at(const struct chorale_sharing *s, int place, int group)
{
    int g = along(s);

    if (flat(s->spec))
        return coord(s, place, group);
    return coord(s, place / s->x, group / g) * s->spec->side +
           coord(s, place % s->x, group % g);
}

static void find(const struct chorale_sharing *s, int rank, int *place,
                 int *group)
{
    int row_place, row_group, side = s->spec->side;

    split_coord(s, rank % side, place, group);
    if (flat(s->spec))
        return;
    split_coord(s, rank / side, &row_place, &row_group);
    *place += row_place * s->x;
    *group += row_group * along(s);
}

/* List n^d groups, or ranks, in the order of a ring through all of them. */
static void order(const struct chorale_sharing *s, int n, int *list)
{
    int count = flat(s->spec) ? n : n * n;

    for (int i = 0; i < count; i++)
        list[i] = i;
    if (s->spec->net == CHORALE_SHARING_MESH)
        chorale_mesh_ring(n, n, list);
}

/* Create the view of the ranks list[n], which contain this rank. */
static void view(const struct chorale_sharing *s, struct chorale_ctx *on,
                 int *list, int n)
{
    int place = 0;

    while (list[place] != s->ctx->rank)
        place++;
    chorale_ctx_view(s->ctx, on, place, n, list);
}

static void views(struct chorale_sharing *s)
{
    int *inside = s->map, *across = inside + s->members;
    int *ring = across + s->peers;

    for (int i = 0; i < s->members; i++)
        inside[i] = rank_at(s, i, s->group);
    order(s, along(s), across);
    for (int i = 0; i < s->peers; i++)
        across[i] = rank_at(s, s->place, across[i]);
    order(s, s->spec->side, ring);
    view(s, &s->inside, inside, s->members);
    view(s, &s->across, across, s->peers);
    view(s, &s->ring, ring, s->ctx->size);
}

/* Change of item i in the packet of a rank for the rank at a place. */
static int64_t change(int rank, int place, long i)
{
    return (int64_t)(rank + 1) * (1 + (31 * (int64_t)place + i) % 251);
}

static void fill(struct chorale_sharing *s)
{
    long words = s->packet * s->spec->tx;

    for (int m = 0; m < s->members; m++)
        for (long i = 0; i < words; i++)
            s->out[m * words + i] =
                i < s->packet ? change(s->ctx->rank, m, i) : -1;
}

int chorale_sharing_init(struct chorale_sharing *s, struct chorale_ctx *ctx,
                         const struct chorale_sharing_spec *spec, int x,
                         int scatter, MPI_Op op)
{
    size_t words;

    *s = (struct chorale_sharing){ .spec = spec, .ctx = ctx, .x = x,
                                   .scatter = scatter, .op = op };
    s->members = flat(spec) ? x : x * x;
    s->peers = ctx->size / s->members;
    s->chunk = spec->items / s->members;
    s->block = spec->items / ctx->size;
    s->packet = s->chunk * spec->accesses / spec->bands;
    words = (size_t)s->members * (size_t)s->packet * (size_t)spec->tx;
    s->own = calloc((size_t)s->chunk, sizeof(*s->own));
    s->out = calloc(words, sizeof(*s->out));
    s->in = calloc(words, sizeof(*s->in));
    s->mine = calloc((size_t)s->block, sizeof(*s->mine));
    s->all = calloc((size_t)spec->items, sizeof(*s->all));
    s->map = calloc((size_t)(s->members + s->peers + ctx->size),
                    sizeof(*s->map));
    if (!s->own || !s->out || !s->in || !s->mine || !s->all || !s->map)
        return MPI_ERR_NO_MEM;
    find(s, ctx->rank, &s->place, &s->group);
    views(s);
    fill(s);
    return MPI_SUCCESS;
}

void chorale_sharing_release(struct chorale_sharing *s)
{
    free(s->own);
    free(s->out);
    free(s->in);
    free(s->mine);
    free(s->all);
    free(s->map);
}

void chorale_sharing_clear(struct chorale_sharing *s)
{
    memset(s->own, 0, (size_t)s->chunk * sizeof(*s->own));
    memset(s->mine, 0, (size_t)s->block * sizeof(*s->mine));
    memset(s->all, 0, (size_t)s->spec->items * sizeof(*s->all));
}

/* --- the phases --------------------------------------------------------- */

/* Run a variant of the catalogue on one of the views. */
static int call(struct chorale_ctx *on, enum chorale_coll coll,
                const char *name, const char *params, const void *out,
                void *in, long count, MPI_Op op)
{
    const struct chorale_alg *alg = chorale_alg_find(coll, name);
    long param[CHORALE_MAX_PARAM];
    char why[200];
    struct chorale_call call = {
        .ctx = on, .sendbuf = out, .recvbuf = in, .sendcount = count,
        .recvcount = count, .sendtype = MPI_INT64_T, .recvtype = MPI_INT64_T,
        .op = op, .commutative = 1, .param = param,
    };

    if (alg == NULL || chorale_alg_params_parse(alg, params, param, why,
                                                sizeof(why)) != 0)
        return MPI_ERR_OTHER;
    return alg->run(&call);
}

/* The ring of a group is closed by a link if it spans the whole side, or if its
 * ranks are spread evenly around the side. */
int chorale_sharing_update(struct chorale_sharing *s)
{
    int closed = wraps(s->spec) && (s->scatter || s->x == s->spec->side);
    long words = s->packet * s->spec->tx;
    char params[64] = "";

    if (s->x == 1) {
        memcpy(s->in, s->out, (size_t)words * sizeof(*s->in));
        return MPI_SUCCESS;
    }
    if (flat(s->spec))
        return call(&s->inside, CHORALE_ALLTOALL,
                    closed ? "ring_updating" : "line_updating", params,
                    s->out, s->in, words, MPI_OP_NULL);
    snprintf(params, sizeof(params), "rows=%d,wrap=%d", s->x, closed);
    return call(&s->inside, CHORALE_ALLTOALL, "mesh2d_updating", params,
                s->out, s->in, words, MPI_OP_NULL);
}

/* Successive bands modify successive parts of the chunk, wrapping around. */
int chorale_sharing_modify(struct chorale_sharing *s, long band)
{
    long words = s->packet * s->spec->tx;
    int rc = MPI_SUCCESS;

    for (int m = 0; m < s->members; m++)
        for (long i = 0, n; i < s->packet && rc == MPI_SUCCESS; i += n) {
            long at = (band * s->packet + i) % s->chunk;

            n = s->packet - i < s->chunk - at ? s->packet - i
                                              : s->chunk - at;
            rc = chorale_reduce_local(s->ctx, s->in + m * words + i,
                                      s->own + at, n, MPI_INT64_T, s->op);
        }
    return rc;
}

/* Rings through the same place of all groups, in both directions; on a torus
 * along rows and columns, in both orders. */
static struct chorale_torus rings_of(const struct chorale_sharing *s)
{
    if (s->spec->net == CHORALE_SHARING_TORUS)
        return (struct chorale_torus){ .ndim = 2, .turn = 1, .both = 1,
                                       .scatter = 1,
                                       .length = { along(s), along(s) } };
    return (struct chorale_torus){ .ndim = 1, .both = 1, .scatter = 1,
                                   .length = { s->peers } };
}

/* Integrate, and collect this rank's pieces of the result. Each step's
 * additions are finished before the next step, without overlap, as in the
 * model. */
int chorale_sharing_integrate(struct chorale_sharing *s)
{
    struct chorale_torus rings = rings_of(s);
    struct chorale_call call = {
        .ctx = &s->across, .sendbuf = MPI_IN_PLACE, .recvbuf = s->own,
        .sendcount = s->chunk, .recvcount = s->chunk,
        .sendtype = MPI_INT64_T, .recvtype = MPI_INT64_T, .op = s->op,
        .commutative = 1,
    };
    int64_t *to = s->mine;
    int rc;

    if (s->peers == 1) {
        memcpy(to, s->own, (size_t)s->block * sizeof(*to));
        return MPI_SUCCESS;
    }
    rc = chorale_nested_rings(&call, &rings);
    for (int i = 0; i < chorale_nested_rings_parts(&rings); i++) {
        MPI_Count first, n = chorale_nested_rings_piece(
                             &rings, s->chunk, s->across.rank, i, &first);

        memcpy(to, s->own + first, (size_t)n * sizeof(*to));
        to += n;
    }
    return rc;
}

int chorale_sharing_broadcast(struct chorale_sharing *s)
{
    char params[64] = "";
    int torus = s->spec->net == CHORALE_SHARING_TORUS;

    if (torus)
        snprintf(params, sizeof(params), "rows=%d", s->spec->side);
    return call(&s->ring, CHORALE_ALLGATHER,
                torus ? "torus2d_broadcast" : "ring_bidir", params, s->mine,
                s->all, s->block, MPI_OP_NULL);
}

/* --- checking the result ------------------------------------------------- */

/* Sum of all changes of the items at a place, without the factor of the
 * rank. */
static void weigh(const struct chorale_sharing *s, int place, int64_t *sum)
{
    memset(sum, 0, (size_t)s->chunk * sizeof(*sum));
    for (long band = 0; band < s->spec->bands; band++)
        for (long i = 0; i < s->packet; i++)
            sum[(band * s->packet + i) % s->chunk] += change(0, place, i);
}

/* Number of wrong items in a piece of a rank's block: items first to
 * first + n - 1 of its place. */
static long compare(const int64_t *got, const int64_t *sum, MPI_Count first,
                    MPI_Count n, int64_t ranks)
{
    long wrong = 0;

    for (MPI_Count i = 0; i < n; i++)
        wrong += got[i] != sum[first + i] * ranks;
    return wrong;
}

static long wrong_block(const struct chorale_sharing *s, const int64_t *got,
                        const int64_t *sum, int peer)
{
    int64_t size = s->ctx->size, ranks = size * (size + 1) / 2;
    struct chorale_torus rings = rings_of(s);
    long wrong = 0;

    if (s->peers == 1)
        return compare(got, sum, (MPI_Count)peer * s->block, s->block, ranks);
    for (int i = 0; i < chorale_nested_rings_parts(&rings); i++) {
        MPI_Count first, n = chorale_nested_rings_piece(&rings, s->chunk,
                                                        peer, i, &first);

        wrong += compare(got, sum, first, n, ranks);
        got += n;
    }
    return wrong;
}

/* Index of the block that a group's rank has: its position in the ring. */
static int turn_of(const int *ring, int group)
{
    int turn = 0;

    while (ring[turn] != group)
        turn++;
    return turn;
}

long chorale_sharing_wrong(const struct chorale_sharing *s)
{
    int *list = calloc((size_t)(s->peers + s->ctx->size), sizeof(*list));
    int64_t *sum = calloc((size_t)s->chunk, sizeof(*sum));
    long wrong = 0;

    if (list == NULL || sum == NULL) {
        free(list);
        free(sum);
        return s->spec->items;
    }
    order(s, along(s), list);
    order(s, s->spec->side, list + s->peers);
    for (int place = 0; place < s->members; place++) {
        weigh(s, place, sum);
        for (int i = 0; i < s->ctx->size; i++) {
            int at, group;

            find(s, list[s->peers + i], &at, &group);
            if (at == place)
                wrong += wrong_block(s, s->all + i * s->block, sum,
                                     turn_of(list, group));
        }
    }
    free(list);
    free(sum);
    return wrong;
}
