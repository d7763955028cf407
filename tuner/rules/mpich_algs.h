/* SPDX-License-Identifier: BSD-3-Clause */
/* mpich_algs.h - what MPICH's selection files can ask, and what its algorithms need
 * that is not asked for them: an algorithm that a file names is called. */
#ifndef CHORALE_TUNER_RULES_MPICH_ALGS_H
#define CHORALE_TUNER_RULES_MPICH_ALGS_H

#include "tuner/rules/rules.h"

/* How a collective's size is tested: bytes of a call (AVERAGE) or of all
 * ranks (TOTAL); not at all where the test knows less than all ranks do, or
 * is not defined. */
enum chorale_mpich_key {
    CHORALE_MPICH_NONE, CHORALE_MPICH_AVERAGE, CHORALE_MPICH_TOTAL
};

struct chorale_mpich_traits {
    enum chorale_mpich_key key;
    int by_op;               /* is_op_built_in may be asked, or ... */
    int by_order;            /* is_commutative */
    int in_place;            /* is_sendbuf_inplace may be asked */
    const char *through;     /* what the device calls the algorithms by, where
                              * it has something else; or NULL */
};

/* Beyond a built-in operation and nothing in place. */
struct chorale_mpich_need {
    enum chorale_coll coll;
    const char *name;
    int pow2;                /* of ranks */
    int parent;              /* several ranks on some node */
    int inplace;
    int whole;               /* elements >= the largest power of two of ranks */
    int regular;             /* blocks of one size */
};

const struct chorale_mpich_traits *
chorale_mpich_traits(enum chorale_coll coll);

/* Of an algorithm; never NULL. */
const struct chorale_mpich_need *chorale_mpich_need(enum chorale_coll coll,
                                                    const char *name);

enum { CHORALE_MPICH_LEAF = 160 };

/* "algorithm=MPIR_Bcast_intra_binomial"; 0, or -1: the library in this
 * process has no algorithm of that name. */
int chorale_mpich_leaf(enum chorale_coll coll, const char *name,
                       char leaf[CHORALE_MPICH_LEAF]);

/* Members of chorale_rules_mpich_json. */
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
