#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `chorale history`: series over runs of the benchmark, their change points, and
# the picture.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99
schema=$top_srcdir/db/schema.sql

# Make a real system with RUNS campaigns of 4 launches and two cells; the cell
# of 1 KiB takes 8 % longer from run AT on.
database() { # file, first run, runs, at
    rm -f "$1"
    {
        cat "$schema"
        cat <<SQL
PRAGMA application_id = $((0x43484f52));
PRAGMA user_version = $(sed -n 's/.* database, version \([0-9]*\).*/\1/p' "$schema");
INSERT INTO system VALUES (1, 'sys', 'box', 'real', 'box', 'MPI 1', 'now');
CREATE TEMP TABLE k (i); WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL
    SELECT i + 1 FROM k WHERE i < 99) INSERT INTO k SELECT i FROM k;
INSERT INTO campaign (campaign_id, uuid, system_id, created, command, seed,
    launches, nrep_min, nrep_max, nwarmup, target_width, cell_seconds,
    max_memory, sync, launcher, label)
    SELECT i + 1, 'camp-' || ($2 + i), 1, 'now', 'made', 1, 4, 5, 100, 1, 0.02,
    1, 1048576, 'barrier', 'custom', 'v' || ($2 + i) FROM k WHERE i < $3;
INSERT INTO cell (uuid, campaign_id, system_id, provider, variant, coll,
    msg_size, n, comm_size, ppn, shape, dtype, root_policy, buffers, launches)
    SELECT 'cell-' || i, 1, 1, 'chorale', 'binomial', 'bcast', 1024 << i,
    1024 << i, 2, 2, 'single-node', 'byte', 'rotate', 'warm', 4
    FROM k WHERE i < 2;
INSERT INTO launch (launch_id, uuid, campaign_id, system_id, ordinal, comm_size,
    ppn, shape, seed, started, finished, status)
    SELECT c.campaign_id * 4 + k.i, c.uuid || '-' || k.i, c.campaign_id, 1, k.i,
    2, 2, 'single-node', 1, printf('2026-01-%02dT01:%02d:00Z',
    $2 + c.campaign_id, k.i), 'then', 'done' FROM campaign c, k WHERE k.i < 4;
CREATE TEMP TABLE made (launch, cell, seconds);
INSERT INTO made SELECT launch_id, cell_id, 2e-6 * cell_id *
    (1 + ((($2 + l.campaign_id) * 5 + ordinal * 7 + cell_id * 3) % 11 - 5)
        * 0.003)
    * iif(cell_id = 1 AND $2 + l.campaign_id > $4, 1.08, 1)
    FROM cell c, launch l;
INSERT INTO run (run_id, uuid, cell_id, launch_id, status, stop_reason)
    SELECT rowid, '$1-' || rowid, cell, launch, 'ok', 'width' FROM made;
INSERT INTO run_summary (run_id, nrep, nlate, median, mean, min, q25, q75, p95,
    p99, max) SELECT rowid, 9, 0, seconds, seconds, seconds, seconds, seconds,
    seconds, seconds, seconds FROM made;
SQL
    } | sqlite3 "$1"
}

database all.db 0 24 15 2>err.txt
ok $? "a database of 24 runs is made"
out=$("$chorale" history all.db)
is $? 0 "history exits with 0"
like "$out" '^v1[456] .* \+[78]\.[0-9]+ % .*2026-01-1[567]T.*bcast binomial; m = 1 KiB.*p = 0.000' \
    "the change is found within one run, with its p"
like "$out" '^1 of 2 cells changed over 24 runs' "no other change is found"
out=$("$chorale" history all.db --threshold 9%)
like "$out" '^0 of 2 cells changed' "--threshold hides smaller changes"
out=$("$chorale" history all.db -c allreduce)
like "$out" '^0 of 0 cells' "-c limits the collectives"
is "$("$chorale" history all.db --points | grep -c '^  [* ] v[0-9]* ')" 48 \
    "--points prints every run of every cell"
