#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The catalogue as `list` prints it and `plan` uses it: the core set, reasons of
# omitted variants, patented variants, cells that end the program.
. "$(dirname "$0")/../../lib.sh"

"$chorale" list --json >"$work/list.json" &&
    "$chorale" list --missing --json >"$work/missing.json"
ok $? "list prints the catalogue and the omitted variants as JSON"
python3 - "$work" <<'PY' >"$work/facts"
import json, re, sys
have, missing = (json.load(open(f"{sys.argv[1]}/{name}.json"))
                 for name in ("list", "missing"))
there = {(v["coll"], v["variant"]) for v in have}
for coll in sorted({v["coll"] for v in have}):
    for where in ("flat", "levels"):
        n = sum(v["core_where"] in (where, "anywhere")
                for v in have if v["coll"] == coll)
        if not 1 <= n <= 6:
            print("core", coll, where, n)
for v in have:
    name = v["coll"], v["variant"]
    if not v["order"] and v["coll"] in ("reduce", "allreduce", "scan", "exscan",
                                        "reduce_scatter", "reduce_scatter_block"):
        print("order", *name)
    if v["cost_is"] == "bound" and "<=" not in v["cost"]:
        print("bound", *name)
for m in missing:
    name = m["coll"], m["name"]
    if name in there or len(m["reason"]) < 20 or not m["source"]:
        print("missing", *name)
# A publication is cited in one way: by number or by letters.
written = {}
for source in {s for e in have + missing for s in e["source"].split("; ")}:
    same = tuple(re.findall(r"\d{4}\.\d{5}", source)) or \
        re.sub("[^a-z0-9]", "", source.lower())
    if written.setdefault(same, source) != source:
        print("source", source, "and", written[same])
print("total", len(have))
PY
ok $? "the JSON is complete"
none() { # kind of fault, name
    is "$(grep "^$1 " "$work/facts")" "" "$2"
}
none core "every collective has a core set of one to six variants, flat and in levels"
none order "every reduction states its order"
none bound "every bound has <= in its cost"
none missing "every omitted variant has a reason and a source, and is not in the list"
none source "a publication is cited in one way"
total=$(sed -n 's/^total //p' "$work/facts")
is "$("$chorale" list --counts | awk '$1 == "all" { print $2 } $1 != "all" { n += $2 }
    END { print n }' | sort -u)" "$total" "list --counts adds up"
is "$("$chorale" list | LC_ALL=C grep -c '.\{81\}')" 0 "list has no line above 80 columns"
is "$("$chorale" list --missing | LC_ALL=C grep -c '.\{81\}')" 0 \
    "list --missing has no line above 80 columns"
like "$("$chorale" list bcast)" 'needs    P of 3 or more' \
    "the needs of a variant have what it refuses"
like "$("$chorale" list reduce)" 'computed: exact' \
    "an exact cost with a rough formula is marked"
is "$("$chorale" list | awk '/^      cost / { all = all "\n" } /^      [a-z]/ { on = /^      cost / }
    on { all = all $0 } END { print all }' | grep -c 'cost     <=.*(exact\|<=.*(exact)')" 0 \
    "no formula with <= is marked exact"
case $("$chorale" --version) in
    *patented=no*) skip "built without them" "patents are shown" ;;
    *) like "$("$chorale" list gather)" 'patents  US 8,140,826' "patents are shown" ;;
esac
like "$("$chorale" list alltoall | sed -n '/^  pairwise_replace/,/^  [a-z]/p')" \
    'scratch  0 bytes, 65536 in place' \
        "list prints the scratch of calls in place"
like "$("$chorale" list scatter)" 'never ' \
    "a variant that is never chosen is marked"

"$chorale" plan "$work/p.db" --set frob 2>"$work/err"
is $? 2 "an unknown --set is refused"
[ -x "$top_builddir/chorale-runner-sim" ] || { finish; exit; }

platform "$work/flat.xml" 0.5 1250000000 16
sim="--launcher smpirun --platform $work/flat.xml"
# shellcheck disable=SC2086
"$chorale" plan "$work/core.db" $sim -m 64K -P 8 -q
is "$(sqlite3 "$work/core.db" "SELECT max(v) <= 6 AND max(s) <= 5 FROM
    (SELECT count(DISTINCT variant) v FROM cell WHERE provider = 'chorale' GROUP BY coll),
    (SELECT count(*) s FROM cell WHERE provider = 'chorale' GROUP BY coll, variant)")" 1 \
    "the core plan has at most six variants with at most five values each"
# shellcheck disable=SC2086
"$chorale" plan "$work/levels.db" $sim -m 64K -P 4,8 --ppn 4 -q
is "$(sqlite3 "$work/levels.db" "SELECT max(v) <= 6 AND max(s) <= 5 FROM
    (SELECT count(DISTINCT variant) v FROM cell WHERE provider = 'chorale'
        AND comm_size = 8 GROUP BY coll),
    (SELECT count(*) s FROM cell WHERE provider = 'chorale' AND comm_size = 8
        GROUP BY coll, variant)")" 1 \
            "nodes of several ranks do not enlarge it"
