#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run_validity.t - validity marks of runs: a library faster than messages;
# outliers, which are kept; late starts; the order of candidates. (Wrong data:
# verify.t. Clocks: skew.t.)
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
. "$here/../faulty.sh"

# Faster than a message: a mark in a real run.
single slow 1 1M -i 5 --min-iterations 5 -x 0
is "$(library "status || ' ' || (validity LIKE '%suspicious%')")" "ok 1" \
    "slow: a library faster than messages is marked suspicious"
is "$(sqlite3 "$db" "SELECT validity LIKE '%suspicious%' FROM run
    JOIN cell USING (cell_id) WHERE provider = 'chorale'")" 0 \
    "slow: a variant that uses messages is not marked"
# Messages that were slow when they were measured are measured again.
single busy 1 8M -i 5 --min-iterations 5 -x 0
is "$(library "status || ' ' || (validity LIKE '%suspicious%')")" "ok 0" \
    "busy: a library as fast as messages are later is not marked"
diag "$(sqlite3 "$db" "SELECT provider || ' ' || median FROM run
    JOIN run_summary USING (run_id) JOIN cell USING (cell_id)")"

# One call in five takes twenty times as long. A repetition is a single call,
# because a mean of several would hide it.
single tail 1 64 -i 60 --min-iterations 60 --sync roundtime --batch 1
is "$(library "status || ' ' || nrep")" "ok 60" \
    "tail: all repetitions are stored"
is "$(sqlite3 "$db" "SELECT group_concat(n) FROM (SELECT count(*) || ':' ||
    min(rep) || '-' || max(rep) AS n FROM sample GROUP BY run_id)")" \
    "60:0-59,60:0-59" "tail: each repetition has its sample"
long=$(library "(SELECT count(*) FROM sample a WHERE a.run_id = r.run_id
    AND seconds >= 0.02)")
[ "$long" -ge 4 ]
ok $? "tail: $long repetitions are long"
is "$(library "max >= 0.02 AND p99 >= 0.02 AND p95 >= 0.02 AND
    max = (SELECT max(seconds) FROM sample a WHERE a.run_id = r.run_id)")" 1 \
    "tail: p95, p99 and the maximum show it"
is "$(library "median < p95")" 1 "tail: the median does not show it"
is "$(library "(SELECT count(*) FROM sample a WHERE a.run_id = r.run_id
    AND flags <> 0) = nlate")" 1 "tail: only late starts are flagged"
is "$(sqlite3 "$db" "SELECT p99 >= 0.02 AND nrep = 60 FROM v_summary
    WHERE provider = 'library'")" 1 "tail: v_summary counts all repetitions"
diag "$(library "'median ' || median || ' p95 ' || p95 || ' p99 ' || p99 ||
    ' late ' || nlate")"

# A rank is late at every fifth start; then at each start.
single late 5 64 -i 20 --min-iterations 20 --sync roundtime --batch 1
is "$(sqlite3 "$db" "SELECT (sum(nlate) >= 6) || ' ' || min(nlate = (SELECT
    count(*) FROM sample a WHERE a.run_id = s.run_id AND flags = 1))
    FROM run_summary s")" "1 1" "late: $(sqlite3 "$db" "SELECT sum(nlate) ||
    ' of ' || sum(nrep) FROM run_summary") repetitions are flagged"
is "$(sqlite3 "$db" "SELECT min(last_in > 0) || ' ' || (sum(last_in > 0.02) > 2)
    FROM sample WHERE flags = 1")" "1 1" \
        "late: exactly the repetitions with a late rank are flagged"
is "$(sqlite3 "$db" "SELECT max(nrep) || ' ' || min(nrep) FROM run_summary")" \
    "20 20" "late: flagged repetitions count and are not replaced"
single late 1 64 -i 5 --min-iterations 5 --sync roundtime --batch 1
is "$(library "',' || validity || ',' LIKE '%,late,%'")" 1 \
    "late: a run with mostly late starts is marked late"

# A barrier that one rank leaves late: on one clock, the time is from the first
# rank's start to the last one's end.
single slip 1 64 -i 5 --min-iterations 5 --sync barrier --batch 1
is "$(sqlite3 "$db" "SELECT min(seconds >= last_in AND first_in = 0) || ' ' ||
    (max(last_in) > 0.005) FROM sample")" "1 1" \
        "slip: the time of a repetition covers all ranks"

# The order of candidates is random for each round, by the campaign's seed.
cat >"$work/told" <<EOF
#!/bin/sh
runner=\$2
shift 2
$MPIEXEC -n 2 "\$runner" --announce "\$@" | tee -a "$work/told.txt"
EOF
chmod +x "$work/told"
rounds() { # seed: print how many orders 24 rounds of three had, and the first
    rm -f "$db" "$work/told.txt"
    "$chorale" plan "$db" -q -P 2 -m 64 -c scan --seed "$1" --launches 1 \
        --variants linear,recursive_doubling -i 24 --min-iterations 24 \
        --batch 1 --no-racing --width 0% --cell-time 20 \
        --launcher-cmd "$work/told {P}"
    timeout 900 "$chorale" run "$db" -q --launcher-cmd "$work/told {P}"
    sed -n 's/^@try \([1-9]\)$/\1/p' "$work/told.txt" | paste - - - |
        sed -n '5,28p' >"$work/rounds.txt"
    tr '\t' '\n' <"$work/rounds.txt" | sort | uniq -c | tr -s ' \n' ' '
    sort -u "$work/rounds.txt" | wc -l
}
is "$(rounds 1)" " 24 1 24 2 24 3 6" \
    "each round has each candidate once, and all six orders occur"
