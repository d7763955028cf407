#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The catalogue as people and plans see it: counts, what is missing, the core
# set, patents that stay out of tables, and cells that end the program.
. "$(dirname "$0")/../lib.sh"

"$chorale" list --json >"$work/list.json"
ok $? "list --json"
"$chorale" list --missing --json >"$work/missing.json"
ok $? "list --missing --json"
python3 - "$work/list.json" "$work/missing.json" >"$work/facts" <<'PY'
import json, sys
have, miss = (json.load(open(f)) for f in sys.argv[1:3])
names = {(v["coll"], v["variant"]) for v in have}
print("both", sorted(n for n in names if n in {(m["coll"], m["name"]) for m in miss}))
print("noreason", [m["name"] for m in miss if len(m["reason"]) < 20 or not m["source"]])
core = {}
for v in have:
    core[v["coll"]] = core.get(v["coll"], 0) + v["core"]
print("core", max(core.values()), min(core.values()))
print("colls", len(core))
print("noorder", [v["variant"] for v in have if not v["order"] and
      v["coll"] in ("reduce", "allreduce", "scan", "exscan", "reduce_scatter", "reduce_scatter_block")])
print("total", len(have))
print("refusals", sum(v["constraint"] is not None for v in have) >= 20,
      sorted({v["overlaps"] for v in have}))
PY
like "$(grep '^both' "$work/facts")" '^both \[\]$' "nothing is both there and missing"
like "$(grep '^noreason' "$work/facts")" '^noreason \[\]$' "what is missing has a reason and a source"
like "$(grep '^core' "$work/facts")" '^core [1-6] [1-6]$' "every collective has a core set of at most six"
is "$(grep '^colls' "$work/facts")" "colls 16" "there are sixteen collectives"
like "$(grep '^noorder' "$work/facts")" '^noorder \[\]$' "every reduction says its order"
is "$(grep '^refusals' "$work/facts")" "refusals True ['always', 'never', 'some']" \
    "constraints are told, and overlaps"
is "$("$chorale" list | LC_ALL=C grep -c '.\{81\}')" 0 "list has no line above 80 columns"
is "$("$chorale" list --missing | LC_ALL=C grep -c '.\{81\}')" 0 "nor has list --missing"
like "$("$chorale" list bcast)" 'needs    P of 3 or more' "what a variant refuses is among its needs"
like "$("$chorale" list reduce)" 'computed: exact' "an exact cost with a rough formula says so"
print_costs="import json, sys
for v in json.load(open('$work/list.json')):
    if ('<=' in v['cost']) < (v['cost_is'] == 'bound'): print(v['coll'], v['variant'])"
is "$(python3 -c "$print_costs")" "" "every bound says <="
is "$("$chorale" list | awk '/^      cost / { all = all "\n" } /^      [a-z]/ { on = /^      cost / }
    on { all = all $0 } END { print all }' | grep -c 'cost     <=.*(exact\|<=.*(exact)')" 0 \
    "and no formula with <= is called exact"
total=$(sed -n 's/^total //p' "$work/facts")
is "$("$chorale" list --counts | awk '$1 != "all" { n += $2 } END { print n }')" "$total" \
    "list --counts adds up"
like "$("$chorale" list --help)" "catalogue of $total variants" "the help, and so the man page, has the count"
case $("$chorale" --version) in
    *patented=no*)
        skip "README counts them all" "and so has README"
        skip "built without them" "patents are shown"
        ;;
    *)  grep -q "$total variants" "$top_srcdir/README.md"
        ok $? "and so has README"
        like "$("$chorale" list gather)" 'patents  US 8,140,826' "patents are shown" ;;
esac
like "$("$chorale" list scatter)" 'never ' "what is never chosen says so"

"$chorale" plan "$work/p.db" --set frob 2>"$work/err"
is $? 2 "--set of something else is refused"
[ -x "$top_builddir/chorale-runner-sim" ] || { finish; exit; }

platform "$work/flat.xml" 0.5 1250000000 16
sim="--launcher smpirun --platform $work/flat.xml"
# shellcheck disable=SC2086
"$chorale" plan "$work/core.db" $sim -m 64K -P 8 -q
is "$(sqlite3 "$work/core.db" "SELECT max(v) <= 6 AND max(s) <= 2 FROM
    (SELECT count(DISTINCT variant) v FROM cell WHERE provider = 'chorale' GROUP BY coll),
    (SELECT count(*) s FROM cell WHERE provider = 'chorale' GROUP BY coll, variant)")" 1 \
    "the core plan has at most six variants, each in one or two ways"
