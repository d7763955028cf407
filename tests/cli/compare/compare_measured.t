#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale compare` on measured campaigns: on this machine with a second
# measurement, and on simulated networks, whose differences are exact.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99

# On this machine, cells that look slower are remeasured, base and head
# interleaved. Times are not checked; launches that lost their clock count as
# valid. Five pairs decide no slower cell: the exit code is 0 if they show the
# same times, 75 if they differ too much for a verdict.
for side in base head; do
    "$chorale" plan real_$side.db -c bcast -m 8 -P 2 --variants linear \
        --launches 4 -i 5 --min-iterations 2 --cell-time 0.01 --batch 1 >/dev/null 2>&1 &&
        timeout 900 "$chorale" run real_$side.db -q
done
for side in base head; do
    sqlite3 real_$side.db "UPDATE run SET validity = ''"
done
sqlite3 real_head.db "UPDATE run_summary SET median = 1000 + run_id"
timeout 900 "$chorale" compare real_base.db real_head.db --min-launches 4 \
    --recheck both --run --again 5 --format json -o real.json \
    --base-command "$chorale" 2>err.txt
rc=$?
case $rc:$(tail -n 1 err.txt) in
0:*) ok 0 "five pairs cannot exit with 1" ;;
*) like "$rc $(tail -n 1 err.txt)" '^75 chorale: no verdict: ' \
    "five pairs cannot exit with 1" ;;
esac
like "$(cat err.txt)" '2 cells look slower; 5 launches of each are planned in real_base.db and real_head.db' \
    "--recheck both --run plans and runs both sides"
for side in base head; do
    sqlite3 real_$side.db "SELECT started FROM launch JOIN campaign
        USING (campaign_id) WHERE again ORDER BY launch_id" >$side.txt
done
is "$(paste base.txt head.txt | awk '{ a = NR % 2 ? $1 : $2; b = NR % 2 ? $2 : $1 }
    a < last || b < a { bad++ } { last = b } END { print NR, bad + 0 }')" "5 0" \
    "launches alternate, and the first side changes"

# Simulated systems have exact times.
if "$chorale" --version | grep -q simgrid=yes; then
    platform p1.xml 1 1250000000 4
    platform p2.xml 1.001 1250000000 4
    for k in 1 2; do
        "$chorale" plan s$k.db -c bcast,scatter,allgather -m 16K,64K -P 4 --label v$k \
            --launcher smpirun --platform p$k.xml --network hockney \
            --system sim >/dev/null &&
            "$chorale" run s$k.db -q
    done
    ok $? "two simulated networks are measured"
    is "$(sqlite3 s2.db 'SELECT label FROM campaign')" v2 \
        "a campaign stores its label"
    "$chorale" compare s1.db s1.db >/dev/null
    is $? 0 "equal networks exit with 0"
    out=$("$chorale" compare s1.db s2.db 2>/dev/null)
    is $? 1 "a latency 0.1 % higher exits with 1"
    like "$out" '^slower +\+0\.[0-9]+ %' "the exact difference is printed"
    "$chorale" compare s1.db s2.db --threshold 1% >/dev/null
    is $? 0 "a difference below --threshold exits with 0"
    out=$("$chorale" compare s1.db s1.db --guidelines)
    like "$out" 'bcast <= scatter \+ allgather of the library' \
        "a guideline that the library breaks is reported"

    # For each rule: with equal times of all collectives, one takes longer, then
    # less.
    rules=$(sed -n 's/^    { "\([a-z_]* <= [^"]*\)".*/\1/p' \
        "$top_srcdir/tuner/compare/guidelines.c")
    "$chorale" plan rules.db -c bcast,reduce,allreduce,reduce_scatter_block,\
reduce_scatter,gather,gatherv,scatter,scatterv,allgather,allgatherv,alltoall,\
alltoallv -m 16K,64K -P 4 --providers library --launcher smpirun \
        --platform p1.xml --network hockney --system sim >/dev/null &&
        "$chorale" run rules.db -q
    is "$? $(echo "$rules" | wc -l)" "0 18" \
        "the rules name 18 pairs of collectives"
    for left in $(echo "$rules" | sed 's/ .*//' | sort -u); do
        for time in 0.1 0.0001; do
            sqlite3 rules.db "UPDATE run_summary SET median = 0.001;
                UPDATE run_summary SET median = $time WHERE run_id IN (SELECT
                    run_id FROM run JOIN cell USING (cell_id)
                    WHERE coll = '$left')"
            "$chorale" compare rules.db rules.db --guidelines |
                sed -n 's/^guideline broken: \(.* <= .*\) of the library.*/\1/p' \
                | grep "^$left " | sort -u >"rules-$time.txt"
        done
        is "$(cat rules-0.1.txt)" "$(echo "$rules" | grep "^$left " | sort)" \
            "a slower $left breaks its guidelines"
        is "$(cat rules-0.0001.txt)" "" "a faster $left breaks no guideline"
    done
else
    skip "no SimGrid" "simulated systems"
fi
finish
