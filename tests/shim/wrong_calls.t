#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# wrong_calls.t - a wrong call gives the same error class and calls the same
# error handler as without the shim.
. "$(dirname "$0")/helpers.sh"

table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
# Calls in which the library itself crashes or hangs are skipped.
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

# Handlers around calls that make communicators, and in their callbacks.
program handlers
for what in "" full; do
    for P in 1 2 3; do
        run $P "" "$work/handlers" $what
        first=$status
        sort "$work/out" >"$work/plain"
        if grep -q '^not tried' "$work/plain"; then
            skip "communicators run out, P=$P" "the library has 65532"
            continue
        fi
        run $P "$shim" $on CHORALE_AFTER=1 "$work/handlers" $what
        sort "$work/out" | diff "$work/plain" - >"$work/diff"
        [ "$?|$first|$status" = "0|0|0" ] && [ -s "$work/plain" ]
        ok $? "the same error handlers are called, P=$P${what:+, $what}"
        head -n 8 "$work/diff" | sed 's/^/# /'
    done
done
finish