is "$(sqlite3 "$work/levels.db" "SELECT comm_size, group_concat(DISTINCT coll)
    FROM (SELECT comm_size, coll FROM cell WHERE variant = 'two_level'
        ORDER BY coll) GROUP BY comm_size")" \
    "8|allgather,allreduce,barrier,bcast,gather,gatherv,reduce,scan,scatter,scatterv" \
    "the core plan has two-level variants if there are several nodes"
is "$(sqlite3 "$work/levels.db" "SELECT DISTINCT comm_size FROM cell
    WHERE coll = 'bcast' AND variant = 'binary'")" 4 \
    "two-level variants replace binary in the core plan"
is "$(sqlite3 "$work/core.db" "SELECT group_concat(params, ' ') FROM
    (SELECT params FROM cell WHERE coll = 'bcast' AND variant = 'binary'
     ORDER BY params)")" 'segsize=16384 segsize=32768 segsize=4096 segsize=8192' \
    "core segment sizes are the best ones on a typical network"
"$chorale" plan "$work/short.db" $sim -m 8,1K -P 8 -q
is "$(sqlite3 "$work/short.db" "SELECT count(*) FROM cell
    WHERE coll = 'bcast' AND variant = 'binary' AND n = 8")" 1 \
    "segments longer than the data are not tried twice"
is "$(sqlite3 "$work/core.db" "SELECT count(*) FROM cell WHERE coll = 'barrier' AND msg_size <> 0")" 0 \
    "a barrier has no size"
# Named variants are planned even if others do the same.
names=$("$chorale" list | sed -n 's/^  \([a-z][a-z0-9_]*\) .*/\1/p' | sort -u |
    paste -sd , -)
# shellcheck disable=SC2086
"$chorale" plan "$work/all.db" $sim -m 64K -P 8 --variants "$names" -q
is "$(sqlite3 "$work/all.db" "SELECT count(*) FROM
    (SELECT DISTINCT coll, variant FROM cell WHERE provider = 'chorale')")" "$total" \
    "every variant can be named"
# shellcheck disable=SC2086
"$chorale" plan "$work/once.db" $sim -m 64K -P 8 --set all -q
is "$(sqlite3 "$work/once.db" "ATTACH '$work/all.db' AS more;
    SELECT count(*) < (SELECT count(*) FROM more.cell),
        count(*) = (SELECT count(*) FROM more.cell JOIN main.cell
                     USING (coll, variant, params)) FROM main.cell")" "1|1" \
    "--set all plans the same, but equal candidates once"
is "$(sqlite3 "$work/all.db" "SELECT group_concat(DISTINCT params) FROM cell
    WHERE coll = 'gather' AND variant = 'knomial'")" \
    "radix=2,radix=3,radix=4,radix=8" \
        "radixes go up to the first that covers all ranks"
# --set with --variants selects the parameter values.
# shellcheck disable=SC2086
"$chorale" plan "$work/few.db" $sim -m 64K -P 8 --variants bcast:binary,ring \
    --set core -q
is "$(sqlite3 "$work/few.db" "ATTACH '$work/core.db' AS core;
    SELECT group_concat(DISTINCT a.variant), count(*) = (SELECT count(*)
        FROM core.cell b WHERE b.coll = 'bcast' AND b.variant = 'binary')
    FROM main.cell a WHERE a.coll = 'bcast' AND a.provider = 'chorale'")" \
    "binary|1" "--variants with --set core plans the values of the core plan"
is "$(sqlite3 "$work/few.db" "SELECT count(*) > 0 FROM cell
    WHERE coll = 'allgather' AND variant = 'ring'")" 1 \
        "--variants with --set core plans each variant"
# shellcheck disable=SC2086
"$chorale" plan "$work/each.db" $sim -m 64K -P 8 --variants bcast:binary -q
is "$(sqlite3 "$work/each.db" "ATTACH '$work/all.db' AS more;
    SELECT count(*) = (SELECT count(*) FROM more.cell b
        WHERE b.coll = 'bcast' AND b.variant = 'binary')
    FROM main.cell a WHERE a.coll = 'bcast' AND a.provider = 'chorale'")" 1 \
    "--variants without --set plans all values"

