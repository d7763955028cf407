#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A launch is killed with SIGKILL in the middle of a long point: what its cells
# had by then is kept and counts, once each, also where the disk that was
# measured on is lost, and of groups that measure at once. What is torn is no
# run. Where a rank is killed, and `run` lives on, all cells but one keep theirs.
# So they do where they have not all been called yet.
. "$(dirname "$0")/../../lib.sh"
. "$here/../kill.sh"

case $("$top_builddir/chorale-runner" --probe | head -1) in
*MPICH*) ;;
*) skip_all "the runner is built with another MPI" ;;
esac

CHORALE_MPIEXEC=$MPIEXEC
export CHORALE_MPIEXEC
# A point of two cells, each of which goes on for its time.
planned() { # database, options...
    name=$work/$1.db
    shift
    "$chorale" plan "$name" -q --providers chorale,library \
        --variants "${variants-linear}" --launches 1 -i 4096 \
        --min-iterations 4096 --width 0.001% "$@"
}
has() { # database, what is selected
    sqlite3 -cmd '.timeout 9000' "$work/$1.db" "SELECT $2"
}
shorter() { # database: what is measured from here on takes no time
    sqlite3 -cmd '.timeout 9000' "$work/$1.db" \
        'UPDATE campaign SET cell_seconds = 0.1, nrep_min = 3'
}
# A command is killed with all that it started as soon as a file is there.
killed_at() { # file, command...
    file=$1
    shift
    "$@" >/dev/null 2>"$work/err.txt" &
    pid=$!
    while ! ended $pid; do
        sleep 0.05
        [ -s "$file" ] || continue
        stop_tree $pid
        # Where clocks fail a point begins again, without the file.
        [ -s "$file" ] && break
        # shellcheck disable=SC2086
        kill -CONT $tree 2>/dev/null
    done
    kill_tree $pid
}
# Runs of a database that were cut: as they should be.
cut_runs() { # database
    has "$1" "count(*) FROM run r JOIN run_summary s USING (run_id)
        JOIN environment e ON e.launch_id = r.launch_id AND e.key = 'killed_at'
        WHERE r.status = 'ok' AND stop_reason = 'time' AND s.median > 0
        AND s.nrep BETWEEN ${least-3} AND 4095 AND s.nrep =
            (SELECT count(*) FROM sample p WHERE p.run_id = r.run_id)
        AND NOT EXISTS (SELECT 1 FROM counter u WHERE u.run_id = r.run_id
            AND u.value IS NOT NULL)"
}
once() { # database, name: all that is planned is there, once
    is "$(has "$1" "sum(planned) - sum(done) FROM v_progress")" 0 \
        "$2: all is measured"
    # The library comes along where some of a point is measured again.
    is "$(has "$1" "count(*) - count(DISTINCT cell_id || ' ' || ordinal)
        FROM run JOIN launch USING (launch_id) JOIN cell USING (cell_id)
        WHERE provider = 'chorale'")" 0 "$2: and nothing twice"
    is "$(sqlite3 "$work/$1.db" 'PRAGMA integrity_check;
        PRAGMA foreign_key_check')" ok "$2: the file is whole"
    is "$(find "$work" -name "${3-$1}.db-*" | wc -l)" 0 \
        "$2: no other file is left"
}

# --- one launch ---------------------------------------------------------------
planned one -c reduce -P 2 -m 16M --cell-time 60
ok $? "a plan of a long point"
killed_at "$work/one.db-tail-cut" timeout 900 "$chorale" run "$work/one.db" -q
is "$(has one 'count(*) FROM run')" 0 "killed in it: no run is stored"
cp "$work/one.db" "$work/torn.db"
head -c 2000 "$work/one.db-tail-cut" >"$work/torn.db-tail-cut"
cp "$work/one.db-tail-cut" "$work/whole"
timeout 900 "$chorale" merge "$work/merged.db" "$work/one.db" -q
is "$? $(has merged 'count(*) FROM run')" "0 0" \
    "who merges it does not take a part for the whole"
timeout 900 "$chorale" run "$work/one.db" -q
is $? 0 "the same command goes on"
is "$(cut_runs one)" 2 "what both cells had is kept"
is "$(has one "group_concat(value) FROM environment
    WHERE key = 'killed_at'")" \
    "reduce of 16777216 bytes; what it had of it is kept" "the launch says so"
is "$(has one 'count(*) FROM launch')" 1 "and nothing is left to start for"
once one one
cp "$work/whole" "$work/one.db-tail-cut"
timeout 900 "$chorale" run "$work/one.db" -q
is "$? $(has one 'count(*) FROM run')" "0 2" "what is there is not added again"
timeout 900 "$chorale" decide "$work/one.db" -q >/dev/null
ok $? "it decides by them"

shorter torn
timeout 900 "$chorale" run "$work/torn.db" -q
is "$? $(has torn 'count(*) FROM launch') $(cut_runs torn)" "0 2 0" \
    "what is torn is measured again"
once torn torn

