#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A database of schema version 1 becomes one of today's when it is opened for
# writing: with all its rows, what the user added, and today's tables, checks
# and views. Where that does not work the file stays as it was.
. "$(dirname "$0")/../lib.sh"

schema1=$top_srcdir/tests/cli/schema1.sql
old=$work/old.db

sh "$top_srcdir/tests/cli/synth.sh" "$schema1" "$old" ring "2 16"
is "$(sqlite3 "$old" 'PRAGMA user_version')" 1 "a database of version 1"
sqlite3 "$old" <<SQL
CREATE TABLE "my ""notes" (t);
INSERT INTO "my ""notes" VALUES ('kept');
CREATE INDEX my_index ON run (validity);
CREATE VIEW my_view AS SELECT count(*) AS n FROM v_summary JOIN cell USING (cell_id);
CREATE TRIGGER my_trigger AFTER DELETE ON run BEGIN SELECT 1; END;
INSERT INTO environment VALUES (1, 'k', 'v');
INSERT INTO sample SELECT run_id, 0, 1, 0, 0, NULL, NULL, 0 FROM run;
INSERT INTO counter SELECT run_id, -1, 'e', 1 FROM run;
INSERT INTO baseline VALUES ('b', 1, 1, '2026-01-01T00:00:00Z');
SQL
is "$(sqlite3 "$old" 'PRAGMA foreign_key_check')" "" "its rows refer to each other"

# Every row of every table, by the columns of version 1.
sqlite3 "$old" "SELECT 'SELECT ''' || replace(m.name, '\"', '') || ''', ' ||
    group_concat('\"' || p.name || '\"') || ' FROM \"' ||
    replace(m.name, '\"', '\"\"') || '\" ORDER BY 2, 3, 4;'
    FROM sqlite_master m, pragma_table_info(m.name) p
    WHERE m.type = 'table' GROUP BY m.name HAVING count(*) > 2" >"$work/rows.sql"
[ "$(wc -l <"$work/rows.sql")" -ge 12 ]
ok $? "all tables are compared"
sqlite3 "$old" <"$work/rows.sql" >"$work/before.txt"
[ "$(wc -l <"$work/before.txt")" -gt 1000 ]
ok $? "with all their rows"
n_view=$(sqlite3 "$old" 'SELECT n FROM my_view')

# To read it is not enough.
cp "$old" "$work/copy.db"
err=$("$chorale" status "$old" 2>&1)
is $? 4 "reading it exits with 4"
like "$err" 'older schema version 1.*version 10.*chorale decide.*up to date' \
    "and says what to do"
is "$(printf '%s\n' "$err" | wc -l)" 1 "in one line"
cmp -s "$old" "$work/copy.db"
ok $? "the file is as it was"

"$chorale" decide "$old" -q
ok $? "a command that writes opens it"
is "$(sqlite3 "$old" 'PRAGMA user_version')" 10 "it is of version 10"
# decide has replaced its own table; the others have every row.
sqlite3 "$old" <"$work/rows.sql" >"$work/after.txt"
grep -v '^decision' "$work/before.txt" >"$work/b.txt"
grep -v '^decision' "$work/after.txt" >"$work/a.txt"
cmp "$work/b.txt" "$work/a.txt"
ok $? "every row is there, every value the same"
is "$(sqlite3 "$old" 'PRAGMA integrity_check')" ok "integrity_check"
is "$(sqlite3 "$old" 'PRAGMA foreign_key_check')" "" "foreign_key_check"

# What a new database has, it has, and what the user had.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$work/new.db"
for name in old new; do
    sqlite3 "$work/$name.db" "SELECT type, name, replace(sql, '\"', '')
        FROM sqlite_master WHERE name NOT LIKE 'my%' AND sql IS NOT NULL
        ORDER BY 1, 2" >"$work/$name.txt"
done
cmp "$work/old.txt" "$work/new.txt"
ok $? "tables, indexes and views are those of a new database"
is "$(sqlite3 "$old" "SELECT group_concat(name) FROM (SELECT name
    FROM sqlite_master WHERE name LIKE 'my%' ORDER BY name)")" \
    'my "notes,my_index,my_trigger,my_view' "the user's own are there"
is "$(sqlite3 "$old" 'SELECT n FROM my_view')" "$n_view" "the user's view works"
is "$(sqlite3 "$old" 'SELECT * FROM "my ""notes"')" kept "the user's table too"
for view in v_run v_summary v_paired v_speedup v_best v_progress; do
    [ "$(sqlite3 "$old" "SELECT count(*) FROM $view")" -gt 0 ]
    ok $? "$view has rows"
