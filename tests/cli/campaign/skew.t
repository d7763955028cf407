#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two nodes whose clocks differ by a second and drift: repetitions still start
# together. If clocks are too bad to time a point, initially or suddenly, the
# point starts from a barrier instead, or is marked as having lost its clock.
# Also a clock with coarse steps.
. "$(dirname "$0")/../../lib.sh"
skew=$top_builddir/tests/mpi/.libs/libskew.so
[ -r "$skew" ] || skip_all "built without shared libraries"
[ "$(nproc)" -ge 2 ] || skip_all "needs two processors"
on_one_machine

measure() { # database, skew, sync, options of plan...
    db=$work/$1.db skewed=$2 sync=$3
    shift 3
    # shellcheck disable=SC2086
    "$chorale" plan "$db" -q -P 2 --ppn "${ppn-1}" -c "${coll-bcast}" \
        --providers "${providers-library}" --launches 1 --sync "$sync" \
        ${rep--i 20 --min-iterations 10} "$@" &&
        CHORALE_SKEW=$skewed LD_PRELOAD=$skew timeout 900 "$chorale" run \
            "$db" -q >"$work/out.txt" 2>&1 || diag "$(cat "$work/out.txt")"
}
value() { # database, environment key
    sqlite3 "$work/$1.db" "SELECT value FROM environment WHERE key = '$2'"
}
has() { # database, expression: print the SELECT
    sqlite3 "$work/$1.db" "SELECT $2"
}

measure off "1.5 1e-5 0" roundtime -m 4M --batch 1
is "$(value off nodes)" 2 "the ranks believe to be on two nodes"
is "$(has off "CAST(value AS REAL) < 0.5 FROM environment
    WHERE key = 'clock_residual_s'")" 1 \
    "1.5 s ahead and 10 us/s fast: clocks agree to $(value off clock_residual_s) s"
is "$(has off "count(*) > 0 AND min(seconds) > 0 AND max(seconds) < 1.4 AND
    min(first_in) > -1 AND max(last_in) < 1 FROM sample")" 1 \
    "no sample is off by the clocks' offset"
is "$(has off "count(*) FROM run WHERE clock_error IS NULL")" 0 \
    "every run stores the clocks' possible error"

# Samples started by refused clocks are kept and set aside.
aside() { # database
    has "$1" "min(nrep = (SELECT count(*) FROM sample a
        WHERE a.run_id = s.run_id AND NOT flags & 2)) || ' ' ||
        min(EXISTS (SELECT 1 FROM sample a WHERE a.run_id = s.run_id
            AND flags & 2 AND rep >= nrep)) FROM run_summary s"
}
for sync in roundtime window; do
    measure bad-$sync "0 0 0.1" $sync -m 8 --batch 1
    is "$(has bad-$sync "CAST(value AS REAL) > 1e-3 FROM environment
        WHERE key = 'clock_residual_s'")" 1 \
        "a clock that swings by 0.1 s: $(value bad-$sync clock_residual_s) s residual"
    is "$(has bad-$sync "group_concat(DISTINCT sync) FROM run")" barrier \
        "$sync is refused for a broadcast that takes less than that"
    is "$(has bad-$sync "status || ' ' || (nrep > 0) FROM run
        JOIN run_summary USING (run_id)")" "ok 1" \
            "$sync: the broadcast is measured from a barrier"
    is "$(aside bad-$sync)" "1 1" \
        "$sync: samples started by the clocks are set aside"
done

# A clock with a changing rate is detected at the first point.
measure bend "0 0 0 0.05" roundtime -m 8
is "$(has bend "group_concat(DISTINCT sync || ' ' || (validity LIKE '%clock%'))
    FROM run WHERE sync <> 'barrier' AND validity NOT LIKE '%clock%'")" "" \
    "a rate that grows by 5 % a second: $(has bend "sync || ' ' || validity ||
    ', off by ' || clock_error || ' s' FROM run"), in batches"
rep="-i 5 --min-iterations 5"
measure skewed "0 0 0 0.05" roundtime -m 8 --arrival last:3
unset rep
is "$(has skewed "sync || ' ' || (SELECT min(seconds) >= 0.5 * skew
    FROM sample WHERE NOT flags & 2) FROM run")" "barrier 1" \
    "with a barrier a late rank's delay is in its time"
