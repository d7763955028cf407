#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# On several nodes one start measures all process counts of a launch, in groups
# of whole nodes, and stores the same as separate starts would. The nodes are
# simulated by a preload.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
skew=$top_builddir/tests/mpi/.libs/libskew.so
yield=$top_builddir/tests/mpi/.libs/libyield.so
[ -r "$skew" ] && [ -r "$yield" ] || skip_all "built without shared libraries"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
on_one_machine
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
"${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" \
    "$top_srcdir/tests/cli/faults.c" -ldl || exit 99

# Six ranks, two on each of three nodes.
colls=scan,bcast sizes=8
planned() { # database, options...
    db=$work/$1.db
    shift
    "$chorale" plan "$db" -q -P 2,4,6 --ppn 2 -m "$sizes" -c "$colls" \
        --set core --system made -i 10 --min-iterations 5 "$@" &&
        "$chorale" plan "$db" -q -P 1 --ppn 1 -m "$sizes" -c "$colls" \
            --set core --system made -i 10 --min-iterations 5 "$@"
}
run() { # database, words of run...
    name=$1
    shift
    CHORALE_NODE=2 LD_PRELOAD="${faults-} $skew $yield" \
        timeout 900 "$chorale" run "$work/$name.db" -q --no-bind "$@" 2>"$work/err.txt"
}
has() { # database, expression: print the SELECT
    sqlite3 "$work/$1.db" "SELECT $2"
}
whole() { # database, name
    is "$(has "$1" "sum(planned) - sum(done) FROM v_progress")" 0 \
        "$2: all planned runs are done"
    is "$(has "$1" "count(*) FROM run WHERE status NOT IN ('ok',
        'inapplicable')")" 0 "$2: no run failed"
    is "$(has "$1" "group_concat(DISTINCT comm_size || ':' || host_map)
        FROM (SELECT * FROM launch WHERE status = 'done'
            OR host_map <> '' ORDER BY comm_size)")" \
        "1:0,2:0,0,${3}4:0,0,1,1,6:0,0,1,1,2,2" \
        "$2: ranks are placed as planned"
    is "$(sqlite3 "$work/$1.db" 'PRAGMA integrity_check;
        PRAGMA foreign_key_check')" ok "$2: the database is intact"
    is "$(has "$1" "count(*) FROM run JOIN run_summary s USING (run_id)
        WHERE nrep <> (SELECT count(*) FROM sample p
            WHERE p.run_id = s.run_id AND NOT flags & 2)")" 0 \
        "$2: each run has its samples"
    is "$(has "$1" "count(*) FROM run r JOIN cell c USING (cell_id)
        JOIN launch l USING (launch_id) WHERE c.comm_size <> l.comm_size
            OR c.ppn <> l.ppn OR r.uuid = ''")" 0 \
                "$2: each run belongs to its launch"
}
starts() { # database: number of starts
    has "$1" "count(DISTINCT value) FROM environment
        WHERE key = 'launcher_command'"
}
cells() { # database: measured cells with launch and size
    sqlite3 "$work/$1.db" "SELECT coll, variant, params, msg_size, c.comm_size,
        c.ppn, ordinal, r.status, r.reason,
        (SELECT count(*) FROM counter u WHERE u.run_id = r.run_id)
        FROM run r JOIN cell c USING (cell_id) JOIN launch l USING (launch_id)
        WHERE l.status = 'done' AND c.comm_size <> 3
        ORDER BY 1, 2, 3, 4, 5, 6, 7"
}
# If the times in memory took too long in some launch, they count as one fact;
# timed() counts them one by one.
facts() { # database: facts of a launch of each size
    sqlite3 "$work/$1.db" "SELECT DISTINCT comm_size, CASE WHEN $slow > 0
        AND key LIKE 'memory_%' THEN 'memory' ELSE key END FROM environment
        JOIN launch USING (launch_id) WHERE key NOT LIKE 'grouped%'
            AND key NOT LIKE '%:load_%' AND key <> 'stragglers'
            AND comm_size <> 3 ORDER BY 1, 2"
}
slow() { # database: number of launches in which they took too long
    has "$1" "count(*) FROM environment WHERE key = 'memory_times'"
}
timed() { # database: 1 if launches of two ranks have all times, or the reason
    has "$1" "min(times = CASE WHEN late THEN 0 ELSE 52 END)
        FROM (SELECT sum(key LIKE 'memory_%_s:%') AS times,
            sum(key = 'memory_times') AS late FROM environment
        JOIN launch USING (launch_id) WHERE comm_size = 2
        GROUP BY launch_id)"
}
planned one --launches 2
planned each --launches 2
# Also one rank per node, which a separate start could not place here.
"$chorale" plan "$work/one.db" -q -P 3 --ppn 1 -m 8 -c scan,bcast --set core \
    --system made -i 10 --min-iterations 5 --launches 2
