#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Nodes that differ: in processors, with disks of their own, and other nodes or
# another order of nodes in each launch. An administrator requeues a job in the
# middle of a point. The test cluster leaves nothing behind when its test fails
# or is stopped, and is not started on a machine that runs Slurm.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; rm -rf "$work"' EXIT
kill_wait=600 # a busy element publishes before Slurm kills it
# n2 reports another processor.
mkdir -p "$cluster"
sed 's/^\(model name[^:]*: \).*/\1Another Processor 9000/' /proc/cpuinfo \
    >"$cluster/cpuinfo.n2"
grep -q 'Another Processor' "$cluster/cpuinfo.n2" ||
    printf 'model name\t: Another Processor 9000\n' >>"$cluster/cpuinfo.n2"
cluster_begin

db=$work/results.db
printf '%s\n' 'mpi = pmi2' 'bind = no' "prologue = $work/prologue.sh" \
    'partition = main' >"$work/site.txt"
submit() { # options
    on_head timeout 1200 "$chorale" submit "$db" -c bcast --providers \
        chorale,library --variants linear --site "$work/site.txt" --time 5m "$@"
}
query() { # database, SQL
    sqlite3 -readonly -cmd '.timeout 60000' "$1" "$2" 2>/dev/null
}

# --- shards on disks of the nodes; an administrator requeues -----------------
# Each node has its own /dev/shm, which other nodes do not see.
submit -m 8,1M,2M,4M -P 3 --ppn 1 --launches 1 -i 4096 --min-iterations 20 \
    --width 0.01% --cell-time 8 --shards /dev/shm -q
ok $? "submit succeeds with shards on the nodes' disks"
folder=$work/results-slurm/1
element=$folder/element-1.txt
job=$(query "$db" 'SELECT job_id FROM element')
begun() { grep -q 'attempt 1 ' "$element"; }
wait_until begun
ok $? "the element runs"
on_disk() { # how many runs are stored on the disk of node n1
    for pid in $(ip netns pids "$prefix-n1"); do
        # shellcheck disable=SC2016
        nsenter -m -r -t "$pid" sh -c 'set -- /dev/shm/chorale-*-1.db &&
            sqlite3 -readonly -cmd ".timeout 60000" "$1" \
                "SELECT count(*) FROM run"' 2>/dev/null && return
    done
    echo 0
}
published() { query "$folder/shard-1.db" 'SELECT count(*) FROM run'; }
stored() { [ "$(on_disk)" -ge 1 ]; }
wait_until stored
ok $? "the element has stored a point on its node's disk"
first=$(on_disk)
all_seen() { [ "$(published)" -ge "$first" ]; }
wait_until all_seen
seen=$(published)
[ "$seen" -ge 1 ] && [ "$seen" -lt 8 ] && begun
ok $? "the point is published during the launch: $seen of 8 runs"
ls "$folder"/work-*.db >/dev/null 2>&1
[ $? -ne 0 ]
ok $? "the working file is not in the shared folder"
# The next attempt cannot read that disk, so only published runs survive. A
# large point takes 16 seconds: the element is in the middle of one, and
# completes it within KillWait.
before=$(on_disk)
on_head scontrol requeue "${job}_0"
ok $? "the job, with $before runs, is requeued in mid-point"
elsewhere() { on_head scontrol update jobid="${job}_0" excnodelist=n1; }
wait_until elsewhere
ok $? "the node with that disk is excluded"
again() { grep -q 'attempt 2 ' "$element"; }
wait_until again
ok $? "the job runs again"
after=$(published)
diag "$(cat "$element")"
[ "$after" -ge $((before + 2)) ]
ok $? "it has all runs of the other disk and the point being measured"
# On a busy machine its time may end before twenty repetitions.
cut_short() { # the last point of the first launch
    query "$1" "SELECT DISTINCT run.status || ' ' || stop_reason || ' ' ||
        (sum(NOT flags & 2) = nrep AND nrep BETWEEN 3 AND 4095) || ' ' ||
        launch.status || ' ' || launch.reason FROM run
        JOIN sample USING (run_id) JOIN run_summary USING (run_id)
        JOIN launch USING (launch_id)
        WHERE launch_id = 1 AND run_id >
        (SELECT max(run_id) - 2 FROM run WHERE launch_id = 1) GROUP BY run_id"
}
wait_until test -f "$folder/gather.txt"
is "$(cat "$folder/gather.txt")" "0 complete" "the last job finds all runs"
is "$(query "$db" "SELECT count(DISTINCT cell_id) || ' ' || count(*) || ' ' ||
    sum(status = 'ok') FROM run")" "$(query "$db" "SELECT count(*) || ' ' ||
    count(*) || ' ' || count(*) FROM cell")" "each cell has one run"
