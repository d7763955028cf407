#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Overhead of the runner per repetition: the time of an algorithm that does
# nothing, in nanoseconds and relative to an operation of 10 us. With one call
# per repetition; short operations are batched, which divides the overhead by
# the batch.
here=${top_builddir:-.}
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
null=$(cd "$here" && pwd)/tests/bench/.libs/libnull.so

for sync in roundtime window barrier; do
    "$here/chorale" plan "$work/$sync.db" -q -c bcast -m 0 -P 1,2 --batch 1 \
        --providers library --launches 5 -i 2000 --min-iterations 2000 \
        --cell-time 5s --sync $sync || exit
    LD_PRELOAD=$null timeout 300 "$here/chorale" run "$work/$sync.db" -q ||
        exit
    sqlite3 "$work/$sync.db" "SELECT printf('# %-9s  P = %d: %4.0f ns,"\
" %4.2f %% of 10 us (at most 1 %%)%s; the quickest quarter %4.0f ns',"\
"  '$sync', comm_size, 1e9 * exp(avg(ln(median))),"\
"  1e7 * exp(avg(ln(median))),"\
"  iif(exp(avg(ln(median))) > 1e-7, ', MISSED', ''),"\
"  1e9 * exp(avg(ln(q25))))"\
" FROM run_summary JOIN run USING (run_id) JOIN cell USING (cell_id)"\
" WHERE run.status = 'ok' GROUP BY comm_size"
done
