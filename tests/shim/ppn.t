#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ppn.t - a system measured with two and with four ranks per node gives one
# table. It chooses by a communicator's number of ranks per node.
. "$(dirname "$0")/helpers.sh"
chorale=$top_builddir/chorale
[ -x "$chorale" ] || skip_all "chorale is not built"

program bcasts || exit 1
"$MPICC" -shared -fPIC -o "$work/fake_nodes.so" \
    "$top_srcdir/tests/shim/programs/fake_nodes.c" -ldl || exit 1
db=$work/s.db
"$chorale" plan "$db" -q -c bcast -m 8 -P 2 --launches 6 || exit 1
row() { # shape, ranks a node, from, to, variant, collective, parameters
    echo "INSERT INTO decision (system_id, coll, comm_size, ppn, shape, dtype,
        op, n_lo, n_hi, provider, variant, params, basis, reason) VALUES (1,
        '${6:-bcast}', 6, $2, '$1', 'byte', '', $3, $4, 'chorale', '$5', '${7-}',
        'measured', '');"
}
{
    row block 2 8 2048 binomial
    row block 4 8 2048 linear
    row one-per-node 1 8 2048 scatter_ring_allgather
} | sqlite3 "$db"
"$chorale" generate "$db" -o "$work/table.c" >/dev/null &&
    $CC -shared -fPIC -o "$work/table.so" "$work/table.c"
ok $? "one file has the choices of both"
grep -q 'block 2, 4 a node' "$work/table.c" &&
    grep -q 'blocks are looked up by the number of ranks a node' "$work/table.c"
ok $? "the table states how blocks are looked up"

launch() { # ranks a node
    run 6 "$shim $work/fake_nodes.so" CHORALE_TEST_PPN="$1" CHORALE_VERBOSE=1 \
        CHORALE_AFTER=1 CHORALE_ANY_SYSTEM=1 \
        CHORALE_DISPATCH="$work/table.so" "$work/bcasts"
}
picks() { # ranks a node, choice, name
    launch "$1"
    [ "$status" -eq 0 ] &&
        [ "$(lines "bcast n=1024 P=6 -> $2\( \|\$\)")" -eq 1 ]
    ok $? "$3"
}
picks 2 binomial "two per node: the choice decided for two"
picks 4 linear "four per node: the choice decided for four"
picks 1 scatter_ring_allgather "one per node: the choice of another shape"
picks 3 library "three per node: the library, as two and four differ"
picks 5 library "five per node: the library, as it was not measured"
picks 6 library "all on one node: the library, as it was not measured"

# Between measured numbers, the choice is the one on which both agree.
sqlite3 "$db" "UPDATE decision SET variant = 'linear' WHERE ppn = 2"
"$chorale" generate "$db" -o "$work/table.c" >/dev/null &&
    $CC -shared -fPIC -o "$work/table.so" "$work/table.c"
picks 3 linear "three per node: the choice on which two and four agree"
picks 5 library "five per node: still the library"

# Groups of ranks: nodes, or a given number. A table without the parameter,
# from before it existed, means nodes. Data must be right in both cases.
program app || exit 1
groups() { # ranks a node, choice, name
    run 6 "$shim $work/fake_nodes.so" CHORALE_TEST_PPN="$1" CHORALE_VERBOSE=1 \
        CHORALE_AFTER=1 CHORALE_ANY_SYSTEM=1 \
        CHORALE_DISPATCH="$work/groups.so" "$work/app" quick
    [ "$status" -eq 0 ] && grep -q '^app: wrong=0' "$work/out" &&
        [ "$(lines "allgather n=[0-9]* P=6 -> $2\$")" -gt 0 ]
    ok $? "$3"
}
{
    echo "DELETE FROM decision;"
    row block 2 8 2048 locality_bruck allgather
    row one-per-node 1 8 2048 locality_bruck allgather group=3
} | sqlite3 "$db"
"$chorale" generate "$db" -o "$work/groups.c" >/dev/null &&
    $CC -shared -fPIC -o "$work/groups.so" "$work/groups.c"
groups 2 "locality_bruck group=0" "group=0 makes the nodes groups"
groups 1 "locality_bruck group=3" "group=3 makes groups of three ranks"
sed 's/"group=0"/""/' "$work/groups.c" >"$work/before.c"
! cmp -s "$work/groups.c" "$work/before.c" &&
    $CC -shared -fPIC -o "$work/groups.so" "$work/before.c"
ok $? "a table without the parameter compiles"
groups 2 "locality_bruck group=0" "without the parameter groups are the nodes"

# Ranks that see different nodes: another shape, and the same shape with other
# blocks.
table good
told() { # ranks, ranks a node, what rank 1 sees, name
    run "$1" "$shim $work/fake_nodes.so" CHORALE_TEST_PPN="$2" \
        CHORALE_TEST_SEES="$3" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
        CHORALE_DISPATCH="$work/good.so" "$work/bcasts"
    [ "$status" -eq 0 ] && [ "$(lines '-> ')" -eq 0 ] &&
        [ "$(lines 'library: its ranks do not agree on which of them')" -eq 1 ]
    ok $? "$4"
}
told 2 1 2 "ranks that differ on the shape use the library, with one line"
told 4 2 3 "so do ranks that differ on the ranks per node"

# A table of an older version.
sed 's/^#define CHORALE_TABLE_ABI .*/#define CHORALE_TABLE_ABI 2/' \
    "$work/table.c" >"$work/old.c"
$CC -shared -fPIC -o "$work/table.so" "$work/old.c"
launch 2
[ "$status" -eq 0 ] && [ "$(lines '->')" -eq 0 ]
ok $? "a table of an older interface version is not used"
[ "$(lines 'table interface 2, this is 3; generate it again')" -eq 1 ]
ok $? "one line states the remedy"
finish
