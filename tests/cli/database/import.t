#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# import.t - traces are imported into a database, completely or not at all, and
# plans are made from them.
. "$(dirname "$0")/../../lib.sh"

cat >"$work/app.trace" <<'EOF'
chorale-trace 1
mpi MPICH Version: 4.0.2
program solver
started 2026-01-31T12:00:00Z
comm_size 8
ranks 8
wall_seconds 10 10.5
unlisted 2 0.008
columns coll n comm_size shape type op root ran rank_calls calls seconds max_seconds
allreduce 64 8 one-per-node double sum - library 8000 1000 16 2.5
bcast 4096 8 one-per-node int - first library 80 10 4 0.7
bcast 4096 8 one-per-node int - last library 80 10 2 0.4
gatherv 1000 8 one-per-node byte - first library 80 10 0.8 0.2
allgather 256 4 one-per-node derived - - library 80 20 0.4 0.1
bcast 100 2 single-node byte - first binomial:segsize=64 8 4 0.2 0.1
allreduce 8 8 one-per-node other other - library 8 1 0.16 0.02
reduce 0 8 one-per-node double sum first library 8 1 0.08 0.01
barrier 0 8 one-per-node byte - - library 80 10 0.24 0.1
allreduce 8 1 single-node double sum - library 8 8 0.008 0.001
end 10
EOF
db=$work/r.db

out=$("$chorale" import "$db" "$work/app.trace" --label small 2>"$work/err")
is $? 0 "a trace is imported into a new database"
is "$(cat "$work/err")" "" "import prints no warning"
like "$out" 'solver on 8 ranks \(MPICH 4.0.2\)' \
    "import prints program and library"
like "$out" 'a rank took 10 s, of which 2.986 s \(29.9 %\) in collectives' \
    "import prints the share of time in collectives"
like "$out" 'in no row: 2 calls of ranks, 1 ms' \
    "import prints the calls without a row"
like "$(printf '%s\n' "$out" | sed -n 6p)" \
    '^  allreduce +64 B +8 +one-per-node +double +sum +1000 +2 ms +67\.0 %' \
    "the point with most time comes first"
like "$out" '^  bcast +4 KiB +8 +one-per-node +int +- +20 +37.5 ms +25\.1 %' \
    "calls with several roots are added up"
is "$(sqlite3 "$db" "SELECT label, program, comm_size, ranks, part_rank IS NULL,
    wall_mean, unlisted_calls, (SELECT count(*) FROM trace_point) FROM trace")" \
    "small|solver|8|8|1|10.0|2|10" "the trace is stored"
is "$(sqlite3 "$db" "SELECT msg_size FROM trace_point WHERE coll = 'gatherv'")" \
    125 "a v-collective has its mean block"

"$chorale" import "$db" "$work/app.trace" >"$work/out" 2>"$work/err"
is $? 0 "importing again exits with 0"
like "$(cat "$work/err")" '^chorale: .*app.trace: imported already, 20.* as small$' \
    "importing again prints that it is imported"
is "$(cat "$work/out")$(sqlite3 "$db" 'SELECT count(*) FROM trace')" 1 \
    "importing again changes no row"
sed -e 's/program solver/program other/' -e '/^wall/i part 3 MPI_Abort' \
    -e 's/^ranks 8/ranks 1/' "$work/app.trace" >"$work/part.trace"
like "$("$chorale" import "$db" "$work/part.trace")" \
    'of rank 3 only: MPI_Abort' "a partial trace is imported too"
is "$(sqlite3 "$db" "SELECT group_concat(part_rank || part) FROM trace
    WHERE part_rank >= 0")" "3MPI_Abort" "a partial trace is stored as partial"

