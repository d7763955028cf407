#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A fat tree of three levels and a dragonfly, several ranks per node. Two-level
# barriers win where partners of a flat barrier are on different nodes; flat
# ones win where the doubling distances match the nodes. One table has both
# choices.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99

best() { # database, ranks: the fastest of Chorale's variants
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
    ok $? "$name: barriers with 7 and 8 ranks per node give one table"
    # With SimGrid 4 messages of 0 bytes have no overhead, and two_level wins
    # with both (tests/bench/results/simgrid.md).
    case $(sqlite3 $name.db "SELECT mpi_library FROM system") in
        *'SMPI 3.'*) flat=recursive_doubling ;;
        *) flat=two_level ;;
    esac
    is "$(best $name.db 42)" two_level \
        "$name: two_level wins with 7 ranks per node"
    is "$(best $name.db 32)" $flat \
        "$name: $flat wins with 8 ranks per node"
    is "$(sqlite3 $name.db "SELECT group_concat(ppn || ' ' || variant)
        FROM (SELECT ppn, variant FROM decision WHERE target = 'dispatch'
        ORDER BY ppn)")" "7 two_level,8 $flat" \
        "$name: both are decided"
    like "$(cat $name.c)" 'block 7, 8 a node' "$name: the table has both"
done
finish
