#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale run` is killed with SIGKILL at random moments and repeated until it
# completes. Half of the kills hit the command only, the others also its launch.
# Then every planned run is stored once, the file is valid, and a simulated
# campaign has the same table as without kills. A launch loses at most the point
# being measured, as its output shows.
#
# KILLS=n: the number of kills (default 12), a quarter of them on real MPI.
# SEED=n: repeat the random moments of an earlier test.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"

: "${KILLS:=12}" "${SEED:=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}"
diag "KILLS=$KILLS SEED=$SEED"
mkdir "$work/tmp" "$work/bin"
TMPDIR=$work/tmp
export TMPDIR

now_ms() { echo $(($(date +%s%N) / 1000000)); }
draw() { # sets $drawn to a number in [0, $1], reproducibly
    SEED=$(((SEED * 1103515245 + 12345) % 2147483648))
    drawn=$((SEED / 8 % ($1 + 1)))
}

# A launcher whose output is copied to $SAID/LAUNCH. While $SAID/held exists, it
# starts no launch on a database with runs.
overheard() { # name, the real launcher
    cat >"$work/bin/$1" <<EOT
#!/bin/sh
for launch; do :; done
case \$launch in *-*-*-*-*) ;; *) exec "$2" "\$@" ;; esac # a probe
while [ -e "\$SAID/held" ] && [ "\$(sqlite3 -readonly "\$SAID/r.db" \
    'SELECT count(*) FROM run')" != 0 ]; do
    sleep 0.1
done
# Both ends are opened here: a process that opens one end waits for another to
# open the other end, which may have been killed.
mkfifo "\$SAID/\$\$"
exec 4<>"\$SAID/\$\$" 5<"\$SAID/\$\$" 6>"\$SAID/\$\$" 4>&-
tee "\$SAID/\$launch" <&5 5<&- 6>&- &
exec "$2" "\$@" >&6 5<&- 6>&-
EOT
    chmod +x "$work/bin/$1"
}

# Number of runs in a file that a killed process may have left in
# mid-transaction: opening it for writing rolls that back.
stored() { sqlite3 -cmd '.timeout 300000' "$1" "SELECT count(*) FROM run"; }

table() { # folder of r.db: write t.c there, and the time of each choice
    (cd "$1" && "$chorale" decide r.db -q >/dev/null &&
        "$chorale" generate r.db -o t.c >/dev/null &&
        sqlite3 r.db "SELECT coll, comm_size, shape, n_lo, basis,
            printf('%.6g %.6g', seconds, library_seconds) FROM decision
            ORDER BY 1, 2, 3, 4" >>t.c)
}

# Points that a database lost: cells announced by launches with @try, and points
# reported as stored with @point, without a run. Prints the number of launches
# that lost a stored point or more than one point, of lost points, and of lines.
lost_points() { # folder
    for said in "$1"/*-*-*; do
        awk -v l="${said##*/}" '$1 == "@try" && $2 > 0 { print l "|" $2 "|0" }
            $1 == "@point" { print l "|" $3 " " $4 "|1" }' "$said"
    done >"$work/said.txt"
    sqlite3 "$1/r.db" "CREATE TEMP TABLE said (uuid, what, stored);" \
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
            HAVING count(*) > 1 OR max(stored))) || ' ' ||
            (SELECT count(*) FROM lost) || ' ' || (SELECT count(*) FROM said)"
}

# Print the faults of a finished campaign, one per line.
faults() { # folder
    sqlite3 "$1/r.db" "PRAGMA integrity_check; PRAGMA foreign_key_check" |
        grep -vx ok
    sqlite3 "$1/r.db" "
        SELECT 'planned and not measured: ' || n FROM (SELECT sum(planned) -
            sum(done) AS n FROM v_progress) WHERE n <> 0;
        SELECT 'twice in one ordinal: cell ' || cell_id FROM run
            JOIN launch USING (launch_id) GROUP BY cell_id, ordinal
            HAVING count(*) > 1;
        SELECT 'without all its samples: run ' || r.run_id FROM run r
            LEFT JOIN run_summary s USING (run_id) WHERE r.status = 'ok' AND
            (s.run_id IS NULL OR s.nrep <> (SELECT count(*) FROM sample a
                WHERE a.run_id = r.run_id AND NOT a.flags & 2));
        SELECT 'in several launches: ' || coll || ' ' || msg_size FROM run r
            JOIN launch l USING (launch_id) JOIN cell c USING (cell_id)
            WHERE r.status <> 'failed'
            GROUP BY coll, c.comm_size, msg_size, ordinal
            HAVING count(DISTINCT launch_id) > 1"
    ls "$1"/r.db-* 2>/dev/null
}

