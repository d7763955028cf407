#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that die or hang, in a call and in MPI_Finalize: the cell that does it
# fails after two launches and is left alone in all others, everything else is
# measured, and what was stored stays. The faults are real ones, preloaded into
# one rank of the real runner: see faults.c.
. "$(dirname "$0")/../lib.sh"

command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
"${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" \
    "$top_srcdir/tests/cli/faults.c" -ldl || exit 99
db=$work/r.db

# Points of one variant and the library, whose cells are faulty.
campaign() { # name, launches, message sizes, variable=value...
    what=$1
    rm -f "$db"
    "$chorale" plan "$db" -P 2 -m "$3" -c scan --variants linear -q \
        --launches "$2" -i 25 --min-iterations 25
    shift 3
    begun=$(date +%s)
    env "$@" LD_PRELOAD="$work/faults.so" timeout 300 "$chorale" run "$db" -q \
        --hang 10s --stall-timeout 10s 2>"$work/err.txt"
    is "$? $(cat "$work/err.txt")" "0 " \
        "$what: the campaign ends well, without a word"
    is "$(sqlite3 "$db" "SELECT sum(planned) - sum(done) FROM v_progress")" 0 \
        "$what: to the end"
    is "$(sqlite3 "$db" "PRAGMA integrity_check")" ok "$what: the file is whole"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'chorale' AND status <> 'ok'")" 0 \
        "$what: the others are measured"
    is "$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE status = 'running'")" \
        0 "$what: no launch is left running"
    diag "$(sqlite3 "$db" "SELECT group_concat(status || ' ' || reason, ', ')
        FROM launch"), $(($(date +%s) - begun)) s"
}
bad() { # what its reason is like, launches that it cost
    is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT status || ' ' ||
        (reason LIKE '$1%')) FROM run JOIN cell USING (cell_id)
        WHERE provider = 'library' AND status <> 'ok'")" "failed 1" \
        "$what: the faulty cells failed for that"
    is "$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE status = 'failed'")" \
        "$2" "$what: $2 launches were lost"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status = 'failed'
        AND reason LIKE '%not tried again%' AND launch_id IN
        (SELECT launch_id FROM launch WHERE ordinal = 0)")" 0 \
        "$what: those of the first ordinal were tried"
    is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN launch USING (launch_id)
        WHERE run.status = 'failed' AND ordinal > 0
        AND run.reason NOT LIKE '%not tried again%'")" 0 \
        "$what: no later one tried again"
    "$chorale" status "$db" | grep -q "failed: $1"
    ok $? "$what: status says why"
}
good() { # launches that it cost
    is "$(sqlite3 "$db" "SELECT count(*) FROM run WHERE status <> 'ok'")" 0 \
        "$what: no cell has failed"
    is "$(sqlite3 "$db" "SELECT count(*) FROM launch WHERE status = 'failed'")" \
        "$1" "$what: $1 launches were lost"
}

campaign "dies when first called" 4 8,64 FAULT=die AFTER=1
bad 'it ended the program: ' 4 # two of either message size
campaign "dies while timed" 3 8,64 FAULT=die AFTER=10
bad 'it ended the program: ' 4
# Where it was not to blame it gets another chance, in all launches.
"$chorale" status "$db" | grep -q 'chorale run --retry-failed'
ok $? "$what: status says how to try it again"
kept="SELECT count(*), min(run_id), max(run_id) FROM run WHERE status = 'ok'
    AND run_id <= $(sqlite3 "$db" "SELECT max(run_id) FROM run")"
before=$(sqlite3 "$db" "$kept")
timeout 300 "$chorale" run "$db" -q --retry-failed --hang 10s
is "$?" 0 "$what: without the fault it is tried again"
is "$(sqlite3 "$db" "SELECT sum(planned), sum(done), sum(failed)
    FROM v_progress")" "12|12|0" "$what: and measured in all launches"
is "$(sqlite3 "$db" "$kept")" "$before" "$what: what was measured stays"
is "$(sqlite3 "$db" "PRAGMA integrity_check; PRAGMA foreign_key_check")" ok \
    "$what: the file is whole"
! "$chorale" status "$db" | grep -q 'retry-failed'
ok $? "$what: then there is nothing to try again"
campaign "dies once" 2 8 FAULT=die AFTER=10 ONCE="$work/died"
good 1
campaign "hangs while timed" 2 8 FAULT=hang AFTER=10
bad 'hang: silent for 10 s' 2
campaign "hangs once" 1 8 FAULT=hang AFTER=1 ONCE="$work/hung"
good 1

campaign "hangs in MPI_Finalize" 2 8 FAULT=final
good 0
campaign "dies in MPI_Finalize" 2 8 FAULT=fallen FAULTY=0
good 0
sleep 0.3
! pgrep -f "chorale-runner.*$work" >/dev/null 2>&1
ok $? "no runner is left behind"
"$chorale" decide "$db" -q
ok $? "what was stored is decided upon"
finish
