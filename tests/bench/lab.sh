#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compare one start for many process counts with separate starts, on a private
# Slurm of four nodes on this machine (tests/slurm/cluster.sh; root) with shaped
# links: a bandwidth-bound emulation. Prints node-seconds of both ways and the
# ratios of medians.
#
#   lab.sh [-r RATE] [-o DIR] [-c LIST] [-m SIZES] [-P "SIZE..."] [-l LAUNCHES]
#          [-t TIME] [-s SECONDS]
#
# -r RATE      of each link, mbit/s (default: 200); blocks should be at least 8
#              times the 16 kB that are not shaped
# -o DIR       keep the databases there (default: do not keep)
# -c LIST      collectives (default: bcast,allreduce,allgather,reduce)
# -m SIZES     blocks (default: 128K,512K)
# -P "SIZE..." P:PPN each (default: 16:4 8:4 4:2, which are four, two and two
#              nodes)
# -l LAUNCHES  of each way, taken in turn (default: 6)
# -t TIME      time limit of a cell in a launch (default: 0.5s)
# -s SECONDS   additional start time of ranks, by a Slurm prolog that sleeps
#              (default: 0); starts on this machine are fast
case ${TMPDIR-} in /dev/shm*) TMPDIR=/tmp && export TMPDIR ;; esac
here=$(dirname "$0")
top_builddir=$(cd "${top_builddir:-.}" && pwd)
chorale=$top_builddir/chorale
rate=200 out='' colls=bcast,allreduce,allgather,reduce sizes=128K,512K
procs="16:4 8:4 4:2" launches=6 seconds=0.5s start=0
while getopts r:o:c:m:P:l:t:s: opt; do
    case $opt in
        r) rate=$OPTARG ;;
        o) out=$OPTARG ;;
        c) colls=$OPTARG ;;
        m) sizes=$OPTARG ;;
        P) procs=$OPTARG ;;
        l) launches=$OPTARG ;;
        t) seconds=$OPTARG ;;
        s) start=$OPTARG ;;
        *) exit 2 ;;
    esac
done
work=$(mktemp -d) || exit 3
. "$here/../slurm/cluster.sh"
reason=$(cluster_reason)
[ -z "$reason" ] || { echo "lab.sh: $reason" >&2; exit 3; }
trap 'cluster_down; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cluster_up 4 4 && cluster_shape "$rate" 4 || exit 3

LD_PRELOAD=$top_builddir/tests/mpi/.libs/libyield.so # more ranks than cores
SLURM_MPI_TYPE=pmi2
printf '#!/bin/sh\nsleep %s\n' "$start" >"$work/prolog.sh"
chmod +x "$work/prolog.sh"
for way in shared each; do
    for p in $procs; do
        on_head "$chorale" plan "$work/$way.db" -q -c "$colls" -m "$sizes" \
            -P "${p%:*}" --ppn "${p#*:}" --set core --launches 1 -i 8 \
            --min-iterations 4 --cell-time "$seconds" --launcher srun \
            --system lab --label $way || exit 3
    done
done
for launch in $(seq 1 "$launches"); do
    for way in shared each; do
        sqlite3 "$work/$way.db" "UPDATE cell SET launches = $launch"
        option=
        [ $way = shared ] || option=--one-launch-per-p
        on_head env LD_PRELOAD="$LD_PRELOAD" SLURM_MPI_TYPE=$SLURM_MPI_TYPE \
            SLURM_TASK_PROLOG="$work/prolog.sh" timeout 3000 "$chorale" run "$work/$way.db" -q $option || exit 3
    done
done
for way in shared each; do
    sqlite3 -separator ' ' "$work/$way.db" "SELECT '$way:', count(*),
        'starts,', sum(n) || ' launches,', round(sum(seconds), 1),
        'seconds,', round(sum(seconds * nodes), 1), 'node-seconds'
        FROM (SELECT count(*) AS n, max((comm_size + ppn - 1) / ppn) AS nodes,
            86400 * (max(julianday(finished)) - min(julianday(started)))
                AS seconds
            FROM launch JOIN environment USING (launch_id)
            WHERE key = 'launcher_command' GROUP BY value)"
done
sqlite3 "$work/shared.db" "SELECT comm_size, value FROM environment
    JOIN launch USING (launch_id) WHERE key = 'grouped' GROUP BY 1, 2"
sqlite3 "$work/shared.db" "SELECT 'exchanges at once: ' ||
    round(min(CAST(value AS REAL)), 2) || ' to ' ||
    round(max(CAST(value AS REAL)), 2) || ' times as long'
    FROM environment WHERE key = 'grouped_slowdown'"
# Ratio of each cell's times, with its 95 % interval over launches.
sqlite3 "$work/shared.db" "ATTACH '$work/each.db' AS each;
    CREATE TEMP VIEW seen AS SELECT 1 AS shared, c.comm_size, c.ppn, coll,
        variant, params, msg_size, ln(median) AS x FROM main.cell c
        JOIN main.run USING (cell_id) JOIN main.run_summary USING (run_id)
        UNION ALL SELECT 0, c.comm_size, c.ppn, coll, variant, params,
        msg_size, ln(median) FROM each.cell c JOIN each.run USING (cell_id)
        JOIN each.run_summary USING (run_id);
    CREATE TEMP VIEW side AS SELECT shared, comm_size, ppn, coll, variant,
        params, msg_size, count(*) AS k, avg(x) AS mean,
        max(avg(x * x) - avg(x) * avg(x), 0) / (count(*) - 1) AS var
        FROM seen GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING count(*) > 1;
    CREATE TEMP TABLE ratio AS SELECT comm_size, a.mean - b.mean AS x,
        sqrt(a.var + b.var) * (SELECT t FROM main.student_t
            WHERE df <= a.k + b.k - 2 ORDER BY df DESC LIMIT 1) AS half
        FROM (SELECT * FROM side WHERE shared) a
        JOIN (SELECT * FROM side WHERE NOT shared) b
        USING (comm_size, ppn, coll, variant, params, msg_size);
    SELECT 'P = ' || comm_size || ': ' || count(*) || ' cells, ratio of '
        || 'medians ' || round(exp(avg(x)), 3) || ' (geometric mean), from '
        || round(exp(min(x)), 3) || ' to ' || round(exp(max(x)), 3) || '; '
        || sum(abs(x) <= half) || ' agree within their intervals'
        FROM ratio GROUP BY comm_size"
[ -z "$out" ] || { mkdir -p "$out" && cp "$work"/*.db "$out"; }
