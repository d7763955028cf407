#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Killed with SIGKILL at any moment, a campaign goes on with the same command:
# no finished run is lost or doubled, the file stays valid, and the table is
# that of an undisturbed campaign.
. "$(dirname "$0")/../lib.sh"

alive() { # a runner of ours still works on the file
    pgrep -f "$1" >/dev/null 2>&1
}

# Kill `chorale run` again and again after a growing while, until one ends.
kill_until_done() { # database, first delay in ms, step
    kills=0 delay=$2 lost=0 before=0
    while :; do
        timeout 200 "$chorale" run "$1" -q 2>>"$work/err.txt" &
        pid=$!
        # Wait for the delay or the end, whichever comes first.
        n=0
        while [ $n -lt "$delay" ] && kill -0 $pid 2>/dev/null; do
            sleep 0.02
            n=$((n + 20))
        done
        if ! kill -0 $pid 2>/dev/null; then
            wait $pid
            status=$?
            break
        fi
        # timeout's child: the command itself, at this very moment.
        pkill -KILL -P $pid 2>/dev/null
        wait $pid 2>/dev/null
        kills=$((kills + 1))
        delay=$((delay + $3))
        # A start that takes long, on a loaded machine, would never get far.
        [ $kills -lt 20 ] || delay=$((delay + delay / 4))
        now=$(sqlite3 -cmd '.timeout 5000' "$1" "SELECT count(*) FROM run" 2>/dev/null)
        [ "${now:-0}" -ge "$before" ] || lost=1
        before=${now:-$before}
        [ $kills -lt 60 ] || { status=99; break; }
    done
    sleep 0.3
}

judge() { # database, what
    is "$status" 0 "$2: the last start ends well"
    [ "$kills" -ge 3 ]
    ok $? "$2: it was killed several times before"
    diag "killed $kills times"
    is "$lost" 0 "$2: the number of stored runs never fell"
    is "$(sqlite3 "$1" 'PRAGMA integrity_check')" ok "$2: the file is valid"
    is "$(sqlite3 "$1" "SELECT sum(planned) - sum(done) FROM v_progress")" 0 \
        "$2: every planned run is there"
    is "$(sqlite3 "$1" "SELECT count(*) FROM (SELECT 1 FROM run r
        JOIN launch l USING (launch_id) JOIN cell c USING (cell_id)
        GROUP BY r.cell_id, l.ordinal HAVING count(*) > 1)")" 0 \
        "$2: no run is doubled"
    # Points are whole: all candidates of a point were run in one launch, but
    # for a simulated library that ends the program.
    is "$(sqlite3 "$1" "SELECT count(*) FROM (SELECT 1 FROM run r
        JOIN launch l USING (launch_id) JOIN cell c USING (cell_id)
        WHERE r.status <> 'failed'
        GROUP BY c.coll, c.comm_size, c.msg_size, l.ordinal
        HAVING count(DISTINCT r.launch_id) > 1)")" 0 \
        "$2: every point was measured within one launch"
    alive "chorale-runner.*$1"
    [ $? -ne 0 ]
    ok $? "$2: no runner is left behind"
    ls "$1"-journal >/dev/null 2>&1
    [ $? -ne 0 ]
    ok $? "$2: no journal is left behind"
}

mkdir "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR
if [ -x "$top_builddir/chorale-runner-sim" ]; then
    platform "$work/p.xml" 0.5 1250000000 16
    for name in killed whole; do
        mkdir "$work/$name"
        "$chorale" plan "$work/$name/sim.db" --launcher smpirun -q \
            --platform "$work/p.xml" -m 8:32K:x8 -P 3,8,16
    done
    kill_until_done "$work/killed/sim.db" 150 60
    judge "$work/killed/sim.db" "simulated"
    timeout 200 "$chorale" run "$work/whole/sim.db" -q
    for name in killed whole; do
        (cd "$work/$name" && "$chorale" decide sim.db -q &&
             "$chorale" generate sim.db -o t.c)
    done
    cmp -s "$work/killed/t.c" "$work/whole/t.c"
    ok $? "simulated: the table is that of an undisturbed campaign"
else
    skip "built without SimGrid" "simulated campaigns"
fi

if command -v "$MPIEXEC" >/dev/null 2>&1; then
    "$chorale" plan "$work/real.db" -P 1,2 -m 8:32K:x8 --launches 2 -i 60 \
        --min-iterations 60 -q
    kill_until_done "$work/real.db" 120 90
    judge "$work/real.db" "real MPI"
else
    skip "no mpiexec" "real campaigns"
fi

# Two at once: the second says so and leaves.
if [ -x "$top_builddir/chorale-runner-sim" ]; then
    "$chorale" plan "$work/two.db" --launcher smpirun -q \
        --platform "$work/p.xml" -m 8:64K -P 16
    timeout 100 "$chorale" run "$work/two.db" -q &
    sleep 0.5
    err=$("$chorale" run "$work/two.db" -q 2>&1)
    is $? 3 "a second command on the same file is refused"
    like "$err" 'another chorale command is working on it' "and says why"
    pkill -INT -P $! 2>/dev/null
    wait $!
    is $? 75 "an interrupted run exits with 75"
    timeout 200 "$chorale" run "$work/two.db" -q
    ok $? "and the same command finishes it"
fi
is "$(ls -A "$work/tmp")" "" "nothing is left in TMPDIR"
finish