cp "$work/rounds.txt" "$work/before.txt"
rounds 1 >"$work/out.txt"
cmp -s "$work/rounds.txt" "$work/before.txt"
ok $? "the same seed gives the same orders"
rounds 2 >"$work/out.txt"
cmp -s "$work/rounds.txt" "$work/before.txt"
[ $? -eq 1 ]
ok $? "another seed gives other orders"

# Other programs beside a launch: two on each processor.
hogs=
for _ in $(seq $((2 * $(getconf _NPROCESSORS_ONLN)))); do
    sh -c 'while :; do :; done' &
    hogs="$hogs $!"
done
rm -f "$db"
"$chorale" plan "$db" -q -P 2 -m 64 -c scan --variants linear --launches 1 -i 5 \
    --min-iterations 5
timeout 900 "$chorale" run "$db" >"$work/out.txt"
# shellcheck disable=SC2086
kill $hogs
wait 2>/dev/null
is "$(sqlite3 "$db" "SELECT min(',' || validity || ',' LIKE '%,load,%'),
    (SELECT CAST(value AS REAL) > 0.2 FROM environment
    WHERE key = 'other_load') FROM run")" "1|1" \
    "runs beside other programs are tagged, with the processors lost to them"
line='other programs took up to [0-9.]+ processors .* in 1 of 1 launches: [0-9]+ runs are tagged load; '
like "$(cat "$work/out.txt")" "^$db: $line" "run prints a line"
like "$("$chorale" status "$db")" "^$line" "status prints it"
like "$("$chorale" decide "$db")" "^$line" "decide prints it"
like "$(sqlite3 "$db" "SELECT min(reason) FROM decision")" \
    '; other programs ran at the same time$' "decisions on such runs are marked"
like "$("$chorale" generate "$db" -o "$work/t.c")" "^$line" "generate prints it"
sqlite3 "$db" "UPDATE run SET validity = 'late'"
"$chorale" decide "$db" >"$work/out.txt"
"$chorale" status "$db" >>"$work/out.txt"
"$chorale" generate "$db" -o "$work/t.c" >>"$work/out.txt"
is "$(grep -c 'other programs' "$work/out.txt")" 0 \
    "without tagged runs there is no such line"

# A speed-up has the marks of both of its times.
sqlite3 "$db" "UPDATE run SET validity = CASE (SELECT provider FROM cell c
    WHERE c.cell_id = run.cell_id) WHEN 'library' THEN 'late,suspicious'
    ELSE 'late' END"
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT validity) FROM v_speedup
    WHERE provider = 'chorale'")" "late,library:late,library:suspicious" \
    "marks of the library's time are marks of the speed-up"
is "$(sqlite3 "$db" "SELECT validity FROM v_speedup
    WHERE provider = 'library'")" "late,suspicious" \
        "the library's own marks are listed once"

# Two launches that differ wildly have no interval, rather than a huge one.
sqlite3 "$db" "CREATE TABLE l AS SELECT * FROM launch;
    UPDATE l SET launch_id = launch_id + 1000, uuid = uuid || 'b',
        ordinal = ordinal + 1;
    INSERT INTO launch SELECT * FROM l;
    CREATE TABLE r AS SELECT * FROM run;
    UPDATE r SET run_id = run_id + 1000, uuid = uuid || 'b',
        launch_id = launch_id + 1000;
    INSERT INTO run SELECT * FROM r;
    CREATE TABLE s AS SELECT * FROM run_summary;
    UPDATE s SET run_id = run_id + 1000, median = median * 10;
    INSERT INTO run_summary SELECT * FROM s;
    DROP TABLE l; DROP TABLE r; DROP TABLE s"
is "$(sqlite3 "$db" "SELECT DISTINCT launches, lo, hi FROM v_summary")" "2||" \
    "two launches that are ten times apart have no interval"

# A round of long calls, of seven variants and the library, is measured in parts.
for how in window barrier; do
    rm -f "$db"
    "$chorale" plan "$db" -q -c allreduce -P 2 -m 8M \
        --providers chorale,library --launches 1 --variants \
        linear,recursive_doubling,ring,rabenseifner,circulant,bine_bw,swing_bw \
        --min-iterations 3 -i 12 --width 0.001% --cell-time 0.3 --sync $how
    timeout 900 "$chorale" run "$db" -q 2>"$work/err.txt"
    is "$? $(cat "$work/err.txt") $(sqlite3 "$db" "SELECT count(*)
        FROM run_summary WHERE nrep BETWEEN 3 AND 12")" "0  8" \
        "$how: all cells are timed"
    is "$(sqlite3 "$db" "SELECT sum(planned) - sum(done) FROM v_progress")" 0 \
        "$how: every planned run is stored"
done
finish
