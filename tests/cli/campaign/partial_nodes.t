#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Process counts that do not fill their nodes: the last node has fewer ranks.
# They are planned, measured, decided and served as their own shape. Another
# placement of ranks is refused, and so are counts that srun would place
# otherwise. The nodes are simulated by a preload.
. "$(dirname "$0")/../../lib.sh"
skew=$top_builddir/tests/mpi/.libs/libskew.so
yield=$top_builddir/tests/mpi/.libs/libyield.so
[ -r "$skew" ] && [ -r "$yield" ] || skip_all "built without shared libraries"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
on_one_machine
"$chorale" --version | grep -q 'sanitizer=no' ||
    skip_all "built with a sanitizer: nothing can be preloaded"
cd "$work" || exit 99

plan() { # database, options...
    plan_db=$1
    shift
    "$chorale" plan "$plan_db" -q -m 8 -c bcast --variants binomial -i 10 \
        --min-iterations 5 --system made "$@" 2>err
}
run() { # ranks per node, database
    CHORALE_NODE=$1 LD_PRELOAD="$skew $yield" timeout 300 "$chorale" run "$2" \
        -q --no-bind 2>err # all nodes are this machine
}
plan r.db -P 3,5 --ppn 2 --launches 3
ok $? "three and five ranks, two per node, are planned"
is "$(sqlite3 r.db "SELECT DISTINCT comm_size, ppn, shape FROM cell
    ORDER BY 1" | tr '\n' ' ')" "3|2|irregular 5|2|irregular " \
    "they are planned with the shape irregular"
run 2 r.db
is "$? $(cat err)" "0 " "run exits with 0"
is "$(sqlite3 r.db "SELECT DISTINCT host_map FROM launch ORDER BY comm_size" |
    tr '\n' ' ')" "0,0,1 0,0,1,1,2 " "ranks are placed as planned"
like "$(sqlite3 r.db "SELECT DISTINCT value FROM environment
    WHERE key = 'launcher_command' AND value LIKE '% -n 5 %'")" \
    ' -n 5 (-ppn 2|--map-by ppr:2:node) ' "mpiexec gets the ranks per node"
"$chorale" decide r.db -q
ok $? "decide exits with 0"
if [ "$(nproc)" -ge 2 ]; then
    is "$(sqlite3 r.db "SELECT DISTINCT shape FROM decision
        WHERE target = 'dispatch'")" irregular \
            "decisions have the shape irregular"
else
    skip "two ranks share the only processor" \
        "decisions have the shape irregular"
fi
"$chorale" generate r.db -q -o table.c 2>err || diag "$(cat err)"
"$CC" -std=c99 -Wall -Wextra -Werror -c -o table.o table.c
ok $? "the table compiles"

# Two nodes of two ranks and a third of one have the same shape word as three
# and two ranks; the same number of nodes does not make the same placement.
plan two.db -P 5 --ppn 2 --launches 1
run 3 two.db
is $? 3 "a launch on nodes of three and two ranks instead of 2, 2, 1 fails"
like "$(cat err)" 'placed the 5 ranks on 2 nodes, but not 2 on each but the last; change its options, or plan multiples of --ppn' \
    "the error names both placements of P = 5"
plan even.db -P 8 --ppn 4 --launches 1
run 2 even.db
is $? 3 "a launch of two ranks on four nodes instead of four on two fails"
like "$(cat err)" 'placed the 8 ranks on 4 nodes, but not 4 ' \
    "the error names both placements of P = 8"
is "$(sqlite3 two.db 'SELECT count(*) FROM run')$(sqlite3 even.db \
    'SELECT count(*) FROM run')" 00 "no run of these launches is stored"

# srun spreads ranks evenly: 14, 13, 13 instead of 16, 16, 8.
for P in 40 33 17; do
    plan srun.db -P 16,$P --ppn 16 --launcher srun
    is $? 2 "srun, $P ranks, 16 per node: exits with 2"
    like "$(cat err)" "^chorale: -P $P: srun spreads them evenly over .* multiples of --ppn 16, or --launcher mpiexec$" \
        "srun, $P ranks: the error names the remedy"
done
[ ! -e srun.db ]
ok $? "no database is made"
plan srun.db -P 5,16,31,47,64 --ppn 16 --launcher srun
ok $? "srun: counts that it places as planned are accepted"
plan srun.db -P 40 --ppn 16
ok $? "mpiexec: any count is accepted"
finish