run one
is "$? $(cat "$work/err.txt")" "0 " "one start for all sizes exits with 0"
whole one "one start for all sizes" 3:0,1,2,
is "$(starts one)" 2 "two launches have two starts"
is "$(has one "count(*) FROM launch WHERE status <> 'done'")" 0 \
    "all five sizes of each launch are done"
is "$(has one "count(*) || ' ' || count(DISTINCT launch_id) FROM environment
    WHERE key = 'grouped' AND value LIKE '%among 6 ranks'")" "10 10" \
    "each launch stores that it was one of several"
is "$(has one "group_concat(DISTINCT value) FROM environment
    JOIN launch USING (launch_id) WHERE key = 'grouped' AND comm_size = 6")" \
    "alone among 6 ranks" "the largest size runs alone"
like "$(has one "value FROM environment JOIN launch USING (launch_id)
    WHERE key = 'grouped' AND comm_size = 2 LIMIT 1")" \
    '(at once|in turn) with P = 4 among 6 ranks' \
        "other launches store with which they ran"
is "$(has one "count(*) FROM environment WHERE key = 'grouped_slowdown'
    AND CAST(value AS REAL) >= 1")" 10 \
        "each launch stores the slowdown of exchanges"

# The cost is the time from the first launch's begin to the last one's end, on
# the nodes of the largest.
near() { awk "BEGIN { d = $1 - $2; exit !(d * d <= 1e-12 * $2 * $2) }"; }
near "$("$chorale" status "$work/one.db" --rounds --json |
    sed -n 's/.*"total_node_seconds": \([0-9.]*\),*/\1/p')" \
    "$(has one "sum(wall) * 3 FROM (SELECT 86400 * (max(julianday(finished)) -
        min(julianday(started))) AS wall FROM launch JOIN environment e
        USING (launch_id) WHERE key = 'launcher_command' GROUP BY e.value)")"
ok $? "a shared start is counted once"
is "$("$chorale" plan "$work/none.db" -P 2,4,6 --ppn 2 -m 8 -c scan,bcast \
    --set core --system made --launches 2 --estimate --json 2>/dev/null |
    sed -n 's/.*"starts": \([0-9]*\),/\1/p' | tail -n 1)" 2 \
    "plan --estimate counts as many starts"

run each --one-launch-per-p
is "$? $(cat "$work/err.txt")" "0 " "--one-launch-per-p exits with 0"
is "$(starts each)" 8 "--one-launch-per-p: each launch has a start"
cells one >"$work/one.txt"
cells each >"$work/each.txt"
is "$(diff "$work/one.txt" "$work/each.txt" | head)" "" \
    "cells, launches and counters are the same as with separate starts"
slow=$(($(slow one) + $(slow each)))
facts one >"$work/one.txt"
facts each >"$work/each.txt"
is "$(diff "$work/one.txt" "$work/each.txt" | head)" "" \
    "facts of each launch are the same as with separate starts"
is "$(timed one) $(timed each)" "1 1" \
    "launches of two ranks have all times in memory, or that these took too long"
"$chorale" decide "$work/one.db" -q
ok $? "decide exits with 0"

# Groups are measured simultaneously if they do not share links.
faults=$work/faults.so
export LINK="$work/link"
planned apart --launches 1
FAULT=apart run apart
is "$? $(has apart "group_concat(value, ', ') FROM (SELECT value FROM
    environment JOIN launch USING (launch_id) WHERE key = 'grouped'
    ORDER BY comm_size)")" \
    "0 alone among 6 ranks, at once with P = 4 among 6 ranks, at once with P = \
2 among 6 ranks, alone among 6 ranks" \
    "without shared links groups are measured simultaneously"
