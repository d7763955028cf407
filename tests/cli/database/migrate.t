#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Opening a database of an older schema for writing migrates it to the current
# schema and keeps every row and every user object. A failed migration leaves
# the file unchanged.
. "$(dirname "$0")/../../lib.sh"

schema=$top_srcdir/db/schema.sql
old=$work/old.db

sed -f "$top_srcdir/tests/cli/database/older.sed" "$schema" >"$work/older.sql"
sh "$top_srcdir/tests/cli/synth.sh" "$work/older.sql" "$old" ring "2 16"
sh "$top_srcdir/tests/cli/synth.sh" "$schema" "$work/new.db"
version=$(sqlite3 "$work/new.db" 'PRAGMA user_version')
is "$(sqlite3 "$old" 'PRAGMA user_version')" 0 "the database has version 0"
objects() { # database, file: list its schema without the user's objects
    sqlite3 "$1" "SELECT type, name, replace(sql, '\"', '')
        FROM sqlite_master WHERE name NOT LIKE 'my%' AND sql IS NOT NULL
        ORDER BY 1, 2" >"$2"
}
objects "$old" "$work/old.txt"
objects "$work/new.db" "$work/new.txt"
is "$(diff "$work/old.txt" "$work/new.txt" | grep -o '^> [a-z]*|[a-z_]*' |
    cut -d ' ' -f 2 | tr '\n' ' ')" \
    "index|run_by_launch table|policy view|v_decision view|v_progress " \
    "an index, a table and a view are missing, and a view differs"
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
is "$(sqlite3 "$old" 'PRAGMA foreign_key_check')" "" \
    "the older database has no dangling references"

# Every row of every table, by the columns of the older schema.
sqlite3 "$old" "SELECT 'SELECT ''' || replace(m.name, '\"', '') || ''', ' ||
    group_concat('\"' || p.name || '\"') || ' FROM \"' ||
    replace(m.name, '\"', '\"\"') || '\" ORDER BY 2, 3, 4;'
    FROM sqlite_master m, pragma_table_info(m.name) p
    WHERE m.type = 'table' GROUP BY m.name HAVING count(*) > 2" >"$work/rows.sql"
[ "$(wc -l <"$work/rows.sql")" -ge 12 ]
ok $? "the comparison covers all tables"
sqlite3 "$old" <"$work/rows.sql" >"$work/before.txt"
[ "$(wc -l <"$work/before.txt")" -gt 1000 ]
ok $? "the comparison covers all rows"
n_view=$(sqlite3 "$old" 'SELECT n FROM my_view')

cp "$old" "$work/copy.db"
err=$("$chorale" status "$old" 2>&1)
is $? 4 "reading an older schema exits with 4"
like "$err" "older schema version 0.*version $version;.*chorale decide.*up to date" \
    "the error names both versions and the remedy"
is "$(printf '%s\n' "$err" | wc -l)" 1 "the error is one line"
cmp -s "$old" "$work/copy.db"
ok $? "reading leaves the file unchanged"

"$chorale" decide "$old" -q
ok $? "a command that writes migrates it"
is "$(sqlite3 "$old" 'PRAGMA user_version')" "$version" "it has the new version"
# decide replaces the rows of its own table only.
sqlite3 "$old" <"$work/rows.sql" >"$work/after.txt"
grep -v '^decision' "$work/before.txt" >"$work/b.txt"
grep -v '^decision' "$work/after.txt" >"$work/a.txt"
cmp "$work/b.txt" "$work/a.txt"
ok $? "migration keeps every row and every value"
is "$(sqlite3 "$old" 'PRAGMA integrity_check')" ok \
    "the migrated database passes integrity_check"
is "$(sqlite3 "$old" 'PRAGMA foreign_key_check')" "" \
    "the migrated database passes foreign_key_check"

objects "$old" "$work/old.txt"
cmp "$work/old.txt" "$work/new.txt"
ok $? "tables, indexes and views are those of a new database"
is "$(sqlite3 "$old" "SELECT group_concat(name) FROM (SELECT name
    FROM sqlite_master WHERE name LIKE 'my%' ORDER BY name)")" \
    'my "notes,my_index,my_trigger,my_view' "the user's objects are kept"
is "$(sqlite3 "$old" 'SELECT n FROM my_view')" "$n_view" "the user's view works"
is "$(sqlite3 "$old" 'SELECT * FROM "my ""notes"')" kept "the user's rows are kept"
for view in v_run v_summary v_paired v_speedup v_best v_progress; do
    [ "$(sqlite3 "$old" "SELECT count(*) FROM $view")" -gt 0 ]
    ok $? "$view has rows"
done
is "$(sqlite3 "$old" "SELECT (SELECT count(separator) FROM run) || ',' ||
    (SELECT sum(batch) FROM campaign)")" 0,0 "new columns have their defaults"
is "$(sqlite3 "$old" "SELECT count(*) FROM policy")" 1 \
    "a command writes to the table that was missing"
sqlite3 "$old" "UPDATE run SET stop_reason = 'raced' WHERE run_id = 1"
ok $? "the new CHECK accepts its new value"
sqlite3 "$old" "UPDATE run SET stop_reason = 'bored' WHERE run_id = 1" 2>/dev/null
[ $? -ne 0 ]
ok $? "the new CHECK refuses other values"
sqlite3 "$old" "PRAGMA foreign_keys = ON; DELETE FROM cell" 2>/dev/null
[ $? -ne 0 ]
ok $? "references are enforced"
sum=$(cksum <"$old")
"$chorale" status "$old" >/dev/null
ok $? "status reads the migrated database"
is "$(cksum <"$old")" "$sum" "reading a migrated database does not write it"

# Migrations that fail.
refuse() { # what is wrong, pattern, code
    sum=$(cksum <"$work/bad.db")
    err=$("$chorale" decide "$work/bad.db" -q 2>&1)
    is $? "$3" "$1: exits with $3"
    like "$err" "$2" "$1: the error names it"
    is "$(printf '%s\n' "$err" | wc -l)" 1 "$1: the error is one line"
    is "$(cksum <"$work/bad.db")" "$sum" "$1: the file is unchanged"
}
cp "$work/copy.db" "$work/bad.db"
sqlite3 "$work/bad.db" "PRAGMA ignore_check_constraints = ON;
    UPDATE run SET stop_reason = 'bored' WHERE run_id = 9"
refuse "a value that a CHECK refuses" "stop_reason" 4
cp "$work/copy.db" "$work/bad.db"
sqlite3 "$work/bad.db" "DELETE FROM launch WHERE launch_id = 3"
refuse "a broken reference" "refer to rows that are gone" 4
cp "$work/copy.db" "$work/bad.db"
sqlite3 "$work/bad.db" "ALTER TABLE run ADD COLUMN mine"
refuse "a column of the user" "mine" 4

finish
