#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Faults of a campaign's jobs: a rank is killed, a job with higher priority
# preempts, slurmd is killed, a node dies, the disk of the shards is full. No
# stored point is lost. The same command then submits only what is missing.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

# A small disk, mounted before the nodes exist so that every node sees it.
small=$work/small
mkdir "$small"
mount -t tmpfs -o size=1M tmpfs "$small" ||
    skip_all "no file system can be mounted here"
trap 'cluster_down; umount -l "$small"; rm -rf "$work"' EXIT
cluster_begin

db=$work/results.db
printf '%s\n' 'mpi = pmi2' 'bind = no' "prologue = $work/prologue.sh" \
    'partition = main' >"$work/site.txt"
# A point has two cells, each measured for at least a second.
submit() { # sizes, further options
    sizes=$1
    shift
    on_head timeout 1200 "$chorale" submit "$db" -c bcast -m "$sizes" -P 4 \
        --ppn 1 --launches 1 --providers chorale,library --variants linear \
        -i 4096 --min-iterations 4096 --width 0.01% --cell-time 1 \
        --site "$work/site.txt" --time 10m "$@"
}
query() { # database, SQL
    sqlite3 -readonly -cmd '.timeout 60000' "$1" "$2" 2>/dev/null
}
runs_in() { query "$1" 'SELECT count(*) FROM run' || echo 0; }
more_than() { [ "$(runs_in "$1")" -gt "$2" ]; } # database, runs
ranks_of() { # node
    for pid in $(ip netns pids "$prefix-$1"); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = chorale-runner ] &&
            echo "$pid"
    done
}
daemon_of() { # node: its slurmd, without slurmd's children
    for pid in $(ip netns pids "$prefix-$1"); do
        [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = slurmd ] && echo "$pid"
    done
}
kept() { # database, runs before, what
    now=$(runs_in "$1")
    [ "$now" -ge "$2" ]
    ok $? "$3: the $2 stored runs are kept (now $now)"
}

folder=$work/results-slurm/1
shard=$folder/work-1.db
submit 1K:128K -q
ok $? "submit succeeds"
attempt() { grep -q "attempt $1 " "$folder/element-1.txt"; }
launches() { [ "$(query "$shard" 'SELECT count(*) FROM launch')" -ge "$1" ]; }

# --- a rank is killed -------------------------------------------------------
wait_until more_than "$shard" 1
ok $? "the element measures"
before=$(runs_in "$shard")
kill -9 "$(ranks_of n3 | tail -n 1)"
ok $? "a rank is killed"
wait_until launches 2
ok $? "the element begins another launch in the same attempt"
kept "$shard" "$before" "a killed rank"
like "$(query "$shard" 'SELECT reason FROM launch WHERE launch_id = 1')" \
    'Killed' "the launch has the reason"

# --- preemption ------------------------------------------------------------
wait_until more_than "$shard" "$before"
before=$(runs_in "$shard")
on_head sbatch -p urgent -N 4 --exclusive -o "$work/doctor.txt" \
    --wrap "$chorale doctor" >/dev/null
ok $? "a job with higher priority is submitted"
wait_until attempt 2
ok $? "the element is preempted and requeued"
kept "$folder/shard-1.db" "$before" "preemption"
like "$(cat "$work/doctor.txt")" "srun --mpi=pmi2 starts ranks" \
    "the preempting job, doctor, finds that srun starts ranks by pmi2"
like "$(cat "$work/doctor.txt")" "starts ranks: 'launcher = mpiexec'" \
    "the preempting job, doctor, finds that mpiexec starts ranks"

# --- slurmd is killed, and comes back ---------------------------------------
# Not while it starts the ranks: srun may then wait for more than a minute. The
# point under way at the preemption has been stored since, so count from the
# runs of this attempt.
before=$(runs_in "$shard")
wait_until more_than "$shard" "$before"
ok $? "the element stores runs again"
daemon_of n3 | xargs kill -9
ok $? "slurmd of a node is killed"
before=$(runs_in "$shard")
wait_until more_than "$shard" "$before"
ok $? "the element stores further runs without slurmd"
start_node n3
attempt 2
ok $? "the attempt is still the same"

