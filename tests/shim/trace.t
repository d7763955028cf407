#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace.t - CHORALE_TRACE: which calls an application made, counted exactly.
. "$(dirname "$0")/helpers.sh"

program traced -lpthread || skip_all "$MPICC does not compile traced.c"
table good
file=$work/app.trace

# is KEY RANK_CALLS CALLS: one row of $file, with these counts and times.
is() {
    awk -v key="$1 " -v ranks="$2" -v calls="$3" '
        index($0, key) == 1 && $9 == ranks && $10 == calls && $11 > 0 &&
        $12 > 0 && $12 <= $11 { n++ }
        END { exit n != 1 }' "$file"
    ok $? "$1: $3 calls${name:+, $name}"
}
head_is() { # head_is LINE: a line of the heading
    grep -qx -e "$1" "$file"
    ok $? "'$1'${name:+, $name}"
}
whole() { # the last line counts the rows
    awk '/^columns / { seen = 1; next }
         $1 == "end" { good = $2 == rows; next }
         seen { rows++ } END { exit !good }' "$file"
}

for P in 1 2 3 5; do
    name="P=$P"
    case $P in
    1) last=first middle=first ;;
    2) last=last middle=last ;;
    *) last=last middle=middle ;;
    esac
    rm -f "$file"
    run $P "$shim" CHORALE_TRACE="$file" "$work/traced" calls
    [ $status -eq 0 ] && [ ! -s "$work/err" ] && whole
    ok $? "a whole trace, $name"
    on="$P single-node"
    head_is "chorale-trace 1"
    head_is "comm_size $P"
    head_is "ranks $P"
    head_is "program traced"
    head_is "unlisted 0 0"
    if [ $P -eq 1 ]; then
        is "bcast 800 $on double - first library" 12 12
    else
        is "bcast 800 $on double - first library" $((11 * P)) 11
        is "bcast 800 1 single-node double - first library" $P $P
    fi
    is "bcast 33 $on byte - $last library" $((4 * P)) 4
    is "reduce 24 $on int sum $middle library" $P 1
    is "gather $((12 * P)) $on int - first library" $P 1
    is "scatter $((40 * P)) $on int64 - first library" $P 1
    is "allreduce 80 $on float max - library" $((7 * P)) 7
    is "allgather $((5 * P)) $on byte - - library" $P 1
    is "reduce_scatter_block $((16 * P)) $on int64 bxor - library" $P 1
    is "bcast 24 $on derived - first library" $P 1
    is "allreduce 4 $on other user - library" $P 1
    is "allreduce 8 $on other other - library" $P 1
    ints=$((4 * P * (P + 1) / 2)) # of blocks of 1, 2, ... P
    is "barrier 0 $on byte - - library" $P 1
    is "alltoall $((16 * P)) $on double - - library" $P 1
    is "scan 36 $on int min - library" $P 1
    is "exscan 36 $on int min - library" $P 1
    is "reduce_scatter $ints $on int sum - library" $P 1
    is "allgatherv $ints $on int - - library" $P 1
    is "gatherv $ints $on int - first library" $P 1
    is "scatterv $ints $on int - $last library" $P 1
    is "alltoallv $((P * ints)) $on int - - library" $P 1
    case $P in
    2) is "allreduce 8 1 single-node double sum - library" 2 2 ;;
    3) is "allreduce 8 1 single-node double sum - library" 1 1
       is "allreduce 8 2 single-node double sum - library" 2 1 ;;
    5) is "allreduce 8 2 single-node double sum - library" 2 1
       is "allreduce 8 3 single-node double sum - library" 3 1 ;;
    esac
    ! grep -q "^allreduce 616 " "$file"
    ok $? "not those between two groups, $name"
    awk '$1 == "wall_seconds" { mean = $2; longest = $3 }
         $1 == "ranks" { ranks = $2 }
         seen && $1 != "end" { all += $11 } $1 == "columns" { seen = 1 }
         END { exit !(all > 0 && all / ranks <= mean && mean <= longest) }' \
        "$file"
    ok $? "the calls took no longer than the program, $name"
done
name=

