/* SPDX-License-Identifier: BSD-3-Clause */
/* native_falls.c - conditions under which Open MPI's tuned module silently runs
 * another algorithm than the forced one, from the sources of versions 4.1 and
 * 5.0 (ompi/mca/coll/base). Operations are commutative here. Not listed:
 * algorithms that return an error themselves (two_proc), and those built from
 * other collectives, for which the library chooses (nonoverlapping allreduce,
 * linear allgather). */
#include "runners/native/native.h"

#include <string.h>

/* Condition under which the named algorithm really runs. */
enum need {
    COUNT_P,                 /* at least one element per rank */
    COUNT_POW2,              /* at least as many elements as the largest power
                              * of two <= ranks */
    COUNT_HALVES,            /* at least one segment in each half */
    SEGMENTS,                /* at least one segment per rank */
    POW2, EVEN               /* number of ranks */
};

static const struct {
    enum chorale_coll coll;
    const char *name;
    enum need need;
    const char *why;
} falls[] = {
    { CHORALE_ALLREDUCE, "ring", COUNT_P,
      "the library runs recursive doubling: fewer elements than processes" },
    { CHORALE_ALLREDUCE, "segmented_ring", SEGMENTS,
      "the library runs ring: less than one segment per process; "
      "coll_tuned_allreduce_algorithm_segmentsize sets its size" },
    { CHORALE_ALLREDUCE, "rabenseifner", COUNT_POW2,
      "the library runs linear: fewer elements than processes" },
    { CHORALE_REDUCE, "rabenseifner", COUNT_POW2,
      "the library runs linear: fewer elements than processes" },
    { CHORALE_BCAST, "split_binary_tree", COUNT_HALVES,
      "the library runs chain: too few elements to split" },
    { CHORALE_BCAST, "scatter_allgather", COUNT_P,
      "the library runs linear: fewer elements than processes" },
    { CHORALE_BCAST, "scatter_allgather_ring", COUNT_P,
      "the library runs linear: fewer elements than processes" },
    { CHORALE_ALLGATHER, "recursive_doubling", POW2,
      "the library runs bruck: the process count is not a power of two" },
    { CHORALE_ALLGATHER, "neighbor", EVEN,
      "the library runs ring: an odd number of processes" },
};

static int holds(enum need need, const struct chorale_native_point *pt)
{
    size_t size = (size_t)pt->size, pow2 = 1, segment = pt->count;

    while (2 * pow2 <= size)
        pow2 *= 2;
    if (pt->segsize >= pt->type_size && pt->segsize / pt->type_size < segment)
        segment = pt->segsize / pt->type_size;
    switch (need) {
    case COUNT_P:
        return pt->count >= size;
    case COUNT_POW2:
        return pt->count >= pow2;
    case COUNT_HALVES:
        return pt->count >= 2 &&
               pt->count / 2 * pt->type_size >= pt->segsize;
    case SEGMENTS:
        return pt->count / size >= segment;
    case POW2:
        return pow2 == size;
    case EVEN:
        return size % 2 == 0;
    }
    return 1;
}

const char *chorale_native_fallback(enum chorale_coll coll, const char *name,
                                    const struct chorale_native_point *pt)
{
    for (size_t i = 0; i < sizeof(falls) / sizeof(falls[0]); i++)
        if (falls[i].coll == coll && strcmp(falls[i].name, name) == 0 &&
            !holds(falls[i].need, pt))
            return falls[i].why;
    return NULL;
}