# An error in a file is reported with its line number, and no part of the file
# is stored. Several files: import_benchmarks.t.
cp "$db" "$work/before.db"
bad() { # sed script, expected text
    sed "$1" "$work/app.trace" | sed 's/program solver/program bad/' \
        >"$work/bad.trace"
    "$chorale" import "$db" "$work/bad.trace" >"$work/out" 2>"$work/err"
    is "$? $(cat "$work/out")" "4 " "refused: $1"
    like "$(cat "$work/err")" "^chorale: [^ ]*bad.trace:$2" \
        "the error has line and reason: $1"
    is "$(wc -l <"$work/err")" 1 "the error is one line: $1"
}
bad 's/trace 1/trace 3/' '1: a trace of version 3, this chorale reads'
bad 's/trace 1/trace 2/' '9: not the columns'
bad 's/chorale-trace/other-trace/' '1: no format that can'
bad '/^mpi/d' "2: not a line 'mpi"
bad 's/^comm_size 8/comm_size 0/' "5: not 'comm_size'"
bad 's/^ranks 8/ranks 9/' "6: not 'ranks'"
bad 's/^wall_seconds .*/wall_seconds nan 1/' "7: not 'wall_seconds'"
bad 's/^wall_seconds .*/wall_seconds 3 2/' "7: not 'wall_seconds'"
bad 's/^unlisted.*/unlisted -1 0/' "8: not 'unlisted'"
bad 's/max_seconds$/max/' '9: not the columns'
bad 's/^allreduce 64/allwhat 64/' '10: no such collective'
bad 's/^allreduce 64/allreduce 6x/' '10: n is not'
bad 's/^allreduce 64 8/allreduce 64 99999999999/' '10: comm_size is not'
bad 's/^\(bcast .*\) - first/\1 sum first/' '11: no such operation'
bad 's/^\(bcast .*\) first/\1 -/' '11: no such root'
bad 's/^allgather 256/allgather 255/' '14: n is not a multiple'
bad "s/first library/first lib';--/" '11: what ran'
bad 's/library 8000 1000/library 0 1000/' '10: not a number of calls'
bad 's/16 2.5$/16 17/' '10: not a sum of seconds'
bad 's/16 2.5$/16/' '10: a row has 12 words'
bad 's/16 2.5$/16 2.5 1/' '10: a row has 12 words'
bad 's/^end 10/end 9/' '20: rows are missing'
bad '$d' '20: not a whole line'
bad '$a more' '21: goes on after its end'
bad 's/^end 10/end 11/;/^barrier/p' '19: this row was there before'
# Version 2: how late the ranks enter.
sed -e 's/trace 1/trace 2/' -e 's/max_seconds$/& skew late trend latest/' \
    -e '10,19s/$/ - - - -/' -e '10s/- - - -$/0.0012 0.125 0.4 7/' \
    -e '11s/- - - -$/0.02 0.5 -0.98 0/' -e '12s/- - - -$/1e-6 0.5 0.98 7/' \
    "$work/app.trace" >"$work/late.trace"
cp "$work/app.trace" "$work/old.trace"
cp "$work/late.trace" "$work/app.trace"
skew='not a skew in seconds'
bad 's/0.0012 0.125/-1 0.125/' "10: $skew"
bad 's/0.0012 0.125/0.0012 1.5/' "10: $skew"
bad 's/0.4 7/0.4 8/' "10: $skew"
bad 's/0.4 7/4x 7/' "10: $skew"
bad 's/- - - -/- 1 - -/' "13: $skew"
bad 's/ 0.4 7//' '10: a row has 16 words'
cp "$work/old.trace" "$work/app.trace"
"$chorale" import "$work/late.db" "$work/late.trace" >"$work/out"
is "$(sqlite3 "$work/late.db" "SELECT group_concat(arrival) FROM (SELECT arrival
    FROM trace_point WHERE arrival <> '' ORDER BY seconds DESC)")" \
    "last:1200us,random:20000us,sync" "a trace implies arrival patterns"
is "$(sqlite3 "$work/late.db" "SELECT group_concat(arrival) FROM v_arrival")" \
    "last:1200us,random:20000us" "the rows with the largest time count"
like "$(cat "$work/out")" 'ranks enter late: allreduce 64 B: last:1200us' \
    "import reports which ranks are late"
