#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Regret of an adaptive plan that costs a few percent of the full grid, compared
# with random points and a coarse grid of the same cost, on the simulated LogGP
# networks of regret.sh.
#
#   adaptive.sh [-o DIR] [-s NETWORKS] [-c LIST] [-m SIZES] [-P LIST]
#               [-b PERCENT,...] [-w SIZES:LIST] [-r COST]
#
# -o DIR       keep the databases there, and resume with them
# -s NETWORKS  of flat (0.1 ns/B), slow (0.8 ns/B), fast (0.04 ns/B), tree (two
#              levels); default: all
# -c LIST      collectives (default: all)
# -m SIZES     blocks (default: 8:1M)
# -P LIST      process counts (default: 4:32:+4)
# -b PERCENT   budgets, in percent of the reference's cost (default: 2,3,5)
# -w SIZES:LIST judge by the whole catalogue (--set all), at these blocks and
#              process counts, as in 64,4K,256K:12,24
# -r COST      of the reference in node-seconds, which is then not measured;
#              needs -w, and leaves out random points and coarse grids
#
# Starts set a lower limit. With one or two collectives, whose cells take no
# longer than the start of their launches, the start at the largest process
# count costs a tenth of the reference.
#
# The reference plan is `chorale plan -m SIZES -P LIST`: the set core at every
# point of that grid. Without -w it is also the oracle, together with the choices
# of the adaptive tables, which are of the whole catalogue. Costs are node-seconds as
# `chorale status --rounds` counts them. Each simulated launch counts as six, in
# which a call takes the simulated time and is repeated as often as in a real
# campaign, with verification, warm-up, synchronisation and one second to start.
# Random points and the coarse grid are points of the reference with all
# variants. Random points are drawn three times; the coarse grid is the best one
# within the cost, over all even choices of process counts.
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
. "$(dirname "$0")/oracle.sh"
networks="flat slow fast tree"
colls=
sizes=8:1M
procs=4:32:+4
budgets="2 3 5"
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=$work sample='' stated=''
while getopts o:s:c:m:P:b:w:r: opt; do
    case $opt in
        o) out=$OPTARG ;;
        s) networks=$(echo "$OPTARG" | tr , ' ') ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        P) procs=$OPTARG ;;
        b) budgets=$(echo "$OPTARG" | tr , ' ') ;;
        w) sample=$OPTARG ;;
        r) stated=$OPTARG ;;
        *) exit 2 ;;
    esac
done
if [ -n "$stated" ] && [ -z "$sample" ]; then
    echo "adaptive.sh: -r: no oracle judges the tables; give one with -w" >&2
    exit 2
fi
if [ ! -e "$here/chorale-runner-sim" ]; then
    echo "adaptive.sh: built without SimGrid" >&2
    exit 3
fi
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

plan() { # database, network, further options
    plan_db=$1 plan_net=$2
    shift 2
    "$chorale" plan "$plan_db" -q --launcher smpirun \
        --platform "$work/$plan_net.xml" --network loggp \
        ${colls:+-c "$colls"} -m "$sizes" -P "$procs" "$@"
}