# --- in its first round -----------------------------------------------------------
# Calls that take long: the others have not been called yet.
long_calls() { # database, options...
    db=$1
    shift
    variants=linear,recursive_doubling,ring,rabenseifner,circulant,bine_bw,swing_bw
    planned "$db" -c allreduce -P 2 -m "${sizes-64M}" --cell-time 0.05 "$@"
    unset variants
}
called() { # database: the id of the cell that its launch calls, as db/mark.h
    od -An -td8 "/dev/shm/chorale-$(has "$1" 'uuid FROM launch')" | tr -d ' '
}
begun() { # database
    killed_at "$work/$1.db-tail-cut" timeout 900 "$chorale" run "$work/$1.db" -q
    now=
    [ ! -d /dev/shm ] || now=$(called "$1")
    shorter "$1"
    timeout 900 "$chorale" run "$work/$1.db" -q
    is "$?" 0 "$1: the same command goes on"
    kept=$(least=1 cut_runs "$1")
    is "$((kept > 0)) $(has "$1" "max(nrep) FROM run_summary JOIN run
        USING (run_id) WHERE launch_id = (SELECT min(launch_id) FROM launch)")" \
        "1 1" "$1: what has been called once is kept: $kept"
    is "$(has "$1" 'count(*) FROM launch') $((kept < $(has "$1" \
        'count(*) FROM cell')))" "2 1" "$1: the others are measured"
    once "$1" "$1"
}
long_calls verified
begun verified
# A cell is called once before the next one is verified: in their order.
if [ "${now:--1}" -gt 0 ]; then
    [ $((now - 1 - kept)) -le 1 ]
    ok $? "verified: $kept of $((now - 1)) before the one that it called"
else
    skip "no /dev/shm, or between two calls" "which cell was being called"
fi
# The same where ranks come late.
long_calls late --arrival last:0.5
begun late
# All are verified, then called: the first round is kept in parts.
long_calls batch --batch 2
begun batch
# Nobody kills them: to the end, with several in a part, and all that end with it.
through() { # database, least and most repetitions, seconds, options...
    db=$1 few=$2 most=$3 seconds=$4
    shift 4
    sizes=8M,16M
    long_calls "$db" "$@"
    unset sizes
    has "$db" "1; UPDATE campaign SET nrep_min = $few, nrep_max = $most,
        cell_seconds = $seconds" >"$work/out.txt"
    timeout 900 "$chorale" run "$work/$db.db" -q 2>"$work/err.txt"
    is "$? $(cat "$work/err.txt") $(has "$db" "count(*) FROM run_summary
        WHERE nrep BETWEEN $few AND $most")" "0  16" "$db: all are timed"
    once "$db" "$db"
}
through single 1 1 0.05
through row 3 12 0.3 --sync window
through apart 3 12 0.3 --sync barrier

# --- on a machine that was busy -----------------------------------------------
# Messages were slow when they were measured: what is faster is not believed, so
# they are measured again.
if "$chorale" --version | grep -q 'sanitizer=no'; then
    "${MPICC:-mpicc.mpich}" -shared -fPIC -o "$work/faults.so" \
        "$top_srcdir/tests/cli/faults.c" -ldl || exit 99
    planned busy -c scan -P 2 -m 8M --cell-time 60
    killed_at "$work/busy.db-tail-cut" env FAULT=busy \
        LD_PRELOAD="$work/faults.so" timeout 900 "$chorale" run \
        "$work/busy.db" -q
    timeout 900 "$chorale" run "$work/busy.db" -q
    is "$? $(cut_runs busy)" "0 2" "busy: what both cells had is kept"
    once busy busy
    # They are slow, however often they are measured.
    planned slow -c scan -P 2 -m 8M --cell-time 60
    has slow "1; UPDATE campaign SET nrep_min = 8, nrep_max = 8" >"$work/out.txt"
    env FAULT=slow LD_PRELOAD="$work/faults.so" timeout 900 "$chorale" run \
        "$work/slow.db" -q
    is $? 0 "slow: it ends well"
    is "$(has slow "count(*) FROM run JOIN cell USING (cell_id)
        WHERE validity LIKE '%suspicious%' AND provider = 'library'")" 1 \
        "slow: the library is marked suspicious"
else
    skip "built with a sanitizer: nothing can be preloaded" "a busy machine"
fi

# --- measured again since -----------------------------------------------------
# A copy goes on without it, and meets it later.
planned later -c reduce -P 2 -m 16M --cell-time 60
killed_at "$work/later.db-tail-cut" timeout 900 "$chorale" run \
    "$work/later.db" -q
mv "$work/later.db-tail-cut" "$work/whole"
shorter later
timeout 900 "$chorale" run "$work/later.db" -q
cp "$work/whole" "$work/later.db-tail-cut"
timeout 900 "$chorale" run "$work/later.db" -q
is "$? $(has later 'count(*) FROM launch') $(has later "count(*)
    FROM environment WHERE key = 'killed_at'")" "0 2 0" \
    "what was measured again since is not added"
once later later
# One that failed by itself may have such a file from a rank that stayed.
sqlite3 "$work/later.db" "UPDATE launch SET status = 'failed', reason = 'fell';
    DELETE FROM sample; DELETE FROM counter; DELETE FROM run_summary;
    DELETE FROM run"