"$chorale" plan "$work/late.db" -q --from-trace --arrival traced --ppn 1 \
    --launcher srun 2>"$work/err"
is "$(sqlite3 "$work/late.db" "SELECT group_concat(DISTINCT arrival) FROM
    (SELECT arrival FROM cell WHERE coll = 'allreduce' ORDER BY arrival)")" \
    "last:1200us,sync" "plan --arrival traced measures the pattern and sync"
is "$(sqlite3 "$work/late.db" "SELECT group_concat(DISTINCT arrival) FROM cell
    WHERE coll = 'barrier'")" sync "a point without a pattern has sync only"

head -c 700 "$work/app.trace" >"$work/cut.trace"
"$chorale" import "$db" "$work/cut.trace" >"$work/out" 2>"$work/err"
is $? 4 "a truncated file is refused"
head -c 3000 /dev/urandom >"$work/random"
for file in "$work/random" /dev/null; do
    "$chorale" import "$db" "$file" >"$work/out" 2>"$work/err"
    is "$? $(grep -c 'no format that can be imported' "$work/err")" "4 1" \
        "$(basename "$file") is refused as a trace"
done
for file in "$work" "$work/none"; do
    "$chorale" import "$db" "$file" >"$work/out" 2>"$work/err"
    is "$? $(wc -l <"$work/err")" "3 1" \
        "a folder or a missing file exits with 3"
done
"$chorale" import "$db" 2>"$work/err"
is $? 2 "a missing file argument is refused"
for copy in before r; do
    sqlite3 "$work/$copy.db" .dump >"$work/$copy.sql"
done
cmp "$work/before.sql" "$work/r.sql"
ok $? "refused files leave the database unchanged"
"$chorale" import "$work/new.db" "$work/random" 2>/dev/null
[ ! -e "$work/new.db" ]
ok $? "no database is made for a bad file"

# Plans from traces.
points() {
    sqlite3 "$1" "SELECT DISTINCT coll || ' ' || msg_size || ' ' || comm_size
        || ' ' || dtype || op || ' ' || root_policy FROM cell ORDER BY 1" |
        tr '\n' ';'
}
planned() { # name, options
    name=$1
    shift
    rm -f "$work/p.db"
    "$chorale" import "$work/p.db" "$work/app.trace" -q --label small
    "$chorale" plan "$work/p.db" --from-trace --ppn 1 --launcher srun "$@" \
        >"$work/out" 2>"$work/err"
    is $? 0 "$name"
}
planned "the traced points"
is "$(points "$work/p.db")" "allgather 64 4 byte none;\
allreduce 64 8 doublesum none;barrier 0 8 byte none;bcast 100 2 byte first;\
bcast 4096 8 byte rotate;gatherv 125 8 byte first;" \
    "plan --from-trace plans exactly the traced points"
like "$(cat "$work/err")" 'not planned: 1 traced point, 0.0 %.*one rank' \
    "points of one rank are not planned"
like "$(cat "$work/err")" 'not planned: 1 traced point, 0.3 %.*no data' \
    "points without data are not planned"
like "$(cat "$work/err")" 'not planned: 1 traced point, 0.7 %.*cannot be planned' \
    "points with unknown operations are not planned"
like "$(cat "$work/err")" '1 traced point, 0.8 % of the time, had.*other nodes' \
    "another placement is reported"
planned "limited" -c bcast,allreduce -P 8
is "$(points "$work/p.db")" \
    "allreduce 64 8 doublesum none;bcast 4096 8 byte rotate;" \
        "-c and -P limit the traced points"
like "$(cat "$work/err")" 'not planned: 4 traced points.*left out by -c' \
    "points left out by -c are reported"
planned "limited" -m 64,125
is "$(points "$work/p.db")" "allgather 64 4 byte none;\
allreduce 64 8 doublesum none;barrier 0 8 byte none;bcast 100 2 byte first;\
gatherv 125 8 byte first;" "-m limits the traced points"
planned "another root" --root middle -c bcast
is "$(points "$work/p.db")" \
    "bcast 100 2 byte middle;bcast 4096 8 byte middle;" \
        "--root replaces the traced roots"
