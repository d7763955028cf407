/* SPDX-License-Identifier: BSD-3-Clause */
/* known_schedules.c - algorithms of libraries as variants of the catalogue.
 *
 * Algorithms that call another collective of the library are not listed, since
 * the library then chooses the parts: Open MPI's allreduce nonoverlapping,
 * allgather linear, allgatherv default, reduce_scatter non-overlapping. */
#include "tuner/fit/known_schedules.h"

#include <string.h>

/* The collective whose variants serve for a collective with equal blocks. */
static enum chorale_coll regular(enum chorale_coll coll)
{
    switch (coll) {
    case CHORALE_ALLGATHERV:
        return CHORALE_ALLGATHER;
    case CHORALE_ALLTOALLV:
        return CHORALE_ALLTOALL;
    case CHORALE_REDUCE_SCATTER:
        return CHORALE_REDUCE_SCATTER_BLOCK;
    case CHORALE_GATHERV:
        return CHORALE_GATHER;
    case CHORALE_SCATTERV:
        return CHORALE_SCATTER;
    default:
        return coll;
    }
}

/* Names are those of the imported algorithms. */
static const struct {
    enum chorale_coll coll;
    const char *name, *variant, *params;
} known[] = {
    { CHORALE_BARRIER, "linear", "linear", "" },
    { CHORALE_BARRIER, "double_ring", "double_ring", "" },
    { CHORALE_BARRIER, "recursive_doubling", "recursive_doubling", "" },
    { CHORALE_BARRIER, "bruck", "dissemination", "" },
    { CHORALE_BARRIER, "dissemination", "dissemination", "" },
    { CHORALE_BARRIER, "tree", "tree", "" },
    { CHORALE_BARRIER, "two_proc", "two_proc", "" },
    { CHORALE_BCAST, "basic_linear", "linear", "" },
    { CHORALE_BCAST, "binary_tree", "binary", "segsize=0" },
    { CHORALE_BCAST, "split_binary_tree", "split_binary", "segsize=0" },
    { CHORALE_BCAST, "pipeline", "pipeline", "segsize=0" },
    { CHORALE_BCAST, "binomial", "binomial", "" },
    { CHORALE_BCAST, "knomial", "knomial", "radix=4,segsize=0" },
    { CHORALE_BCAST, "scatter_allgather", "scatter_rd_allgather", "" },
    { CHORALE_BCAST, "scatter_recursive_doubling_allgather",
      "scatter_rd_allgather", "" },
    { CHORALE_BCAST, "scatter_allgather_ring", "scatter_ring_allgather", "" },
    { CHORALE_BCAST, "scatter_ring_allgather", "scatter_ring_allgather", "" },
    { CHORALE_REDUCE, "linear", "linear", "" },
    { CHORALE_REDUCE, "pipeline", "pipeline", "segsize=0" },
    { CHORALE_REDUCE, "binary", "binary", "segsize=0" },
    { CHORALE_REDUCE, "binomial", "binomial", "segsize=0" },
    { CHORALE_REDUCE, "in-order_binary", "in_order_binary", "segsize=0" },
    { CHORALE_REDUCE, "rabenseifner", "rabenseifner", "" },
    { CHORALE_REDUCE, "reduce_scatter_gather", "rabenseifner", "" },
    { CHORALE_ALLREDUCE, "basic_linear", "linear", "" },
    { CHORALE_ALLREDUCE, "recursive_doubling", "recursive_doubling", "" },
    { CHORALE_ALLREDUCE, "ring", "ring", "" },
    /* Without a segment size there is one segment, as in ring. */
    { CHORALE_ALLREDUCE, "segmented_ring", "ring", "" },
    { CHORALE_ALLREDUCE, "rabenseifner", "rabenseifner", "" },
    { CHORALE_ALLREDUCE, "reduce_scatter_allgather", "rabenseifner", "" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_halving",
      "recursive_halving", "" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "recursive_doubling",
      "recursive_doubling", "" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "ring", "ring", "" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "pairwise", "pairwise", "" },
    { CHORALE_REDUCE_SCATTER_BLOCK, "butterfly", "butterfly", "" },
    { CHORALE_GATHER, "basic_linear", "linear", "" },
    { CHORALE_GATHER, "linear", "linear", "" },
    { CHORALE_GATHER, "binomial", "binomial", "" },
    { CHORALE_SCATTER, "basic_linear", "linear", "" },
    { CHORALE_SCATTER, "linear", "linear", "" },
    { CHORALE_SCATTER, "linear_nb", "linear_nb", "max_reqs=0" },
    { CHORALE_SCATTER, "binomial", "binomial", "" },
    { CHORALE_ALLGATHER, "bruck", "bruck", "" },
    { CHORALE_ALLGATHER, "brucks", "bruck", "" },
    { CHORALE_ALLGATHER, "recursive_doubling", "recursive_doubling", "" },
    { CHORALE_ALLGATHER, "ring", "ring", "" },
    { CHORALE_ALLGATHER, "neighbor", "neighbor_exchange", "" },
    { CHORALE_ALLGATHER, "two_proc", "two_proc", "" },
    { CHORALE_ALLGATHER, "sparbit", "sparbit", "" },
    { CHORALE_ALLTOALL, "linear", "linear_nb", "" },
    { CHORALE_ALLTOALL, "basic_linear", "linear_nb", "" },
    /* By default all messages are in flight at once. */
    { CHORALE_ALLTOALL, "linear_sync", "linear_sync", "max_reqs=0" },
    /* MPICH pairs ranks by exclusive or if P is a power of two: messages of the
     * same number and size. */
    { CHORALE_ALLTOALL, "pairwise", "pairwise_shift", "" },
    { CHORALE_ALLTOALL, "modified_bruck", "bruck", "" },
    { CHORALE_ALLTOALL, "brucks", "bruck", "" },
    { CHORALE_ALLTOALL, "two_proc", "two_proc", "" },
};

