#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A fat tree of three levels and a dragonfly, several ranks a node: barriers in
# two levels win where ranks that talk in a flat one lie on different nodes, and
# the flat ones where the doubling distances are the nodes'; one table says so.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99

best() { # database, ranks: the fastest of our variants
    sqlite3 "$1" "SELECT c.variant FROM run_summary s JOIN run USING (run_id)
        JOIN cell c USING (cell_id) WHERE c.provider = 'chorale' AND
        c.comm_size = $2 ORDER BY s.median, c.variant LIMIT 1"
}
for name in fattree16 dragonfly16; do
    file=$top_srcdir/ci/platforms/$name.xml
    for way in '42 7' '32 8'; do
        "$chorale" plan $name.db -q -c barrier -P "${way% *}" \
            --ppn "${way#* }" --launcher smpirun --platform "$file" \
            --variants two_level,dissemination,recursive_doubling || break
    done
    timeout 3000 "$chorale" run $name.db -q && "$chorale" decide $name.db -q &&
        "$chorale" generate $name.db -o $name.c >/dev/null
    ok $? "$name: barriers with 7 and with 8 ranks a node, in one table"
    is "$(best $name.db 42)" two_level "$name: two levels win with 7 a node"
    is "$(best $name.db 32)" recursive_doubling \
        "$name: a flat one with 8 a node"
    is "$(sqlite3 $name.db "SELECT group_concat(ppn || ' ' || variant)
        FROM (SELECT ppn, variant FROM decision WHERE target = 'dispatch'
        ORDER BY ppn)")" "7 two_level,8 recursive_doubling" \
        "$name: each is decided"
    like "$(cat $name.c)" 'block 7, 8 a node' "$name: the table has both"
done
finish
