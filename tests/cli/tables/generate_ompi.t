#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# generate_ompi.t - Open MPI runs the rules files that are written. The decisions
# are invented; tests/unit/tuner/ompi_rules.c reads both formats at each border.
# openmpi.t runs this in a build for that library.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$top_builddir/chorale-runner" --probe | grep -q '^Open MPI' ||
    skip_all "the library is not Open MPI"
cd "$work" || exit 99
export CHORALE_MPIEXEC="$MPIEXEC"

"$chorale" plan base.db -q --providers native,library -c bcast -m 8 -P 2 \
    --launches 1 -i 2 --batch 1 && timeout 900 "$chorale" run base.db -q
ok $? "a system is measured"
cp base.db r.db
sqlite3 r.db "DELETE FROM decision"
# Rows: collective, ranks, ppn, shape, type, operation, from, to, name.
while read -r coll p ppn shape dtype op lo hi name params; do
    [ "$op" != - ] || op=
    sqlite3 r.db "INSERT INTO decision (system_id, target, coll, comm_size,
        ppn, shape, dtype, op, n_lo, n_hi, provider, variant, params, basis,
        reason) VALUES (1, 'rules', '$coll', $p, $ppn, '$shape', '$dtype',
        '$op', $lo, $hi, 'native', '$name', '$params', 'measured', 'made up')"
done <<EOR
bcast 4 4 single-node byte - 8 1000 pipeline
bcast 4 4 single-node byte - 1001 65536 scatter_allgather
bcast 4 4 single-node byte - 100000 200000 binomial segsize=8192
bcast 4 4 single-node byte - 200001 300000 chain fanout=2
alltoall 3 3 single-node byte - 300 3000 linear_sync maxreq=1
bcast 6 6 single-node byte - 8 1000 basic_linear
bcast 6 2 block byte - 500 2000 basic_linear
bcast 8 8 single-node byte - 8 1000 chain
allreduce 4 4 single-node double sum 8 1000 ring
allreduce 4 4 single-node double sum 1001 65536 recursive_doubling
reduce 4 4 single-node double sum 8 1000 in-order_binary
alltoall 4 4 single-node byte - 32 4096 modified_bruck
allgather 4 4 single-node byte - 32 4096 neighbor
allgatherv 3 3 single-node byte - 32 4096 ring
gather 4 4 single-node byte - 32 4096 binomial
barrier 4 4 single-node byte - 0 0 tree
EOR
timeout 900 "$chorale" generate r.db --format ompi-rules -o r.conf \
    --check-ranks 9 >out.txt 2>err.txt
ok $? "rules are written, and the library follows them: $(cat err.txt)"
diag "$(cat out.txt)"
like "$(cat out.txt)" '^run by the library here \(Open MPI.*, it sends' "run"
like "$(cat out.txt)" '^the messages differ from those without the table at [1-9][0-9]* of these' \
    "which changes what it sends"
for line in '# MPI library Open MPI' '# transport: ' \
    '#   OMPI_MCA_coll_tuned_dynamic_rules_filename=/path/to/r.conf' \
    'allreduce ring, P = 4, .*: it reorders operands' \
    'gather binomial, P = 4, .*: the tested size differs on a root' \
    '^100000 6 0 8192 ' '^200001 2 2 0 ' \
    'bcast basic_linear, P = 6, 2 a node, .*: other placements'; do
    like "$(cat r.conf)" "$line" "the file has: $line"
done

case $("$top_builddir/chorale-runner" --probe) in
"Open MPI v4"*) want='alltoall linear_sync:maxreq=1, .*: the rules of this' ;;
*) want='^300 4 0 0 1 ' ;;
esac
like "$(cat r.conf)" "$want" "requests are limited in rules from version 5 on"

timeout 900 "$chorale" generate r.db --format ompi-rules -o c.conf \
    --check-ranks 4 --commutative >out.txt 2>err.txt
ok $? \
    "rules with ring, for operations that commute, are written: $(cat err.txt)"
like "$(cat c.conf)" '^8 4 0 0( 0)? # ring' "the file has ring"

cat >deaf <<EOD
#!/bin/sh
for word do
    shift
    case \$word in OMPI_MCA_coll_tuned_*) continue ;; esac
    set -- "\$@" "\$word"
done
exec "$MPIEXEC" "\$@"
EOD
chmod +x deaf
CHORALE_MPIEXEC=$work/deaf timeout 900 "$chorale" generate r.db \
    --format ompi-rules -o x.conf --check-ranks 4 >out.txt 2>err.txt
is $? 1 "a library that ignores the file is noticed"
[ ! -e x.conf ]
ok $? "a refused file is not written"

"$chorale" generate r.db --format ompi-json -o r.json >out.txt 2>err.txt
ok $? "JSON for version 6 is written: $(cat err.txt)"
like "$(cat r.json.txt)" 'not loaded .*: no version of Open MPI before 6' \
    "the description states that it was not loaded"
finish
