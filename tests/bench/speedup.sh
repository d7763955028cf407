#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Speed-up of programs by generated tables: against each of SimGrid's four
# selectors on simulated networks, and against MPICH's default on this machine.
# Prints geometric mean with interval, worst point, and share of the campaign's
# best gain. `chorale validate` measures at the decided points, on both sides of
# each change of choice, and half-way between adjacent sizes.
#
#   speedup.sh [-o DIR] [-s NETWORKS] [-S SELECTORS] [-c LIST] [-m SIZES]
#              [-P LIST] [-r] [-l LAUNCHES]
#
# -o DIR       keep the databases there, and resume with them
# -s NETWORKS  of flat (0.1 ns/B), slow (0.8 ns/B), fast (0.04 ns/B), tree (two
#              levels, 8 hosts share 4 uplinks), ppn (8 ranks per node);
#              default: all; none: -s ''
# -S SELECTORS of mpich, ompi, mvapich2, impi; default: all
# -c LIST      collectives (default: bcast,reduce,allreduce,allgather)
# -m SIZES     blocks (default: 8:128K:x4)
# -P LIST      process counts (default: 8,16,32)
# -r           skip this machine
# -l LAUNCHES  on this machine (default: 10, of the campaign and of the
# validation)
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
networks="flat slow fast tree ppn"
selectors="mpich ompi mvapich2 impi"
colls=bcast,reduce,allreduce,allgather
sizes=8:128K:x4
procs=8,16,32
real=1
launches=10
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=$work
while getopts o:s:S:c:m:P:rl: opt; do
    case $opt in
        o) out=$OPTARG ;;
        s) networks=$(echo "$OPTARG" | tr , ' ') ;;
        S) selectors=$(echo "$OPTARG" | tr , ' ') ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        P) procs=$OPTARG ;;
        r) real=0 ;;
        l) launches=$OPTARG ;;
        *) exit 2 ;;
    esac
done
mkdir -p "$out" || exit 3

platform() { # file, attributes of the cluster
    cat >"$1" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="world" routing="Full">
 <cluster id="c" prefix="n" suffix="" speed="1Gf"
  sharing_policy="SPLITDUPLEX" $2/></zone></platform>
XML
}
platform "$work/flat.xml" 'radical="0-63" bw="10GBps" lat="0.5us"'
platform "$work/slow.xml" 'radical="0-63" bw="1.25GBps" lat="0.5us"'
platform "$work/fast.xml" 'radical="0-63" bw="25GBps" lat="0.5us"'
platform "$work/tree.xml" 'radical="0-63" bw="10GBps" lat="0.25us"
 topology="FAT_TREE" topo_parameters="2;8,8;1,4;1,1"'
platform "$work/ppn.xml" 'radical="0-7" core="8" bw="10GBps" lat="0.5us"
 loopback_bw="20GBps" loopback_lat="0.1us"'

prove() { # database, further options of validate
    db=$1
    shift
    "$chorale" run "$db" -q && "$chorale" decide "$db" -q || return 3
    "$chorale" validate "$db" -q "$@" 2>"$work/err"
    rc=$?
    "$chorale" validate "$db" "$@" 2>/dev/null
    [ $rc -le 1 ] || cat "$work/err" >&2
    return $rc
}

bad=0
if [ -n "$networks" ] && [ ! -e "$here/chorale-runner-sim" ]; then
    echo "speedup.sh: built without SimGrid: no networks" >&2
    networks=
fi
for network in $networks; do
    ppn=1
    [ "$network" = ppn ] && ppn=8
    for selector in $selectors; do
        echo "$network, against SimGrid's selector $selector"
        db=$out/$network-$selector.db
        "$chorale" plan "$db" -q --launcher smpirun \
            --platform "$work/$network.xml" --network loggp \
            --sim-selector "$selector" -c "$colls" -m "$sizes" -P "$procs" \
            --ppn $ppn && prove "$db" --between || bad=1
        echo
    done
done
if [ $real = 1 ]; then
    echo "this machine, P = 2, against the MPI library's default"
    "$chorale" plan "$out/real.db" -q -c "$colls" -m "$sizes" -P 2 \
        --launches "$launches" --cell-time 0.05 &&
        prove "$out/real.db" --between --launches "$launches" || bad=1
fi
exit $bad
