/* SPDX-License-Identifier: BSD-3-Clause */
/* copied.c - bytes that a rank copies inside its own memory in one call, where
 * types are their packed bytes: as the schedule notes them, without data. What
 * a collective cannot do without is stated for all its variants; what a
 * variant copies beyond that has a row, with what for. */
#include <string.h>

#include "algorithms/catalogue.h"
#include "algorithms/schedule/schedule.h"
#include "tests/tap.h"

/* Blocks of m bytes that any variant may copy: its own into place; of a
 * reduction its input, which the operation overwrites. The largest block of an
 * irregular collective is twice the mean. */
static const double usual[CHORALE_NCOLL] = {
    [CHORALE_REDUCE] = 1,         [CHORALE_ALLREDUCE] = 1,
    [CHORALE_REDUCE_SCATTER] = 2, [CHORALE_REDUCE_SCATTER_BLOCK] = 1,
    [CHORALE_GATHER] = 1,         [CHORALE_GATHERV] = 2,
    [CHORALE_SCATTER] = 1,        [CHORALE_SCATTERV] = 2,
    [CHORALE_ALLGATHER] = 1,      [CHORALE_ALLGATHERV] = 2,
    [CHORALE_ALLTOALL] = 1,       [CHORALE_ALLTOALLV] = 2,
    [CHORALE_SCAN] = 1,           [CHORALE_EXSCAN] = 1,
};

/* At most (each * P + some) m bytes. */
static const struct {
    enum chorale_coll coll;
    const char *name;
    double each, some;
    const char *what_for;
} row[] = {
    { CHORALE_BCAST, "scatter_bruck_allgather", 0, 1, "rotates the whole" },
    { CHORALE_BCAST, "or_allreduce", 0, 1, "a copy that is combined" },
    { CHORALE_REDUCE, "gather_reduce", 0, 2, "gathers into scratch" },
    { CHORALE_ALLREDUCE, "recursive_doubling", 0, 2,
      "the result may end in scratch, to keep the order" },
    { CHORALE_ALLREDUCE, "recursive_multiplying", 0, 2, "the same" },
    { CHORALE_ALLREDUCE, "recexch", 0, 2, "the same" },
    { CHORALE_ALLREDUCE, "swing_lat", 0, 2, "the same" },
    { CHORALE_ALLREDUCE, "allgather_reduce", 1, 2,
      "the exchange rotates all vectors" },
    { CHORALE_ALLREDUCE, "swing_bw", 0, 3.25,
      "blocks that lie apart travel together" },
    { CHORALE_ALLREDUCE, "bine_bw", 0, 3.25, "the same" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "butterfly", 1, 1,
      "the blocks are put in the order of bits" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_doubling", 1, 1,
      "all contributions are added up in scratch" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "circulant", 0.5, 0.5,
      "blocks from behind the end travel with the first" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "torus2d_split", 1, 0,
      "parts of the blocks lie apart" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "alltoall_reduce", 0, 2,
      "own block first into scratch" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "allreduce_select", 2, 1,
      "the allreduce's, and a block" },
    { CHORALE_REDUCE_SCATTER, "butterfly", 1, 2, "as of equal blocks" },
    { CHORALE_REDUCE_SCATTER, "recursive_doubling", 1, 2,
      "as of equal blocks" },
    { CHORALE_REDUCE_SCATTER, "circulant", 0.6, 2, "as of equal blocks" },
    { CHORALE_REDUCE_SCATTER, "torus2d_split", 1, 0, "as of equal blocks" },
    { CHORALE_REDUCE_SCATTER, "alltoall_reduce", 0, 4, "as of equal blocks" },
    { CHORALE_REDUCE_SCATTER, "allreduce_select", 2, 2,
      "as of equal blocks" },
    { CHORALE_SCATTER, "resilient", 1, 0,
      "the checksum lies behind the block" },
    { CHORALE_ALLGATHER, "bruck", 1, 1, "rotates all blocks at the end" },
    { CHORALE_ALLGATHER, "k_bruck", 1, 1, "the same" },
    { CHORALE_ALLGATHER, "circulant_log", 1, 0,
      "blocks from behind the end travel with the first" },
    { CHORALE_ALLGATHER, "locality_bruck", 1, 1,
      "rotates the nodes' blocks" },
    { CHORALE_ALLGATHER, "torus2d_broadcast", 1, 1,
      "quarters of the blocks are laid together" },
    { CHORALE_ALLGATHER, "or_allreduce", 1, 1, "zeros with one block in" },
    { CHORALE_ALLGATHERV, "bruck", 1, 2, "rotates all blocks at the end" },
    { CHORALE_ALLTOALL, "bruck", 3.5, 1,
      "rotates, and lays each round's blocks together" },
    { CHORALE_ALLTOALL, "k_bruck", 3, 0, "the same" },
    { CHORALE_ALLTOALL, "hypercube", 3, 0, "the same" },
    { CHORALE_ALLTOALL, "mesh2d", 2, 2, "each phase sorts the blocks" },
    { CHORALE_ALLTOALL, "mesh3d", 3, 0, "each phase sorts the blocks" },
    { CHORALE_ALLTOALL, "ring_updating", 2, 1,
      "what travels on is laid together" },
    { CHORALE_ALLTOALL, "mesh2d_updating", 4, 0,
      "each phase sorts halves of blocks" },
    { CHORALE_ALLTOALLV, "two_phase_bruck", 3, 0,
      "lays each round's blocks together" },
    { CHORALE_ALLTOALLV, "padded_bruck", 6, 2,
      "as alltoall bruck, with the largest block in every place" },
};
enum { NROW = sizeof(row) / sizeof(row[0]) };

