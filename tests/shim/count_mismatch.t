#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# count_mismatch.t - broadcasts that ranks call with unlike counts: as in MPICH itself
# all that have room for more or less than the root sends are told, all come
# back, and the calls after that are right, whatever runs them.
. "$(dirname "$0")/helpers.sh"

program count_mismatch || skip_all "$MPICC does not compile count_mismatch.c"
came() {
    [ $status -eq 0 ] && grep -q "^count_mismatch: wrong=0" "$work/out"
}
run 4 "" "$work/count_mismatch" 1 10
came || skip_all "the library itself tells nothing of short messages"

served() { # served P COUNTS SETTINGS NAME: under the shim
    # shellcheck disable=SC2086
    run "$1" "$shim" $3 CHORALE_AFTER=1 CHORALE_VERBOSE=1 "$work/count_mismatch" $2
    came && [ "$(lines 'bcast n=.* -> ')" -gt "$(lines 'bcast n=.* -> library')" ]
    ok $? "counts $2, P=$1: $4"
}
# The first count is the root's; with a word more the last rank is alone.
for P in 2 3 4 7; do
    for word in linear binomial knomial:radix=4 scatter_ring_allgather; do
        served $P "1 10" CHORALE_FORCE=bcast=$word "$word"
        served $P "10 1" CHORALE_FORCE=bcast=$word "$word"
    done
done
# Segments: fewer or more of them than are awaited, full last ones, too.
for P in 2 4 5; do
    for word in pipeline:segsize=400 chain:fanout=2:segsize=400 \
        binary:segsize=400 kary:radix=3:segsize=400:recv_preposted=0 \
        flat_pipeline:segsize=400 knomial:radix=3:segsize=400 \
        binomial:segsize=400 split_binary:segsize=200; do
        case $P:$word in 2:split*) continue ;; esac
        for counts in "100 1000" "1000 100" "300 500" "500 400 x" "99 300 x"; do
            served $P "$counts" CHORALE_FORCE=bcast=$word "$word"
        done
    done
done
# Below 64 bytes as many messages, whatever the parameters.
for P in 2 3 4 7; do
    for word in circulant:nblocks=0 circulant:nblocks=100 \
        circulant:nblocks=64 double_tree:segsize=8 pipeline:segsize=8 \
        kary:radix=3:segsize=8:recv_preposted=0 scatter_rd_allgather \
        scatter_bruck_allgather scatter_recexch_allgather; do
        served $P "1 10" CHORALE_FORCE=bcast=$word "$word"
        served $P "10 1" CHORALE_FORCE=bcast=$word "$word"
    done
done
"$MPICC" -shared -fPIC -o "$work/places.so" \
    "$top_srcdir/tests/shim/programs/places.c" -ldl || exit 1
for segsize in 0 8; do # two nodes
    for counts in "1 10" "10 1" "4 15 x"; do
        # shellcheck disable=SC2086
        run 4 "$shim $work/places.so" CHORALE_TEST_PPN=2 CHORALE_AFTER=1 \
            CHORALE_FORCE=bcast=two_level:segsize=$segsize \
            CHORALE_VERBOSE=1 "$work/count_mismatch" $counts
        came && [ "$(lines 'bcast n=.* -> two_level')" -gt 0 ]
        ok $? "counts $counts, P=4: two_level:segsize=$segsize"
    done
done
# What does not take one byte is not run there, nor what the library does a
# part of, which would end the program.
for word in split_binary:segsize=8 or_allreduce:base=library; do
    for counts in "1 10" "10 1"; do
        # shellcheck disable=SC2086
        run 4 "$shim" CHORALE_FORCE=bcast=$word CHORALE_AFTER=1 \
            CHORALE_VERBOSE=1 "$work/count_mismatch" $counts
        came && [ "$(lines "bcast n=.* -> ${word%%:*}")" -eq 0 ]
        ok $? "counts $counts, P=4: $word is left to the library"
    done
done
# And one variant, whatever boundaries a table has there: what it has for the
# least size that was measured.
for hull in 2,1000,8,1000000 2,1000,0,1000000 2,1000,20,1000000; do
    table fine -DFINE "-DHULL={$hull}"
    set="CHORALE_DISPATCH=$work/fine.so"
    case $hull in *,20,*) ran=library ;; *) ran=linear ;; esac
    for counts in "1 10" "10 1" "4 1 x" "1 15 x"; do
        # shellcheck disable=SC2086
        run 4 "$shim" $set CHORALE_AFTER=1 CHORALE_VERBOSE=1 "$work/count_mismatch" \
            $counts
        came && [ "$(lines "bcast n=.* -> $ran")" -gt 0 ]
        ok $? "counts $counts: rows within 64 bytes, measured in $hull: $ran"
    done
done
# Tables by lot. Where one has a boundary between the counts, ranks run two
# variants, of which only CHORALE_CHECK can tell.
one_row() { # one_row SEED SMALL LARGE: no boundary of bcast is between them
    sed -n '/^select_bcast/,/^}/s/.*range += n >= \([0-9]*\);/\1/p' \
        "$work/$1.c" |
        awk -v a=$((4 * $2)) -v b=$((4 * $3)) '$1 > a && $1 <= b { bad = 1 }
            END { exit bad }'
}
for seed in simplest 1 2 3 4 5; do
    drawn $seed || { ok 1 "table $seed"; continue; }
    set="CHORALE_DISPATCH=$work/$seed.so CHORALE_ANY_SYSTEM=1"
    for pair in "1 10" "10 1"; do # alike, so maybe the library alone
        # shellcheck disable=SC2086
        run 4 "$shim" $set CHORALE_AFTER=1 "$work/count_mismatch" $pair
        came
        ok $? "counts $pair, P=4: table $seed"
    done
    for pair in "20 60" "300 1000"; do
        # shellcheck disable=SC2086
        one_row $seed $pair || {
            run 4 "$shim" $set CHORALE_AFTER=1 CHORALE_CHECK=1 \
                "$work/count_mismatch" $pair
            came && [ "$(lines 'do not agree: bcast')" -gt 0 ]
            ok $? "counts $pair: table $seed with CHORALE_CHECK"
            continue
        }
        served 4 "$pair" "$set" "table $seed"
        served 4 "${pair#* } ${pair% *}" "$set" "table $seed"
    done
done
finish
