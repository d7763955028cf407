#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# generate.t - selection files for MPICH are written, read back and run by MPICH
# on emulated nodes. The decisions are invented.
. "$(dirname "$0")/../../lib.sh"
command -v "$MPIEXEC" >/dev/null 2>&1 || skip_all "no $MPIEXEC"
"$top_builddir/chorale-runner" --probe | grep -q '^MPICH' ||
    skip_all "the library is not MPICH"
cd "$work" || exit 99
export CHORALE_MPIEXEC="$MPIEXEC"
selects=$top_builddir/chorale-selects

# More ranks than processors: waiting ranks yield.
yield=$(cd "$top_builddir" && pwd)/tests/mpi/.libs/libyield.so
[ ! -r "$yield" ] || export LD_PRELOAD="$yield"

"$chorale" plan base.db -q --providers native,library -c bcast,alltoall \
    --variants binomial,scatter_ring_allgather,brucks,pairwise -m 8,1K -P 2 \
    --launches 1 -i 3 --batch 1 && timeout 900 "$chorale" run base.db -q
ok $? "a system is measured"

# Rows: collective, ranks, ppn, shape, type, operation, from, to, name.
database() { # file
    cp base.db "$1"
    sqlite3 "$1" "DELETE FROM decision"
    while read -r coll p ppn shape dtype op lo hi name params; do
        [ "$op" != - ] || op=
        provider=native
        [ "$name" != default ] || provider=library
        sqlite3 "$1" "INSERT INTO decision (system_id, target, coll,
            comm_size, ppn, shape, dtype, op, n_lo, n_hi, provider, variant,
            params, basis, reason) VALUES (1, 'rules', '$coll', $p, $ppn,
            '$shape', '$dtype', '$op', $lo, $hi, '$provider', '$name',
            '$params', 'measured', 'made up')" || return
    done
}
generate() { "$chorale" generate "$@" >out.txt 2>err.txt; }

# From MPICH 4.1 on the dissemination has a parameter, and another name.
"$top_builddir/chorale-runner" --natives >natives.txt
barrier=dissemination
! grep -qx 'barrier k_dissemination' natives.txt || barrier=k_dissemination

database r.db <<EOR
bcast 4 4 single-node byte - 8 1000 scatter_ring_allgather
bcast 4 4 single-node byte - 1001 65536 binomial
bcast 4 1 one-per-node byte - 8 4096 scatter_recursive_doubling_allgather
bcast 4 2 block byte - 8 4096 scatter_ring_allgather
bcast 4 2 cyclic byte - 8 4096 smp
bcast 8 4 block byte - 1 1000 smp
bcast 8 4 block byte - 1001 2000 default
allreduce 4 4 single-node double sum 4 999 reduce_scatter_allgather
allreduce 4 4 single-node double sum 1000 65536 recursive_doubling
reduce 4 4 single-node double sum 8 64 reduce_scatter_gather
reduce_scatter_block 4 4 single-node double sum 32 4096 pairwise
reduce_scatter 4 4 single-node double sum 30 4097 pairwise
allgather 4 4 single-node byte - 64 4096 ring
allgatherv 4 4 single-node byte - 64 4097 ring
alltoall 4 4 single-node byte - 64 4096 pairwise
alltoall 3 3 single-node byte - 1000 4096 brucks
alltoall 3 3 single-node byte - 5000 9000 scattered throttle=1
barrier 8 4 block byte - 0 0 $barrier
gather 4 4 single-node byte - 64 4096 nb
allgather 3 3 single-node byte - 64 4096 recursive_doubling
EOR
ok $? "decisions are stored"
timeout 900 "$chorale" generate r.db --format mpich-json -o sel.json \
    --check-ranks 4 >out.txt 2>err.txt
ok $? "a table is written, and the library sends as it states: $(cat err.txt)"
diag "$(cat out.txt)"
like "$(cat out.txt)" '^read back: [0-9]+ points on both sides' "the file is read back on both sides of each border"
like "$(cat out.txt)" \
    '^run by the library here \(MPICH.*: [0-9]{3} points, it sends' "the library runs at the points of the file"