is "$(sqlite3 "$work/core.db" "SELECT count(*) FROM cell WHERE coll = 'barrier' AND msg_size <> 0")" 0 \
    "a barrier has no size"
# shellcheck disable=SC2086
"$chorale" plan "$work/all.db" $sim -m 64K -P 8 --set all -q
is "$(sqlite3 "$work/all.db" "SELECT count(*) FROM
    (SELECT DISTINCT coll, variant FROM cell WHERE provider = 'chorale')")" "$total" \
    "--set all plans every variant"
# shellcheck disable=SC2086
"$chorale" plan "$work/near.db" $sim -m 64K -P 8 --set near -q
is "$(sqlite3 "$work/near.db" "SELECT count(*) FROM
    (SELECT DISTINCT coll, variant FROM cell WHERE provider = 'chorale')")" "$total" \
    "--set near plans every variant"
is "$(sqlite3 "$work/near.db" "ATTACH '$work/all.db' AS more;
    SELECT 2 * count(*) < (SELECT count(*) FROM more.cell) AND
        count(*) = (SELECT count(*) FROM more.cell JOIN main.cell
                     USING (coll, variant, params)) FROM main.cell")" 1 \
    "with less than half of its cells, all of which --set all has"

# A library that ends the program: SimGrid's pair alltoall at an odd number.
# shellcheck disable=SC2086
"$chorale" plan "$work/bad.db" $sim -c alltoall -m 8,1K -P 3 -q \
    --sim-selector mpich,alltoall:pair &&
    "$chorale" run "$work/bad.db" -q 2>"$work/err"
ok $? "a campaign survives a cell that ends the program"
is "$(sqlite3 "$work/bad.db" "SELECT group_concat(DISTINCT status || provider) FROM run
    JOIN cell USING (cell_id) WHERE status NOT IN ('ok', 'inapplicable')")" \
    failedlibrary "that cell alone has failed"
is "$(sqlite3 "$work/bad.db" "SELECT sum(planned) = sum(done) FROM v_progress")" 1 \
    "and the others are done"

# Whatever the measurements say, patents and studies stay out.
case $("$chorale" --version) in *patented=no*) finish; exit ;; esac
db=$work/pat.db
# shellcheck disable=SC2086
"$chorale" plan "$db" $sim -c gather,scatter -m 64 -P 4 -q \
    --variants gather:or_whole,scatter:resilient && "$chorale" run "$db" -q
ok $? "the combining gather and the checked scatter are measured"
is "$(sqlite3 "$db" "SELECT count(DISTINCT variant) FROM run JOIN cell USING (cell_id)
    WHERE provider = 'chorale' AND status = 'ok'")" 2 "both run and are right"
is "$(sqlite3 "$db" "SELECT count(*) > 0 FROM run JOIN cell USING (cell_id)
    WHERE params LIKE '%base=library%' AND status = 'ok'")" 1 \
    "also with the library's reduction as its base"
sqlite3 "$db" "UPDATE run_summary SET median = median / 1e6, mean = mean / 1e6,
    lo = lo / 1e6, hi = hi / 1e6, min = min / 1e6, max = max / 1e6
    WHERE run_id IN (SELECT run_id FROM run JOIN cell USING (cell_id)
                     WHERE provider = 'chorale')"
"$chorale" decide "$db" -q
ok $? "decide"
is "$(sqlite3 "$db" "SELECT count(*) FROM decision WHERE provider = 'chorale'")" 0 \
    "neither is chosen, however fast"
"$chorale" decide "$db" -q --allow-patented
is "$(sqlite3 "$db" "SELECT group_concat(DISTINCT variant) FROM decision WHERE provider = 'chorale'")" \
    or_whole "--allow-patented lets the patent in, and never the study"
"$chorale" generate "$db" -o "$work/t.c" 2>"$work/err"
is $? 4 "generate does not write it unasked"
like "$(cat "$work/err")" 'or_whole: patented' "and says why"
"$chorale" generate "$db" -o "$work/t.c" --allow-patented >/dev/null
ok $? "it does when asked"
finish
