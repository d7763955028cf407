#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ours against the algorithms that SimGrid ships, in simulated LogGP time:
# for each that both have, the ratio; and for each point the best of ours
# against the best correct one of theirs.
#
#   simgrid.sh [-P LIST] [-c LIST] [-o results.db]
#
# -P LIST  process counts (default: 8,13,16,24,32,64)
# -c LIST  collectives (default: all that SimGrid has algorithms for)
# -o FILE  keep the database there, and add to it
#
# Vectors are 8 B to 1 MiB. Where a buffer holds a block a rank, blocks are
# 8 B to 64 KiB, so that the whole is up to 4 MiB. Simulated time is exact: one
# launch and no noise.
here=${top_builddir:-.}
source=$(cd "$(dirname "$0")" && pwd)
chorale=$here/chorale
procs=8,13,16,24,32,64
colls=barrier,bcast,reduce,allreduce,reduce_scatter,gather,scatter
colls=$colls,allgather,allgatherv,alltoall,alltoallv
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
db=$work/bench.db
while getopts P:c:o: opt; do
    case $opt in
        P) procs=$OPTARG ;;
        c) colls=$OPTARG ;;
        o) db=$OPTARG ;;
        *) exit 2 ;;
    esac
done
if [ ! -e "$here/chorale-runner-sim" ]; then
    echo "simgrid.sh: built without SimGrid" >&2
    exit 3
fi

platform=$work/flat.xml
cat >"$platform" <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-63"
 speed="1Gf" bw="1.25GBps" lat="0.5us" sharing_policy="SPLITDUPLEX"/></platform>
XML

# What SimGrid has for a collective: it says so when asked for nonsense.
# Selectors, and those that depend on who arrives first, are left out.
algorithms()
{
    echo n0 >"$work/hosts"
    smpirun -np 1 -platform "$platform" -hostfile "$work/hosts" \
        --cfg=smpi/"$1":no_such "$here/chorale-runner-sim" --hosts 2>&1 |
        sed -n 's/.*Valid algorithms: \(.*\)\./\1/p' | tr -d ' ' |
        tr , '\n' |
        grep -vxE 'default|automatic|mpich|ompi|mvapich2|impi|arrival_.*'
}

# measure SELECTOR PROVIDERS [OPTION...]
measure()
{
    selector=$1
    providers=$2
    shift 2
    for set in "$vectors 8:1M:x4" "$blocks 8:64K:x4"; do
        [ "${set%% *}" = none ] && continue
        "$chorale" plan "$db" -q -c "${set%% *}" -m "${set##* }" -P "$procs" \
            --launcher smpirun --platform "$platform" --network loggp \
            --root first --sim-selector "$selector" --providers "$providers" \
            "$@" || exit 1
    done
    "$chorale" run "$db" -q 2>>"$work/run.log" && return
    echo "# failed: $(tail -1 "$work/run.log")"
    sqlite3 "$db" "DELETE FROM cell
        WHERE cell_id NOT IN (SELECT cell_id FROM run)"
    return 1
}

vectors=none
blocks=none
for c in $(echo "$colls" | tr , ' '); do
    case $c in
        barrier|bcast|reduce|allreduce)
            vectors=${vectors#none}${vectors:+,}$c ;;
        *) blocks=${blocks#none}${blocks:+,}$c ;;
    esac
    algorithms "$c" >"$work/$c.names"
done
vectors=$(echo "$vectors" | sed 's/^none,*//; s/^,//')
blocks=$(echo "$blocks" | sed 's/^none,*//; s/^,//')
vectors=${vectors:-none}
blocks=${blocks:-none}

echo "# ours, every variant with every listed parameter"
measure mpich chorale,library --set all

k=1
while :; do
    selector=mpich
    for c in $(echo "$colls" | tr , ' '); do
        name=$(sed -n "${k}p" "$work/$c.names")
        [ -n "$name" ] && selector=$selector,$c:$name
    done
    [ "$selector" = mpich ] && break
    echo "# theirs: $selector"
    # One that fails may end the program's own calls too: then one by one.
    measure "$selector" library ||
        for one in $(echo "${selector#mpich,}" | tr , ' '); do
            measure "mpich,$one" library
        done
    k=$((k + 1))
done
sed 's/#.*//' "$source/simgrid.map" | tr -s ' ' '|' | grep . >"$work/map"
sqlite3 "$db" <"$source/simgrid.sql" >/dev/null
sqlite3 "$db" ".mode list" "DELETE FROM bench_map" \
    ".import $work/map bench_map"
echo
echo "# The same algorithm, ours / theirs (LogGP, P = 8, 13, 16)"
sqlite3 -column -header "$db" "SELECT * FROM v_bench_same"
echo
echo "# The best of ours / the best correct one of theirs, all points"
sqlite3 -column -header "$db" "SELECT * FROM v_bench_best"
echo
echo "# Points where the best of ours is more than 2 % slower"
sqlite3 -column -header "$db" "SELECT * FROM v_bench_lost"
sqlite3 "$db" "SELECT count(*) || ' of ' ||
    (SELECT count(*) FROM v_bench_point) || ' points lost' FROM v_bench_lost"
