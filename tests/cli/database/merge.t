#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Shards are merged into one database: each row once, in any order and when
# repeated, under the ids of the target. Shards are not changed. A shard that
# does not fit is refused with one line, and no part of it is merged.
. "$(dirname "$0")/../../lib.sh"

TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
schema=$top_srcdir/db/schema.sql
older=$work/older.sql

# The measured data, with names instead of row ids.
key="y.signature, c.coll, c.msg_size, c.n, c.comm_size, c.ppn, c.shape,
    c.dtype, c.op, c.op_class, c.root_policy, c.buffers, c.arrival,
    c.siblings, c.metric, c.provider, c.variant, c.params"
from="FROM run r JOIN cell c USING (cell_id)
    JOIN launch l USING (launch_id) JOIN campaign p ON
    p.campaign_id = l.campaign_id JOIN system y ON y.system_id = l.system_id"
content() { # database: print a line for each row that is merged
    sqlite3 "$1" "
        SELECT 'run', $key, l.uuid, p.uuid, l.ordinal, l.seed, l.started,
            l.status, r.uuid, r.status, r.reason, r.stop_reason, r.validity,
            s.* $from LEFT JOIN run_summary s USING (run_id);
        SELECT 'sample', r.uuid, s.rep, s.seconds, s.first_in, s.last_in,
            s.root_out, s.root, s.flags $from JOIN sample s USING (run_id);
        SELECT 'counter', r.uuid, k.rank, k.event, k.value $from
            JOIN counter k USING (run_id);
        SELECT 'environment', l.uuid, e.key, e.value FROM environment e
            JOIN launch l USING (launch_id);
        SELECT 'cell', $key FROM cell c JOIN system y USING (system_id);" |
        sed 's/^\(run|.*\)|[0-9]*|20|0|/\1|id|20|0|/' | sort
}
is_sound() { # database, what
    is "$(sqlite3 "$1" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" \
        ok "$2: the database is consistent"
}
refused() { # code, pattern, what, shard: the database must not change
    sum=$(cksum <"$work/r.db")
    "$chorale" merge "$work/r.db" "$4" >"$work/out.txt" 2>"$work/err.txt"
    is $? "$1" "$3: exit $1"
    is "$(wc -l <"$work/err.txt" | tr -d ' ')" 1 "$3: the error is one line"
    like "$(cat "$work/err.txt")" "$2" "$3: the error gives the reason"
    is "$(cksum <"$work/r.db")" "$sum" "$3: the database is unchanged"
}

# Two shards of one system, planned and measured separately: both have the cells
# of 16 ranks. Row ids overlap and mean different rows.
shard() { # name, comm sizes, schema
    sh "$top_srcdir/tests/cli/synth.sh" "$3" "$work/$1.db" ring "$2"
    sqlite3 "$work/$1.db" "
        UPDATE system SET uuid = 'system-$1';
        UPDATE campaign SET uuid = 'campaign-$1';
        UPDATE cell SET uuid = uuid || '$1';
        UPDATE launch SET uuid = uuid || '$1';
        UPDATE run SET uuid = uuid || '$1';
        INSERT INTO environment SELECT launch_id, 'k', '$1' FROM launch;
        INSERT INTO counter SELECT run_id, -1, 'e', run_id FROM run;
        WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k
        WHERE i < 9) INSERT INTO sample SELECT run_id, i, run_id * 1e-7 + i,
        0, 0, NULL, i, 0 FROM run, k;"
}
shard a "2 16" "$schema"
shard b "16 64" "$schema"
sqlite3 "$work/b.db" "UPDATE cell SET launches = 7 WHERE comm_size = 16;
    UPDATE cell SET launches = 3 WHERE comm_size = 64;
    DELETE FROM decision; DELETE FROM model"
cksum <"$work/a.db" >"$work/a.sum"

like "$("$chorale" merge "$work/r.db" "$work/a.db" --dry-run)" \
    ' 880 runs with 8800 samples would be added' "--dry-run counts the rows"
[ ! -e "$work/r.db" ]
ok $? "--dry-run makes no database"
out=$("$chorale" merge "$work/r.db" "$work/a.db" "$work/b.db")
is $? 0 "merging two shards into a new database exits with 0"
like "$out" 'a.db: 1 system, 176 cells, 10 launches, 880 runs with 8800 samples added' \
    "merge prints what it added"
