#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a run says of its own worth: a library that gets wrong while it is
# timed, one that is faster than messages, and one whose times are bad now and
# then, which is no reason to drop them. The faults are preloaded: see faults.c.
# (Clocks that are off: skew.t.)
. "$(dirname "$0")/../lib.sh"

command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
"${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" \
    "$top_srcdir/tests/cli/faults.c" -ldl || exit 99
db=$work/r.db

campaign() { # fault, call, message size, options of plan...
    fault=$1 after=$2 bytes=$3
    shift 3
    rm -f "$db"
    "$chorale" plan "$db" -q -P 2 -m "$bytes" -c scan --variants linear \
        --launches 1 --width 0% --cell-time 60 --no-racing "$@"
    env FAULT="$fault" AFTER="$after" LD_PRELOAD="$work/faults.so" \
        timeout 900 "$chorale" run "$db" -q
    ok $? "$fault: a campaign"
}
library() { # columns
    sqlite3 "$db" "SELECT $1 FROM run r JOIN cell c USING (cell_id)
        LEFT JOIN run_summary s USING (run_id) WHERE c.provider = 'library'"
}

# Right at first: it is found out after the repetitions.
campaign spoil 10 64 -i 20 --min-iterations 20
is "$(library "status || ' ' || (reason LIKE 'after the repetitions: wrong%')")" \
    "invalid 1" "spoil: invalid, though it was right before"
is "$(library "count(s.run_id)")" 0 "spoil: none of its times is kept"
is "$(sqlite3 "$db" "SELECT status FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale'")" ok "spoil: the others are"
"$chorale" decide "$db" -q
is "$(sqlite3 "$db" "SELECT count(*) FROM v_best WHERE provider = 'library'")" 0 \
    "spoil: it is never best"

# Faster than a message: a mark, in a real run.
campaign slow 1 1M -i 5 --min-iterations 5 -x 0
is "$(library "status || ' ' || (validity LIKE '%suspicious%')")" "ok 1" \
    "slow: what is faster than messages are is suspicious"
is "$(sqlite3 "$db" "SELECT validity LIKE '%suspicious%' FROM run
    JOIN cell USING (cell_id) WHERE provider = 'chorale'")" 0 \
    "slow: what uses them is not"
diag "$(sqlite3 "$db" "SELECT provider || ' ' || median FROM run
    JOIN run_summary USING (run_id) JOIN cell USING (cell_id)")"

# One call in five takes twenty times as long. A repetition is one call: the
# mean of several would hide it.
campaign tail 1 64 -i 60 --min-iterations 60 --sync roundtime --batch 1
is "$(library "status || ' ' || nrep")" "ok 60" "tail: all repetitions are there"
is "$(sqlite3 "$db" "SELECT group_concat(n) FROM (SELECT count(*) || ':' ||
    min(rep) || '-' || max(rep) AS n FROM sample GROUP BY run_id)")" \
    "60:0-59,60:0-59" "tail: one by one"
long=$(library "(SELECT count(*) FROM sample a WHERE a.run_id = r.run_id
    AND seconds >= 0.02)")
[ "$long" -ge 4 ]
ok $? "tail: $long of them are long"
is "$(library "max >= 0.02 AND p99 >= 0.02 AND p95 >= 0.02 AND
    max = (SELECT max(seconds) FROM sample a WHERE a.run_id = r.run_id)")" 1 \
    "tail: p95, p99 and the maximum show it"
is "$(library "median < p95")" 1 "tail: the median does not"
is "$(library "(SELECT count(*) FROM sample a WHERE a.run_id = r.run_id
    AND flags <> 0) = nlate")" 1 "tail: no flag but for starting late"
is "$(sqlite3 "$db" "SELECT p99 >= 0.02 AND nrep = 60 FROM v_summary
    WHERE provider = 'library'")" 1 "tail: v_summary shows the run whole"
diag "$(library "'median ' || median || ' p95 ' || p95 || ' p99 ' || p99 ||
    ' late ' || nlate")"

# Late at every fifth start; at each.
campaign late 5 64 -i 20 --min-iterations 20 --sync roundtime --batch 1
is "$(sqlite3 "$db" "SELECT (sum(nlate) >= 6) || ' ' || min(nlate = (SELECT
    count(*) FROM sample a WHERE a.run_id = s.run_id AND flags = 1))
    FROM run_summary s")" "1 1" "late: $(sqlite3 "$db" "SELECT sum(nlate) ||
    ' of ' || sum(nrep) FROM run_summary") repetitions are flagged"
is "$(sqlite3 "$db" "SELECT min(last_in > 0) || ' ' || (sum(last_in > 0.02) > 2)
    FROM sample WHERE flags = 1")" "1 1" "late: those that a rank came late to"
is "$(sqlite3 "$db" "SELECT max(nrep) || ' ' || min(nrep) FROM run_summary")" \
    "20 20" "late: they count, and none is made up for"
