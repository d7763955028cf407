#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# random.t - programs under random tables: whatever a table chooses, results
# are right and MPI's guarantees hold.
#
# Collectives: seeds 1 to CHORALE_TABLE_SEEDS (2). Each seed uses all arguments
# at two of the six numbers of ranks, other ones for the next seed, and fewer
# arguments at the rest.
#
# Other programs: six tables from seed CHORALE_TABLE_FROM (11) on, in turn.
# Each program runs once with each number of ranks, and with all six tables.
#
# CHORALE_TABLE_RANKS="2 3" selects numbers of ranks, and as many tables for
# the other programs.
. "$(dirname "$0")/helpers.sh"

[ -x "$top_builddir/chorale" ] || skip_all "chorale is not built"
for name in app blocks; do
    program $name || skip_all "$MPICC does not compile $name.c"
done
all_ranks=${CHORALE_TABLE_RANKS:-1 2 3 4 5 8}
ntable=0
for P in $all_ranks; do ntable=$((ntable + 1)); done
variants=0
turn=0
for seed in simplest $(seq "${CHORALE_TABLE_SEEDS:-2}"); do
    drawn "$seed"
    ok $? "table $seed compiles"
    : >"$work/chosen"
    at=0
    for P in $all_ranks; do
        quick=quick
        [ $(((turn + at) % 3)) -gt 0 ] || quick=
        at=$((at + 1))
        for name in app blocks; do
            # shellcheck disable=SC2086
            run $P "$shim" CHORALE_DISPATCH="$work/$seed.so" \
                CHORALE_VERBOSE=1 CHORALE_AFTER=1 "$work/$name" $quick
            [ $status -eq 0 ] && grep -q "^$name: wrong=0" "$work/out" &&
                ! grep -q 'left to the library' "$work/err"
            ok $? "table $seed: $name${quick:+ $quick} is right, P=$P"
            cat "$work/err" >>"$work/chosen"
        done
    done
    if [ "$seed" = simplest ]; then
        for coll in barrier bcast reduce allreduce reduce_scatter_block \
                    reduce_scatter gather gatherv scatter scatterv allgather \
                    allgatherv alltoall alltoallv scan exscan; do
            grep "^chorale: $coll [nP]" "$work/chosen" | grep -qv 'library$'
            ok $? "table $seed: a variant ran $coll"
        done
    fi
    variants=$((variants + $(sed -n 's/^chorale: \([a-z_]*\) .* -> /\1 /p' \
        "$work/chosen" | grep -v 'library$' | sort -u | wc -l)))
    turn=$((turn + 1))
done
[ $variants -gt $((16 * ${CHORALE_TABLE_SEEDS:-2})) ]
ok $? "$variants variants with parameters ran"

# What programs do besides collectives. Left out: counts that differ between
# ranks (errors.c bcast_short, `program_ends truncate`), where ranks of some
# variants wait for each other, as with some algorithms of the library; and
# pairs.c, whose large types MPICH 4.0's own gather and scatter report as
# truncated.
# wrong_calls.t, program_exit.t and calls.t test these.
from=${CHORALE_TABLE_FROM:-11}
for i in $(seq 0 $((ntable - 1))); do
    drawn $((from + i))
    ok $? "table $((from + i)) compiles"
