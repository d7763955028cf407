#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A database with a damaged page: a verb that reads the page prints one line and
# exits with 4. No verb crashes, hangs, or damages the file further. Full disks
# and folders without write permission are in badinput.t.
. "$(dirname "$0")/../../lib.sh"

whole=$work/whole.db
sh "$top_srcdir/tests/cli/synth.sh" "$top_srcdir/db/schema.sql" "$whole" ring 8
sqlite3 "$whole" "WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1
    FROM k WHERE i < 19) INSERT INTO sample SELECT run_id, i, 1e-5, 0, 0, NULL,
    NULL, 0 FROM run, k"
page=$(sqlite3 "$whole" 'PRAGMA page_size')
pages=$(sqlite3 "$whole" 'PRAGMA page_count')
diag "$pages pages of $page bytes"

hurt() { # source of bytes, page: overwrite a page of a copy
    cp "$whole" "$work/hurt.db"
    rm -f "$work/hurt.db-journal"
    dd if="$1" of="$work/hurt.db" bs="$page" seek=$(($2 - 1)) count=1 \
        conv=notrunc 2>/dev/null
}

verb() { # verb: run it; sets $code, and $lines of standard error
    case $1 in
    generate) set -- generate "$work/hurt.db" -o "$work/t.c" ;;
    *) set -- "$1" "$work/hurt.db" ;;
    esac
    timeout 900 "$chorale" "$@" >/dev/null 2>"$work/err.txt"
    code=$?
    lines=$(wc -l <"$work/err.txt" | tr -d ' ')
}

# The root pages of tables that verbs read.
for from in /dev/zero /dev/urandom; do
    for name in cell run; do
        root=$(sqlite3 "$whole" "SELECT rootpage FROM sqlite_master
            WHERE name = '$name'")
        for verb in status fit decide run; do
            hurt $from "$root"
            verb $verb
            is "$code $lines" "4 1" \
                "$verb, table $name from $from: exits with 4 and one line"
            like "$(cat "$work/err.txt")" 'hurt.db: the file is damaged .*restore' \
                "$verb, table $name from $from: the error reports the damage"
        done
    done
    root=$(sqlite3 "$whole" "SELECT rootpage FROM sqlite_master
        WHERE name = 'decision'")
    hurt $from "$root"
    verb generate
    is "$code $lines" "4 1" \
        "generate, table decision from $from: exits with 4 and one line"
    [ ! -e "$work/t.c" ]
    ok $? "generate, table decision from $from: no table is made"
done

# Any page of the file: the damage is reported, or the page is not read.
bad=0 met=0 n=0
i=2
while [ $i -lt "$pages" ]; do
    for verb in status fit decide export; do
        hurt /dev/urandom $i
        verb $verb
        n=$((n + 1))
        case "$code $lines" in
        "4 1") met=$((met + 1)) ;;
        "0 0") ;;
        *) bad=$((bad + 1)); diag "page $i, $verb: exit $code"
           sed 's/^/# /' "$work/err.txt" ;;
        esac
    done
    i=$((i + pages / 16 + 1))
done
is "$bad" 0 \
    "pages all over the file: verbs exit with 4 and one line, or do not read it"
[ "$met" -ge 8 ]
ok $? "$met of $n verbs read the damaged page"

# The runner reads the table of samples, which `run` itself does not read.
if command -v "$MPIEXEC" >/dev/null 2>&1; then
    rm -f "$whole"
    "$chorale" plan "$whole" -P 2 -m 8 -c bcast --launches 1 -i 5 -q
    root=$(sqlite3 "$whole" "SELECT rootpage FROM sqlite_master
        WHERE name = 'sample'")
    hurt /dev/urandom "$root"
    verb run
    is "$code $lines" "4 1" "run, table sample: exits with 4 and one line"
    like "$(cat "$work/err.txt")" 'damaged' \
        "run, table sample: the error reports the damage"
    is "$(sqlite3 "$work/hurt.db" 'SELECT count(*) FROM run')" 0 \
        "run, table sample: no run is stored without samples"
fi
finish