like "$out" 'b.db: 0 systems, 88 cells, 10 launches, 880 runs .*there already: 1 system, 88 cells, 0 launches' \
    "merge prints what was already there"
like "$out" 'a.db:.*not merged: 11 rows of models, decisions' \
    "merge prints what is not merged"
is "$(printf '%s\n' "$out" | grep -c '^[^ ]*/[ab].db: ')" 2 \
    "merge prints a line per shard"
is_sound "$work/r.db" "the result"
{ content "$work/a.db"; content "$work/b.db"; } | sort -u >"$work/want.txt"
content "$work/r.db" >"$work/have.txt"
cmp "$work/want.txt" "$work/have.txt"
ok $? "all rows of both shards are merged once"
[ "$(wc -l <"$work/have.txt")" -gt 20000 ]
ok $? "the comparison covers many rows"
is "$(sqlite3 "$work/r.db" "SELECT group_concat(n) FROM (SELECT comm_size ||
    ':' || group_concat(DISTINCT launches) AS n FROM cell GROUP BY comm_size)")" \
    "2:5,16:7,64:3" "a cell has the larger number of planned launches"
is "$(sqlite3 "$work/r.db" "SELECT DISTINCT launches FROM v_summary
    WHERE comm_size = 16")" 10 "a cell of both shards has the launches of both"
"$chorale" decide "$work/r.db" -q && "$chorale" status "$work/r.db" >/dev/null
ok $? "decide and status work on the merged database"

# Again, and in another order.
sqlite3 "$work/r.db" .dump | cksum >"$work/once"
out=$("$chorale" merge "$work/r.db" "$work/b.db" "$work/a.db" "$work/b.db")
is "$(printf '%s\n' "$out" | grep -c ': 0 systems, 0 cells, 0 launches, 0 runs with 0 samples added')" \
    3 "merging again adds no row"
sqlite3 "$work/r.db" .dump | cksum | cmp -s - "$work/once"
ok $? "merging again changes no row"
"$chorale" merge "$work/q.db" "$work/b.db" "$work/a.db" -q >"$work/out.txt"
is "$?$(cat "$work/out.txt")" 0 "-q prints nothing"
content "$work/q.db" | cmp - "$work/want.txt"
ok $? "the other order gives the same rows"
is "$(sqlite3 "$work/q.db" "SELECT DISTINCT launches FROM cell WHERE
    comm_size = 16")" 7 "the other order gives the larger number of launches"
cksum <"$work/a.db" | cmp -s - "$work/a.sum"
ok $? "the shard is unchanged"
sum=$(cksum <"$work/q.db")
cp "$work/b.db" "$work/more.db"
sqlite3 "$work/more.db" "UPDATE run SET uuid = 'm' || uuid;
    UPDATE launch SET uuid = 'm' || uuid"
like "$("$chorale" merge "$work/q.db" "$work/more.db" --dry-run)" \
    ' 10 launches, 880 runs .*would be' \
        "--dry-run on an existing database counts the rows"
is "$(cksum <"$work/q.db")" "$sum" "--dry-run leaves the database unchanged"

# Another system of the same name gets a tag.
cp "$work/a.db" "$work/other.db"
sqlite3 "$work/other.db" "UPDATE system SET uuid = 'o', signature = 'other';
    UPDATE campaign SET uuid = 'o'; UPDATE cell SET uuid = 'o' || uuid;
    UPDATE launch SET uuid = 'o' || uuid; UPDATE run SET uuid = 'o' || uuid"
sum=$(cksum <"$work/q.db")
"$chorale" merge "$work/q.db" "$work/other.db" -q 2>"$work/err"
is "$? $(wc -l <"$work/err")" "4 1" "a shard of another system is refused"
like "$(cat "$work/err")" \
    'other.db: its system ring is not in .*q.db, which has ring;.* --other-systems' \
    "the error names --other-systems"
is "$(cksum <"$work/q.db")" "$sum" "the database is unchanged"
"$chorale" merge "$work/q.db" "$work/other.db" -q --other-systems
is "$(sqlite3 "$work/q.db" "SELECT group_concat(name || ':' || n) FROM
    (SELECT y.name, count(*) AS n FROM system y JOIN cell USING (system_id)
    GROUP BY y.name ORDER BY y.name)" | sed 's/-[0-9a-f]\{8\}:/-TAG:/')" \
    "ring:176,ring-TAG:264" \
        "--other-systems keeps another system of the same name apart"