# What ran is told apart, from the call on that the ranks agree at.
run 2 "$shim" CHORALE_TRACE="$file" CHORALE_DISPATCH="$work/good.so" \
    CHORALE_FORCE=bcast=binomial:segsize=64 "$work/traced" calls
is "bcast 800 2 single-node double - first library" 8 4
is "bcast 800 2 single-node double - first binomial:segsize=64" 14 7

# Nodes are what the library says they are, whatever they are called.
if "$MPICC" -show 2>/dev/null | grep -qi mpich; then
    run 4 "$shim" CHORALE_TRACE="$file" MPIR_CVAR_NUM_CLIQUES=2 \
        "$work/traced" calls
    is "allreduce 80 4 cyclic float max - library" 28 7
    run 4 "$shim" CHORALE_TRACE="$file" MPIR_CVAR_NUM_CLIQUES=2 \
        MPIR_CVAR_CLIQUES_BY_BLOCK=1 "$work/traced" calls
    is "allreduce 80 4 block float max - library" 28 7
else
    skip "two nodes of the library's" "not MPICH"
fi

# Threads, growth, arguments that are wrong, other languages.
run 2 "$shim" CHORALE_TRACE="$file" "$work/traced" threads
if [ $status -eq 77 ]; then
    skip "threads" "no threads"
else
    name=threads
    is "bcast 32 2 single-node int - first library" 4000 2000
    is "bcast 32 2 single-node byte - first library" 8 4
    [ "$(grep -c '^bcast .* byte .* 8 4 ' "$file")" -eq 500 ] && whole
    ok $? "500 sizes from four threads"
    name=
fi
run 2 "$shim" CHORALE_TRACE="$file" "$work/traced" many
[ "$(grep -c '^bcast .* 2 1 [0-9.e-]* [0-9.e-]*$' "$file")" -eq 2000 ] && whole
ok $? "2000 points"
run 2 "$shim" CHORALE_TRACE="$file" "$work/traced" wrong
[ $status -eq 0 ] && grep -q '^unlisted 4 [0-9.e-]*$' "$file" && whole
ok $? "wrong calls are counted, in no row"
comma=$(locale -a 2>/dev/null | grep -i -m 1 -e '^de_DE' -e '^fr_FR')
if [ -n "$comma" ]; then
    run 2 "$shim" CHORALE_TRACE="$file" LC_ALL="$comma" "$work/traced"
    ! grep -q , "$file" && whole
    ok $? "numbers have points in $comma"
else
    skip "numbers have points in every language" "no language with commas"
fi

# Where the file goes.
mkdir "$work/here" "$work/there"
cd "$work/here" || exit 1
run 2 "$shim" CHORALE_TRACE=rel.trace "$work/traced" calls "$work/there"
file=$work/here/rel.trace
[ $status -eq 0 ] && whole && [ -z "$(ls "$work/there")" ]
ok $? "a relative path is that of the start"
printf old >rel.trace
run 2 "$shim" CHORALE_TRACE=rel.trace "$work/traced" calls
whole && [ "$(ls)" = rel.trace ]
ok $? "an old file is replaced, nothing is left beside it"
cd "$OLDPWD" || exit 1
for bad in "$work/none/x.trace" "$work/here" /dev/null; do
    run 2 "$shim" CHORALE_TRACE="$bad" "$work/traced" calls
    [ $status -eq 0 ] && [ "$(lines .)" -eq 1 ] &&
        [ "$(lines "^chorale: CHORALE_TRACE: $bad: ")" -eq 1 ]
    ok $? "$bad: one line, and the program goes on"
done
[ -c /dev/null ]
ok $? "no device is replaced"
run 2 "$shim" CHORALE_TRACE= "$work/traced" calls
[ $status -eq 0 ] && [ ! -s "$work/err" ]
ok $? "an empty name is no trace"

# Ranks that do not trace.
some() { # some P LIST: only these ranks (a pattern) have CHORALE_TRACE
    cat >"$work/some" <<EOF
#!/bin/sh
case \${PMI_RANK:-\${OMPI_COMM_WORLD_RANK:-}} in
$2) CHORALE_TRACE=$file; export CHORALE_TRACE ;;
esac
exec "$work/traced" calls
EOF
    chmod +x "$work/some"
    run "$1" "$shim" "$work/some"
}
file=$work/some.trace
some 3 '1|2'
[ $status -eq 0 ] && whole
ok $? "a rank 0 without CHORALE_TRACE does not hold the others up"
head_is "ranks 2"
is "bcast 33 3 single-node byte - last library" 8 4
some 2 0
head_is "ranks 1"
some 2 none
[ $status -eq 0 ] && [ ! -s "$work/err" ]
ok $? "no rank traces"

