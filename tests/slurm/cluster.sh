#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A private Slurm on this machine: slurmctld, munged and four slurmd, each node
# in its own network, UTS and IPC namespace. Sourced by tests, after ../lib.sh,
# which makes $work. cluster_up starts it; cluster_down must always be called
# and removes everything.
#
# The partition `urgent` preempts the partition `main` by requeueing. $kill_wait
# seconds (default 5) pass between SIGTERM and SIGKILL. Ranks are not bound unless
# $task_plugin is task/affinity, which needs nodes of the machine's real
# processors. The addresses exist only in these namespaces.
net=10.83.77
cluster=$work/cluster
prefix=chorale$$
SLURM_CONF=$cluster/slurm.conf
export SLURM_CONF

# Print why no cluster can be made here, in one line; nothing if it can.
cluster_reason() {
    [ "$(id -u)" = 0 ] || { echo "needs root, to make namespaces"; return; }
    for program in slurmctld slurmd munged sbatch srun squeue scontrol ip \
        unshare pgrep; do
        command -v "$program" >/dev/null 2>&1 || {
            echo "no $program (Debian: slurm-wlm munge iproute2 procps)"
            return
        }
    done
    # Do not touch a Slurm of the machine, or its key. Clusters of other tests
    # run in namespaces with the same prefix.
    for name in munged slurmd slurmctld; do
        for pid in $(pgrep -x "$name"); do
            case $(ip netns identify "$pid" 2>/dev/null) in
                chorale*) ;;
                *)
                    [ ! -e "/proc/$pid" ] || {
                        echo "a $name runs on this machine already"
                        return
                    } ;;
            esac
        done
    done
    for file in /etc/slurm/slurm.conf /etc/slurm-llnl/slurm.conf; do
        [ -e "$file" ] && { echo "this machine is part of a Slurm: $file"
            return; }
    done
    ip netns add "$prefix-try" 2>/dev/null || {
        echo "network namespaces cannot be made here"
        return
    }
    ip netns del "$prefix-try"
}

# For tests that have sourced ../lib.sh: skip all unless a cluster can be made
# and the runner and $yield are built. $yield is the preload for more ranks than
# processors.
cluster_wanted() {
    reason=$(cluster_reason)
    [ -z "$reason" ] || skip_all "$reason"
    mpi=$("$top_builddir/chorale-runner" --probe | head -1)
    case $mpi in
    *MPICH*) ;;
    *) skip_all "the runner is built with another MPI than MPICH: $mpi" ;;
    esac
    yield=$top_builddir/tests/mpi/.libs/libyield.so
    [ -f "$yield" ] || skip_all "tests/mpi/libyield.la is not built"
}

