#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `plan --estimate` predicts a campaign's cost. The numbers equal sums computed
# by hand: from defaults, from given numbers, and from the model and the
# launches in the database.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99

estimate() { # database, options of plan...
    est_db=$1
    shift
    "$chorale" plan "$est_db" --estimate --json "$@" 2>err >out.json
}
value() { # print a member of the last estimate: all.launches, alpha.from
    awk -v want="$1" -F'"' '
        /^  "/ { at = $2 }
        /^    "/ { name = at "." $2 }
        /: \{$|: \[$/ { next }
        /^  "/ { name = $2 }
        name == want { sub(/.*: /, ""); gsub(/[",]/, ""); print; exit }
    ' out.json
}
near() { # got, awk expression, name, its functions
    want=$(printf '%s' "$2" | tr '\n' ' ')
    with=$(printf '%s' "${4-}" | tr '\n' ' ')
    want=$(awk "$with BEGIN { printf \"%.17g\", $want }")
    awk "BEGIN { d = $1 - $want; d = d < 0 ? -d : d
                 exit !(d <= 1e-9 * $want) }"
    near_rc=$?
    ok $near_rc "$3"
    [ $near_rc -eq 0 ] || diag "got $1, expected $want"
}

# Two points: bcast of 1 MiB on one node of two ranks, and on two such nodes. A
# cell is called 4 times for verification and counting, 2 times to warm up and
# 30 times to be timed, each with two barriers of ceil(lg P) rounds of 2 us.
# `linear` sends P - 1 messages. The library is estimated as the best of the
# core set: one message at P = 2; at P = 4 scatter and allgather in 2 rounds
# each, 3/2 of the data.
plan="-c bcast --variants linear -m 1M -P 2,4 --ppn 2 --launcher srun
      --launches 2 --system big"
cells='
    function cell(p, messages, bytes) {
        return 36 * (messages * alpha + bytes * beta + p * 4e-6)
    }
    function one() { return 2 * cell(1, 1, 1048576) }
    function two() {
        return cell(2, 3, 3 * 1048576) + cell(2, 4, 1.5 * 1048576)
    }'
hours() { # alpha, beta, start-up, what
    awk "$cells"' BEGIN { alpha = '"$1"'; beta = '"$2"'; start = '"$3"'
        one_s = 2 * (start + one()); two_s = 2 * (start + two())
        printf "%.17g", ('"$4"') / 3600 }'
}
# With a start for each P: --one-launch-per-p.
# shellcheck disable=SC2086 # options
estimate none.db $plan --one-launch-per-p
ok $? "a plan is estimated"
[ ! -e none.db ]
ok $? "--estimate writes no database"
is "$(value alpha.from) $(value beta.from) $(value start_up.from)" \
    "default default default" "the sources of the numbers are default"
is "$(value all.cells) $(value all.launches)" "4 4" \
    "cells and launches are counted"
near "$(value all.hours)" "$(hours 2e-6 4e-10 1 'one_s + two_s')" \
    "hours include start-up, synchronisation, verification and warm-up"
is "$(value all.starts)" 4 "--one-launch-per-p: each launch has a start"
near "$(value all.node_hours)" "$(hours 2e-6 4e-10 1 'one_s + 2 * two_s')" \
    "node-hours"
near "$(awk -F: '/"node_hours"/ { print $2; exit }' out.json)" \
    "$(hours 2e-6 4e-10 1 one_s)" "node-hours of P = 2 are right"
near "$(value all.node_hours_one_launch_per_p)" "$(value all.node_hours)" \
    "node-hours with --one-launch-per-p are the same number"

# As `run` does by default: P = 4 on two nodes, then P = 2 on one of these,
# while both nodes are allocated.
# shellcheck disable=SC2086
estimate none.db $plan
is "$(value all.cells) $(value all.launches) $(value all.starts)" "4 4 2" \
    "small process counts share the start of large ones"
near "$(value all.hours)" "$(hours 2e-6 4e-10 1 'two_s + 2 * one()')" \
    "hours with shared starts are right"
near "$(value all.node_hours)" \
    "$(hours 2e-6 4e-10 1 '2 * (two_s + 2 * one())')" \
    "node-hours with shared starts include idle nodes"
near "$(awk -F: '/"node_hours"/ { print $2; exit }' out.json)" \
    "$(hours 2e-6 4e-10 1 '4 * one()')" \
        "node-hours of P = 2 have no start, but two nodes"
near "$(value all.node_hours_one_launch_per_p)" \
    "$(hours 2e-6 4e-10 1 'one_s + 2 * two_s')" \
        "node-hours without shared starts are printed too"
# P = 4 and P = 2 simultaneously on three of four nodes.
row() { # P, member: print it from that row
    awk -v p="$1" -v want="$2" -F: '
        /"comm_size"/ { here = $2 + 0 == p }
        here && $1 ~ "\"" want "\"" { sub(/,/, "", $2); print $2; exit }
    ' out.json
}
three="-c bcast --variants linear -m 1M -P 2,4,8 --ppn 2 --launcher srun
       --launches 2 --system big"
# shellcheck disable=SC2086
estimate none.db $three --one-launch-per-p --start-up 0s
h2=$(row 2 hours) h4=$(row 4 hours) h8=$(row 8 hours)
# shellcheck disable=SC2086
estimate none.db $three --start-up 7s
near "$(value all.node_hours)" "2 * 7 * 4 / 3600 + 4 * $h8 + 4 *
    ($h2 > $h4 ? $h2 : $h4)" \
        "simultaneous groups take as long as the longest, in node-hours"
near "$(value all.hours)" "2 * 7 / 3600 + $h8 + ($h2 > $h4 ? $h2 : $h4)" \
    "simultaneous groups take as long as the longest, in hours"
near "$(value all.node_hours)" "$(row 2 node_hours) + $(row 4 node_hours) +
    $(row 8 node_hours)" "the rows add up to the total"
is "$(row 2 starts)$(row 4 starts)$(row 8 starts)" " 0 0 2" \
    "only the largest process count has a start"
# shellcheck disable=SC2086
text=$("$chorale" plan none.db --estimate $three 2>/dev/null)
like "$text" '^4 of the launches share .* larger one, 2 are made: .*\(--one-launch-per-p\) [0-9.]+ node-hours$' \
    "the text output reports shared starts"
# Within a node no start is shared.
estimate none.db -c bcast --variants linear -m 1M -P 2,4 --ppn 4 \
    --launcher srun --launches 2 --system big
is "$(value all.launches) $(value all.starts)" "4 4" \
    "on one node no start is shared"

# If every cell takes all of its 0.5 s, after verification and warm-up.
# shellcheck disable=SC2086
estimate none.db $plan --one-launch-per-p --cell-time 0.7s
near "$(value all.hours_noisy)" "(4 + 2 * (2 * (0.7 + one(1, 1)) + 2 * 0.7 +
    one(3, 3) + one(4, 1.5))) / 3600" "hours of a noisy machine" '
    function one(messages, blocks) {
        return 6 * (messages * 2e-6 + blocks * 1048576 * 4e-10 +
                    (messages < 2 ? 1 : 2) * 4e-6)
    }'
# shellcheck disable=SC2086
text=$("$chorale" plan none.db --estimate $plan 2>/dev/null)
like "$text" "hours if the machine is so noisy that every cell takes all of" \
    "the text output has the hours on a noisy machine"
like "$text" "this is a guess: this system has no measurements .*--launches 1.*chorale run" \
    "the text output reports a guess and how to improve it"

# Measured runs give the share of cells that use their time: one of two.
if "$chorale" plan real.db -c bcast --variants linear -m 8 -P 1 --launches 1 \
    -q && timeout 900 "$chorale" run real.db -q; then
    sqlite3 real.db "UPDATE run_summary SET median = 1e-6;
        UPDATE run SET batch = 1, stop_reason = 'width';
        UPDATE run SET stop_reason = 'time' WHERE run_id =
            (SELECT max(run_id) FROM run);
        UPDATE launch SET started = '2026-01-01 00:00:00',
            finished = '2026-01-01 00:00:08'"
    estimate real.db -c bcast --variants linear -m 1M -P 1 --launches 1 \
        --start-up 0s
    is "$(value out_of_time) $(value all.cells)" "0.5 2" \
        "half of the measured cells ran out of time"
    # With one rank no message is sent and no synchronisation is needed.
    near "$(value all.hours)" "2 * 0.5 * 0.5 / 3600" \
        "the same share is assumed for new cells"
    near "$(value all.hours_noisy)" "2 * 0.5 / 3600" \
        "the noisy estimate assumes all cells"
    estimate real.db -c bcast --variants linear -m 1M -P 1 --launches 1
    near "$(value start_up.value)" "$(sqlite3 real.db "SELECT printf('%.17g',
        (julianday(finished) - julianday(started)) * 86400 -
        (36 * 1e-6 + 6 * 1e-6 + 0.5)) FROM launch")" \
        "the rest of a launch's time is its start"
    like "$("$chorale" plan real.db --estimate -c bcast -m 1M -P 1)" \
        "^50 % of the cells measured here did" "the text gives the share"
else
    ok 1 "a launch is measured"
fi

# shellcheck disable=SC2086
text=$("$chorale" plan none.db --estimate $plan 2>/dev/null)
like "$text" "^ +4 +2 +2 +2 +2 +[0-9.]+ +0\.001188$" "P = 4 is a row"
like "$text" "no model .* is fitted: .* default values may be wrong" \
    "the estimate warns that its values are defaults"
# shellcheck disable=SC2086
dry=$("$chorale" plan none.db --dry-run $plan 2>/dev/null)
is "$(printf '%s\n' "$text" | head -n 2)" "$dry" "--dry-run prints the same"
# shellcheck disable=SC2086
is "$("$chorale" plan none.db --estimate --dry-run $plan 2>/dev/null)" \
    "$text" "--estimate --dry-run is --estimate"

# shellcheck disable=SC2086
estimate none.db $plan --one-launch-per-p --alpha 20us --beta 0.3ns --start-up 20s
is "$(value alpha.from) $(value beta.from) $(value start_up.from)" \
    "stated stated stated" "the sources of given numbers are stated"
near "$(value all.node_hours)" "$(hours 2e-5 3e-10 20 'one_s + 2 * two_s')" \
    "given numbers are used"
# shellcheck disable=SC2086
estimate none.db $plan --max-memory 1M --one-launch-per-p
is "$(value all.cells_left_out)" 4 \
    "cells that do not fit into memory are counted"
near "$(value all.node_hours)" "(2 + 4) / 3600" \
    "cells that do not fit into memory cost only a start"

for words in --json --one-launch-per-p '--alpha 1us' '--beta 1ns' '--start-up 1s'; do
    # shellcheck disable=SC2086
    err=$("$chorale" plan none.db -P 2 $words 2>&1)
    like "$? $err" "^2 chorale: ${words%% *}: only for .*; add --estimate$" \
        "$words alone is refused"
done

if [ ! -x "$top_builddir/chorale-runner-sim" ]; then
    skip "built without SimGrid" "the model in the database"
    finish
fi
platform flat.xml 3 100000000 16
sim="--launcher smpirun --platform flat.xml --network hockney -c bcast
     --variants linear"
measured="$sim -m 8,1K,64K -P 2,4,8"
# shellcheck disable=SC2086
estimate sim.db $sim -m 1M -P 2
is "$(value alpha.from)" default \
    "a simulated system without a model uses defaults"
near "$(value all.node_hours)" "6 * 2 * (1 +
    2 * 36 * (2e-6 + 1048576 * 4e-10 + 4e-6)) / 3600" \
    "one simulated launch counts as six real ones on two nodes"
