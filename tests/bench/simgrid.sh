#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compare Chorale's variants with SimGrid's algorithms in simulated LogGP time:
# the ratio of each algorithm that both have, and at each point Chorale's best
# with SimGrid's best correct one.
#
#   simgrid.sh [-P LIST] [-c LIST] [-j JOBS] [-o DIR]
#
# -P LIST  process counts (default: 8,13,16,24,32,64)
# -c LIST  collectives (default: all that SimGrid has algorithms for)
# -j JOBS  process counts measured at once (default: 2)
# -o DIR   keep the databases there, and resume with them
#
# Vectors and blocks are 8 B to 1 MiB. Simulated time is exact: one launch, no
# noise. Parameter values far behind by stated cost are left out (`plan --set
# near`). With more than 16 ranks only a few values are measured (`--set core`)
# if these are as good as SimGrid's best. So Chorale's best may be better than
# printed, but not worse.
#
# 64 ranks with blocks of 1 MiB take 16 GiB of memory.
here=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "$(dirname "$0")" && pwd)
chorale=$here/chorale
procs=8,13,16,24,32,64
colls=barrier,bcast,reduce,allreduce,reduce_scatter,gather,scatter
colls=$colls,allgather,allgatherv,alltoall,alltoallv
sizes=8,64,512,4K,32K,256K,1M
jobs=2
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=$work
while getopts P:c:j:o: opt; do
    case $opt in
        P) procs=$OPTARG ;;
        c) colls=$OPTARG ;;
        j) jobs=$OPTARG ;;
        o) out=$OPTARG ;;
        *) exit 2 ;;
    esac
done
mkdir -p "$out" || exit 3
db=$out/bench.db
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

# Selectors are no algorithms, and algorithms that depend on the order of
# arrival are not comparable. The others end the program, hang when used by the
# runner, or give wrong data.
left_out='automatic|mpich|ompi|mvapich2|impi|arrival_.*'
left_out="$left_out|ompi_split_bintree|SMP_linear"
left_out="$left_out|smp_rsag|smp_rsag_lr|smp_rsag_rab"

# These call other collectives, so they are forced alone, with mpich's selection
# for their parts.
composed='default|GB|mvapich2_.*|mpich_smp|redbcast|rab1|rab2|smp_.*|SMP_.*'

# SimGrid's algorithms for a collective, from its error on an unknown name.
algorithms()
{
    echo n0 >"$work/hosts"
    smpirun -np 1 -platform "$platform" -hostfile "$work/hosts" \
        --cfg=smpi/"$1":no_such "$here/chorale-runner-sim" --hosts 2>&1 |
        sed -n 's/.*Valid algorithms: \(.*\)\./\1/p' | tr -d ' ' |
        tr , '\n' | grep -vxE "$left_out"
}

# measure PROCS COLLS SIZES SELECTOR PROVIDERS [OPTION...]: into at.PROCS.db
measure()
{
    part=$out/at.$1.db
    at=$1
    list=$2
    lengths=$3
    selector=$4
    providers=$5
    shift 5
    "$chorale" plan "$part" -q -c "$list" -m "$lengths" -P "$at" \
        --launcher smpirun --platform "$platform" --network loggp \
        --root first --sim-selector "$selector" --max-memory 16G \
        --providers "$providers" "$@" || exit 1
    # Thousands of messages that share one link take minutes to simulate.
    sqlite3 "$part" "DELETE FROM cell WHERE comm_size > 16
        AND msg_size > 65536 AND variant = 'flat_pipeline'
        AND cell_id NOT IN (SELECT cell_id FROM run)"
    # A point of 1 MiB blocks at 64 ranks may take many minutes.
    "$chorale" run "$part" -q --stall-timeout 7200 \
        2>>"$work/run.$at.log" && return
    echo "# P = $at, $selector: $(tail -1 "$work/run.$at.log")"
    sqlite3 "$part" "DELETE FROM cell
        WHERE cell_id NOT IN (SELECT cell_id FROM run)"
    return 1
}

# compare INTO PART...: join the times of both sides of some databases
compare()
{
    into=$1
    shift
    sqlite3 "$into" <"$source/simgrid.sql"
    for part; do
        sqlite3 "$into" "ATTACH '$part' AS part" \
            ".read $source/simgrid_add.sql"
    done
}

