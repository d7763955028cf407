#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Regret of tables decided from a grid of points, compared with oracles at other
# points: sizes of 3 * 2^k and odd sizes, process counts between those of the
# grid; on simulated LogGP networks.
#
#   regret.sh [-o DIR] [-s NETWORKS] [-c LIST] [-m SIZES] [-n SIZES] [-P LIST]
#             [-Q LIST] [-N PERCENT] [-S SEED] [-x]
#
# -o DIR       keep the databases there, and resume with them
# -s NETWORKS  of flat (0.1 ns/B), slow (0.8 ns/B), fast (0.04 ns/B), tree (two
#              levels, 8 hosts share 4 uplinks), ppn (8 ranks per node);
#              default: all
# -c LIST      collectives (default: bcast,reduce,allreduce,allgather)
# -m SIZES     blocks of the grid (default: 8:128K)
# -n SIZES     blocks of the oracle
# -P LIST      process counts of the grid (default: 4,8,12,16,24,32,64; with 8
#              ranks per node also 9, 10, 18, 22, 28, 40 and 56, because 11 and
#              20 have partly filled nodes, which are a shape of their own)
# -Q LIST      of the oracle (default: 11,20,48)
# -N PERCENT   decide from times with log-normal noise of that width in 6
#              launches, as on a real system; the oracle stays exact
# -S SEED      of that noise (default: 1)
# -x           the oracle measures the chosen variants with all parameters of
#              `chorale list`, including those outside the set core
#
# Simulated time is exact. The oracles measure the set core, like the grid, and
# the table's choices. Exit code 1 if a measured choice is slower than the
# library, with exact times; with noise such choices should not occur either.
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
networks="flat slow fast tree ppn"
colls=bcast,reduce,allreduce,allgather
sizes=8:128K
others=24,37,96,515,1536,6144,10001,24576,98304,100003
procs=4,8,12,16,24,32,64
between=11,20,48
noise=0 seed=1 exhaust=no
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=$work
while getopts o:s:c:m:n:P:Q:N:S:x opt; do
    case $opt in
        o) out=$OPTARG ;;
        s) networks=$(echo "$OPTARG" | tr , ' ') ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        n) others=$OPTARG ;;
        P) procs=$OPTARG ;;
        Q) between=$OPTARG ;;
        N) noise=$OPTARG ;;
        S) seed=$OPTARG ;;
        x) exhaust=yes ;;
        *) exit 2 ;;
    esac
done
if [ ! -e "$here/chorale-runner-sim" ]; then
    echo "regret.sh: built without SimGrid" >&2
    exit 3
fi
mkdir -p "$out" || exit 3

platform() { # file, attributes of the cluster
    cat >"$1" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" speed="1Gf"
 sharing_policy="SPLITDUPLEX" $2/></platform>
XML
}
platform "$work/flat.xml" 'radical="0-63" bw="10GBps" lat="0.5us"'
platform "$work/slow.xml" 'radical="0-63" bw="1.25GBps" lat="0.5us"'
platform "$work/fast.xml" 'radical="0-63" bw="25GBps" lat="0.5us"'
platform "$work/tree.xml" 'radical="0-63" bw="10GBps" lat="0.25us"
 topology="FAT_TREE" topo_parameters="2;8,8;1,4;1,1"'
platform "$work/ppn.xml" 'radical="0-7" core="8" bw="10GBps" lat="0.5us"
 loopback_bw="20GBps" loopback_lat="0.1us"'

simulate() { # database, network, sizes, process counts, ranks a node, options
    simulate_db=$1 simulate_net=$2 simulate_m=$3 simulate_p=$4 simulate_ppn=$5
    shift 5
    "$chorale" plan "$simulate_db" -q --launcher smpirun \
        --platform "$work/$simulate_net.xml" --network loggp -c "$colls" \
        -m "$simulate_m" -P "$simulate_p" --ppn "$simulate_ppn" "$@" >/dev/null
}

measure() { # as simulate
    simulate "$@" && "$chorale" run "$1" -q
}