like "$(cat out.txt)" '^the messages differ from those without the table at [1-9][0-9]* of these' \
    "the file changes the messages that the library sends"
[ -s sel.json ] && [ -s sel.ch4.json ] && [ -s sel.json.txt ]
ok $? "two files for the library and a description are written"
sed '1,/^to use /d; s/^  [^ =]* \.\.\.$/  env/' out.txt >use.sh
is "$(sh use.sh | grep "=$work/sel" | sed 's/.*TUNING_JSON_FILE=//' | sort)" \
    "$work/sel.ch4.json
$work/sel.json" "the printed command names both files"
for line in 'MPI library MPICH' '^Campaign [0-9a-f-]{36}$' '^transport: ' \
    'MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=/path/to/sel.json' \
    'MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=/path/to/sel.ch4.json' \
    'gather nb, P = 4, .*: no test of its size is the same on all ranks' \
    'alltoall scattered:throttle=1, P = 3, .*: the format has no key for its' \
    'allgather recursive_doubling, P = 3, .*: the algorithm needs a power'; do
    like "$(cat sel.json.txt)" "$line" "the description has: $line"
done
for file in sel.json sel.ch4.json; do
    [ $(($(wc -c <$file) % 4096)) -ne 0 ]
    ok $? "$file does not end at a page boundary, because the library maps it"
done
cp sel.json first.json
generate r.db --format mpich-json -o sel.json --no-check
cmp -s first.json sel.json
ok $? "the same database gives the same bytes"
like "$(cat sel.json.txt)" 'not loaded into the library: --no-check' \
    "--no-check is noted in the description"

# A rule without the hierarchy would be wrong: MPICH's own communicators within
# a node cannot run a broadcast that is made of such communicators.
if [ -x "$selects" ]; then
    echo 'bcast 8 -' >points
    sed 's/MPIR_Bcast_intra_binomial/MPIR_Bcast_intra_smp/' first.json \
        >naive.json
    MPIR_CVAR_NUM_CLIQUES=2 timeout 600 "$MPIEXEC" -n 8 env \
        MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE="$work/naive.json" \
        "$selects" points >naive.txt 2>&1
    grep -q '^@end' naive.txt
    [ $? -ne 0 ]
    ok $? "smp for all small broadcasts ends MPICH on two nodes"
    MPIR_CVAR_NUM_CLIQUES=2 timeout 600 "$MPIEXEC" -n 8 env \
        MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE="$work/first.json" \
        MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE="$work/sel.ch4.json" \
        "$selects" points >good.txt 2>&1
    like "$(cat good.txt)" '^@end' \
        "the written file does not end MPICH on two nodes"
else
    skip "no chorale-selects" "smp on two nodes"
fi

# A library that ignores the file, and a launcher that cannot be started.
cat >deaf <<EOD
#!/bin/sh
for word do
    shift
    case \$word in MPIR_CVAR_*COLL_SELECTION*) continue ;; esac
    set -- "\$@" "\$word"
done
exec "$MPIEXEC" "\$@"
EOD
chmod +x deaf
rm -f sel.json sel.ch4.json sel.json.txt
echo 'bcast 2 2 single-node byte - 8 1000 scatter_ring_allgather' |
    database two.db
CHORALE_MPIEXEC=$work/deaf timeout 900 "$chorale" generate two.db \
    --format mpich-json -o sel.json --check-ranks 2 >out.txt 2>err.txt
is $? 1 "a library that ignores the file is noticed"
like "$(cat err.txt)" 'runs the same as without it in .*no file was written' \
    "the error names what the library sends"
[ ! -e sel.json ] && [ ! -e sel.json.txt ]
ok $? "a refused table is not written"
CHORALE_MPIEXEC=$work/none generate r.db --format mpich-json -o sel.json
is $? 0 "without a launcher the table is written"
like "$(cat sel.json.txt)" 'not run: [0-9]+ points, as no ranks could be' \
    "the description states that the table was not run"