# First case of a test: start a cluster; default 4 nodes of 4 processors.
cluster_begin() { # nodes, processors of each
    cluster_up "${1:-4}" "${2:-4}"
    ok $? "a Slurm of ${1:-4} nodes comes up"
    [ "$tap_bad" = 0 ] || {
        tail -n 3 "$cluster"/log/* | sed 's/^/# /'
        exit 99
    }
    echo "LD_PRELOAD=$yield; export LD_PRELOAD" >"$work/prologue.sh"
}

# Run a command in a node's namespaces. The file cpuinfo.NODE of the cluster, if
# present, replaces /proc/cpuinfo.
on_node() { # node, command
    node=$1
    shift
    # shellcheck disable=SC2016
    ip netns exec "$prefix-$node" unshare -u -i -m -- sh -c '
        hostname "$0" && mount -t tmpfs -o size=25% tmpfs /dev/shm || exit
        cpuinfo=$1
        shift
        [ ! -f "$cpuinfo" ] || mount --bind "$cpuinfo" /proc/cpuinfo || exit
        exec "$@"
    ' "$node" "$cluster/cpuinfo.$node" "$@"
}

# Run a command on the login node.
on_head() { on_node head "$@"; }

# Run a command in the background, with its output in the log file.
daemon() { # node, log, command
    log=$cluster/log/$2.out
    node=$1
    shift 2
    on_node "$node" "$@" </dev/null >"$log" 2>&1 &
}

# Write slurm.conf; $more_conf has further lines.
write_conf() { # nodes, processors of each
    cat >"$SLURM_CONF" <<EOF
ClusterName=testbed
SlurmctldHost=head($net.1)
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$cluster/munge/socket,cred_expire=5
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmctldLogFile=$cluster/log/slurmctld.log
SlurmdLogFile=$cluster/log/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=${task_plugin:-task/none}
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
PropagateResourceLimits=NONE
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
ReturnToService=2
KillWait=${kill_wait:-5}
MinJobAge=600
MaxArraySize=4
MessageTimeout=100
SlurmctldTimeout=300
SlurmdTimeout=300
InactiveLimit=0
EOF
    for i in $(seq 1 "$1"); do
        echo "NodeName=n$i NodeAddr=$net.1$i NodeHostname=n$i CPUs=$2 \
Boards=1 SocketsPerBoard=1 CoresPerSocket=$2 ThreadsPerCore=1 RealMemory=500"
    done >>"$SLURM_CONF"
    cat >>"$SLURM_CONF" <<EOF
PartitionName=main Nodes=n[1-$1] Default=YES MaxTime=60 PriorityTier=1 PreemptMode=REQUEUE State=UP
PartitionName=urgent Nodes=n[1-$1] MaxTime=60 PriorityTier=10 PreemptMode=OFF State=UP
${more_conf-}
EOF
    # Named, because slurmd would look for it in /sys, which differs in a
    # network namespace.
    echo 'CgroupPlugin=cgroup/v1' >"$cluster/cgroup.conf"
    { echo "127.0.0.1 localhost"
      echo "$net.1 head"
      for i in $(seq 1 "$1"); do echo "$net.1$i n$i"; done
    } >"$cluster/hosts"
}

# Make a namespace with its own loopback and /etc/hosts.
add_namespace() { # node
    ip netns add "$prefix-$1" || return 1
    ip -n "$prefix-$1" link set lo up
    # Another test that ends may remove the empty folder in between.
    mkdir -p "/etc/netns/$prefix-$1" || mkdir -p "/etc/netns/$prefix-$1"
    cp "$cluster/hosts" "/etc/netns/$prefix-$1/hosts"
}

add_network() { # nodes
    add_namespace head || return 1
    ip -n "$prefix-head" link add switch type bridge stp_state 0 forward_delay 0
    ip -n "$prefix-head" addr add "$net.1/24" dev switch
    ip -n "$prefix-head" link set switch up
    for i in $(seq 1 "$1"); do
        add_namespace "n$i" || return 1
        ip link add "port$i" netns "$prefix-head" type veth \
            peer name eth0 netns "$prefix-n$i" || return 1
        ip -n "$prefix-head" link set "port$i" master switch up
        ip -n "$prefix-n$i" addr add "$net.1$i/24" dev eth0
        ip -n "$prefix-n$i" link set eth0 up
    done
}

# Wait for a condition. The limit only ends hangs, so it is far above the need
# of a busy machine. After one timeout, later waits give up soon.
wait_limit=600
wait_until() { # command
    ends=$(($(date +%s) + wait_limit))
    until "$@" >/dev/null 2>&1; do
        [ "$(date +%s)" -lt "$ends" ] || { wait_limit=20; return 1; }
        sleep 0.2
    done
}

nodes_idle() { # how many
    [ "$(timeout 60 ip netns exec "$prefix-head" \
        sinfo -h -N -p main -t idle -o %N | sort -u | wc -l)" -eq "$1" ]
}

start_node() { # name
    mkdir -p "$cluster/spool/$1"
    daemon "$1" "slurmd.$1" slurmd -D -f "$SLURM_CONF" -N "$1"
}

cluster_up() { # nodes, processors of each
    mkdir -p "$cluster/munge" "$cluster/state" "$cluster/log" "$cluster/spool"
    chmod 755 "$work" "$cluster" "$cluster/munge"
    write_conf "$1" "$2"
    add_network "$1" || return 1
    (umask 077; head -c 128 /dev/urandom >"$cluster/munge/key")
    daemon head munged munged --foreground --force \
        --key-file="$cluster/munge/key" --socket="$cluster/munge/socket" \
        --pid-file="$cluster/munge/pid" --log-file="$cluster/log/munged.log" \
        --seed-file="$cluster/munge/seed" --num-threads=4
    wait_until test -S "$cluster/munge/socket" || return 1
    daemon head slurmctld slurmctld -D -i -f "$SLURM_CONF"
    for i in $(seq 1 "$1"); do
        start_node "n$i"
    done
    wait_until nodes_idle "$1"
}

# Shape one end of a link. Acknowledgements have priority: behind a queue of
# data longer than a network card's, two messages in opposite directions would
# take twice as long as one.
shape_end() { # namespace, device, mbit/s
    in_it="ip netns exec $1 tc"
    class="$in_it class add dev $2 parent"
    $in_it qdisc replace dev "$2" root handle 1: htb default 20 &&
        $class 1: classid 1:1 htb rate "$3mbit" burst 16kb cburst 16kb \
            quantum 3000 &&
        $class 1:1 classid 1:10 htb rate "$(($3 / 10))mbit" ceil "$3mbit" \
            burst 1kb cburst 1kb quantum 3000 prio 0 &&
        $class 1:1 classid 1:20 htb rate "$(($3 * 9 / 10))mbit" \
            ceil "$3mbit" burst 16kb cburst 16kb quantum 3000 prio 1 &&
        $in_it filter add dev "$2" parent 1: protocol ip prio 1 \
            u32 match u16 0 0xff80 at 2 flowid 1:10
}

# Shape all links to this rate. Bursts below 16 kB are not slowed down.
cluster_shape() { # mbit/s, nodes
    for i in $(seq 1 "$2"); do
        shape_end "$prefix-n$i" eth0 "$1" || return 1
        shape_end "$prefix-head" "port$i" "$1" || return 1
    done
}

# PIDs in this cluster's namespaces, all of which this test started.
our_processes() {
    for namespace in $(ip netns list 2>/dev/null |
        sed -n "s/^\($prefix-[a-z0-9]*\).*/\1/p"); do
        ip netns pids "$namespace" 2>/dev/null
    done
}

none_left() { [ -z "$(our_processes)" ]; }

kill_ours() {
    # shellcheck disable=SC2046
    none_left || kill -KILL $(our_processes)
    none_left
}

cluster_down() {
    wait_until kill_ours
    for namespace in $(ip netns list 2>/dev/null |
        sed -n "s/^\($prefix-[a-z0-9]*\).*/\1/p"); do
        ip netns del "$namespace"
        rm -rf "/etc/netns/${namespace:?}"
    done
    rmdir /etc/netns 2>/dev/null
    return 0
}
