#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# program_exit.t - errors reach the application's handler, and programs end as
# without the shim: early, by abort, after a fork, without communicators left.
. "$(dirname "$0")/helpers.sh"

program program_ends || skip_all "$MPICC does not compile program_ends.c"
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"

for how in truncate atexit fork early; do
    under 2 program_ends $how
    [ "$(lines 'bcast n=4 P=2 -> linear')" -ge 1 ]
    ok $? "variants run the calls before $how"
done
grep -q 'finalize wrong=0' "$work/out"
ok $? "callbacks of MPI_Finalize may call collectives"
# Blocks longer than the root's buffer: MPICH itself continues with later
# calls.
run 4 "" "$work/program_ends" leftover
if came program_ends; then
    for word in linear linear_nb binomial; do
        force=gather=$word,gatherv=linear,reduce=linear
        run 4 "$shim" $on CHORALE_FORCE=$force "$work/program_ends" leftover
        came program_ends && [ "$(lines "gather n=.* P=4 -> $word")" -ge 1 ] &&
            [ "$(lines 'reduce n=4 P=4 -> linear')" -ge 1 ]
        ok $? "calls are right after a gather by $word of too long blocks"
    done
else
    skip "calls are right after too long blocks" "not in the library itself"
fi
run 3 "$shim" $on "$work/program_ends" abort
[ $status -ne 0 ] && [ $status -ne 124 ]
ok $? "MPI_Abort of one rank ends the collective of the others ($status)"
run 2 "" "$work/program_ends" full
plain=$(sed -n 's/^program_ends: \([0-9]*\) communicators/\1/p' "$work/out")
if [ -n "$plain" ] && [ "$plain" -lt 4000 ]; then
    run 2 "$shim" $on "$work/program_ends" full
    ours=$(sed -n 's/^program_ends: \([0-9]*\) communicators/\1/p' "$work/out")
    came program_ends && [ "$plain" = "$ours" ] &&
        [ "$(lines 'private ones are freed')" -eq 1 ] &&
        [ "$(lines 'is left to the library: no private')" -eq 1 ]
    ok $? "communicators run out: the program gets $ours of $plain"
    run 2 "$shim" $on "$work/program_ends" full threads
    ours=$(sed -n 's/^program_ends: \([0-9]*\) communicators/\1/p' "$work/out")
    came program_ends && [ "$ours" -ge $((plain - 256)) ] &&
        [ "$(lines 'left to the library: no private .* the program has so many')" -eq 1 ]
    ok $? "communicators run out with threads: it gets $ours of $plain"
else # Open MPI has 65532; no more than 4000 are tried
    skip "communicators run out" "the library has ${plain:-too many}"
fi
finish
