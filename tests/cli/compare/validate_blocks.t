#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# validate_blocks.t - collectives with a block size per rank: the shim sees the
# sum of the blocks, or no size. `chorale validate` finds that the shim runs the
# table's choice at every point, and unequal and empty blocks of an application
# arrive.
. "$(dirname "$0")/../../lib.sh"
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
proved() { # [metric]: print the choice and status of each point
    select1 "SELECT group_concat(line, '; ') FROM (SELECT coll || ' ' ||
        c.msg_size || substr(c.params, 17, instr(c.params || ':', ':') - 17)
        || ' ' || group_concat(DISTINCT r.status || r.reason) AS line
        FROM cell c LEFT JOIN run r USING (cell_id)
        WHERE c.variant = 'choice' AND c.metric = '${1-duration}'
        GROUP BY c.cell_id
        ORDER BY coll, c.msg_size)"
}

# All five collectives, each with another variant from 1000 bytes on.
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
ok $? "five collectives are validated"
diag "$(cat err.txt)"
is "$(proved)" "allgatherv 64 library ok; allgatherv 499 library ok; \
allgatherv 500 ring ok; allgatherv 4096 ring ok; alltoallv 64 linear_nb ok; \
alltoallv 4096 linear_nb ok; gatherv 64 linear_nb ok; gatherv 4096 linear_nb \
ok; reduce_scatter 64 library ok; reduce_scatter 496 library ok; \
reduce_scatter 504 linear ok; reduce_scatter 4096 linear ok; scatterv 64 \
linear_nb ok; scatterv 4096 linear_nb ok" \
    "each ran what the table says, on both sides of its boundary"
is "$(proved throughput)" "allgatherv 500 ring ok; allgatherv 4096 ring ok; \
alltoallv 64 linear_nb ok; alltoallv 4096 linear_nb ok; gatherv 64 linear_nb \
ok; gatherv 4096 linear_nb ok; reduce_scatter 504 linear ok; reduce_scatter \
4096 linear ok; scatterv 64 linear_nb ok; scatterv 4096 linear_nb ok" \
    "calls back to back ran each variant that the table chooses"
is "$(sed -En -e 's/^(calls back to back), .*/\1/p' -e \
    's/^(reduce_scatter|gatherv|scatterv|allgatherv|alltoallv) +[0-9]+ .*/row/p' \
    out.txt | tr '\n' ' ')" \
    "row row row row row calls back to back row row row row row " \
    "each collective has its row in both tables of the report"
is "$(select1 "SELECT count(DISTINCT coll), sum(metric = 'duration'),
    sum(metric = 'throughput') FROM validation")" "5|14|10" \
    "all points are stored"

# The same table with P = 3, compiled, under an application. Two rows with one
# choice, as after a split range, count as one choice. linear_nb cannot run
# alltoallv in place.
select1 "UPDATE decision SET variant = 'inplace_shift' WHERE coll = 'alltoallv'"
row 3 gatherv '' '' byte 64 4096 chorale linear_nb max_reqs=2
row 3 gatherv '' '' byte 4097 8192 chorale linear_nb max_reqs=2
row 3 scatterv '' '' byte 64 4096 chorale binomial_counts
row 3 alltoallv '' '' byte 64 4096 chorale inplace_shift
row 3 allgatherv '' '' byte 0 100 chorale direct max_reqs=3
row 3 allgatherv '' '' byte 101 1000000 chorale ring
row 3 reduce_scatter sum builtin double 0 1000000 chorale pairwise
"${MPICC:-mpicc.mpich}" -o blocks "$src/tests/shim/programs/blocks.c" &&
    run generate r.db --format c -o table.c &&
    "$CC" -std=c99 -shared -fPIC -o table.so table.c
ok $? "a table is generated and compiled"
application() { # P, choices that the shim must serve
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
    ok $? "P=$p: no such call is left to the library"
}
application 2 "gatherv linear_nb" "scatterv linear_nb" "alltoallv inplace_shift"
application 3 "gatherv linear_nb max_reqs=2" "scatterv binomial_counts" \
    "alltoallv inplace_shift" "allgatherv direct max_reqs=3" "allgatherv ring" \
    "reduce_scatter pairwise"
row 3 gatherv '' '' byte 8193 9000 chorale linear
run generate r.db --format c -o other.c
like "$? $(cat err.txt)" \
    '^4 .*two decisions on gatherv at P = 3, whose ranks do not' \
    "two choices are refused if the ranks do not know the size"
[ ! -e other.c ]
ok $? "the refused table is not written"

# At four ranks rising blocks add up to less than four times their mean. The
# choice measured at 64 bytes must apply nevertheless. For doubles the shim sees
# a smaller size, because ranks of allgatherv may have different types: below
# the measured sizes it selects the library, and validate expects that.
db=s.db
run plan s.db -c allgatherv,reduce_scatter -P 4 -m 64 --variants ring,linear \
    --launches 2 -i 3 --cell-time 0.005 &&
    run run s.db
ok $? "blocks of sizes that do not divide evenly are measured"
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
row 4 allgatherv '' '' byte 256 256 chorale ring
row 4 reduce_scatter sum builtin double 256 256 chorale linear
run validate s.db --launches 2
is "$(proved)" "allgatherv 64 ring ok; reduce_scatter 64 linear ok" \
    "the shim serves the choice of a measured size"
db=d.db
run plan d.db -c allgatherv -P 4 -m 64 --type double --variants ring \
    --launches 2 -i 3 --cell-time 0.005 && run run d.db
select1 "UPDATE run SET validity = ''; UPDATE run_summary SET median = 1e-5"
row 4 allgatherv '' '' double 256 256 chorale ring
run validate d.db --launches 2
is "$(proved)" "allgatherv 64 library ok" \
    "sizes that the shim cannot see are validated as the library"
finish
