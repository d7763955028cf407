#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The catalogue against the list that it was made from, specification.tsv:
# what has to be there is, with its parameters, values, constraints, order and
# patents, and what is left out says why. And how many there are is told alike
# wherever people read it.
. "$(dirname "$0")/../lib.sh"

"$chorale" list --json >"$work/list.json" &&
    "$chorale" list --missing --json >"$work/missing.json"
ok $? "the catalogue and what is missing can be read"
patented=yes
case $("$chorale" --version) in *patented=no*) patented=no ;; esac

python3 - "$here/specification.tsv" "$work" $patented <<'PY'
import json, os, re, sys
table, work, patented = sys.argv[1:]
have = {(v["coll"], v["variant"]): v
        for v in json.load(open(work + "/list.json"))}
missing = {(m["coll"], m["name"]): m
           for m in json.load(open(work + "/missing.json"))}
need = {"commute": "a commutative operation", "pow2": "P a power of two",
        "even": "P even", "pair": "P = 2",
        "nodes": "several nodes with several ranks, placed in blocks",
        "separate": "separate buffers (not MPI_IN_PLACE)"}
variants, values, levels, unnamed, faults = [], [], {}, {}, {}

def fault(about, *words):
    faults.setdefault(about, []).append(" ".join(map(str, words)))

for number, line in enumerate(open(table), 1):
    row = line.rstrip("\n").split("\t")
    if line.startswith("#") or row == [""]:
        continue
    if len(row) == 4 and row[2] == "v":
        values.append(row)
    elif len(row) == 4 and row[2] == "l":
        levels[tuple(row[:2])] = row[3]
    elif len(row) == 4 and row[2] == "p":
        unnamed[tuple(row[:2])] = row[3]
    elif len(row) == 8 and row[2] in "1234":
        variants.append(row)
    else:
        fault("table", "line", number, "is no row:", line.rstrip("\n"))

def items(cell):
    return [] if cell == "-" else cell.split(",")

def order_of(v):
    if v["order_depends"]:
        return "point"
    return {"": "-", "rank order": "rank",
            "fixed, not rank order": "fixed"}.get(v["order"], v["order"])

listed = set()
for coll, name, priority, who, params, needs, order, patents in variants:
    key = coll, name
    if key in listed:
        fault("table", *key, "is there twice")
    listed.add(key)
    if patents != "-" and patented == "no":
        if key in have:
            fault("patents", *key, "is patented, and built")
        continue
    if key in have and key in missing:
        fault("there", *key, "is there and told to be missing")
    if priority in "12" or who != "-":
        if key not in have:
            fault("there", *key, "is not there: priority", priority, who)
    elif priority == "4" and key in have:
        fault("there", *key, "is there, which nobody thought possible")
    elif key not in have and key not in missing:
        fault("missing", *key, "is neither there nor told to be missing:",
              "a row in algorithms/missing.c says why")
    if key in missing and (len(missing[key]["reason"]) < 20
                           or not missing[key]["source"]):
        fault("missing", *key, "is missing without a reason or a source")
    if key not in have:
        continue
    v = have[key]
    for about, got, want in (
            ("params", [p["name"] for p in v["params"]], items(params)),
            ("needs", sorted(v["needs"] + (["other"] if v["constraint"]
                                           else [])),
             sorted(need.get(w, w) for w in items(needs))),
            ("order", order_of(v), order),
            ("patents", (v["patents"] or "").replace("US ", "").replace(", ", " "),
             "" if patents == "-" else patents)):
        if got != want:
            fault(about, *key, "has", got or "none", "for", want or "none")
for key in missing.keys() - listed:
    fault("table", *key, "is told to be missing, and has no row")

def values_of(p):
    numbers = p["candidates"] + p["candidates_more"]
    return [p["words"][n] if p["words"] else str(n) for n in numbers]

for coll, name, _, cell in values:
    fixed, _, of_point = cell.partition("|")
    seen = 0
    for v in have.values():
        for p in v["params"]:
            if p["name"] != name or coll not in ("*", v["coll"]):
                continue
            seen += 1
            lacks = [w for w in fixed.split(",")
                     if w and w not in values_of(p)]
            if of_point and of_point not in p["candidates_of_point"]:
                lacks.append(of_point)
            if lacks:
                fault("values", v["coll"], v["variant"], name, "lacks",
                      ", ".join(lacks))
    if not seen and (patented == "yes" or name != "base"):
        fault("values", coll, name, "is a parameter of no variant")

for (coll, name), v in have.items():
    if name != "two_level":
        continue
    for p in v["params"]:
        if not p["words"]:
            continue
        does = levels.get((coll, p["name"]), coll)
        for part in (r[1] for r in variants if r[0] == does and r[2] == "1"):
            key = coll, p["name"] + ":" + part
            # A word may name a second part after the first.
            named = any(w == part or w.startswith(part + "_scatter_")
                        for w in p["words"])
            if not named and key not in unnamed:
                fault("parts", *key, "is not offered")
            elif named and key in unnamed:
                fault("table", *key, "is offered: its row may go")

# The same publication, by its number or its letters.
written = {}
for key, entry in {**have, **missing}.items():
    for source in entry["source"].split("; "):
        same = (tuple(re.findall(r"\d{4}\.\d{5}", source)) or
                re.sub("[^a-z0-9]", "", source.lower()))
        first = written.setdefault(same, source)
        if source != first:
            fault("sources", *key, "writes", source, "for", first)

for about in ("table", "there", "missing", "params", "values", "parts",
              "needs", "order", "patents", "sources"):
    with open(os.path.join(work, about), "w") as out:
        for line in faults.get(about, []):
            print(line, file=out)
print("# %d rows of variants, %d of them there" % (
    len(variants), len(listed & have.keys())))
PY
ok $? "the table is read"

# none FILE NAME: nothing was found
none() { # about, name
    [ -e "$work/$1" ] && [ ! -s "$work/$1" ]
    ok $? "$2"
    [ ! -s "$work/$1" ] || diag "$(cat "$work/$1")"
}
none table "the table has a row each, of variants and of what is missing"
none there "what is of priority 1 or 2 is there, and all of the source texts"
none missing "what else is published is there, or told to be missing, and why"
none params "the variants have the parameters asked for"
none values "with the values asked for"
none parts "two_level takes its parts from all simple variants"
none needs "they refuse what they may"
none order "they reduce in the order asked for"
none patents "they name the patents"
none sources "a publication is written alike wherever it is a source"

# The number of variants. The command counts them; README is written by hand.
total=$("$chorale" list --counts | awk '$1 != "all" { n += $2 } END { print n }')
is "$("$chorale" list --counts | awk '$1 == "all" { print $2 }')" "$total" \
    "list --counts adds up"
like "$("$chorale" list --help)" "^show the catalogue of $total variants$" \
    "the help, and so the man page, has the number"
if [ $patented = no ]; then
    skip "README counts patented ones too" "README has it too"
else
    numbers=$(grep -no '[0-9][0-9]* variants in all' "$top_srcdir/README.md")
    is "${numbers#*:}" "$total variants in all" "README has it too"
    [ "${numbers#*:}" = "$total variants in all" ] ||
        diag "README.md, line ${numbers%%:*}: say that there are $total"
fi
page=$top_builddir/tuner/chorale-list.1
if [ -e "$page" ]; then
    like "$(cat "$page")" "catalogue of $total variants" "the man page has it"
else
    skip "no man page is built here" "the man page has it"
fi
finish
