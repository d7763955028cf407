#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a batch system may do to a campaign beside ending it in time: a user
# cancels it, and the same command submits what is missing; the administrator
# takes a node away, and the element goes on with what it had published. The
# point under way comes to its end first, unless that takes too long: then what
# it had counts.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
kill_wait=30 # Slurm's default
cluster_begin

db=$work/results.db
printf '%s\n' 'mpi = pmi2' 'bind = no' "prologue = $work/prologue.sh" \
    >"$work/site.txt"
submit() {
    on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 16K,32K,64K,128K \
        -P 8 --ppn 2 --launches 1 --providers chorale,library \
        --variants linear -i 4096 --width 0.01% --cell-time 2 \
        --site "$work/site.txt" --partition main --time 10m "$@"
}
runs_in() {
    sqlite3 -readonly "$1" "SELECT count(*) FROM run" 2>/dev/null || echo 0
}
measuring() { # folder: its element has stored some runs
    [ -f "$1/work-1.db" ] && [ "$(runs_in "$1/work-1.db")" -gt "$2" ]
}
job_of() { sqlite3 -cmd '.timeout 9000' "$db" "SELECT job_id FROM element
    WHERE submission_id = $1"; }

# --- cancelled --------------------------------------------------------------
# A point is two cells of two seconds: it is in the middle of one.
submit -q
ok $? "submit"
first=$work/results-slurm/1
wait_until measuring "$first" 0
ok $? "an element measures"
stored=$(runs_in "$first/work-1.db")
sleep 0.7
on_head scancel "$(job_of 1)"
ok $? "it is cancelled in mid-point, with $stored runs stored"
wait_until test -f "$first/gather.txt"
ok $? "the last job comes all the same"
like "$(cat "$first/gather.txt")" '^75 .*runs are missing' "and says so"
like "$(cat "$first/element-1.txt")" 'told to end' "the element says why"
like "$(on_head squeue -h)" '^$' "it has not come back"
had=$(runs_in "$db")
is "$had" $((stored + 2)) "the point under way is there whole"
point() { # the last one: its runs, each with all its samples
    sqlite3 "$1" "SELECT DISTINCT status || ' ' || stop_reason || ' ' ||
        (count(*) = nrep AND nrep BETWEEN 3 AND 4095) || ' ' || reason
        FROM (SELECT run_id, run.status, stop_reason, launch.reason FROM run
            JOIN launch USING (launch_id) ORDER BY run_id DESC LIMIT 2)
        JOIN sample USING (run_id) JOIN run_summary USING (run_id)
        GROUP BY run_id"
}
is "$(point "$db")" "ok time 1 stopped" "with the repetitions that it had"
planned=$(sqlite3 "$db" 'SELECT sum(launches) FROM cell')
[ "$had" -gt 0 ] && [ "$had" -lt "$planned" ]
ok $? "what it measured is merged: $had of $planned runs"

# --- what is missing, and a node is lost -------------------------------------
submit --wait >"$work/wait.txt" 2>&1 &
waiting=$!
second=$work/results-slurm/2
listed() { [ -f "$second/gather.sh" ]; }
wait_until listed
is "$(sqlite3 -cmd '.timeout 9000' "$db" "SELECT count(*) FROM element
    WHERE submission_id = 2")" 1 "the same command submits one element"
running() { grep -q '^running' "$second/element-1.txt" &&
    on_head squeue -h -t R -o %F | grep -qx "$(job_of 2)"; }
wait_until running
ok $? "which runs"
is "$(runs_in "$second/shard-1.db")" "$had" "and begins with what there was"
on_head scontrol update nodename=n3 state=down reason=test
ok $? "one of its nodes is taken away"
gone() { on_head squeue -h -t PD -o %F | grep -qx "$(job_of 2)"; }
wait_until gone
ok $? "it is in the queue again"
# Its slurmd may have brought it back already.
on_head scontrol update nodename=n3 state=resume 2>/dev/null
wait "$waiting"
is $? 0 "the node comes back, and submit --wait ends with 0"
diag "$(cat "$work/wait.txt" "$second/element-1.txt")"
is "$(cat "$second/gather.txt")" "0 complete" "all is there"
is "$(sqlite3 "$db" "SELECT count(DISTINCT cell_id) || ' ' || count(*)
    FROM run WHERE status <> 'failed'")" "$planned $planned" "once each"
like "$(cat "$second/element-1.txt")" '^done attempt 2 ' "in two attempts"
is "$(sqlite3 "$db" "SELECT count(*) FROM run JOIN launch USING (launch_id)
    WHERE job_id LIKE '$(job_of 1)%'")" "$had" \
    "what the cancelled one had measured was not made again"

# --- a point that does not come to its end -----------------------------------
# The first point is soon through, the second one goes on for far longer.
sed -i 's/^KillWait=.*/KillWait=8/' "$SLURM_CONF"
on_head scontrol reconfigure
db=$work/long.db
on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 8,8M -P 8 --ppn 2 \
    --launches 1 --providers chorale,library --variants linear -i 60 \
    --min-iterations 60 --width 0.01% --cell-time 60 \
    --site "$work/site.txt" --partition main --time 10m -q
ok $? "submit, with points of which one is long"
long=$work/long-slurm/1
grep -q -- '--kill-wait 8 ' "$long"/4x2-*.sh
ok $? "its script knows how long Slurm waits now"
wait_until measuring "$long" 0
ok $? "it has measured the short one"
cut="$long/shard-1.db-tail-cut"
wait_until test -s "$cut"
ok $? "of the long one something is kept"
began=$(date +%s)
on_head scancel "$(job_of 1)"
ended() { ! grep -q '^running' "$long/element-1.txt"; }
wait_until ended
took=$(($(date +%s) - began))
[ "$took" -le 8 ]
ok $? "cancelled, it gives the long one up before it is killed ($took s)"
like "$(cat "$long/element-1.txt")" 'done 4 of 4' "with what that had"
is "$(sqlite3 "$long/shard-1.db" "PRAGMA integrity_check; SELECT msg_size,
    run.status, count(DISTINCT run_id), count(*) FROM run JOIN cell
    USING (cell_id) JOIN sample USING (run_id) WHERE msg_size = 8")" \
    "ok
8|ok|2|120" "its shard is whole, with all of the short one"
is "$(sqlite3 "$long/shard-1.db" "SELECT status || ' ' || stop_reason || ' ' ||
    (nrep BETWEEN 3 AND 59 AND nrep = (SELECT count(*) FROM sample p
        WHERE p.run_id = r.run_id)) FROM run r JOIN cell USING (cell_id)
    JOIN run_summary USING (run_id) WHERE msg_size > 8")" "ok time 1
ok time 1" "and what there was of the long one"
[ ! -e "$cut" ]
ok $? "and no other file"

# --- all of a job is killed, and nobody comes after it ------------------------
# As where memory runs out: its state is FAILED, and Slurm does not requeue it.
db=$work/killed.db
on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 8M -P 8 --ppn 2 \
    --launches 1 --providers chorale,library --variants linear -i 60 \
    --min-iterations 60 --width 0.01% --cell-time 60 \
    --site "$work/site.txt" --partition main --time 10m -q
ok $? "submit, with one long point"
killed=$work/killed-slurm/1
cut="$killed/shard-1.db-tail-cut"
wait_until test -s "$cut"
ok $? "something of it is kept"
on_head scancel --full -s KILL "$(job_of 1)"
verdict() { [ -s "$killed/gather.txt" ]; }
wait_until verdict
ok $? "it is killed, and the last job comes"
is "$(cat "$killed/gather.txt")" "0 complete" "nothing is missing"
is "$(sqlite3 "$db" "SELECT status || ' ' || stop_reason || ' ' ||
    (nrep BETWEEN 1 AND 59 AND nrep = (SELECT count(*) FROM sample p
        WHERE p.run_id = r.run_id)) FROM run r JOIN run_summary
    USING (run_id)")" "ok time 1
ok time 1" "as what the point had counts"

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
