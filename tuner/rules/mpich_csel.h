/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_csel.h - selection trees of MPICH, as JSON: objects whose keys are tests,
 * tried in order, down to one that names an algorithm ("algorithm=...") or
 * what the device makes of others ("composition=...").
 *
 * Where no test of an object holds there is no algorithm: a test that was
 * passed is never taken back. Tests of the communicator at the top of a tree
 * are settled when a communicator is made; those below a test of the message
 * are asked in each call, where MPICH 4.0 takes "comm_size<N" for "<=". */
#ifndef CHORALE_TUNER_RULES_MPICH_CSEL_H
#define CHORALE_TUNER_RULES_MPICH_CSEL_H

#include <jansson.h>

#include "db/err.h"

/* A communicator within one job. */
struct chorale_csel_comm {
    int size, nodes;
    int parent;              /* some node has several of its ranks */
    int one_node;
    int consecutive;         /* ranks of a node are in a row; -1: unknown */
};

/* A call on it, by a built-in operation that commutes, blocks of one size,
 * nothing in place. */
struct chorale_csel_call {
    unsigned long long average, total, count; /* bytes, bytes, elements */
};

/* The trees that the MPI library in this process has built in: of its
 * algorithms, and of its device (NULL where that has none). Found in its
 * memory, as nothing tells them. CHORALE_ENV: it has none, or they cannot be
 * read. */
enum chorale_err chorale_csel_built_in(json_t **algorithms_p,
                                       json_t **device_p,
                                       struct chorale_errmsg *msg);

/* 1 if the library in this process knows that key of a leaf. */
int chorale_csel_knows(const char *leaf);

/* What is left of a tree for a communicator when tests of it are settled as
 * far as a library does: a new object that shares what it has with tree.
 * NULL: nothing, or out of memory. */
json_t *chorale_csel_prune(json_t *tree,
                           const struct chorale_csel_comm *comm);

/* Key of the leaf that a call comes to, in leaf[size]; "": there is none. */
void chorale_csel_find(json_t *tree, const struct chorale_csel_comm *comm,
                       const struct chorale_csel_call *call, char *leaf,
                       size_t size);

/* 0 if the tree has the form that MPICH accepts; else why[size] says what is
 * wrong: an unknown test, or one that needs another to follow it. */
int chorale_csel_check(json_t *tree, char *why, size_t size);

#endif
