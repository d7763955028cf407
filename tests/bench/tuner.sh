#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fit, decide and generate on large databases: seconds and memory of each at
# 25 000, 50 000 and 100 000 cells; at 100 000 together at most 5 s and 500 MB.
# Also the exponent of the growth of time between the first and the last, which
# is about 1.1 for n log n. Too much memory makes this fail; times depend on the
# load.
#
#   tuner.sh [CELLS...]    default: 25000 50000 100000
#
# The cells are those of a plan of everything, with invented times: those of a
# tree of that radix or of a ring, with a factor of 10 % by the cell.
here=$(cd "${top_builddir:-.}" && pwd)
chorale=$here/chorale
store=$here/tests/bench/store
most=500 # MB
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
code=0
[ $# -gt 0 ] || set -- 25000 50000 100000
if [ ! -x "$store" ]; then
    echo "tuner.sh: $store is not built: make tests/bench/store" >&2
    exit 3
fi

cat >"$work/flat.xml" <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" speed="1Gf"
 radical="0-63" bw="10GBps" lat="0.5us" sharing_policy="SPLITDUPLEX"/></platform>
XML
# More than 100 000 cells: all variants, many sizes and process counts.
"$chorale" plan "$work/all.db" --launcher smpirun --network loggp \
    --platform "$work/flat.xml" --set all -m 8:1M:x4 -P 4,8,16,32 ||
    exit
total=$(sqlite3 "$work/all.db" "SELECT count(*) FROM cell")

# The first points of a fixed order, with all of their cells, measured in one
# launch per number of ranks.
fill() { # database, cells
    cp "$work/all.db" "$1"
    sqlite3 "$1" <<SQL
PRAGMA foreign_keys = off;
CREATE TEMP TABLE point AS SELECT coll, msg_size, comm_size, count(*) AS k
    FROM cell GROUP BY coll, msg_size, comm_size;
CREATE TEMP TABLE kept AS SELECT * FROM (SELECT coll, msg_size, comm_size,
    sum(k) OVER (ORDER BY (rowid * 2654435761) % 1000003) AS upto FROM point)
    WHERE upto <= $2;
DELETE FROM cell WHERE (coll, msg_size, comm_size) NOT IN
    (SELECT coll, msg_size, comm_size FROM kept);
INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal,
        comm_size, ppn, shape, seed, started, finished, status)
    SELECT comm_size, 'l' || comm_size, min(campaign_id), min(system_id), 0,
        comm_size, min(ppn), min(shape), 1, '2026-01-01', '2026-01-01', 'done'
    FROM cell GROUP BY comm_size;
INSERT INTO run (run_id, uuid, cell_id, launch_id, status, sync)
    SELECT cell_id, 'r' || cell_id, cell_id, comm_size, 'ok', 'barrier'
    FROM cell;
INSERT INTO run_summary (run_id, nrep, nlate, mean, median, min, max, p95, p99,
        q25, q75)
    SELECT cell_id, 2, 0, t, t, t, t, t, t, t, t FROM (SELECT cell_id,
        (CASE WHEN variant LIKE '%ring%' OR variant LIKE '%linear%'
              THEN comm_size - 1 ELSE log2(comm_size) END * 1e-6 +
         1.3 * max(n, msg_size) * 1e-10) *
        (1 + ((cell_id * 40503) % 1009) / 10090.0) AS t FROM cell);
SQL
}

first='' last=''
for cells; do
    [ "$cells" -le "$total" ] || {
        echo "tuner.sh: the plan has $total cells, not $cells" >&2
        exit 2
    }
    fill "$work/t.db" "$cells" || exit
    n=$(sqlite3 "$work/t.db" "SELECT count(*) FROM run")
    echo "# $n cells"
    start=$(date +%s.%N)
    for verb in "fit -q" "decide -q" "generate --format c -o $work/t.c"; do
        # shellcheck disable=SC2086
        "$store" memory $most "$chorale" ${verb%% *} "$work/t.db" \
            ${verb#* } >"$work/out.txt" 2>"$work/err.txt" || {
            code=1
            cat "$work/err.txt"
        }
        sed -n "s|^# $here/|# |p" "$work/out.txt"
    done
    last="$n $(date +%s.%N) $start"
    first=${first:-$last}
    echo "$last" | awk '{ printf "# %d cells: fit, decide, generate %.2f s", $1,
        $2 - $3; if ($1 > 90000) printf " (at most 5 s)%s",
        $2 - $3 > 5 ? " MISSED" : ""; print "" }'
done
echo "$first $last" | awk '$4 > $1 { printf "# time grows as cells ^ %.2f\n",
    log(($5 - $6) / ($2 - $3)) / log($4 / $1) }'
exit $code