# Measure the whole catalogue at the points of -w.
measure_all() ( # database, network
    sizes=${sample%:*} procs=${sample##*:}
    plan "$1" "$2" --set all && "$chorale" run "$1" -q
)

cost() { # database: print the node-seconds of all its launches
    "$chorale" status "$1" --rounds --json |
        sed -n 's/.*"node_seconds": \([0-9.e+-]*\).*/\1/p' |
        awk '{ s += $1 } END { printf "%.6g", s }'
}

# Keep only the points (collective, msg_size, comm_size) of a SELECT.
keep() { # database, SELECT
    sqlite3 "$1" <<SQL
CREATE TEMP TABLE kept AS $2;
CREATE TEMP TABLE gone AS SELECT cell_id FROM cell
  WHERE (coll, msg_size, comm_size) NOT IN
    (SELECT coll, msg_size, comm_size FROM kept);
DELETE FROM run_summary WHERE run_id IN
    (SELECT run_id FROM run WHERE cell_id IN (SELECT * FROM gone));
DELETE FROM sample WHERE run_id IN
    (SELECT run_id FROM run WHERE cell_id IN (SELECT * FROM gone));
DELETE FROM counter WHERE run_id IN
    (SELECT run_id FROM run WHERE cell_id IN (SELECT * FROM gone));
DELETE FROM run WHERE cell_id IN (SELECT * FROM gone);
DELETE FROM environment WHERE launch_id NOT IN (SELECT launch_id FROM run);
DELETE FROM launch WHERE launch_id NOT IN (SELECT launch_id FROM run);
DELETE FROM cell WHERE cell_id IN (SELECT * FROM gone);
SQL
}

# Make the database with the sample of the largest size within a cost. make SIZE
# writes $work/try.db.
largest() { # make, least, most, node-seconds
    lo=$2 hi=$3
    while [ "$lo" -lt "$hi" ]; do
        mid=$(((lo + hi + 1) / 2))
        "$1" "$mid"
        if awk "BEGIN { exit !($(cost "$work/try.db") <= $4) }"; then
            lo=$mid
        else
            hi=$((mid - 1))
        fi
    done
    "$1" "$lo"
}

# Draw random points: the first ones in a random order. Points in between are
# decided by the model.
make_random() { # points
    cp "$reference" "$work/try.db"
    {
        echo "CREATE TABLE drawn (coll, msg_size, comm_size);"
        sqlite3 -separator "','" "$reference" "SELECT DISTINCT coll, msg_size,
                comm_size FROM cell ORDER BY 1, 2, 3" |
            awk -v seed="$draw" 'BEGIN { srand(seed) } { print rand(), $0 }' |
            sort -g | head -n "$1" |
            sed "s/^[^ ]* /INSERT INTO drawn VALUES ('/; s/\$/');/"
    } | { echo "BEGIN;"; cat; echo "COMMIT;"; } | sqlite3 "$work/try.db"
    keep "$work/try.db" "SELECT coll, CAST(msg_size AS INTEGER) AS msg_size,
        CAST(comm_size AS INTEGER) AS comm_size FROM drawn"
    sqlite3 "$work/try.db" "DROP TABLE drawn"
}

# A coarse grid: $coarse_procs of the $coarse_top smallest process counts, and
# as many sizes as given, both evenly spaced including the ends; a single one is
# the middle one.
make_coarse() { # sizes
    cp "$reference" "$work/try.db"
    keep "$work/try.db" "
      WITH p AS (SELECT comm_size, row_number() OVER (ORDER BY comm_size) - 1
                   AS i FROM cell GROUP BY comm_size),
           m AS (SELECT msg_size, row_number() OVER (ORDER BY msg_size) - 1
                   AS i FROM cell WHERE msg_size > 0 GROUP BY msg_size),
           k(j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM k WHERE j < 99)
      SELECT DISTINCT coll, msg_size, comm_size FROM cell
       WHERE comm_size IN (SELECT comm_size FROM p, k
              WHERE j < $coarse_procs AND i =
               (j * ($coarse_top - 1) + ($coarse_procs - 1) / 2
                + iif($coarse_procs = 1, ($coarse_top - 1) / 2, 0))
               / max(1, $coarse_procs - 1))
         AND (msg_size = 0 OR msg_size IN (SELECT msg_size FROM m, k
              WHERE j < $1 AND i =
               (j * ((SELECT count(*) FROM m) - 1) + ($1 - 1) / 2
                + iif($1 = 1, ((SELECT count(*) FROM m) - 1) / 2, 0))
               / max(1, $1 - 1)))"
}

# Of all coarse grids within a cost, take for each choice of process counts the
# one with most sizes; of these print the one with the least regret.
best_coarse() { # node-seconds
    all_procs=$(sqlite3 "$reference" "SELECT count(DISTINCT comm_size) FROM cell")
    all_sizes=$(sqlite3 "$reference" "SELECT count(DISTINCT msg_size) FROM cell
        WHERE msg_size > 0")
    best=
    for coarse_top in $(seq "$all_procs"); do
        for coarse_procs in $(seq "$coarse_top"); do
            # A single middle count equals the end of a smaller choice.
            [ "$coarse_procs" -gt 1 ] || [ $((coarse_top % 2)) -eq 1 ] || continue
            make_coarse 1
            awk "BEGIN { exit !($(cost "$work/try.db") <= $1) }" || continue
            largest make_coarse 1 "$all_sizes" "$1"
            sqlite3 "$work/try.db" "DELETE FROM decision"
            "$chorale" decide "$work/try.db" -q >/dev/null 2>&1
            regret=$("$chorale" evaluate "$work/try.db" --oracle "$oracle" \
                2>&1 | awk '/^all / { print $3 }')
            if [ -n "$regret" ] && { [ -z "$best" ] ||
                awk "BEGIN { exit !($regret < $best) }"; }; then
                best=$regret
                mv "$work/try.db" "$work/best.db"
            fi
        done
    done
    [ -n "$best" ] || mv "$work/try.db" "$work/best.db"
}

# Print the line of `evaluate` for all collectives, and the cost.
score() { # what, database
    sqlite3 "$2" "DELETE FROM decision"
    "$chorale" decide "$2" -q >/dev/null 2>&1
    printf '%-22s %9.2f %% ' "$1" \
        "$(awk "BEGIN { print 100 * $(cost "$2") / $whole }")"
    "$chorale" evaluate "$2" --oracle "$oracle" 2>&1 |
        awk '/^all / { printf "%10s %% %10s %% %10s %%\n", $3, $7, $9; n++ }
             END { if (!n) print "   no table: all is left to the library" }'
}

adapt() { # database, network, node-seconds
    while plan "$1" "$2" --adaptive --budget "${3}ns" 2>"$work/why"; do
        "$chorale" run "$1" -q || return
    done
}

one() { # network
    reference=$out/reference-$1.db
    whole=$stated
    if [ -z "$stated" ]; then
        plan "$reference" "$1" && "$chorale" run "$reference" -q || return
        whole=$(cost "$reference")
    fi
    echo "$1: the reference, $sizes at P = $procs, costs $whole node-seconds"
    printf '%-22s %11s %12s %12s %12s\n' "" cost regret worst captured
    oracle=$out/oracle-$1.db
    if [ -n "$sample" ]; then
        measure_all "$oracle" "$1" || return
    elif [ ! -e "$oracle" ]; then
        cp "$reference" "$oracle" || return
    fi
    for b in $budgets; do
        adapt "$out/adaptive-$1-$b.db" "$1" \
            "$(awk "BEGIN { printf \"%d\", $whole * $b / 100 }")" || return
        sqlite3 "$out/adaptive-$1-$b.db" "DELETE FROM decision"
        "$chorale" decide "$out/adaptive-$1-$b.db" -q >/dev/null 2>&1
        add_chosen "$out/adaptive-$1-$b.db" "$oracle" || return
    done
    for b in $budgets; do
        limit=$(awk "BEGIN { printf \"%d\", $whole * $b / 100 }")
        score "adaptive, $b %" "$out/adaptive-$1-$b.db"
        [ -z "$stated" ] || continue
        points=$(sqlite3 "$reference" "SELECT count(*) FROM
            (SELECT DISTINCT coll, msg_size, comm_size FROM cell)")
        for draw in 1 2 3; do
            largest make_random 1 "$points" "$limit"
            score "random $draw, $b %" "$work/try.db"
        done
        best_coarse "$limit"
        score "coarse grid, $b %" "$work/best.db"
        sqlite3 "$work/best.db" "SELECT '  of ' ||
            (SELECT group_concat(p, ' ') FROM
              (SELECT DISTINCT comm_size AS p FROM cell ORDER BY p)) ||
            ' processes, ' || count(DISTINCT msg_size) || ' sizes' FROM cell
            WHERE msg_size > 0"
    done
    for b in $budgets; do
        "$chorale" status "$out/adaptive-$1-$b.db" --rounds
    done
}

rc=0
for network in $networks; do
    one "$network" || rc=1
    echo
done
exit $rc
