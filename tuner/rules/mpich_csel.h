/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_csel.h - reads and evaluates MPICH's selection trees, which are JSON.
 * The keys of an object are tests, tried in order. A path ends in a leaf that
 * names an algorithm ("algorithm=...") or a composition of collectives by the
 * device ("composition=...").
 *
 * There is no backtracking: if no test of an object holds, no algorithm is
 * found. MPICH evaluates tests of the communicator at the top of a tree when
 * the communicator is made. It evaluates those below a test of the message in
 * each call, and there MPICH 4.0 treats "comm_size<N" as "comm_size<=N". */
#ifndef CHORALE_TUNER_RULES_MPICH_CSEL_H
#define CHORALE_TUNER_RULES_MPICH_CSEL_H

#include <jansson.h>

#include "db/err.h"

/* A communicator whose ranks belong to one job. */
struct chorale_csel_comm {
    int size, nodes;
    int parent;              /* some node has several of its ranks */
    int one_node;
    int consecutive;         /* ranks of a node are consecutive; -1: unknown */
};

/* A call on such a communicator, with a built-in commutative operation, blocks
 * of one size, and no data in place. */
struct chorale_csel_call {
    unsigned long long average, total, count; /* bytes, bytes, elements */
};

/* Load the built-in trees of the MPI library in this process: of its
 * algorithms, and of its device (NULL if it has no such tree). They are
 * searched in the library's memory, because MPICH has no interface for them.
 * The caller releases both. CHORALE_ENV: no tree was found, or it cannot be
 * read. */
enum chorale_err chorale_csel_built_in(json_t **algorithms_p,
                                       json_t **device_p,
                                       struct chorale_errmsg *msg);

/* Returns 1 if the library in this process knows that key of a leaf. */
int chorale_csel_knows(const char *leaf);

/* Prune a tree for a communicator, by deciding its communicator tests as far as
 * a library does. Returns a new object that shares values with tree, or NULL if
 * nothing remains or memory is short. */
json_t *chorale_csel_prune(json_t *tree,
                           const struct chorale_csel_comm *comm);

/* Find the leaf for a call. Its key and those of its parameters, separated by
 * spaces, are stored in leaf[size]; "" if the tree has no leaf for the call. */
void chorale_csel_find(json_t *tree, const struct chorale_csel_comm *comm,
                       const struct chorale_csel_call *call, char *leaf,
                       size_t size);

/* Returns 0 if MPICH accepts the tree's form. Otherwise why[size] describes the
 * error: an unknown test, or a test that must or must not be the last. */
int chorale_csel_check(json_t *tree, char *why, size_t size);

#endif