is "$(cut_short "$db")" "ok time 1 failed stopped" \
    "the interrupted point keeps its samples and is not repeated"
diag "$(query "$db" "SELECT launch_id, run_id, nrep, count(*),
    sum(flags & 2) / 2 FROM run JOIN run_summary USING (run_id)
    JOIN sample USING (run_id) GROUP BY run_id")"
is "$(query "$db" "SELECT count(*) FROM run WHERE launch_id = 1")" "$after" \
    "the first launch has only the runs that survived"
is "$(query "$db" "SELECT count(DISTINCT launch_id) FROM run")" 2 \
    "both attempts contribute runs"
is "$(query "$db" "SELECT group_concat(value) FROM (SELECT value
    FROM environment WHERE key = 'host:0' ORDER BY launch_id)")" "n1,n2" \
    "the attempts ran on different nodes"

# --- nodes that differ -------------------------------------------------------
is "$(query "$db" "SELECT DISTINCT key || ' ' || value FROM environment
    WHERE key = 'cpus_mixed'")" "cpus_mixed yes" \
    "different processors are recorded"
is "$(query "$db" "SELECT DISTINCT value FROM environment e
    JOIN (SELECT launch_id, key || ':cpu_model' AS key FROM environment
        WHERE key GLOB 'host:[0-9]' AND value = 'n2') USING (launch_id, key)"
    )" "Another Processor 9000" \
    "the differing processor is recorded by name"
is "$(query "$db" "SELECT count(*) FROM run
    WHERE ',' || validity || ',' NOT LIKE '%,mixed_cpus,%'")" 0 \
    "every run is marked mixed_cpus"
like "$("$chorale" status "$db" 2>&1)" \
    "launch.*: not all nodes have the first one's processor" "status reports it"

# --- other nodes in other launches -------------------------------------------
# n1 is busy while the first of two launches runs.
db=$work/other.db
on_head sbatch -w n1 -N 1 --exclusive -o /dev/null --job-name busy \
    --wrap 'sleep 600' >/dev/null
busy() { on_head squeue -h -n busy -t R | grep -q .; }
wait_until busy
ok $? "a node is busy"
submit -m 1K -P 2 --ppn 1 --launches 2 -i 20 -q
ok $? "two launches on two nodes each are submitted"
folder=$work/other-slurm/1
one_done() { [ "$(cat "$folder"/element-*.txt 2>/dev/null |
    grep -c '^done')" -ge 1 ]; }
wait_until one_done
on_head scancel -n busy
wait_until test -f "$folder/gather.txt"
# On a busy machine clock synchronisation may be too poor to decide.
is "$(query "$db" 'SELECT sum(planned), sum(done) FROM v_progress')" "4|4" \
    "all runs are done"
hosts() { # of each launch
    query "$db" "SELECT group_concat(value) FROM (SELECT launch_id, value
        FROM environment WHERE key IN ('host:0', 'host:1')
        ORDER BY launch_id, key) GROUP BY launch_id"
}
diag "$(hosts)"
is "$(hosts | wc -l)" 2 "each launch stores its nodes"
is "$(hosts | head -n 1 | grep -c n1)" 0 "the first launch avoids the busy node"


