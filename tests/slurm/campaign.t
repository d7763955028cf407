#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A campaign as batch jobs of a real Slurm: submitted, told to end ahead of its
# limit and requeued, a node lost in the middle, cancelled and submitted again;
# then merged and made a table, with MPICH across the nodes.
# Each node has a /dev/shm of its own: nothing that they share may lie there.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
cluster_begin

db=$work/results.db
cat >"$work/site.txt" <<EOF
# The nodes share a machine, whose processors are claimed several times.
partition = main
bind = no
prologue = $work/prologue.sh
EOF
plan="-c bcast -m 8K:256K -P 2,8 --ppn 2 --launches 2 -i 4096 --width 0.01%"
plan="$plan --cell-time 0.75 --one-launch-per-p"
submit() { # further options
    # shellcheck disable=SC2086
    on_head timeout 1200 "$chorale" submit "$db" $plan --site "$work/site.txt" \
        --time 2m "$@"
}
jobs_of() { sqlite3 "$db" "SELECT DISTINCT job_id FROM element
    WHERE submission_id = $1 AND job_id <> ''"; }
queue() { on_head timeout 20 squeue -h -r -o "$1"; }

# --- before anything is submitted ------------------------------------------
out=$(submit --dry-run 2>"$work/err.txt")
is $? 0 "--dry-run"
like "$out" '^#SBATCH --array=0-1$' "it shows an array of two"
like "$out" '^#SBATCH --nodes=4$' "of four nodes"
[ ! -e "$work/results-slurm" ] && [ ! -e "$db" ] && [ -z "$(queue %A)" ]
ok $? "and makes, writes and submits nothing"
grep -v '^bind' "$work/site.txt" >"$work/bound.txt"
# shellcheck disable=SC2086
err=$(on_head timeout 1200 "$chorale" submit "$db" $plan --site \
    "$work/bound.txt" 2>&1)
is $? 3 "a Slurm that cannot bind ranks is refused"
like "$err" 'cannot bind ranks.*bind = no' "and it says how to do without"

# --- submit ----------------------------------------------------------------
submit >"$work/out.txt" 2>"$work/err.txt"
is $? 0 "submit"
diag "$(cat "$work/out.txt" "$work/err.txt")"
folder=$work/results-slurm/1
is "$(jobs_of 1 | wc -l)" 3 \
    "three arrays, two of one node, whose ids are in the database"
is "$(sqlite3 "$db" "SELECT count(*), max(task) FROM element")" "4|1" \
    "each launch of a cell is in an element of its own"
gather=$(sqlite3 "$db" 'SELECT gather_job FROM submission')
like "$(on_head scontrol show job "$gather")" 'Dependency=afterany:' \
    "the last job waits for the end of the others"
like "$(submit 2>&1)" 'nothing is missing that is not in the queue' \
    "the same again submits nothing"

# --- the time limit: told to end, requeued, goes on -------------------------
wide=$(sqlite3 "$db" 'SELECT job_id FROM element WHERE nodes = 4 LIMIT 1')
runs_in() {
    sqlite3 -readonly "$1" "SELECT count(*) FROM run" 2>/dev/null || echo 0
}
measuring() { # it has stored some runs, and not all
    for element in $(sqlite3 "$db" 'SELECT element FROM element
        WHERE nodes = 4'); do
        [ -f "$folder/work-$element.db" ] &&
            [ "$(runs_in "$folder/work-$element.db")" -ge 1 ] &&
            is_running "$wide" && return 0
    done
    return 1
}
is_running() { queue '%F %t' | grep -qx "$1 R"; }
wait_until measuring
ok $? "an element on four nodes measures"
[ "$tap_bad" = 0 ] || diag "$(tail -n 4 "$folder"/*.log; queue '%F %K %t %r')"
task=$((element - $(sqlite3 "$db" 'SELECT min(element) FROM element
    WHERE nodes = 4')))
diag "element $element: $(runs_in "$folder/work-$element.db") runs"
on_head scontrol update jobid="${wide}_$task" EndTime=now+45
ok $? "its time limit moves to 45 s from now"
requeued() { grep -q '^requeued' "$folder/element-$element.txt"; }
again() { grep -q 'attempt 2' "$folder/element-$element.txt"; }
wait_until requeued
ok $? "ahead of it the element publishes and requeues itself"
diag "$(cat "$folder/element-$element.txt")"
before=$(runs_in "$folder/shard-$element.db")
[ "$before" -ge 1 ]
ok $? "what it measured is in its shard: $before runs"
status=$("$chorale" status "$db" --jobs 2>&1)
like "$status" "${wide}_$task" "status shows its job"
wait_until again
ok $? "it runs again"
diag "$(on_head timeout 30 "$chorale" status "$db" --jobs 2>&1)"

# --- the last job ----------------------------------------------------------
wait_until test -f "$folder/gather.txt"
ok $? "the last job runs"
is "$(cat "$folder/gather.txt" 2>/dev/null)" "0 complete" "all is there"
is "$(sqlite3 "$db" "SELECT sum(planned), sum(done), sum(failed)
    FROM v_progress")" "$(sqlite3 "$db" "SELECT sum(launches), sum(launches), 0
    FROM cell")" "every cell has run in every launch"
is "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT 1 FROM run
    JOIN launch USING (launch_id) GROUP BY cell_id, ordinal
    HAVING count(*) > 1)")" 0 "and in none twice"
# On a busy machine the other one is too slow for its limit as well.
[ "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT ordinal FROM launch
    JOIN run USING (launch_id) WHERE comm_size = 8 GROUP BY ordinal
    HAVING count(DISTINCT launch_id) > 1)")" -ge 1 ]
ok $? "the requeued one went on with the cells that were missing"
[ "$(cat "$folder"/element-*.txt | grep -c '^done')" = 4 ]
ok $? "each element has ended by itself"
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT host_map) FROM launch
    WHERE comm_size = 8")" "0,0,1,1,2,2,3,3" "two ranks on each of four nodes"
is "$(sqlite3 "$db" 'SELECT name FROM system')" testbed-main \
    "the system is named for cluster and partition"
[ "$(sqlite3 "$db" 'SELECT count(*) FROM decision')" -gt 0 ]
ok $? "it is decided"
"$CC" -std=c99 -Wall -Wextra -Werror -c -o "$work/table.o" \
    "$work/results-dispatch.c"
ok $? "the table compiles"
[ -s "$work/results-summary.md" ]
ok $? "there is a summary"
diag "$(cat "$work/results-summary.md")"
like "$("$chorale" status "$db" --jobs)" 'complete; done' \
    "status says that they are complete"
like "$(submit 2>&1)" 'nothing is missing' "submit has nothing left to do"

# --- it leaves nothing -----------------------------------------------------
cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
ls -d /etc/netns/"$prefix"* >/dev/null 2>&1
[ $? -ne 0 ]
ok $? "nor a file in /etc/netns"

finish