"$chorale" merge "$work/q.db" "$work/other.db" -q
is $? 0 "later merges accept that system"

# merge reads a shard of an older schema through a copy.
sed -f "$top_srcdir/tests/cli/database/older.sed" "$schema" >"$older"
shard old "2 32" "$older"
sum=$(cksum <"$work/old.db")
"$chorale" merge "$work/q.db" "$work/old.db" -q
is $? 0 "merge reads a shard of an older schema"
is "$(sqlite3 "$work/q.db" "SELECT count(*) FROM run WHERE uuid LIKE '%old'")" \
    880 "every run of it is merged"
is "$(cksum <"$work/old.db")" "$sum" "the older shard is unchanged"
sqlite3 "$work/old.db" "CREATE TRIGGER t AFTER INSERT ON run BEGIN
    DELETE FROM run; END; CREATE INDEX i ON run (lower(reason))"
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/old.db" -q
is "$?$(sqlite3 "$work/n.db" 'SELECT count(*) FROM run')" 0880 \
    "triggers of an older shard do not run"

# A shard with a write-ahead log.
cp "$work/a.db" "$work/wal.db"
sqlite3 "$work/wal.db" 'PRAGMA journal_mode = WAL' >/dev/null
sum=$(cksum <"$work/wal.db")
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/wal.db" -q
is "$?$(sqlite3 "$work/n.db" 'SELECT count(*) FROM run')" 0880 \
    "a shard with a write-ahead log is merged"
is "$(cksum <"$work/wal.db")" "$sum" \
    "the shard with a write-ahead log is unchanged"
is "$(ls "$work"/wal.db*)" "$work/wal.db" "no file is made beside it"

# A writer killed in a transaction leaves changed pages and a journal.
cp "$work/a.db" "$work/hot.db"
mkfifo "$work/fifo"
sqlite3 "$work/hot.db" <"$work/fifo" >"$work/ready" &
pid=$!
exec 9>"$work/fifo"
echo "PRAGMA cache_size = 2; BEGIN; UPDATE run SET reason = 'half';
    UPDATE sample SET seconds = 9; SELECT 'ready';" >&9
i=0
while [ ! -s "$work/ready" ] && [ $i -lt 3000 ]; do sleep 0.1; i=$((i + 1)); done
kill -9 $pid
wait $pid 2>/dev/null
exec 9>&-
[ -s "$work/hot.db-journal" ]
ok $? "a shard has a hot journal"
sum=$(cat "$work/hot.db" "$work/hot.db-journal" | cksum)
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/hot.db" -q
ok $? "a shard with a hot journal is merged"
content "$work/a.db" >"$work/want.txt"
content "$work/n.db" | cmp - "$work/want.txt"
ok $? "it is merged as it was before the transaction"
is "$(cat "$work/hot.db" "$work/hot.db-journal" | cksum)" "$sum" \
    "the shard and its journal are unchanged"

# A shard with a running launch.
cp "$work/a.db" "$work/run.db"
sqlite3 "$work/run.db" "UPDATE launch SET status = 'running', finished = NULL
    WHERE launch_id = 1; DELETE FROM environment; DELETE FROM run_summary WHERE
    run_id IN (SELECT run_id FROM run WHERE launch_id = 1 AND cell_id > 9);
    DELETE FROM sample WHERE run_id NOT IN (SELECT run_id FROM run_summary);
    DELETE FROM counter WHERE run_id NOT IN (SELECT run_id FROM run_summary);
    DELETE FROM run WHERE run_id NOT IN (SELECT run_id FROM run_summary)"
launch="SELECT status || reason || coalesce(finished, '') FROM launch
    WHERE uuid = (SELECT uuid FROM launch ORDER BY launch_id LIMIT 1)"
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/run.db" -q
is "$(sqlite3 "$work/n.db" "$launch")" failedkilled \
    "a running launch without a process is merged as failed, killed"
"$chorale" merge "$work/n.db" "$work/a.db" -q
is "$(sqlite3 "$work/n.db" "$launch")" done2026-01-01T00:01:00Z \
    "merged again when it is done, it is done"
content "$work/n.db" | cmp - "$work/want.txt"
ok $? "its new runs and environment are merged"
"$chorale" merge "$work/n.db" "$work/run.db" -q
is "$(sqlite3 "$work/n.db" "$launch")" done2026-01-01T00:01:00Z \
    "an older copy of the launch does not change it back"

