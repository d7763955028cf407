#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roundtrip.t - what export writes holds everything: each dataset, read back
# from CSV and from JSON, is the database's rows, value by value.
. "$(dirname "$0")/../lib.sh"

[ -x "$top_builddir/chorale-runner-sim" ] && command -v smpirun >/dev/null 2>&1 ||
    skip_all "no SimGrid"
platform "$work/flat.xml" 10 1000000000 4
db=$work/r.db
cd "$work" || exit 99
timeout 300 "$chorale" plan "$db" --launcher smpirun --platform flat.xml -q \
    --network hockney -c bcast,allreduce -m 8,64K -P 2,4 --launches 2
timeout 300 "$chorale" run "$db" -q && "$chorale" decide "$db" -q
ok $? "a campaign"
# What a library's own rules would choose is in the same table, and is not what
# was decided.
sqlite3 "$db" "CREATE TEMP TABLE r AS SELECT * FROM decision LIMIT 1;
    UPDATE r SET decision_id = NULL, target = 'rules', variant = 'rules';
    INSERT INTO decision SELECT * FROM r"
"$chorale" export "$db" --what decisions --csv >"$work/decisions"
is "$? $(grep -c ,rules, "$work/decisions") $(($(wc -l <"$work/decisions") - 1))" \
    "0 0 $(sqlite3 "$db" 'SELECT count(*) FROM v_decision')" \
    "decisions are the rows of v_decision"
# Texts that a table's layout could trip over.
sqlite3 "$db" "INSERT INTO environment SELECT launch_id, 'odd:' || char(34), 'a,b' ||
    char(10) || '\"q\" ' || char(9) || 'é' || char(0x1F600) || ' back' ||
    char(92) || ' ' FROM launch LIMIT 1"

# The same rows by another way: the queries of the datasets in SQL of its own.
cat >"$work/check.py" <<'EOF'
import csv, io, json, sqlite3, subprocess, sys

program, db = sys.argv[1:]
point = ("y.name AS system, coll, msg_size, n, c.comm_size, c.ppn, c.shape,"
         " provider, variant, params, dtype, op, root_policy, buffers, arrival,"
         " c.siblings, metric")
runs = " FROM run r JOIN cell c USING (cell_id) JOIN launch l USING (launch_id)" \
       " JOIN system y ON y.system_id = c.system_id"
want = {
    "summary": "SELECT * FROM v_summary",
    "speedup": "SELECT * FROM v_speedup",
    "best": "SELECT * FROM v_best",
    "samples": "SELECT " + point + ", l.uuid AS launch, ordinal, r.uuid AS run,"
        " rep, s.seconds, first_in, last_in, root_out, root, flags" + runs +
        " JOIN sample s USING (run_id)",
    "runs": "SELECT " + point + ", l.uuid AS launch, ordinal, started,"
        " r.uuid AS run, r.status, r.reason, stop_reason, validity, first_call,"
        " sync, batch, separator, clock_error, skew, nrep, nlate, median, lo,"
        " hi, mean, min, q25, q75, p95, p99, max" + runs +
        " LEFT JOIN run_summary USING (run_id)",
    "counters": "SELECT " + point + ", l.uuid AS launch, ordinal, r.uuid AS run,"
        " rank, event, value" + runs + " JOIN counter USING (run_id)",
    "environment": "SELECT y.name AS system, l.uuid AS launch, ordinal, started,"
        " comm_size, ppn, shape, key, value FROM launch l JOIN system y"
        " USING (system_id) JOIN environment USING (launch_id)",
    "decisions": "SELECT name AS system, coll, comm_size, ppn, shape, dtype, op,"
        " n_lo, n_hi, provider, variant, params, basis, seconds,"
        " library_seconds, speedup, speedup_lo, speedup_hi, regret, reason"
        " FROM decision JOIN system USING (system_id)"
        " WHERE target = 'dispatch'",
    "cells": "SELECT " + point + ", op_class, c.launches, part, c.uuid AS cell,"
        " p.uuid AS campaign FROM cell c JOIN system y USING (system_id)"
        " JOIN campaign p USING (campaign_id)",
}
con = sqlite3.connect(db)
con.row_factory = sqlite3.Row
test = [0, 0]

def ok(good, name):
    test[0] += 1
    test[1] += not good
    print(("" if good else "not ") + "ok %d - %s" % (test[0], name))

def export(what, form):
    run = subprocess.run([program, "export", db, "--what", what, form],
                         stdout=subprocess.PIPE)
    ok(run.returncode == 0, what + " " + form)
    return run.stdout.decode("utf-8")

def key(row):
    return tuple((v is not None, v if isinstance(v, str) else repr(float(v or 0)))
                 for v in row)

listed = subprocess.run([program, "export", "--help"], stdout=subprocess.PIPE)
text = " ".join(listed.stdout.decode().split())
names = text.split("--what=NAME one of ")[1].split(" (default")[0]
ok(sorted(names.split(", ")) == sorted(want), "all datasets are looked at")

for what, sql in want.items():
    rows = con.execute(sql).fetchall()
    head = list(rows[0].keys()) if rows else None
    ok(len(rows) > 0, "%s: %d rows" % (what, len(rows)))
    rows = [list(r) for r in rows]
    got = json.loads(export(what, "--json"))
    good = head is not None and all(list(g.keys()) == head for g in got)
    ok(good, what + ": names of the columns")
    got = [list(g.values()) for g in got]
    same = sorted(got, key=key) == sorted(rows, key=key)
    ok(same, what + ": JSON is the rows, each number to its last bit")
    lines = list(csv.reader(io.StringIO(export(what, "--csv"), newline="")))
    ok(lines[0] == head, what + ": the heading of CSV")
    def back(text, like):
        if like is None or isinstance(like, str):
            return text
        return type(like)(float(text) if isinstance(like, float) else int(text))
    flat = [["" if v is None else v for v in r] for r in rows]
    texts = sorted(lines[1:])
    good = len(texts) == len(flat)
    for line in texts:
        if not good:
            break
        match = [i for i, r in enumerate(flat) if r is not None and len(r) == len(line)
                 and all(isinstance(v, str) and v == t or not isinstance(v, str)
                         and t != "" and back(t, v) == v for v, t in zip(r, line))]
        good = len(match) > 0
        if good:
            flat[match[0]] = None
    ok(good, what + ": CSV is the rows")
sys.exit(test[1] > 0)
EOF
timeout 300 python3 "$work/check.py" "$chorale" "$db" >"$work/tap"
code=$?
while read -r line; do
    case $line in
    ok*) ok 0 "${line#ok * - }" ;;
    *) ok 1 "${line#not ok * - }" ;;
    esac
done <"$work/tap"
is $code 0 "and nothing else"
[ "$(wc -l <"$work/tap")" -gt 60 ]
ok $? "all of it was looked at"
"$chorale" export "$db" --csv --json 2>"$work/err"
is "$? $(wc -l <"$work/err" | tr -d ' ')" "2 1" "one format at a time"
finish