done
is "$(sqlite3 "$old" "SELECT sync || batch || (separator IS NULL) FROM run
    LIMIT 1")" 11 "an old run: no word of its start, one call, no separator"
is "$(sqlite3 "$old" "SELECT DISTINCT batch || ',' || racing FROM campaign")" \
    0,1 "an old campaign: the defaults"
sqlite3 "$old" "UPDATE run SET stop_reason = 'raced' WHERE run_id = 1"
ok $? "what later versions allow, it allows"
sqlite3 "$old" "UPDATE run SET stop_reason = 'bored' WHERE run_id = 1" 2>/dev/null
[ $? -ne 0 ]
ok $? "what it refuses, it refuses"
sqlite3 "$old" "PRAGMA foreign_keys = ON; DELETE FROM cell" 2>/dev/null
[ $? -ne 0 ]
ok $? "the references hold"
sum=$(cksum <"$old")
"$chorale" status "$old" >/dev/null
ok $? "now it can be read"
is "$(cksum <"$old")" "$sum" "and is not written again"

# Decisions of version 2 are those of a dispatch table, of one process count.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema2.sql" \
    "$work/two.db"
sqlite3 "$work/two.db" "INSERT INTO decision (system_id, coll, comm_size, ppn,
    shape, dtype, op, n_lo, n_hi, provider, variant, params, basis, reason)
    VALUES (1, 'bcast', 64, 1, 'block', 'byte', '', 0, 9, 'chorale',
            'binomial', '', 'measured', 'because'),
           (1, 'allreduce', 64, 1, 'block', 'double', 'sum', 0, 9, 'chorale',
            'ring', '', 'measured', 'because')"
"$chorale" fit "$work/two.db" -q
ok $? "a database of version 2 is opened"
is "$(sqlite3 "$work/two.db" "SELECT group_concat(target || ' ' || coll ||
    comm_size || '-' || comm_size_hi || op_class || n_hi || reason, '; ')
    FROM decision WHERE reason = 'because'")" "dispatch bcast64-649because; \
dispatch allreduce64-64builtin9because" "its decisions mean what they meant"
# Of version 2: its models are those of one level and one regime.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema2.sql" \
    "$work/net.db" ring "2 16"
columns='level, regime, param, dtype, op, value, lo, hi, unit, npoints, error'
before=$(sqlite3 "$work/net.db" "SELECT $columns FROM model")
"$chorale" decide "$work/net.db" -q
ok $? "a database of version 2 is opened"
is "$(sqlite3 "$work/net.db" "SELECT $columns FROM model")" "$before" \
    "its model is as it was"
is "$(sqlite3 "$work/net.db" "SELECT count(*), count(upto), sum(ppn)
    FROM model")" "3|0|0" "for messages of all sizes"
