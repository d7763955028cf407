#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Interrupted jobs of a campaign: a user cancels one, an administrator takes a
# node away, the time limit expires, all processes are killed. The point being
# measured is completed first; if that takes too long, it is given up. A later
# attempt or submission measures only what is missing.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
kill_wait=600 # a busy element publishes before Slurm kills it
cluster_begin

db=$work/results.db
printf '%s\n' 'mpi = pmi2' 'bind = no' "prologue = $work/prologue.sh" \
    >"$work/site.txt"
sizes=16K,32K,64K,128K
submit() {
    on_head timeout 1200 "$chorale" submit "$db" -c bcast -m "$sizes" \
        -P 4 --ppn 1 --launches 1 --providers chorale,library \
        --variants linear -i 4096 --width 0.01% --cell-time 3 \
        --site "$work/site.txt" --partition main --time 10m "$@"
}
runs_in() {
    sqlite3 -readonly "$1" "SELECT count(*) FROM run" 2>/dev/null || echo 0
}
measuring() { # folder, n: its element has stored more than n runs
    [ -f "$1/work-1.db" ] && [ "$(runs_in "$1/work-1.db")" -gt "$2" ]
}
job_of() { sqlite3 -cmd '.timeout 60000' "$db" "SELECT job_id FROM element
    WHERE submission_id = $1"; }

# --- cancelled --------------------------------------------------------------
# A point has two cells of three seconds.
submit -q
ok $? "submit succeeds"
first=$work/results-slurm/1
wait_until measuring "$first" 0
ok $? "the element stores runs"
stored=$(runs_in "$first/work-1.db")
on_head scancel "$(job_of 1)"
ok $? "the element is cancelled in mid-point, with $stored runs stored"
wait_until test -f "$first/gather.txt"
ok $? "the last job comes all the same"
like "$(cat "$first/gather.txt")" '^75 .*runs? (is|are) missing' \
    "its result states that runs are missing"
like "$(cat "$first/element-1.txt")" 'stopped by Slurm' "the element says why"
completed() { [ -z "$(on_head squeue -h -t CG)" ]; }
wait_until completed
like "$(on_head squeue -h)" '^$' "it has not come back"
had=$(runs_in "$db")
[ "$had" -ge $((stored + 2)) ]
ok $? "both cells of the point being measured are stored: $had runs"
point() { # the last one: its runs and their stop reasons
    sqlite3 "$1" "SELECT DISTINCT status || ' ' || stop_reason || ' ' ||
        (sum(NOT flags & 2) = nrep AND nrep BETWEEN 3 AND 4095)
        || ' ' || reason
        FROM (SELECT run_id, run.status, stop_reason, launch.reason FROM run
            JOIN launch USING (launch_id) ORDER BY run_id DESC LIMIT 2)
        JOIN sample USING (run_id) JOIN run_summary USING (run_id)
        GROUP BY run_id"
}
is "$(point "$db")" "ok time 1 stopped" \
    "their runs end with the samples measured so far"
diag "$(sqlite3 "$db" "SELECT run_id, nrep, count(*), sum(flags & 2) / 2
    FROM run_summary JOIN sample USING (run_id) GROUP BY run_id")"
planned=$(sqlite3 "$db" 'SELECT sum(launches) FROM cell')
[ "$had" -gt 0 ] && [ "$had" -lt "$planned" ]
ok $? "the measured runs are merged: $had of $planned"

# --- what is missing, and a node is lost -------------------------------------
submit --wait >"$work/wait.txt" 2>&1 &
waiting=$!
second=$work/results-slurm/2
listed() { [ -f "$second/gather.sh" ]; }
wait_until listed
is "$(sqlite3 -cmd '.timeout 60000' "$db" "SELECT count(*) FROM element
    WHERE submission_id = 2")" 1 "the same command submits one element"
running() { grep -q '^running' "$second/element-1.txt" &&
    on_head squeue -h -t R -o %F | grep -qx "$(job_of 2)"; }
wait_until running
ok $? "the element runs"
on_head scontrol update nodename=n3 state=down reason=test
ok $? "one of its nodes is taken away"
gone() { on_head squeue -h -t PD -o %F | grep -qx "$(job_of 2)"; }
wait_until gone
ok $? "the element is requeued"
# Its slurmd may have resumed the node already.
on_head scontrol update nodename=n3 state=resume 2>/dev/null
wait "$waiting"
is $? 0 "after the node comes back, submit --wait exits with 0"
diag "$(cat "$work/wait.txt" "$second/element-1.txt")"
is "$(cat "$second/gather.txt")" "0 complete" "the last job finds all runs"
is "$(sqlite3 "$db" "SELECT count(DISTINCT cell_id) || ' ' || count(*)
    FROM run WHERE status <> 'failed'")" "$planned $planned" \
        "each cell has one run"
like "$(cat "$second/element-1.txt")" '^done attempt 2 ' \
    "the element took two attempts"
is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN launch USING (launch_id)
    WHERE job_id LIKE '$(job_of 1)%'")" "$had" \
    "the runs of the cancelled job are not repeated"

# --- the time limit -----------------------------------------------------------
# Slurm warns an element a minute before its limit. A point takes up to twenty
# minutes, so each attempt is warned in the middle of one.
db=$work/limit.db
on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 1M,4M -P 4 --ppn 1 \
    --launches 1 --providers chorale,library --variants linear -i 4096 \
    --min-iterations 5 --width 0.01% --cell-time 600 \
    --site "$work/site.txt" --partition main --time 50m -q
ok $? "submit with two points that take longer than the time limit"
limit=$work/limit-slurm/1
begun() { # folder: its runner has placed the ranks and measures points
    [ -n "$(sqlite3 -readonly "$1/work-1.db" \
        "SELECT 1 FROM launch WHERE host_map <> ''" 2>/dev/null)" ]
}
wait_until begun "$limit"
ok $? "the element measures its first point"
on_head scontrol update jobid="$(job_of 1)_0" EndTime=now+61
ok $? "the time limit is set to a minute from now"
requeued() { ! grep -q 'attempt 1 ' "$limit/element-1.txt" ||
    grep -q '^requeued attempt 1 done 2 of 4' "$limit/element-1.txt"; }
wait_until requeued
ok $? "the element ends its point, publishes it and requeues itself"
like "$("$chorale" status "$db" --jobs 2>&1)" " $(job_of 1)_0 .* 2 +4 " \
    "status shows its job with the runs of that point"
# The second attempt has the short limit too and is warned as well.
wait_until test -f "$limit/gather.txt"
is "$(cat "$limit/gather.txt" "$limit/element-1.txt")" "0 complete
done attempt 2 done 4 of 4" "the second attempt measures the other point"
is "$(sqlite3 "$db" "SELECT status || ' ' || stop_reason || ' ' ||
    (nrep BETWEEN 5 AND 4095), count(*), count(DISTINCT cell_id),
    count(DISTINCT launch_id) FROM run JOIN run_summary USING (run_id)
    GROUP BY 1")" "ok time 1|4|4|2" \
    "each cell has one run, with the samples measured before the warning"

# --- a point that cannot be completed in time --------------------------------
# The element reads KillWait at submission. Afterwards Slurm's KillWait is
# raised so that Slurm does not kill a slow element while it publishes.
sed -i 's/^KillWait=.*/KillWait=8/' "$SLURM_CONF"
on_head scontrol reconfigure
long() {
    on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 16M -P 4 \
        --ppn 1 --launches 1 --providers chorale,library --variants linear \
        -i 4096 --min-iterations 4096 --width 0.01% --cell-time 600 \
        --site "$work/site.txt" --partition main --time 50m -q
}
db=$work/long.db
long
ok $? "submit with a point of 4096 long repetitions"
long=$work/long-slurm/1
grep -q -- '--kill-wait 8 ' "$long"/4x1-*.sh
ok $? "the script has Slurm's KillWait at submission"
sed -i 's/^KillWait=.*/KillWait=600/' "$SLURM_CONF"
on_head scontrol reconfigure
wait_until begun "$long"
ok $? "the element measures the point"
on_head scancel "$(job_of 1)"
wait_until test -f "$long/gather.txt"
like "$(cat "$long/element-1.txt")" '^ended .*done 0 of 2: stopped by Slurm' \
    "the cancelled element gives up the point"
is "$(runs_in "$db") $(sqlite3 "$db" 'SELECT status, reason FROM launch')" \
    "0 failed|stopped" "the last job merges its launch without runs"

# --- all processes of a job are killed ----------------------------------------
# As when memory runs out: the job is FAILED, and Slurm does not requeue it.
sed -i 's/^KillWait=.*/KillWait=8/' "$SLURM_CONF" # it also delays the last job
on_head scontrol reconfigure
# Many points, so that the signal comes before the last one.
sizes=16K,32K,64K,128K,256K,512K,1M,2M
db=$work/killed.db
submit -q
ok $? "submit with points of six seconds"
killed=$work/killed-slurm/1
published() { [ "$(runs_in "$killed/shard-1.db")" -gt 0 ]; }
wait_until published
had=$(runs_in "$killed/shard-1.db")
on_head scancel --full -s KILL "$(job_of 1)"
ok $? "all processes are killed, with $had of 16 runs published"
wait_until test -f "$killed/gather.txt"
like "$(cat "$killed/gather.txt")" '^75 .*runs? (is|are) missing' \
    "the last job comes all the same and reports missing runs"
[ "$(runs_in "$db")" -ge "$had" ]
ok $? "it merges the published runs"

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
