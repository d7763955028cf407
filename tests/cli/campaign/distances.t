#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What messages take by distance, on a real MPI library: ranks that are told of
# a node and a processor each time each other, and fit says something of it.
# What they take hangs on who has the processors, so no value is asserted on.
. "$(dirname "$0")/../../lib.sh"
skew=$top_builddir/tests/mpi/.libs/libskew.so
yield=$top_builddir/tests/mpi/.libs/libyield.so
cores=$top_builddir/tests/bench/.libs/libcores.so
[ -r "$skew" ] && [ -r "$yield" ] && [ -r "$cores" ] ||
    skip_all "built without shared libraries"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
db=$work/d.db

measured() { # ranks on a node
    rm -f "$db"
    "$chorale" plan "$db" -q -P 4 --ppn "$1" -m 8:32K:x8 -c allgather \
        --variants ring,bruck --providers chorale --system made --launches 1 \
        -i 10 --min-iterations 5 &&
        CHORALE_NODE=$1 LD_PRELOAD="$skew $yield $cores" \
            timeout 900 "$chorale" run "$db" -q
}
facts() { # those of that name, and how many of them are times or ways
    sqlite3 "$db" "SELECT count(*), sum(CAST(value AS REAL) > 0)
        FROM environment WHERE key LIKE '$1:%'"
}

CHORALE_LAB_CORES=4
export CHORALE_LAB_CORES
measured 1
ok $? "four ranks, each with a node and a processor, measure"
is "$(facts distance_alpha_s)" "2|2" \
    "what a message takes one and two places on"
like "$(facts distance_kappa)|$(facts distance_pairs)" '^2\|[0-2]\|2\|[0-2]$' \
    "and what all of them take that far, as a shift and in pairs"
"$chorale" fit "$db" >"$work/fit.txt" 2>"$work/err.txt"
ok $? "they are fitted"
like "$(cat "$work/fit.txt")" 'by distance in ranks, P = 4, ppn 1' \
    "fit shows what they took,"
like "$(cat "$work/fit.txt")" 'links between nodes: [a-z]' \
    "what links there are, or that there are none,"
like "$(cat "$work/fit.txt")" \
    'alpha is the same at any distance: (holds|fails)' \
    "and whether alpha is the same"

measured 4
is "$?|$(facts distance_alpha_s)" "0|2|2" "so do four on one node"
finish
