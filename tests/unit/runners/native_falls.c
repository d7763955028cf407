/* SPDX-License-Identifier: BSD-3-Clause */
/* native_falls.c - where Open MPI silently runs another algorithm than the one
 * forced, as observed in version 4.1.4 from the calls in ompi/mca/coll/base, at
 * 2 to 8 ranks and 1 to 100 000 elements. Rows are on both sides of borders. In
 * version 5.0.7 the messages of 4 and 5 ranks change at borders of each kind. */
#include <stddef.h>

#include "runners/native/native.h"
#include "tests/tap.h"

int main(void)
{
    static const struct {
        enum chorale_coll coll;
        const char *name;
        size_t count, segsize;
        int size, falls;
    } at[] = {
        { CHORALE_ALLREDUCE, "ring", 7, 0, 8, 1 },
        { CHORALE_ALLREDUCE, "ring", 8, 0, 8, 0 },
        { CHORALE_ALLREDUCE, "segmented_ring", 100000, 0, 2, 1 },
        { CHORALE_ALLREDUCE, "segmented_ring", 799, 800, 8, 1 },
        { CHORALE_ALLREDUCE, "segmented_ring", 800, 800, 8, 0 },
        { CHORALE_ALLREDUCE, "rabenseifner", 3, 0, 5, 1 },
        { CHORALE_ALLREDUCE, "rabenseifner", 4, 0, 5, 0 },
        { CHORALE_ALLREDUCE, "rabenseifner", 7, 0, 8, 1 },
        { CHORALE_ALLREDUCE, "recursive_doubling", 1, 0, 8, 0 },
        { CHORALE_REDUCE, "rabenseifner", 1, 0, 3, 1 },
        { CHORALE_REDUCE, "rabenseifner", 2, 0, 3, 0 },
        { CHORALE_REDUCE, "linear", 1, 0, 3, 0 },
        { CHORALE_BCAST, "split_binary_tree", 1, 0, 4, 1 },
        { CHORALE_BCAST, "split_binary_tree", 2, 0, 4, 0 },
        { CHORALE_BCAST, "split_binary_tree", 100, 408, 4, 1 },
        { CHORALE_BCAST, "split_binary_tree", 100, 400, 4, 0 },
        { CHORALE_BCAST, "scatter_allgather", 5, 0, 6, 1 },
        { CHORALE_BCAST, "scatter_allgather", 6, 0, 6, 0 },
        { CHORALE_BCAST, "scatter_allgather_ring", 1, 0, 2, 1 },
        { CHORALE_BCAST, "scatter_allgather_ring", 2, 0, 2, 0 },
        { CHORALE_BCAST, "binomial", 1, 0, 6, 0 },
        { CHORALE_ALLGATHER, "recursive_doubling", 8, 0, 8, 0 },
        { CHORALE_ALLGATHER, "recursive_doubling", 600, 0, 6, 1 },
        { CHORALE_ALLGATHER, "neighbor", 500, 0, 5, 1 },
        { CHORALE_ALLGATHER, "neighbor", 600, 0, 6, 0 },
        { CHORALE_ALLGATHER, "bruck", 5, 0, 5, 0 },
    };

    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        struct chorale_native_point pt = {
            .count = at[i].count, .type_size = 8, .segsize = at[i].segsize,
            .size = at[i].size,
        };
        const char *why = chorale_native_fallback(at[i].coll, at[i].name, &pt);

        tap_ok((why != NULL) == at[i].falls,
               "%s %s of %zu elements, segments of %zu bytes, P = %d: %s",
               chorale_coll_info(at[i].coll)->name, at[i].name, at[i].count,
               at[i].segsize, at[i].size,
               at[i].falls ? "another algorithm runs" : "this algorithm runs");
    }
    return tap_done();
}
