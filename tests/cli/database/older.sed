# SPDX-License-Identifier: BSD-3-Clause
# older.sed - make an older schema, version 0, from db/schema.sql: without some
# columns, a value of a CHECK, a table, an index and a view; another view
# differs.
s/\(database, version \)[0-9]*/\10/
/^    batch  *INTEGER NOT NULL DEFAULT 0/,/^  /d
/^    separator /d
s/'raced', 'equal',/'equal',/
/^CREATE TABLE policy/,/^);/d
/^CREATE INDEX run_by_launch/d
/^CREATE VIEW v_decision/,/;$/d
s/^CREATE VIEW v_progress AS/& -- as it was/