# Measure more parameter values where the few are not good enough.
measure_lost() # PROCS
{
    compare "$work/at.$1.db" "$out/at.$1.db"
    sqlite3 -separator ' ' "$work/at.$1.db" \
        "SELECT coll, group_concat(m) FROM v_lost GROUP BY coll" |
        while read -r coll lost; do
            measure "$1" "$coll" "$lost" mpich chorale --set near </dev/null
        done
}

# Variants of simgrid.map that --set near leaves out, because their cost equals
# that of others: measure them with all values.
measure_same() # PROCS
{
    part=$out/at.$1.db
    sed 's/#.*//' "$source/simgrid.map" |
        awk 'NF && $3 != "-" { print $1, $2, $3 }' | sort -u |
        while read -r coll variant params; do
            echo ",$colls," | grep -q ",$coll," || continue
            [ "$(sqlite3 "$part" "SELECT count(*) FROM cell WHERE coll = '$coll'
                AND variant = '$variant' AND params = '$params'")" -eq 0 ] &&
                echo "$coll $variant"
        done | sort -u |
        while read -r coll variant; do
            measure "$1" "$coll" $sizes mpich chorale \
                --variants "$coll:$variant" </dev/null
        done
}

# Measure all of one process count.
one_size()
{
    [ "$1" -le 16 ] && set=near || set=core
    measure "$1" "$colls" $sizes mpich chorale,library --set $set
    for c in $(echo "$colls" | tr , ' '); do
        grep -xE "$composed" "$work/$c.all" |
            while read -r name; do
                measure "$1" "$c" $sizes "mpich,$c:$name" library </dev/null
            done
    done
    k=1
    while :; do
        selector=mpich
        forced=
        more=no
        for c in $(echo "$colls" | tr , ' '); do
            name=$(sed -n "${k}p" "$work/$c.names")
            [ -z "$name" ] && continue
            more=yes
            [ "$1" -gt 16 ] && [ "$name" = flattree_pipeline ] && continue
            selector=$selector,$c:$name
            forced=$forced,$c
        done
        [ $more = no ] && break
        k=$((k + 1))
        [ -z "$forced" ] && continue
        # A failing algorithm may break the program's own calls: retry one by
        # one.
        measure "$1" "${forced#,}" $sizes "$selector" library ||
            for one in $(echo "${selector#mpich,}" | tr , ' '); do
                measure "$1" "${one%%:*}" $sizes "mpich,$one" library
            done
    done
    [ "$set" = near ] || measure_lost "$1"
    case $1 in 8 | 13 | 16) measure_same "$1" ;; esac
    echo "# P = $1 done"
}

for c in $(echo "$colls" | tr , ' '); do
    algorithms "$c" >"$work/$c.all"
    grep -vxE "$composed" "$work/$c.all" >"$work/$c.names"
done

# The largest process counts first, $jobs at a time.
echo "$procs" | tr , '\n' | sort -rn >"$work/queue"
mkfifo "$work/slots"
exec 3<>"$work/slots"
for j in $(seq "$jobs"); do echo "$j" >&3; done
while read -r p; do
    read -r slot <&3
    { one_size "$p"; echo "$slot" >&3; } &
done <"$work/queue"
wait

compare "$db" "$out"/at.*.db
sed 's/#.*//' "$source/simgrid.map" |
    awk 'NF { print $1 "|" $2 "|" $3 "|" $4 "|" $5 + 0 "|" $6 }' >"$work/map"
sqlite3 "$db" "DELETE FROM same" ".import $work/map same"
echo
echo "# The same algorithm, Chorale / SimGrid (LogGP, P = 8, 13, 16)"
sqlite3 -column -header "$db" "SELECT * FROM v_same"
echo
echo "# Chorale's best / SimGrid's best correct algorithm, all points"
sqlite3 -column -header "$db" "SELECT * FROM v_best"
echo
echo "# Points where Chorale's best is more than 2 % slower"
sqlite3 -column -header "$db" "SELECT * FROM v_lost"
sqlite3 "$db" "SELECT count(*) || ' of ' ||
    (SELECT count(*) FROM v_point) || ' points lost' FROM v_lost"
wrong=$(sqlite3 -column -header "$db" "SELECT * FROM v_ours_wrong")
[ -z "$wrong" ] && exit
printf '\n# Variants of Chorale that failed or gave wrong data\n%s\n' "$wrong"
exit 1
