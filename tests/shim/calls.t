#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calls.t - kinds of calls: by names with large counts, by libchorale's names,
# wrong ones, reductions by operations of the application, and collectives
# that are not ours to serve.
. "$(dirname "$0")/helpers.sh"

table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
regular="bcast reduce allreduce reduce_scatter_block gather scatter allgather
    alltoall scan exscan"
irregular="reduce_scatter gatherv scatterv allgatherv alltoallv"
served() { # served WHAT COLLECTIVE ...: a variant ran it
    what=$1
    shift
    for coll in "$@"; do
        grep "^chorale: $coll [nP]=" "$work/err" | grep -qv 'library$'
        ok $? "$what: $coll was run by a variant"
    done
}

# The same programs by other names.
for kind in LARGE LIBCHORALE; do
    lib=$(dirname "$(lib_of libchorale.so)")
    link="-I$top_srcdir/algorithms/dispatch -L$lib -Wl,-rpath,$lib -lchorale"
    [ $kind = LIBCHORALE ] || link=
    for name in app blocks; do
        if ! "$MPICC" -D$kind "$top_srcdir/tests/shim/$name.c" $link \
            -o "$work/$name.$kind" 2>"$work/err"; then
            case $kind in
            LARGE) skip "$name with large counts" "the library has none" ;;
            *) ok 1 "$name by libchorale's names compiles" ;;
            esac
            continue
        fi
        for P in 1 2 4; do
            run $P "$([ $kind = LARGE ] && echo "$shim")" $on \
                "$work/$name.$kind"
            [ $status -eq 0 ] && grep -q "$name: wrong=0" "$work/out"
            ok $? "$name, $kind, P=$P"
        done
        # shellcheck disable=SC2086
        [ $name = app ] && served $kind $regular || served $kind $irregular
    done
done

# Displacements beyond an int's.
if program far 2>"$work/err"; then
    for P in 1 2 3; do
        run $P "" "$work/far"
        [ $status -eq 0 ] && grep -q 'far: wrong=0' "$work/out"
        ok $? "displacements beyond 2^31 alone, P=$P"
        run $P "$shim" $on CHORALE_AFTER=1 "$work/far"
        [ $status -eq 0 ] && grep -q 'far: wrong=0' "$work/out"
        ok $? "they are kept under the shim, P=$P"
    done
    served "displacements beyond 2^31" gatherv scatterv allgatherv alltoallv
else
    skip "displacements beyond 2^31" "the library has no large counts"
fi

# Wrong calls: error class and handler are those without the shim. What the
# library itself does not survive, or hangs in, is left out and said so.
program errors
alone_errors
ok $? "wrong calls end without the shim (in $again launches)"
for name in $fatal; do
    skip "$name" "the library itself ends or hangs there"
done
[ "$(grep -c 'class' "$work/plain")" -gt 75 ]
ok $? "$(grep -c 'class' "$work/plain") wrong calls end"
for set in "$on" "CHORALE_FORCE=bcast=binomial,gatherv=linear"; do
    errors_as_alone "$set" none
    ok $? "they end the same under the shim with ${set##*/}"
    head -n 4 "$work/diff" | sed 's/^/# /'
done
set=CHORALE_FORCE=bcast=scatter_rd_allgather,exscan=linear
errors_as_alone $set bcast_short
ok $? "they end the same under the shim with $set"
head -n 4 "$work/diff" | sed 's/^/# /'

# Handlers round calls that make communicators, and in their callbacks.
program handlers
for what in "" full; do
    for P in 1 2 3; do
        run $P "" "$work/handlers" $what
        first=$status
        sort "$work/out" >"$work/plain"
        if grep -q '^not tried' "$work/plain"; then
            skip "no more communicators, P=$P" "the library has 65532"
            continue
        fi
        run $P "$shim" $on CHORALE_AFTER=1 "$work/handlers" $what
        sort "$work/out" | diff "$work/plain" - >"$work/diff"
        [ "$?|$first|$status" = "0|0|0" ] && [ -s "$work/plain" ]
        ok $? "the same error handlers are called, P=$P${what:+, $what}"
        head -n 8 "$work/diff" | sed 's/^/# /'
    done
