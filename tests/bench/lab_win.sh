#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Gain of a table over the MPI library's default in a bandwidth-bound emulation:
# a private Slurm of four nodes on this machine (tests/slurm/cluster.sh; root)
# with shaped links. Measures a campaign under srun, fits, decides, and
# validates the table, interleaved with the default in its own launches. Prints
# beta relative to the link rate (a frame of 1514 bytes carries 1448 bytes of
# data: at best 1.046), the speed-ups, and each point.
#
#   lab_win.sh [-r RATE] [-o DIR] [-c LIST] [-m SIZES] [-P "SIZE..."]
#              [-l LAUNCHES] [-t TIME]
#
# -r RATE      of each link, mbit/s (default: 200)
# -o DIR       keep the database there, and resume with it
# -c LIST      collectives (default: bcast,allreduce,allgather,reduce)
# -m SIZES     blocks (default: 128K,512K,1M); at least 8 times the 16 kB that
#              are not shaped
# -P "SIZE..." P:PPN each (default: 4:1 8:2 12:3 16:4, four nodes each)
# -l LAUNCHES  of the campaign and of the validation (default: 5)
# -t TIME      time limit of a cell in a launch (default: 0.3s)
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
here=$(dirname "$0")
top_builddir=$(cd "${top_builddir:-.}" && pwd)
chorale=$top_builddir/chorale
rate=200 out='' colls=bcast,allreduce,allgather,reduce sizes=128K,512K,1M
procs="4:1 8:2 12:3 16:4" launches=5 seconds=0.3s
while getopts r:o:c:m:P:l:t: opt; do
    case $opt in
        r) rate=$OPTARG ;;
        o) out=$OPTARG ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        P) procs=$OPTARG ;;
        l) launches=$OPTARG ;;
        t) seconds=$OPTARG ;;
        *) exit 2 ;;
    esac
done
work=$(mktemp -d) || exit 3
. "$here/../slurm/cluster.sh"
reason=$(cluster_reason)
[ -z "$reason" ] || { echo "lab_win.sh: $reason" >&2; exit 3; }
trap 'cluster_down; rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
cluster_up 4 4 && cluster_shape "$rate" 4 || exit 3
out=${out:-$work}
mkdir -p "$out" || exit 3
db=$(cd "$out" && pwd)/win.db

# cores.c reports as many cores per node as ranks.
preload=$top_builddir/tests/mpi/.libs/libyield.so
preload=$preload:$top_builddir/tests/bench/.libs/libcores.so
[ -f "${preload#*:}" ] || {
    echo "lab_win.sh: say make tests/mpi/libyield.la tests/bench/libcores.la" >&2
    exit 3
}
# UCX over TCP sends large messages between two ranks in one direction at a
# time, unless rendezvous is disabled. Default and table both run with this
# setting.
in_lab() {
    on_head env UCX_RNDV_THRESH=inf LD_PRELOAD="$preload" \
        CHORALE_LAB_CORES=4 SLURM_MPI_TYPE=pmi2 "$@"
}
[ -e "$db" ] || for p in $procs; do
    on_head "$chorale" plan "$db" -q -c "$colls" -m "$sizes" -P "${p%:*}" \
        --ppn "${p#*:}" --set core --root first --launches "$launches" -i 8 \
        --min-iterations 3 --cell-time "$seconds" --launcher srun \
        --system lab || exit 3
done
in_lab "$chorale" run "$db" -q --one-launch-per-p || exit 3
"$chorale" fit "$db" -q && "$chorale" decide "$db" -q || exit 3
sqlite3 "$db" "SELECT 'beta between nodes' || CASE regime WHEN 'all' THEN ''
    ELSE ', ' || regime END || ': ' || round(value * 1e9, 2) || ' [' ||
    round(lo * 1e9, 2) || ', ' || round(hi * 1e9, 2) || '] ns/byte, ' ||
    round(value * 1e6 * $rate / 8, 3) || ' of what $rate mbit/s are'
    FROM model WHERE param = 'beta' AND level IN ('net', 'all')"
in_lab "$chorale" validate "$db" -q --launches "$launches"
rc=$?
"$chorale" validate "$db" --points
exit $rc
