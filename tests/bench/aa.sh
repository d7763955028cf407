#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# aa.sh - compare the same code with itself on this machine, and count the red
# comparisons. Run by hand: it takes long, and needs a quiet machine.
#
# Usage: aa.sh [COMPARISONS [PLAN OPTION...]]
# (default: 20, -c bcast,allreduce,barrier -m 8:64K:x8 -P 2 --set core --batch 8)
# Environment: UNPAIRED=1 judges without interleaving.
set -eu
top_builddir=${top_builddir:-$PWD}
chorale=$top_builddir/chorale
times=${1:-20}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- -c bcast,allreduce,barrier -m 8:64K:x8 -P 2 --set core \
    --batch 8
work=$(mktemp -d "${TMPDIR:-/tmp}/chorale-aa-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

red=0 flagged=0 cells=0
k=0
while [ "$k" -lt "$times" ]; do
    k=$((k + 1))
    rm -f "$work"/*.db
    for side in base head; do
        "$chorale" plan "$work/$side.db" "$@" --seed "$k" --label "$side" \
            >/dev/null
        "$chorale" run "$work/$side.db" -q
    done
    "$chorale" compare "$work/base.db" "$work/head.db" --format json \
        --fail-on none -o "$work/first.json"
    code=0
    "$chorale" compare "$work/base.db" "$work/head.db" --recheck both --run \
        ${UNPAIRED:+--unpaired} --format json -o "$work/last.json" \
        2>"$work/err.txt" || code=$?
    if [ "$code" -gt 1 ]; then
        cat "$work/err.txt" >&2
        exit "$code"
    fi
    [ "$code" -eq 0 ] || red=$((red + 1))
    n=$(grep -c '"verdict"' "$work/first.json") || n=0
    s=$(grep -c '"verdict": "suspect"' "$work/first.json") || s=0
    cells=$((cells + n)) flagged=$((flagged + s))
    echo "comparison $k: $n cells, $s measured again, $(
        [ "$code" -eq 0 ] && echo green || echo RED)"
done
echo "$red of $times comparisons of the same code are red;" \
    "$flagged of $cells cells were measured again"
