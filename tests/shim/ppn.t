#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One system measured with two and with four ranks a node gives one table, in
# one file, which picks by how many ranks of a communicator share a node.
. "$(dirname "$0")/helpers.sh"
chorale=$top_builddir/chorale
[ -x "$chorale" ] || skip_all "chorale is not built"

program bcasts || exit 1
"$MPICC" -shared -fPIC -o "$work/places.so" \
    "$top_srcdir/tests/shim/programs/places.c" -ldl || exit 1
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
ok $? "both are in one file"
grep -q 'block 2, 4 a node' "$work/table.c" &&
    grep -q 'blocks are looked up by the number of ranks a node' "$work/table.c"
ok $? "which says so"

launch() { # ranks a node
    run 6 "$shim $work/places.so" CHORALE_TEST_PPN="$1" CHORALE_VERBOSE=1 \
        CHORALE_AFTER=1 CHORALE_ANY_SYSTEM=1 \
        CHORALE_DISPATCH="$work/table.so" "$work/bcasts"
}
picks() { # ranks a node, choice, name
    launch "$1"
    [ "$status" -eq 0 ] &&
        [ "$(lines "bcast n=1024 P=6 -> $2\( \|\$\)")" -eq 1 ]
    ok $? "$3"
}
picks 2 binomial "two a node: what was decided for two"
picks 4 linear "four a node: what was decided for four"
picks 1 scatter_ring_allgather "one a node: another shape"
picks 3 library "three a node: two and four do not agree"
picks 5 library "five a node: nothing was measured"
picks 6 library "all on one node: nothing was measured"

# Where those that were measured agree, so does what lies between.
sqlite3 "$db" "UPDATE decision SET variant = 'linear' WHERE ppn = 2"
"$chorale" generate "$db" -o "$work/table.c" >/dev/null &&
    $CC -shared -fPIC -o "$work/table.so" "$work/table.c"
picks 3 linear "three a node: two and four agree"
picks 5 library "five a node: no more than they say"

# Groups that are nodes, or so many ranks; a choice without the parameter, from
# before it was there, means nodes. The data have to be right in both.
program app || exit 1
groups() { # ranks a node, choice, name
    run 6 "$shim $work/places.so" CHORALE_TEST_PPN="$1" CHORALE_VERBOSE=1 \
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
groups 2 "locality_bruck group=0" "a choice of groups: the nodes"
groups 1 "locality_bruck group=3" "and of three ranks, each on a node of its own"
sed 's/"group=0"/""/' "$work/groups.c" >"$work/before.c"
! cmp -s "$work/groups.c" "$work/before.c" &&
    $CC -shared -fPIC -o "$work/groups.so" "$work/before.c"
ok $? "a table from before groups could be asked for"
groups 2 "locality_bruck group=0" "its groups are the nodes"

# Ranks that were told different things of where they are: another shape, and
# the same with other blocks.
table good
told() { # ranks, ranks a node, what rank 1 sees, name
    run "$1" "$shim $work/places.so" CHORALE_TEST_PPN="$2" \
        CHORALE_TEST_SEES="$3" CHORALE_VERBOSE=1 CHORALE_AFTER=1 \
        CHORALE_DISPATCH="$work/good.so" "$work/bcasts"
    [ "$status" -eq 0 ] && [ "$(lines '-> ')" -eq 0 ] &&
        [ "$(lines 'library: its ranks do not agree on which of them')" -eq 1 ]
    ok $? "$4"
}
told 2 1 2 "no agreement on the shape: the library's, and why"
told 4 2 3 "nor on how many ranks a node has"

# A table as older versions wrote it.
sed 's/^#define CHORALE_TABLE_ABI .*/#define CHORALE_TABLE_ABI 2/' \
    "$work/table.c" >"$work/old.c"
$CC -shared -fPIC -o "$work/table.so" "$work/old.c"
launch 2
[ "$status" -eq 0 ] && [ "$(lines '->')" -eq 0 ]
ok $? "a table of the interface before is not used"
[ "$(lines 'table interface 2, this is 3; generate it again')" -eq 1 ]
ok $? "for one line that says what to do"
finish
