#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calls.t - types, operations and counts: calls that differ in one argument,
# user-defined operations, value-index pairs, and collectives that the shim
# does not serve.
. "$(dirname "$0")/helpers.sh"

table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"

# A call that differs from a cached one in one argument is looked up again.
program similar_calls
P=3
force=CHORALE_FORCE=allgatherv=ring,gatherv=linear,scatterv=linear
force=$force,allgather=ring,gather=linear,scatter=linear
for set in $force,bcast=binomial,allreduce=recursive_doubling \
           CHORALE_FORCE=bcast=library,allreduce=recursive_doubling; do
    run $P "$shim" $on CHORALE_AFTER=1 $set "$work/similar_calls"
    [ $status -eq 0 ] && grep -q 'similar_calls: wrong=0' "$work/out" &&
        grep -q '^chorale: allreduce n=64 .*-> recursive' "$work/err"
    ok $? "P=$P: calls that differ in one argument are right: ${set#*=}"
done
run $P "$shim" $on CHORALE_AFTER=1 "$work/similar_calls"
[ $status -eq 0 ] && grep -q 'similar_calls: wrong=0' "$work/out" &&
    [ "$(lines "bcast n=64 P=$P -> binomial")" -eq 1 ] &&
    [ "$(lines "bcast n=16 P=$P -> linear")" -eq 1 ] &&
    [ "$(lines "bcast n=5000 P=$P -> scatter_ring_allgather")" -eq 1 ]
ok $? "P=$P: the table is asked again for other types and counts"

# Operations.
program ops
for P in 2 4; do
    run $P "$shim" $on "$work/ops"
    [ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out" &&
        ! grep -v '^chorale: allreduce n=[0-9]* P' "$work/err" |
            grep -q '^chorale: .* -> '
    ok $? "P=$P: a table serves only predefined operations"
done
keep=reduce=in_order_binary,allreduce=recursive_doubling,scan=linear
run 4 "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 "CHORALE_FORCE=$keep" \
    "$work/ops"
[ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out"
ok $? "variants that keep the order run the application's operation"
variants_ran "the application's operation" reduce allreduce scan
run 4 "$shim" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
    CHORALE_FORCE=reduce_scatter=ring "$work/ops"
[ $status -eq 0 ] && grep -q 'ops: wrong=0' "$work/out" &&
    grep -q '^chorale: reduce_scatter .* -> library' "$work/err" &&
    ! grep -q '^chorale: reduce_scatter .* -> ring' "$work/err"
ok $? "a variant that changes the order is not run, even if forced"

# MPI_DOUBLE_INT and similar types. MPICH 4.0's own scatter and gather report
# them as truncated.
program pairs
P=3
whole=bcast=binomial,gather=linear,scatter=linear,allgather=ring
whole=$whole,alltoall=pairwise_shift
parts=bcast=scatter_ring_allgather,gather=binomial,scatter=binomial
parts=$parts,allgather=bruck,alltoall=bruck
for set in $whole $parts; do
    run $P "$shim" CHORALE_FORCE=$set CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
        "$work/pairs"
    [ $status -eq 0 ] && grep -q 'pairs: wrong=0' "$work/out" &&
        ! grep -v ' allreduce ' "$work/err" | grep -q -e '-> library'
    ok $? "P=$P: types made of pairs are right with $set"
done
variants_ran "pairs, P=$P" bcast gather scatter allgather alltoall

# Collectives that the shim does not serve.
program unserved_calls
for P in 1 4; do
    run $P "$shim" $on CHORALE_AFTER=1 "$work/unserved_calls"
    [ $status -eq 0 ] && grep -q 'unserved_calls: wrong=0' "$work/out"
    ok $? "P=$P: collectives that the shim does not cover are right"
done
finish
