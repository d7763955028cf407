/* SPDX-License-Identifier: BSD-3-Clause */
/* native_params.c - the parameters of the library's algorithms. Which variable
 * an algorithm reads is known from the sources of MPICH 4 and of Open MPI 4.1
 * and 5.0; whether it exists, and its default, from MPI_T. */
#include "runners/native/native.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SEGMENTS "segsize", "segmentsize", { 8192, 65536 }
#define REQUESTS "maxreq", "max_requests", { 1, 4 }
#define CHAINS "fanout", "chain_fanout", { 2, 8 }

static const struct chorale_native_param params[] = {
    { CHORALE_BCAST, "chain", SEGMENTS },
    { CHORALE_BCAST, "chain", CHAINS },
    { CHORALE_BCAST, "pipeline", SEGMENTS },
    { CHORALE_BCAST, "split_binary_tree", SEGMENTS },
    { CHORALE_BCAST, "binary_tree", SEGMENTS },
    { CHORALE_BCAST, "binomial", SEGMENTS },
    { CHORALE_BCAST, "knomial", SEGMENTS },
    { CHORALE_BCAST, "knomial", "radix", "knomial_radix", { 2, 8 } },
    { CHORALE_REDUCE, "chain", SEGMENTS },
    { CHORALE_REDUCE, "chain", CHAINS },
    { CHORALE_REDUCE, "chain", REQUESTS },
    { CHORALE_REDUCE, "pipeline", SEGMENTS },
    { CHORALE_REDUCE, "pipeline", REQUESTS },
    { CHORALE_REDUCE, "binary", SEGMENTS },
    { CHORALE_REDUCE, "binary", REQUESTS },
    { CHORALE_REDUCE, "binomial", SEGMENTS },
    { CHORALE_REDUCE, "binomial", REQUESTS },
    { CHORALE_REDUCE, "in-order_binary", SEGMENTS },
    { CHORALE_REDUCE, "in-order_binary", REQUESTS },
    { CHORALE_ALLREDUCE, "segmented_ring", SEGMENTS },
    { CHORALE_ALLTOALL, "linear_sync", REQUESTS },
    { CHORALE_GATHER, "linear_sync", SEGMENTS }, /* of the first message */
    { CHORALE_SCATTER, "linear_nb", REQUESTS },
    { CHORALE_BARRIER, "k_dissemination", "k", "DISSEM_KVAL", { 4, 8 } },
    { CHORALE_BARRIER, "recexch", "k", "RECEXCH_KVAL", { 4, 8 } },
    { CHORALE_BCAST, "tree", "k", "TREE_KVAL", { 4, 8 } },
    { CHORALE_BCAST, "pipelined_tree", "k", "TREE_KVAL", { 4, 8 } },
    { CHORALE_BCAST, "pipelined_tree", "chunk",
      "TREE_PIPELINE_CHUNK_SIZE", { 8192, 65536 } },
    { CHORALE_ALLGATHER, "k_brucks", "k", "BRUCKS_KVAL", { 4, 8 } },
    { CHORALE_ALLGATHER, "recexch_doubling", "k", "RECEXCH_KVAL",
      { 4, 8 } },
    { CHORALE_ALLGATHER, "recexch_halving", "k", "RECEXCH_KVAL",
      { 4, 8 } },
    { CHORALE_ALLTOALL, "k_brucks", "k", "BRUCKS_KVAL", { 4, 8 } },
    { CHORALE_ALLTOALL, "scattered", "throttle", "THROTTLE", { 1, 4 } },
    { CHORALE_ALLTOALLV, "scattered", "throttle",
      "MPIR_CVAR_ALLTOALL_THROTTLE", { 1, 4 } },
    { CHORALE_ALLGATHERV, "ring", "chunk", "PIPELINE_MSG_SIZE",
      { 8192, 65536 } },
    { CHORALE_ALLREDUCE, "tree", "k", "TREE_KVAL", { 4, 8 } },
    { CHORALE_ALLREDUCE, "tree", "chunk", "TREE_PIPELINE_CHUNK_SIZE",
      { 8192, 65536 } },
    { CHORALE_ALLREDUCE, "recexch", "k", "RECEXCH_KVAL", { 4, 8 } },
    { CHORALE_ALLREDUCE, "recursive_multiplying", "k",
      "RECURSIVE_MULTIPLYING_KVAL", { 4, 8 } },
    { CHORALE_ALLREDUCE, "k_reduce_scatter_allgather", "k", "RECEXCH_KVAL",
      { 4, 8 } },
};

const struct chorale_native_param *chorale_native_param(size_t i,
                                                        char variable[96])
{
    const struct chorale_native_param *p = &params[i];
    const char *coll;

    if (i >= sizeof(params) / sizeof(params[0]))
        return NULL;
    coll = chorale_coll_info(p->coll)->name;
    if (strncmp(p->variable, "MPIR_CVAR_", 10) == 0) {
        snprintf(variable, 96, "%s", p->variable);
        return p;
    }
    if (islower((unsigned char)p->variable[0])) {
        snprintf(variable, 96, "coll_tuned_%s_algorithm_%s", coll, p->variable);
        return p;
    }
    snprintf(variable, 96, "MPIR_CVAR_%s_%s", coll, p->variable);
    for (char *c = variable; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    return p;
}

/* The topology-aware tree types need a file of coordinates, and are others
 * without it. The modules of han's other collectives are not listed: adapt and
 * sm do not serve those. */
#define TREE(coll, algorithm, type)                                          \
    { coll, algorithm, "tree_type", type, type }
#define TREES(coll, algorithm)                                               \
    TREE(coll, algorithm, "kary"), TREE(coll, algorithm, "knomial_1"),       \
        TREE(coll, algorithm, "knomial_2")
#define HAN(coll)                                                            \
    { coll, "han_intra", "segsize", "8192", "" },                            \
    { coll, "han_intra", "segsize", "262144", "" },                          \
    { coll, "han_intra", "up_module", "1", "1 adapt" },                      \
    { coll, "han_intra", "low_module", "1", "1 sm" }

static const struct chorale_native_start starts[] = {
    TREES(CHORALE_BCAST, "tree"),
    TREES(CHORALE_BCAST, "pipelined_tree"),
    TREES(CHORALE_ALLREDUCE, "tree"),
    HAN(CHORALE_BCAST),
    HAN(CHORALE_REDUCE),
    HAN(CHORALE_ALLREDUCE),
};

const struct chorale_native_start *chorale_native_start(size_t i,
                                                        char part[96])
{
    const struct chorale_native_start *p = &starts[i];
    const char *coll;

    if (i >= sizeof(starts) / sizeof(starts[0]))
        return NULL;
    coll = chorale_coll_info(p->coll)->name;
    if (strncmp(p->algorithm, "han_", 4) == 0) {
        snprintf(part, 96, "OMPI_MCA_coll_han_%s_%s=%s", coll, p->name,
                 p->value);
        return p;
    }
    snprintf(part, 96, "MPIR_CVAR_%s_TREE_TYPE", coll);
    for (char *c = part; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    snprintf(part + strlen(part), 96 - strlen(part), "=%s", p->value);
    return p;
}
