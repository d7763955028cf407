# shellcheck shell=sh
# SPDX-License-Identifier: BSD-3-Clause
# Emulated nodes for Open MPI 4.1 and 5 on this machine: each has a network and
# a UTS namespace, and a bridge joins them. mpiexec starts its daemons there
# through a launch agent instead of ssh. Ranks of different nodes share no
# memory, as on a cluster. Sourced by tests, after lib.sh, which makes $work.
#
# nodes_up sets MPIEXEC and CHORALE_MPIEXEC to a mpiexec that fills the nodes in
# turn, two ranks each. nodes_down must always be called; nodes_begin sees to it.
nodes_net=10.83.78
nodes_prefix=chorale-nodes$$
nodes_dir=$work/nodes

# Print why there can be no nodes here, in one line; nothing if there can.
nodes_reason() {
    [ "$(id -u)" = 0 ] || { echo "needs root, to make namespaces"; return; }
    for program in ip nsenter unshare hostname mpiexec.openmpi; do
        command -v $program >/dev/null 2>&1 || {
            echo "no $program (Debian: iproute2 util-linux openmpi-bin)"
            return
        }
    done
    { ip netns add "$nodes_prefix-0" &&
        nodes_in 0 ip link add switch type bridge &&
        nodes_in 0 ip link add one type veth peer name other; } \
        >/dev/null 2>&1 || echo "network namespaces cannot be made here"
    ip netns del "$nodes_prefix-0" >/dev/null 2>&1
}

# Run a command in the network of a node; 0 is the bridge's. `ip -n` would
# remount /, which is not possible in a chroot.
nodes_in() { # node, command
    nodes_i=$1
    shift
    nsenter --net="/run/netns/$nodes_prefix-$nodes_i" "$@"
}

nodes_link() { # node, rate or nothing
    ip netns add "$nodes_prefix-$1" &&
        nodes_in 0 ip link add "port$1" type veth \
            peer name eth0 netns "$nodes_prefix-$1" &&
        nodes_in 0 ip link set "port$1" master switch up &&
        nodes_in "$1" ip addr add "$nodes_net.$1/24" dev eth0 &&
        nodes_in "$1" ip link set eth0 up &&
        nodes_in "$1" ip link set lo up || return 1
    [ -n "$2" ] || return 0
    nodes_in 0 tc qdisc add dev "port$1" root \
        tbf rate "$2" burst 16kb latency 50ms &&
        nodes_in "$1" tc qdisc add dev eth0 root \
            tbf rate "$2" burst 16kb latency 50ms
}

# Make nodes 1 ... N. With a rate, as in 200mbit, each link is limited to it.
nodes_up() { # nodes, rate
    mkdir "$nodes_dir" && ip netns add "$nodes_prefix-0" &&
        nodes_in 0 ip link add switch type bridge &&
        nodes_in 0 ip link set switch up || return 1
    for node in $(seq 1 "$1"); do
        nodes_link "$node" "${2-}" || return 1
        echo "$nodes_net.$node slots=2" >>"$nodes_dir/hosts"
    done
    # The agent is called as ssh is: options, address, words of a command.
    cat >"$nodes_dir/agent" <<END
#!/bin/sh
while case \$1 in -*) true ;; *) false ;; esac; do shift; done
node=\${1##*.}
shift
exec nsenter --net=/run/netns/$nodes_prefix-\$node unshare --uts \\
    sh -c "hostname node\$node && exec sh -c '\$*'"
END
    cat >"$nodes_dir/mpiexec" <<END
#!/bin/sh
export OMPI_MCA_plm_rsh_agent=$nodes_dir/agent
export PRTE_MCA_plm_ssh_agent=$nodes_dir/agent
export OMPI_MCA_orte_default_hostfile=$nodes_dir/hosts
export PRTE_MCA_prte_default_hostfile=$nodes_dir/hosts
export OMPI_MCA_pml=ob1,monitoring OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec nsenter --net=/run/netns/$nodes_prefix-1 unshare --uts \\
    sh -c 'hostname node1 && exec mpiexec.openmpi "\$@"' sh "\$@"
END
    chmod +x "$nodes_dir/agent" "$nodes_dir/mpiexec"
    MPIEXEC=$nodes_dir/mpiexec
    CHORALE_MPIEXEC=$MPIEXEC
    export MPIEXEC CHORALE_MPIEXEC
}

nodes_down() {
    for name in $(ip netns list | sed -n "s/^\($nodes_prefix-[0-9]*\).*/\1/p")
    do
        ip netns pids "$name" | xargs -r kill -9 2>/dev/null
        ip netns del "$name"
    done
}

# Make two nodes for a test of a build for Open MPI, or skip it. They are removed
# when it ends.
nodes_begin() {
    "$top_builddir/chorale-runner" --probe | grep -q '^Open MPI' ||
        skip_all "the library is not Open MPI"
    nodes_why=$(nodes_reason)
    [ -z "$nodes_why" ] || skip_all "$nodes_why"
    trap 'nodes_down; rm -rf "$work"' EXIT
    cd "$work" || exit 99
    nodes_up 2
    ok $? "two nodes are made"
}
