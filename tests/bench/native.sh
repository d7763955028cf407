#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ours against the same algorithms inside MPICH: time at two processes, and
# instructions of one rank at two and four, where valgrind is there. With
# another MPI library than MPICH there is nothing to force, and it says so.
#
#   native.sh [-t|-i]    only the times, only the instructions
here=${top_builddir:-.}
: "${MPIEXEC:=mpiexec}"
what=${1:-both}
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
native=$here/tests/bench/native
preload=$(cd "$here" && pwd)/tests/mpi/.libs/libyield.so

[ "$what" = -i ] || timeout 1800 "$MPIEXEC" -n 2 "$native" || exit
[ "$what" = -t ] && exit
if ! command -v valgrind >/dev/null 2>&1; then
    echo "# instructions: left out, there is no valgrind"
    exit 0
fi

# Instructions of a callgrind dump, but for those of functions that poll and
# of the libraries below MPI: how often they poll depends on the other ranks.
instructions()
{
    awk '
    function name(text,  id) {
        id = text
        sub(/\).*/, ")", id)
        if (text ~ /\) ./)
            known[kind id] = substr(text, index(text, ") ") + 2)
        return known[kind id]
    }
    /^ob=/ { kind = "o"; object = name(substr($0, 4)); next }
    /^fn=/ { kind = "f"; fn = name(substr($0, 4)); next }
    /^cob=/ { kind = "o"; name(substr($0, 5)); next }
    /^cfn=/ { kind = "f"; name(substr($0, 5)); next }
    /^calls=/ { getline; next }
    /^[0-9+*-]/ {
        if ((object ~ /libmpi/ || object ~ /native$/) &&
            fn !~ /[Pp]rogress|poll|[Ww]ait_(state|impl)/)
            sum += $2
    }
    END { printf "%d", sum }' "$1"
}

for p in 2 4; do
    rm -f "$work"/cg*
    timeout 1800 "$MPIEXEC" \
        -n 1 valgrind --tool=callgrind --callgrind-out-file="$work/cg" \
        --collect-atstart=no "$native" -k \
        : -n $((p - 1)) env LD_PRELOAD="$preload" "$native" -k \
        >"$work/out" 2>"$work/err" || { tail -3 "$work/err" >&2; exit 1; }
    echo "# instructions a call of rank 0, P = $p, 8 bytes: MPICH, ours, ratio"
    i=0
    grep '^@counted' "$work/out" | while read -r _ coll variant calls; do
        lib=$(instructions "$work/cg.$((i + 1))")
        our=$(instructions "$work/cg.$((i + 2))")
        i=$((i + 2))
        echo "$coll $variant $((lib / calls)) $((our / calls))"
    done | awk '
        {
            printf "%-21s %-23s %8d %8d  %5.2f\n", $1, $2, $3, $4, $4 / $3
            sum += log($4 / $3)
        }
        END { if (NR) printf "# geometric mean %.3f\n", exp(sum / NR) }'
done
