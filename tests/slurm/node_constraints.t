#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Constraints on the nodes of a job: the number of switches and a reservation
# are passed to Slurm, and the job runs only on nodes that satisfy them.
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_wanted

trap 'cluster_down; rm -rf "$work"' EXIT
# Two nodes per switch.
mkdir -p "$cluster"
more_conf=TopologyPlugin=topology/tree
printf '%s\n' 'SwitchName=left Nodes=n[1-2]' 'SwitchName=right Nodes=n[3-4]' \
    'SwitchName=top Switches=left,right' >"$cluster/topology.conf"
cluster_begin

printf '%s\n' 'mpi = pmi2' 'bind = no' "prologue = $work/prologue.sh" \
    'partition = main' >"$work/site.txt"
plan() { # name, options: submit a plan with two ranks per node
    db=$work/$1.db
    folder=$work/$1-slurm/1
    shift
    on_head timeout 1200 "$chorale" submit "$db" -c bcast -m 8 --ppn 2 \
        --providers chorale,library --variants linear --launches 1 -i 20 \
        --cell-time 0.1 --site "$work/site.txt" --time 5m -q "$@" \
        2>"$work/err"
}
query() { sqlite3 -readonly -cmd '.timeout 60000' "$db" "$1" 2>/dev/null; }
job() { query 'SELECT job_id FROM element'; }
in_state() { # state, reason
    # shellcheck disable=SC2046
    on_head squeue -h -j $(job) -o '%t %r' | grep -qE "^$1 $2"
}
ended() { wait_until test -f "$folder/gather.txt"; }
hosts() {
    query "SELECT group_concat(value, ' ') FROM (SELECT value FROM environment
        WHERE key GLOB 'host:[0-9]' ORDER BY value)"
}
occupy() { # node: run a job there until leave()
    on_head sbatch -w "$1" -N 1 --exclusive -o /dev/null --job-name "on-$1" \
        --wrap 'sleep 600' >/dev/null
    wait_until runs_on "$1"
}
runs_on() { on_head squeue -h -n "on-$1" -t R | grep -q .; }
leave() { on_head scancel -n "on-$1"; }

# --- switches ----------------------------------------------------------------
# One node is free at each switch.
occupy n1
ok $? "a node of one switch is busy"
occupy n3
ok $? "a node of the other switch is busy"
plan any -P 4
ok $? "a job of two nodes is submitted"
ended
is "$(hosts)" "n2 n4" "without --switches it runs on a node of each switch"
plan under -P 4 --switches 1
ok $? "a job with --switches 1 is submitted"
waits() { in_state PD Resources; }
wait_until waits
ok $? "it waits, though two nodes are free"
leave n3
ended
is "$(hosts)" "n3 n4" "it runs under the switch that is free first"
leave n1
wait_until nodes_idle 4
ok $? "all nodes are free again"

# --- a reservation -----------------------------------------------------------
on_head scontrol create reservation ReservationName=ours StartTime=now \
    Duration=60 Users=root Nodes=n4 >/dev/null
ok $? "a node is reserved"
plan within -P 2 --reservation ours
ok $? "a job with --reservation is submitted"
ended
is "$(hosts)" "n4" "it runs on the reserved node"
no_job() { [ -z "$(on_head squeue -h -t R,CG)" ]; }
wait_until no_job
ok $? "no job runs"
plan all -P 8
ok $? "a job for all nodes is submitted without the reservation"
considered() { in_state PD '[^N]'; } # Slurm gives a reason
wait_until considered
ok $? "it waits for the reserved node"
on_head scontrol delete ReservationName=ours
ended
is "$(hosts)" "n1 n2 n3 n4" \
    "it runs on all nodes once the reservation is deleted"
plan none -P 2 --reservation theirs
[ $? -eq 3 ]
ok $? "an unknown reservation exits with 3"
diag "$(cat "$work/err")"
is "$(grep -c 'eservation' "$work/err")" 1 \
    "the error is one line with Slurm's message"
is "$(query "SELECT count(*) FROM element WHERE job_id <> ''")" 0 \
    "no element is stored as submitted"

cluster_down
none_left && ! ip netns list | grep -q "$prefix"
ok $? "no process and no namespace is left"
finish