done
came() { # came NAME: the program succeeded, with right results
    [ $status -eq 0 ] && grep -q "^$1: wrong=0" "$work/out"
}
# What maps.c prints with Open MPI 5.0.7 (tests/bench/results/libraries.md).
gather_alone="wrong: gather
maps: wrong=1"
# Smallest number of ranks (wildcards.c hangs in the library with one), program,
# arguments.
turn=0
: >"$work/maps.chosen"
while read -r least name args; do
    if ! program "$name" -pthread 2>"$work/err"; then
        skip "$name" "the library lacks a function that it needs"
        continue
    fi
    : >"$work/chosen"
    at=0
    for P in $all_ranks; do
        seed=$((from + (turn + at) % ntable))
        at=$((at + 1))
        [ $P -ge "$least" ] || continue
        data=
        case $name in
        maps | random_reductions) # seed of their types; without the shim first
            data=$((100 * seed + P))
            run $P "" "$work/$name" $data
            if [ "$(sed 's/ (.*//' "$work/out")" = "$gather_alone" ] &&
                "$MPICC" -show 2>/dev/null | grep -qi openmpi; then
                skip "$name $data, P=$P" "the library's gather is wrong"
            else
                came $name
                ok $? "$name $data is right without the shim, P=$P"
            fi ;;
        esac
        # shellcheck disable=SC2086
        run $P "$shim" CHORALE_DISPATCH="$work/$seed.so" CHORALE_VERBOSE=1 \
            CHORALE_AFTER=1 "$work/$name" $args $data
        if [ $status -eq 77 ]; then
            skip "$name, P=$P" "the library does not offer it"
            continue
        fi
        came "$name" && ! grep -q 'left to the library' "$work/err"
        ok $? "table $seed: $name${args:+ $args}${data:+ $data} is right, P=$P"
        cat "$work/err" >>"$work/chosen"
    done
    turn=$((turn + 1))
    ours=$(grep -e '^chorale: .* -> ' "$work/chosen" | grep -vc 'library$')
    [ "$ours" -gt 0 ] || [ "$status" -eq 77 ]
    ok $? "variants ran in $name${args:+ $args}: $ours choices"
    [ "$name" != maps ] || cp "$work/chosen" "$work/maps.chosen"
done <<END
2 wildcards
1 comm_lifetimes 12 5
1 comms
1 threads
1 ops quick
1 unserved_calls
1 program_ends atexit
1 program_ends fork
1 program_ends early
2 similar_calls
1 many_comms 20 5 mixed
1 bits
1 sessions both
1 maps
1 random_reductions
END
for coll in bcast gather gatherv scatter scatterv allgather allgatherv \
            alltoall alltoallv; do
    grep "^chorale: $coll [nP]" "$work/maps.chosen" | grep -qv 'library$'
    ok $? "a variant ran $coll with another type on each rank"
done

# Wrong calls, and right calls after them.
program errors
alone_errors
ok $? "wrong calls end without the shim"
program handlers
run 3 "" "$work/handlers"
sort "$work/out" >"$work/handlers.plain"
[ $status -eq 0 ] && [ -s "$work/handlers.plain" ]
ok $? "error handlers are called without the shim"
for i in $(seq 0 $((ntable - 1))); do
    seed=$((from + i))
    errors_as_alone CHORALE_DISPATCH="$work/$seed.so" bcast_short
    ok $? "table $seed: wrong calls end as they do without the shim"
    head -n 4 "$work/diff" | sed 's/^/# /'
    run 3 "$shim" CHORALE_DISPATCH="$work/$seed.so" CHORALE_AFTER=1 \
        "$work/handlers"
    sort "$work/out" | diff "$work/handlers.plain" - >"$work/diff"
    [ "$?|$status" = "0|0" ]
    ok $? "table $seed: the same error handlers are called"
    head -n 4 "$work/diff" | sed 's/^/# /'
done

# Types with gaps, and operations whose result shows the order. No table serves
# these operations, but CHORALE_FORCE does.
keep=reduce=in_order_binary,allreduce=recursive_doubling,scan=linear
keep=$keep,exscan=linear
for P in 3 4 5; do
    run $P "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 "CHORALE_FORCE=$keep" \
        "$work/random_reductions" $((from + P))
    came random_reductions
    ok $? "random_reductions $((from + P)) is right by variants that keep the \
order, P=$P"
    for coll in reduce allreduce scan exscan; do
        grep "^chorale: $coll [nP]" "$work/err" | grep -qv 'library$'
        ok $? "a variant ran its $coll, P=$P"
    done
done

# A seed always gives the same table.
sh "$top_srcdir/tests/shim/random_table.sh" 1 | cmp -s - "$work/1.c"
ok $? "a seed always gives the same table"
! sh "$top_srcdir/tests/shim/random_table.sh" 01 >"$work/out" 2>"$work/err" &&
    grep -q "'01' is not a seed" "$work/err"
ok $? "random_table.sh refuses an invalid seed in one line"
finish
