#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# blind.t - from a database through `chorale generate` to a program: the
# collectives whose ranks do not know the size get the one choice of their
# number of ranks, with equal, unequal and empty blocks; those whose ranks know
# the sum get the choice of the sum.
. "$(dirname "$0")/helpers.sh"

chorale=$(cd "$top_builddir" && pwd)/chorale
[ -x "$chorale" ] && [ -x "$chorale-runner" ] ||
    skip_all "chorale and its runner are not built"
command -v sqlite3 >/dev/null 2>&1 || skip_all "no sqlite3"
program blocks || skip_all "$MPICC does not compile blocks.c"
cd "$work" || exit 99
export CHORALE_MPIEXEC="$MPIEXEC"

timeout 60 "$chorale" plan r.db -q -c gatherv -P 2 -m 64 --variants linear \
    --launches 1 -i 3 --cell-time 0.01 >out 2>err &&
    timeout 120 "$chorale" run r.db -q >out 2>err
ok $? "one point is measured, so that there is a system"

row() { # coll P n_lo n_hi variant params
    sqlite3 r.db "INSERT INTO decision (system_id, coll, comm_size,
        comm_size_hi, ppn, shape, dtype, op, op_class, n_lo, n_hi, provider,
        variant, params, basis, reason) SELECT 1, '$1', $2, $2, $2,
        'single-node', CASE '$1' WHEN 'reduce_scatter' THEN 'double'
        ELSE 'byte' END, CASE '$1' WHEN 'reduce_scatter' THEN 'sum' ELSE ''
        END, CASE '$1' WHEN 'reduce_scatter' THEN 'builtin' ELSE '' END,
        $3, $4, 'chorale', '$5', '$6', 'measured', 'by hand'"
}
for P in 2 3; do
    row gatherv $P 64 4096 linear_nb max_reqs=2
    row scatterv $P 64 4096 binomial_counts ''
    row alltoallv $P 64 4096 inplace_shift ''
    row allgatherv $P 0 100 direct max_reqs=3
    row allgatherv $P 101 1000000 ring ''
    row reduce_scatter $P 0 1000000 pairwise ''
done
# What was cut in two says the same: it is one choice all the same.
row gatherv 2 4097 8192 linear_nb max_reqs=2
timeout 120 "$chorale" generate r.db --format c -o table.c >out 2>err
ok $? "a table is written: $(tail -n 1 err)"
grep -q '"gatherv", .*,$' table.c &&
    grep -A 2 '"gatherv", ' table.c |
        grep -q '{ 2, 3, 0ULL, 18446744073709551615ULL }'
ok $? "gatherv is decided for all n"
$CC -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -shared -fPIC \
    table.c -o table.so 2>err
ok $? "it compiles"
for P in 2 3; do
    run $P "$shim" CHORALE_DISPATCH="$work/table.so" CHORALE_VERBOSE=1 \
        CHORALE_AFTER=1 "$work/blocks"
    [ $status -eq 0 ] && grep -q "blocks: wrong=0" out
    ok $? "unequal and empty blocks are right, P=$P"
    for want in "gatherv P=$P -> linear_nb max_reqs=2" \
                "scatterv P=$P -> binomial_counts" \
                "alltoallv P=$P -> inplace_shift" \
                "allgatherv n=[0-9]* P=$P -> direct max_reqs=3" \
                "allgatherv n=[0-9]* P=$P -> ring" \
                "reduce_scatter n=[0-9]* P=$P -> pairwise"; do
        grep -q "^chorale: $want" "$work/err"
        ok $? "$want"
    done
    ! grep -e 'gatherv P=' -e 'scatterv P=' -e 'alltoallv P=' "$work/err" |
        grep -q 'library'
    ok $? "whatever the size, P=$P"
done

# Two choices for sizes that nobody knows apart cannot be kept.
row gatherv 3 4097 8192 linear ''
timeout 120 "$chorale" generate r.db --format c -o other.c >out 2>err
[ $? -eq 4 ] && grep -q 'two decisions on gatherv at P = 3, whose ranks do not' \
    err && ! [ -f other.c ]
ok $? "two choices are refused: $(tail -n 1 err)"
finish