is "$(has skewed "count(*) FROM sample WHERE NOT flags & 2 AND
    (first_in IS NOT NULL OR last_in IS NOT NULL OR root_out IS NOT NULL)")" 0 \
    "with a barrier no times of other clocks are stored"

# A clock that is good until it jumps, in the second of three repetitions or in
# the last call.
export CHORALE_JUMP="4 1"
jumps() { # database, providers, options of plan...
    jump=$1 coll=scan providers=$2 rep="-x 1 -i 3 --min-iterations 3"
    shift 2
    measure "$jump" "0 0 0" roundtime -m 8 --batch 1 "$@"
    unset coll providers rep
}
jumps again chorale,library --cell-time 1000 --variants linear
is "$(has again "group_concat(DISTINCT sync || ' ' || nrep || ' ' ||
    (validity LIKE '%clock%')) FROM run JOIN run_summary USING (run_id)")" \
    "barrier 3 0" \
    "a clock that jumps: all candidates are timed again from a barrier"
is "$(aside again)" "1 1" "samples before the jump are set aside"
export CHORALE_JUMP="10 1 0.2"
jumps lost native,library --cell-time 1e-6 --variants scan:recursive_doubling
is "$(has lost "group_concat(DISTINCT sync || ' ' ||
    (',' || validity || ',' LIKE '%,clock,%') || ' ' || (clock_error > 0.5))
    || ' ' || count(*) FROM run JOIN launch USING (launch_id)
    WHERE part = ''")" "roundtime 1 1 2" \
    "without time to repeat, the whole point is marked"
is "$(has lost "count(*) FROM sample WHERE flags & 2")" 0 \
    "without time to repeat, no sample is set aside"
unset CHORALE_JUMP

# A barrier between nodes is right although a clock goes back, and wrong if it
# does not wait.
barrier() { # database, variable=value...
    db=$1.db
    shift
    "$chorale" plan "$work/$db" -q -P 2 --ppn 1 -c barrier --launches 1 \
        --variants dissemination --batch 1 -i 5 --min-iterations 5 &&
        env CHORALE_SKEW="0 0 0" "$@" timeout 900 "$chorale" run "$work/$db" -q \
            >"$work/out.txt" 2>&1 || diag "$(cat "$work/out.txt")"
}
barrier back CHORALE_JUMP="1 -0.1" LD_PRELOAD="$skew"
is "$(has back "group_concat(DISTINCT status || reason) || ' ' || count(*)
    FROM run")" "ok 2" "a clock that goes back by 0.1 s: barriers are right"
"${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" \
    "$top_srcdir/tests/cli/faults.c" -ldl || exit 99
barrier alone FAULT=alone LD_PRELOAD="$work/faults.so $skew"
like "$(has alone "status || ' ' || reason FROM run JOIN cell USING (cell_id)
    WHERE provider = 'library'")" \
    '^invalid .*a rank left before the last one came$' \
    "one that does not wait for a rank of another node is not"

# Durations of few clock steps: more calls per repetition.
batched() { # launches, options of plan...
    until=$1
    shift
    "$chorale" plan "$work/step.db" -q -P 2 -m 8 -c bcast -i 10 \
        --min-iterations 5 --cell-time 5 --variants bcast:binomial \
        --launches "$until" "$@" &&
        CHORALE_STEP=${step-1e-3} LD_PRELOAD=$skew timeout 900 "$chorale" run \
            "$work/step.db" -q >"$work/out.txt" 2>&1 ||
        diag "$(cat "$work/out.txt")"
}
batched 2 --providers chorale,native,library --buffers warm
is "$(has step "count(DISTINCT batch) || ' ' || (min(batch) > 1) || ' ' ||
    ((min(batch) & (min(batch) - 1)) = 0) || ' ' || count(separator) || ' ' ||
    count(DISTINCT part || ordinal) FROM run JOIN launch USING (launch_id)
    WHERE sync <> ''")" \
    "1 1 1 $(has step "count(*) FROM run WHERE sync <> ''") 4" \
    "steps of 1 ms: batches of $(has step "min(batch) FROM run") calls, of \
all candidates, in all launches, also untouched ones"
sqlite3 "$work/step.db" "UPDATE run SET batch = 32"
batched 3 --providers chorale,native,library --buffers warm
is "$(has step "group_concat(DISTINCT part || ' ' || batch) FROM (SELECT *
    FROM run JOIN launch USING (launch_id) WHERE ordinal = 2 AND sync <> ''
    ORDER BY part)")" " 32,untouched 32" \
    "a point keeps the batch of its first launch"
