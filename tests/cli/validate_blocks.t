#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# validate_blocks.t - collectives whose ranks have blocks of their own sizes: the
# shim sees the sum of the blocks or no size at all. `chorale validate` finds
# that the shim runs the table's choice at every point, and an application's
# unequal and empty blocks arrive.
. "$(dirname "$0")/../lib.sh"
src=$(cd "$top_srcdir" && pwd)
shim=$(cd "$top_builddir" && pwd)/.libs/libchorale_pmpi.so
yield=$(cd "$top_builddir" && pwd)/tests/mpi/.libs/libyield.so
validating
select1() { sqlite3 "${db:-r.db}" "$1"; }
row() { # P coll op class type n_lo n_hi provider variant [params]
    select1 "INSERT INTO decision (system_id, coll, comm_size, comm_size_hi,
        ppn, shape, dtype, op, op_class, n_lo, n_hi, provider, variant,
        params, basis, reason) VALUES (1, '$2', $1, $1, $1, 'single-node',
        '$5', '$3', '$4', $6, $7, '$8', '$9', '${10-}', 'measured',
        'by hand')"
}
proved() { # what was measured at each point, and how it went
    select1 "SELECT group_concat(line, '; ') FROM (SELECT coll || ' ' ||
        c.msg_size || substr(c.params, 17, instr(c.params || ':', ':') - 17)
        || ' ' || group_concat(DISTINCT r.status || r.reason) AS line
        FROM cell c LEFT JOIN run r USING (cell_id)
        WHERE c.variant = 'choice' GROUP BY c.cell_id
        ORDER BY coll, c.msg_size)"
}

# All five, each with a variant of its own from 1000 bytes on.
run plan r.db -c reduce_scatter,gatherv,scatterv,allgatherv,alltoallv -P 2 \
    -m 64,4K --variants linear,linear_nb,ring,scattered --launches 2 -i 5 \
    --cell-time 0.005 && run run r.db
ok $? "five collectives are measured"
diag "$(cat err.txt)"
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
for coll in gatherv scatterv alltoallv; do
    row 2 $coll '' '' byte 0 1048576 chorale linear_nb
done
row 2 allgatherv '' '' byte 0 999 library default
row 2 allgatherv '' '' byte 1000 8192 chorale ring
row 2 reduce_scatter sum builtin double 0 999 library default
row 2 reduce_scatter sum builtin double 1000 8192 chorale linear
run validate r.db --launches 2
[ $? -le 1 ]
ok $? "and validated"
diag "$(cat err.txt)"
is "$(proved)" "allgatherv 64 library ok; allgatherv 499 library ok; \
allgatherv 500 ring ok; allgatherv 4096 ring ok; alltoallv 64 linear_nb ok; \
alltoallv 4096 linear_nb ok; gatherv 64 linear_nb ok; gatherv 4096 linear_nb \
ok; reduce_scatter 64 library ok; reduce_scatter 496 library ok; \
reduce_scatter 504 linear ok; reduce_scatter 4096 linear ok; scatterv 64 \
linear_nb ok; scatterv 4096 linear_nb ok" \
    "each ran what the table says, on both sides of its boundary"
is "$(grep -Ec '^(reduce_scatter|gatherv|scatterv|allgatherv|alltoallv) +[0-9]+ ' \
    out.txt)" 5 "each collective has its row in the report"
is "$(select1 "SELECT count(DISTINCT coll), count(*) FROM validation")" "5|14" \
    "all points are in the database"

# The same table with P = 3, compiled, under an application. Of one choice two
# rows, as of a range that was cut, are one choice. linear_nb does not serve
# alltoallv in place.
select1 "UPDATE decision SET variant = 'inplace_shift' WHERE coll = 'alltoallv'"
row 3 gatherv '' '' byte 64 4096 chorale linear_nb max_reqs=2
row 3 gatherv '' '' byte 4097 8192 chorale linear_nb max_reqs=2
row 3 scatterv '' '' byte 64 4096 chorale binomial_counts
row 3 alltoallv '' '' byte 64 4096 chorale inplace_shift
row 3 allgatherv '' '' byte 0 100 chorale direct max_reqs=3
row 3 allgatherv '' '' byte 101 1000000 chorale ring
row 3 reduce_scatter sum builtin double 0 1000000 chorale pairwise
"${MPICC:-mpicc.mpich}" -o blocks "$src/tests/shim/blocks.c" &&
    run generate r.db --format c -o table.c &&
    "$CC" -std=c99 -shared -fPIC -o table.so table.c
ok $? "a table is generated and compiled"
application() { # P, choices that must be served
    timeout 900 "$MPIEXEC" -n "$1" env LD_PRELOAD="$shim $yield" \
        CHORALE_DISPATCH="$work/table.so" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
        CHORALE_SITE=none ./blocks >out.txt 2>err.txt
    like "$? $(grep wrong out.txt)" '^0 .*blocks: wrong=0' \
        "P=$1: unequal and empty blocks arrive"
    p=$1
    shift
    for want; do
        like "$(grep "^chorale: ${want%% *}.* P=$p" err.txt)" \
            "^chorale: ${want%% *} (n=[0-9]+ )?P=$p -> ${want#* }" \
            "P=$p: the shim serves $want"
    done
    ! grep -E '^chorale: (gatherv|scatterv|alltoallv) P=' err.txt | grep library
    ok $? "P=$p: no size of these is left to the library"
}
application 2 "gatherv linear_nb" "scatterv linear_nb" "alltoallv inplace_shift"
application 3 "gatherv linear_nb max_reqs=2" "scatterv binomial_counts" \
    "alltoallv inplace_shift" "allgatherv direct max_reqs=3" "allgatherv ring" \
    "reduce_scatter pairwise"
row 3 gatherv '' '' byte 8193 9000 chorale linear
run generate r.db --format c -o other.c
like "$? $(cat err.txt)" \
    '^4 .*two decisions on gatherv at P = 3, whose ranks do not' \
    "two choices for sizes that the ranks do not know are refused"
[ ! -e other.c ]
ok $? "the refused table is not written"

# At four ranks blocks that rise add up to less than four times their mean: the
# choice that was measured at 64 bytes holds there all the same. Of doubles
# the shim sees less, as allgatherv's ranks may have others' types: the
# library's, below what was measured, and validate knows.
db=s.db
run plan s.db -c allgatherv,reduce_scatter -P 4 -m 64 --variants ring,linear \
    --launches 2 -i 3 --cell-time 0.005 &&
    run run s.db
ok $? "blocks that do not divide evenly are measured"
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
row 4 allgatherv '' '' byte 256 256 chorale ring
row 4 reduce_scatter sum builtin double 256 256 chorale linear
run validate s.db --launches 2
is "$(proved)" "allgatherv 64 ring ok; reduce_scatter 64 linear ok" \
    "the choice of a measured size is served at it"
db=d.db
run plan d.db -c allgatherv -P 4 -m 64 --type double --variants ring \
    --launches 2 -i 3 --cell-time 0.005 && run run d.db
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
row 4 allgatherv '' '' double 256 256 chorale ring
run validate d.db --launches 2
is "$(proved)" "allgatherv 64 library ok" \
    "what the shim cannot see is the library's, and proved as that"
finish
