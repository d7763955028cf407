#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The correctness matrix: check every variant against the definition of its
# collective, under the MPI library and in simulation. Prints one TAP stream.
#
#     variants.t [--all] [COLLECTIVE [VARIANT]]   default: all
#
# The calls of a variant form a cover: they contain all pairs of factor levels
# (factor_levels.h). Launches at several numbers of ranks share the cover: 2 and
# 3 real ranks share one, 5 and 8 simulated ranks another.
#
# --all adds numbers of ranks, counts cut in pieces and blocks far apart. Each
# variant then has its whole cover at the first number of real ranks above one
# at which it runs, and at the first two simulated ones; the larger numbers of
# ranks share one more cover, with the number of ranks as a factor.
#
# Two lanes run at a time, one real and one simulated. The simulated lane begins
# with the largest launches; the real lane ends first and then takes simulated
# launches as well. The last lines check that no variant was left out.
# ci/matrix does more: all numbers of ranks, products of factors.
all=no
[ "${1-}" != --all ] || { all=yes; shift; }
here=${top_builddir:-.}
source=${top_srcdir:-$(dirname "$0")/../..}
. "$source/tests/mpi/launch.sh"
tmp=$(mktemp -d) || exit 99
lanes=
running=
trap 'rm -rf "$tmp"' EXIT
trap 'kill $running 2>/dev/null; exit 130' INT TERM
count=0
bad=0
partly=no

# result "ok"|"not ok" "text"
result()
{
    count=$((count + 1))
    echo "$1 $count - $2"
    [ "$1" = ok ] || bad=1
}

# report LABEL LOG STATUS: print the launch's TAP with LABEL. If the launch did
# not print its plan, print the end of its output.
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
    ! grep -q '^not ok' "$tmp/tap" || bad=1
    count=$((count + $(grep -c '^\(not \)\{0,1\}ok ' "$tmp/tap")))
    if ! grep -q '^1\.\.[1-9]' "$2"; then
        result "not ok" "$1: ended early, status $3"
        tail -n 5 "$2" | sed 's/^/# /'
    elif [ "$3" -ne 0 ] && ! grep -q '^not ok' "$2"; then
        result "not ok" "$1: status $3"
        tail -n 5 "$2" | sed 's/^/# /'
    fi
}

# keep LANE LABEL COMMAND...: run it, and store output and status in $tmp.
keep()
{
    lane=$1 label=$2
    shift 2
    n=$((n + 1))
    "$@" >"$tmp/$lane.$n.log" 2>&1 </dev/null
    echo "$? $label" >"$tmp/$lane.$n.end"
}

# collect LANE: report all that it kept; $tmp/LANE.all has their number.
collect()
{
    lane=$1
    n=1
    while [ -f "$tmp/$lane.$n.end" ]; do
        read -r status label <"$tmp/$lane.$n.end"
        report "$label" "$tmp/$lane.$n.log" "$status"
        cat "$tmp/tap" >>"$tmp/$lane.lines"
        n=$((n + 1))
    done
    [ "$(cat "$tmp/$lane.all" 2>/dev/null)" = $((n - 1)) ] ||
        result "not ok" "the $lane launches: ended early, after $((n - 1))"
}

# covered LANE WHAT LABELS [COLLECTIVE [VARIANT]]: check that each of these
# variants had all its calls of WHAT in one launch at more than one rank, or all
# parts of them in several launches. LABELS: of the launches. With partly=yes a
# variant may also have been refused at all numbers of ranks of these launches.
covered()
{
    lane=$1 what=$2 labels=$3
    shift 3
    if [ ! -x "$here/chorale" ]; then
        result ok "$lane: $what of all # SKIP no chorale: make"
        return
    fi
    "$here/chorale" list --json ${1+"$1"} | sed -n \
        -e 's/^ *"coll": "\(.*\)",$/\1/p' \
        -e 's/^ *"variant": "\(.*\)",$/\1/p' | paste -d' ' - - |
        awk -v only="${2-}" -v what="$what" '
            (only == "" || $2 == only) && (what == "data" || $1 != "barrier")
        ' >"$tmp/names"
    [ -s "$tmp/names" ] || return
    # LABEL P=N: COLLECTIVE VARIANT: WHAT[, part I of N], N calls
    awk -v what="$what" -v labels=" ($labels) P=[0-9]+: " -v partly="$partly" '
        FNR == NR { name[++n] = $0; next }
        $0 !~ labels || / P=1: / { next }
        $0 ~ ": " what ", refused: " {
            p = $0
            sub(/^.* P=[0-9]+: /, "", p)
            sub(/:.*/, "", p)
            refused[p]
        }
        $0 !~ ": " what ", (part [0-9]+ of [0-9]+, )?[1-9][0-9]* calls$" {
            next
        }
        {
            launches = / - simulated P=/
            p = $0
            sub(/^.* P=/, "", p)
            sub(/^.* P=[0-9]+: /, "")
            variant = $1 " " $2
            sub(/:.*/, "", variant)
            if (/, part /) {
                parts[launches, variant] = $7 + 0 # after "part", I and "of"
                seen[launches, variant, $5 + 0] = 1
            } else if (!(variant in first))
                first[variant] = p + 0
        }
        END {
            for (i = 1; i <= n; i++) {
                variant = name[i]
                if (variant in first)
                    at[first[variant]]++
                else if ((0, variant) in parts || (1, variant) in parts)
                    shared++
                else if (partly == "yes" && variant in refused)
                    without++
                else {
                    print "# nowhere: " variant
                    bad++
                }
                for (each = 0; each < 2; each++)
                    for (k = 1; k <= parts[each, variant]; k++)
                        if (!((each, variant, k) in seen)) {
                            print "# part " k " is missing: " variant
                            bad++
                        }
            }
            for (p = 2; p <= 64; p++)
                if (p in at)
                    text = text ", " at[p] " at P=" p
            if (shared > 0)
                text = text ", " shared " in parts"
            if (without > 0)
                text = text ", " without " run at other numbers of ranks only"
            print n + 0 " variants" text
            exit bad > 0
        }' "$tmp/names" "$tmp/$lane.lines" >"$tmp/covered"
    [ $? -eq 0 ] && verdict=ok || verdict="not ok"
    result "$verdict" "$lane: all $what of $(tail -n 1 "$tmp/covered")"
    grep '^#' "$tmp/covered"
}