is "$(has step "max(nrep) <= 10 FROM run_summary")" 1 \
    "the runs have at most the planned repetitions"
rm "$work/step.db"
step=0.5 batched 1 --providers chorale,library --buffers warm --batch 2 \
    --sync barrier
unset step
is "$(has step "count(DISTINCT separator) || ' ' || max(separator) || ' ' ||
    (count(separator) = count(*)) FROM run WHERE sync <> ''")" "1 0.0 1" \
    "a barrier shorter than a clock step takes 0 s"
is "$(has step "count(*) FROM run WHERE sync <> '' AND
    ',' || validity || ',' NOT LIKE '%,suspicious,%'")" 0 \
    "calls shorter than a clock step are marked suspicious"
rm "$work/step.db"
for buffers in cold rotate; do
    batched 1 --providers chorale,library --buffers $buffers
done
is "$(has step "group_concat(DISTINCT buffers || ' ' || (batch > 1)) FROM
    (SELECT * FROM run JOIN cell USING (cell_id) ORDER BY buffers)")" \
    "cold 0,rotate 1" "cold caches are never batched"
sqlite3 "$work/step.db" "DELETE FROM sample; DELETE FROM counter;
    DELETE FROM run_summary; DELETE FROM run;
    UPDATE cell SET metric = 'throughput'"
batched 1 --providers chorale,library --buffers warm
is "$(has step "group_concat(DISTINCT buffers || ' ' || status || ' ' ||
    (reason LIKE '%cold caches%')) FROM (SELECT * FROM run
    JOIN cell USING (cell_id) WHERE metric = 'throughput' ORDER BY buffers)")" \
    "cold inapplicable 1,rotate ok 0" \
        "cold caches with throughput are inapplicable"

# The limit is 5 % of a call; the library's calls take a millisecond.
for swing in 1.5e-4 1e-5; do
    "$chorale" plan "$work/$swing.db" -q -P 2 --ppn 1 -m 8 -c scan \
        --providers library --launches 1 -i 10 --batch 1 &&
        CHORALE_SKEW="0 0 $swing" FAULT=tail LD_PRELOAD="$work/faults.so $skew" \
            timeout 900 "$chorale" run "$work/$swing.db" -q \
            >"$work/out.txt" 2>&1 || diag "$(cat "$work/out.txt")"
done
is "$(has 1.5e-4 "count(*) FROM run JOIN run_summary USING (run_id)
    WHERE sync = 'barrier' OR clock_error <= 0.05 * max")" 1 \
    "a clock that is off by 15 % of a call is refused: $(has 1.5e-4 "sync ||
    ', ' || (clock_error / median) FROM run JOIN run_summary USING (run_id)")"
is "$(has 1e-5 "count(*) FROM run JOIN run_summary USING (run_id)
    WHERE sync = 'roundtime' OR clock_error > 0.05 * min")" 1 \
    "one that is off by 1 % is not: $(has 1e-5 "sync || ', ' ||
    (clock_error / median) FROM run JOIN run_summary USING (run_id)")"

# Long calls are timed by such clocks if these are good enough.
measure long "0 0 1e-5" roundtime -m 16M --batch 1
is "$(has long "count(*) FROM run WHERE sync = 'roundtime' AND
    clock_error > 0.05 * (SELECT median FROM run_summary)")" 0 \
    "16 MiB: $(has long "sync || ', ' || clock_error || ' s of '||
    median FROM run JOIN run_summary USING (run_id)") s"
# A clock of which three seconds pass before the times in memory are taken.
export CHORALE_NODE=2
ppn=2 measure fast "0 100 0" barrier -m 8 --batch 1
is "$(has fast "group_concat(value) FROM environment
    WHERE key LIKE 'memory_%'")" "none: too slow" \
    "times in memory that take more than three seconds are dropped"
finish
