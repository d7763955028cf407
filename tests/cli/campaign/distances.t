#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Message times by distance on a real MPI library: a preload gives each rank a
# node and a processor, and fit reports on the times. Values are not checked,
# because they depend on the load.
. "$(dirname "$0")/../../lib.sh"
skew=$top_builddir/tests/mpi/.libs/libskew.so
yield=$top_builddir/tests/mpi/.libs/libyield.so
cores=$top_builddir/tests/bench/.libs/libcores.so
[ -r "$skew" ] && [ -r "$yield" ] && [ -r "$cores" ] ||
    skip_all "built without shared libraries"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
on_one_machine
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
db=$work/d.db

measured() { # ranks per node
    rm -f "$db"
    "$chorale" plan "$db" -q -P 4 --ppn "$1" -m 8:32K:x8 -c allgather \
        --variants ring,bruck --providers chorale --system made --launches 1 \
        -i 10 --min-iterations 5 &&
        CHORALE_NODE=$1 LD_PRELOAD="$skew $yield $cores" \
            timeout 900 "$chorale" run "$db" -q --no-bind
}
facts() { # name: print the number of such facts, and of valid ones
    sqlite3 "$db" "SELECT count(*), sum(CAST(value AS REAL) > 0)
        FROM environment WHERE key LIKE '$1:%'"
}

CHORALE_LAB_CORES=4
export CHORALE_LAB_CORES
measured 1
ok $? "four ranks on nodes of their own are measured"
is "$(facts distance_alpha_s)" "2|2" \
    "times of messages over one and two places are stored"
like "$(facts distance_kappa)|$(facts distance_pairs)" '^2\|[0-2]\|2\|[0-2]$' \
    "kappas of shifts and pairs over one and two places are stored"
"$chorale" fit "$db" >"$work/fit.txt" 2>"$work/err.txt"
ok $? "the model is fitted"
like "$(cat "$work/fit.txt")" 'by distance in ranks, P = 4, ppn 1' \
    "fit prints the times by distance"
like "$(cat "$work/fit.txt")" 'links between nodes: [a-z]' \
    "fit prints the links found, or that none are shared"
like "$(cat "$work/fit.txt")" \
    'alpha is the same at any distance: (holds|fails)' \
    "fit reports whether alpha is the same"

measured 4
is "$?|$(facts distance_alpha_s)" "0|2|2" \
    "four ranks on one node have times by distance too"
finish
