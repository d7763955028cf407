#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# semantics.t - MPI's guarantees hold under the shim: tags and wildcards, error
# handlers, every way to make a communicator, and no MPI object is left. Errors
# and the end of programs: program_exit.t.
. "$(dirname "$0")/helpers.sh"

for name in wildcards comms program_ends comm_lifetimes inherit; do
    program "$name" || skip_all "$MPICC does not compile $name.c"
done
table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"

# The shim's messages do not match the application's receives.
for P in 2 3 5; do
    under $P wildcards
    [ "$(lines '-> ')" -ge 8 ]
    ok $? "P=$P: variants run its collectives"
done

# Every way to make a communicator.
for P in 1 2 4; do
    under $P comms
    if [ $P -eq 4 ]; then
        # All except MPI_COMM_SELF have two ranks or more, so they are served.
        [ "$(lines 'bcast n=4 P=[234] -> linear')" -ge 16 ]
        ok $? "variants run on all communicators, also with a topology"
    fi
done
if "$MPICC" "$top_srcdir/tests/shim/programs/sessions.c" -o "$work/sessions" \
    2>/dev/null; then
    for how in alone both after; do
        run 2 "$shim" $on "$work/sessions" $how
        came sessions && { [ $how != both ] ||
            [ "$(lines 'bcast n=4 P=2 -> linear')" -eq 2 ]; }
        ok $? "sessions give right results under the shim: $how"
    done
    run 2 "$shim" $on "$work/sessions" alone
    [ "$(lines chorale:)" -eq 0 ]
    ok $? "without MPI_Init the shim prints and serves nothing"
else
    skip "sessions" "the library lacks them"
fi

# Communicators without an error handler of their own.
like_alone() { # P TABLE WHAT CALLS: the same output as without the shim
    run "$1" "" "$work/inherit" "$3" "$4"
    sort "$work/out" >"$work/plain"
    plain=$status
    run "$1" "$shim" $2 "$work/inherit" "$3" "$4"
    if [ "$plain" -eq 0 ]; then
        [ "$status" -eq 0 ] && sort "$work/out" | cmp -s - "$work/plain"
    else # the error ends the program; any rank may be first
        [ "$status" -ne 0 ] && [ "$status" -ne 124 ]
    fi
    ok $? "an error of $3 after $4 calls is handled as without the shim, \
P=$1${2:+, with a table}"
}
for what in send receive group child; do
    like_alone 2 "" $what 0
    like_alone 3 "CHORALE_TRACE=$work/t" $what 1
    like_alone 2 "$on" $what 1
    like_alone 3 "$on" $what 9
    [ "$(lines 'bcast n=4 P=3 -> linear')" -ge 1 ]
    ok $? "variants ran the calls before an error of $what"
done
like_alone 2 "$on" threads 9
[ "$(lines 'bcast n=4 P=2 -> linear')" -ge 1 ]
ok $? "variants ran the calls on threads' communicators"

# The shim frees all MPI objects that it makes.
"$MPICC" -shared -fPIC "$top_srcdir/tests/shim/programs/leak_tool.c" \
    -o "$work/leak.so" -ldl
for args in "wildcards" "comms" "program_ends" "program_ends early" \
            "comm_lifetimes 300 30"; do
    set -- $args
    run 2 "$work/leak.so $shim" $on "$work/$1" $2 $3
    came "$1" && [ "$(lines '^left of [1-9]')" -eq 2 ] &&
        [ "$(lines 'comms=0 groups=0 keys=0 handlers=0 types=0')" -eq 2 ]
    ok $? "no object of MPI is left after $args"
done
many=5000 # more than MPICH has at once; Open MPI takes long over each
! "$MPICC" -show 2>/dev/null | grep -qi openmpi || many=200
run 2 "$work/leak.so $shim" $on CHORALE_AFTER=1 "$work/comm_lifetimes" $many 1
came comm_lifetimes && [ "$(sed -n 's/^left of \([0-9]*\):.*/\1/p' "$work/err" |
    sort -n | tail -n 1)" -le 14 ]
ok $? "of $many short-lived communicators few live at once"
finish