is "$("$chorale" history all.db --json | python3 -c 'import json, sys
d = json.load(sys.stdin)
c = [x for x in d if x["changes"]]
print(len(d), len(c), len(c[0]["values"]), 13 <= c[0]["changes"][0]["first"] <= 17,
      1.07 < c[0]["changes"][0]["ratio"] < 1.09)')" "2 1 24 True True" "JSON"

# Several files in any order give the same series.
database a.db 0 12 15
database b.db 12 12 15
"$chorale" history b.db a.db --json >ba.json
"$chorale" history all.db --json >all.json
is "$(python3 -c 'import json
f = lambda n: [[(v["label"], round(v["seconds"], 12)) for v in c["values"]]
               for c in json.load(open(n))]
print(f("ba.json") == f("all.json"))')" True "two files give the same series"
"$chorale" history a.db >out.txt 2>err.txt
is "$? $(cat err.txt)" "75 chorale: no verdict: 12 runs are too few for p \
0.001; measure more, or use a larger --significance" \
    "twelve runs are too few for a verdict"
"$chorale" history a.db --significance 0.01 >out.txt 2>err.txt
is $? 0 "twelve runs are enough for a larger p"
cp a.db back.db
sqlite3 back.db "UPDATE cell SET metric = 'throughput'"
"$chorale" history back.db >out.txt 2>err.txt
is "$? $(cut -d\; -f 1 err.txt)" "4 chorale: back.db: history is of durations, \
but the cells measured are 2 of throughput" "throughput has no history"

is "$("$chorale" history a.db -c allreduce | wc -l)" 1 \
    "only cells of -c are counted"

# Files of two systems make one series, with a warning.
cp b.db c.db
sqlite3 c.db "UPDATE system SET name = 'crate'"
"$chorale" history a.db b.db c.db >/dev/null 2>err.txt
is "$?$(cat err.txt)" \
    "0chorale: two systems: box in a.db, crate in c.db; they may cause the differences" \
    "two systems"
"$chorale" history a.db b.db >/dev/null 2>err.txt
is "$?$(cat err.txt)" 0 "one system gives no warning"
is "$(python3 -c 'import json
print({c["provider"] for c in json.load(open("all.json"))})')" "{'chorale'}" \
    "JSON has the provider"

# The picture.
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    "$chorale" history all.db --plot pics --format svg >out.txt
    is $? 0 "--plot exits with 0"
    like "$(tail -1 out.txt)" '^1 picture in pics' "--plot makes one picture"
    xmllint --noout pics/*.svg
    ok $? "the picture is SVG"
    grep -q '>+[78]\.[0-9]* %<' pics/*.svg && grep -q '>v0<' pics/*.svg
    ok $? "the picture has the change and the labels"
    like "$(cat pics/*.dat)" '^1[34567]\.5 "\+[78]' \
        "the data file has the change"
    "$chorale" history all.db --plot paper --format pdf >/dev/null
    is "$? $(head -c 5 paper/*.pdf)" "0 %PDF-" "the picture can be PDF"
    "${GNUPLOT:-gnuplot}" -d -c "$top_srcdir/plots/history.gp" paper/*.dat \
        by-hand.pdf pdf 'by hand' >out.txt 2>&1
    is "$? $(cat out.txt) $(head -c 5 by-hand.pdf)" "0  %PDF-" \
        "the script called directly draws the data"
else
    skip "no gnuplot" "the picture"
fi

# Hostile labels.
sqlite3 all.db "UPDATE campaign SET label = 'v'';\`touch x\`\"' || char(10) || campaign_id"
"$chorale" history all.db --plot evil >/dev/null
is $? 0 "hostile labels exit with 0"
[ ! -e x ] && [ ! -e evil/x ]
ok $? "hostile labels are not executed"
finish