# Algorithms with parameters, of MPICH 4.1 and later: the file has the values of
# the control variables.
if [ $barrier = k_dissemination ]; then
    database params.db <<EOR
barrier 4 4 single-node byte - 0 0 k_dissemination
bcast 4 4 single-node byte - 8 4096 tree
bcast 4 4 single-node byte - 4097 262144 pipelined_tree
allreduce 4 4 single-node double sum 8 4096 recexch
allreduce 4 4 single-node double sum 4097 65536 tree
allreduce 3 3 single-node double sum 8 4096 ring
allreduce 3 3 single-node double sum 4097 65536 k_reduce_scatter_allgather
allgather 4 4 single-node byte - 64 4096 k_brucks
allgather 3 3 single-node byte - 64 4096 recexch_doubling
alltoall 4 4 single-node byte - 64 4096 k_brucks
EOR
    for k in 2 3; do
        MPIR_CVAR_BARRIER_DISSEM_KVAL=$k MPIR_CVAR_BCAST_TREE_KVAL=$k \
            MPIR_CVAR_ALLGATHER_BRUCKS_KVAL=$k timeout 900 "$chorale" generate \
            params.db --format mpich-json -o k$k.json --check-ranks 4 \
            >out.txt 2>err.txt
        ok $? "k = $k: the library sends as the file states: $(cat err.txt)"
        diag "$(cat out.txt)"
        like "$(cat out.txt)" \
            '^the messages differ from those without the table at [1-9]' \
            "k = $k: the file changes the messages that the library sends"
        for name in Barrier_intra_k_dissemination Allgather_intra_k_brucks; do
            like "$(tr -d ' \n' <k$k.json)" \
                "\"algorithm=MPIR_$name\":\{\"k=$k\":\{\}\}" \
                "k = $k: the file has the parameter of $name"
        done
        like "$(tr -d ' \n' <k$k.json)" \
            "Bcast_intra_tree\":\{\"tree_type=kary\":\{\},\"k=$k\"" \
            "k = $k: the file has the parameters of a tree"
    done
    echo 'barrier 4 -' >points
    for k in 2 3; do
        timeout 600 "$MPIEXEC" -n 4 env \
            MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE="$work/k$k.json" \
            MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE="$work/k$k.ch4.json" \
            "$selects" points >sent$k.txt 2>&1
    done
    grep -q '^@end' sent2.txt && ! cmp -s sent2.txt sent3.txt
    ok $? "a parameter of the file changes the messages of a barrier"

    # A choice with a value of its own, whatever that of the variable.
    database own.db <<EOR
