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
for p in 2 4; do
    rm -f "$work"/cg.*
    # The counted rank is slow, so what it waits for is there: few polls.
    timeout 1800 "$MPIEXEC" \
        -n 1 valgrind --tool=callgrind --callgrind-out-file="$work/cg" \
        --toggle-collect=count_library --toggle-collect=count_ours \
        --dump-after=count_library --dump-after=count_ours \
        "$native" -k \
        : -n $((p - 1)) env LD_PRELOAD="$preload" "$native" -k \
        >"$work/out" 2>"$work/err" || { tail -3 "$work/err" >&2; exit 1; }
    echo "# instructions a call of rank 0, P = $p, 8 bytes: MPICH, ours, ratio"
    grep '^@counted' "$work/out" | awk -v dir="$work" '
        function total(i,  line, n, f) {
            n = 0
            while ((getline line < (dir "/cg." i)) > 0)
                if (line ~ /^(summary|totals):/) { split(line, f, " "); n = f[2] }
            return n
        }
        {
            lib = total(2 * NR - 1) / $4
            our = total(2 * NR) / $4
            printf "%-21s %-23s %8.0f %8.0f  %5.2f\n", $2, $3, lib, our, our / lib
            sum += log(our / lib)
        }
        END { if (NR) printf "# geometric mean %.3f\n", exp(sum / NR) }'
done