fast_lane()
{
    n=0
    keep real "variants P=1" run_real 1 variants --data "$@"
    for p in 2 3; do
        keep real "variants P=$p" run_real "$p" variants --data \
            --share 0:2,3 "$@"
    done
    echo "$n" >"$tmp/real.all"
}

real_lane()
{
    n=0
    keep real "variants P=1" run_real 1 variants "$@"
    keep real "shared, real" run_real 1 variants --covers --share 1:2,3,5,8 "$@"
    keep real "shared, simulated" run_real 1 variants --covers \
        --share "2:$(echo "$sizes" | tr ' ' ,)" "$@"
    for p in 2 3 5 8; do
        keep real "variants P=$p" run_real "$p" variants --share 1:2,3,5,8 "$@"
    done
    keep real "variants_pieces P=1" run_real 1 variants_pieces --data "$@"
    for p in 4 2 8; do
        keep real "variants_pieces P=$p" run_real "$p" variants_pieces --data \
            --share 3:4,2,8 --first "$@"
    done
    for p in 3 4 2 8; do
        keep real "far apart P=$p" run_real "$p" variants --wide \
            --share 1:3,4,2,8 "$@"
    done
    echo "$n" >"$tmp/real.all"
}

# The numbers of simulated ranks that share; the first $whole have whole covers.
if [ $all = yes ]; then
    sizes="2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 24 31 32 33"
    whole=2
else
    sizes="5 8"
    whole=0
fi

# List the simulated launches, one line each: KIND P.
list_simulated()
{
    if [ $all = no ]; then
        printf 'simulated %s\n' $sizes >"$tmp/launches"
        wc -l <"$tmp/launches" >"$tmp/simulated.all"
        return
    fi
    for p in 1 $sizes; do
        echo "simulated $p"
    done >"$tmp/launches"
    case ${1-barrier} in
        barrier)
            for p in 3 6 13 16; do
                echo "eager $p"
            done >>"$tmp/launches"
            ;;
    esac
    wc -l <"$tmp/launches" >"$tmp/simulated.all"
}

# simulate KIND P [COLLECTIVE [VARIANT]]: run one of them.
simulate()
{
    kind=$1 p=$2
    shift 2
    case $kind$p in
        eager*)
            shift $(($# > 0))
            keep simulated "eager P=$p" run_eager "$p" --data barrier "$@"
            ;;
        simulated1) keep simulated "simulated P=1" run_simulated 1 "$@" ;;
        *)
            keep simulated "simulated P=$p" run_simulated "$p" \
                --share "$whole:$(echo "$sizes" | tr ' ' ,)" "$@"
            ;;
    esac
}

# Run launches that no lane has begun, from the last, the longest, to the first.
simulated_lane()
{
    next=$(cat "$tmp/simulated.all")
    while [ "$next" -gt 0 ]; do
        n=$((next - 1)) # keep counts on
        # shellcheck disable=SC2046
        if mkdir "$tmp/taken.$next" 2>/dev/null; then
            simulate $(sed -n "${next}p" "$tmp/launches") "$@"
        fi
        next=$((next - 1))
    done
}

if [ -z "$limit" ]; then
    echo "1..0 # SKIP no timeout command (coreutils)"
    exit 0
fi
if [ ! -e "$here/tests/mpi/variants_sim" ]; then
    result ok "in simulation # SKIP built without SimGrid"
elif ! command -v "$SMPIRUN" >/dev/null 2>&1; then
    result ok "in simulation # SKIP no smpirun"
else
    list_simulated "$@"
    simulated_lane "$@" &
    lanes=simulated
    running=$!
fi
if ! command -v "$MPIEXEC" >/dev/null 2>&1; then
    result ok "under the MPI library # SKIP no mpiexec"
elif [ ! -x "$here/tests/mpi/variants" ]; then
    result "not ok" "$here/tests/mpi/variants is not built: make check"
else
    {
        if [ $all = yes ]; then
            real_lane "$@"
        else
            fast_lane "$@"
        fi
        [ -z "$lanes" ] || simulated_lane "$@"
    } &
    lanes="real $lanes"
    running="$running $!"
fi
wait
for each in $lanes; do
    collect "$each"
done
if [ $all = no ]; then
    cat "$tmp"/*.lines >"$tmp/both.lines" 2>/dev/null
    covered both data "variants|simulated" "$@"
    # The real lane ran simulated launches as well: labels tell them apart.
    partly=yes
    for each in $lanes; do
        [ "$each" = real ] && label=variants || label=simulated
        cp "$tmp/both.lines" "$tmp/$label.lines"
        covered "$label" data "$label" "$@"
    done
else
    for each in $lanes; do
        covered "$each" data "variants|simulated" "$@"
        [ "$each" = simulated ] || {
            covered "$each" data variants_pieces "$@"
            covered "$each" "far apart" "far apart" "$@"
        }
    done
fi
echo "1..$count"
exit $bad