# Programs that end otherwise, and signals.
file=$work/end.trace
cat >"$work/own" <<EOF
#!/bin/sh
exec "\$@" 2>"$work/err.\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK}"
EOF
chmod +x "$work/own" # launchers lose what is said last
run 2 "$shim" CHORALE_TRACE="$file" "$work/own" "$work/traced" abort
[ ! -e "$file" ] &&
    [ "$(grep -c "end.trace.rank1: MPI_Abort" "$work/err.1")" -eq 1 ]
ok $? "MPI_Abort says where its rank's part is"
file=$work/end.trace.rank1
whole
ok $? "which is whole"
head_is "part 1 MPI_Abort"
head_is "ranks 1"
is "bcast 33 2 single-node byte - last library" 4 4
file=$work/exit.trace
run 1 "$shim" CHORALE_TRACE="$file" "$work/traced" exit
file=$work/exit.trace.rank0
whole && [ "$(lines "exit.trace.rank0: the program ended without")" -eq 1 ]
ok $? "without MPI_Finalize there is a part"
head_is "part 0 the program ended without MPI_Finalize"
run 2 "" "$work/traced" vanish
plain=$status
run 2 "$shim" CHORALE_TRACE="$work/vanish.trace" "$work/traced" vanish
[ $status -ne 124 ] || [ $plain -eq 124 ]
ok $? "a rank that never finalizes hangs no more than without"
file=$work/signal.trace
run 2 "$shim" CHORALE_TRACE="$file" CHORALE_TRACE_SIGNAL=12 "$work/traced" \
    signal
is "bcast 32 2 single-node int - first library" 16 8
file=$work/signal.trace.rank1
head_is "part 1 signal 12"
is "bcast 32 2 single-node int - first library" 6 6
[ ! -e "$work/signal.trace.rank0" ]
ok $? "the other rank got no signal"

# Children of a rank are none: they write nothing, and its own trace is whole.
program ends
name=
file=$work/fork.trace
run 2 "$shim" CHORALE_TRACE="$file" "$work/ends" fork
[ $status -eq 0 ] && grep -q '^ends: wrong=0' "$work/out" &&
    [ "$(lines '^chorale: ')" -eq 0 ] && # Open MPI tells of one that aborts
    whole && [ "$(echo "$file"*)" = "$file" ]
ok $? "children of fork leave no part of a trace"
is "bcast 4 2 single-node int - first library" 80 40

for bad in 9 11 15 2 1 0 1000 USR2 12x; do
    run 1 "$shim" CHORALE_TRACE="$work/s.trace" CHORALE_TRACE_SIGNAL=$bad \
        "$work/traced" calls
    [ $status -eq 0 ] && [ -s "$work/s.trace" ] && [ "$(lines .)" -eq 1 ] &&
        [ "$(lines "CHORALE_TRACE_SIGNAL: '$bad' is not")" -eq 1 ]
    ok $? "signal $bad is refused in a line"
    rm -f "$work/s.trace"
done
run 2 "$shim" "$work/traced" calls
[ $status -eq 0 ] && [ ! -s "$work/err" ]
ok $? "without CHORALE_TRACE nothing is told"

# A program that calls libchorale.
libchorale=$(lib_of libchorale.so)
if [ -n "$libchorale" ] && program example \
    -I"$top_srcdir/algorithms/dispatch" "$libchorale" \
    -Wl,-rpath,"$(dirname "$libchorale")" 2>"$work/err"; then
    name=libchorale
    file=$work/lib.trace
    run 2 "" CHORALE_TRACE="$file" "$work/example"
    whole
    ok $? "a trace of a program that is linked with libchorale"
    head_is "ranks 2"
    sed -n '/^columns/,$p' "$file" | grep -q "^bcast .* 2 single-node "
    ok $? "with its calls"
else
    skip "libchorale" "it is not built"
fi
finish
