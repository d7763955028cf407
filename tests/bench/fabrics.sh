#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Winners on hierarchical fabrics: a simulated campaign on the three-level fat
# tree and the dragonfly of ci/platforms, with several ranks per node. Prints
# the fastest variant of each point, its gain over the library's default, and
# the points where it is a two-level variant.
#
#   fabrics.sh [-o DIR] [-f FABRICS] [-c LIST] [-m SIZES] [-P "SIZE..."]
#
# -o DIR       keep the databases there, and resume with them
# -f FABRICS   of fattree16, dragonfly16 (default: both)
# -c LIST      collectives (default: barrier,bcast,reduce,allreduce,gather,
#              scatter,allgather)
# -m SIZES     blocks (default: 8:32K:x8)
# -P "SIZE..." P:PPN each (default: 56:7 112:7 64:8 128:8, 8 and 16 nodes)
here=$(cd "${top_builddir:-.}" && pwd)
platforms=$(cd "$(dirname "$0")/../../ci/platforms" && pwd)
chorale=$here/chorale
fabrics="fattree16 dragonfly16" sizes=8:32K:x8 procs="56:7 112:7 64:8 128:8"
colls=barrier,bcast,reduce,allreduce,gather,scatter,allgather
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
out=$work
while getopts o:f:c:m:P: opt; do
    case $opt in
        o) out=$OPTARG ;;
        f) fabrics=$(echo "$OPTARG" | tr , ' ') ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        P) procs=$OPTARG ;;
        *) exit 2 ;;
    esac
done
mkdir -p "$out" || exit 3
[ -e "$here/chorale-runner-sim" ] || {
    echo "fabrics.sh: built without SimGrid" >&2
    exit 3
}
for fabric in $fabrics; do
    db=$out/$fabric.db
    for p in $procs; do
        "$chorale" plan "$db" -q --launcher smpirun --network loggp \
            --platform "$platforms/$fabric.xml" -c "$colls" -m "$sizes" \
            -P "${p%:*}" --ppn "${p#*:}" --set core || exit 3
    done
    "$chorale" run "$db" -q && "$chorale" decide "$db" -q || exit 3
    echo "$fabric"
    # The fastest measured variant, by collective, P and size.
    sqlite3 -separator ' ' "$db" "SELECT coll, 'P = ' || comm_size || ',',
        group_concat(msg_size || ' B ' || name ||
            printf(' x%.2f', speedup), '; ')
        FROM (SELECT coll, comm_size, msg_size, speedup,
            CASE provider WHEN 'library' THEN 'the library''s' ELSE variant END
                AS name
            FROM v_best WHERE metric = 'duration' AND arrival = 'sync'
            AND siblings = 'alone' ORDER BY coll, comm_size, msg_size)
        GROUP BY coll, comm_size"
    sqlite3 "$db" "SELECT 'two levels are the best of ' || count(*) ||
            ' points at ' || sum(variant LIKE '%two_level%') ||
            ', where they take ' || coalesce(round(exp(avg(CASE WHEN variant
            LIKE '%two_level%' THEN ln(gain) END)), 2), '-') ||
            ' of the best flat variant''s time (geometric mean)'
        FROM (SELECT b.variant, b.seconds / (SELECT min(s.median)
                FROM run_summary s JOIN run USING (run_id)
                JOIN cell f USING (cell_id) WHERE f.coll = b.coll
                AND f.comm_size = b.comm_size AND f.msg_size = b.msg_size
                AND f.ppn = b.ppn AND f.provider = 'chorale'
                AND f.variant NOT LIKE '%two_level%') AS gain
            FROM v_best b WHERE metric = 'duration' AND arrival = 'sync'
            AND siblings = 'alone')"
done