# Run campaigns from a plan, each in its own folder, until the given number of
# kills is made and the last campaign is complete.
disturb() { # name, plan, kills, longest time until a kill in ms
    name=$1 made=0 campaigns=0 fell=0 lost=0 careless=0 heard=0 longest=$4
    : >"$work/faults.txt"
    while [ "$made" -lt "$3" ]; do
        campaigns=$((campaigns + 1)) before=0 earlier=$made
        SAID=$work/$name-$campaigns
        export SAID
        mkdir "$SAID"
        cp "$2" "$SAID/r.db"
        while :; do
            "$chorale" run "$SAID/r.db" -q 2>>"$work/err.txt" &
            pid=$!
            [ "$made" -lt "$3" ] || break
            draw "$longest"
            sleep "$(printf '%d.%03d' $((drawn / 1000)) $((drawn % 1000)))"
            if ended $pid; then
                # The campaign completed before the kill.
                [ "$made" -gt "$earlier" ] || longest=$((longest / 2 + 1))
                break
            fi
            if [ $((made % 2)) -eq 0 ]; then
                kill_tree $pid
            else
                kill -KILL $pid
                { wait $pid; } 2>/dev/null
            fi
            made=$((made + 1))
            n=$(stored "$SAID/r.db")
            [ "$n" -ge "$before" ] || fell=$((fell + 1))
            before=$n
        done
        wait $pid || echo "exit $?" >>"$work/faults.txt"
        faults "$SAID" >>"$work/faults.txt"
        [ ! -e "$work/whole/t.c" ] || [ "$name" = real ] ||
            { table "$SAID" && diff "$work/whole/t.c" "$SAID/t.c"; } \
                >>"$work/faults.txt" 2>&1 || echo "table" >>"$work/faults.txt"
        # shellcheck disable=SC2046
        set -- "$1" "$2" "$3" "$4" $(lost_points "$SAID")
        careless=$((careless + $5)) lost=$((lost + $6)) heard=$((heard + $7))
    done
    diag "$name: $made kills after at most $4 ms in $campaigns campaigns;" \
        "$lost points lost; $heard lines heard"
    is "$(cat "$work/faults.txt")" "" \
        "$name: every campaign is complete after kills"
    [ ! -s "$work/faults.txt" ] || diag "$(tail -n 5 "$work/err.txt")"
    is "$fell" 0 "$name: no kill loses a stored run"
    [ "$heard" -gt 0 ] && is "$careless" 0 \
        "$name: a killed launch loses at most the point being measured"
    [ "$lost" -le "$made" ]
    ok $? "$name: a kill loses at most one point"
}

PATH=$work/bin:$PATH
export PATH
if [ -x "$top_builddir/chorale-runner-sim" ] &&
    smpirun=$(command -v smpirun); then
    overheard smpirun "$smpirun"
    platform "$work/p.xml" 0.5 1250000000 8
    mkdir "$work/whole" "$work/two"
    "$chorale" plan "$work/plan.db" --launcher smpirun -q \
        --platform "$work/p.xml" -c bcast,allreduce -m 8:32K:x64 \
        -P 3,8 --launches 2
    cp "$work/plan.db" "$work/whole/r.db"
    SAID=$work/whole
    export SAID
    begun=$(now_ms)
    timeout 900 "$chorale" run "$work/whole/r.db" -q && table "$work/whole"
    ok $? "an undisturbed campaign has a table"
    disturb simulated "$work/plan.db" $((KILLS - KILLS / 4)) \
        $((($(now_ms) - begun) / 3 + 200))

    # The second launch is delayed so that the first command cannot end.
    SAID=$work/two
    cp "$work/plan.db" "$work/two/r.db"
    : >"$SAID/held"
    "$chorale" run "$work/two/r.db" -q 2>/dev/null &
    pid=$!
    some() { [ "$(stored "$work/two/r.db")" -gt 0 ]; }
    wait_for some
    err=$("$chorale" run "$work/two/r.db" -q 2>&1)
    is $? 3 "a second command on a database that is being measured exits with 3"
    like "$err" 'another chorale command is working on it' \
        "the second command names the reason"
    kill -INT $pid
    wait $pid
    is $? 75 "a run that receives SIGINT exits with 75"
    rm "$SAID/held"
    timeout 900 "$chorale" run "$work/two/r.db" -q && table "$work/two"
    is "$? $(faults "$work/two")$(diff "$work/whole/t.c" "$work/two/t.c")" \
        "0 " "the same command finishes an interrupted run"

    # Before the first launch the launcher is run for its version.
    printf '#!/bin/sh\n: >"%s/asked"\nexec sleep 600\n' "$work" \
        >"$work/bin/smpirun"
    "$chorale" run "$work/plan.db" -q 2>"$work/out.txt" &
    pid=$!
    wait_for [ -e "$work/asked" ]
    kill -INT $pid
    wait $pid
    is "$? $(cat "$work/out.txt")" \
        "75 chorale: stopped before smpirun answered; repeat the command" \
        "a run that receives SIGINT while it probes smpirun exits with 75"
else
    skip "built without SimGrid" \
        "simulated: every campaign is complete after kills"
fi

if command -v "$MPIEXEC" >/dev/null 2>&1; then
    overheard mpiexec "$(command -v "$MPIEXEC")"
    CHORALE_MPIEXEC=$work/bin/mpiexec
    export CHORALE_MPIEXEC
    "$chorale" plan "$work/real.db" -c bcast -P 2 -m 8,4K -q --launches 2 \
        -i 40 --min-iterations 40
    mkdir "$work/real"
    cp "$work/real.db" "$work/real/r.db"
    SAID=$work/real
    begun=$(now_ms)
    timeout 900 "$chorale" run "$work/real/r.db" -q
    ok $? "an undisturbed campaign on real MPI completes"
    disturb real "$work/real.db" $((KILLS / 4)) $(($(now_ms) - begun))
else
    skip "no $MPIEXEC" "real: every campaign is complete after kills"
fi

wait_for no_process "chorale-runner.*$work"
ok $? "no runner outlives its command"
# Not counting the folders of Open MPI's launcher, which was killed as well.
is "$(ls -A "$work/tmp" | grep -Ev '^(prterun|ompi)\.')" "" \
    "a killed command leaves no file in TMPDIR"
finish