# Also measure the table's choices, with -x with all parameters.
add_chosen() { # table, oracle, network, ranks a node
    chosen=$(sqlite3 "$1" "SELECT group_concat(v) FROM (SELECT DISTINCT coll ||
        ':' || variant AS v FROM decision WHERE provider = 'chorale')")
    [ -n "$chosen" ] || return 0
    last=$(sqlite3 "$2" "SELECT max(cell_id) FROM cell")
    simulate "$2" "$3" "$others" "$between" "$4" --variants "$chosen" || return
    [ $exhaust = yes ] || sqlite3 "$2" "ATTACH '$1' AS t; DELETE FROM cell
        WHERE cell_id > $last AND (coll, variant, params) NOT IN
        (SELECT coll, variant, params FROM t.decision)" || return
    "$chorale" run "$2" -q
}

# Print the table's results; 1 if a measured choice is slower.
judge() { # table, oracle
    "$chorale" evaluate "$1" --oracle "$2" >"$work/judged" || return
    cat "$work/judged"
    awk '$1 == "all" { sub(/^.* (%|-) /, ""); n++; bad = !($2 == 0) }
         END { exit !n || bad }' "$work/judged"
}

# Add the noise of six launches of a real system: a log-normal factor per run,
# and one per launch. A launch there has all cells of its process count; the
# several launches of a database that grew are merged into one.
disturb() { # database
    sqlite3 "$1" "UPDATE OR IGNORE run SET launch_id = (SELECT min(m.launch_id)
        FROM launch l JOIN launch m USING (system_id, comm_size, ppn, shape)
        WHERE l.launch_id = run.launch_id AND m.status = 'done');
        SELECT run_id FROM run" | awk -v seed="$seed" '
        function normal() {
            return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand())
        }
        BEGIN { srand(seed); for (k = 0; k < 6; k++) shared[k] = normal() }
        { for (k = 0; k < 6; k++)
              printf "%.0f,%.9g\n", $1 + 1e9 * k, normal() + shared[k] }
        ' >"$work/noise.csv"
    sqlite3 "$1" <<SQL
UPDATE system SET kind = 'real';
CREATE TEMP TABLE l AS SELECT * FROM launch;
CREATE TEMP TABLE r AS SELECT r.*, s.median AS t
    FROM run r JOIN run_summary s USING (run_id);
CREATE TEMP TABLE k (i INTEGER);
INSERT INTO k VALUES (1), (2), (3), (4), (5);
INSERT INTO launch SELECT l.launch_id + 1000000 * i, l.uuid || '-' || i,
    campaign_id, system_id, i, comm_size, ppn, shape, siblings, part, seed,
    job_id, host_map, started, finished, status, reason FROM l, k;
INSERT INTO run SELECT run_id + 1000000000 * i, uuid || '-' || i, cell_id,
    launch_id + 1000000 * i, status, reason, stop_reason, validity,
    first_call, sync, batch, separator, clock_error, skew FROM r, k;
INSERT INTO run_summary SELECT run_id + 1000000000 * i, 2, 0, t, t, t, t, t, t,
    t, t, t, t FROM r, k;
CREATE TABLE noise (run_id INTEGER PRIMARY KEY, z REAL);
.mode csv
.import $work/noise.csv noise
UPDATE run_summary SET median = median * exp($noise / 100.0 *
    (SELECT z FROM noise WHERE noise.run_id = run_summary.run_id));
DROP TABLE noise;
SQL
}

one() { # network
    train=$out/train-$1.db oracle=$out/oracle-$1.db ppn=1
    grid=$procs
    if [ "$1" = ppn ]; then
        ppn=8
        [ "$procs" = "${procs%64}" ] && grid=$procs,9,10,18,22,28 ||
            grid=$procs,9,10,18,22,28,40,56
    fi
    measure "$train" "$1" "$sizes" "$grid" $ppn &&
        measure "$oracle" "$1" "$others" "$between" $ppn || return
    cp "$train" "$work/table.db"
    if [ "$noise" != 0 ]; then
        disturb "$work/table.db" || return
    fi
    "$chorale" decide "$work/table.db" -q || return
    add_chosen "$work/table.db" "$oracle" "$1" $ppn || return
    echo "$1, points of the grid"
    judge "$work/table.db" "$train"
    lost=$?
    echo "$1, points between"
    judge "$work/table.db" "$oracle" && return $lost
}

rc=0
for network in $networks; do
    one "$network" || rc=1
    echo
done
exit $rc