planned shared --launches 1
FAULT=shared run shared
is "$? $(has shared "group_concat(value, ', ') FROM (SELECT value FROM
    environment JOIN launch USING (launch_id) WHERE key = 'grouped'
    ORDER BY comm_size)")" \
    "0 alone among 6 ranks, in turn with P = 4 among 6 ranks, in turn with P = \
2 among 6 ranks, alone among 6 ranks" \
    "with a shared link groups are measured in turn"
is "$(has shared "count(*) FROM environment JOIN launch USING (launch_id)
    WHERE key = 'grouped_slowdown' AND comm_size IN (2, 4)
        AND CAST(value AS REAL) > 1.1")" 2 \
    "exchanges took longer: $(has shared "max(value) FROM environment
        WHERE key = 'grouped_slowdown'") times"
for db in apart shared; do
    is "$(has $db "sum(planned) - sum(done) FROM v_progress")" 0 \
        "$db: all planned runs are done"
done
unset faults

# All are killed while rank 0's group, P = 4, measures a long point, and P = 2,
# measured simultaneously, has finished its points.
long() { # options
    "$chorale" plan "$work/killed.db" -q -c scan --system made --launches 1 \
        --no-racing -i 4096 --min-iterations 4096 --width 0.01% \
        --cell-time 4 "$@"
}
long -P 4 --ppn 2 -m 128K --set core
long -P 2 --ppn 2 -m 8,64 --variants linear
long -P 6 --ppn 2 -m 8 --variants linear
long -P 1 --ppn 1 -m 8 --variants linear
faults=$work/faults.so
mkdir "$work/bin"
cat >"$work/bin/heard" <<END
#!/bin/sh
mkfifo "$work/fifo"
tee "$work/said.txt" <"$work/fifo" &
exec $MPIEXEC "\$@" >"$work/fifo"
END
chmod +x "$work/bin/heard"
FAULT=apart CHORALE_MPIEXEC=$work/bin/heard run killed &
pid=$!
of_two() {
    has killed "count(*) FROM run JOIN launch USING (launch_id)
        WHERE comm_size = 2" 2>/dev/null
}
two_stored() { [ "$(of_two)" = 4 ] || ended $pid; }
wait_for two_stored
unset faults
kill_tree $pid
is "$(of_two) $(has killed "count(*) FROM run JOIN launch USING (launch_id)
    WHERE comm_size = 4")" "4 0" \
    "killed: rank 0 stores the points of other groups while it measures"
has killed "1; UPDATE campaign SET cell_seconds = 0.1, nrep_min = 3" \
    >"$work/out.txt"
run killed
is "$? $(cat "$work/err.txt")" "0 " "killed and started again, run exits with 0"
whole killed "killed"
is "$(has killed "count(*) - count(DISTINCT cell_id || ' ' || ordinal) FROM run
    JOIN launch USING (launch_id) JOIN cell USING (cell_id)
    WHERE provider <> 'library'")" 0 "killed: no cell is measured twice"
is "$(has killed "group_concat(comm_size || ':' || n) FROM (SELECT comm_size,
    count(*) AS n FROM launch GROUP BY 1 ORDER BY 1)")" 1:2,2:1,4:2,6:1 \
    "killed: no finished point of another group is measured again"
is "$(has killed "count(*) || ' ' || sum((SELECT count(*) FROM environment e
    WHERE e.launch_id = l.launch_id) > 20) || ' ' || sum(host_map = '0,0')
    FROM launch l WHERE comm_size = 2")" "1 1 1" \
    "killed: the launch of P = 2 has its facts and host map"
ls "$work"/killed.db-* >/dev/null 2>&1
is $? 2 "killed: no other file remains"

