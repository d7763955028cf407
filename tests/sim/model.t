#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plan --set model, round after round, finds the best of the whole catalogue on
# a simulated cluster, with fewer cells than the core plan.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

platform "$work/flat.xml" 1 2000000000 12
plan() { # database, options
    plan_db=$1
    shift
    timeout 3000 "$chorale" plan "$plan_db" --launcher smpirun \
        --platform "$work/flat.xml" --network loggp -c bcast,allgather,reduce \
        -m 16,2K,32K -P 4,6,12 --allow-patented "$@"
}

db=$work/model.db
out=$(plan "$db" --set model)
ok $? "round 1 is planned"
like "$out" "at 27 points on system .*, round 1, .*plan again for the next" \
    "plan prints the round and what to do next"
like "$(plan "$db" --set model)" "not measured yet" \
    "planning again before measuring changes nothing"
for i in 1 2 3 4 5 6 7 8 9; do
    timeout 3000 "$chorale" run "$db" -q || break
    plan "$db" -q --set model 2>"$work/why" || break
done
plan "$db" --set model 2>"$work/why"
is $? 1 "planning ends with exit code 1"
like "$(cat "$work/why")" "no candidate without a measurement is expected" \
    "the reason is printed"
is "$(sqlite3 "$db" "SELECT count(*) FROM cell WHERE provider = 'library'")" \
    27 "the library's default is measured at every point"
is "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT DISTINCT coll, comm_size,
    msg_size FROM cell WHERE provider = 'chorale')")" 27 \
    "a variant is measured at every point"
is "$(sqlite3 "$db" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"

plan "$work/core.db" -q
cells="SELECT count(*) FROM cell"
n=$(sqlite3 "$db" "$cells")
core=$(sqlite3 "$work/core.db" "$cells")
[ "$n" -lt "$core" ]
ok $? "it measures fewer cells than the core plan: $n, $core"

plan "$work/all.db" -q --set all && timeout 3000 "$chorale" run "$work/all.db" -q
ok $? "the whole catalogue is measured"
# The best time of each point, relative to that of the whole catalogue.
worst=$(sqlite3 "$db" "ATTACH '$work/all.db' AS whole;
    CREATE TEMP VIEW mine AS SELECT coll, comm_size, msg_size,
        min(s.median) AS t FROM main.cell JOIN main.run r USING (cell_id)
        JOIN main.run_summary s USING (run_id) WHERE r.status = 'ok'
        GROUP BY 1, 2, 3;
    CREATE TEMP VIEW best AS SELECT coll, comm_size, msg_size,
        min(s.median) AS t FROM whole.cell JOIN whole.run r USING (cell_id)
        JOIN whole.run_summary s USING (run_id) WHERE r.status = 'ok'
        GROUP BY 1, 2, 3;
    SELECT max(mine.t / best.t) FROM mine JOIN best
        USING (coll, comm_size, msg_size)")
is "$(awk "BEGIN { print $worst < 1.005 }")" 1 \
    "at each point the best is within 0.5 % of the whole catalogue's: $worst"

refused() { # expected text, name, options
    refused_text=$1 refused_name=$2
    shift 2
    out=$(plan "$work/c.db" --set model "$@" 2>&1)
    is $? 2 "$refused_name: refused with exit code 2"
    like "$out" "$refused_text" "$refused_name: the error gives the reason"
}
refused "set model: requires arrival sync or robust" "late ranks" --arrival sync,last
refused "leave --set model out" "points of a trace" --from-trace
refused "add --adaptive" "a budget" --budget 10m
# Powers of two alone do not show how other process counts behave: one between
# them is measured, but not where it would fill a node partly.
procs() { # options of plan
    rm -f between.db
    while timeout 900 "$chorale" plan between.db -q --launcher smpirun \
        --platform "$work/flat.xml" --network loggp --set model -c bcast \
        -m 8,64 "$@" 2>/dev/null; do
        timeout 900 "$chorale" run between.db -q || break
    done
    sqlite3 between.db "SELECT group_concat(comm_size, ' ') FROM (SELECT
        DISTINCT comm_size FROM cell ORDER BY 1)"
}
cd "$work" || exit 99
is "$(procs -P 2,4,8)" "2 4 6 8" "a count between powers of two is measured"
is "$(procs --ppn 8 -P 4,8,16,32)" "4 6 8 16 24 32" \
    "but none that fills a node partly"
is "$(procs -P 4,6,8,10)" "4 6 8 10" "and none beside other counts"
finish