before=$(value all.node_hours)
# shellcheck disable=SC2086
"$chorale" plan sim.db -q $measured && timeout 900 "$chorale" run sim.db -q &&
    "$chorale" fit sim.db -q
ok $? "smaller sizes are measured and fitted"
sum=$(cksum <sim.db)
# shellcheck disable=SC2086
estimate sim.db $sim -m 1M -P 2
is "$(cksum <sim.db)" "$sum" "--estimate does not change the database"
is "$(value alpha.from) $(value beta.from)" "model model" \
    "the estimate uses the model"
near "$(value beta.value)" "$(sqlite3 sim.db "SELECT printf('%.17g', value)
    FROM model WHERE param = 'beta'")" "the estimate uses the model's beta"
near "$(value all.node_hours)" "6 * 2 * (1 +
    2 * 36 * ($(value alpha.value) + 1048576 * $(value beta.value) +
        4e-6)) / 3600" "node-hours follow from the model"
awk "BEGIN { exit !($(value all.node_hours) > 1.5 * $before) }"
ok $? "a network 25 times as slow costs more"
# shellcheck disable=SC2086
estimate sim.db $sim -m 1M -P 16
near "$(value all.hours)" "$(value all.node_hours) / 16" \
    "node-hours are nodes times hours"
awk "BEGIN { all = 36 * 15 * 1048576 * $(value beta.value)
    exit !($(value all.node_hours) < 6 * 16 * (1 + all) / 3600) }"
ok $? "--cell-time limits the repetitions of a slow cell"
# shellcheck disable=SC2086
estimate sim.db $measured
is "$(value all.cells) $(value all.launches)" "0 0" \
    "measured cells are not counted"
# shellcheck disable=SC2086
estimate sim.db $measured,16
is "$(value all.cells) $(value all.launches)" "6 1" "new cells are counted"
# shellcheck disable=SC2086
text=$("$chorale" plan sim.db --estimate $sim -m 8:64K -P 2,4,8,16 \
    --adaptive --budget 2nh)
like "$text" "round 1, .*" "a round of an adaptive plan is estimated"
like "$text" "^ +all " "the round's estimate has a total"
is "$(sqlite3 sim.db "SELECT max(round) FROM campaign")" 0 \
    "the estimated round is not stored"
finish
