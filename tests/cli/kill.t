#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nothing is lost: `chorale run` is killed with SIGKILL, its whole process
# group, at random moments, and repeated until it ends by itself. Then every
# planned run is there once, the file is valid, and decide says what it says
# of an undisturbed campaign. What a launch had begun, by its own words, is
# stored when it is killed, but for the point it was at.
#
# KILLS=200 kills that often (default: 12; in ci/check 200); a campaign that
# ends before is begun again from its plan. SEED=n repeats the moments of an
# earlier test.
. "$(dirname "$0")/../lib.sh"

[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
command -v smpirun >/dev/null 2>&1 || skip_all "no smpirun"
command -v setsid >/dev/null 2>&1 || skip_all "no setsid"
: "${KILLS:=12}" "${SEED:=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}"
diag "KILLS=$KILLS SEED=$SEED"

mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
platform "$work/p.xml" 0.5 1250000000 8
"$chorale" plan "$work/plan.db" --launcher smpirun --platform "$work/p.xml" \
    -c bcast,allgather,allreduce -m 8:32K:x8 -P 3,4,8 --launches 2 -q
ok $? "a plan"

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# What was decided, without numbers of rows.
decided() { # database
    "$chorale" decide "$1" -q >/dev/null || return 1
    sqlite3 "$1" "SELECT coll, comm_size, ppn, shape, dtype, op, n_lo, n_hi,
        provider, variant, params, basis, printf('%.6g %.6g %.6g', seconds,
        library_seconds, speedup) FROM decision ORDER BY 1, 2, 3, 4, 5, 6, 7"
}

cp "$work/plan.db" "$work/whole.db"
begun=$(now_ms)
timeout 300 "$chorale" run "$work/whole.db" -q
ok $? "an undisturbed campaign"
whole_ms=$(($(now_ms) - begun))
decided "$work/whole.db" >"$work/whole.txt"
[ -s "$work/whole.txt" ]
ok $? "it decides"
planned=$(sqlite3 "$work/whole.db" "SELECT sum(planned) FROM v_progress")
most=$((whole_ms / 3 + 200))
diag "$planned runs in $whole_ms ms; killed after 0 to $most ms"

# Numbers in [0, most], reproducible; more than KILLS, because a campaign may
# end before its moment has come.
awk -v n="$((3 * KILLS + 50))" -v most="$most" -v seed="$SEED" 'BEGIN {
    srand(seed)
    for (i = 0; i < n; i++) printf "%.3f\n", rand() * most / 1000 }' \
    >"$work/delays.txt"

# Runs of a file that may be in the middle of a transaction: the next opening
# for writing rolls back a hot journal, so this one may.
stored() { sqlite3 -cmd '.timeout 10000' "$1" "SELECT count(*) FROM run"; }

# What launches say is overheard: a smpirun that becomes the real one, so that
# killing it is what it was.
mkdir "$work/bin" "$work/said"
real=$(command -v smpirun)
cat >"$work/bin/smpirun" <<EOT
#!/bin/sh
for launch; do :; done
mkfifo "$work/said/\$\$"
exec 8<>"$work/said/\$\$" # neither end waits for the other
tee "$work/said/\$launch" <"$work/said/\$\$" 8>&- &
exec "$real" "\$@" >"$work/said/\$\$"
EOT
chmod +x "$work/bin/smpirun"

# Launches of a database that lost more than the point they were at, or one
# that they said was stored; and points begun that were lost.
lost_points() { # database
    for said in "$work"/said/*-*-*; do
        launch=${said##*/}
        awk -v l="$launch" '$1 == "@try" && $2 > 0 { print l "|" $2 "|0" }
            $1 == "@point" { print l "|" $3 " " $4 "|1" }' "$said"
    done >"$work/said.txt"
    sqlite3 "$1" "CREATE TEMP TABLE said (uuid, what, stored);" \
        ".import $work/said.txt said" "WITH lost AS (
        SELECT uuid, coll || ' ' || msg_size AS point, max(stored) AS stored
          FROM (SELECT s.uuid, c.coll, c.msg_size, 0 AS stored FROM said s
              JOIN cell c ON c.cell_id = s.what WHERE s.stored = '0'
              AND NOT EXISTS (SELECT 1 FROM run r JOIN launch l
                  USING (launch_id) WHERE l.uuid = s.uuid
                  AND r.cell_id = c.cell_id)
          UNION ALL
          SELECT s.uuid, c.coll, c.msg_size, 1 FROM said s JOIN launch l
              USING (uuid) JOIN cell c ON c.coll || ' ' || c.msg_size = s.what
              AND c.comm_size = l.comm_size AND c.part = l.part
              WHERE s.stored = '1' AND NOT EXISTS (SELECT 1 FROM run r
                  JOIN launch k USING (launch_id) WHERE r.cell_id = c.cell_id
                  AND k.ordinal = l.ordinal))
         GROUP BY 1, 2)
        SELECT (SELECT count(*) FROM (SELECT 1 FROM lost GROUP BY uuid
            HAVING count(*) > 1 OR max(stored))), (SELECT count(*) FROM lost),
            (SELECT count(*) FROM said)"
}

