#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# context_takers.t - a program gets as many communicators, windows and files as
# without the shim, which frees private communicators before the library runs
# out.
. "$(dirname "$0")/helpers.sh"

program context_takers || skip_all "$MPICC does not compile context_takers.c"
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1 CHORALE_MAX_COMMS=30"
made() { # the last number printed, also if the program ended early
    sed -n 's/^made //p' "$work/out" | tail -n 1
}
wrong() { grep -v 'wrong=0' "$work/out" | grep -c wrong; }
cd "$work" || exit 1
"$MPICC" -show 2>/dev/null | grep -qi openmpi &&
    skip_all "Open MPI has 65532 communicators"

# as_many P KIND FEWER TIMES: at most FEWER objects fewer, and private ones
# freed TIMES times. Running out ends some programs, and with MPICH 4.2.1 only in
# some runs: the shim's end must be one of those without it.
as_many() { # as_many P KIND FEWER TIMES
    run "$1" "$shim" $on "$work/context_takers" "$2" 20
    ours=$(made)
    end=$status
    [ "$(wrong)" -eq 0 ] && [ $status -ne 124 ] &&
        [ "$(lines '-> linear')" -ge 20 ] &&
        [ "$(lines 'private ones are freed')" -eq "$4" ]
    good=$?
    cp out ours.out && cp err ours.err
    for _ in $(seq 30); do
        run "$1" "" "$work/context_takers" "$2" 20
        plain=$(made)
        [ $((end == 0)) -ne $((status == 0)) ] || break
    done
    [ $good -eq 0 ] && [ $((end == 0)) -eq $((status == 0)) ] &&
        [ "${ours:-0}" -ge $((${plain:-0} - $3)) ]
    good=$?
    mv ours.out out && mv ours.err err
    ok $good "$2: ${ours:-0} of ${plain:-0} objects without the shim, P=$1"
}
for kind in dup cart graph dist_graph adjacent_graph win_create win_allocate \
            win_shared win_dynamic file; do
    as_many 2 $kind 0 1
done
as_many 3 merge 0 1

# Each half frees its private communicators; the private world is kept.
as_many 4 inter 1 2

# The second of three ranks has no private communicator. Its own contexts lie
# between those of the other ranks' private ones.
as_many 3 some 10 1

# One rank alone has run out: the library reports the error on the others.
as_many 3 uneven 0 1
finish
