#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compare Chorale's variants with the same algorithms inside MPICH: time at two
# processes and, if valgrind is installed, instructions of one rank at two and
# four. Other MPI libraries than MPICH cannot be forced, which is reported.
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

# Convert callgrind dumps to lines "DUMP INSTRUCTIONS". Instructions of MPI, of
# Chorale, and of copies in libc count. Libraries below MPI do not count, nor do
# functions that poll, because their number of polls depends on other ranks.
# Most functions of libraries have no names, so polling functions are found by
# the call graph. A function that calls a known polling function polls too. A
# function that calls one more often than it is called itself contains the loop;
# its callers do not poll, and other functions that it calls each time do.
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
    FNR == 1 { dump[++files] = FILENAME; delete known }
    /^ob=/ { kind = "o"; object = below = name(substr($0, 4)); next }
    /^fn=/ { kind = "f"; fn = object " " name(substr($0, 4)); next }
    /^cob=/ { kind = "o"; below = name(substr($0, 5)); next }
    /^cfn=/ { kind = "f"; callee = name(substr($0, 5)); next }
    /^calls=/ {
        n = substr($1, 7)
        to = below " " callee
        below = object
        calls[fn SUBSEP to] += n
        called[to] += n
        if (to ~ /ucp_worker_progress|fi_cq_read|[Pp]rogress_(test|poke)/)
            polls[to] = 1
        getline
        if (to ~ /\/libc\.so[^ ]* .*mem(cpy|move|set)/)
            self[files, fn] += $2
        next
    }
    /^[0-9+*-]/ { self[files, fn] += $2 }
    END {
        do {
            more = 0
            for (pair in calls) {
                split(pair, end, SUBSEP)
                if (!(end[2] in polls) || end[2] in loops ||
                    end[1] in polls || end[1] !~ /libmpi/)
                    continue
                polls[end[1]] = more = 1
                if (calls[pair] > 1.5 * called[end[1]])
                    loops[end[1]] = calls[pair]
            }
        } while (more)
        for (pair in calls) {
            split(pair, end, SUBSEP)
            if (end[1] in loops && calls[pair] > loops[end[1]] / 2)
                polls[end[2]] = 1
        }
        for (key in self) {
            split(key, of, SUBSEP)
            if (of[2] ~ /libmpi|native / && !(of[2] in polls))
                sum[of[1]] += self[key]
        }
        for (i = 1; i <= files; i++) {
            sub(/.*\./, "", dump[i])
            printf "%d %d\n", dump[i], sum[i]
        }
    }' "$@"
}

count() { # P BYTES
    rm -f "$work"/cg*
    timeout 1800 "$MPIEXEC" \
        -n 1 valgrind --tool=callgrind --callgrind-out-file="$work/cg" \
        --collect-atstart=no "$native" -k "$2" \
        : -n $(($1 - 1)) env LD_PRELOAD="$preload" "$native" -k "$2" \
        >"$work/out" 2>"$work/err" || { tail -3 "$work/err" >&2; exit 1; }
    echo "# instructions a call of rank 0, P = $1: bytes, MPICH, ours, ratio"
    instructions "$work"/cg.* >"$work/sums"
    awk '
        FNR == NR { sum[$1] = $2; next }
        /^@counted/ {
            i += 2
            lib = sum[i - 1]
            our = sum[i]
            printf "%-21s %-23s %7d %8d %8d  %5.2f\n", $2, $3, $5, lib / $4,
                   our / $4, our / lib
            total += log(our / lib)
            n++
        }
        END { if (n) printf "# geometric mean %.3f\n", exp(total / n) }
    ' "$work/sums" "$work/out"
}

for p in 2 4; do
    for bytes in 8 1024 65536; do
        count "$p" "$bytes"
    done
done
