#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# comm_limits.t - programs that use up the library's communicators get as many
# under the shim as without it, and the shim leaks nothing.
. "$(dirname "$0")/helpers.sh"

for name in comm_lifetimes many_comms bcasts; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
# More communicators than MPICH has contexts. Open MPI has 65532 of them and
# takes far longer for each.
lived=5000 at_once=1500
"$MPICC" -show 2>/dev/null | grep -qi openmpi && lived=2000 at_once=300
# more: growth of the process, in bytes of heap and MiB of addresses. A leak of
# one object per communicator is at least 32 bytes, the smallest chunk of the
# heap, or 64 MiB of addresses with MPI_THREAD_MULTIPLE.
more() {
    sed -n \
        's/^comm_lifetimes: \([-0-9]*\) bytes and \([-0-9]*\) MiB of .*/\1 \2/p' \
        "$work/out"
}
for how in "" threads; do
    run 2 "" "$work/comm_lifetimes" $lived 10 $how
    plain=$(more)
    run 2 "$shim" $on "$work/comm_lifetimes" $lived 10 $how
    [ $status -eq 0 ] &&
        grep -q "comm_lifetimes: finalize wrong=0" "$work/out" &&
        [ "$(lines 'bcast n=4 P=2 -> linear')" -gt $lived ]
    ok $? "each of $lived short-lived communicators gets its own context $how"
    echo "$(more) $plain" | awk -v n=$lived '{
        bad = NF != 4 || $1 > $3 + n / 2 * 28 || $2 > $4 + n / 2 * 30 }
        END { exit bad }'
    ok $? "short-lived communicators leak no memory: $(more), alone $plain"
    most=$(sed -n 's/.* the most private communicators at once: //p' \
        "$work/told")
    [ "${most:-99}" -le 14 ]
    ok $? "the shim holds at most ${most:-?} of them at once"
done
run 2 "" "$work/comm_lifetimes" 1 $at_once
plain=$status
run 2 "$shim" $on "$work/comm_lifetimes" 1 $at_once
[ $plain -eq 0 ] && [ $status -eq 0 ] &&
    grep -q "comm_lifetimes: wrong=0" "$work/out" &&
    [ "$(lines 'left to the library: a rank cannot take part')" -eq 1 ]
ok $? "$at_once communicators at once exist under the shim as without it"

# The application loses no communicator: the shim frees its private ones, at
# most CHORALE_MAX_COMMS, when the library runs out.
run 2 "" "$work/many_comms" 4000
most=$(sed -n 's/^made=//p' "$work/out")
heirs=$(grep '^inherited=' "$work/out")
if [ $status -eq 0 ] && [ "${most:-4000}" -lt 4000 ]; then
    for max in 256 10 0; do
        [ $max -eq 256 ] && set= || set=CHORALE_MAX_COMMS=$max
        run 2 "$shim" $on $set "$work/many_comms" 4000
        made=$(sed -n 's/^made=//p' "$work/out")
        [ $status -eq 0 ] && grep -q 'many_comms: wrong=0' "$work/out" &&
            [ "${made:-0}" -eq "$most" ] && grep -qx "$heirs" "$work/out" &&
            [ "$(lines 'bcast n=4 P=2 -> ')" -ge $((max > 0 ? max - 1 : 0)) ] &&
            [ "$(lines 'private ones are freed')" -eq $((max > 0)) ]
        ok $? "CHORALE_MAX_COMMS=$max: the program makes $made of $most"
    done
    # One of them is the private duplicate of the world.
    for max in 0 1 2; do
        run 2 "$shim" $on CHORALE_MAX_COMMS=$max "$work/many_comms" 40
        [ $status -eq 0 ] &&
            [ "$(lines 'bcast n=4 P=2 -> ')" -eq $((max > 1)) ]
        ok $? "CHORALE_MAX_COMMS=$max: $((max > 1)) communicators are served"
    done
    run 2 "" "$work/many_comms" 4000 5 group
    plain=$(grep -E '^(made|inherited|class)=' "$work/out")
    run 2 "$shim" $on "$work/many_comms" 4000 5 group
    [ $status -eq 0 ] && grep -q 'many_comms: wrong=0' "$work/out" &&
        [ "$(grep -E '^(made|inherited|class)=' "$work/out")" = "$plain" ] &&
        [ "$(lines 'private ones are freed')" -eq 1 ]
    ok $? "MPI_Comm_create_group makes as many as without the shim"

    # Where the shim cannot free private ones in time (context_reclaim.h), the
    # library's error comes sooner by at most their number. It reaches the same
    # handler, and all communicators work.
    for how in "part 20" "idup 20" threads; do
        run 2 "" "$work/many_comms" 4000 5 $how
        plain=$(sed -n 's/^made=//p' "$work/out")
        error=$(grep -E '^(class|level)=' "$work/out")
        run 2 "$shim" $on CHORALE_MAX_COMMS=30 "$work/many_comms" 4000 5 $how
        made=$(sed -n 's/^made=//p' "$work/out")
        [ $status -eq 0 ] && grep -q 'many_comms: wrong=0' "$work/out" &&
            [ "${made:-0}" -ge $((plain - 30)) ] && [ "$made" -lt "$plain" ] &&
            [ "$(grep -E '^(class|level)=' "$work/out")" = "$error" ] &&
            [ "$(lines 'private ones are freed')" -eq 0 ] &&
            [ "$(lines 'bcast n=4 P=2 -> ')" -ge 20 ]
        ok $? "$how: the library's error comes after $made of $plain"
    done
else
    skip "the program makes all communicators" "there are ${most:-none}, or more"
fi
finish
