/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_algs.h - which tests MPICH's selection files offer for a collective,
 * and the requirements of its algorithms. MPICH runs the algorithm that a file
 * names without checking these requirements. */
#ifndef CHORALE_TUNER_RULES_MPICH_ALGS_H
#define CHORALE_TUNER_RULES_MPICH_ALGS_H

#include <jansson.h>

#include "tuner/rules/rules.h"

/* The size that a test of a collective compares: bytes of a call (AVERAGE) or
 * of all ranks (TOTAL). NONE: ranks may see different sizes, or the test is not
 * defined. */
enum chorale_mpich_key {
    CHORALE_MPICH_NONE, CHORALE_MPICH_AVERAGE, CHORALE_MPICH_TOTAL
};

struct chorale_mpich_traits {
    enum chorale_mpich_key key;
    int by_op;               /* is_op_built_in may be tested */
    int by_order;            /* is_commutative may be tested */
    int in_place;            /* is_sendbuf_inplace may be tested */
    /* The device's composition that calls the algorithms, if it also has other
     * compositions; else NULL. */
    const char *through;
};

/* Requirements of an algorithm beyond a built-in operation and no data in
 * place. */
struct chorale_mpich_need {
    enum chorale_coll coll;
    const char *name;
    int pow2;                /* the number of ranks is a power of two */
    int parent;              /* some node has several ranks */
    int inplace;             /* MPI_IN_PLACE is used */
    int whole;               /* elements >= largest power of two <= ranks */
    int regular;             /* blocks of one size */
};

const struct chorale_mpich_traits *
chorale_mpich_traits(enum chorale_coll coll);

/* The requirements of the algorithm of a choice NAME or NAME:PARAMETER=VALUE;
 * never NULL. */
const struct chorale_mpich_need *chorale_mpich_need(enum chorale_coll coll,
                                                    const char *name);

/* The key of the format for the parameter of a choice NAME:PARAMETER=VALUE, or
 * NULL: the format has no such key, or the choice has no parameter. */
const char *chorale_mpich_key(enum chorale_coll coll, const char *name);

/* The parameters of a choice NAME or NAME:PARAMETER=VALUE, a new object like
 * {"k=2": {}}; empty without parameters, NULL if memory is short. MPICH takes no
 * defaults for a parameter that a file omits. So the other values are those of
 * the control variables, with which the algorithm was measured and is forced.
 * rules: settings and origin are used.
 * Source: src/mpi/coll/coll_algorithms.txt and csel_container.c of MPICH. */
json_t *chorale_mpich_params(enum chorale_coll coll, const char *name,
                             const struct chorale_rules *rules);

/* The number of a tree type, of `length` bytes, in MPICH; -1: unknown. Some
 * versions read it in a file instead of the name. */
int chorale_mpich_tree_number(const char *type, int length);

enum { CHORALE_MPICH_LEAF = 400 };

/* Format the key of a leaf, like "algorithm=MPIR_Bcast_intra_binomial", of a
 * choice NAME or NAME:PARAMETER=VALUE. Returns 0, or -1 if the library in this
 * process has no algorithm of that name. */
int chorale_mpich_leaf(enum chorale_coll coll, const char *name,
                       char leaf[CHORALE_MPICH_LEAF]);

/* Members of chorale_rules_mpich_json; see struct chorale_rule_format. */
enum chorale_err chorale_mpich_emit(const struct chorale_rules *rules,
                                    struct chorale_rule_files *files,
                                    struct chorale_errmsg *msg);
enum chorale_err chorale_mpich_read(const struct chorale_rule_files *files,
                                    void **reader_p,
                                    struct chorale_errmsg *msg);
int chorale_mpich_agrees(const void *reader,
                         const struct chorale_rule_point *point,
                         const char *name, char *got, size_t size);
void chorale_mpich_release(void *reader);

#endif
