#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# random.t - programs under tables drawn by lot, which no measurement would
# ever make: whatever a table says, results are right. Seeds 1 ... 3, or as
# many as CHORALE_TABLE_SEEDS says.
. "$(dirname "$0")/helpers.sh"

[ -x "$top_builddir/chorale" ] || skip_all "chorale is not built"
for name in app blocks; do
    program $name || skip_all "$MPICC does not compile $name.c"
done
variants=0
for seed in simplest $(seq "${CHORALE_TABLE_SEEDS:-3}"); do
    drawn "$seed"
    ok $? "table $seed"
    : >"$work/chosen"
    for P in 1 2 3 4 5 8; do
        for name in app blocks; do
            run $P "$shim" CHORALE_DISPATCH="$work/$seed.so" \
                CHORALE_VERBOSE=1 CHORALE_AFTER=1 "$work/$name"
            [ $status -eq 0 ] && grep -q "^$name: wrong=0" "$work/out" &&
                ! grep -q 'left to the library' "$work/err"
            ok $? "table $seed: $name, P=$P"
            cat "$work/err" >>"$work/chosen"
        done
    done
    if [ "$seed" = simplest ]; then
        for coll in barrier bcast reduce allreduce reduce_scatter_block \
                    reduce_scatter gather gatherv scatter scatterv allgather \
                    allgatherv alltoall alltoallv scan exscan; do
            grep "^chorale: $coll [nP]" "$work/chosen" | grep -qv 'library$'
            ok $? "table $seed: $coll was run by a variant"
        done
    fi
    variants=$((variants + $(sed -n 's/^chorale: \([a-z_]*\) .* -> /\1 /p' \
        "$work/chosen" | grep -v 'library$' | sort -u | wc -l)))
done
[ $variants -gt $((16 * ${CHORALE_TABLE_SEEDS:-3})) ]
ok $? "$variants variants with parameters ran"
# The same seed, the same table.
sh "$top_srcdir/tests/shim/random_table.sh" 1 | cmp -s - "$work/1.c"
ok $? "a seed says the table"
! sh "$top_srcdir/tests/shim/random_table.sh" 01 >"$work/out" 2>"$work/err" &&
    grep -q "'01' is no seed" "$work/err"
ok $? "a bad seed costs one line"
finish