"$chorale" plot "$work/net.db" -o "$work/plot" --format svg >/dev/null 2>&1
grep -q 'dashes: model' "$work"/plot/*.svg
ok $? "and predicts"

# A baseline of version 3 is one campaign; it may be several now.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema3.sql" \
    "$work/three.db" ring "2 16"
sqlite3 "$work/three.db" "INSERT INTO baseline VALUES ('b', 1, 1, 'now')"
"$chorale" decide "$work/three.db" -q
ok $? "a database of version 3 is opened"
is "$(sqlite3 "$work/three.db" "SELECT name || campaign_id || label || again
    FROM baseline JOIN campaign USING (campaign_id)")" b10 \
    "its baseline is there, its campaign has no label"

# Where it does not work.
refuse() { # what is wrong, pattern, code
    sum=$(cksum <"$work/bad.db")
    err=$("$chorale" decide "$work/bad.db" -q 2>&1)
    is $? "$3" "$1: exit $3"
    like "$err" "$2" "$1: it says so"
    is "$(printf '%s\n' "$err" | wc -l)" 1 "$1: one line"
    is "$(cksum <"$work/bad.db")" "$sum" "$1: the file is as it was"
}
cp "$work/copy.db" "$work/bad.db"
sqlite3 "$work/bad.db" "UPDATE cell SET metric = 'charm' WHERE cell_id = 9"
refuse "a value that is refused now" "metric" 4
cp "$work/copy.db" "$work/bad.db"
sqlite3 "$work/bad.db" "DELETE FROM launch WHERE launch_id = 3"
refuse "rows that refer to nothing" "refer to rows that are gone" 4
cp "$work/copy.db" "$work/bad.db"
sqlite3 "$work/bad.db" "ALTER TABLE run ADD COLUMN mine"
refuse "a column that would be lost" "mine" 4
# Version 4 knew no traces.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema4.sql" \
    "$work/four.db" ring "2 16"
"$chorale" decide "$work/four.db" -q
ok $? "a database of version 4 is opened"
is "$(sqlite3 "$work/four.db" "SELECT (SELECT count(*) FROM v_trace) ||
    (SELECT count(*) > 0 FROM run)")" 01 "it has no traces, and its runs"

# Version 5 knew no batch jobs.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema5.sql" \
    "$work/five.db" ring "2 16"
runs=$(sqlite3 "$work/five.db" 'SELECT count(*) FROM run')
"$chorale" decide "$work/five.db" -q
ok $? "a database of version 5 is opened"
is "$(sqlite3 "$work/five.db" "SELECT (SELECT count(*) FROM submission) ||
    (SELECT count(*) FROM element) || (SELECT count(*) FROM element_launch)
    || ' ' || (SELECT count(*) FROM run)")" "000 $runs" \
    "it has no submission, and its runs"

# Version 6 did not keep what a table was decided by.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema6.sql" \
    "$work/six.db" ring "2 16"
"$chorale" decide "$work/six.db" -q --compact 2%
ok $? "a database of version 6 is opened"
is "$(sqlite3 "$work/six.db" "SELECT count(*) || ' ' || max(compact) || ' ' ||
    count(threshold) FROM policy")" "1 0.02 0" \
    "a table decided from now on says by what"

# Version 7 read runs in the order of their ids, which merges leave.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema7.sql" \
    "$work/seven.db" ring "2 16"
before=$(sqlite3 "$work/seven.db" "SELECT count(*), round(sum(seconds), 9)
    FROM v_summary" "SELECT count(*), round(sum(speedup), 9) FROM v_speedup")
"$chorale" decide "$work/seven.db" -q
ok $? "a database of version 7 is opened"
is "$(sqlite3 "$work/seven.db" "SELECT count(*), round(sum(seconds), 9)
    FROM v_summary" "SELECT count(*), round(sum(speedup), 9) FROM v_speedup")" \
    "$before" "its views say what they said"
is "$(sqlite3 "$work/seven.db" "EXPLAIN QUERY PLAN SELECT * FROM v_summary" |
    grep -c 'SCAN r')" 0 "and do not read runs in the order of their ids"

# Version 8 had no view of what a table chooses.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema8.sql" \
    "$work/eight.db" ring "2 16"
"$chorale" decide "$work/eight.db" -q
ok $? "a database of version 8 is opened"
sqlite3 "$work/eight.db" "INSERT INTO decision (system_id, target, coll,
    comm_size, ppn, shape, dtype, op, n_lo, n_hi, provider, variant, params,
    basis, reason) VALUES (1, 'rules', 'bcast', 64, 1, 'block', 'byte', '', 0,
    9, 'native', 'binomial', '', 'measured', 'because')"
is "$(sqlite3 "$work/eight.db" "SELECT count(*) > 0, count(DISTINCT system),
    sum(comm_size_hi < comm_size), sum(reason = 'because'),
    count(*) = (SELECT count(*) FROM decision WHERE target = 'dispatch')
    FROM v_decision")" \
    "1|1|0|0|1" "its view of decisions has what the dispatch table chooses"

# Version 9 had no views of what is measured launch by launch, and no class of
# operations in the summary.
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/tests/cli/schema9.sql" \
    "$work/nine.db" ring "2 16"
"$chorale" decide "$work/nine.db" -q
is "$? $(sqlite3 "$work/nine.db" "PRAGMA user_version")" "0 10" \
    "a database of version 9 is opened"
is "$(sqlite3 "$work/nine.db" "SELECT count(*) > 0 AND count(*) =
    (SELECT count(*) FROM run), count(DISTINCT launch) =
    (SELECT count(*) FROM launch), sum(median IS NULL) FROM v_run")" "1|1|0" \
    "its view of runs has each, with its time"
is "$(sqlite3 "$work/nine.db" "SELECT count(*) FROM v_summary s JOIN
    (SELECT cell_id, exp(avg(ln(median))) AS seconds, count(*) AS launches,
     max(op_class) AS op_class FROM v_run WHERE status = 'ok' GROUP BY cell_id)
    r USING (cell_id) WHERE abs(r.seconds / s.seconds - 1) > 1e-12
    OR r.launches <> s.launches OR r.op_class <> s.op_class")" 0 \
    "of which the summary is made"
is "$(sqlite3 "$work/nine.db" "SELECT count(*) FROM v_proof")" 0 \
    "and of what was not validated nothing is a proof"

finish
