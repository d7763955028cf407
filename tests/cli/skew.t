#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two nodes whose clocks are off by a second and run apart: repetitions start
# together all the same. And clocks that are read too badly to time short
# operations by: those start from a barrier instead, and say so.
. "$(dirname "$0")/../lib.sh"
skew=$top_builddir/tests/mpi/.libs/libskew.so
[ -r "$skew" ] || skip_all "built without shared libraries"
[ "$(nproc)" -ge 2 ] || skip_all "needs two processors"

measure() { # database, skew, sync, options of plan...
    db=$work/$1.db skewed=$2 sync=$3
    shift 3
    "$chorale" plan "$db" -q -P 2 --ppn 1 -c bcast --providers library \
        --launches 1 --sync "$sync" -i 20 --min-iterations 10 "$@" &&
        CHORALE_SKEW=$skewed LD_PRELOAD=$skew timeout 120 "$chorale" run \
            "$db" -q >"$work/out.txt" 2>&1 || diag "$(cat "$work/out.txt")"
}
value() { # database, environment key
    sqlite3 "$work/$1.db" "SELECT value FROM environment WHERE key = '$2'"
}
has() { # database, condition on what is selected
    sqlite3 "$work/$1.db" "SELECT $2"
}

measure off "1.5 1e-5 0" roundtime -m 4M --batch 1
is "$(value off nodes)" 2 "the ranks believe to be on two nodes"
is "$(has off "CAST(value AS REAL) < 0.01 FROM environment
    WHERE key = 'clock_residual_s'")" 1 \
    "1.5 s ahead and 10 us/s fast: clocks agree to $(value off clock_residual_s) s"
is "$(has off "count(*) > 0 AND min(seconds) > 0 AND max(seconds) < 1 AND
    min(first_in) > -0.1 AND max(last_in) < 0.1 FROM sample")" 1 \
    "no repetition is off by what the clocks were"
is "$(has off "count(*) FROM run WHERE clock_error IS NULL")" 0 \
    "every run says how far the clocks may be off"

for sync in roundtime window; do
    measure bad-$sync "0 0 1e-3" $sync -m 8 --batch 1
    is "$(has bad-$sync "CAST(value AS REAL) > 1e-5 FROM environment
        WHERE key = 'clock_residual_s'")" 1 \
        "a clock that swings by 1 ms: $(value bad-$sync clock_residual_s) s residual"
    is "$(has bad-$sync "group_concat(DISTINCT sync) FROM run")" barrier \
        "$sync is refused for a broadcast of 8 bytes, which takes less"
    is "$(has bad-$sync "status || ' ' || (nrep > 0) FROM run
        JOIN run_summary USING (run_id)")" "ok 1" "and it is measured"
done

# What takes long is timed by such clocks if they are good enough for it.
measure long "0 0 1e-5" roundtime -m 16M --batch 1
is "$(has long "count(*) FROM run WHERE (sync = 'roundtime') <>
    (clock_error <= 0.05 * (SELECT median FROM run_summary))")" 0 \
    "16 MiB: $(has long "sync || ', ' || clock_error || ' s of '||
    median FROM run JOIN run_summary USING (run_id)") s"
finish