# --- a node dies -------------------------------------------------------------
before=$(runs_in "$shard")
# shellcheck disable=SC2046
kill -9 $(ip netns pids "$prefix-n1")
ok $? "the node of the batch script loses all its processes"
sleep 1
start_node n1
# slurmctld asks a registering node for its jobs, but not for recent ones.
for i in $(seq 20); do
    (wait_limit=25 && wait_until attempt 3) && break
    daemon_of n1 | xargs -r kill
    sleep 1
    start_node n1
done
attempt 3
ok $? "the node comes back, and the element is requeued"
kept "$folder/shard-1.db" "$before" "a dead node"
wait_until test -f "$folder/gather.txt"
is "$(cat "$folder/gather.txt")" "0 complete" "the last job finds all runs"
complete() { # name: each planned cell has one valid run
    is "$(query "$db" "SELECT count(DISTINCT cell_id) || ' ' || count(*) || ' '
        || sum(status = 'ok') FROM run")" \
        "$(query "$db" "SELECT count(*) || ' ' || count(*) || ' ' || count(*)
            FROM cell")" "$1"
}
complete "each cell has one run, and no run failed"

# --- the nodes of each launch were compared ---------------------------------
is "$(query "$db" "SELECT min(n) || ' ' || max(n) FROM (SELECT count(*) AS n
    FROM environment WHERE key IN ('preflight_s', 'copy_bytes_per_s',
    'next_node_s', 'next_node_bytes_per_s')
    OR key LIKE 'host:_:copy_bytes_per_s' OR key LIKE 'host:_:next_node_s'
    OR key LIKE 'host:_:next_node_bytes_per_s' GROUP BY launch_id)")" "13 13" \
    "each launch stores copy speeds, next-node messages and preflight time"
diag "$(query "$db" "SELECT key, value FROM environment WHERE launch_id = 1
    AND (key LIKE '%copy_bytes%' OR key LIKE '%next_node%'
    OR key IN ('preflight_s', 'stragglers'))")"
is "$(query "$db" "SELECT count(*) FROM run WHERE
    (validity LIKE '%straggler%') <> (launch_id IN (SELECT launch_id
    FROM environment WHERE key = 'stragglers'))")" 0 \
    "runs are tagged exactly in launches with a straggler"

# --- the disk is full -------------------------------------------------------
sizes=128K:1M
folder=$work/results-slurm/2
submit $sizes -q --shards "$small"
ok $? "more sizes are submitted, with shards on a small disk"
# The node's shard file is named after the submission.
on_small() { shard=$(ls "$small"/chorale-*.db 2>/dev/null) && [ -n "$shard" ]; }
wait_until on_small
first=$(runs_in "$shard")
wait_until more_than "$shard" "$first"
ok $? "its element has measured a point"
before=$(runs_in "$shard")
dd if=/dev/zero of="$small/full" bs=1k 2>/dev/null
[ "$(df --output=avail "$small" | tail -n 1)" -eq 0 ]
ok $? "the disk is full"
wait_until test -f "$folder/gather.txt"
like "$(cat "$folder/gather.txt")" '^75 .*runs? (is|are) missing' \
    "the last job reports missing runs"
like "$(cat "$folder/element-1.txt")" '^failed .*(full|No space)' \
    "the element reports the full disk"
kept "$db" "$((before - first + 14))" "a full disk"
rm "$small/full"
missing=$(query "$db" 'SELECT sum(planned - done) FROM v_progress')
submit $sizes -q
ok $? "the same command without that disk succeeds"
folder=$work/results-slurm/3
is "$(query "$folder/plan.db" "SELECT count(*) FROM element_launch")" 1 \
    "it submits only the incomplete launch"
wait_until test -f "$folder/gather.txt"
is "$(cat "$folder/gather.txt")" "0 complete" "the last job finds all runs"
made=$(query "$db" "SELECT count(*) FROM run JOIN launch USING (launch_id)
    WHERE job_id LIKE (SELECT job_id FROM element WHERE submission_id = 3)
    || '%'")
is "$made" "$missing" "with the runs that were missing and no others"
complete "each cell has one run, and none has failed"
like "$(submit $sizes 2>&1)" 'no run is left' "submit finds no missing run"

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