cp "$work/whole" "$work/later.db-tail-cut"
timeout 900 "$chorale" run "$work/later.db" -q
is "$? $(has later 'count(*) FROM run') $(has later "count(*)
    FROM environment WHERE key = 'killed_at'")" "0 2 0" \
    "nor to a launch that failed by itself"

# --- the disk that was measured on is lost -------------------------------------
bin=$work/bin
fake_slurm
PATH=$bin:$PATH
export PATH
printf '%s\n' 'launcher = mpiexec' 'bind = no' >"$work/site.txt"
timeout 900 "$chorale" submit "$work/lost.db" -q -c reduce -m 16M -P 2 --ppn 2 \
    --providers chorale,library --variants linear --launches 1 -i 4096 \
    --min-iterations 4096 --width 0.001% --cell-time 60 --site "$work/site.txt"
ok $? "submit"
folder=$work/lost-slurm/1
mkdir "$work/disk1" "$work/disk2"
killed_at "$folder/shard-1.db-tail-cut" timeout 900 "$chorale" job "$folder" \
    --element 1 --shards "$work/disk1"
rm -r "$work/disk1"
# Without another attempt, who knows that nobody measures takes it in: another
# submit, before it, and the last job.
shard=$folder/shard-1.db
timeout 900 "$chorale" merge "$work/gone.db" "$shard" -q
is "$? $(has gone 'count(*) FROM run')" "0 0" \
    "killed, its disk lost: who merges it takes no part for the whole"
timeout 900 "$chorale" merge "$work/gone.db" "$shard" -q --ended
is "$? $(cut_runs gone) $(has gone "group_concat(status || ' ' || reason)
    FROM launch")" "0 2 failed killed" "but --ended takes what there is"
cp "$work/lost.db" "$work/before.db"
again() {
    rm -f "$XDG_CACHE_HOME"/chorale/squeue-*.txt
    timeout 900 "$chorale" submit "$work/lost.db" -q -c reduce -m 16M -P 2 \
        --ppn 2 --providers chorale,library --variants linear --launches 1 \
        -i 4096 --min-iterations 4096 --width 0.001% --cell-time 60 \
        --site "$work/site.txt" >"$work/out.txt" 2>&1
    echo "$? $(ls -d "$work/lost-slurm/2" 2>/dev/null)"
}
printf '1 0 RUNNING None\n' >"$work/queue"
is "$(again) $(cut_runs lost)" "0  0" \
    "of an element in the queue submit takes no part for the whole"
: >"$work/queue"
is "$(again) $(cut_runs lost)" "0  2" \
    "of one that is not it takes it in, and submits nothing"
diag "$(cat "$work/out.txt")"
cp "$work/before.db" "$work/lost.db"
timeout 900 "$chorale" job "$folder" --gather "$work/lost.db" >"$work/out.txt" 2>&1
is "$? $(cut_runs lost)" "75 0" "who gathers by hand knows nothing of ends"
SLURM_JOB_ID=$(has lost 'gather_job FROM submission') timeout 900 "$chorale" \
    job "$folder" --gather "$work/lost.db" >"$work/out.txt" 2>&1
is "$? $(cut_runs lost) $(cat "$folder/gather.txt")" "0 2 0 complete" \
    "the job that gathers takes it in"
diag "$(cat "$work/out.txt")"
timeout 900 "$chorale" job "$folder" --element 1 --shards "$work/disk2" \
    >/dev/null 2>"$work/err.txt"
is $? 0 "killed, its disk lost: the attempt on another node goes on"
diag "$(cat "$work/err.txt")"
mv "$folder/shard-1.db" "$work/shard.db"
is "$(cut_runs shard)" 2 "with what the first one had of its point"
once shard lost shard-1

# --- groups -------------------------------------------------------------------
# Six ranks, two of them on each of three nodes that are made up.
skew=$top_builddir/tests/mpi/.libs/libskew.so
yield=$top_builddir/tests/mpi/.libs/libyield.so
if [ -r "$skew" ] && [ -r "$yield" ] &&
    "$chorale" --version | grep -q 'sanitizer=no'; then
    planned groups -c reduce -P 2,4,6 --ppn 2 -m 1M --system made --cell-time 3
    grouped() {
        CHORALE_NODE=2 LD_PRELOAD="$skew $yield" timeout 900 "$chorale" run \
            "$work/groups.db" -q
    }
    killed_at "$work/groups.db-tail-1-cut" env CHORALE_NODE=2 \
        LD_PRELOAD="$skew $yield" timeout 900 "$chorale" run "$work/groups.db" -q
    has groups "count(*) FROM run" >"$work/before"
    [ -s "$work/groups.db-tail-1-cut" ]
    ok $? "killed while another group than rank 0's is in a long point"
    shorter groups
    grouped 2>"$work/err.txt"
    is "$? $(cat "$work/err.txt")" "0 " "it goes on"
    n=$(cut_runs groups)
    [ "$n" -ge 2 ]
    ok $? "what the groups had is kept: $n runs beside $(cat "$work/before")"
    once groups groups
else
    skip "built without shared libraries or with a sanitizer" "groups"
fi

finish
