#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The order in which databases are merged has no effect: exports, models,
# decisions and tables are equal byte by byte. Three campaigns of one system
# with partly equal cells were planned separately and ran at the same time.
. "$(dirname "$0")/../../lib.sh"
cd "$work" || exit 99

shard() { # name, factor of the noise, number of ranks, variants
    sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" \
        "$1.db" "ring-$1" "$3" "$4"
    sqlite3 "$1.db" "
        UPDATE system SET uuid = 'system-$1', kind = 'real';
        UPDATE campaign SET uuid = 'campaign-$1';
        UPDATE cell SET uuid = uuid || '$1';
        UPDATE launch SET uuid = uuid || '$1', started =
            '2026-01-02T00:00:' || (10 + launch_id * $2 % 7) || 'Z';
        UPDATE run SET uuid = uuid || '$1', validity = CASE run_id * $2 % 11
            WHEN 0 THEN 'late' WHEN 1 THEN 'straggler' ELSE '' END;
        UPDATE run_summary SET median = median *
            (1 + (run_id * run_id * $2 % 997) / 9970.0);
        INSERT INTO environment SELECT launch_id, 'k', '$1' FROM launch;
        INSERT INTO counter SELECT run_id, -1, 'e', run_id * $2 FROM run;
        INSERT INTO sample SELECT run_id, 0, median, 0, 0, NULL, 0, 0
            FROM run_summary;
        DELETE FROM decision; DELETE FROM model"
}
shard a 31 "2 16" 3
shard b 37 "64 16 2" 4
shard c 41 "16 64" 2
sqlite3 b.db "UPDATE system SET created = '2025-12-31T00:00:00Z'"
sqlite3 c.db "UPDATE campaign SET created = '2025-12-31T00:00:00Z'"

sets="summary samples speedup best runs counters environment decisions cells"
tell() { # database: write all results computed from it to the folder out
    rm -rf out
    mkdir out
    { "$chorale" fit "$1" && "$chorale" decide "$1" &&
        "$chorale" generate "$1" -o out/table.c; } >out/said.txt 2>&1 || return
    for what in $sets; do
        "$chorale" export "$1" --what "$what" --csv -o "out/$what.csv" ||
            return
        # Without the description of the table itself.
        [ "$(wc -l <"out/$what.csv")" -gt 1 ] || return
    done
    sqlite3 "$1" "SELECT * FROM model; SELECT * FROM v_untouched" >out/model.txt
    # Remove the file's name and time.
    sed -i "s/$1/NAME/g" out/*
}
merge() { # database, shards in one command
    "$chorale" merge -q "$@"
}

merge abc.db a.db b.db c.db && tell abc.db
ok $? "three campaigns are merged, fitted, decided and exported"
mv out want
is "$(sqlite3 abc.db "SELECT group_concat(n) FROM (SELECT DISTINCT
    launches AS n FROM v_summary ORDER BY n)")" \
    "5,10,15" "cells belong to one, two or all campaigns"
for order in "a c b" "b a c" "b c a" "c a b" "c b a"; do
    db=$(echo "$order" | tr -d ' ').db
    # shellcheck disable=SC2046
    merge "$db" $(printf '%s.db ' $order) && tell "$db" && diff -r want out
    ok $? "the order $order gives the same results"
done
# Merge one after the other into a database with runs, then again.
cp b.db one.db
merge one.db c.db && merge one.db a.db && merge one.db c.db b.db &&
    tell one.db && diff -r want out
ok $? "merging one after the other, and twice, gives the same results"
is "$(sqlite3 one.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok \
    "the database is consistent"
is "$(sqlite3 one.db "SELECT group_concat(name) FROM system" \
    "SELECT DISTINCT uuid FROM campaign WHERE campaign_id IN (SELECT
        campaign_id FROM cell WHERE comm_size = 64 AND variant = 'default')")" \
    "ring-b
campaign-c" "a system has its first name, and a cell its first campaign"
is "$(sqlite3 one.db "SELECT min(cell_id) || ' ' || max(cell_id) = '1 ' ||
    count(*) FROM cell; SELECT group_concat(n) FROM (SELECT comm_size AS n FROM
    cell WHERE coll = 'bcast' AND provider = 'library' GROUP BY comm_size
    ORDER BY min(cell_id))")" "1
2,16,64" "row ids depend on the content only"

# A shard of a parallel part, merged unfinished and finished.
cp a.db half.db
sqlite3 half.db "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE run_id IN
        (SELECT run_id FROM run JOIN launch USING (launch_id)
        WHERE ordinal = 4) OR run_id > 700;
    DELETE FROM run_summary WHERE run_id NOT IN (SELECT run_id FROM run);
    DELETE FROM sample WHERE run_id NOT IN (SELECT run_id FROM run);
    DELETE FROM counter WHERE run_id NOT IN (SELECT run_id FROM run);
    UPDATE launch SET status = 'running', finished = NULL WHERE ordinal = 4"
merge parts.db half.db c.db && merge parts.db b.db && merge parts.db a.db &&
    tell parts.db && diff -r want out
ok $? "merging an unfinished and then the finished shard gives the same results"

# Ids as left by a merge that was killed before ordering them.
merge late.db c.db b.db && sqlite3 late.db "PRAGMA foreign_keys = OFF;
    UPDATE launch SET launch_id = launch_id + 100;
    UPDATE run SET launch_id = launch_id + 100;
    UPDATE environment SET launch_id = launch_id + 100" &&
    merge late.db a.db && tell late.db && diff -r want out
ok $? "the next merge orders the ids"

# Three systems of one name: tags do not depend on the order.
for shard in a b c; do
    sed_name="UPDATE system SET name = 'ring', signature = signature || '$shard',
        created = '2026-01-0$(echo $shard | tr abc 213)T00:00:00Z'"
    cp $shard.db n$shard.db
    sqlite3 n$shard.db "$sed_name"
done
names() { # database
    sqlite3 "$1" "SELECT y.uuid, y.name, count(*) FROM system y
        JOIN cell USING (system_id) GROUP BY 1 ORDER BY 1"
}
merge nabc.db na.db nb.db nc.db --other-systems && names nabc.db >want.names
is "$(cut -d '|' -f 2 want.names | sed 's/-[0-9a-f]\{8\}$/-TAG/' |
    tr '\n' ' ')" "ring-TAG ring ring-TAG " \
    "of three systems with one name the first keeps it"
bad=0
for order in "a c b" "b a c" "b c a" "c a b" "c b a"; do
    db=n$(echo "$order" | tr -d ' ').db
    for shard in $order; do
        merge "$db" n$shard.db --other-systems || bad=1
    done
    names "$db" | diff want.names - || bad=1
done
ok $bad "in any order systems have the same names"
merge nabc2.db nabc.db --other-systems && merge nabc2.db ncba.db &&
    names nabc2.db | diff want.names -
ok $? "merging a merged database keeps the names"

# One campaign planned in two databases.
cp c.db d.db
sqlite3 d.db "UPDATE campaign SET created = '2025-12-30T00:00:00Z',
    command = 'planned first'"
merge cd.db c.db d.db && merge dc.db d.db c.db
for db in cd dc; do
    is "$(sqlite3 $db.db "SELECT created, command FROM campaign")" \
        "2025-12-30T00:00:00Z|planned first" \
            "$db: a campaign planned twice keeps the first plan"
done
finish
