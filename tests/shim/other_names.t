#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# other_names.t - the calls of app.c and blocks.c by large-count functions and
# by libchorale's functions; displacements beyond the range of int.
. "$(dirname "$0")/helpers.sh"

table good
on="CHORALE_DISPATCH=$work/good.so CHORALE_VERBOSE=1"
regular="bcast reduce allreduce reduce_scatter_block gather scatter allgather
    alltoall scan exscan"
irregular="reduce_scatter gatherv scatterv allgatherv alltoallv"

for kind in LARGE LIBCHORALE; do
    lib=$(dirname "$(lib_of libchorale.so)")
    link="-I$top_srcdir/algorithms/dispatch -L$lib -Wl,-rpath,$lib -lchorale"
    [ $kind = LIBCHORALE ] || link=
    for name in app blocks; do
        if ! "$MPICC" -D$kind "$top_srcdir/tests/shim/programs/$name.c" $link \
            -o "$work/$name.$kind" 2>"$work/err"; then
            case $kind in
            LARGE) skip "$name with large counts" "the library lacks them" ;;
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
        case $name in
            app) variants_ran $kind $regular ;;
            *) variants_ran $kind $irregular ;;
        esac
    done
done

# Displacements beyond the range of int.
if program far_displacements 2>"$work/err"; then
    for P in 1 2 3; do
        run $P "$shim" $on CHORALE_AFTER=1 "$work/far_displacements"
        [ $status -eq 0 ] && grep -q 'far_displacements: wrong=0' "$work/out"
        ok $? "P=$P: displacements beyond 2^31 reach the right place"
    done
    variants_ran "displacements beyond 2^31" gatherv scatterv allgatherv alltoallv
else
    skip "displacements beyond 2^31" "the library has no large counts"
fi
finish