campaign late 1 64 -i 5 --min-iterations 5 --sync roundtime --batch 1
is "$(library "',' || validity || ',' LIKE '%,late,%'")" 1 \
    "late: a run most of whose starts are late says so"

# A barrier that one rank leaves late: on one clock the time is from the first
# rank's start to the last one's end.
campaign slip 1 64 -i 5 --min-iterations 5 --sync barrier --batch 1
is "$(sqlite3 "$db" "SELECT min(seconds >= last_in AND first_in = 0) || ' ' ||
    (max(last_in) > 0.005) FROM sample")" "1 1" "slip: no rank's time is left out"

# The first call is told apart.
campaign first 1 64 -i 5 --min-iterations 5 --batch 1
is "$(sqlite3 "$db" "SELECT group_concat(provider || ' ' ||
    (first_call >= 2) || ' ' || (median < 2)) FROM (SELECT * FROM run
    JOIN cell USING (cell_id) ORDER BY provider DESC)
    JOIN run_summary USING (run_id)")" "library 1 1,chorale 0 1" \
    "first: what it takes more is in run.first_call and in no repetition"

# A barrier must wait for each of its ranks.
yield=$top_builddir/tests/mpi/.libs/libyield.so
if [ -r "$yield" ]; then
    for faulty in 0 1 2; do
        rm -f "$db"
        "$chorale" plan "$db" -q -P 3 -c barrier --variants dissemination \
            --launches 1 -i 5 --min-iterations 5 --batch 1
        env FAULT=alone FAULTY=$faulty LD_PRELOAD="$work/faults.so $yield" \
            timeout 900 "$chorale" run "$db" -q
        like "$(library "status || ' ' || reason")" \
            '^invalid .*a rank left before the last one came$' \
            "alone: a barrier that does not wait for rank $faulty of 3"
        is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT status) FROM run
            JOIN cell USING (cell_id) WHERE provider = 'chorale'")" ok \
            "alone: ours does"
    done
else
    skip "built without shared libraries" "a barrier that does not wait"
fi

# The order of the candidates is drawn for each round, by the campaign's seed.
cat >"$work/told" <<EOF
#!/bin/sh
runner=\$2
shift 2
$MPIEXEC -n 2 "\$runner" --announce "\$@" | tee -a "$work/told.txt"
EOF
chmod +x "$work/told"
rounds() { # seed; prints how many orders 24 rounds of three had, and the first
    rm -f "$db" "$work/told.txt"
    "$chorale" plan "$db" -q -P 2 -m 64 -c scan --seed "$1" --launches 1 \
        --variants linear,recursive_doubling -i 24 --min-iterations 24 \
        --batch 1 --no-racing --width 0% --cell-time 60 \
        --launcher-cmd "$work/told {P}"
    timeout 900 "$chorale" run "$db" -q --launcher-cmd "$work/told {P}"
    sed -n 's/^@try \([1-9]\)$/\1/p' "$work/told.txt" | paste - - - |
        sed -n '5,28p' >"$work/rounds.txt"
    tr '\t' '\n' <"$work/rounds.txt" | sort | uniq -c | tr -s ' \n' ' '
    sort -u "$work/rounds.txt" | wc -l
}
is "$(rounds 1)" " 24 1 24 2 24 3 6" \
    "each round has each candidate once, in all of the six orders"
cp "$work/rounds.txt" "$work/before.txt"
rounds 1 >"$work/out.txt"
cmp -s "$work/rounds.txt" "$work/before.txt"
ok $? "one seed draws the same again"
rounds 2 >"$work/out.txt"
cmp -s "$work/rounds.txt" "$work/before.txt"
[ $? -eq 1 ]
ok $? "another one does not"

# A speed-up is as good as the worse of its two times.
sqlite3 "$db" "UPDATE run SET validity = CASE (SELECT provider FROM cell c
    WHERE c.cell_id = run.cell_id) WHEN 'library' THEN 'late,suspicious'
    ELSE 'late' END"
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT validity) FROM v_speedup
    WHERE provider = 'chorale'")" "late,library:late,library:suspicious" \
    "what speaks against the library's time speaks against the speed-up"
is "$(sqlite3 "$db" "SELECT validity FROM v_speedup
    WHERE provider = 'library'")" "late,suspicious" "its own are said once"

# Two launches that differ wildly know nothing: no interval of 30 decades.
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

# Right from the first root only: all roots are looked at again.
rm -f "$db"
"$chorale" plan "$db" -q -P 2 -m 64 -c bcast --variants binomial --launches 1 \
    -i 6 --min-iterations 6 --batch 1 --root rotate
env FAULT=root FAULTY=0 AFTER=12 LD_PRELOAD="$work/faults.so" \
    timeout 900 "$chorale" run "$db" -q
ok $? "root: a campaign"
is "$(library "status || ' ' || (reason LIKE 'after the repetitions: wrong%')")" \
    "invalid 1" "root: wrong from the last root only, and found out"
finish