# A rank of one group dies: then each size gets its own start, and the faulty
# cell is found.
faults=$work/faults.so
planned dies --launches 2
FAULT=die FAULTY=3 AFTER=1 run dies --hang 60s --stall-timeout 60s
is "$? $(cat "$work/err.txt")" "0 " "a rank dies in a call: run exits with 0"
is "$(has dies "sum(planned) - sum(done) FROM v_progress")" 0 \
    "a rank dies in a call: all other runs are done"
is "$(has dies "group_concat(DISTINCT coll || ' ' || comm_size) FROM run
    JOIN cell USING (cell_id) WHERE status = 'failed'")" "scan 4,scan 6" \
    "a rank dies in a call: only the faulty cells fail"
is "$(has dies "count(*) FROM launch WHERE status = 'running'")" 0 \
    "a rank dies in a call: no launch remains running"

# A node with slower links than the others.
"$chorale" plan "$work/far.db" -q -P 5 --ppn 1 -m 8 -c bcast --system made \
    --launches 1 --variants linear -i 10 --min-iterations 5
FAULT=far FAULTY=2 CHORALE_NODE=1 LD_PRELOAD="$work/faults.so $skew $yield" \
    timeout 900 "$chorale" run "$work/far.db" -q --no-bind 2>"$work/err.txt"
is $? 0 "a launch with a slow node exits with 0"
like "$(has far "value FROM environment WHERE key = 'stragglers'")" \
    '(^|, )2 \((copies [0-9.]+, )?messages [0-9.e+]+[, ]' \
        "a node with slow messages is a straggler"
like "$(has far "value FROM environment WHERE key = 'stragglers'")" \
    '(^|, )3 \([^)]*bandwidth 0\.[0-9]+ of' \
    "a node with low bandwidth is a straggler"
is "$(has far "count(*) || ' ' || (max(CAST(value AS REAL)) < 4.2e7) FROM
    environment WHERE key IN ('host:2:next_node_bytes_per_s',
    'host:3:next_node_bytes_per_s')")" "2 1" \
        "the bandwidth of its links is stored"
is "$(has far "min(',' || validity || ',' LIKE '%,straggler,%') FROM run")" 1 \
    "each run is marked straggler"

# Asked to end early: each measuring group completes its point.
"$chorale" plan "$work/asked.db" -q -P 2,4,6 --ppn 2 -m 32K,64K -c bcast \
    --system made --launches 1 --providers chorale,library --variants linear \
    -i 4096 --min-iterations 4096 --width 0.01% --cell-time 4
rm "$work/said.txt" "$work/fifo"
CHORALE_MPIEXEC=$work/bin/heard CHORALE_NODE=2 LD_PRELOAD="$skew $yield" "$chorale" run "$work/asked.db" -q --no-bind \
    2>"$work/err.txt" &
pid=$!
# Rank 0 prints "@try 0" when the timing of a point begins; the largest size is
# measured first.
timed() { # print a line per cell of rank 0's group whose timing has begun
    awk '/^@try [1-9]/ { cell = $2 } $1 " " $2 == "@try 0" { print cell }' \
        "$work/said.txt" 2>/dev/null
}
smaller() {
    [ "$(has asked "count(*) FROM cell WHERE comm_size < 6 AND cell_id IN
        ($(timed | sort -u | paste -sd ,))")" -gt 0 ] || ended $pid
}
wait_for smaller
kill -USR1 $pid
wait $pid
is $? 75 "a run asked to end early exits with 75"
like "$(cat "$work/err.txt")" '^chorale: .*stopped; ' \
    "a run asked to end early reports it"
like "$(has asked "group_concat(n, ' ') FROM (SELECT count(run_id) AS n
    FROM launch LEFT JOIN run USING (launch_id) GROUP BY launch_id
    ORDER BY comm_size DESC)")" '^4 .*2' \
    "the largest size is done, and the point of another is kept"
is "$(has asked "count(*) FROM (SELECT count(run_id) % 2 AS n FROM run
    GROUP BY launch_id) WHERE n > 0")" 0 "every stored point is complete"
has asked "1; UPDATE campaign SET cell_seconds = 0.1, nrep_min = 3" \
    >"$work/out.txt"
run asked
is "$? $(has asked "sum(planned) - sum(done) FROM v_progress")" "0 0" \
    "the same command completes the campaign"
finish