/* What a library runs instead with fewer elements than the largest power of two
 * in P, or than P. */
static const struct {
    enum chorale_coll coll;
    const char *name, *variant;
    int all;                 /* 1: than P */
} replaced[] = {
    { CHORALE_REDUCE, "rabenseifner", "linear", 0 },
    { CHORALE_REDUCE, "reduce_scatter_gather", "binomial", 0 },
    { CHORALE_ALLREDUCE, "ring", "recursive_doubling", 1 },
    { CHORALE_ALLREDUCE, "segmented_ring", "recursive_doubling", 1 },
    { CHORALE_ALLREDUCE, "rabenseifner", "linear", 0 },
    { CHORALE_ALLREDUCE, "reduce_scatter_allgather", "recursive_doubling", 0 },
};

/* Whether an imported name is that of a row: the name itself, or with an ending
 * that states that the algorithm calls MPI. */
static int is_name(const char *name, const char *imported)
{
    const size_t n = strlen(name);

    return strncmp(name, imported, n) == 0 &&
           (imported[n] == '\0' || strcmp(imported + n, "_over") == 0);
}

/* The variant that replaces a native algorithm for few elements; NULL: none. */
static const char *replacement(enum chorale_coll coll, const char *name,
                               size_t count, int comm_size)
{
    int pow2 = 1;

    while (pow2 <= comm_size / 2)
        pow2 *= 2;
    for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
        if (replaced[i].coll == coll && strcmp(replaced[i].name, name) == 0 &&
            count < (size_t)(replaced[i].all ? comm_size : pow2))
            return replaced[i].variant;
    return NULL;
}

int chorale_known_schedule(const struct chorale_run_point *run,
                           struct chorale_known_schedule *out)
{
    const int native = strcmp(run->provider, "native") == 0;
    const enum chorale_coll coll = regular(run->coll);
    const char *few = NULL;

    /* Of the parameters only the name of an implementation is known. */
    if ((!native && strcmp(run->provider, "foreign") != 0) ||
        (*run->params != '\0' && (strncmp(run->params, "impl=", 5) != 0 ||
                                  strchr(run->params, ',') != NULL)))
        return -1;
    if (native)
        few = replacement(coll, run->variant,
                          run->n / chorale_run_type_size(run), run->comm_size);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct chorale_alg_config config;

        if (known[i].coll != coll || !is_name(known[i].name, run->variant))
            continue;
        config = few != NULL ? chorale_alg_configure(coll, few, "")
                             : chorale_alg_configure(coll, known[i].variant,
                                                     known[i].params);
        out->alg = config.alg;
        memcpy(out->param, config.value, sizeof(out->param));
        return config.alg != NULL ? 0 : -1;
    }
    return -1;
}
