#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The correctness matrix: under the MPI library, with counts cut in pieces,
# with blocks far apart, and in simulation. One TAP stream of them all.
#
#     variants.t [COLLECTIVE [VARIANT]]   only these
#
# Two lanes run at a time, one real and one simulated. One and two real ranks
# and one to three simulated ones have the whole cover of all pairs, the larger
# numbers share one that has the number of ranks as one more factor. ci/matrix
# does more: all numbers of ranks, products of factors.
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
. "$source/tests/mpi/launch.sh"
tmp=$(mktemp -d) || exit 99
lanes=
running=
trap 'rm -rf "$tmp"' EXIT
trap 'kill $running 2>/dev/null; exit 130' INT TERM
count=0

# result "ok"|"not ok" "text"
result()
{
    count=$((count + 1))
    echo "$1 $count - $2"
}

# report LABEL LOG STATUS: the launch's TAP with LABEL. Of a launch that did
# not print its plan, the end of its output.
report()
{
    awk -v label="$1" -v count="$count" '
        /^(not )?ok [0-9]+ - / {
            not = /^not /
            sub(/^(not )?ok [0-9]+ - /, "")
            printf "%sok %d - %s: %s\n", not ? "not " : "", ++count, label, $0
            next
        }
        /^# / { print }' "$2" >"$tmp/tap"
    cat "$tmp/tap"
    count=$((count + $(grep -c '^\(not \)\{0,1\}ok ' "$tmp/tap")))
    if ! grep -q '^1\.\.[1-9]' "$2"; then
        result "not ok" "$1: ended early, status $3"
        tail -n 5 "$2" | sed 's/^/# /'
    elif [ "$3" -ne 0 ] && ! grep -q '^not ok' "$2"; then
        result "not ok" "$1: status $3"
        tail -n 5 "$2" | sed 's/^/# /'
    fi
}

# keep LANE LABEL COMMAND...: run it; its output and status wait in $tmp.
keep()
{
    lane=$1 label=$2
    shift 2
    n=$((n + 1))
    "$@" >"$tmp/$lane.$n.log" 2>&1 </dev/null
    echo "$? $label" >"$tmp/$lane.$n.end"
}

# collect LANE: report all that it kept. Its last act is to say how many.
collect()
{
    n=1
    while [ -f "$tmp/$1.$n.end" ]; do
        read -r status label <"$tmp/$1.$n.end"
        report "$label" "$tmp/$1.$n.log" "$status"
        n=$((n + 1))
    done
    [ "$(cat "$tmp/$1.all" 2>/dev/null)" = $((n - 1)) ] ||
        result "not ok" "the $1 launches: ended early, after $((n - 1))"
}

real_lane()
{
    n=0
    for p in 1 2; do
        keep real "variants P=$p" run_real "$p" variants "$@"
    done
    i=0
    for p in 3 5 8; do
        keep real "variants P=$p" run_real "$p" variants --slice "$i/3" "$@"
        i=$((i + 1))
    done
    i=0
    for p in 1 4; do
        keep real "variants_pieces P=$p" run_real "$p" variants_pieces --data \
            --slice "$i/2" "$@"
        i=$((i + 1))
    done
    keep real "far apart P=3" run_real 3 variants --wide "$@"
    echo "$n" >"$tmp/real.all"
}

simulated_lane()
{
    n=0
    for p in 1 2 3; do
        keep simulated "simulated P=$p" run_simulated "$p" "$@"
    done
    i=0
    for p in 4 5 6 7 8 9 10 11 12 13 14 15 16 17 24 31 32 33; do
        keep simulated "simulated P=$p" run_simulated "$p" --slice "$i/18" "$@"
        i=$((i + 1))
    done
    case ${1-barrier} in
        barrier)
            shift $(($# > 0))
            for p in 3 6 13 16; do
                keep simulated "eager P=$p" run_eager "$p" --data barrier "$@"
            done
            ;;
    esac
    echo "$n" >"$tmp/simulated.all"
}

if [ -z "$limit" ]; then
    echo "1..0 # SKIP no timeout command (coreutils)"
    exit 0
fi
if ! command -v "$MPIEXEC" >/dev/null 2>&1; then
    result ok "under the MPI library # SKIP no mpiexec"
elif [ ! -x "$here/tests/mpi/variants" ]; then
    result "not ok" "$here/tests/mpi/variants is not built: make check"
else
    real_lane "$@" &
    lanes=real
    running=$!
fi
if [ ! -e "$here/tests/mpi/variants_sim" ]; then
    result ok "in simulation # SKIP built without SimGrid"
elif ! command -v "$SMPIRUN" >/dev/null 2>&1; then
    result ok "in simulation # SKIP no smpirun"
else
    simulated_lane "$@" &
    lanes="$lanes simulated"
    running="$running $!"
fi
wait
for lane in $lanes; do
    collect "$lane"
done
echo "1..$count"
