#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# force.t - every selectable variant by CHORALE_FORCE, one of each collective
# at a time, in programs unaware of Chorale.
. "$(dirname "$0")/helpers.sh"

[ -x "$top_builddir/chorale" ] || skip_all "chorale is not built"
for name in app blocks ops pairs; do
    program $name || skip_all "$MPICC does not compile $name.c"
done
# One line "COLLECTIVE VARIANT NEEDS" for each variant that may be forced.
"$top_builddir/chorale" list --json | awk '
    /^    "coll": /      { gsub(/[",]/, ""); coll = $2; needs = "" }
    /^    "variant": /   { gsub(/[",]/, ""); variant = $2 }
    /^      "/           { needs = needs " " $0 }
    /^    "unselectable": null/ { print coll, variant, needs }' >"$work/list"
ok $? "the catalogue lists $(wc -l <"$work/list") variants"

# Which collectives a program calls.
wants() { # wants PROGRAM FORCE
    case $1:,$2 in
    blocks:*,gatherv=* | blocks:*,scatterv=* | blocks:*,allgatherv=* | \
        blocks:*,alltoallv=* | blocks:*,reduce_scatter=*) return 0 ;;
    ops:*,*reduce* | ops:*,*scan=*) return 0 ;;
    app:*) return 0 ;;
    esac
    return 1
}
try() { # try P FORCE
    for name in app blocks ops; do
        wants $name "$2" || continue
        run "$1" "$shim" CHORALE_FORCE="$2" CHORALE_VERBOSE=1 \
            CHORALE_AFTER=1 "$work/$name" quick
        [ $status -eq 0 ] && grep -q "^$name: wrong=0" "$work/out"
        ok $? "$name, P=$1: $2"
        sed -n 's/^chorale: \([a-z_]*\) .* -> \([^ ]*\).*/\1 \2/p' \
            "$work/err" >>"$work/ran"
    done
}
# Variants that refuse data smaller than a segment get small segments; variants
# with groups for nodes get groups.
params='function params(variant) {
    return variant == "ring_segmented" ? ":segsize=400" \
         : variant == "locality_bruck" ? ":group=2" : "" }'
# all_of LIST P...: the variants of the list, one of each collective at a time.
all_of() { # all_of LIST P ...
    list=$1
    shift
    round=0
    while :; do
        round=$((round + 1))
        force=$(awk -v round=$round "$params"' ++n[$1] == round {
            printf "%s%s=%s%s", any++ ? "," : "", $1, $2, params($2) }' "$list")
        [ -n "$force" ] || break
        for P in "$@"; do
            try "$P" "$force"
        done
    done
}
not_run() { # variants that never ran, except those for several nodes
    sort -u "$work/ran" >"$work/ran.once"
    awk 'NR == FNR { ran[$1 " " $2] = 1; next }
        !($1 " " $2 in ran) && !/node/ { print $1, $2 }' "$work/ran.once" \
        "$work/list"
}
: >"$work/ran"
all_of "$work/list" 2 3 5
not_run >"$work/rest"
all_of "$work/rest" 4 8 # grids and tori
not_run >"$work/out"
[ "$(wc -l <"$work/ran.once")" -gt 150 ] && ! [ -s "$work/out" ]
ok $? "every variant that does not need several nodes ran"

# Value-index pairs (MPICH 4.0 itself reports them as truncated in some
# collectives).
for coll in bcast gather scatter allgather alltoall; do
    for choice in $(awk -v coll=$coll "$params"' $1 == coll && !/node/ {
        print $2 params($2) }' "$work/list"); do
        variant=${choice%%:*}
        run 4 "$shim" CHORALE_FORCE="$coll=$choice" CHORALE_VERBOSE=1 \
            CHORALE_AFTER=1 "$work/pairs" $coll
        if grep -q -e "^chorale: $coll .* -> library" "$work/err"; then
            skip "types made of pairs: $coll $variant" "left to the library"
            continue
        fi
        [ $status -eq 0 ] && grep -q '^pairs: wrong=0' "$work/out" &&
            grep -q "^chorale: $coll .* -> $variant" "$work/err"
        ok $? "types made of pairs: $coll $variant"
    done
done
finish