# File names with a special meaning in SQLite URIs or SQL.
for name in "it's a; \"shard\".db" 'file:shard.db?mode=memory' ':memory:'; do
    cp "$work/a.db" "$work/$name"
    rm -f "$work/n.db"
    (cd "$work" && "$chorale" merge n.db "$name" -q)
    is "$?$(sqlite3 "$work/n.db" 'SELECT count(*) FROM run')" 0880 \
        "a shard named $name is merged"
done

# Shards that are refused.
refused 3 'none.db: No such file' "no file" "$work/none.db"
refused 2 'is a folder' "a folder" "$work"
: >"$work/bad.db"
refused 4 'bad.db: is empty' "an empty file" "$work/bad.db"
echo "not a database at all, only some text that is long enough" >"$work/bad.db"
refused 4 'bad.db: not a SQLite database' "a text" "$work/bad.db"
rm -f "$work/bad.db"
sqlite3 "$work/bad.db" 'CREATE TABLE run (x)'
refused 4 'bad.db: a SQLite database of another program' \
    "another program's database" "$work/bad.db"
hurt() { cp "$work/b.db" "$work/bad.db"; sqlite3 "$work/bad.db" "$1"; }
hurt 'PRAGMA user_version = 99'
refused 4 'bad.db: has schema version 99' "a newer schema" "$work/bad.db"
head -c 100000 "$work/b.db" >"$work/bad.db"
refused 4 'bad.db: truncated' "half a file" "$work/bad.db"
page=$(sqlite3 "$work/b.db" 'PRAGMA page_size')
for table in cell run sample; do
    cp "$work/b.db" "$work/bad.db"
    root=$(sqlite3 "$work/b.db" "SELECT rootpage FROM sqlite_master
        WHERE name = '$table'")
    dd if=/dev/urandom of="$work/bad.db" bs="$page" seek=$((root - 1)) count=1 \
        conv=notrunc 2>/dev/null
    refused 4 'bad.db: the file is damaged .*restore' "damaged $table" \
        "$work/bad.db"
done
hurt "DELETE FROM launch WHERE launch_id = 3"
refused 4 'bad.db: the file is damaged .a row of run refers to no launch' \
    "rows that refer to nothing" "$work/bad.db"
hurt "UPDATE cell SET n = n + 1 WHERE cell_id = 100"
refused 4 'bad.db: contradicts .*r.db: the cell .* is defined differently' \
    "a cell that is defined differently" "$work/bad.db"
hurt "UPDATE cell SET msg_size = 7 WHERE cell_id = 100"
refused 4 'contradicts .*the cell .* of 7 bytes .* has the uuid of another' \
    "another cell of the same uuid" "$work/bad.db"
hurt "UPDATE system SET uuid = 'system-a', signature = 'another'"
refused 4 'contradicts .*system ring has the uuid of another' \
    "another system of the same uuid" "$work/bad.db"
hurt "UPDATE campaign SET nrep_max = 7"
refused 4 'contradicts .*campaign-b .* has other settings' \
    "another campaign of the same uuid" "$work/bad.db"
hurt "UPDATE launch SET seed = seed + 1"
refused 4 'contradicts .*launch .* is different' \
    "another launch of the same uuid" "$work/bad.db"
hurt "INSERT INTO environment (launch_id, key, value)
    SELECT launch_id, 'fabric', 'fabric ' || launch_id FROM launch"
refused 4 'contradicts .*the fabric "fabric [0-9]*" is different' \
    "a launch on another fabric than its system's first" "$work/bad.db"
hurt "UPDATE run SET status = 'invalid' WHERE run_id = 5"
refused 4 'contradicts .*run .* is different' "another run of the same uuid" \
    "$work/bad.db"
hurt "UPDATE run SET uuid = 'new' WHERE run_id = 5"
refused 4 'contradicts .*run new is of a cell and a launch that have another' \
    "another run of the same cell and launch" "$work/bad.db"
hurt "UPDATE cell SET provider = 'nobody', uuid = 'nobody' WHERE cell_id = 5;" \
    2>/dev/null
sqlite3 "$work/bad.db" "PRAGMA ignore_check_constraints = ON;
    UPDATE cell SET provider = 'nobody', uuid = 'x' WHERE cell_id = 5"
refused 4 'bad.db: the file is damaged .CHECK' "a value that violates a CHECK" \
    "$work/bad.db"

# Tables that are not what they seem to be.
forge() { # table, old text, new text of its definition
    cp "$work/b.db" "$work/bad.db"
    sqlite3 -cmd ".dbconfig defensive off" "$work/bad.db" "PRAGMA
        writable_schema = ON; UPDATE sqlite_master
        SET sql = replace(sql, '$2', '$3') WHERE name = '$1';"  >/dev/null
}
other='table .* is not that of schema version'
forge run "batch       INTEGER NOT NULL DEFAULT 1" \
    "batch       INTEGER AS (length(hex(cell_id))) NOT NULL"
refused 4 "$other" "a column that is computed" "$work/bad.db"
forge run "''ok'', ''invalid''" "''ok'', ''--'' || randomblob(9) || ''
invalid''"
refused 4 "$other" "a check that looks like a comment" "$work/bad.db"
hurt "ALTER TABLE sample RENAME TO sample_; CREATE VIEW sample AS SELECT *
    FROM sample_"
refused 4 "$other" "a view instead of a table" "$work/bad.db"
hurt "ALTER TABLE run ADD COLUMN mine"
refused 4 "$other" "a column that would be lost" "$work/bad.db"
forge run "INTEGER PRIMARY KEY," "INTEGER
    -- of this run
    PRIMARY KEY,"
"$chorale" merge "$work/r.db" "$work/bad.db" -q
ok $? "other comments and spaces in a schema are accepted"
hurt "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END;
    CREATE TEMP TABLE x (y); DROP VIEW v_summary;
    CREATE VIEW v_summary AS SELECT randomblob(1000000000) AS system"
"$chorale" merge "$work/r.db" "$work/bad.db" -q
ok $? "triggers and views of a shard are ignored"
for words in "$work/r.db" "$work/r.db $work/r.db" \
             "$work/r.db $work/a.db $work/./r.db"; do
    # shellcheck disable=SC2086
    "$chorale" merge $words 2>"$work/err.txt"
    is "$? $(wc -l <"$work/err.txt" | tr -d ' ')" "2 1" \
        "usage: merge $(echo "$words" | sed "s|$work/||g")"
done

# A refused shard does not prevent merging the others.
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/none.db" "$work/a.db" "$work/b.db" -q \
    2>"$work/err.txt"
is "$? $(wc -l <"$work/err.txt" | tr -d ' ')" "3 1" \
    "a missing shard exits with 3"
is "$(sqlite3 "$work/n.db" 'SELECT count(*) FROM run')" 1760 \
    "the other shards are merged"
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/none.db" 2>/dev/null
[ ! -e "$work/n.db" ]
ok $? "without a valid shard no database is made"

# A shard being written, by a campaign with a slow launcher.
printf '#!/bin/sh\nexec sleep 600\n' >"$work/slow"
chmod +x "$work/slow"
"$chorale" plan "$work/live.db" -P 1 -m 8 -c bcast --launches 1 -q
CHORALE_MPIEXEC=$work/slow "$chorale" run "$work/live.db" -q 2>/dev/null &
pid=$!
i=0
until [ "$(sqlite3 "$work/live.db" "SELECT count(*) FROM launch" 2>&1)" = 1 ] ||
    [ $i -ge 3000 ]; do sleep 0.1; i=$((i + 1)); done
refused 3 'live.db: a chorale command is working on it; merge' \
    "a shard that is being written" "$work/live.db"
"$chorale" merge "$work/live.db" "$work/a.db" 2>"$work/err.txt"
is "$?" 3 "a target being written exits with 3"
like "$(cat "$work/err.txt")" 'live.db: another chorale command is working' \
    "a target being written: the error gives the reason"
kill -9 $pid
wait $pid 2>/dev/null
rm -f "$work/n.db"
"$chorale" merge "$work/n.db" "$work/live.db" -q
is "$?$(sqlite3 "$work/n.db" "SELECT status || reason FROM launch")" \
    0failedkilled "a killed campaign's database can be merged"

# merge itself is killed: all or no part of the shard is merged.
sqlite3 "$work/a.db" "WITH RECURSIVE k(i) AS (SELECT 10 UNION ALL SELECT i + 1
    FROM k WHERE i < 99) INSERT INTO sample SELECT run_id, i, i, 0, 0, NULL,
    NULL, 0 FROM run, k"
