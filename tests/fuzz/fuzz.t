#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.t - replay the corpora of the fuzzing targets: targets return for every
# file. Then the same with bytes removed, duplicated and flipped by fixed rules.
. "$(dirname "$0")/../lib.sh"
corpus=$top_srcdir/tests/fuzz/corpus
mkdir "$work/store"
sh "$top_srcdir/tests/fuzz/seed.sh" "$top_srcdir/db/schema.sql" "$work/store"
is $? 0 "databases to begin with"
cp "$corpus"/store/* "$work/store/"
for target in tables timings trace spec store; do
    program=$top_builddir/tests/fuzz/$target
    [ -x "$program" ] || { skip "not built" "$target"; continue; }
    folder=$corpus/$target
    [ "$target" != store ] || folder=$work/store
    n=$(find "$folder" -type f | wc -l)
    [ "$n" -ge 3 ]
    ok $? "$target: the corpus has $((n)) files"
    find "$folder" -type f -exec timeout 900 "$program" {} + >"$work/out" 2>"$work/err"
    is "$? $(wc -l <"$work/out" | tr -d ' ')" "0 $((n))" "$target returns for each file"
    diag "$(tail -n 2 "$work/err")"
    if [ "$target" = store ]; then
        is "$(CHORALE_FUZZ_MERGED=1 "$program" "$work/store/rows" \
            "$work/store/cut" "$work/store/whole" | sed "s|$work/store/||")" \
            "merged: rows
cut
merged: whole" "store: intact databases are merged, and rows numbered"
        for table in $(sqlite3 "$work/store/rows" "SELECT name FROM
            sqlite_schema WHERE type = 'table'"); do
            [ "$(sqlite3 "$work/store/rows" "SELECT count(*) FROM $table")" -gt 0 ] ||
                echo "$table"
        done >"$work/none"
        is "$(cat "$work/none")" "" "store: the corpus has rows in each table"
    fi
    mkdir "$work/$target-bent"
    find "$folder" -type f | sort | python3 -c '
import os, random, sys
random.seed(4711)
out = sys.argv[1]
count = 0
for path in sys.stdin.read().split("\n")[:-1]:
    data = open(path, "rb").read()
    for k in range(8):
        bent = bytearray(data)
        for i in range(1 + k):
            at = random.randrange(len(bent) + 1)
            what = random.randrange(4)
            if what == 0:
                bent = bent[:at]
            elif what == 1:
                bent[at:at] = bent[max(0, at - 40):at]
            elif what == 2 and at < len(bent):
                bent[at] = random.choice(b"\0\n 09-.xX#,:\377")
            elif at < len(bent):
                del bent[at:at + random.randrange(1, 30)]
        open(os.path.join(out, "%d" % count), "wb").write(bytes(bent))
        count += 1
' "$work/$target-bent"
    n=$(find "$work/$target-bent" -type f | wc -l)
    find "$work/$target-bent" -type f -exec timeout 3000 "$program" {} + \
        >"$work/out" 2>"$work/err"
    is "$? $(wc -l <"$work/out" | tr -d ' ')" "0 $((n))" \
        "$target returns for $((n)) damaged files"
    diag "$(tail -n 2 "$work/err")"
done
finish
