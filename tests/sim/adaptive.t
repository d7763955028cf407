#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An adaptive plan on a simulated cluster measures a part of the grid, stays
# within its budget, resumes after SIGKILL, and gives a table as good as the
# full grid.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

platform "$work/flat.xml" 0.5 1250000000 16
grid="--launcher smpirun --platform $work/flat.xml --network loggp
      -m 8:256K -P 2,4,6,8,11,16"
plan() { # database, further options
    plan_db=$1
    shift
    case " $* " in *" -c "*) ;; *) set -- -c bcast "$@" ;; esac
    # shellcheck disable=SC2086 # options
    timeout 3000 "$chorale" plan "$plan_db" $grid "$@"
}
spent() { # database
    "$chorale" status "$1" --rounds --json |
        awk -F: '/"node_seconds"/ { s += $2 } END { print s + 0 }'
}

db=$work/a.db
out=$(plan "$db" --adaptive --budget 350ns)
ok $? "round 1 is planned"
like "$out" "at 5 points on system .*, round 1, for about .* node-s; 0 of 350" \
    "plan prints points, cost and budget of the round"
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT comm_size) FROM cell")" 2 \
    "round 1 has the smallest process count"
out=$(plan "$db" --adaptive --budget 350ns)
like "$out" "not measured yet" "planning again before measuring changes nothing"
is "$(sqlite3 "$db" "SELECT count(*) FROM campaign")" 1 \
    "there is still one campaign"
for i in 1 2 3 4 5 6 7 8 9; do
    timeout 3000 "$chorale" run "$db" -q 2>"$work/err" || break
    plan "$db" -q --adaptive --budget 350ns 2>"$work/why"
    rc=$?
    [ $rc -eq 0 ] || break
done
is $rc 1 "planning ends with exit code 1"
like "$(cat "$work/why")" "no further round on .*spent" "the reason is printed"
is "$(awk "BEGIN { print $(spent "$db") <= 1.1 * 350 }")" 1 \
    "at most 110 % of the budget is spent"
is "$(sqlite3 "$db" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all planned runs are done"
is "$(sqlite3 "$db" "SELECT max(n) FROM (SELECT count(*) AS n FROM run
    JOIN launch USING (launch_id) JOIN cell USING (cell_id)
    WHERE provider <> 'library' GROUP BY cell_id)")" 1 \
    "no cell but the library's is measured twice"
is "$(sqlite3 "$db" "SELECT count(DISTINCT round) = max(round) AND
    min(round) = 1 AND max(budget) = 350 AND max(budget_unit) = 'node-s'
    FROM campaign")" 1 \
    "the rounds are stored with budget and unit"
is "$(sqlite3 "$db" "SELECT count(*) FROM campaign WHERE regret IS NULL")" 1 \
    "each round but the first stores the regret expected before it"
n=$(sqlite3 "$db" "SELECT count(*) FROM campaign")
plan "$db" -q --adaptive --budget 350ns 2>/dev/null
is "$(sqlite3 "$db" "SELECT count(*) FROM campaign")" "$n" \
    "planning after the end adds no round"
like "$("$chorale" status "$db")" "rounds of adaptive plans" \
    "status shows the rounds"
is "$("$chorale" status "$db" | awk '/rounds of/ { on = 1 }
    on && $2 ~ /^[0-9]+$/' | wc -l)" "$n" "status has a row per round"

# As good as the full grid, for a part of its cost.
plan "$work/all.db" -q && timeout 3000 "$chorale" run "$work/all.db" -q
is "$(awk "BEGIN { print $(spent "$db") < 0.67 * $(spent "$work/all.db") }")" 1 \
    "it costs less than two thirds of the full grid"
"$chorale" decide "$db" -q
regret=$("$chorale" evaluate "$db" --oracle "$work/all.db" |
    awk '/^all / { print $3 }')
is "$(awk "BEGIN { print \"$regret\" != \"\" && $regret + 0 <= 2 }")" 1 \
    "its table loses at most 2 %: $regret"

# After SIGKILL the same commands resume. Time wasted by a kill counts as spent.
cat >"$work/loop.sh" <<EOF
while "$chorale" plan "\$1" -q $(echo $grid) -c bcast --adaptive \
    --budget 350ns; do
    "$chorale" run "\$1" -q || exit
done
EOF
killed=$work/b.db
runs() { # that are stored
    [ -s "$killed" ] && sqlite3 "$killed" "SELECT count(*) FROM run" \
        2>/dev/null || echo 0
}
kills=0
for i in 1 2 3; do
    before=$(runs)
    timeout 3000 sh "$work/loop.sh" "$killed" >/dev/null 2>&1 &
    loop=$! # timeout leads a process group of its own
    while kill -0 $loop 2>/dev/null && [ "$(runs)" -le "$before" ]; do
        sleep 0.1
    done
    kill -s KILL -- -$loop 2>/dev/null && kills=$((kills + 1))
    wait $loop 2>/dev/null