content "$work/a.db" >"$work/want.txt"
rm -f "$work/n.db"
torn=0
for nap in 0.01 0.03 0.1 0.2 0.3 0.5 0.8; do
    "$chorale" merge "$work/n.db" "$work/a.db" -q &
    pid=$!
    sleep $nap
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -s "$work/n.db" ] || continue
    case $(sqlite3 "$work/n.db" "PRAGMA integrity_check; SELECT count(*) FROM
        sqlite_master WHERE name = 'run'" | tr '\n' ' ') in
    'ok 0 ') continue ;;
    'ok 1 ') ;;
    *) torn=1 ;;
    esac
    case $(sqlite3 "$work/n.db" "SELECT (SELECT count(*) FROM run) || ' ' ||
        (SELECT count(*) FROM sample)") in
    '0 0' | '880 88000') ;;
    *) torn=1 ;;
    esac
done
is $torn 0 "killed at any time, merge leaves all or no part of the shard"
"$chorale" merge "$work/n.db" "$work/a.db" -q
content "$work/n.db" | cmp - "$work/want.txt"
ok $? "the same command then merges the shard"

# Imported traces are merged once.
for k in 1 2; do
    "$chorale" plan "$work/t$k.db" -P 2 -m 8 -c bcast -q
    sqlite3 "$work/t$k.db" "WITH RECURSIVE i(v) AS (SELECT $k UNION ALL
            SELECT v + 1 FROM i WHERE v < 2)
        INSERT INTO trace (uuid, label, imported, program, mpi_library, started,
            comm_size, ranks, wall_mean, wall_max, unlisted_calls,
            unlisted_seconds)
        SELECT 'trace ' || v, 'l' || v, '', './app', '', '', 4, 4, 1, 1, 0, 0
        FROM i;
        INSERT INTO trace_point (trace_id, coll, n, msg_size, comm_size, shape,
            dtype, op, root, ran, rank_calls, calls, seconds, max_seconds)
        SELECT trace_id, 'bcast', m, m, 4, 'single-node', 'byte', '', 'first',
            'library', 40, 10, 2, 1 FROM trace, (SELECT 8 AS m
            UNION SELECT 64)"
