#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What makes simulations of many ranks short changes no simulated time: one
# communicator for all messages, and a preload that shortens SimGrid's search
# for the ranks of a node.
. "$(dirname "$0")/../lib.sh"
[ -x "$top_builddir/chorale-runner-sim" ] || skip_all "built without SimGrid"
cd "$work" || exit 99
platform flat.xml 0.5 1250000000 48

mkdir bin
cat >bin/smpirun <<END
#!/bin/sh
unset LD_PRELOAD
exec "$(command -v smpirun)" "\$@"
END
chmod +x bin/smpirun

# measure DATABASE: three points; SimGrid's ring has a launch of its own
measure() {
    set -- "$1" -q --launcher smpirun --platform flat.xml --network hockney
    "$chorale" plan "$@" -c bcast,allreduce -m 8 -P 48 \
        --variants bcast:binomial,allreduce:recursive_doubling &&
        "$chorale" plan "$@" -c allgather -m 64 -P 12 --ppn 3 \
            --providers chorale,native --variants allgather:ring &&
        timeout 3000 "$chorale" run "$1" -q
}
medians() { # database
    sqlite3 "$1" "SELECT coll, comm_size, provider, variant, params,
        printf('%.9e', seconds) FROM v_summary ORDER BY 1, 2, 3, 4, 5"
}
measure short.db
ok $? "48 ranks, and 3 on each of 4 nodes, are simulated"
PATH=$work/bin:$PATH measure long.db
ok $? "the same without the preload"
is "$(sqlite3 short.db "SELECT coll, provider, variant, count(*) FROM cell
    LEFT JOIN run ON run.cell_id = cell.cell_id AND status = 'ok'
    WHERE run_id IS NULL GROUP BY 1, 2, 3")" "" "all cells have times"
is "$(medians short.db | wc -l)" \
    "$(sqlite3 short.db "SELECT count(*) FROM cell")" "each cell has one"
is "$(medians short.db)" "$(medians long.db)" "the preload changes no time"
is "$(sqlite3 short.db "SELECT count(DISTINCT printf('%.6e', seconds))
    FROM v_summary WHERE variant = 'ring'")" 1 \
    "SimGrid's ring is measured as a ring"
# The loader reports which library defines SimGrid's ring.
sed -i 's/^unset.*/export LD_DEBUG=bindings LD_DEBUG_OUTPUT=bound/' bin/smpirun
"$chorale" plan one.db -q -c bcast -m 8 -P 2 --launcher smpirun \
    --platform flat.xml && PATH=$work/bin:$PATH "$chorale" run one.db -q
grep allgather__ring bound.* | grep -q 'libsimgrid.* to .*libchorale_still'
ok $? "the preload replaces SimGrid's ring"
finish