# Values derived from the number of ranks and the size, for 30 ranks and 192
# KiB. 6 is the square root of 30, rounded up; 5 is a side of its meshes. Only
# the full set has trees of 6 children, 5 columns of rows of a third dimension,
# and the usual requests and segments. For two trees the model's best is
# sqrt(5 * 192 KiB * 0.1 ns / (2 * 1 us)) = 7 segments per half; 3 and 14 are
# tried too. An allgather on circulant graphs splits each rank's 192 KiB:
# sqrt(4 * 192 KiB * 0.1 ns / 1 us) = 9 blocks; 4 and 18 are tried, never 49.
# given DB: print the values of this list that DB has, with their variants.
given() {
    sqlite3 "$1" "WITH want(c, v, p) AS (VALUES
        ('barrier', 'kary_tree', 'fanin=6'),
        ('barrier', 'k_dissemination', 'radix=6'),
        ('bcast', 'circulant', 'nblocks=9'),
        ('bcast', 'double_tree', 'segsize=14044'),
        ('bcast', 'double_tree', 'segsize=32768'),
        ('bcast', 'double_tree', 'segsize=7022'),
        ('bcast', 'scatter_recexch_allgather', 'scatter_radix=6'),
        ('bcast', 'two_level', 'segsize=1024'),
        ('allgather', 'circulant', 'nblocks=18'),
        ('allgather', 'circulant', 'nblocks=49'),
        ('allgather', 'mesh3d', 'cols=5'),
        ('reduce', 'chain', 'max_reqs=64'))
    SELECT group_concat(v || ':' || p, ' ') FROM want WHERE EXISTS (
        SELECT 1 FROM cell WHERE coll = c AND variant = v
        AND ',' || params || ',' LIKE '%,' || p || ',%')"
}
wide="-c barrier,bcast,allgather,reduce -m 192K -P 30 --ppn 10 -q"
# shellcheck disable=SC2086
"$chorale" plan "$work/wide.db" $sim $wide --set all
is "$(given "$work/wide.db")" "kary_tree:fanin=6 k_dissemination:radix=6 \
circulant:nblocks=9 double_tree:segsize=14044 double_tree:segsize=32768 \
double_tree:segsize=7022 scatter_recexch_allgather:scatter_radix=6 \
two_level:segsize=1024 circulant:nblocks=18 mesh3d:cols=5 chain:max_reqs=64" \
    "the full set has the values derived from the point"
# shellcheck disable=SC2086
"$chorale" plan "$work/less.db" $sim $wide --set core
is "$(sqlite3 "$work/less.db" "SELECT count(*) FROM cell WHERE
    params LIKE '%max_reqs=64%' OR params LIKE '%fanin=6%' OR
    variant = 'two_level' AND params LIKE '%segsize=1024' OR
    variant = 'double_tree' AND params = 'segsize=7022'")" 0 \
    "smaller sets lack the values of the full set"

# SimGrid's pair alltoall ends the program with an odd number of ranks.
# shellcheck disable=SC2086
"$chorale" plan "$work/bad.db" $sim -c alltoall -m 8,1K -P 3 -q \
    --sim-selector mpich,alltoall:pair &&
    "$chorale" run "$work/bad.db" -q 2>"$work/err"
ok $? "a campaign survives a cell that ends the program"
is "$(sqlite3 "$work/bad.db" "SELECT group_concat(DISTINCT status || provider) FROM run
    JOIN cell USING (cell_id) WHERE status NOT IN ('ok', 'inapplicable')")" \
    failedlibrary "only that cell has failed"
is "$(sqlite3 "$work/bad.db" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "all other cells are done"

# Patented variants and studies are not chosen, even if they are fastest.
case $("$chorale" --version) in *patented=no*) finish; exit ;; esac
db=$work/pat.db
# shellcheck disable=SC2086
"$chorale" plan "$db" $sim -c gather,scatter -m 64 -P 4 -q \
    --variants gather:or_whole,scatter:resilient && "$chorale" run "$db" -q
ok $? "the combining gather and the checked scatter are measured"
is "$(sqlite3 "$db" "SELECT count(DISTINCT variant) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale' AND status = 'ok'")" 2 "both run with right data"
is "$(sqlite3 "$db" "SELECT count(*) > 0 FROM run JOIN cell USING (cell_id)
    WHERE params LIKE '%base=library%' AND status = 'ok'")" 1 \
    "base=library runs with right data"
sqlite3 "$db" "UPDATE run_summary SET median = median / 1e6, mean = mean / 1e6,
    lo = lo / 1e6, hi = hi / 1e6, min = min / 1e6, max = max / 1e6
    WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
                     WHERE provider = 'chorale')"
"$chorale" decide "$db" -q
ok $? "decide exits with 0"
is "$(sqlite3 "$db" "SELECT count(*) FROM decision WHERE provider = 'chorale'")" 0 \
    "neither is chosen, although both are fastest"
"$chorale" decide "$db" -q --allow-patented
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT variant) FROM decision WHERE provider = 'chorale'")" \
    or_whole "--allow-patented admits the patented variant, but not the study"
"$chorale" generate "$db" -o "$work/t.c" 2>"$work/err"
is $? 4 "generate refuses a patented choice"
like "$(cat "$work/err")" 'or_whole: patented' \
    "the error names the patented choice"
"$chorale" generate "$db" -o "$work/t.c" --allow-patented >/dev/null
ok $? "generate --allow-patented writes it"
finish