barrier 4 4 single-node byte - 0 0 k_dissemination k=4
bcast 4 4 single-node byte - 8 4096 tree k=4
bcast 4 4 single-node byte - 4097 262144 pipelined_tree chunk=65536
allreduce 4 4 single-node double sum 8 4096 recexch k=4
allreduce 4 4 single-node double sum 4097 262144 tree chunk=65536
allreduce 3 3 single-node double sum 8 4096 k_reduce_scatter_allgather k=4
allgather 4 4 single-node byte - 64 4096 k_brucks k=8
alltoall 4 4 single-node byte - 64 4096 k_brucks k=4
EOR
    MPIR_CVAR_BARRIER_DISSEM_KVAL=3 timeout 900 "$chorale" generate own.db \
        --format mpich-json -o own.json --check-ranks 4 >out.txt 2>err.txt
    ok $? "the library sends as choices with a value state: $(cat err.txt)"
    diag "$(cat out.txt)"
    like "$(cat own.json.txt)" 'with an algorithm: 8; left to the library: 0$' \
        "no choice is left out for its value"
    for leaf in 'Barrier_intra_k_dissemination":{"k=4"' \
        'Allgather_intra_k_brucks":{"k=8"' 'Alltoall_intra_k_brucks":{"k=4"' \
        'Bcast_intra_tree":{"tree_type=kary":{},"k=4"' \
        'Allreduce_intra_recexch":{"k=4"'; do
        is "$(tr -d ' \n' <own.json | grep -cF "$leaf")" 1 \
            "the file has $leaf"
    done
    is "$(tr -d ' \n' <own.json | grep -o '"chunk_size=65536"' | wc -l)" 2 \
        "the file has the sizes of chunks of both collectives"
    timeout 600 "$MPIEXEC" -n 4 env \
        MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE="$work/own.json" \
        MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE="$work/own.ch4.json" \
        "$selects" points >own.txt 2>&1
    grep -q '^@end' own.txt && ! cmp -s own.txt sent2.txt &&
        ! cmp -s own.txt sent3.txt
    ok $? "the value 4 acts: other messages than with 2 and with 3"

    # A program cannot force a tree type, but a variable before it starts can.
    echo 'bcast 4 4 single-node byte - 8 4096 tree tree_type=knomial_2' |
        database type.db
    timeout 900 "$chorale" generate type.db --format mpich-json -o type.json \
        --check-ranks 4 >out.txt 2>err.txt
    ok $? "a choice with a tree type is written: $(cat err.txt)"
    like "$(cat out.txt)" '^at [1-9] of these the algorithm cannot be forced' \
        "whose messages cannot be compared in one program"
    echo 'bcast 64 tree' >tree
    sends() { # word, variables and options of chorale-selects...
        word=$1
        shift
        timeout 600 "$MPIEXEC" -n 4 env "$@" tree 2>&1 | grep "^@$word 0 " |
            cut -d' ' -f3
    }
    file=COLL_SELECTION_TUNING_JSON_FILE=$work/type
    typed=$(sends point "MPIR_CVAR_$file.json" "MPIR_CVAR_CH4_$file.ch4.json" \
        "$selects")
    is "$typed" "$(sends forced MPIR_CVAR_BCAST_TREE_TYPE=knomial_2 \
        "$selects" --force)" "it acts like the variable of that type"
    [ -n "$typed" ] && [ "$typed" != "$(sends forced A=1 "$selects" --force)" ]
    ok $? "unlike the type that is the default"
else
    skip "MPICH 4.0 has no such algorithms" "algorithms with parameters"
fi

# MPICH after 5.0 reads the file of another variable.
if "${MPICC:-mpicc.mpich}" -Wall -Werror -shared -fPIC -o invented.so \
    "$top_srcdir/tests/cli/campaign/invented.c" -ldl &&
    "$chorale" --version | grep -q sanitizer=no; then
    LD_PRELOAD="$work/invented.so" INVENTED_VALUE=0 \
        INVENTED_CVAR=MPIR_CVAR_COLL_SELECTION_JSON_FILE "$chorale" generate \
        r.db --format mpich-json -o new.json --no-check >out.txt 2>err.txt
    is "$? $(sed -n 's|^ *\(MPIR_.*\)=/path/to/new.json$|\1|p' new.json.txt)" \
        "0 MPIR_CVAR_COLL_SELECTION_JSON_FILE" \
        "the description names the variable that the library has"
else
    skip "no preload" "another variable"
fi

# Thresholds beyond 31 bits, and open ranges.
database big.db <<EOR
bcast 4 4 single-node byte - 8 9223372036854775807 scatter_ring_allgather
bcast 3 3 single-node byte - 8 4294967296 scatter_ring_allgather
alltoall 4 4 single-node byte - 64 4294967296 pairwise
allgather 4 4 single-node byte - 2147483647 4294967296 ring
EOR
generate big.db --format mpich-json -o big.json --no-check
is $? 0 \
    "sizes of 4 GiB are read back as far as the format allows: $(cat err.txt)"
is "$(grep -c '<=[0-9]\{11,\}' big.json)" 0 "no threshold has more than 31 bits"

