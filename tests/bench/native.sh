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

# Callgrind dumps to lines "DUMP INSTRUCTIONS": those of MPI, of ours, and of
# what they copy in libc; not those of the libraries below, nor those of
# functions that poll: how often they do depends on the other ranks. Libraries
# have no names for most of their functions, so the latter are found by who
# calls whom: a function that calls a known one polls itself, and the one that
# calls such more often than it is called has the loop: its callers do not poll,
# and what else it calls each time does.
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
