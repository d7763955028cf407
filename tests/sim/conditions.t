#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Conditions that change the winner in simulated time: arrival patterns and
# calls back to back. Batches with a barrier between calls must not change it.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"

platform "$work/flat.xml" 0.5 1250000000 16
measure() { # database, network, options of plan...
    db=$work/$1
    network=$2
    shift 2
    "$chorale" plan "$db" -q --launcher smpirun --platform "$work/flat.xml" \
        --network "$network" --root "${policy:-first}" -P 16 "$@" &&
        timeout 3000 "$chorale" run "$db" >/dev/null 2>"$work/err.txt" ||
        cat "$work/err.txt"
}
winner() { # database, condition of v_best
    sqlite3 "$work/$1" "SELECT variant FROM v_best WHERE $2"
}
ranking() { # database, metric
    sqlite3 "$work/$1" "SELECT group_concat(variant) FROM (SELECT variant
        FROM v_summary WHERE metric = '$2' AND provider = 'chorale'
        GROUP BY variant ORDER BY round(1e9 * min(seconds)), variant)"
}

measure arrival.db loggp -c reduce -m 2K --arrival sync,ascending,last:0.5
is "$(sqlite3 "$work/arrival.db" "SELECT count(DISTINCT arrival) FROM v_summary")" 3 \
    "three arrival patterns give three conditions"
sync=$(winner arrival.db "arrival = 'sync'")
late=$(winner arrival.db "arrival = 'ascending:1'")
[ -n "$sync" ] && [ -n "$late" ] && [ "$sync" != "$late" ]
ok $? "reduce, 2 KiB, 16 ranks: $sync wins with sync, $late with late ranks"
is "$(sqlite3 "$work/arrival.db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
    WHERE (arrival = 'sync') <> (skew IS NULL)")" 0 \
    "runs with late ranks store the skew"
is "$(sqlite3 "$work/arrival.db" "SELECT round(a.skew / b.skew, 6)
    FROM run a JOIN cell c ON c.cell_id = a.cell_id AND c.arrival = 'last:0.5'
    JOIN run b JOIN cell d ON d.cell_id = b.cell_id AND d.arrival = 'ascending:1'
    LIMIT 1")" 0.5 "the skew is proportional to the factor"

# Random arrival: delays are below the factor and determined by the seed.
for seed in 1 1 2; do
    rm -f "$work/random.db"
    measure random.db loggp -c reduce -m 2K --variants binomial \
        --arrival random:1 --seed $seed
    sqlite3 "$work/random.db" "SELECT group_concat(seconds) FROM sample" \
        >>"$work/random.txt"
done
is "$(sqlite3 "$work/random.db" "SELECT count(*) > 0 AND
    min(last_in - first_in) > 0.1 * skew AND
    max(last_in - first_in) < skew FROM sample JOIN run USING (run_id)")" 1 \
    "random delays are within the skew"
is "$(uniq <"$work/random.txt" | wc -l)" 2 \
    "the same seed gives the same delays, another seed others"

# A second communicator on the same hosts doubles the load of links.
measure siblings.db hockney -c allreduce -m 8,1M --variants ring,rabenseifner \
    --siblings alone,2
is "$(sqlite3 "$work/siblings.db" "SELECT group_concat(siblings || ' ' || n)
    FROM (SELECT siblings, count(*) AS n FROM v_summary GROUP BY 1)")" \
    "2 6,alone 6" "simultaneous communicators are a condition"
is "$(sqlite3 "$work/siblings.db" "SELECT group_concat(comm_size || ' ' ||
    siblings || ' ' || status) FROM launch ORDER BY launch_id")" \
    "16 1 done,16 2 done" "each number of communicators has its own launch"
is "$(sqlite3 "$work/siblings.db" "SELECT group_concat(DISTINCT round(
    b.seconds / a.seconds, 1)) FROM v_summary a JOIN v_summary b
    ON b.variant = a.variant AND b.msg_size = a.msg_size AND b.siblings = '2'
    WHERE a.siblings = 'alone' AND a.provider = 'chorale'
    AND a.msg_size = 1048576")" 2.0 \
    "two communicators on the same links double the time of long messages"
is "$(sqlite3 "$work/siblings.db" "SELECT count(*) FROM (SELECT 1 FROM counter
    JOIN run USING (run_id) JOIN cell USING (cell_id)
    WHERE event = 'chorale::messages' AND provider = 'chorale'
    GROUP BY coll, msg_size, variant HAVING min(value) <> max(value))")" 0 \
    "counters count one communicator"
"$chorale" plan "$work/all.db" -q --launcher smpirun \
    --platform "$work/flat.xml" -c bcast -m 8 -P 3,5,16 --siblings all
is "$(sqlite3 "$work/all.db" "SELECT group_concat(comm_size || ' ' || siblings)
    FROM (SELECT DISTINCT comm_size, siblings FROM cell)")" "3 5,5 3" \
    "--siblings all makes as many communicators as fit"

# Memory: gather's root has 16 MiB and the ranks 1 MiB each, on one host; a
# second communicator doubles it.
measure memory.db hockney -c gather -m 1M --variants linear \
    --siblings alone,2 --max-memory 48M
is "$(sqlite3 "$work/memory.db" "SELECT group_concat(DISTINCT siblings || ' ' ||
    status || ' ' || substr(reason, 1, 28)) FROM (SELECT * FROM cell
    JOIN run USING (cell_id) ORDER BY siblings DESC)")" \
    "alone ok ,2 inapplicable memory: needs 67108864 bytes" \
    "--max-memory covers all communicators of a node"

# Roots: which ranks, and how often.
for policy in first middle last rotate; do
    measure $policy.db hockney -c bcast -m 8 --variants linear