done
is $kills 3 "the loop is killed three times after runs were stored"
timeout 3000 sh "$work/loop.sh" "$killed" >/dev/null 2>"$work/err"
like "$(tail -n 1 "$work/err")" "no further round" \
    "a plan killed three times is completed"
is "$(sqlite3 "$killed" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all its planned runs are done"
is "$(sqlite3 "$killed" "SELECT max(n) FROM (SELECT count(*) AS n FROM run
    JOIN cell USING (cell_id) WHERE provider <> 'library' GROUP BY cell_id)")" \
    1 "no cell of it is measured twice"
cells="SELECT coll, comm_size, msg_size, variant, params FROM cell
    WHERE provider <> 'table'
    ORDER BY 1, 2, 3, 4, 5"
sqlite3 "$db" "$cells" >"$work/a.txt"

# tune runs all steps.
(cd "$work" &&
    # shellcheck disable=SC2086 # options
    timeout 3000 "$chorale" tune t.db $grid -c bcast --adaptive --budget 350ns \
        >tune.txt 2>tune.err)
ok $? "tune --adaptive runs to the end"
like "$(cat "$work/tune.txt")" "no further round" "tune prints why it ended"
[ -s "$work/t-dispatch.c" ]
ok $? "tune writes a table"
sqlite3 "$work/t.db" "$cells" | cmp -s - "$work/a.txt"
ok $? "tune measured the same cells"
(cd "$work" &&
    # shellcheck disable=SC2086 # options
    timeout 3000 "$chorale" tune t.db $grid -c bcast --adaptive --budget 350ns \
        >tune.txt 2>tune.err)
is "$? $(cat "$work/tune.err")" "0 " "tune again exits with 0 without errors"
like "$(cat "$work/tune.txt")" "Validated" "tune again ends with a validation"

# A budget per collective counts the collectives of earlier rounds too.
like "$(plan "$work/each.db" --dry-run -c bcast,scan --adaptive \
    --budget 350ns/coll)" "0 of 700 node-s are spent" \
    "a budget per collective is multiplied by two collectives"
like "$(plan "$db" --dry-run -c scan --adaptive --budget 400ns/coll)" \
    "of 800 node-s are spent" "a collective of an earlier round counts too"

# An oracle may be of another system, which is reported.
sqlite3 "$work/all.db" "UPDATE system SET name = 'other'"
like "$("$chorale" evaluate "$db" --oracle "$work/all.db" 2>&1 >/dev/null)" \
    "the table is of system flat-loggp, and what judges it .* system other" \
    "evaluate reports an oracle of another system"

refused() { # expected text, name, options
    refused_text=$1 refused_name=$2
    shift 2
    out=$(plan "$work/c.db" "$@" 2>&1)
    is $? 2 "$refused_name: refused with exit code 2"
    like "$out" "$refused_text" "$refused_name: the error gives the reason"
    [ ! -e "$work/c.db" ] || [ "$(sqlite3 "$work/c.db" \
        "SELECT count(*) FROM campaign")" = 0 ]
    ok $? "$refused_name: no campaign is planned"
}
refused "give what it may cost" "adaptive without a budget" --adaptive
refused "add --adaptive" "a budget without --adaptive" --budget 10m
refused "add --adaptive" "a goal without --adaptive" --goal 1%
refused "no time" "a budget of 0" --adaptive --budget 0
refused "no time" "a budget of 0 node-hours" --adaptive --budget 0nh
refused "budget" "a budget that is no time" --adaptive --budget soon
refused "budget" "a negative budget" --adaptive --budget -5m
refused "budget" "a budget with an unknown unit" --adaptive --budget 5m/colls
refused "budget" "a budget without a number" --adaptive --budget /coll
refused "too small" "a budget below the cost of round 1" --adaptive \
    --budget 1ns
refused "without it" "the library's own algorithms" --adaptive --budget 1h \
    --providers chorale,native
refused "leave out --arrival" "late ranks" --adaptive --budget 1h --arrival sync,last

# Where ranks do not know n, one choice serves all sizes: a candidate of round 2
# is measured wherever the library is.
db=$work/blind.db
plan "$db" -q -c gatherv --adaptive --budget 500ns &&
    timeout 3000 "$chorale" run "$db" -q &&
    plan "$db" -q -c gatherv --adaptive --budget 500ns
is "$(sqlite3 "$db" "SELECT count(*) > 1, min(n) > 1,
        sum(n <> (SELECT count(*) FROM cell WHERE provider = 'library' AND
                  comm_size = 16))
    FROM (SELECT count(*) AS n FROM cell WHERE provider = 'chorale' AND
          comm_size = 16 GROUP BY variant, params)")" "1|1|0" \
    "candidates of gatherv at P = 16 are planned at all sizes of the library"
finish