done

# What is new about a call like those before.
program again
for P in 2 3; do
    run $P "" "$work/again"
    [ $status -eq 0 ] && grep -q 'again: wrong=0' "$work/out"
    ok $? "calls that differ in one argument alone, P=$P"
    force=CHORALE_FORCE=allgatherv=ring,gatherv=linear,scatterv=linear
    force=$force,allgather=ring,gather=linear,scatter=linear
    for set in $force,bcast=binomial,allreduce=recursive_doubling \
               CHORALE_FORCE=bcast=library,allreduce=recursive_doubling; do
        run $P "$shim" $on CHORALE_AFTER=1 $set "$work/again"
        [ $status -eq 0 ] && grep -q 'again: wrong=0' "$work/out" &&
            grep -q '^chorale: allreduce n=64 .*-> recursive' "$work/err"
        ok $? "they do under the shim with ${set#*=}, P=$P"
    done
    run $P "$shim" $on CHORALE_AFTER=1 "$work/again"
    [ $status -eq 0 ] && grep -q 'again: wrong=0' "$work/out" &&
        [ "$(lines "bcast n=64 P=$P -> binomial")" -eq 1 ] &&
        [ "$(lines "bcast n=16 P=$P -> linear")" -eq 1 ] &&
        [ "$(lines "bcast n=5000 P=$P -> scatter_ring_allgather")" -eq 1 ]
    ok $? "other types and counts are other sizes for the table, P=$P"
done

# Operations.
program ops
for P in 1 2 4; do
    run $P "" "$work/ops"
    [ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out"
    ok $? "operations alone, P=$P"
    run $P "$shim" $on "$work/ops"
    [ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out" &&
        ! grep -v '^chorale: allreduce n=[0-9]* P' "$work/err" |
            grep -q '^chorale: .* -> '
    ok $? "a table serves none but predefined ones, P=$P"
done
keep=reduce=in_order_binary,allreduce=recursive_doubling,scan=linear
run 4 "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 "CHORALE_FORCE=$keep" \
    "$work/ops"
[ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out"
ok $? "variants that keep the order do so"
served "the application's operation" reduce allreduce scan
run 4 "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
    CHORALE_FORCE=reduce_scatter=ring "$work/ops"
[ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out" &&
    grep -q '^chorale: reduce_scatter .* -> library' "$work/err" &&
    ! grep -q '^chorale: reduce_scatter .* -> ring' "$work/err"
ok $? "those that do not are not asked, forced or not"

# Types that are made of values with an index. (MPICH 4.0's own scatter and
# gather call them truncated.)
program pairs
whole=bcast=binomial,gather=linear,scatter=linear,allgather=ring
whole=$whole,alltoall=pairwise_shift
parts=bcast=scatter_ring_allgather,gather=binomial,scatter=binomial
parts=$parts,allgather=bruck,alltoall=bruck
for P in 2 3 4; do
    run $P "" "$work/pairs"
    if [ $status -eq 0 ]; then
        grep -q 'pairs: wrong=0' "$work/out"
        ok $? "types made of pairs alone, P=$P"
    else
        skip "types made of pairs alone, P=$P" "the library cannot do it"
    fi
    for set in $whole $parts; do
        run $P "$shim" CHORALE_FORCE=$set CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
            "$work/pairs"
        [ $status -eq 0 ] && grep -q 'pairs: wrong=0' "$work/out" &&
            ! grep -v ' allreduce ' "$work/err" | grep -q -e '-> library'
        ok $? "types made of pairs, P=$P, $set"
    done
    served "pairs, P=$P" bcast gather scatter allgather alltoall
done

# What goes on untouched.
program others
for P in 1 2 4 5; do
    run $P "" "$work/others"
    [ $status -eq 0 ] && grep -q 'others: wrong=0' "$work/out"
    ok $? "other collectives alone, P=$P"
    run $P "$shim" $on CHORALE_AFTER=1 "$work/others"
    [ $status -eq 0 ] && grep -q 'others: wrong=0' "$work/out"
    ok $? "and under the shim, P=$P"
done
finish