static int find_row(const struct chorale_alg *alg)
{
    for (int i = 0; i < NROW; i++)
        if (row[i].coll == alg->coll && strcmp(row[i].name, alg->name) == 0)
            return i;
    return -1;
}

struct outcome {
    int points, beyond;      /* the collective's usual */
    char wrong[160];
};

static void try_point(const struct chorale_alg *alg, int p, int r,
                      struct outcome *o)
{
    static const size_t m = 64512; /* of doubles that 2, 7, 8, 12 divide */
    const struct chorale_coll_info *info = chorale_coll_info(alg->coll);
    struct chorale_point pt = {
        .comm_size = p,
        .msg_size = info->dataless ? 0 : m,
        .n = chorale_coll_n(alg->coll, info->dataless ? 0 : m, p),
        .type_size = 8,
        .commutative = 1,
        .ppn = chorale_alg_by_node(alg) ? 4 : 0,
    };
    struct chorale_schedule_sum sum;
    double most = usual[alg->coll], blocks;

    for (int i = 0; i < alg->nparam; i++)
        pt.param[i] = alg->param[i].def;
    if (chorale_schedule_walk(alg, &pt, &sum, NULL) != 0)
        return;
    o->points++;
    blocks = (double)sum.most_copied / (double)m;
    o->beyond += blocks > most + 1e-9;
    if (r >= 0)
        most = row[r].each * p + row[r].some;
    if (blocks > most + 1e-9)
        snprintf(o->wrong, sizeof(o->wrong),
                 "P=%d: a rank copies %.2f blocks of m bytes, may copy %.2f",
                 p, blocks, most);
}

/* 1: it has points. */
static int check(const struct chorale_alg *alg)
{
    static const int size[] = { 2, 7, 8, 12 };
    const char *coll = chorale_coll_info(alg->coll)->name;
    const int r = find_row(alg);
    struct outcome o = { 0 };

    for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++)
        try_point(alg, size[i], r, &o);
    if (o.points == 0)
        return 0;
    if (!tap_ok(o.wrong[0] == '\0', "%s %s copies no more than it needs%s%s",
                coll, alg->name, r >= 0 ? ": " : "",
                r >= 0 ? row[r].what_for : ""))
        tap_diag("%s; if that has to be, a row here says what for", o.wrong);
    if (r >= 0 && o.beyond == 0 && !tap_ok(0, "%s %s has a row", coll,
                                           alg->name))
        tap_diag("it copies no more than others: its row may go");
    return 1;
}

/* Builds may leave patented ones out. */
static void check_row(int i)
{
    const char *coll = chorale_coll_info(row[i].coll)->name;

    if (chorale_alg_find(row[i].coll, row[i].name) == NULL &&
        strncmp(row[i].name, "or_", 3) != 0 &&
        strcmp(row[i].name, "padded_bruck") != 0)
        tap_ok(0, "%s %s is there, as its row says", coll, row[i].name);
}

int main(void)
{
    int seen = 0;

    for (int i = 0; chorale_algs[i] != NULL; i++)
        seen += check(chorale_algs[i]);
    for (int i = 0; i < NROW; i++)
        check_row(i);
    tap_ok(seen >= 150, "of %d variants", seen);
    return tap_done();
}
