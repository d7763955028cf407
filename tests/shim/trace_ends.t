#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# trace_ends.t - where CHORALE_TRACE writes its file, and what it writes when
# programs end before MPI_Finalize, on signals, and if some ranks do not trace.
. "$(dirname "$0")/helpers.sh"
. "$(dirname "$0")/traced.sh"

# The path of the file.
mkdir "$work/here" "$work/there"
cd "$work/here" || exit 1
run 2 "$shim" CHORALE_TRACE=rel.trace "$work/traced" calls "$work/there"
file=$work/here/rel.trace
[ $status -eq 0 ] && whole && [ -z "$(ls "$work/there")" ]
ok $? "a relative path starts at the folder of MPI_Init"
printf old >rel.trace
run 2 "$shim" CHORALE_TRACE=rel.trace "$work/traced" calls
whole && [ "$(ls)" = rel.trace ]
ok $? "an old file is replaced, without a temporary file beside it"
cd "$OLDPWD" || exit 1
for bad in "$work/none/x.trace" "$work/here" /dev/null; do
    run 2 "$shim" CHORALE_TRACE="$bad" "$work/traced" calls
    [ $status -eq 0 ] && [ "$(lines .)" -eq 1 ] &&
        [ "$(lines "^chorale: CHORALE_TRACE: $bad: ")" -eq 1 ]
    ok $? "$bad costs one line, and the program goes on"
done
[ -c /dev/null ]
ok $? "no device is replaced"
run 2 "$shim" CHORALE_TRACE= "$work/traced" calls
[ $status -eq 0 ] && [ ! -s "$work/err" ]
ok $? "an empty name makes no trace"

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
ok $? "without CHORALE_TRACE on any rank the shim is silent"

# Programs that end without MPI_Finalize, and signals.
file=$work/end.trace
cat >"$work/own" <<EOF
#!/bin/sh
exec "\$@" 2>"$work/err.\${PMI_RANK:-\$OMPI_COMM_WORLD_RANK}"
EOF
chmod +x "$work/own" # launchers lose the last output
run 2 "$shim" CHORALE_TRACE="$file" "$work/own" "$work/traced" abort
[ ! -e "$file" ] &&
    [ "$(grep -c "end.trace.rank1: MPI_Abort" "$work/err.1")" -eq 1 ]
ok $? "MPI_Abort names the file of its rank's trace"
file=$work/end.trace.rank1
whole
ok $? "that file is complete"
head_is "part 1 MPI_Abort"
head_is "ranks 1"
is "bcast 33 2 single-node byte - last library" 4 4
file=$work/exit.trace
run 1 "$shim" CHORALE_TRACE="$file" "$work/traced" exit
file=$work/exit.trace.rank0
whole && [ "$(lines "exit.trace.rank0: the program ended without")" -eq 1 ]
ok $? "without MPI_Finalize a rank writes its own trace"
head_is "part 0 the program ended without MPI_Finalize"
run 2 "$shim" CHORALE_TRACE="$work/vanish.trace" "$work/traced" vanish
[ $status -ne 124 ]
ok $? "a launch ends although a rank never finalizes"
file=$work/signal.trace
run 2 "$shim" CHORALE_TRACE="$file" CHORALE_TRACE_SIGNAL=12 "$work/traced" \
    signal
is "bcast 32 2 single-node int - first library" 16 8
file=$work/signal.trace.rank1
head_is "part 1 signal 12"
is "bcast 32 2 single-node int - first library" 6 6
[ ! -e "$work/signal.trace.rank0" ]
ok $? "a rank without the signal writes no file of its own"

# A child of fork writes no trace, and its parent's trace is complete.
program program_ends
name=
file=$work/fork.trace
run 2 "$shim" CHORALE_TRACE="$file" "$work/program_ends" fork
[ $status -eq 0 ] && grep -q '^program_ends: wrong=0' "$work/out" &&
    [ "$(lines '^chorale: ')" -eq 0 ] && # Open MPI prints a line on abort
    whole && [ "$(echo "$file"*)" = "$file" ]
ok $? "children of fork write no trace"
is "bcast 4 2 single-node int - first library" 80 40

# Collectives in callbacks of MPI_Finalize: served and traced alike.
file=$work/early.trace
run 2 "$shim" CHORALE_TRACE="$file" CHORALE_AFTER=1 \
    CHORALE_FORCE=bcast=binomial "$work/program_ends" early
[ $status -eq 0 ] && grep -q 'finalize wrong=0' "$work/out" && whole
ok $? "a program with collectives in MPI_Finalize is traced"
is "bcast 4 2 single-node int - first binomial:segsize=0" 48 24
is "allreduce 4 2 single-node int sum - library" 50 25

for bad in 9 11 0 1000 USR2 12x; do
    run 1 "$shim" CHORALE_TRACE="$work/s.trace" CHORALE_TRACE_SIGNAL=$bad \
        "$work/traced" calls
    [ $status -eq 0 ] && [ -s "$work/s.trace" ] && [ "$(lines .)" -eq 1 ] &&
        [ "$(lines "CHORALE_TRACE_SIGNAL: '$bad' is not")" -eq 1 ]
    ok $? "signal $bad is refused in one line"
    rm -f "$work/s.trace"
done
run 2 "$shim" "$work/traced" calls
[ $status -eq 0 ] && [ ! -s "$work/err" ]
ok $? "without CHORALE_TRACE no trace is written"

# A program linked with libchorale.
libchorale=$(lib_of libchorale.so)
if [ -n "$libchorale" ] && program example \
    -I"$top_srcdir/algorithms/dispatch" "$libchorale" \
    -Wl,-rpath,"$(dirname "$libchorale")" 2>"$work/err"; then
    name=libchorale
    file=$work/lib.trace
    run 2 "" CHORALE_TRACE="$file" "$work/example"
    whole
    ok $? "a program linked with libchorale writes a trace"
    head_is "ranks 2"
    sed -n '/^columns/,$p' "$file" | grep -q "^bcast .* 2 single-node "
    ok $? "it has the program's calls"
else
    skip "libchorale" "it is not built"
fi
finish