# Requests that are refused.
refused() { # exit code got, wanted, words, name
    is "$1" "$2" "$4"
    like "$(cat err.txt)" "$3" "$(cut -c1-90 err.txt)"
}
database none.db </dev/null
generate none.db --format mpich-json -o x.json
refused $? 4 'no decisions on the library' \
    "a database without decisions is refused"
generate r.db --format ompi-rules -o x.conf
refused $? 2 'is for Open MPI' "a format for another library is refused"
echo 'bcast 4 4 single-node byte - 8 64 no_such' | database odd.db
generate odd.db --format mpich-json -o x.json
refused $? 4 'bcast no_such, which the MPI library here does not have' \
    "an unknown algorithm is refused"
echo 'bcast 4 4 single-node byte - 8 64 x":{},"y' | database odd.db
generate odd.db --format mpich-json -o x.json
refused $? 4 'no name of a native algorithm' "a name of no native algorithm"
database odd.db <<EOR
bcast 4 4 single-node byte - 8 64 binomial
bcast 4 4 single-node byte - 60 70 smp
EOR
generate odd.db --format mpich-json -o x.json
refused $? 4 'two decisions on bcast at P = 4' \
    "two decisions for one size are refused"
generate r.db --format xml -o x.json
refused $? 2 'use c, mpich-json.*ompi-rules.*ompi-json' "no such format"
generate r.db --format c --no-check -o x.c
refused $? 2 'does not apply to --format c' "an option of other formats"
[ -z "$(ls x.* 2>/dev/null)" ]
ok $? "refused requests write no file"

# From a campaign to the file: base.db with its launch copied eight times. Its
# times are invented, because the fastest on a busy machine is not predictable.
cp base.db c.db
{
    echo "UPDATE cell SET launches = 8; UPDATE run SET validity = '';"
    for table in "launch launch_id=launch_id+k*1000,ordinal=k,uuid=uuid||k" \
        "run launch_id=launch_id+k*1000,run_id=run_id+k*1000,uuid=uuid||k" \
        "run_summary run_id=run_id+k*1000"; do
        for k in 1 2 3 4 5 6 7; do
            echo "CREATE TEMP TABLE copy AS SELECT * FROM ${table%% *}
                WHERE ${table%% *}.rowid < 1000;
                UPDATE copy SET $(echo "${table#* }" | sed "s/\<k\>/$k/g");
                INSERT INTO ${table%% *} SELECT * FROM copy;
                DROP TABLE copy;"
        done
    done
    echo "UPDATE run_summary SET median = (SELECT 1e-5 *
        (1 + ordinal / 1000.0) * CASE WHEN variant IN
        ('scatter_ring_allgather', 'pairwise') THEN 0.5 ELSE 1 END FROM run
        JOIN cell USING (cell_id) JOIN launch USING (launch_id)
        WHERE run.run_id = run_summary.run_id);"
} >c.sql
sqlite3 c.db <c.sql
ok $? "a campaign of eight launches is stored"
"$chorale" decide c.db -q
is "$(sqlite3 c.db "SELECT group_concat(DISTINCT variant) FROM (SELECT variant
    FROM decision WHERE target = 'rules' AND provider = 'native'
    ORDER BY variant)")" pairwise,scatter_ring_allgather \
        "decide chooses the fastest native algorithms"
timeout 900 "$chorale" generate c.db --format mpich-json -o c.json >out.txt \
    2>err.txt
ok $? "a decided table is written and run: $(cat err.txt)"
diag "$(cat out.txt)"
like "$(cat c.json.txt)" 'size ranges with an algorithm: [1-9]' \
    "the text counts the rules"
cp r.db hostile.db
sqlite3 hostile.db "UPDATE system SET name = 'a' || char(10, 27) || '*/ <!'"
generate hostile.db --format mpich-json -o h.json --no-check
is $? 0 "a system with control characters in its name has a table"
is "$(LC_ALL=C grep -c '[^ -~]' h.json.txt)$(cmp h.json first.json)" 0 \
    "the description has no control characters"
finish
