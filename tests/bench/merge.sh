#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Merging a large campaign: 1000 shards of 1000 runs with five samples each are
# merged into one database in less than a minute; then again, when all rows
# exist; then by the last job of a campaign, which also makes the table.
# Meanwhile another process publishes new shards as jobs do: written under
# another name, then renamed. A missed time is marked MISSED; lost runs make
# this fail.
#
#   merge.sh [SHARDS]     default: 1000
here=$(cd "${top_builddir:-.}" && pwd)
shards=${1:-1000}
most=60 # seconds for 1000 shards
work=$(mktemp -d) || exit 3
trap 'kill $writer 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
writer=

# A plan of 200 cells in five launches; every shard has other runs.
"$here/tests/bench/store" runs "$work/one.db" 200 >/dev/null || exit
mkdir "$work/shards"
# UUIDs as the runner makes them: those of runs begin like their launch's.
one() { # number
    cp "$work/one.db" "$work/shards/$1.new" &&
        sqlite3 "$work/shards/$1.new" "PRAGMA synchronous = OFF; BEGIN;
            UPDATE launch SET uuid = lower(hex(randomblob(4)) || '-' ||
                hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) ||
                '-8' || substr(hex(randomblob(2)), 2) || '-' ||
                hex(randomblob(6)));
            UPDATE run SET uuid = (SELECT substr(l.uuid, 1, 18) FROM launch l
                WHERE l.launch_id = run.launch_id) || lower('-8' ||
                substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));
            COMMIT" >/dev/null && mv "$work/shards/$1.new" "$work/shards/$1.db"
}
i=0
while [ $i -lt "$shards" ]; do
    one $i || exit
    i=$((i + 1))
done
runs=$(sqlite3 "$work/one.db" 'SELECT count(*) FROM run')
mb=$(du -sm "$work/shards" | cut -f 1)
echo "# $shards shards of $runs runs, $mb MB"

# The first shard is published repeatedly while it is merged.
(while cp "$work/shards/0.db" "$work/0.new" 2>/dev/null; do
    mv "$work/0.new" "$work/shards/0.db"
    sleep 0.1
done) &
writer=$!
code=0
timed() { # what, accepted exit codes, command
    what=$1 good=$2
    shift 2
    before=$(date +%s.%N)
    (cd "$work/shards" && "$@" >"$work/said" 2>&1
     echo $? >"$work/code"
     times >"$work/cpu")
    took=$(echo "$(date +%s.%N) - $before" | bc)
    missed=$(echo "$took > $most * $shards / 1000" | bc)
    printf '# %s shards %-8s %7.1f s (at most %s)%s, user and system %s\n' \
        "$shards" "$what" "$took" "$((most * shards / 1000))" \
        "$([ "$missed" = 1 ] && echo ' MISSED')" "$(tail -n 1 "$work/cpu")"
    case " $good " in
    *" $(cat "$work/code") "*) ;;
    *) cat "$work/said"; code=1 ;;
    esac
}
merged() { # database
    n=$(sqlite3 "$1" 'SELECT count(*) FROM run')
    echo "# $n of $((shards * runs)) runs are merged"
    [ "$n" = $((shards * runs)) ] || code=1
}
timed new 0 sh -c "'$here/chorale' merge -q ../all.db ./[0-9]*.db"
timed known 0 sh -c "'$here/chorale' merge -q ../all.db ./[0-9]*.db"
merged "$work/all.db"

# A submission whose elements have published these shards. Its plan does not
# contain their runs, so no run is missing.
cp "$work/shards/0.db" "$work/campaign.db"
sqlite3 "$work/campaign.db" "
    INSERT INTO submission (submission_id, uuid, system_id, created, command,
        folder) SELECT 1, 'bench', min(system_id), 'now', '', '$work/shards'
        FROM system;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
            WHERE i < $shards)
        INSERT INTO element (submission_id, element, nodes, ppn, seconds, task)
        SELECT 1, i, 1, 1, 1, i - 1 FROM n"
i=0
while [ $i -lt "$shards" ]; do
    ln "$work/shards/$i.db" "$work/shards/shard-$((i + 1)).db"
    i=$((i + 1))
done
timed gathered "0 3" "$here/chorale" job "$work/shards" \
    --gather "$work/campaign.db"
merged "$work/campaign.db"
exit $code
