#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank dies in a call or in MPI_Finalize: the faulty cell fails after two
# launches and is not tried again, all other cells are measured, and stored runs
# are kept. (Ranks that hang: hang.t.)
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"
. "$here/../faulty.sh"

# Two sizes: each faulty cell costs two launches.
campaign "dies when first called" 2 8,64 "" FAULT=die AFTER=1
bad 'it ended the program: ' 4
campaign "dies while timed" 2 8 "" FAULT=die AFTER=10
bad 'it ended the program: ' 2
"$chorale" status "$db" | grep -q 'chorale run --retry-failed'
ok $? "$what: status names the command that tries it again"
kept="SELECT count(*), min(run_id), max(run_id) FROM run WHERE status = 'ok'
    AND run_id <= $(sqlite3 "$db" "SELECT max(run_id) FROM run")"
before=$(sqlite3 "$db" "$kept")
timeout 900 "$chorale" run "$db" -q --retry-failed
is "$? $(sqlite3 "$db" "SELECT sum(planned), sum(done), sum(failed)
    FROM v_progress")" "0 4|4|0" \
    "$what: without the fault --retry-failed measures it in all launches"
is "$(sqlite3 "$db" "$kept")" "$before" "$what: finished runs are kept"
is "$(sqlite3 "$db" "PRAGMA integrity_check; PRAGMA foreign_key_check")" ok \
    "$what: the database is valid after --retry-failed"
! "$chorale" status "$db" | grep -q 'retry-failed'
ok $? "$what: status no longer names --retry-failed"
campaign "dies once" 1 8 "" FAULT=die AFTER=10 ONCE="$work/died"
good 1
campaign "dies in MPI_Finalize" 1 8 "" FAULT=fallen FAULTY=0
good 0
"$chorale" decide "$db" -q
ok $? "decide uses the stored runs"
like "$("$chorale" fit "$db" 2>&1)" 'one message size only' \
    "fit rejects runs of one message size"

# A launcher that never starts the runner.
rm -f "$db"
"$chorale" plan "$db" -P 2 -m 8 -c scan --variants linear --launches 1 -q
printf '#!/bin/sh\nexec sleep 600\n' >"$work/mute"
chmod +x "$work/mute"
err=$(CHORALE_MPIEXEC=$work/mute timeout 300 "$chorale" run "$db" -q \
    --stall-timeout 1s 2>&1)
is $? 3 "a launcher that hangs is an error of the environment"
like "$err" 'before its first point was stored: hang: silent for 1 s' \
    "the error line says that the launcher hangs"
wait_for no_process "$work/mute|chorale-runner.*$work"
ok $? "no launcher and no runner outlives its command"
finish