kills=0 campaigns=0 fell=0 extra=0 vain=0 begun=$(now_ms) status=0
heard=0 careless=0 lost=0
exec 9<"$work/delays.txt"
while [ "$kills" -lt "$KILLS" ] && [ "$status" -eq 0 ]; do
    campaigns=$((campaigns + 1))
    db=$work/killed.db before=0
    cp "$work/plan.db" "$db"
    # One that has not become the real one yet still needs what it made there.
    tries=100
    while pgrep -f "$work/bin/smpirun" >/dev/null 2>&1 && [ $tries -gt 0 ]; do
        sleep 0.05
        tries=$((tries - 1))
    done
    rm -f "$work"/said/*
    while :; do
        PATH=$work/bin:$PATH setsid "$chorale" run "$db" -q \
            2>>"$work/err.txt" &
        pid=$!
        if [ "$kills" -lt "$KILLS" ]; then
            read -r delay <&9 || { status=90; break; }
            sleep "$delay"
            # A zombie can be signalled too: its state says whether it ended.
            if kill -0 $pid 2>/dev/null &&
               ! grep -q '^State:.Z' /proc/$pid/status 2>/dev/null; then
                kill -KILL -- -$pid 2>/dev/null || kill -KILL $pid
                wait $pid 2>/dev/null
                kills=$((kills + 1))
                n=$(stored "$db")
                [ "$n" -ge "$before" ] || fell=$((fell + 1))
                [ "$n" -gt "$before" ] || vain=$((vain + 1))
                before=$n
                continue
            fi
        fi
        wait $pid
        status=$?
        [ "$status" -eq 0 ] || {
            diag "chorale run ended with status $status"
            tail -n 5 "$work/err.txt" | sed 's/^/# /'; }
        break
    done
    [ "$(sqlite3 "$db" 'PRAGMA integrity_check')" = ok ] || {
        diag "integrity_check"; status=91; }
    [ -z "$(sqlite3 "$db" 'PRAGMA foreign_key_check')" ] || {
        diag "foreign_key_check"; status=92; }
    [ "$(sqlite3 "$db" "SELECT sum(done) FROM v_progress")" = "$planned" ] || {
        diag "not all planned is done"; status=93; }
    n=$(sqlite3 "$db" "SELECT count(*) FROM (SELECT 1 FROM run r
        JOIN launch l USING (launch_id) GROUP BY r.cell_id, l.ordinal
        HAVING count(*) > 1)")
    [ "$n" = 0 ] || { diag "$n cells twice in one ordinal"; status=94; }
    n=$(sqlite3 "$db" "SELECT count(*) FROM run r LEFT JOIN run_summary s
        USING (run_id) WHERE r.status = 'ok' AND (s.run_id IS NULL OR
        s.nrep <> (SELECT count(*) FROM sample a WHERE a.run_id = r.run_id))")
    [ "$n" = 0 ] || { diag "$n runs without all their samples"; status=95; }
    decided "$db" >"$work/killed.txt"
    cmp -s "$work/whole.txt" "$work/killed.txt" || {
        diag "another table"; status=96
        diff "$work/whole.txt" "$work/killed.txt" | head -n 5 | sed 's/^/# /'; }
    n=$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE status <> 'done'")
    extra=$((extra + n))
    points=$(lost_points "$db")
    careless=$((careless + ${points%%|*})) heard=$((heard + ${points##*|}))
    points=${points#*|}
    lost=$((lost + ${points%|*}))
done
diag "$kills kills in $campaigns campaigns, $(($(now_ms) - begun)) ms"
diag "$extra launches cut short, $vain kills before anything new was stored"
diag "$lost points begun and lost, $heard lines overheard"

is "$status" 0 "every campaign ends well and whole"
is "$kills" "$KILLS" "all kills were made"
is "$fell" 0 "the number of stored runs never fell"
[ "$heard" -gt 0 ] && is "$careless" 0 \
    "no launch lost more than the point it was at"
[ "$lost" -le "$KILLS" ]
ok $? "nor were more points lost than kills were made"
tries=100
while pgrep -f "chorale-runner.*$work" >/dev/null 2>&1 && [ $tries -gt 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
done
[ $tries -gt 0 ]
ok $? "no runner is left behind"
ls "$work"/*.db-journal >/dev/null 2>&1
[ $? -ne 0 ]
ok $? "no journal is left behind"
is "$(ls -A "$work/tmp")" "" "nothing is left in TMPDIR"
finish