done
policy=
roots() { # policy
    sqlite3 "$work/$1.db" "SELECT group_concat(root || ':' || n) FROM (SELECT
        root, count(*) AS n FROM sample JOIN run USING (run_id)
        JOIN cell USING (cell_id) WHERE provider = 'chorale'
        AND root_policy = '$1' GROUP BY root)"
}
is "$(roots first) $(roots middle) $(roots last)" "0:2 8:2 15:2" \
    "the policies first, middle and last use ranks 0, 8 and 15"
is "$(roots rotate)" "0:2,8:2,15:2" \
    "rotated roots have equally many repetitions"
is "$(sqlite3 "$work/rotate.db" "SELECT count(*) FROM sample
    JOIN run USING (run_id) JOIN cell USING (cell_id)
    WHERE provider = 'chorale' AND abs(root_out - seconds) > 0.5 * seconds")" \
    0 "root_out is the root's time: in linear it leaves last"

variants=linear,binomial,chain
measure alone.db hockney -c bcast -m 8 --variants $variants
measure batched.db hockney -c bcast -m 8 --variants $variants --batch 10
measure through.db hockney -c bcast -m 8 --variants $variants --metric throughput
is "$(sqlite3 "$work/batched.db" "SELECT count(*) FROM run WHERE batch <> 10
    OR separator IS NULL")" 0 \
        "batched runs store batch size and subtracted time"
alone=$(ranking alone.db duration)
is "$(ranking batched.db duration)" "$alone" \
    "batches rank variants as single calls do: $alone"
is "$(sqlite3 "$work/batched.db" "ATTACH '$work/alone.db' AS a;
    SELECT count(*) || ' ' || min(abs(b.seconds / v.seconds - 1) < 1e-6)
    FROM v_summary b JOIN a.v_summary v ON v.variant = b.variant AND
    v.params = b.params AND v.provider = b.provider
    WHERE b.provider = 'chorale'")" \
    "$(sqlite3 "$work/alone.db" "SELECT count(*) FROM v_summary
        WHERE provider = 'chorale'") 1" \
    "batched calls take as long, because the barrier is subtracted"
through=$(ranking through.db throughput)
# Chain and binomial swap ranks.
like "$alone" '^binomial,' "with single calls binomial is first"
like "$through" 'chain.*binomial' \
    "back-to-back calls reverse chain and binomial: $through"
is "$(sqlite3 "$work/through.db" "SELECT group_concat(DISTINCT metric || ' ' ||
    (batch > 1) || ' ' || (separator IS NULL)) FROM run
    JOIN cell USING (cell_id)")" "throughput 1 1" \
        "back-to-back calls have the metric throughput"
timeout 3000 "$chorale" decide "$work/through.db" >"$work/out" 2>&1
is "$(sqlite3 "$work/through.db" "SELECT count(*) FROM decision")" 0 \
    "no decision is based on throughput"

# Ranks of a node share its port. The order of messages that arrive at the same
# instant can then change the time of a call, so that two repetitions differ. In
# this case more repetitions are made, and their median counts.
sed 's/ speed=/ core="8" loopback_bw="20GBps" loopback_lat="0.1us" speed=/
     s/radical="[^"]*"/radical="0-7"/; s/bw="12[0-9]*Bps"/bw="10GBps"/' \
    "$work/flat.xml" >"$work/ppn.xml"
"$chorale" plan "$work/ties.db" -q --launcher smpirun \
    --platform "$work/ppn.xml" --network loggp -P 40 --ppn 8 -c allreduce \
    -m 2K,24K,32K && timeout 3000 "$chorale" run "$work/ties.db" -q
ok $? "40 ranks on 5 nodes are measured"
reasons() { # condition on n, lo, hi of a run's repetitions
    sqlite3 "$work/ties.db" "SELECT group_concat(DISTINCT stop_reason) FROM run
        JOIN (SELECT run_id, count(*) AS n, min(seconds) AS lo,
            max(seconds) AS hi FROM sample GROUP BY run_id) USING (run_id)
        WHERE $1"
}
is "$(reasons 'n = 2 AND hi <= lo * (1 + 1e-6)')" equal \
    "two equal repetitions are enough"
is "$(reasons 'n = 2 AND hi > lo * (1 + 1e-6)')" "" \
    "two unequal repetitions are not enough"
# The 95 % interval of the median of nine is the second to the eighth value.
by=$(sqlite3 "$work/ties.db" "WITH s AS (SELECT run_id, seconds, row_number()
        OVER (PARTITION BY run_id ORDER BY seconds) AS k, count(*)
        OVER (PARTITION BY run_id) AS n FROM sample),
    r AS (SELECT run_id, max(seconds) FILTER (WHERE k = 8) AS hi,
        max(seconds) FILTER (WHERE k = 2) AS lo FROM s WHERE n = 9
        GROUP BY run_id)
    SELECT sum(stop_reason = 'width') || ' ' || min(stop_reason =
        iif((hi - lo) / lo <= target_width, 'width', 'unequal'))
    FROM r JOIN run USING (run_id) JOIN launch USING (launch_id)
    JOIN campaign USING (campaign_id)")
like "$by" '^[1-9][0-9]* 1$' \
    "nine repetitions stop by width, or as unequal if it is missed: $by"
is "$(reasons 'n NOT IN (2, 9)')" "" "a run has two or nine repetitions"
is "$(sqlite3 "$work/ties.db" "SELECT count(*) FROM run_summary JOIN run
    USING (run_id) WHERE stop_reason = 'width' AND median <> (SELECT seconds
        FROM sample s WHERE s.run_id = run.run_id ORDER BY seconds
        LIMIT 1 OFFSET 4)")" 0 "the stored median is the fifth of nine"
finish
