#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Regret of tables that `chorale tune` would decide, compared with the best of
# the whole catalogue (--set all): at points of the grid that it measures, and
# at others; on simulated LogGP networks.
#
#   regret.sh [-o DIR] [-s NETWORKS] [-t SET] [-c LIST] [-m SIZES] [-n SIZES]
#             [-P LIST] [-Q LIST] [-N PERCENT] [-S SEED]
#
# -o DIR       keep the databases there, and resume with them
# -s NETWORKS  of flat (0.1 ns/B), slow (0.8 ns/B), fast (0.04 ns/B), tree (two
#              levels, 8 hosts share 4 uplinks), ppn (8 ranks per node), and
#              any number: the seed of a flat network of random latency (0.3 to
#              20 us) and bandwidth (0.1 to 25 GB/s); default: 1 to 10, tree and
#              ppn
# -t SET       what the table is decided from: model, in rounds, or core; each
#              has databases of its own (default: model)
# -c LIST      collectives (default: bcast,reduce,allreduce,allgather)
# -m SIZES     blocks of the grid (default: 8:128K:x4)
# -n SIZES     blocks of the other points
# -P LIST      process counts of the grid (default: 4,8,16,32; with 8 ranks per
#              node also 9, 10, 18, 22 and 28, because 11 and 20 have partly
#              filled nodes, which are a shape of their own)
# -Q LIST      of the other points (default: 8,11,20)
# -N PERCENT   decide from times with log-normal noise of that width in 6
#              launches, as on a real system; the oracle stays exact
# -S SEED      of that noise (default: 1)
#
# Simulated time is exact. The oracles measure the whole catalogue, patented
# variants too, and the table's choices, whose parameters may lie between the
# listed ones. Each part prints the cells that the table needed, and the seconds
# that planning its rounds took. Exit code 1 if a measured choice is slower than
# the library, with exact times; with noise such choices should not occur
# either.
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
. "$(dirname "$0")/oracle.sh"
networks="1 2 3 4 5 6 7 8 9 10 tree ppn"
colls=bcast,reduce,allreduce,allgather
sizes=8:128K:x4
others=24,96,515,1536,6144,24576,100003
procs=4,8,16,32
between=8,11,20
noise=0 seed=1 set=model
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
out=$work
while getopts o:s:t:c:m:n:P:Q:N:S: opt; do
    case $opt in
        o) out=$OPTARG ;;
        s) networks=$(echo "$OPTARG" | tr , ' ') ;;
        t) set=$OPTARG ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        n) others=$OPTARG ;;
        P) procs=$OPTARG ;;
        Q) between=$OPTARG ;;
        N) noise=$OPTARG ;;
        S) seed=$OPTARG ;;
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

# Flat networks of random latency and bandwidth. The latency is that of two
# links.
for network in $networks; do
    case $network in
        *[!0-9]*) ;;
        *) platform "$work/$network.xml" "radical=\"0-63\" $(awk -v \
            seed="$network" 'BEGIN { srand(seed)
                printf "lat=\"%.4fus\"", 0.15 * exp(log(20 / 0.3) * rand())
                printf " bw=\"%.4fGBps\"", 0.1 * exp(log(250) * rand()) }')" ;;
    esac
done

simulate() { # database, network, sizes, process counts, ranks a node, options
    simulate_db=$1 simulate_net=$2 simulate_m=$3 simulate_p=$4 simulate_ppn=$5
    shift 5
    "$chorale" plan "$simulate_db" -q --launcher smpirun \
        --platform "$work/$simulate_net.xml" --network loggp -c "$colls" \
        -m "$simulate_m" -P "$simulate_p" --ppn "$simulate_ppn" "$@" >/dev/null
}

seconds() {
    date +%s.%N
}

# Measure what the table is decided from, in rounds; prints cells and seconds of
# planning.
train() { # as simulate
    train_seconds=0
    while train_begin=$(seconds) &&
        simulate "$@" --set "$set" --allow-patented 2>"$work/why"; do
        train_seconds=$(echo "$train_seconds $train_begin $(seconds)" |
            awk '{ print $1 + $3 - $2 }')
        "$chorale" run "$1" -q || return
        [ "$set" = model ] || break
    done
    grep -v "no further round" "$work/why" && return 1
    echo "$(sqlite3 "$1" "SELECT count(*) || ' cells at ' ||
        count(DISTINCT coll || ' ' || msg_size || ' ' || comm_size) ||
        ' points in ' || count(DISTINCT campaign_id) || ' rounds' FROM cell"),\
 $train_seconds s of planning"
}

# Print the table's results; 1 if a measured choice is slower.
judge() { # table, oracle
    "$chorale" evaluate "$1" --oracle "$2" --allow-patented \
        >"$work/judged" || return
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
    train=$out/$set-$1.db ppn=1
    grid=$procs
    if [ "$1" = ppn ]; then
        ppn=8
        grid=$procs,9,10,18,22,28
    fi
    echo "$1: $(sed -n 's/.*SPLITDUPLEX" //p' "$work/$1.xml")"
    train "$train" "$1" "$sizes" "$grid" $ppn || return
    for part in grid other; do
        oracle=$out/$part-$1.db
        if [ $part = grid ]; then
            simulate "$oracle" "$1" "$sizes" "$procs" $ppn --set all
        else
            simulate "$oracle" "$1" "$others" "$between" $ppn --set all
        fi && "$chorale" run "$oracle" -q || return
    done
    cp "$train" "$work/table.db"
    if [ "$noise" != 0 ]; then
        disturb "$work/table.db" || return
    fi
    "$chorale" decide "$work/table.db" --allow-patented -q || return
    for part in grid other; do
        add_chosen "$work/table.db" "$out/$part-$1.db" || return
    done
    echo "points of the grid"
    judge "$work/table.db" "$out/grid-$1.db"
    lost=$?
    echo "other points"
    judge "$work/table.db" "$out/other-$1.db" && return $lost
}

rc=0
for network in $networks; do
    one "$network" || rc=1
    echo
done
exit $rc