# On an idle cluster, each one-node launch excludes other nodes.
places() { # name, options: store the ordered nodes of each launch
    db=$work/$1.db
    shift
    submit -m 8 "$@" -i 20 --cell-time 0.1 -q
    ok $? "launches of $* are submitted"
    wait_until test -f "${db%.db}-slurm/1/gather.txt"
    is "$(query "$db" 'SELECT count(DISTINCT launch_id) FROM run')" 2 \
        "both launches run"
    query "$db" "SELECT group_concat(value, ' ') FROM (SELECT launch_id, value
        FROM environment WHERE key GLOB 'host:[0-9]'
        ORDER BY launch_id, key) GROUP BY launch_id" >"$work/places.txt"
    diag "$(cat "$work/places.txt")"
}
places one -P 2 --ppn 2 --launches 2
is "$(sort -u "$work/places.txt" | wc -l)" 2 \
    "two one-node launches run on two nodes"
places four -P 8 --ppn 2 --launches 2
is "$(cut -d ' ' -f 1 "$work/places.txt" | sort -u | wc -l)" 1 \
    "on four nodes, each launch starts with the job's first node"
is "$(sort -u "$work/places.txt" | wc -l)" 2 \
    "on four nodes, each launch has another order of the other nodes"
is "$(tr ' ' '\n' <"$work/places.txt" | sort | uniq -c | awk '{ print $1 }' |
    tr '\n' ' ')" "2 2 2 2 " "each launch uses all nodes"
places any -P 8 --ppn 2 --launches 2 --any-nodes
is "$(sort -u "$work/places.txt")" "n1 n2 n3 n4" "--any-nodes: in Slurm's order"

# --- machines with Slurm, and failing tests --~--------------------------------
is "$(cluster_reason)" "" "a second test cluster can run beside this one"
like "$(pgrep() { [ "$2" = slurmd ] && echo $$; }; cluster_reason)" \
    'a slurmd runs on this machine already' \
        "no test cluster where a slurmd runs"
like "$(pgrep() { [ "$2" = munged ] && echo $$; }; cluster_reason)" \
    'a munged runs on this machine already' \
        "no test cluster where a munged runs"
mkdir -p "$work/etc/slurm"
cp -a /etc/alternatives "$work/etc/"
: >"$work/etc/slurm/slurm.conf"
like "$(unshare -m sh -c '. "$0"/lib.sh; . "$0"/slurm/cluster.sh
    mount --bind "$1" /etc && cluster_reason' "$top_srcdir/tests" \
    "$work/etc" 2>&1)" \
    'part of a Slurm: /etc/slurm/slurm.conf' \
        "no test cluster where Slurm is configured"
cat >"$work/fails.sh" <<'EOF'
. "$top_srcdir/tests/lib.sh"
. "$top_srcdir/tests/slurm/cluster.sh"
trap 'kill $!; cluster_down; rm -rf "$work"' EXIT
echo "$prefix $work" >"$1"
cluster_up 2 2 || exit 99
echo up >>"$1"
[ "$2" = fails ] && exit 3
sleep 600 & # the trap of a signal would wait for one in the foreground
wait
EOF
export top_srcdir top_builddir
nothing_of() { # prefix, folder
    ! ip netns list | grep -q "$1" && ! ls -d /etc/netns/"$1"* 2>/dev/null &&
        [ ! -e "$2" ]
}
for how in fails stopped; do
    rm -f "$work/where"
    sh "$work/fails.sh" "$work/where" $how >/dev/null 2>&1 &
    child=$!
    up() { [ "$(wc -l <"$work/where")" = 2 ]; }
    wait_until up
    ok $? "a test that $how: its cluster comes up"
    [ $how = fails ] || kill -TERM "$child"
    wait "$child"
    [ $? -ne 0 ]
    ok $? "a test that $how: exit code is not 0"
    # shellcheck disable=SC2046
    nothing_of $(head -n 1 "$work/where")
    ok $? "a test that $how: no namespace or file remains"
done

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