done
traces() {
    sqlite3 "$1" "SELECT t.uuid, t.label, p.* FROM trace t
        JOIN trace_point p USING (trace_id)" | sed 's/|[0-9]*|bcast/|bcast/' |
        sort
}
like "$("$chorale" merge "$work/t12.db" "$work/t1.db" "$work/t2.db")" \
    'samples?, 2 traces added' "traces are merged and counted"
"$chorale" merge "$work/t21.db" "$work/t2.db" "$work/t1.db" "$work/t1.db" -q
is "$(traces "$work/t12.db" | wc -l) $(sqlite3 "$work/t12.db" \
    'SELECT count(*) FROM trace_point')" "4 4" "each trace is merged once"
is "$(traces "$work/t21.db")" "$(traces "$work/t1.db")" \
    "traces are the same in another order and when repeated"

# A full disk.
mkdir "$work/full"
if mount -t tmpfs -o size=1m tmpfs "$work/full" 2>/dev/null; then
    "$chorale" merge "$work/full/n.db" "$work/a.db" 2>"$work/err.txt"
    is "$? $(wc -l <"$work/err.txt" | tr -d ' ')" "3 1" \
        "a full disk exits with 3"
    like "$(cat "$work/err.txt")" 'full/n.db: the disk is full' \
        "a full disk: the error gives the reason"
    is "$(sqlite3 "$work/full/n.db" 'PRAGMA integrity_check;
        SELECT count(*) FROM run' | tr '\n' ' ')" "ok 0 " \
        "a full disk: the database is intact, without the shard"
    head -c 700000 /dev/zero >"$work/full/fill"
    TMPDIR=$work/full "$chorale" merge "$work/n.db" "$work/old.db" \
        2>"$work/err.txt"
    is "$? $(wc -l <"$work/err.txt" | tr -d ' ')" "3 1" \
        "no space for the temporary copy exits with 3"
    like "$(cat "$work/err.txt")" 'old.db: .*TMPDIR' \
        "no space for the temporary copy: the error names TMPDIR"
    is "$(ls -d "$work"/full/chorale-* 2>/dev/null)" "" \
        "no temporary copy remains on the full disk"
    umount "$work/full"
else
    skip "cannot mount a small file system here" "full disk"
fi
is "$(ls "$TMPDIR")" "" "no temporary copy remains"
finish
