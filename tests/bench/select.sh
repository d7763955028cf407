#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cost of a selection in the generated C dispatch: nanoseconds per call, without
# the loop; the number of ranks changes every 64 calls. The table is invented:
# 12 numbers of ranks with 12 ranges each, on one node and in blocks of 2, 4, 8
# and 16 per node.
here=${top_builddir:-.}
src=${top_srcdir:-$(dirname "$0")/../..}
: "${CC:=cc}"
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
"$here/chorale" plan "$work/s.db" -q -c bcast -m 8 -P 2 || exit
{
    echo "BEGIN; DELETE FROM decision;"
    for p in 2 3 4 6 8 12 16 24 32 48 64 128; do
        lo=0
        for k in 3 5 7 9 11 13 15 17 19 21 23 30; do
            hi=$((1 << k))
            variant=binomial
            [ $((k % 4)) -eq 1 ] || variant=linear
            for ppn in "$p" 2 4 8 16; do
                shape=block
                [ "$ppn" -ne "$p" ] || shape=single-node
                echo "INSERT OR IGNORE INTO decision (system_id, coll,
                    comm_size, ppn, shape, dtype, op, n_lo, n_hi, provider,
                    variant, params, basis, reason) VALUES (1, 'bcast', $p,
                    $ppn, '$shape', 'byte', '', $lo, $hi, 'chorale',
                    '$variant', '', 'measured', '');"
            done
            lo=$((hi + 1))
        done
    done
    echo "COMMIT;"
} | sqlite3 "$work/s.db" || exit
"$here/chorale" generate "$work/s.db" -o "$work/table.c" || exit
"$CC" -std=c99 -O2 -c -o "$work/table.o" "$work/table.c" || exit
"$CC" -std=c11 -O2 -I"$work" -o "$work/select" "$src/tests/bench/select.c" \
    "$work/table.o" || exit
"$work/select"