planned "a label" --trace small
refused() { # status, text, options
    want=$1 text=$2
    shift 2
    "$chorale" plan "$work/p.db" "$@" --launcher srun >"$work/out" \
        2>"$work/err"
    is $? "$want" "refused: $*"
    like "$(tail -n 1 "$work/err")" "$text" "the error gives the reason: $*"
}
refused 4 'no traced point of label none to plan' --from-trace --trace none
refused 4 'no traced point to plan' --from-trace -c scan
"$chorale" plan "$work/none.db" --from-trace --launcher srun 2>/dev/null
is $? 3 "a missing database exits with 3"

# The points with most traced time are measured first.
if [ -x "$top_builddir/chorale-runner-sim" ] &&
    command -v smpirun >/dev/null 2>&1; then
    platform "$work/flat.xml" 10 1e9 8
    "$chorale" import "$work/s.db" "$work/app.trace" -q
    "$chorale" plan "$work/s.db" -q --from-trace --launcher smpirun \
        --platform "$work/flat.xml" 2>/dev/null
    "$chorale" run "$work/s.db" -q
    is "$(sqlite3 "$work/s.db" "SELECT group_concat(comm_size) FROM
        (SELECT comm_size FROM launch ORDER BY launch_id)")" 8,4,2 \
        "launches are ordered by traced time"
    is "$(sqlite3 "$work/s.db" "SELECT group_concat(coll) FROM
        (SELECT coll, min(run_id) FROM run JOIN cell USING (cell_id)
          WHERE comm_size = 8 GROUP BY coll ORDER BY 2)")" \
        allreduce,bcast,gatherv,barrier \
            "points of a launch are ordered by traced time"

    # Gain of the table: traced time times measured ratio.
    "$chorale" decide "$work/s.db" -q
    "$chorale" evaluate "$work/s.db" --trace --json >"$work/gain.json"
    is $? 0 "evaluate --trace exits with 0"
    sqlite3 "$work/s.db" "SELECT printf('%.6f', 0.75 * (1 - min(seconds) /
        (SELECT seconds FROM v_summary WHERE coll = 'bcast' AND n = 4096
          AND comm_size = 8 AND provider = 'library')))
        FROM v_summary WHERE coll = 'bcast' AND n = 4096 AND comm_size = 8" \
        >"$work/want"
    python3 - "$work/gain.json" >"$work/got" <<'EOF'
import json, sys
gain = json.load(open(sys.argv[1]))
print(*['%.6f' % p['won'] for p in gain['points']
        if p['coll'] == 'bcast' and p['n'] == 4096])
kinds = {p['covered'] for p in gain['points']}
good = abs(sum(p['won'] for p in gain['points']) - gain['won_seconds']) < 1e-9
good = good and abs(gain['collective_seconds'] - 2.986) < 1e-9
good = good and gain['program_seconds'] == 10
good = good and kinds == {'table', 'library', 'not measured', 'tuned already'}
sys.exit(not good)
EOF
    ok $? "gains add up, and every kind of point is listed"
    [ "$(cut -c1-4 "$work/want")" != 0.00 ] && cmp -s "$work/want" "$work/got"
    ok $? "a point's gain is its traced time times the measured ratio"
    like "$("$chorale" evaluate "$work/s.db" --trace)" \
        'Covered by measurements: 98.1 %' "the covered share of time is printed"
    "$chorale" evaluate "$work/s.db" --trace --oracle "$work/s.db" 2>/dev/null
    is $? 2 "--trace with --oracle is refused"
    sqlite3 "$work/s.db" 'DELETE FROM trace_point; DELETE FROM trace'
    "$chorale" evaluate "$work/s.db" --trace 2>"$work/err"
    is "$? $(grep -c 'no traced point' "$work/err")" "4 1" \
        "a database without traces exits with 4"
else
    skip "no SimGrid" "traced points are measured in order"
fi
finish
